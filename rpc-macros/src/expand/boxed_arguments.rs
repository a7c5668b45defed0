//! Whether the decoded arguments of a method are kept in a box.

use super::argument;
use crate::ast::{Method, Service};
use crate::types::is_small;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Ident;
use syn::ext::IdentExt;

/// As many small arguments are no more than what is boxed.
const MOST_SMALL: usize = 4;

// In:   async fn put(&self, record: Record) -> u64;
// Out:  const __put_is_large: bool = is_large::<(Record,)>();
/// The questions how large those arguments are of which tokens do not tell.
pub(super) fn expand(service: &Service) -> TokenStream {
    let sizes = service.methods.iter().filter_map(|method| {
        let (cfgs, question) = (&method.cfgs, question(method, service)?);
        let types = argument::all(method).into_iter().map(|argument| of_static(argument.decoded));
        Some(quote!(#(#cfgs)* const #question: ::core::primitive::bool = __rpc::is_large::<(#(#types,)*)>();))
    });
    sizes.collect()
}

/// The type that keeps a method's arguments; `None` if they stay as they are.
pub(super) fn size(method: &Method, service: &Service) -> Option<TokenStream> {
    question(method, service).map(|question| quote!(__rpc::Storage<#question>))
}

/// The name of the constant; `None` if the arguments are small, or if the trait's parameters, which no
/// constant may use, could be among them.
fn question(method: &Method, service: &Service) -> Option<Ident> {
    let is_plain = service.original.generics.params.is_empty();
    let is_asked = method.params.len() > MOST_SMALL || method.params.iter().any(|param| !is_small(param.ty()));
    (is_plain && is_asked).then(|| format_ident!("__{}_is_large", method.ident().unraw(), span = Span::mixed_site()))
}

/// A type with `'static` for `'__de`, which no constant may use; it is as large.
fn of_static(decoded: TokenStream) -> TokenStream {
    let trees = decoded.into_iter().map(|tree| match tree {
        TokenTree::Ident(ident) if ident == "__de" => Ident::new("static", ident.span()).into(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), of_static(group.stream()));
            inner.set_span(group.span());
            inner.into()
        }
        other => other,
    });
    trees.collect()
}
