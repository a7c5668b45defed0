//! The enum as we understand it.

use crate::attr::{ErrorOptions, VariantOptions};
use crate::errors::Errors;
use proc_macro2::Span;
use std::collections::HashMap;
use syn::{Fields, ItemEnum, LitStr, Path, Variant};

/// An enum whose variants are errors.
pub(crate) struct ErrorEnum<'a> {
    pub(crate) original: &'a ItemEnum,
    /// Where the runtime is.
    pub(crate) krate: Path,
    pub(crate) variants: Vec<ErrorVariant<'a>>,
}

/// A variant and how it crosses.
pub(crate) struct ErrorVariant<'a> {
    pub(crate) original: &'a Variant,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// An error of its own; without a message, the enum's `Display` says it.
    Own { code: i64, message: Option<LitStr> },
    /// What takes all other codes.
    Other,
}

/// The codes that JSON-RPC 2.0 keeps to itself (§5.1).
const RESERVED: std::ops::RangeInclusive<i64> = -32768..=-32000;

/// Those of them that it defines.
const PREDEFINED: [(i64, &str); 5] = [
    (-32700, "parse_error"),
    (-32600, "invalid_request"),
    (-32601, "method_not_found"),
    (-32602, "invalid_params"),
    (-32603, "internal_error"),
];

impl<'a> ErrorEnum<'a> {
    /// Understands what can be understood, and notes the rest.
    pub(crate) fn of(original: &'a ItemEnum, errors: &Errors) -> Self {
        let options = ErrorOptions::read(&original.attrs, errors);
        if let Some(lifetime) = original.generics.lifetimes().next() {
            errors.at(lifetime.lifetime.span(), "an error outlives the message that it came in, so it cannot borrow");
        }
        let mut seen = Seen::default();
        let variants = original.variants.iter().filter_map(|variant| ErrorVariant::of(variant, &mut seen, errors));
        let krate = options.krate.unwrap_or_else(|| syn::parse_quote!(::rpc_core));
        ErrorEnum { original, krate, variants: variants.collect() }
    }
}

/// What the variants so far have taken.
#[derive(Default)]
struct Seen {
    codes: HashMap<i64, String>,
    other: bool,
}

impl<'a> ErrorVariant<'a> {
    fn of(original: &'a Variant, seen: &mut Seen, errors: &Errors) -> Option<Self> {
        let options = VariantOptions::read(&original.attrs, errors);
        let kind = match (options.other, options.code) {
            (Some(other), None) => {
                check_other(original, other, seen, errors);
                Kind::Other
            }
            (Some(other), Some(_)) => {
                errors.at(other, "`other` takes the codes that no variant has, so it has no `code` of its own");
                return None;
            }
            (None, Some((code, span))) => {
                check_code(original, code, span, options.reserved.is_some(), seen, errors);
                Kind::Own { code, message: options.message }
            }
            (None, None) if options.has_code => return None,
            (None, None) => {
                errors.at(
                    original.ident.span(),
                    "each variant has a code, `#[rpc(code = 1)]`; one may take all others, `#[rpc(other)]`",
                );
                return None;
            }
        };
        Some(ErrorVariant { original, kind })
    }
}

fn check_other(variant: &Variant, place: Span, seen: &mut Seen, errors: &Errors) {
    let takes_one = matches!(&variant.fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1);
    if !takes_one {
        errors.at(place, "`other` stands on a variant of one field, which takes the object: `Other(ErrorObject)`");
    }
    if std::mem::replace(&mut seen.other, true) {
        errors.at(place, "`other` stands on another variant already");
    }
}

fn check_code(variant: &Variant, code: i64, place: Span, may_be_reserved: bool, seen: &mut Seen, errors: &Errors) {
    if let Some((_, function)) = PREDEFINED.iter().find(|(predefined, _)| *predefined == code) {
        errors.at(
            place,
            format_args!(
                "the code {code} has its meaning from JSON-RPC 2.0; for that, return `ErrorObject::{function}`"
            ),
        );
    } else if RESERVED.contains(&code) && !may_be_reserved {
        errors.at(
            place,
            format_args!(
                "JSON-RPC 2.0 reserves the codes from -32768 to -32000; if a protocol defines {code}, write \
                 `#[rpc(code = {code}, reserved)]`"
            ),
        );
    }
    if let Some(first) = seen.codes.insert(code, variant.ident.to_string()) {
        errors.at(place, format_args!("the code {code} is that of `{first}` already"));
    }
}
