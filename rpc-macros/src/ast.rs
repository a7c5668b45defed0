//! The model of a trait. Each part keeps its original tokens for the spans of errors.

use crate::attributes::{self, DefaultOption, MethodOptions, ParamOptions, TraitOptions};
use crate::cfg;
use crate::errors::Errors;
use crate::fresh_names::FreshNames;
use crate::names;
use crate::signature;
use crate::types;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericParam, Ident, ItemTrait, LitStr, Pat, PatType, Path, ReturnType, Signature, TraitItem,
    TraitItemFn, Type,
};

/// A trait from which a client and a service are generated.
pub(crate) struct Service<'a> {
    pub(crate) original: &'a ItemTrait,
    /// The path of `rpc_core`, if `crate` sets it.
    krate: Option<Path>,
    pub(crate) names: FreshNames,
    pub(crate) methods: Vec<Method<'a>>,
    pub(crate) has_client: bool,
    pub(crate) has_server: bool,
    /// The span of `client_implements_trait`.
    pub(crate) client_trait: Option<Span>,
    pub(crate) allows_unknown_params: bool,
}

/// A method of the trait, or one [variant](crate::cfg_variants) of it.
#[derive(Clone)]
pub(crate) struct Method<'a> {
    pub(crate) original: &'a TraitItemFn,
    /// The `cfg`s of the method, repeated on all items generated for it.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) options: MethodOptions,
    pub(crate) wire: Wire,
    pub(crate) aliases: Vec<Wire>,
    /// The parameters on the wire.
    pub(crate) params: Vec<Param<'a>>,
    pub(crate) context: Option<ContextParam<'a>>,
    pub(crate) returns: Returns<'a>,
    /// `true` if the client sends params by name.
    pub(crate) by_name: bool,
}

/// A parameter on the wire.
#[derive(Clone)]
pub(crate) struct Param<'a> {
    pub(crate) original: &'a PatType,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) ident: &'a Ident,
    pub(crate) wire: Wire,
    /// The span of `flatten`.
    pub(crate) flatten: Option<Span>,
    pub(crate) default: Option<DefaultOption>,
}

/// The parameter with the option `context`, which is not on the wire.
#[derive(Clone)]
pub(crate) struct ContextParam<'a> {
    pub(crate) ty: &'a Type,
    /// The number of parameters on the wire before it.
    pub(crate) position: usize,
}

