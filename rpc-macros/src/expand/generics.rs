//! The trait's generics, with one parameter more.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Ident, parse_quote};

/// The user's parameters and one of ours, which comes last and meets no name of the user's.
pub(super) fn with(user: &Generics, ours: &TokenStream) -> Generics {
    let mut generics = user.clone();
    generics.params.push(parse_quote!(#ours));
    generics
}

/// What marks a struct as one that speaks of the user's types without holding any.
pub(super) fn marker(user: &Generics) -> TokenStream {
    let types = user.type_params().map(|parameter| &parameter.ident);
    quote!(::core::marker::PhantomData<fn() -> (#(#types,)*)>)
}

/// The names of the user's types and constants.
pub(super) fn names(user: &Generics) -> Vec<&Ident> {
    let names = user.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(ty) => Some(&ty.ident),
        GenericParam::Const(constant) => Some(&constant.ident),
        GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// The user's parameters as arguments.
pub(super) fn arguments(user: &Generics) -> Vec<TokenStream> {
    let arguments = user.params.iter().map(|parameter| match parameter {
        GenericParam::Type(ty) => ty.ident.to_token_stream(),
        GenericParam::Const(constant) => constant.ident.to_token_stream(),
        GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_token_stream(),
    });
    arguments.collect()
}
