//! What can be known of a type from its tokens alone.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    GenericArgument, Ident, Lifetime, Path, PathArguments, Token, Type, TypeFnPtr, TypeImplTrait, TypeParamBound,
    TypeReference, TypeTraitObject,
};

/// A type without the invisible and round brackets around it.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

/// The arguments of the last segment, if it has this name.
fn generic_arguments(ty: &Type, is_named: impl Fn(&Ident) -> bool) -> Option<impl Iterator<Item = &GenericArgument>> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last().filter(|segment| is_named(&segment.ident))?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter()),
        _ => None,
    }
}

/// The type arguments of the last segment, if it has this name.
pub(crate) fn arguments_of(ty: &Type, is_named: impl Fn(&Ident) -> bool) -> Option<Vec<&Type>> {
    let types = generic_arguments(ty, is_named)?.filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some(types.collect())
}

/// Whether it is a `Cow<'_, str>`, which may borrow.
pub(crate) fn is_borrowed_cow(ty: &Type) -> bool {
    let is_cow = |name: &Ident| name == "Cow";
    let is_text = matches!(arguments_of(ty, is_cow).as_deref(), Some([only]) if is_str(only));
    is_text && first_static(ty).is_none()
}

pub(crate) fn is_str(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(path) if path.path.is_ident("str"))
}

/// Whether it is the `RawValue` of `serde_json`.
pub(crate) fn is_raw(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "RawValue"))
}

pub(crate) fn is_unsized(ty: &Type) -> bool {
    is_str(ty) || matches!(bare(ty), Type::Slice(_))
}

pub(crate) fn is_unit(ty: &Type) -> bool {
    matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Whether a type speaks of one of these parameters of the trait.
pub(crate) fn mentions(ty: &Type, names: &[&Ident]) -> bool {
    first(ty, |part| part.begins_with(|name| names.contains(&name))).is_some()
}

/// The first `Self`.
pub(crate) fn first_self(ty: &Type) -> Option<Span> {
    first(ty, |part| part.begins_with(|name| name == "Self"))
}

/// The first `impl Trait` or `dyn Trait`.
pub(crate) fn first_opaque(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Impl(_) | Part::Dyn(_)))
}

/// The first `impl Future`.
pub(crate) fn first_future(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Impl(opaque) if opaque.bounds.iter().any(|bound| is_trait(bound, "Future"))))
}

fn is_trait(bound: &TypeParamBound, name: &str) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|segment| segment.ident == name))
}

/// The `dyn Error` in the error of a `Result`.
pub(crate) fn boxed_error(ty: &Type) -> Option<Span> {
    let within = arguments_of(ty, |name| name == "Result")?;
    first(
        within.get(1)?,
        |part| matches!(part, Part::Dyn(object) if object.bounds.iter().any(|bound| is_trait(bound, "Error"))),
    )
}

/// Whether a type may have a lifetime that is not written.
pub(crate) fn may_hide_a_lifetime(ty: &Type) -> bool {
    first(ty, |part| matches!(part, Part::Path(path) if !has_no_lifetime(path))).is_some()
}

/// Whether a path has its lifetimes written, or is of the types that have none.
fn has_no_lifetime(path: &Path) -> bool {
    let known = [
        "bool", "char", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
        "f64", "str", "String", "Option", "Vec", "Box", "Self",
    ];
    let Some(last) = path.segments.last() else { return true };
    let is_written = match &last.arguments {
        PathArguments::AngleBracketed(written) => {
            written.args.iter().any(|argument| matches!(argument, GenericArgument::Lifetime(_)))
        }
        _ => false,
    };
    is_written || known.iter().any(|name| last.ident == name)
}

/// Whether a type is known to take no more room than a string, by its usual name.
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
                || arguments_of(ty, |name| name == "Option").is_some_and(|inner| inner.into_iter().all(is_small))
        }
        _ => false,
    }
}

/// The first `&mut`.
pub(crate) fn first_mutable(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Mut(_)))
}

