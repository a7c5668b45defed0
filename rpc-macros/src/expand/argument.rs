//! One parameter: the type that it is decoded as, and the expression that is passed to the method.

use crate::ast::{Method, Param};
use crate::attributes::DefaultOption;
use crate::types::{bare, ends, is_borrowed_cow, is_raw, is_str, is_unsized, outer_reference, type_arguments};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Ident, Lifetime, Type, TypeReference};

pub(super) struct Argument {
    /// The decoded type, which borrows from the message.
    pub(super) decoded: TokenStream,
    /// The expression that is passed to the method.
    pub(super) passed: TokenStream,
}

/// Returns the arguments of a method. `message` is the lifetime of the message, and the decoded values are in
/// the variables of [`values`].
pub(super) fn all(method: &Method, message: &Lifetime) -> Vec<Argument> {
    let values = values(method.params.len());
    method.params.iter().zip(&values).map(|(param, value)| expand(param, value, message)).collect()
}

// In:   path: &str      force: Option<bool>      tags: &[Tag]       text: Cow<'_, str>
// Out:  Text<'de>       Option<bool>             Vec<Tag>           Text<'de>
//       &value          value                    &value             value.0
fn expand(param: &Param, value: &Ident, message: &Lifetime) -> Argument {
    let ty = param.ty();
    match outer_reference(ty) {
        Some(reference) if is_raw(&reference.elem) => raw_value(reference, ty, value, message),
        Some(reference) if type_arguments(ty, |name| name == "Option").is_none() => {
            Argument { decoded: referent(reference, message), passed: quote!(&#value) }
        }
        Some(reference) => {
            let inner = referent(reference, message);
            let borrow = if is_unsized(&reference.elem) { quote!(as_deref) } else { quote!(as_ref) };
            Argument { decoded: quote!(::core::option::Option<#inner>), passed: quote!(#value.#borrow()) }
        }
        None if is_borrowed_cow(ty) => Argument { decoded: quote!(__rpc::Text<#message>), passed: quote!(#value.0) },
        None => {
            let ty = with_lifetime(ty, message);
            match &param.default {
                None => Argument { decoded: quote!(#ty), passed: quote!(#value) },
                Some(default) => {
                    Argument { decoded: quote!(__rpc::Defaulted<#ty>), passed: or_default(default, value) }
                }
            }
        }
    }
}

// In:   #[rpc(default)]                 #[rpc(default = "ten")]
// Out:  value.0.unwrap_or_default()     value.0.unwrap_or_else(ten)
fn or_default(default: &DefaultOption, value: &Ident) -> TokenStream {
    let span = default.span;
    match &default.function {
        None => quote_spanned!(span=> #value.0.unwrap_or_default()),
        Some(function) => quote_spanned!(span=> #value.0.unwrap_or_else(#function)),
    }
}

// In:   params: &RawValue
// Out:  &'de RawValue
//       value
fn raw_value(reference: &TypeReference, ty: &Type, value: &Ident, message: &Lifetime) -> Argument {
    let raw = &reference.elem;
    let borrowed = quote!(&#message #raw);
    let is_optional = type_arguments(ty, |name| name == "Option").is_some();
    let decoded = if is_optional { quote!(::core::option::Option<#borrowed>) } else { borrowed };
    Argument { decoded, passed: quote!(#value) }
}

/// Returns the decoded type behind a reference.
fn referent(reference: &TypeReference, message: &Lifetime) -> TokenStream {
    match bare(&reference.elem) {
        elem if is_str(elem) => quote!(__rpc::Text<#message>),
        Type::Slice(slice) => {
            let elem = with_lifetime(&slice.elem, message);
            quote!(::std::vec::Vec<#elem>)
        }
        elem => {
            let elem = with_lifetime(elem, message);
            quote!(#elem)
        }
    }
}

/// Replaces each `'_`.
fn with_lifetime(ty: &Type, lifetime: &Lifetime) -> Type {
    struct Elided<'l>(&'l Lifetime);
    impl VisitMut for Elided<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident == "_" {
                let span = lifetime.span();
                *lifetime = self.0.clone();
                lifetime.set_span(span);
            }
        }
    }
    let mut ty = ty.clone();
    Elided(lifetime).visit_type_mut(&mut ty);
    ty
}

/// Returns the names of the variables for decoded values.
pub(super) fn values(count: usize) -> Vec<Ident> {
    (0..count).map(|position| Ident::new(&format!("__{position}"), Span::mixed_site())).collect()
}

// In:   subtrahend: i64
// Out:  __rpc::type_token::<i64>()
/// Returns the decoded type as a value. It has the span of the user's type, which the compiler underlines if
/// the type cannot be decoded.
pub(super) fn decoded_type(param: &Param, decoded: &TokenStream) -> TokenStream {
    let (first, last) = ends(param.ty());
    let parentheses = quote_spanned!(last=> ());
    quote_spanned!(first=> __rpc::type_token::<#decoded> #parentheses)
}

// In:   subtrahend: i64
// Out:  &subtrahend
/// Returns the borrowed argument of a call. It has the span of the user's type, which the compiler underlines
/// if the type cannot be encoded.
pub(super) fn borrowed(param: &Param) -> TokenStream {
    let (first, last) = ends(param.ty());
    let mut value = param.ident.clone();
    value.set_span(value.span().located_at(last));
    let borrow = quote_spanned!(first=> &);
    quote!(#borrow #value)
}

/// Returns the part of the user's type that a decoded value contains; `None` if it is only text.
pub(super) fn contained_type<'a>(param: &Param<'a>) -> Option<&'a Type> {
    let ty = param.ty();
    let contained = match outer_reference(ty).map(|reference| bare(&reference.elem)) {
        Some(Type::Slice(slice)) => &slice.elem,
        Some(elem) => elem,
        None => ty,
    };
    (!is_str(contained) && !is_borrowed_cow(contained)).then_some(contained)
}
