//! The macros of `rpc-core`. Use them through that crate, which re-exports them.
//!
//! The attribute has four stages: `attributes` reads the options, `ast` is the model of the trait, `check`
//! has the rules that involve several parts of it, and `expand` generates the code.
#![forbid(unsafe_code)]

mod ast;
mod attributes;
mod cfg;
mod cfg_variants;
mod check;
mod error_derive;
mod errors;
mod expand;
mod fallback;
mod fresh_names;
mod names;
mod option_names;
mod options;
mod signature;
mod types;

use proc_macro::TokenStream;
use proc_macro2::{Span, TokenStream as Tokens};
use quote::quote;
use syn::{Item, ItemEnum, ItemTrait};

/// Makes a trait callable over JSON-RPC 2.0.
#[doc = include_str!("rpc.md")]
#[proc_macro_attribute]
pub fn rpc(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = Tokens::from(item);
    match syn::parse2::<ItemTrait>(item.clone()) {
        Ok(service) => expand_trait(arguments.into(), service),
        Err(error) => refuse_item(&item, error),
    }
    .into()
}

/// Derives the trait `RpcError` for an enum whose variants are errors of methods.
#[doc = include_str!("error.md")]
#[proc_macro_derive(RpcError, attributes(rpc))]
pub fn derive_rpc_error(item: TokenStream) -> TokenStream {
    derive(&item.into()).into()
}

fn derive(item: &Tokens) -> Tokens {
    let Ok(item) = syn::parse2::<ItemEnum>(item.clone()) else {
        let message = "`RpcError` can only be derived for an enum, each variant of which is an error";
        let span = syn::parse2::<Item>(item.clone()).map_or_else(|_| Span::call_site(), |item| keyword(&item));
        return syn::Error::new(span, message).into_compile_error();
    };
    let errors = errors::Errors::default();
    let error = error_derive::ErrorEnum::new(&item, &errors);
    let code = (!errors.is_unconditional()).then(|| error_derive::expand(&error));
    let errors = errors.into_tokens();
    quote!(#errors #code)
}

fn expand_trait(arguments: Tokens, item: ItemTrait) -> Tokens {
    let errors = errors::Errors::default();
    let options = attributes::TraitOptions::read(arguments, &item.attrs, &errors);
    let service = ast::Service::new(&item, &options, &errors);
    cfg::refuse_conditional_rpc(&item.attrs, &errors);
    check::check(&service, &errors);
    let code =
        if errors.is_unconditional() { fallback::expand(item) } else { expand::expand(&cfg_variants::expand(service)) };
    let errors = errors.into_tokens();
    quote!(#errors #code)
}

/// Emits the error at the keyword of the item, and the item unchanged.
fn refuse_item(item: &Tokens, error: syn::Error) -> Tokens {
    let error = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Trait(_)) | Err(_) => error,
        Ok(other) => syn::Error::new(keyword(&other), "`#[rpc]` can only be applied to a trait"),
    }
    .into_compile_error();
    quote!(#error #item)
}

fn keyword(item: &Item) -> Span {
    use syn::spanned::Spanned;
    match item {
        Item::Struct(item) => item.struct_token.span,
        Item::Union(item) => item.union_token.span,
        Item::Enum(item) => item.enum_token.span,
        Item::Fn(item) => item.sig.fn_token.span,
        Item::Impl(item) => item.impl_token.span,
        Item::Mod(item) => item.mod_token.span,
        other => other.span(),
    }
}
