//! Names and code that several generated items share.

use crate::ast::{Method, Service};
use crate::names::json_string;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::HashSet;
use syn::Ident;

/// Returns the name of the client: `CalcClient`.
pub(super) fn client(service: &Service) -> Ident {
    format_ident!("{}Client", service.original.ident)
}

/// Returns the name of the service: `CalcService`.
pub(super) fn service(service: &Service) -> Ident {
    format_ident!("{}Service", service.original.ident)
}

/// Returns the wire names of the parameters, except for `flatten`.
pub(super) fn param_names(method: &Method) -> TokenStream {
    let names = method.params.iter().filter(|param| param.flatten.is_none()).map(|param| &param.wire.name);
    quote!(&[#(#names),*])
}

/// Returns the wire name and the aliases.
pub(super) fn names<'m>(method: &'m Method) -> impl Iterator<Item = &'m String> {
    std::iter::once(&method.wire).chain(&method.aliases).map(|wire| &wire.name)
}

/// Returns the request up to its params.
pub(super) fn head(method: &Method) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":{}"#, json_string(&method.wire.name))
}

// In:   i64, State, i64
// Out:  assert_deserialize::<i64>(); assert_deserialize::<State>();
/// Calls a function once for each type, or once for each type and `cfg`.
pub(super) fn assert_once<'m>(
    types: impl Iterator<Item = (&'m Method<'m>, TokenStream)>,
    function: &TokenStream,
) -> TokenStream {
    let mut seen = HashSet::new();
    let assertions = types.filter_map(|(method, ty)| {
        let cfgs = &method.cfgs;
        let assertion = quote!(#(#cfgs)* __rpc::#function::<#ty>(););
        seen.insert(assertion.to_string()).then_some(assertion)
    });
    assertions.collect()
}
