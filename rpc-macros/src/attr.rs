//! What may stand in `#[rpc(…)]` on a trait, a method and a parameter.

use crate::errors::Errors;
use crate::names::Case;
use crate::words::{Place, Words, is_ours};
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Path};

/// What stands on the trait.
#[derive(Default)]
pub(crate) struct TraitWords {
    pub(crate) namespace: Option<LitStr>,
    pub(crate) separator: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) by_name: Option<bool>,
    pub(crate) krate: Option<Path>,
}

/// What stands on a method.
#[derive(Clone, Default)]
pub(crate) struct MethodWords {
    pub(crate) name: Option<LitStr>,
    pub(crate) notification: Option<Span>,
    /// Whether the client sends names, and where it is said.
    pub(crate) by_name: Option<(bool, Span)>,
    /// Whether it returns a `Result`, and where it is said.
    pub(crate) fallible: Option<(bool, Span)>,
}

/// What stands on a parameter.
#[derive(Default)]
pub(crate) struct ParamWords {
    pub(crate) rename: Option<LitStr>,
    pub(crate) flatten: Option<Span>,
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
                "params" => words.by_name = word.by_name(errors),
                "crate" => words.krate = word.string(errors).and_then(|path| krate(&path, errors)),
                _ => {}
            }
        }
        words.check(errors);
        words
    }

    fn check(&self, errors: &Errors) {
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
                "notification" => words.notification = word.flag(errors).then_some(span),
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
                _ => {}
            }
        }
        if let (Some(name), Some(_)) = (&words.rename, &words.flatten) {
            errors.at(
                name.span(),
                "`flatten` makes this value the whole of the params, so its name is not sent: leave `rename` out",
            );
        }
        words
    }
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
