//! Attributes that hold under a condition: `cfg`, and what hangs on a `cfg_attr`.
//!
//! A macro sees them before they are decided, so what is made of an item carries them on.

use crate::errors::Errors;
use crate::options::is_ours;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Meta, parse_quote};

// In:   #[cfg(a)]      #[cfg_attr(b, cfg(c), inline)]
// Out:  #[cfg(a)]      #[cfg(any(not(b), c))]
/// When the item that has these attributes is there at all, said with `cfg` alone.
pub(crate) fn of(attributes: &[Attribute]) -> Vec<Attribute> {
    let conditions = attributes.iter().flat_map(|attribute| required(&attribute.meta));
    conditions.map(|condition| parse_quote!(#[cfg(#condition)])).collect()
}

fn required(meta: &Meta) -> Vec<TokenStream> {
    if let Some((condition, metas)) = hanging(meta) {
        let inner = metas.iter().flat_map(required);
        return inner.map(|inner| quote!(any(not(#condition), #inner))).collect();
    }
    match meta {
        Meta::List(list) if list.path.is_ident("cfg") => vec![list.tokens.clone()],
        _ => Vec::new(),
    }
}

// In:   /// Docs.     #[cfg_attr(b, deprecated, inline)]
// Out:  /// Docs.     #[cfg_attr(b, deprecated)]
/// Those attributes that have one of these names, also those that hang on a condition.
pub(crate) fn named(attributes: &[Attribute], names: &[&str]) -> Vec<TokenStream> {
    let kept = attributes.iter().filter_map(|attribute| kept(&attribute.meta, names));
    kept.map(|meta| quote!(#[#meta])).collect()
}

fn kept(meta: &Meta, names: &[&str]) -> Option<TokenStream> {
    if let Some((condition, metas)) = hanging(meta) {
        let metas: Vec<_> = metas.iter().filter_map(|meta| kept(meta, names)).collect();
        return (!metas.is_empty()).then(|| quote!(cfg_attr(#condition, #(#metas),*)));
    }
    names.iter().any(|name| meta.path().is_ident(name)).then(|| meta.to_token_stream())
}

/// An attribute of ours that hangs on a condition: it would be read too late.
pub(crate) fn refuse_ours(attributes: &[Attribute], errors: &Errors) {
    for attribute in attributes {
        refuse_in(&attribute.meta, errors);
    }
}

/// Whether an attribute is ours, or one of ours hangs on it.
pub(crate) fn hold_ours(attribute: &Attribute) -> bool {
    let hangs = || hanging(&attribute.meta).into_iter().flat_map(|(_, metas)| metas);
    is_ours(attribute) || hangs().any(|meta| hold_ours(&parse_quote!(#[#meta])))
}

fn refuse_in(meta: &Meta, errors: &Errors) {
    for inner in hanging(meta).map(|(_, metas)| metas).into_iter().flatten() {
        let ours: Attribute = parse_quote!(#[#inner]);
        if is_ours(&ours) {
            errors.at(
                inner.path().span(),
                "`rpc(…)` cannot hang on a condition, which is decided after it is read: write the item twice, each time under its `#[cfg(…)]`",
            );
        }
        refuse_in(&inner, errors);
    }
}

/// The condition of a `cfg_attr`, and what hangs on it.
fn hanging(meta: &Meta) -> Option<(TokenStream, Vec<Meta>)> {
    let Meta::List(list) = meta else { return None };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
    let mut parts = tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
    let condition = parts.next()?.iter().cloned().collect();
    // What is no attribute is for rustc to refuse.
    let metas = parts.filter_map(|part| syn::parse2(part.iter().cloned().collect()).ok());
    Some((condition, metas.collect()))
}
