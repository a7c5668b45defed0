//! What may stand in `#[rpc(…)]`: on a trait, a method and a parameter, on an error enum and a variant.

use crate::errors::Errors;
use crate::names::Case;
use crate::options::{Options, RpcOption, Target, is_ours};
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, ExprPath, LitStr, Path};

/// What stands on the trait.
#[derive(Default)]
pub(crate) struct TraitOptions {
    pub(crate) namespace: Option<LitStr>,
    pub(crate) separator: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) rename_all_params: Option<Case>,
    pub(crate) by_name: Option<bool>,
    pub(crate) allow_unknown_params: bool,
    /// Where `client` stands: only this half.
    pub(crate) client: Option<Span>,
    /// Where `server` stands: only this half.
    pub(crate) server: Option<Span>,
    /// Where it stands that the client implements the trait.
    pub(crate) client_implements_trait: Option<Span>,
    pub(crate) krate: Option<Path>,
}

/// What stands on a method.
#[derive(Clone, Default)]
pub(crate) struct MethodOptions {
    pub(crate) name: Option<LitStr>,
    /// Further names that the service answers to.
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) notification: Option<Span>,
    /// Where it stands that a call may be sent twice.
    pub(crate) idempotent: Option<Span>,
    pub(crate) exclusive: Option<Span>,
    /// How long a call may take, in milliseconds, and where it is said.
    pub(crate) timeout: Option<(u64, Span)>,
    pub(crate) blocking: Option<Span>,
    /// Whether the client sends names, and where it is said.
    pub(crate) by_name: Option<(bool, Span)>,
    /// Whether it returns a `Result`, and where it is said.
    pub(crate) fallible: Option<(bool, Span)>,
}

/// What stands on a parameter.
#[derive(Default)]
pub(crate) struct ParamOptions {
    pub(crate) rename: Option<LitStr>,
    pub(crate) default: Option<DefaultOption>,
    pub(crate) flatten: Option<Span>,
    pub(crate) context: Option<Span>,
}

/// What an absent parameter is.
#[derive(Clone)]
pub(crate) struct DefaultOption {
    /// Where the word stands.
    pub(crate) span: Span,
    /// The function that says it; its type's own default if there is none.
    pub(crate) function: Option<ExprPath>,
}

/// What stands on an error enum.
#[derive(Default)]
pub(crate) struct ErrorOptions {
    pub(crate) krate: Option<Path>,
}

/// What stands on a variant of one.
#[derive(Default)]
pub(crate) struct VariantOptions {
    pub(crate) code: Option<(i64, Span)>,
    /// Whether a code stands there, readable or not.
    pub(crate) has_code: bool,
    pub(crate) message: Option<LitStr>,
    pub(crate) other: Option<Span>,
    pub(crate) reserved: Option<Span>,
}

impl TraitOptions {
    /// Reads what is between the brackets of the attribute itself.
    pub(crate) fn read(arguments: TokenStream, others: &[Attribute], errors: &Errors) -> Self {
        let mut options = TraitOptions::default();
        let mut all = Options::new(Target::Trait, errors);
        all.parse(arguments);
        for option in all.collect(others) {
            match option.name.to_string().as_str() {
                "namespace" => options.namespace = option.string(errors),
                "separator" => options.separator = option.string(errors),
                "rename_all" => options.rename_all = option.string(errors).and_then(|name| case(&name, errors)),
                "rename_all_params" => {
                    options.rename_all_params = option.string(errors).and_then(|name| case(&name, errors));
                }
                "params" => options.by_name = option.by_name(errors),
                "allow_unknown_params" => options.allow_unknown_params = option.flag(errors),
                "client" => options.client = option.flag(errors).then(|| option.name.span()),
                "server" => options.server = option.flag(errors).then(|| option.name.span()),
                "client_implements_trait" => {
                    options.client_implements_trait = option.flag(errors).then(|| option.name.span());
                }
                "crate" => options.krate = option.string(errors).and_then(|path| krate(&path, errors)),
                _ => {}
            }
        }
        options.check(errors);
        options
    }

    fn check(&self, errors: &Errors) {
        if let (Some(first), Some(second)) = (self.client, self.server) {
            errors.at(first, "`client` leaves the server half out, and `server` the client half: leave out both words");
            errors
                .at(second, "`server` leaves the client half out, and `client` the server half: leave out both words");
        }
        if let (Some(option), Some(_)) = (self.client_implements_trait, self.server) {
            errors.at(option, "`client_implements_trait` speaks of the client, which `server` leaves out: leave out one of the two words");
        }
        match (&self.namespace, &self.separator) {
            (Some(namespace), _) if namespace.value().is_empty() => {
                errors.at(namespace.span(), "a namespace cannot be empty: leave `namespace` out");
            }
            (None, Some(separator)) => errors
                .at(separator.span(), "`separator` stands between a namespace and a name, and there is no `namespace`"),
            _ => {}
        }
    }
}

