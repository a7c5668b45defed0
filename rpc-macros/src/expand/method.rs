//! Names that several items give to one method.

use crate::ast::{Method, Service};
use crate::names::json_string;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::HashSet;
use syn::Ident;

/// The client's type.
pub(super) fn client(service: &Service) -> Ident {
    format_ident!("{}Client", service.original.ident)
}

/// The service's type.
pub(super) fn service(service: &Service) -> Ident {
    format_ident!("{}Service", service.original.ident)
}

/// The wire names of the parameters that are not the whole of the params.
pub(super) fn param_names(method: &Method) -> TokenStream {
    let names = method.params.iter().filter(|param| param.flatten.is_none()).map(|param| &param.wire.name);
    quote!(&[#(#names),*])
}

/// All names that the service answers to.
pub(super) fn names<'m>(method: &'m Method) -> impl Iterator<Item = &'m String> {
    std::iter::once(&method.wire).chain(&method.aliases).map(|wire| &wire.name)
}

/// The message up to its params.
pub(super) fn head(method: &Method) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":{}"#, json_string(&method.wire.name))
}

// In:   i64, State, i64
// Out:  assert_deserialize::<i64>(); can_be_read::<State>();
/// Asks the same of each type once, or once for each `cfg`.
pub(super) fn each_once<'m>(
    types: impl Iterator<Item = (&'m Method<'m>, TokenStream)>,
    question: &TokenStream,
) -> TokenStream {
    let mut asked = HashSet::new();
    let questions = types.filter_map(|(method, ty)| {
        let cfgs = &method.cfgs;
        let question = quote!(#(#cfgs)* __rpc::#question::<#ty>(););
        asked.insert(question.to_string()).then_some(question)
    });
    questions.collect()
}
