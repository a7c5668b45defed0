//! Attributes that pass from a method to what is made of it.

use crate::ast::Method;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Docs, `cfg` and `deprecated`, for the client's method; a line of its own if there are no docs.
pub(super) fn for_client(method: &Method) -> TokenStream {
    let passed = method
        .original
        .attrs
        .iter()
        .filter(|attribute| ["doc", "cfg", "deprecated"].iter().any(|name| attribute.path().is_ident(name)));
    let passed: Vec<_> = passed.map(ToTokens::to_token_stream).collect();
    let has_docs = method.original.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
    let own = (!has_docs).then(|| {
        let line = format!("Calls `{}`.", method.wire.name);
        quote!(#[doc = #line])
    });
    quote!(#own #(#passed)*)
}
