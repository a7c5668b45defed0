//! Attributes that pass from a method to what is made of it.

use crate::ast::Method;
use crate::cfg;
use proc_macro2::TokenStream;
use quote::quote;

/// Docs, `cfg` and `deprecated`, for the client's method; a line of its own if there are no docs.
pub(super) fn for_client(method: &Method) -> TokenStream {
    let attributes = &method.original.attrs;
    let passed = cfg::named(attributes, &["doc", "deprecated"]);
    let cfgs = &method.cfgs;
    let has_docs = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let own = (!has_docs).then(|| {
        let line = format!("Calls `{}`.", method.wire.name);
        quote!(#[doc = #line])
    });
    quote!(#own #(#passed)* #(#cfgs)*)
}
