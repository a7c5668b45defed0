//! The trait as we understand it; each part keeps its original tokens for errors that come later.

use crate::attr::{self, MethodWords, ParamWords, TraitWords};
use crate::errors::Errors;
use crate::names;
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Ident, ItemTrait, Lifetime, LitStr, Pat, PatType, Path,
    PathArguments, ReceiverKind, ReturnType, Safety, Signature, TraitItem, TraitItemFn, Type, TypeReference,
};

/// A trait that becomes a client and a service.
pub(crate) struct Service<'a> {
    pub(crate) original: &'a ItemTrait,
    /// Where the runtime is.
    pub(crate) krate: Path,
    pub(crate) methods: Vec<Method<'a>>,
}

/// A method that is called by name.
pub(crate) struct Method<'a> {
    pub(crate) original: &'a TraitItemFn,
    pub(crate) wire: Wire,
    pub(crate) params: Vec<Param<'a>>,
    pub(crate) returns: Returns<'a>,
    /// Where `notification` stands.
    pub(crate) notification: Option<Span>,
    /// What the client sends.
    pub(crate) by_name: bool,
}

/// A parameter that crosses the wire.
pub(crate) struct Param<'a> {
    pub(crate) original: &'a PatType,
    pub(crate) ident: &'a Ident,
    pub(crate) wire: Wire,
    /// Where `flatten` stands: the value is the whole of the params.
    pub(crate) flatten: Option<Span>,
}

/// A name on the wire, and where the user wrote it.
pub(crate) struct Wire {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// What a method returns.
pub(crate) enum Returns<'a> {
    Nothing,
    Value(&'a Type),
    /// A `Result`, under whatever name.
    Result(&'a Type),
}

impl<'a> Service<'a> {
    /// Understands what can be understood, and notes the rest.
    pub(crate) fn of(original: &'a ItemTrait, words: &TraitWords, errors: &Errors) -> Self {
        if let Some(auto) = &original.modifiers.auto_token {
            errors.at(auto.span, "an `auto` trait has no methods to call");
        }
        if let Some(unsafety) = &original.unsafety {
            errors.at(unsafety.span, "a service is called from outside, so the trait cannot be `unsafe`");
        }
        for parameter in &original.generics.params {
            if let GenericParam::Lifetime(lifetime) = parameter {
                errors.at(
                    lifetime.span(),
                    "a service outlives every call, so the trait cannot have a lifetime parameter",
                );
            }
        }
        let mut methods = Vec::new();
        for item in &original.items {
            match item {
                TraitItem::Fn(function) => methods.extend(Method::of(function, words, errors)),
                TraitItem::Const(constant) => attr::refuse(&constant.attrs, "a constant", errors),
                TraitItem::Type(associated) => {
                    errors.at(associated.type_token.span, "an associated type cannot be: the client knows no implementation; make it a type parameter of the trait");
                }
                TraitItem::Macro(invocation) => {
                    errors.at(invocation.mac.path.span(), "a macro cannot stand here: `#[rpc]` sees the trait before the macro is expanded; write the methods out");
                }
                other => errors.at(other.span(), "only methods and constants can stand in an `#[rpc]` trait"),
            }
        }
        let krate = words.krate.clone().unwrap_or_else(|| syn::parse_quote!(::rpc_core));
        Service { original, krate, methods }
    }
}

impl<'a> Method<'a> {
    fn of(original: &'a TraitItemFn, service: &TraitWords, errors: &Errors) -> Option<Self> {
        let signature = &original.sig;
        let words = MethodWords::read(&original.attrs, errors);
        let is_method = receives_self(signature, errors);
        refuse_qualifiers(signature, errors);
        let params = signature.inputs.iter().filter_map(|input| Param::of(input, errors)).collect();
        let namespace = service.namespace.as_ref().map(LitStr::value);
        let separator = service.separator.as_ref().map_or_else(|| ".".to_owned(), LitStr::value);
        let own = match &words.name {
            Some(name) => Wire { name: name.value(), span: name.span() },
            None => {
                let name = signature.ident.unraw().to_string();
                Wire {
                    name: service.rename_all.map_or_else(|| name.clone(), |case| case.apply(&name)),
                    span: signature.ident.span(),
                }
            }
        };
        if own.name.is_empty() {
            errors.at(own.span, "a method's name cannot be empty");
            return None;
        }
        let wire = Wire { name: names::qualified(namespace.as_deref(), &separator, &own.name), ..own };
        is_method.then_some(())?;
        Some(Method {
            original,
            wire,
            params,
            returns: Returns::of(&signature.output, words.fallible),
            notification: words.notification,
            by_name: words.by_name.or(service.by_name).unwrap_or(true),
        })
    }

    pub(crate) fn ident(&self) -> &'a Ident {
        &self.original.sig.ident
    }

    pub(crate) fn is_async(&self) -> bool {
        self.original.sig.asyncness.is_some()
    }

    /// The parameter that is the whole of the params, if there is one.
    pub(crate) fn flat(&self) -> Option<&Param<'a>> {
        self.params.iter().find(|param| param.flatten.is_some())
    }

