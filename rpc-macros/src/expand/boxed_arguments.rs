//! Boxes for the decoded arguments of a method, if they are large.

use super::argument;
use crate::ast::{Method, Service};
use crate::types::is_small;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Ident, Lifetime};

/// The number of small arguments that are never larger than the limit of `__rpc::is_large`.
const MAX_SMALL: usize = 4;

// In:   async fn put(&self, record: Record) -> u64;
// Out:  const __put_is_large: bool = is_large::<(Record,)>();
/// Returns a constant for each method whose tokens do not show the size of its arguments.
pub(super) fn expand(service: &Service) -> TokenStream {
    // A constant can use no other lifetime; the size does not depend on it.
    let message = Lifetime::new("'static", Span::call_site());
    let constants = service.methods.iter().filter_map(|method| {
        let (cfgs, name) = (&method.cfgs, constant_name(method, service)?);
        let types = argument::all(method, &message).into_iter().map(|argument| argument.decoded);
        Some(quote!(#(#cfgs)* const #name: ::core::primitive::bool = __rpc::is_large::<(#(#types,)*)>();))
    });
    constants.collect()
}

/// Returns the type that decides whether the arguments of a method are boxed; `None` if they never are.
pub(super) fn size(method: &Method, service: &Service) -> Option<TokenStream> {
    constant_name(method, service).map(|name| quote!(__rpc::Storage<#name>))
}

/// Returns `None` if the arguments are small, or if the trait has parameters, which no constant can use.
fn constant_name(method: &Method, service: &Service) -> Option<Ident> {
    let is_generic = !service.original.generics.params.is_empty();
    let is_small = method.params.len() <= MAX_SMALL && method.params.iter().all(|param| is_small(param.ty()));
    (!is_generic && !is_small)
        .then(|| format_ident!("__{}_is_large", method.ident().unraw(), span = Span::mixed_site()))
}