impl MethodOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = MethodOptions::default();
        for option in Options::new(Target::Method, errors).collect(attributes) {
            let span = option.name.span();
            match option.name.to_string().as_str() {
                "name" => options.name = option.string(errors),
                "alias" => options.aliases.extend(option.string(errors)),
                "notification" => options.notification = option.flag(errors).then_some(span),
                "idempotent" => options.idempotent = option.flag(errors).then_some(span),
                "exclusive" => options.exclusive = option.flag(errors).then_some(span),
                "timeout" => options.timeout = option.time(errors).map(|millis| (millis, span)),
                "blocking" => options.blocking = option.flag(errors).then_some(span),
                "params" => options.by_name = option.by_name(errors).map(|by_name| (by_name, span)),
                response @ ("fallible" | "infallible") => {
                    if options.fallible.is_some() {
                        errors.at(span, "a method is `fallible` or `infallible`, not both");
                    }
                    options.fallible = option.flag(errors).then_some((response == "fallible", span));
                }
                _ => {}
            }
        }
        options
    }
}

impl ParamOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = ParamOptions::default();
        for option in Options::new(Target::Param, errors).collect(attributes) {
            let span = option.name.span();
            match option.name.to_string().as_str() {
                "rename" => options.rename = option.string(errors),
                "flatten" => options.flatten = option.flag(errors).then_some(span),
                "context" => options.context = option.flag(errors).then_some(span),
                "default" => options.default = default(&option, errors),
                _ => {}
            }
        }
        options.check_context(errors);
        if let (Some(name), Some(_)) = (&options.rename, &options.flatten) {
            errors.at(
                name.span(),
                "`flatten` makes this value the whole of the params, so its name is not sent: leave `rename` out",
            );
        }
        options
    }
}

impl ParamOptions {
    /// A context is not on the wire, so nothing is to be said about how it crosses.
    fn check_context(&self, errors: &Errors) {
        if self.context.is_none() {
            return;
        }
        let others =
            [self.rename.as_ref().map(LitStr::span), self.default.as_ref().map(|default| default.span), self.flatten];
        for other in others.into_iter().flatten() {
            errors.at(other, "a `context` is not on the wire, so it has no name, no default and no shape there");
        }
    }
}

impl ErrorOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = ErrorOptions::default();
        for option in Options::new(Target::Error, errors).collect(attributes) {
            if option.name == "crate" {
                options.krate = option.string(errors).and_then(|path| krate(&path, errors));
            }
        }
        options
    }
}

impl VariantOptions {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut options = VariantOptions::default();
        for option in Options::new(Target::Variant, errors).collect(attributes) {
            let span = option.name.span();
            match option.name.to_string().as_str() {
                "code" => {
                    options.has_code = true;
                    options.code = option.integer(errors);
                }
                "message" => options.message = option.string(errors),
                "other" => options.other = option.flag(errors).then_some(span),
                "reserved" => options.reserved = option.flag(errors).then_some(span),
                _ => {}
            }
        }
        options
    }
}

fn default(option: &RpcOption, errors: &Errors) -> Option<DefaultOption> {
    let span = option.name.span();
    if option.stands_alone() {
        return Some(DefaultOption { span, function: None });
    }
    let path = option.string(errors)?;
    let function = path.parse();
    let function = function
        .map_err(|_| errors.at(path.span(), "`default` takes the path of a function: `default = \"ten\"`"))
        .ok()?;
    Some(DefaultOption { span, function: Some(function) })
}

/// An attribute of ours where none may stand.
pub(crate) fn refuse(attributes: &[Attribute], what: &str, errors: &Errors) {
    for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
        errors.at(
            attribute.path().span(),
            format_args!(
                "`#[rpc(…)]` says nothing about {what}: it stands on a trait, its methods and their parameters"
            ),
        );
    }
}

fn case(name: &LitStr, errors: &Errors) -> Option<Case> {
    Case::from_name(&name.value()).map_err(|message| errors.at(name.span(), message)).ok()
}

fn krate(path: &LitStr, errors: &Errors) -> Option<Path> {
    let parsed = path.parse_with(Path::parse_mod_style);
    parsed
        .map_err(|_| errors.at(path.span(), "`crate` takes the path of rpc_core: `crate = \"my_facade::rpc_core\"`"))
        .ok()
}
