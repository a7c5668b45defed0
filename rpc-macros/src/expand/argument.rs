//! How one parameter crosses: what it is decoded as, and how the method is given it.

use crate::ast::{Param, arguments_of, bare};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Ident, Lifetime, Path, Type, TypeReference};

/// A decoded argument.
pub(super) struct Argument {
    /// The type it is decoded as, borrowing from the message for `'de`.
    pub(super) decoded: TokenStream,
    /// What the method is given, made from the decoded value.
    pub(super) given: TokenStream,
}

// In:   path: &str      force: Option<bool>      tags: &[Tag]       text: Cow<'_, str>
// Out:  Text<'de>       Option<bool>             Vec<Tag>           Text<'de>
//       &value          value                    &value             value.0
/// `value` is the name of the decoded value.
pub(super) fn expand(param: &Param, value: &Ident, krate: &Path) -> Argument {
    let ty = param.ty();
    if let Type::Reference(reference) = ty {
        return Argument { decoded: referent(reference, krate), given: quote!(&#value) };
    }
    if let Some([only]) = arguments_of(ty, |name| name == "Option").as_deref()
        && let Type::Reference(reference) = bare(only)
    {
        let inner = referent(reference, krate);
        let borrow = if is_unsized(&reference.elem) { quote!(as_deref) } else { quote!(as_ref) };
        return Argument { decoded: quote!(::core::option::Option<#inner>), given: quote!(#value.#borrow()) };
    }
    if let Some([only]) = arguments_of(ty, |name| name == "Cow").as_deref()
        && is_str(only)
    {
        let span = ty.span();
        return Argument { decoded: quote_spanned!(span=> #krate::__private::Text<'de>), given: quote!(#value.0) };
    }
    let ty = owned(ty);
    Argument { decoded: quote!(#ty), given: quote!(#value) }
}

/// What a reference is decoded as.
fn referent(reference: &TypeReference, krate: &Path) -> TokenStream {
    let span = reference.span();
    match bare(&reference.elem) {
        elem if is_str(elem) => quote_spanned!(span=> #krate::__private::Text<'de>),
        Type::Slice(slice) => {
            let elem = owned(&slice.elem);
            quote_spanned!(span=> ::std::vec::Vec<#elem>)
        }
        elem => {
            let elem = owned(elem);
            quote!(#elem)
        }
    }
}

fn is_str(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(path) if path.path.is_ident("str"))
}

fn is_unsized(ty: &Type) -> bool {
    is_str(ty) || matches!(bare(ty), Type::Slice(_))
}

/// The type with `'de` for every elided lifetime.
fn owned(ty: &Type) -> Type {
    struct Elided;
    impl VisitMut for Elided {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident == "_" {
                *lifetime = Lifetime::new("'de", lifetime.span());
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
