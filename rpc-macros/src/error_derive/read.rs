//! The model of an error enum.

use crate::attributes::{ErrorOptions, VariantOptions};
use crate::errors::Errors;
use proc_macro2::Span;
use std::collections::HashMap;
use syn::{Fields, ItemEnum, LitStr, Path, Variant};

/// An enum whose variants are errors.
pub(crate) struct ErrorEnum<'a> {
    pub(crate) original: &'a ItemEnum,
    /// The path of `rpc_core`.
    pub(crate) krate: Path,
    pub(crate) variants: Vec<ErrorVariant<'a>>,
}

pub(crate) struct ErrorVariant<'a> {
    pub(crate) original: &'a Variant,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// An error with a code. Without a message, the message is the enum's `Display`.
    Own { code: i64, message: Option<LitStr> },
    /// The variant for all other codes.
    Other,
}

// SPEC §5.1: these codes are reserved, and some of them are defined.
const RESERVED: std::ops::RangeInclusive<i64> = -32768..=-32000;

/// The defined codes and the function of `ErrorObject` for each.
const PREDEFINED: [(i64, &str); 5] = [
    (-32700, "parse_error"),
    (-32600, "invalid_request"),
    (-32601, "method_not_found"),
    (-32602, "invalid_params"),
    (-32603, "internal_error"),
];

impl<'a> ErrorEnum<'a> {
    /// Builds the model of an enum without its invalid variants, and adds the errors.
    pub(crate) fn new(original: &'a ItemEnum, errors: &Errors) -> Self {
        let options = ErrorOptions::read(&original.attrs, errors);
        if let Some(lifetime) = original.generics.lifetimes().next() {
            errors.at(
                lifetime.lifetime.span(),
                "lifetime parameters are not supported on an error, which outlives its message; own the data",
            );
        }
        let mut seen = Seen::default();
        let variants = original.variants.iter().filter_map(|variant| ErrorVariant::new(variant, &mut seen, errors));
        let krate = options.krate.unwrap_or_else(|| syn::parse_quote!(::rpc_core));
        ErrorEnum { original, krate, variants: variants.collect() }
    }
}

/// The codes of the variants so far.
#[derive(Default)]
struct Seen {
    codes: HashMap<i64, String>,
    has_other: bool,
}

impl<'a> ErrorVariant<'a> {
    fn new(original: &'a Variant, seen: &mut Seen, errors: &Errors) -> Option<Self> {
        let options = VariantOptions::read(&original.attrs, errors);
        let kind = match (options.other, options.code) {
            (Some(other), None) => {
                check_other(original, other, seen, errors);
                Kind::Other
            }
            (Some(other), Some(_)) => {
                errors.at(other, "`other` cannot be combined with `code`: it is for all other codes");
                return None;
            }
            (None, Some((code, span))) => {
                check_code(original, code, span, options.reserved.is_some(), seen, errors);
                Kind::Own { code, message: options.message }
            }
            (None, None) if options.has_code => return None,
            (None, None) => {
                errors.at(original.ident.span(), "missing `#[rpc(code = 1)]`, or `#[rpc(other)]` for all other codes");
                return None;
            }
        };
        Some(ErrorVariant { original, kind })
    }
}

fn check_other(variant: &Variant, span: Span, seen: &mut Seen, errors: &Errors) {
    let has_one_field = matches!(&variant.fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1);
    if !has_one_field {
        errors.at(span, "`other` requires a variant with one unnamed field: `Other(ErrorObject)`");
    }
    if std::mem::replace(&mut seen.has_other, true) {
        errors.at(span, "`other` is already used by another variant");
    }
}

fn check_code(variant: &Variant, code: i64, span: Span, may_be_reserved: bool, seen: &mut Seen, errors: &Errors) {
    if let Some((_, function)) = PREDEFINED.iter().find(|(predefined, _)| *predefined == code) {
        errors.at(
            span,
            format_args!("the code {code} is defined by JSON-RPC 2.0; return `ErrorObject::{function}` for it"),
        );
    } else if RESERVED.contains(&code) && !may_be_reserved {
        errors.at(
            span,
            format_args!(
                "the code {code} is reserved by JSON-RPC 2.0, as all from -32768 to -32000; \
                 if a protocol defines it, write `#[rpc(code = {code}, reserved)]`"
            ),
        );
    }
    if let Some(first) = seen.codes.insert(code, variant.ident.to_string()) {
        errors.at(span, format_args!("the code {code} is already used by `{first}`"));
    }
}