/// The first reference or lifetime other than `'static`.
pub(crate) fn first_borrow(ty: &Type) -> Option<Span> {
    first(ty, |part| match part {
        Part::Reference(_) => true,
        Part::Lifetime(lifetime) => lifetime.ident != "static",
        _ => false,
    })
}

/// The first `'static`.
pub(crate) fn first_static(ty: &Type) -> Option<Span> {
    first(ty, |part| matches!(part, Part::Lifetime(lifetime) if lifetime.ident == "static"))
}

/// The reference that is the whole type or the argument of an `Option`.
pub(crate) fn outer_reference(ty: &Type) -> Option<&TypeReference> {
    let within = arguments_of(ty, |name| name == "Option");
    let whole = match within.as_deref() {
        Some([only]) => bare(only),
        _ => bare(ty),
    };
    match whole {
        Type::Reference(reference) => Some(reference),
        _ => None,
    }
}

/// The first reference that is not the outer one.
pub(crate) fn nested_reference(ty: &Type) -> Option<Span> {
    let below = outer_reference(ty).map_or(ty, |reference| &reference.elem);
    first(below, |part| matches!(part, Part::Reference(_)))
}

/// Where the first and the last token stand: rustc underlines from one to the other.
pub(crate) fn ends(ty: &Type) -> (Span, Span) {
    let spans: Vec<_> = ty.to_token_stream().into_iter().map(|token| token.span()).collect();
    match spans[..] {
        [first, .., last] => (first, last),
        [only] => (only, only),
        [] => (Span::call_site(), Span::call_site()),
    }
}

/// What the questions above are asked about.
enum Part<'t> {
    Path(&'t Path),
    Impl(&'t TypeImplTrait),
    Dyn(&'t TypeTraitObject),
    Reference(&'t TypeReference),
    Mut(&'t Token![mut]),
    Lifetime(&'t Lifetime),
}

impl Part<'_> {
    fn begins_with(&self, is_wanted: impl Fn(&Ident) -> bool) -> bool {
        matches!(self, Part::Path(path) if path.segments.first().is_some_and(|segment| is_wanted(&segment.ident)))
    }

    /// The token that says what it is.
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

/// Where the first part that is wanted stands.
fn first(ty: &Type, is_wanted: impl Fn(&Part) -> bool) -> Option<Span> {
    let mut search = Search { is_wanted, found: None, functions: 0 };
    search.visit_type(ty);
    search.found
}

struct Search<F> {
    is_wanted: F,
    found: Option<Span>,
    /// How many function types are open.
    functions: usize,
}

impl<F: Fn(&Part) -> bool> Search<F> {
    fn ask(&mut self, part: &Part) {
        let is_hidden = self.functions > 0 && !matches!(part, Part::Path(_));
        if self.found.is_none() && !is_hidden && (self.is_wanted)(part) {
            self.found = Some(part.span());
        }
    }
}

impl<'t, F: Fn(&Part) -> bool> Visit<'t> for Search<F> {
    fn visit_path(&mut self, path: &'t Path) {
        self.ask(&Part::Path(path));
        visit::visit_path(self, path);
    }
    fn visit_type_impl_trait(&mut self, opaque: &'t TypeImplTrait) {
        self.ask(&Part::Impl(opaque));
        visit::visit_type_impl_trait(self, opaque);
    }
    fn visit_type_trait_object(&mut self, object: &'t TypeTraitObject) {
        self.ask(&Part::Dyn(object));
        visit::visit_type_trait_object(self, object);
    }
    fn visit_type_reference(&mut self, reference: &'t TypeReference) {
        self.ask(&Part::Reference(reference));
        if let Some(token) = &reference.mutability {
            self.ask(&Part::Mut(token));
        }
        visit::visit_type_reference(self, reference);
    }
    fn visit_lifetime(&mut self, lifetime: &'t Lifetime) {
        self.ask(&Part::Lifetime(lifetime));
    }
    /// A function holds nothing of what its type speaks of, so it may speak of references.
    fn visit_type_fn_ptr(&mut self, function: &'t TypeFnPtr) {
        self.functions += 1;
        visit::visit_type_fn_ptr(self, function);
        self.functions -= 1;
    }
}
