//! The trait itself.

use crate::attr::is_ours;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Attribute, ItemTrait, ReturnType, TraitItem, TraitItemFn, parse_quote};

// In:   async fn subtract(&self, #[rpc(rename = "from")] minuend: i64) -> i64;
// Out:  fn subtract(&self, minuend: i64) -> impl Future<Output = i64> + Send;
/// Without our attributes, and with futures that can be sent; an implementation still writes
/// `async fn`.
pub(crate) fn expand(original: &ItemTrait) -> TokenStream {
    let mut item = original.clone();
    WithoutOurs.visit_item_trait_mut(&mut item);
    for item in &mut item.items {
        if let TraitItem::Fn(function) = item {
            desugar(function);
        }
    }
    item.into_token_stream()
}

/// Takes away what only we read.
struct WithoutOurs;

impl VisitMut for WithoutOurs {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !is_ours(attribute));
    }
}

fn desugar(function: &mut TraitItemFn) {
    if function.sig.asyncness.take().is_none() {
        return;
    }
    let output = match &function.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    function.sig.output = parse_quote!(-> impl ::core::future::Future<Output = #output> + ::core::marker::Send);
    if let Some(body) = &function.default {
        // A body that shares `self` between threads needs `Self: Sync`. The dead branch tells the
        // compiler the type of the block before it reads it.
        let body = quote!({
            async move {
                if let ::core::option::Option::Some(__output) = ::core::option::Option::None::<#output> {
                    #[allow(unreachable_code)]
                    return __output;
                }
                let __output: #output = #body;
                #[allow(unreachable_code)]
                __output
            }
        });
        function.default = Some(parse_quote!(#body));
        function.sig.generics.make_where_clause().predicates.push(parse_quote!(Self: ::core::marker::Sync));
        function.attrs.push(parse_quote!(#[allow(clippy::manual_async_fn, clippy::let_unit_value, clippy::no_effect_underscore_binding)]));
    }
}
