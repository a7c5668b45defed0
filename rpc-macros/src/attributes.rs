//! The values of the options of `#[rpc(…)]` on a trait, a method, a parameter, an error enum and a variant.

use crate::errors::Errors;
use crate::names::Case;
use crate::option_names::{ErrorOption, MethodOption, ParamOption, TraitOption, VariantOption};
use crate::options::{Options, RpcOption, is_rpc};
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, ExprPath, LitStr, Meta, Path};

/// The options of a trait. A flag is the span of its option.
#[derive(Default)]
pub(crate) struct TraitOptions {
    pub(crate) namespace: Option<LitStr>,
    pub(crate) separator: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) rename_all_params: Option<Case>,
    pub(crate) by_name: Option<bool>,
    pub(crate) allow_unknown_params: bool,
    pub(crate) client: Option<Span>,
    pub(crate) server: Option<Span>,
    pub(crate) client_implements_trait: Option<Span>,
    pub(crate) krate: Option<Path>,
}

/// The options of a method. A flag is the span of its option; other values have it beside them.
#[derive(Clone, Default)]
pub(crate) struct MethodOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) notification: Option<Span>,
    pub(crate) idempotent: Option<Span>,
    pub(crate) exclusive: Option<Span>,
    /// In milliseconds.
    pub(crate) timeout: Option<(u64, Span)>,
    pub(crate) blocking: Option<Span>,
    pub(crate) by_name: Option<(bool, Span)>,
    pub(crate) fallible: Option<(bool, Span)>,
}

/// The options of a parameter. A flag is the span of its option.
#[derive(Default)]
pub(crate) struct ParamOptions {
    pub(crate) rename: Option<LitStr>,
    pub(crate) default: Option<DefaultOption>,
    pub(crate) flatten: Option<Span>,
    pub(crate) context: Option<Span>,
}

/// The default of an absent parameter.
#[derive(Clone)]
pub(crate) struct DefaultOption {
    /// The span of the option.
    pub(crate) span: Span,
    /// The function that returns the default; `Default::default` if it is `None`.
    pub(crate) function: Option<ExprPath>,
}

/// The options of an error enum.
#[derive(Default)]
pub(crate) struct ErrorOptions {
    pub(crate) krate: Option<Path>,
}

/// The options of a variant. A flag is the span of its option.
#[derive(Default)]
pub(crate) struct VariantOptions {
    pub(crate) code: Option<(i64, Span)>,
    /// `true` also for a code that is invalid.
    pub(crate) has_code: bool,
    pub(crate) message: Option<LitStr>,
    pub(crate) other: Option<Span>,
    pub(crate) reserved: Option<Span>,
}

impl TraitOptions {
    /// Reads the arguments of the attribute that is expanded, then the other attributes of the trait.
    pub(crate) fn read(arguments: TokenStream, others: &[Attribute], errors: &Errors) -> Self {
        let mut options = TraitOptions::default();
        let mut all = Options::new(errors);
        all.parse(arguments);
        let (bare, others): (Vec<_>, Vec<_>) =
            others.iter().partition(|other| is_rpc(other) && matches!(other.meta, Meta::Path(_)));
        for attribute in bare {
            errors.at(attribute.path().span(), "duplicate `#[rpc]` on a trait; remove it");
        }
        for option in all.collect(others) {
            match option.name {
                TraitOption::Namespace => options.namespace = option.string(errors),
                TraitOption::Separator => options.separator = option.string(errors),
                TraitOption::RenameAll => options.rename_all = case(&option, errors),
                TraitOption::RenameAllParams => options.rename_all_params = case(&option, errors),
                TraitOption::Params => options.by_name = option.by_name(errors),
                TraitOption::AllowUnknownParams => options.allow_unknown_params = option.flag(errors).is_some(),
                TraitOption::Client => options.client = option.flag(errors),
                TraitOption::Server => options.server = option.flag(errors),
                TraitOption::ClientImplementsTrait => options.client_implements_trait = option.flag(errors),
                TraitOption::Crate => options.krate = krate(&option, errors),
            }
        }
        options.check(errors);
        options
    }

    fn check(&self, errors: &Errors) {
        if let (Some(client), Some(server)) = (self.client, self.server) {
            for span in [client, server] {
                errors.at(span, "`client` and `server` cannot be combined; remove both to generate both halves");
            }
        }
        if let (Some(span), Some(_)) = (self.client_implements_trait, self.server) {
            errors.at(span, "`client_implements_trait` cannot be combined with `server`, which generates no client");
        }
        match (&self.namespace, &self.separator) {
            (Some(namespace), _) if namespace.value().is_empty() => {
                errors.at(namespace.span(), "`namespace` cannot be empty; remove it");
            }
            (None, Some(separator)) => {
                errors.at(separator.span(), "`separator` has no effect without `namespace`");
            }
            _ => {}
        }
    }
}

