//! The attributes of a method that its generated method on the client repeats.

use crate::ast::Method;
use crate::cfg;
use proc_macro2::TokenStream;
use quote::quote;

/// Returns documentation, `deprecated` and `cfg`. A method without documentation gets a line.
pub(super) fn for_client(method: &Method) -> TokenStream {
    let attributes = &method.original.attrs;
    let repeated = cfg::named(attributes, &["doc", "deprecated"]);
    let cfgs = &method.cfgs;
    let has_docs = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let line = (!has_docs).then(|| {
        let line = format!("Calls `{}`.", method.wire.name);
        quote!(#[doc = #line])
    });
    quote!(#line #(#repeated)* #(#cfgs)*)
}
