//! The trait as we understand it; each part keeps its original tokens for errors that come later.

use crate::attr::{self, DefaultOption, MethodOptions, ParamOptions, TraitOptions};
use crate::cfg;
use crate::errors::Errors;
use crate::names;
use crate::signature;
use crate::types;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericParam, Ident, ItemTrait, LitStr, Pat, PatType, Path, ReturnType, Signature, TraitItem,
    TraitItemFn, Type,
};

/// A trait that becomes a client and a service.
pub(crate) struct Service<'a> {
    pub(crate) original: &'a ItemTrait,
    /// Where the runtime is, if it is said.
    krate: Option<Path>,
    pub(crate) methods: Vec<Method<'a>>,
    /// Which halves are generated.
    pub(crate) has_client: bool,
    pub(crate) has_server: bool,
    /// Where it stands that the client implements the trait.
    pub(crate) client_trait: Option<Span>,
    /// Whether names that a method does not know are passed over.
    pub(crate) is_open: bool,
}

/// A method that is called by name.
#[derive(Clone)]
pub(crate) struct Method<'a> {
    pub(crate) original: &'a TraitItemFn,
    /// The `cfg`s under which it is there, which go on everything that is made of it.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) options: MethodOptions,
    pub(crate) wire: Wire,
    /// Further names on the wire.
    pub(crate) aliases: Vec<Wire>,
    /// The parameters that cross the wire.
    pub(crate) params: Vec<Param<'a>>,
    /// The one that does not.
    pub(crate) context: Option<ContextParam<'a>>,
    pub(crate) returns: Returns<'a>,
    /// What the client sends.
    pub(crate) by_name: bool,
}

/// A parameter that crosses the wire.
#[derive(Clone)]
pub(crate) struct Param<'a> {
    pub(crate) original: &'a PatType,
    /// The `cfg`s under which it is there.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) ident: &'a Ident,
    pub(crate) wire: Wire,
    /// Where `flatten` stands: the value is the whole of the params.
    pub(crate) flatten: Option<Span>,
    /// What it is when it is absent.
    pub(crate) default: Option<DefaultOption>,
}

/// The parameter that gets a `&Context`.
#[derive(Clone)]
pub(crate) struct ContextParam<'a> {
    pub(crate) ty: &'a Type,
    /// How many parameters of the wire stand before it.
    pub(crate) position: usize,
}

/// A name on the wire, and where the user wrote it.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// What a method returns.
#[derive(Clone)]
pub(crate) enum Returns<'a> {
    Nothing,
    Value(&'a Type),
    /// A `Result`, under whatever name.
    Result(&'a Type),
}

impl<'a> Service<'a> {
    /// Understands what can be understood, and notes the rest.
    pub(crate) fn of(original: &'a ItemTrait, options: &TraitOptions, errors: &Errors) -> Self {
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
                TraitItem::Fn(function) => methods.extend(Method::of(function, options, errors)),
                TraitItem::Const(constant) => {
                    attr::refuse(&constant.attrs, "a constant", errors);
                    cfg::refuse_ours(&constant.attrs, errors);
                }
                TraitItem::Type(associated) => {
                    errors.at(associated.type_token.span, "an associated type cannot be: the client knows no implementation; make it a type parameter of the trait");
                }
                TraitItem::Macro(invocation) => {
                    errors.at(invocation.mac.path.span(), "a macro cannot stand here: `#[rpc]` sees the trait before the macro is expanded; write the methods out");
                }
                other => errors.at(other.span(), "only methods and constants can stand in an `#[rpc]` trait"),
            }
        }
        Service {
            original,
            krate: options.krate.clone(),
            methods,
            has_client: options.server.is_none(),
            has_server: options.client.is_none(),
            client_trait: options.client_implements_trait,
            is_open: options.allow_unknown_params,
        }
    }

    /// What generated code may use of the runtime; said at this place, unless the user said where.
    pub(crate) fn private(&self, place: Span) -> TokenStream {
        match &self.krate {
            Some(krate) => quote!(#krate::__private),
            None => quote_spanned!(place=> ::rpc_core::__private),
        }
    }
}