impl MethodOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = MethodOptions::default();
        for option in Options::new(errors).collect(attributes) {
            let span = option.span();
            match option.name {
                MethodOption::Name => options.name = option.string(errors),
                MethodOption::Alias => options.aliases.extend(option.string(errors)),
                MethodOption::Notification => options.notification = option.flag(errors),
                MethodOption::Idempotent => options.idempotent = option.flag(errors),
                MethodOption::Params => options.by_name = option.by_name(errors).map(|by_name| (by_name, span)),
                MethodOption::Exclusive => options.exclusive = option.flag(errors),
                MethodOption::Timeout => options.timeout = option.milliseconds(errors).map(|millis| (millis, span)),
                MethodOption::Blocking => options.blocking = option.flag(errors),
                MethodOption::Fallible => options.set_fallible(true, &option, errors),
                MethodOption::Infallible => options.set_fallible(false, &option, errors),
            }
        }
        options
    }

    fn set_fallible(&mut self, fallible: bool, option: &RpcOption<MethodOption>, errors: &Errors) {
        if self.fallible.is_some() {
            errors.at(option.span(), "`fallible` and `infallible` cannot be combined");
        }
        self.fallible = option.flag(errors).map(|span| (fallible, span));
    }
}

impl ParamOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = ParamOptions::default();
        for option in Options::new(errors).collect(attributes) {
            match option.name {
                ParamOption::Rename => options.rename = option.string(errors),
                ParamOption::Default => options.default = default(&option, errors),
                ParamOption::Flatten => options.flatten = option.flag(errors),
                ParamOption::Context => options.context = option.flag(errors),
            }
        }
        options.check_context(errors);
        if let (Some(name), Some(_)) = (&options.rename, &options.flatten) {
            errors.at(name.span(), "`rename` has no effect beside `flatten`: the name is not sent; remove `rename`");
        }
        options
    }

    fn check_context(&self, errors: &Errors) {
        if self.context.is_none() {
            return;
        }
        let others =
            [self.rename.as_ref().map(LitStr::span), self.default.as_ref().map(|default| default.span), self.flatten];
        for other in others.into_iter().flatten() {
            errors.at(other, "a `context` parameter takes no other option: it is not sent");
        }
    }
}

impl ErrorOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = ErrorOptions::default();
        for option in Options::new(errors).collect(attributes) {
            match option.name {
                ErrorOption::Crate => options.krate = krate(&option, errors),
            }
        }
        options
    }
}

impl VariantOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = VariantOptions::default();
        for option in Options::new(errors).collect(attributes) {
            match option.name {
                VariantOption::Code => {
                    options.has_code = true;
                    options.code = option.integer(errors);
                }
                VariantOption::Message => options.message = option.string(errors),
                VariantOption::Other => options.other = option.flag(errors),
                VariantOption::Reserved => options.reserved = option.flag(errors),
            }
        }
        options
    }
}

/// Refuses `#[rpc]` on an item that takes no options.
pub(crate) fn refuse(attributes: &[Attribute], item: &str, errors: &Errors) {
    for attribute in attributes.iter().filter(|attribute| is_rpc(attribute)) {
        errors.at(
            attribute.path().span(),
            format_args!("`#[rpc(…)]` is not supported on {item}; expected on a trait, a method or a parameter"),
        );
    }
}

fn default(option: &RpcOption<ParamOption>, errors: &Errors) -> Option<DefaultOption> {
    let span = option.span();
    if !option.has_value() {
        return Some(DefaultOption { span, function: None });
    }
    let path = option.string(errors)?;
    let function = path.parse();
    let function =
        function.map_err(|_| errors.at(path.span(), "expected a path to a function: `default = \"ten\"`")).ok()?;
    Some(DefaultOption { span, function: Some(function) })
}

fn case(option: &RpcOption<TraitOption>, errors: &Errors) -> Option<Case> {
    let name = option.string(errors)?;
    Case::from_name(&name.value()).map_err(|message| errors.at(name.span(), message)).ok()
}

fn krate<O>(option: &RpcOption<O>, errors: &Errors) -> Option<Path> {
    let path = option.string(errors)?;
    let parsed = path.parse_with(Path::parse_mod_style);
    parsed.map_err(|_| errors.at(path.span(), "expected a path to rpc_core: `crate = \"my_facade::rpc_core\"`")).ok()
}
