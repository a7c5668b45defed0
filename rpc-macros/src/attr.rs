//! What may stand in `#[rpc(…)]`: on a trait, a method and a parameter, on an error enum and a variant.

use crate::errors::Errors;
use crate::names::Case;
use crate::words::{Place, Word, Words, is_ours};
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, ExprPath, LitStr, Path};

/// What stands on the trait.
#[derive(Default)]
pub(crate) struct TraitWords {
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
pub(crate) struct MethodWords {
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
pub(crate) struct ParamWords {
    pub(crate) rename: Option<LitStr>,
    pub(crate) default: Option<DefaultWord>,
    pub(crate) flatten: Option<Span>,
    pub(crate) context: Option<Span>,
}

/// What an absent parameter is.
#[derive(Clone)]
pub(crate) struct DefaultWord {
    /// Where the word stands.
    pub(crate) span: Span,
    /// The function that says it; its type's own default if there is none.
    pub(crate) function: Option<ExprPath>,
}

/// What stands on an error enum.
#[derive(Default)]
pub(crate) struct ErrorWords {
    pub(crate) krate: Option<Path>,
}

/// What stands on a variant of one.
#[derive(Default)]
pub(crate) struct VariantWords {
    pub(crate) code: Option<(i64, Span)>,
    /// Whether a code stands there, readable or not.
    pub(crate) has_code: bool,
    pub(crate) message: Option<LitStr>,
    pub(crate) other: Option<Span>,
    pub(crate) reserved: Option<Span>,
}

impl TraitWords {
    /// Reads what is between the brackets of the attribute itself.
    pub(crate) fn read(arguments: TokenStream, others: &[Attribute], errors: &Errors) -> Self {
        let mut words = TraitWords::default();
        let mut all = Words::new(Place::Trait, errors);
        all.parse(arguments);
        for word in all.collect(others) {
            match word.name.to_string().as_str() {
                "namespace" => words.namespace = word.string(errors),
                "separator" => words.separator = word.string(errors),
                "rename_all" => words.rename_all = word.string(errors).and_then(|name| case(&name, errors)),
                "rename_all_params" => {
                    words.rename_all_params = word.string(errors).and_then(|name| case(&name, errors));
                }
                "params" => words.by_name = word.by_name(errors),
                "allow_unknown_params" => words.allow_unknown_params = word.flag(errors),
                "client" => words.client = word.flag(errors).then(|| word.name.span()),
                "server" => words.server = word.flag(errors).then(|| word.name.span()),
                "client_implements_trait" => {
                    words.client_implements_trait = word.flag(errors).then(|| word.name.span());
                }
                "crate" => words.krate = word.string(errors).and_then(|path| krate(&path, errors)),
                _ => {}
            }
        }
        words.check(errors);
        words
    }

    fn check(&self, errors: &Errors) {
        if let (Some(first), Some(second)) = (self.client, self.server) {
            errors.at(first, "`client` leaves the server half out, and `server` the client half: leave out both words");
            errors
                .at(second, "`server` leaves the client half out, and `client` the server half: leave out both words");
        }
        if let (Some(word), Some(_)) = (self.client_implements_trait, self.server) {
            errors.at(word, "`client_implements_trait` speaks of the client, which `server` leaves out: leave out one of the two words");
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

impl MethodWords {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut words = MethodWords::default();
        for word in Words::new(Place::Method, errors).collect(attributes) {
            let span = word.name.span();
            match word.name.to_string().as_str() {
                "name" => words.name = word.string(errors),
                "alias" => words.aliases.extend(word.string(errors)),
                "notification" => words.notification = word.flag(errors).then_some(span),
                "idempotent" => words.idempotent = word.flag(errors).then_some(span),
                "exclusive" => words.exclusive = word.flag(errors).then_some(span),
                "timeout" => words.timeout = word.time(errors).map(|millis| (millis, span)),
                "blocking" => words.blocking = word.flag(errors).then_some(span),
                "params" => words.by_name = word.by_name(errors).map(|by_name| (by_name, span)),
                answer @ ("fallible" | "infallible") => {
                    if words.fallible.is_some() {
                        errors.at(span, "a method is `fallible` or `infallible`, not both");
                    }
                    words.fallible = word.flag(errors).then_some((answer == "fallible", span));
                }
                _ => {}
            }
        }
        words
    }
}

impl ParamWords {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut words = ParamWords::default();
        for word in Words::new(Place::Param, errors).collect(attributes) {
            let span = word.name.span();
            match word.name.to_string().as_str() {
                "rename" => words.rename = word.string(errors),
                "flatten" => words.flatten = word.flag(errors).then_some(span),
                "context" => words.context = word.flag(errors).then_some(span),
                "default" => words.default = default(&word, errors),
                _ => {}
            }
        }
        words.check_context(errors);
        if let (Some(name), Some(_)) = (&words.rename, &words.flatten) {
            errors.at(
                name.span(),
                "`flatten` makes this value the whole of the params, so its name is not sent: leave `rename` out",
            );
        }
        words
    }
}

impl ParamWords {
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

impl ErrorWords {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut words = ErrorWords::default();
        for word in Words::new(Place::Error, errors).collect(attributes) {
            if word.name == "crate" {
                words.krate = word.string(errors).and_then(|path| krate(&path, errors));
            }
        }
        words
    }
}

impl VariantWords {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut words = VariantWords::default();
        for word in Words::new(Place::Variant, errors).collect(attributes) {
            let span = word.name.span();
            match word.name.to_string().as_str() {
                "code" => {
                    words.has_code = true;
                    words.code = word.integer(errors);
                }
                "message" => words.message = word.string(errors),
                "other" => words.other = word.flag(errors).then_some(span),
                "reserved" => words.reserved = word.flag(errors).then_some(span),
                _ => {}
            }
        }
        words
    }
}

fn default(word: &Word, errors: &Errors) -> Option<DefaultWord> {
    let span = word.name.span();
    if word.stands_alone() {
        return Some(DefaultWord { span, function: None });
    }
    let path = word.string(errors)?;
    let function = path.parse();
    let function = function
        .map_err(|_| errors.at(path.span(), "`default` takes the path of a function: `default = \"ten\"`"))
        .ok()?;
    Some(DefaultWord { span, function: Some(function) })
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
