//! Properties of types that their tokens show.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    GenericArgument, Ident, Lifetime, Path, PathArguments, Token, Type, TypeFnPtr, TypeImplTrait, TypeParamBound,
    TypeReference, TypeTraitObject,
};

/// Removes parentheses and invisible delimiters around a type.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

/// Returns the generic arguments of the last path segment, if `is_named` accepts its name.
fn generic_arguments(ty: &Type, is_named: impl Fn(&Ident) -> bool) -> Option<impl Iterator<Item = &GenericArgument>> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last().filter(|segment| is_named(&segment.ident))?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter()),
        _ => None,
    }
}

/// Returns the type arguments of the last path segment, if `is_named` accepts its name.
pub(crate) fn type_arguments(ty: &Type, is_named: impl Fn(&Ident) -> bool) -> Option<Vec<&Type>> {
    let types = generic_arguments(ty, is_named)?.filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some(types.collect())
}

/// Returns `true` for a `Cow<'_, str>` that can borrow.
pub(crate) fn is_borrowed_cow(ty: &Type) -> bool {
    let is_cow = |name: &Ident| name == "Cow";
    let is_cow_str = matches!(type_arguments(ty, is_cow).as_deref(), Some([only]) if is_str(only));
    is_cow_str && first_static(ty).is_none()
}

pub(crate) fn is_str(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(path) if path.path.is_ident("str"))
}

/// Returns `true` for `serde_json::value::RawValue`.
pub(crate) fn is_raw(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "RawValue"))
}

pub(crate) fn is_unsized(ty: &Type) -> bool {
    is_str(ty) || matches!(bare(ty), Type::Slice(_))
}

pub(crate) fn is_unit(ty: &Type) -> bool {
    matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns `true` if a path in the type begins with one of these names.
pub(crate) fn mentions(ty: &Type, names: &[&Ident]) -> bool {
    first(ty, |part| part.begins_with(|name| names.contains(&name))).is_some()
}

/// Finds the first `Self`.
pub(crate) fn first_self(ty: &Type) -> Option<Span> {
    first(ty, |part| part.begins_with(|name| name == "Self"))
}

/// Finds the first `impl Trait` or `dyn Trait`.
pub(crate) fn first_opaque(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Impl(_) | Part::Dyn(_)))
}

/// Finds the first `impl Future`.
pub(crate) fn first_future(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Impl(opaque) if opaque.bounds.iter().any(|bound| is_trait(bound, "Future"))))
}

fn is_trait(bound: &TypeParamBound, name: &str) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|segment| segment.ident == name)
}

/// Finds `dyn Error` in the error type of a `Result`.
pub(crate) fn dyn_error(ty: &Type) -> Option<Span> {
    let arguments = type_arguments(ty, |name| name == "Result")?;
    first(
        arguments.get(1)?,
        |part| matches!(part, Part::Dyn(object) if object.bounds.iter().any(|bound| is_trait(bound, "Error"))),
    )
}

/// Returns `true` if the type may have a lifetime parameter that is not written.
pub(crate) fn may_hide_lifetime(ty: &Type) -> bool {
    first(ty, |part| matches!(part, Part::Path(path) if !hides_no_lifetime(path))).is_some()
}

/// Returns `true` for a path with written lifetimes and for well-known types without lifetimes.
fn hides_no_lifetime(path: &Path) -> bool {
    let known = [
        "bool", "char", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
        "f64", "str", "String", "Option", "Vec", "Box", "Self",
    ];
    let Some(last) = path.segments.last() else { return true };
    let has_lifetime = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Lifetime(_)))
        }
        _ => false,
    };
    has_lifetime || known.iter().any(|name| last.ident == name)
}

/// Returns `true` for well-known types that are no larger than a `String`.
pub(crate) fn is_small(ty: &Type) -> bool {
    const KNOWN: [&str; 19] = [
        "bool", "char", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
        "f64", "String", "Vec", "Box",
    ];
    match bare(ty) {
        Type::Reference(reference) => {
            is_unsized(&reference.elem) || is_raw(&reference.elem) || is_small(&reference.elem)
        }
        Type::Path(path) => {
            let name = path.path.segments.last().map(|last| last.ident.to_string());
            name.is_some_and(|name| KNOWN.contains(&name.as_str()))
                || is_borrowed_cow(ty)
                || type_arguments(ty, |name| name == "Option").is_some_and(|inner| inner.into_iter().all(is_small))
        }
        _ => false,
    }
}

/// Finds the first `&mut`.
pub(crate) fn first_mutable(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Mut(_)))
}

