//! The attribute macro of `rpc-core`. Use it through that crate, which re-exports it.
//!
//! Four stages: `attr` reads our words, `ast` is the trait as we understand it, `check` has the rules
//! that need more than one place, `expand` writes the code.
#![forbid(unsafe_code)]

mod ast;
mod attr;
mod cfg;
mod cfg_variants;
mod check;
mod error_derive;
mod errors;
mod expand;
mod fallback;
mod names;
mod options;
mod signature;
mod types;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::ItemTrait;

/// Makes a trait callable over JSON-RPC 2.0.
#[doc = include_str!("rpc.md")]
#[proc_macro_attribute]
pub fn rpc(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = Tokens::from(item);
    match syn::parse2::<ItemTrait>(item.clone()) {
        Ok(service) => of_trait(arguments.into(), service),
        Err(error) => no_trait(&item, error),
    }
    .into()
}

/// Makes an enum the error of methods: the trait `RpcError` for it.
#[doc = include_str!("error.md")]
#[proc_macro_derive(RpcError, attributes(rpc))]
pub fn derive_rpc_error(item: TokenStream) -> TokenStream {
    of_enum(&item.into()).into()
}

fn of_enum(item: &Tokens) -> Tokens {
    let Ok(item) = syn::parse2::<syn::ItemEnum>(item.clone()) else {
        let message = "`RpcError` is derived for an enum, each variant of which is an error";
        return syn::Error::new_spanned(item, message).into_compile_error();
    };
    let errors = errors::Errors::default();
    let error = error_derive::ErrorEnum::of(&item, &errors);
    let code = (!errors.is_certain()).then(|| error_derive::expand(&error));
    let errors = errors.into_tokens();
    quote!(#errors #code)
}

fn of_trait(arguments: Tokens, item: ItemTrait) -> Tokens {
    let errors = errors::Errors::default();
    let options = attr::TraitOptions::read(arguments, &item.attrs, &errors);
    let service = ast::Service::of(&item, &options, &errors);
    cfg::refuse_ours(&item.attrs, &errors);
    check::check(&service, &errors);
    let code = if errors.is_certain() { fallback::legal(item) } else { expand::expand(&cfg_variants::of(service)) };
    let errors = errors.into_tokens();
    quote!(#errors #code)
}

/// The mistake, on the word that says what the item is; the item itself stays as it is.
fn no_trait(item: &Tokens, error: syn::Error) -> Tokens {
    let error = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Trait(_)) | Err(_) => error,
        Ok(other) => syn::Error::new(keyword(&other), "`#[rpc]` stands on a trait: `#[rpc] trait Calc { … }`"),
    }
    .into_compile_error();
    quote!(#error #item)
}

fn keyword(item: &syn::Item) -> proc_macro2::Span {
    use syn::spanned::Spanned;
    match item {
        syn::Item::Struct(item) => item.struct_token.span,
        syn::Item::Enum(item) => item.enum_token.span,
        syn::Item::Fn(item) => item.sig.fn_token.span,
        syn::Item::Impl(item) => item.impl_token.span,
        syn::Item::Mod(item) => item.mod_token.span,
        other => other.span(),
    }
}