/// A name on the wire, and the span of the name or of its option.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// The return type of a method.
#[derive(Clone)]
pub(crate) enum Returns<'a> {
    Nothing,
    Value(&'a Type),
    /// A `Result` or an alias of it.
    Result(&'a Type),
}

impl<'a> Service<'a> {
    /// Builds the model of a trait without its invalid parts, and adds the errors.
    pub(crate) fn new(original: &'a ItemTrait, options: &TraitOptions, errors: &Errors) -> Self {
        if let Some(auto) = &original.modifiers.auto_token {
            errors.at(auto.span, "an `#[rpc]` trait cannot be `auto`");
        }
        if let Some(unsafety) = &original.unsafety {
            errors.at(unsafety.span, "an `#[rpc]` trait cannot be `unsafe`: remote peers call its methods");
        }
        for parameter in &original.generics.params {
            if let GenericParam::Lifetime(lifetime) = parameter {
                errors.at(
                    lifetime.span(),
                    "lifetime parameters are not supported on an `#[rpc]` trait: a service is `'static`",
                );
            }
        }
        let mut methods = Vec::new();
        for item in &original.items {
            match item {
                TraitItem::Fn(function) => methods.extend(Method::new(function, options, errors)),
                TraitItem::Const(constant) => {
                    attributes::refuse(&constant.attrs, "a constant", errors);
                    cfg::refuse_conditional_rpc(&constant.attrs, errors);
                }
                TraitItem::Type(associated) => {
                    errors.at(
                        associated.type_token.span,
                        "associated types are not supported in an `#[rpc]` trait; \
                         make it a type parameter of the trait",
                    );
                }
                TraitItem::Macro(invocation) => {
                    errors.at(
                        invocation.mac.path.span(),
                        "macro calls are not supported in an `#[rpc]` trait, which is expanded first; \
                         write the methods out",
                    );
                }
                other => errors.at(other.span(), "expected a method or a constant in an `#[rpc]` trait"),
            }
        }
        let defaults = methods.iter().flat_map(|method| &method.params).filter_map(|param| param.default.as_ref());
        let functions = defaults.filter_map(|default| default.function.as_ref()).map(ToTokens::to_token_stream);
        let paths = functions.chain(options.krate.as_ref().map(ToTokens::to_token_stream));
        Service {
            original,
            krate: options.krate.clone(),
            names: FreshNames::new(original, paths),
            methods,
            has_client: options.server.is_none(),
            has_server: options.client.is_none(),
            client_trait: options.client_implements_trait,
            allows_unknown_params: options.allow_unknown_params,
        }
    }

    /// Returns the path of `rpc_core::__private`. Without the option `crate` it has this span.
    pub(crate) fn private(&self, span: Span) -> TokenStream {
        match &self.krate {
            Some(krate) => quote!(#krate::__private),
            None => quote_spanned!(span=> ::rpc_core::__private),
        }
    }
}

impl<'a> Method<'a> {
    fn new(original: &'a TraitItemFn, service: &TraitOptions, errors: &Errors) -> Option<Self> {
        let signature = &original.sig;
        let options = MethodOptions::read(&original.attrs, errors);
        cfg::refuse_conditional_rpc(&original.attrs, errors);
        let is_method = signature::has_shared_receiver(signature, errors);
        signature::refuse(signature, errors);
        let (params, context) = parameters(signature, service, errors);
        let namespace = service.namespace.as_ref().map(LitStr::value);
        let separator = service.separator.as_ref().map_or_else(|| ".".to_owned(), LitStr::value);
        let own = match &options.name {
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
            errors.at(own.span, "the wire name of a method cannot be empty");
            return None;
        }
        let qualified = |name: &str| names::qualified(namespace.as_deref(), &separator, name);
        let aliases = options.aliases.iter().map(|alias| Wire { name: qualified(&alias.value()), span: alias.span() });
        let aliases = aliases.collect();
        let wire = Wire { name: qualified(&own.name), ..own };
        is_method.then_some(())?;
        Some(Method {
            original,
            cfgs: cfg::conditions(&original.attrs),
            wire,
            aliases,
            params,
            context,
            returns: Returns::new(&signature.output, options.fallible.map(|(fallible, _)| fallible)),
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

    /// Returns the parameter with the option `flatten`.
    pub(crate) fn flat(&self) -> Option<&Param<'a>> {
        self.params.iter().find(|param| param.flatten.is_some())
    }
}

/// Splits the parameters into those on the wire and the context.
fn parameters<'a>(
    signature: &'a Signature,
    service: &TraitOptions,
    errors: &Errors,
) -> (Vec<Param<'a>>, Option<ContextParam<'a>>) {
    let (mut params, mut context) = (Vec::new(), None);
    for input in &signature.inputs {
        let FnArg::Typed(original) = input else { continue };
        let options = ParamOptions::read(&original.attrs, errors);
        cfg::refuse_conditional_rpc(&original.attrs, errors);
        match options.context {
            None => params.extend(Param::new(original, options, service, errors)),
            Some(span) if context.is_some() => errors.at(span, "a method can have only one `context` parameter"),
            Some(span) if !cfg::conditions(&original.attrs).is_empty() => {
                errors.at(
                    span,
                    "`#[cfg]` is not supported on a `context` parameter; \
                     write the method twice, each time under its `#[cfg]`",
                );
            }
            Some(_) => context = Some(ContextParam { ty: &original.ty, position: params.len() }),
        }
    }
    (params, context)
}

impl<'a> Param<'a> {
    fn new(original: &'a PatType, options: ParamOptions, service: &TraitOptions, errors: &Errors) -> Option<Self> {
        signature::refuse_param(&original.ty, errors);
        let Pat::Ident(pattern) = &*original.pat else {
            errors.at(original.pat.span(), "expected a plain name: the name of a parameter is sent on the wire");
            return None;
        };
        if let Some(token) = &pattern.by_ref {
            errors.at(token.span, "`ref` is not supported on a parameter; write a plain name");
        }
        if let Some(token) = &pattern.mutability {
            errors.at(
                token.span,
                "`mut` is not supported on a parameter of an `#[rpc]` trait; write it in the implementation",
            );
        }
        if let Some((at, _)) = &pattern.subpat {
            errors.at(at.span, "expected a plain name: the name of a parameter is sent on the wire");
        }
        let wire = match &options.rename {
            Some(name) => Wire { name: name.value(), span: name.span() },
            None => {
                let name = pattern.ident.unraw().to_string();
                let name = service.rename_all_params.map_or_else(|| name.clone(), |case| case.apply(&name));
                Wire { name, span: pattern.ident.span() }
            }
        };
        let cfgs = cfg::conditions(&original.attrs);
        Some(Param { original, cfgs, ident: &pattern.ident, wire, flatten: options.flatten, default: options.default })
    }

    pub(crate) fn ty(&self) -> &'a Type {
        types::bare(&self.original.ty)
    }
}

impl<'a> Returns<'a> {
    /// Without `fallible` or `infallible`, a type counts as a `Result` if its name ends in `Result` and it
    /// has type arguments: `InitializeResult` does not count.
    fn new(output: &'a ReturnType, fallible: Option<bool>) -> Self {
        let ReturnType::Type(_, ty) = output else { return Returns::Nothing };
        let ty = types::bare(ty);
        let looks_fallible = types::type_arguments(ty, |name| name.to_string().ends_with("Result"))
            .is_some_and(|types| !types.is_empty());
        if fallible.unwrap_or(looks_fallible) { Returns::Result(ty) } else { Returns::Value(ty) }
    }
}
