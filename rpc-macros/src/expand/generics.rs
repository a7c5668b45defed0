//! The generic parameters of the trait in generated items.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Ident, parse_quote};

/// Adds one parameter after those of the trait.
pub(super) fn with(user: &Generics, parameter: &TokenStream) -> Generics {
    let mut generics = user.clone();
    generics.params.push(parse_quote!(#parameter));
    generics
}

/// Returns a marker type that uses the type parameters, so that a struct need not contain them.
pub(super) fn marker(user: &Generics) -> TokenStream {
    let types = user.type_params().map(|parameter| &parameter.ident);
    quote!(::core::marker::PhantomData<fn() -> (#(#types,)*)>)
}

/// Returns the names of type and constant parameters.
pub(super) fn names(user: &Generics) -> Vec<&Ident> {
    let names = user.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(ty) => Some(&ty.ident),
        GenericParam::Const(constant) => Some(&constant.ident),
        GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// Returns the parameters as generic arguments.
pub(super) fn arguments(user: &Generics) -> Vec<TokenStream> {
    let arguments = user.params.iter().map(|parameter| match parameter {
        GenericParam::Type(ty) => ty.ident.to_token_stream(),
        GenericParam::Const(constant) => constant.ident.to_token_stream(),
        GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_token_stream(),
    });
    arguments.collect()
}