impl<'a> Method<'a> {
    fn of(original: &'a TraitItemFn, service: &TraitOptions, errors: &Errors) -> Option<Self> {
        let written = &original.sig;
        let options = MethodOptions::read(&original.attrs, errors);
        cfg::refuse_ours(&original.attrs, errors);
        let is_method = signature::receives_self(written, errors);
        signature::refuse(written, errors);
        let (params, context) = parameters(written, service, errors);
        let namespace = service.namespace.as_ref().map(LitStr::value);
        let separator = service.separator.as_ref().map_or_else(|| ".".to_owned(), LitStr::value);
        let own = match &options.name {
            Some(name) => Wire { name: name.value(), span: name.span() },
            None => {
                let name = written.ident.unraw().to_string();
                Wire {
                    name: service.rename_all.map_or_else(|| name.clone(), |case| case.apply(&name)),
                    span: written.ident.span(),
                }
            }
        };
        if own.name.is_empty() {
            errors.at(own.span, "a method's name cannot be empty");
            return None;
        }
        let qualified = |name: &str| names::qualified(namespace.as_deref(), &separator, name);
        let aliases = options.aliases.iter().map(|alias| Wire { name: qualified(&alias.value()), span: alias.span() });
        let aliases = aliases.collect();
        let wire = Wire { name: qualified(&own.name), ..own };
        is_method.then_some(())?;
        Some(Method {
            original,
            cfgs: cfg::of(&original.attrs),
            wire,
            aliases,
            params,
            context,
            returns: Returns::of(&written.output, options.fallible.map(|(fallible, _)| fallible)),
            by_name: options.by_name.map(|(by_name, _)| by_name).or(service.by_name).unwrap_or(true),
            options,
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
}

/// What crosses the wire, and what does not.
fn parameters<'a>(
    written: &'a Signature,
    service: &TraitOptions,
    errors: &Errors,
) -> (Vec<Param<'a>>, Option<ContextParam<'a>>) {
    let (mut params, mut context) = (Vec::new(), None);
    for input in &written.inputs {
        let FnArg::Typed(original) = input else { continue };
        let options = ParamOptions::read(&original.attrs, errors);
        cfg::refuse_ours(&original.attrs, errors);
        match options.context {
            None => params.extend(Param::of(original, options, service, errors)),
            Some(span) if context.is_some() => errors.at(span, "a method has one context"),
            Some(span) if !cfg::of(&original.attrs).is_empty() => {
                errors.at(span, "a context has no `#[cfg]`: write the method twice, each time under its `#[cfg]`");
            }
            Some(_) => context = Some(ContextParam { ty: &original.ty, position: params.len() }),
        }
    }
    (params, context)
}

impl<'a> Param<'a> {
    fn of(original: &'a PatType, options: ParamOptions, service: &TraitOptions, errors: &Errors) -> Option<Self> {
        signature::refuse_param(&original.ty, errors);
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
        let wire = match &options.rename {
            Some(name) => Wire { name: name.value(), span: name.span() },
            None => {
                let name = pattern.ident.unraw().to_string();
                let name = service.rename_all_params.map_or_else(|| name.clone(), |case| case.apply(&name));
                Wire { name, span: pattern.ident.span() }
            }
        };
        let cfgs = cfg::of(&original.attrs);
        Some(Param { original, cfgs, ident: &pattern.ident, wire, flatten: options.flatten, default: options.default })
    }

    pub(crate) fn ty(&self) -> &'a Type {
        types::bare(&self.original.ty)
    }
}

impl<'a> Returns<'a> {
    /// A type counts as a `Result` when its name ends so and it has type arguments, unless the method
    /// says otherwise: `InitializeResult` is none.
    fn of(output: &'a ReturnType, fallible: Option<bool>) -> Self {
        let ReturnType::Type(_, ty) = output else { return Returns::Nothing };
        let ty = types::bare(ty);
        let looks_fallible =
            types::arguments_of(ty, |name| name.to_string().ends_with("Result")).is_some_and(|types| !types.is_empty());
        if fallible.unwrap_or(looks_fallible) { Returns::Result(ty) } else { Returns::Value(ty) }
    }
}