    /// The `#[cfg]`s, which go on everything that is made of the method.
    pub(crate) fn cfgs(&self) -> impl Iterator<Item = &'a Attribute> {
        self.original.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"))
    }
}

/// Whether the method takes `&self`; what else it takes is refused.
fn receives_self(signature: &Signature, errors: &Errors) -> bool {
    let Some(receiver) = signature.receiver() else {
        errors.at(
            signature.ident.span(),
            format_args!("a method is called on a value: write `fn {}(&self, …)`", signature.ident),
        );
        return false;
    };
    let message = "calls run side by side on one value: write `&self`, and keep what changes in a `Mutex` or an atomic";
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) if receiver.mutability.is_none() => return true,
        ReceiverKind::Reference(_, _, Some(mutability)) => errors.at(mutability.span, message),
        _ => errors.at(receiver.self_token.span, message),
    }
    false
}

fn refuse_qualifiers(signature: &Signature, errors: &Errors) {
    if let Some(constness) = &signature.constness {
        errors.at(constness.span, "a method in a trait cannot be `const`");
    }
    match &signature.safety {
        Safety::Unsafe(token) => errors.at(token.span, "a method is called from outside, so it cannot be `unsafe`"),
        Safety::Safe(token) => errors.at(token.span, "`safe` says nothing about a method of a trait"),
        Safety::Default => {}
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi.extern_token.span, "a method is called by its name on the wire, so it cannot be `extern`");
    }
    if let Some(parameter) = signature.generics.params.first() {
        errors.at(parameter.span(), "a method cannot be generic: what comes over the wire has one type; make the trait generic, or leave lifetimes out");
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic.dots.span(), "a method cannot be variadic: write a list with `#[rpc(flatten)]`");
    }
    if let ReturnType::Type(_, returned) = &signature.output {
        if let Some(lifetime) = first_borrow(returned) {
            errors.at(lifetime, "a result crosses the wire, so it cannot borrow: return an owned value");
        }
        if let Some(opaque) = first_opaque(returned) {
            errors.at(opaque, "a result crosses the wire, so its type must be named");
        }
    }
}

impl<'a> Param<'a> {
    fn of(input: &'a FnArg, errors: &Errors) -> Option<Self> {
        let FnArg::Typed(original) = input else { return None };
        let words = ParamWords::read(&original.attrs, errors);
        refuse_type(&original.ty, errors);
        let Pat::Ident(pattern) = &*original.pat else {
            errors.at(original.pat.span(), "a parameter must be a plain name: its name is sent on the wire");
            return None;
        };
        if let Some(token) = &pattern.by_ref {
            errors.at(token.span, "a parameter must be a plain name, without `ref`");
        }
        if let Some(token) = &pattern.mutability {
            errors.at(token.span, "a parameter must be a plain name; write `mut` where you implement the trait");
        }
        if let Some((at, _)) = &pattern.subpat {
            errors.at(at.span, "a parameter must be a plain name: its name is sent on the wire");
        }
        let wire = match &words.rename {
            Some(name) => Wire { name: name.value(), span: name.span() },
            None => Wire { name: pattern.ident.unraw().to_string(), span: pattern.ident.span() },
        };
        Some(Param { original, ident: &pattern.ident, wire, flatten: words.flatten })
    }

    pub(crate) fn ty(&self) -> &'a Type {
        bare(&self.original.ty)
    }
}

