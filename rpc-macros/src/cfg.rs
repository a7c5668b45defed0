//! Conditional attributes: `cfg`, and the attributes in a `cfg_attr`.
//!
//! An attribute macro runs before rustc evaluates conditions, so generated items repeat them.

use crate::errors::Errors;
use crate::options::is_rpc;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Meta, parse_quote};

// In:   #[cfg(a)]      #[cfg_attr(b, cfg(c), inline)]
// Out:  #[cfg(a)]      #[cfg(any(not(b), c))]
/// Returns the conditions of an item as `cfg` attributes.
pub(crate) fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    let conditions = attributes.iter().flat_map(|attribute| conditions_in(&attribute.meta));
    conditions.map(|condition| parse_quote!(#[cfg(#condition)])).collect()
}

fn conditions_in(meta: &Meta) -> Vec<TokenStream> {
    if let Some((condition, metas)) = cfg_attr(meta) {
        let inner = metas.iter().flat_map(conditions_in);
        return inner.map(|inner| quote!(any(not(#condition), #inner))).collect();
    }
    match meta {
        Meta::List(list) if list.path.is_ident("cfg") => vec![list.tokens.clone()],
        _ => Vec::new(),
    }
}

// In:   /// Docs.     #[cfg_attr(b, deprecated, inline)]
// Out:  /// Docs.     #[cfg_attr(b, deprecated)]
/// Returns the attributes with one of these names, also those in a `cfg_attr`.
pub(crate) fn named(attributes: &[Attribute], names: &[&str]) -> Vec<TokenStream> {
    let metas = attributes.iter().filter_map(|attribute| named_in(&attribute.meta, names));
    metas.map(|meta| quote!(#[#meta])).collect()
}

fn named_in(meta: &Meta, names: &[&str]) -> Option<TokenStream> {
    if let Some((condition, metas)) = cfg_attr(meta) {
        let metas: Vec<_> = metas.iter().filter_map(|meta| named_in(meta, names)).collect();
        return (!metas.is_empty()).then(|| quote!(cfg_attr(#condition, #(#metas),*)));
    }
    names.iter().any(|name| meta.path().is_ident(name)).then(|| meta.to_token_stream())
}

/// Refuses `rpc(…)` in a `cfg_attr`.
pub(crate) fn refuse_conditional_rpc(attributes: &[Attribute], errors: &Errors) {
    for attribute in attributes {
        refuse_in(&attribute.meta, errors);
    }
}

fn refuse_in(meta: &Meta, errors: &Errors) {
    for inner in cfg_attr(meta).map(|(_, metas)| metas).into_iter().flatten() {
        if is_rpc(&parse_quote!(#[#inner])) {
            errors.at(
                inner.path().span(),
                "`rpc(…)` is not supported in `cfg_attr`; write the item twice, each time under its `#[cfg(…)]`",
            );
        }
        refuse_in(&inner, errors);
    }
}

/// Returns `true` for `#[rpc]` and for a `cfg_attr` that contains it.
pub(crate) fn contains_rpc(attribute: &Attribute) -> bool {
    let inner = || cfg_attr(&attribute.meta).into_iter().flat_map(|(_, metas)| metas);
    is_rpc(attribute) || inner().any(|meta| contains_rpc(&parse_quote!(#[#meta])))
}

/// Returns the condition and the attributes of a `cfg_attr`.
fn cfg_attr(meta: &Meta) -> Option<(TokenStream, Vec<Meta>)> {
    let Meta::List(list) = meta else { return None };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
    let mut parts = tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
    let condition = parts.next()?.iter().cloned().collect();
    // rustc reports a part that is not an attribute.
    let metas = parts.filter_map(|part| syn::parse2(part.iter().cloned().collect()).ok());
    Some((condition, metas.collect()))
}
