//! `#[derive(RpcError)]`: an error enum, both ways over the wire.
//!
//! `read` understands the enum and notes its mistakes; `expand` writes the implementation.

mod expand;
mod read;

use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemEnum;

/// The implementation, or the mistakes.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let Ok(item) = syn::parse2::<ItemEnum>(item.clone()) else {
        let message = "`RpcError` is derived for an enum, each variant of which is an error";
        return syn::Error::new_spanned(item, message).into_compile_error();
    };
    let errors = Errors::default();
    let error = read::ErrorEnum::of(&item, &errors);
    let code = (!errors.is_certain()).then(|| expand::expand(&error));
    let mistakes = errors.into_tokens();
    quote!(#mistakes #code)
}