/// Finds the first reference, or the first lifetime other than `'static`.
pub(crate) fn first_borrow(ty: &Type) -> Option<Span> {
    first(ty, |part| match part {
        Part::Reference(_) => true,
        Part::Lifetime(lifetime) => lifetime.ident != "static",
        _ => false,
    })
}

/// Finds the first `'static`.
pub(crate) fn first_static(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Lifetime(lifetime) if lifetime.ident == "static"))
}

/// Returns the reference that is the whole type or the argument of an `Option`.
pub(crate) fn outer_reference(ty: &Type) -> Option<&TypeReference> {
    let arguments = type_arguments(ty, |name| name == "Option");
    let outer = match arguments.as_deref() {
        Some([only]) => bare(only),
        _ => bare(ty),
    };
    match outer {
        Type::Reference(reference) => Some(reference),
        _ => None,
    }
}

/// Finds the first reference inside the [outer one](outer_reference).
pub(crate) fn nested_reference(ty: &Type) -> Option<Span> {
    let inner = outer_reference(ty).map_or(ty, |reference| &reference.elem);
    first(inner, |part| matches!(part, Part::Reference(_)))
}

/// Returns the spans of the first and the last token. rustc underlines from one to the other.
pub(crate) fn ends(ty: &Type) -> (Span, Span) {
    let spans: Vec<_> = ty.to_token_stream().into_iter().map(|token| token.span()).collect();
    match spans[..] {
        [first, .., last] => (first, last),
        [only] => (only, only),
        [] => (Span::call_site(), Span::call_site()),
    }
}

/// A part of a type that a search can find.
enum Part<'t> {
    Path(&'t Path),
    Impl(&'t TypeImplTrait),
    Dyn(&'t TypeTraitObject),
    Reference(&'t TypeReference),
    Mut(&'t Token![mut]),
    Lifetime(&'t Lifetime),
}

impl Part<'_> {
    fn begins_with(&self, is_match: impl Fn(&Ident) -> bool) -> bool {
        matches!(self, Part::Path(path) if path.segments.first().is_some_and(|segment| is_match(&segment.ident)))
    }

    fn span(&self) -> Span {
        match self {
            Part::Path(path) => path.span(),
            Part::Impl(opaque) => opaque.impl_token.span,
            Part::Dyn(object) => object.dyn_token.map_or_else(|| object.span(), |token| token.span),
            Part::Reference(reference) => reference.and_token.span(),
            Part::Mut(token) => token.span,
            Part::Lifetime(lifetime) => lifetime.span(),
        }
    }
}

/// Returns the span of the first part that matches.
fn first(ty: &Type, is_match: impl Fn(&Part) -> bool) -> Option<Span> {
    let mut search = Search { is_match, found: None, fn_depth: 0 };
    search.visit_type(ty);
    search.found
}

struct Search<F> {
    is_match: F,
    found: Option<Span>,
    /// The number of `fn(…)` types around the current part.
    fn_depth: usize,
}

impl<F: Fn(&Part) -> bool> Search<F> {
    fn check(&mut self, part: &Part) {
        let is_skipped = self.fn_depth > 0 && !matches!(part, Part::Path(_));
        if self.found.is_none() && !is_skipped && (self.is_match)(part) {
            self.found = Some(part.span());
        }
    }
}

impl<'t, F: Fn(&Part) -> bool> Visit<'t> for Search<F> {
    fn visit_path(&mut self, path: &'t Path) {
        self.check(&Part::Path(path));
        visit::visit_path(self, path);
    }
    fn visit_type_impl_trait(&mut self, opaque: &'t TypeImplTrait) {
        self.check(&Part::Impl(opaque));
        visit::visit_type_impl_trait(self, opaque);
    }
    fn visit_type_trait_object(&mut self, object: &'t TypeTraitObject) {
        self.check(&Part::Dyn(object));
        visit::visit_type_trait_object(self, object);
    }
    fn visit_type_reference(&mut self, reference: &'t TypeReference) {
        self.check(&Part::Reference(reference));
        if let Some(token) = &reference.mutability {
            self.check(&Part::Mut(token));
        }
        visit::visit_type_reference(self, reference);
    }
    fn visit_lifetime(&mut self, lifetime: &'t Lifetime) {
        self.check(&Part::Lifetime(lifetime));
    }
    /// A function pointer holds no value of the types in its signature, so its references do not count.
    fn visit_type_fn_ptr(&mut self, function: &'t TypeFnPtr) {
        self.fn_depth += 1;
        visit::visit_type_fn_ptr(self, function);
        self.fn_depth -= 1;
    }
}
