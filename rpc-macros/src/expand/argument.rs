//! How one parameter crosses: what it is decoded as, and how the method is given it.

use crate::ast::{Method, Param};
use crate::attr::DefaultOption;
use crate::types::{arguments_of, bare, ends, is_borrowed_cow, is_raw, is_str, is_unsized, outer_reference};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Ident, Lifetime, Type, TypeReference};

/// A decoded argument.
pub(super) struct Argument {
    /// The type it is decoded as, borrowing from the message for `'__de`.
    pub(super) decoded: TokenStream,
    /// What the method is given, made from the decoded value.
    pub(super) given: TokenStream,
}

/// The arguments of a method, whose decoded values have the names of `values`.
pub(super) fn all(method: &Method) -> Vec<Argument> {
    let values = values(method.params.len());
    method.params.iter().zip(&values).map(|(param, value)| expand(param, value)).collect()
}

// In:   path: &str      force: Option<bool>      tags: &[Tag]       text: Cow<'_, str>
// Out:  Text<'__de>     Option<bool>             Vec<Tag>           Text<'__de>
//       &value          value                    &value             value.0
/// `value` is the name of the decoded value.
fn expand(param: &Param, value: &Ident) -> Argument {
    let ty = param.ty();
    match outer_reference(ty) {
        Some(reference) if is_raw(&reference.elem) => lent_raw(reference, ty, value),
        Some(reference) if arguments_of(ty, |name| name == "Option").is_none() => {
            Argument { decoded: referent(reference), given: quote!(&#value) }
        }
        Some(reference) => {
            let inner = referent(reference);
            let borrow = if is_unsized(&reference.elem) { quote!(as_deref) } else { quote!(as_ref) };
            Argument { decoded: quote!(::core::option::Option<#inner>), given: quote!(#value.#borrow()) }
        }
        None if is_borrowed_cow(ty) => Argument { decoded: quote!(__rpc::Text<'__de>), given: quote!(#value.0) },
        None => {
            let ty = owned(ty);
            match &param.default {
                None => Argument { decoded: quote!(#ty), given: quote!(#value) },
                Some(default) => Argument { decoded: quote!(__rpc::Defaulted<#ty>), given: filled(default, value) },
            }
        }
    }
}

// In:   #[rpc(default)]                 #[rpc(default = "ten")]
// Out:  value.0.unwrap_or_default()     value.0.unwrap_or_else(ten)
fn filled(default: &DefaultOption, value: &Ident) -> TokenStream {
    let span = default.span;
    match &default.function {
        None => quote_spanned!(span=> #value.0.unwrap_or_default()),
        Some(function) => quote_spanned!(span=> #value.0.unwrap_or_else(#function)),
    }
}

// In:   params: &RawValue
// Out:  &'__de RawValue
//       value
/// Raw JSON is lent from the message as it stands there.
fn lent_raw(reference: &TypeReference, ty: &Type, value: &Ident) -> Argument {
    let raw = &reference.elem;
    let lent = quote!(&'__de #raw);
    let is_optional = arguments_of(ty, |name| name == "Option").is_some();
    let decoded = if is_optional { quote!(::core::option::Option<#lent>) } else { lent };
    Argument { decoded, given: quote!(#value) }
}

/// What a reference is decoded as.
fn referent(reference: &TypeReference) -> TokenStream {
    match bare(&reference.elem) {
        elem if is_str(elem) => quote!(__rpc::Text<'__de>),
        Type::Slice(slice) => {
            let elem = owned(&slice.elem);
            quote!(::std::vec::Vec<#elem>)
        }
        elem => {
            let elem = owned(elem);
            quote!(#elem)
        }
    }
}

/// The type with `'__de` for every elided lifetime.
fn owned(ty: &Type) -> Type {
    struct Elided;
    impl VisitMut for Elided {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident == "_" {
                *lifetime = Lifetime::new("'__de", lifetime.span());
            }
        }
    }
    let mut ty = ty.clone();
    Elided.visit_type_mut(&mut ty);
    ty
}

/// The names of decoded values.
pub(super) fn values(count: usize) -> Vec<Ident> {
    (0..count).map(|position| Ident::new(&format!("__{position}"), Span::mixed_site())).collect()
}

// In:   subtrahend: i64
// Out:  __rpc::type_token::<i64>()
/// Says the decoded type, standing where the user's type stands: the compiler underlines that if it
/// cannot be decoded.
pub(super) fn said(param: &Param, decoded: &TokenStream) -> TokenStream {
    let (first, last) = ends(param.ty());
    let brackets = quote_spanned!(last=> ());
    quote_spanned!(first=> __rpc::type_token::<#decoded> #brackets)
}

// In:   subtrahend: i64
// Out:  &subtrahend
/// Borrows the argument of a call, standing where its type stands: the compiler underlines that if it
/// cannot be encoded.
pub(super) fn lent(param: &Param) -> TokenStream {
    let (first, last) = ends(param.ty());
    let mut value = param.ident.clone();
    value.set_span(value.span().located_at(last));
    let borrow = quote_spanned!(first=> &);
    quote!(#borrow #value)
}

/// What of the user's type the decoded value holds; `None` where it is only text.
pub(super) fn held<'a>(param: &Param<'a>) -> Option<&'a Type> {
    let ty = param.ty();
    let held = match outer_reference(ty).map(|reference| bare(&reference.elem)) {
        Some(Type::Slice(slice)) => &slice.elem,
        Some(elem) => elem,
        None => ty,
    };
    (!is_str(held) && !is_borrowed_cow(held)).then_some(held)
}