/// What no parameter can be.
fn refuse_type(ty: &Type, errors: &Errors) {
    if let Some(opaque) = first_opaque(ty) {
        errors.at(
            opaque,
            "a parameter's type must be one that serde can read: name it, or make it a type parameter of the trait",
        );
    } else if let Some(mutability) = first_mutable(ty) {
        errors.at(
            mutability,
            "a parameter comes over the wire: nobody would see what is written to it; write `&T` or `T`",
        );
    } else if let Some(reference) = nested_reference(ty) {
        errors.at(reference, "a reference can be the whole type of a parameter, or stand in an `Option`; deeper inside, own the value or write `Cow<'_, str>`");
    }
}

/// A type without the invisible and round brackets around it.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

/// The type arguments of the last segment, if it has this name.
pub(crate) fn arguments_of(ty: &Type, is_named: impl Fn(&Ident) -> bool) -> Option<Vec<&Type>> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last().filter(|segment| is_named(&segment.ident))?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some(types.collect())
}

impl<'a> Returns<'a> {
    /// A type counts as a `Result` when its name ends so and it has type arguments, unless the method
    /// says otherwise: `InitializeResult` is none.
    fn of(output: &'a ReturnType, fallible: Option<bool>) -> Self {
        let ReturnType::Type(_, ty) = output else { return Returns::Nothing };
        let ty = bare(ty);
        let looks_fallible =
            arguments_of(ty, |name| name.to_string().ends_with("Result")).is_some_and(|types| !types.is_empty());
        if fallible.unwrap_or(looks_fallible) { Returns::Result(ty) } else { Returns::Value(ty) }
    }
}

/// The first `impl Trait` or `dyn Trait` in a type.
fn first_opaque(ty: &Type) -> Option<Span> {
    struct Opaque(Option<Span>);
    impl<'t> Visit<'t> for Opaque {
        fn visit_type_impl_trait(&mut self, ty: &'t syn::TypeImplTrait) {
            self.0.get_or_insert(ty.impl_token.span);
        }
        fn visit_type_trait_object(&mut self, ty: &'t syn::TypeTraitObject) {
            self.0.get_or_insert(ty.dyn_token.map_or_else(|| ty.span(), |token| token.span));
        }
    }
    let mut found = Opaque(None);
    found.visit_type(ty);
    found.0
}

/// The first `&mut` in a type.
fn first_mutable(ty: &Type) -> Option<Span> {
    struct Mutable(Option<Span>);
    impl<'t> Visit<'t> for Mutable {
        fn visit_type_reference(&mut self, reference: &'t TypeReference) {
            if let Some(mutability) = &reference.mutability {
                self.0.get_or_insert(mutability.span);
            }
            visit::visit_type_reference(self, reference);
        }
    }
    let mut found = Mutable(None);
    found.visit_type(ty);
    found.0
}

/// The first reference that is neither the whole type nor the argument of an `Option`.
fn nested_reference(ty: &Type) -> Option<Span> {
    let whole = match bare(ty) {
        Type::Reference(reference) => &reference.elem,
        other => match arguments_of(other, |name| name == "Option").as_deref() {
            Some([only]) => match bare(only) {
                Type::Reference(reference) => &reference.elem,
                inner => inner,
            },
            _ => other,
        },
    };
    first_reference(whole)
}

fn first_reference(ty: &Type) -> Option<Span> {
    struct Reference(Option<Span>);
    impl<'t> Visit<'t> for Reference {
        fn visit_type_reference(&mut self, reference: &'t TypeReference) {
            self.0.get_or_insert(reference.and_token.span());
        }
        fn visit_type_fn_ptr(&mut self, _: &'t syn::TypeFnPtr) {}
    }
    let mut found = Reference(None);
    found.visit_type(ty);
    found.0
}

/// The first reference or lifetime other than `'static`.
fn first_borrow(ty: &Type) -> Option<Span> {
    struct Borrow(Option<Span>);
    impl<'t> Visit<'t> for Borrow {
        fn visit_type_reference(&mut self, reference: &'t TypeReference) {
            self.0.get_or_insert(reference.and_token.span());
        }
        fn visit_lifetime(&mut self, lifetime: &'t Lifetime) {
            if lifetime.ident != "static" {
                self.0.get_or_insert(lifetime.span());
            }
        }
    }
    let mut found = Borrow(None);
    found.visit_type(ty);
    found.0
}
