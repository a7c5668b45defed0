//! The trait itself.

use crate::cfg::contains_rpc;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Block, FnArg, ItemTrait, ReturnType, TraitItem, TraitItemFn, parse_quote, parse_quote_spanned};

// In:   async fn subtract(&self, #[rpc(rename = "from")] minuend: i64) -> i64;
// Out:  fn subtract(&self, minuend: i64) -> impl Future<Output = i64> + Send;
/// Returns the trait without `#[rpc]`. Futures are `Send`; an implementation still writes `async fn`.
pub(crate) fn expand(original: &ItemTrait) -> TokenStream {
    let mut item = original.clone();
    remove_rpc(&mut item.attrs);
    for item in &mut item.items {
        match item {
            TraitItem::Fn(function) => {
                remove_rpc_from_signature(function);
                desugar(function);
            }
            TraitItem::Const(constant) => remove_rpc(&mut constant.attrs),
            TraitItem::Type(associated) => remove_rpc(&mut associated.attrs),
            _ => {}
        }
    }
    item.into_token_stream()
}

/// Leaves the body alone: a trait inside it has its own `#[rpc]`.
fn remove_rpc_from_signature(function: &mut TraitItemFn) {
    remove_rpc(&mut function.attrs);
    for input in &mut function.sig.inputs {
        match input {
            FnArg::Receiver(receiver) => remove_rpc(&mut receiver.attrs),
            FnArg::Typed(typed) => remove_rpc(&mut typed.attrs),
        }
    }
}

fn remove_rpc(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| !contains_rpc(attribute));
}

fn desugar(function: &mut TraitItemFn) {
    if function.sig.asyncness.take().is_none() {
        return;
    }
    let output = match &function.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    function.sig.output = match &function.default {
        None => parse_quote!(-> impl ::core::future::Future<Output = #output> + ::core::marker::Send),
        // If the body is not `Send`, the compiler underlines the body.
        Some(body) => {
            let braces = body.brace_token.span;
            let send = quote_spanned!(braces.close()=> ::core::marker::Send);
            parse_quote_spanned!(braces.open()=> -> impl ::core::future::Future<Output = #output> + #send)
        }
    };
    if let Some(body) = &function.default {
        function.default = Some(future(body, &output));
        // The future of the body borrows `self`, and is `Send` only if `Self` is `Sync`.
        function.sig.generics.make_where_clause().predicates.push(parse_quote!(Self: ::core::marker::Sync));
        function.attrs.push(parse_quote! {
            #[allow(
                clippy::manual_async_fn, clippy::async_yields_async, clippy::diverging_sub_expression,
                clippy::implicit_return, clippy::let_unit_value, clippy::no_effect_underscore_binding,
                clippy::used_underscore_binding
            )]
        });
    }
}

// In:   { 0 }
// Out:  { async move { if let Some(out) = None::<i64> { return out; } let out: i64 = { 0 }; out } }
/// The dead branch fixes the type of the block before the compiler checks the body. The block has the span of
/// the body.
fn future(body: &Block, output: &TokenStream) -> Block {
    let span = body.brace_token.span.join();
    let inner = quote! {
        if let ::core::option::Option::Some(__output) = ::core::option::Option::None::<#output> {
            #[allow(unreachable_code)]
            return __output;
        }
        let __output: #output = #body;
        #[allow(unreachable_code)]
        __output
    };
    let future = quote_spanned!(span=> async move { #inner });
    parse_quote_spanned!(span=> { #future })
}
