//! How words stand between the brackets of `#[rpc(…)]`: which are legal where, and what follows one.
//!
//! A mistake in one word does not hide those in the words after it.

use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Meta, Token, UnOp, token};

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Trait,
    Method,
    Param,
    Error,
    Variant,
}

impl Target {
    const ALL: [Target; 5] = [Target::Trait, Target::Method, Target::Param, Target::Error, Target::Variant];

    fn name(self) -> &'static str {
        match self {
            Target::Trait => "a trait",
            Target::Method => "a method",
            Target::Param => "a parameter",
            Target::Error => "an error enum",
            Target::Variant => "a variant",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Target::Trait => &[
                "namespace",
                "separator",
                "rename_all",
                "rename_all_params",
                "params",
                "allow_unknown_params",
                "client",
                "server",
                "client_implements_trait",
                "crate",
            ],
            Target::Method => &[
                "name",
                "alias",
                "notification",
                "idempotent",
                "params",
                "exclusive",
                "timeout",
                "blocking",
                "fallible",
                "infallible",
            ],
            Target::Param => &["rename", "default", "flatten", "context"],
            Target::Error => &["crate"],
            Target::Variant => &["code", "message", "other", "reserved"],
        }
    }
}

/// Whether an attribute is ours.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "rpc")
}

/// The words of one place, legal and each given once.
pub(crate) struct Options<'e> {
    place: Target,
    errors: &'e Errors,
    found: Vec<RpcOption>,
}

impl<'e> Options<'e> {
    pub(crate) fn new(place: Target, errors: &'e Errors) -> Self {
        Options { place, errors, found: Vec::new() }
    }

    /// Adds the words of those attributes that are ours.
    pub(crate) fn collect(mut self, attributes: &[Attribute]) -> Vec<RpcOption> {
        for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
            match &attribute.meta {
                Meta::List(list) => self.parse(list.tokens.clone()),
                Meta::Path(path) if self.place == Target::Trait => {
                    self.errors.at(path.span(), "`#[rpc]` stands on this trait already");
                }
                other => self.errors.at(other.span(), "write `#[rpc(…)]` with the words between the brackets"),
            }
        }
        self.found
    }

    /// Adds the words between one pair of brackets.
    pub(crate) fn parse(&mut self, tokens: TokenStream) {
        let all = |input: ParseStream| {
            while !input.is_empty() {
                match RpcOption::parse(input) {
                    Ok(option) => self.add(option),
                    Err(error) => self.errors.add(&error),
                }
                skip_to_next(input)?;
            }
            Ok(())
        };
        let read = all.parse2(tokens);
        self.errors.keep(read);
    }

    fn add(&mut self, option: RpcOption) {
        let name = option.name.to_string();
        let legal = self.place.options();
        if !legal.contains(&name.as_str()) {
            self.errors.at(option.name.span(), self.explain(&name));
        } else if name != "alias" && self.found.iter().any(|found| found.name == option.name) {
            self.errors.at(option.name.span(), format_args!("`{name}` is given twice"));
        } else {
            self.found.push(option);
        }
    }

    fn explain(&self, name: &str) -> String {
        let here = self.place.name();
        if let Some(other) = Target::ALL.into_iter().find(|other| other.options().contains(&name)) {
            return format!(
                "`{name}` is a word for {}, not for {here}; the words here are {}",
                other.name(),
                list(self.place)
            );
        }
        match nearest(self.place, name) {
            Some(option) => {
                format!("unknown word `{name}` on {here}, did you mean `{option}`? the words are {}", list(self.place))
            }
            None => format!("unknown word `{name}` on {here}; the words are {}", list(self.place)),
        }
    }
}

/// Past the comma that ends this word, whatever stood before it.
fn skip_to_next(input: ParseStream) -> syn::Result<()> {
    while !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

fn list(place: Target) -> String {
    let options: Vec<_> = place.options().iter().map(|option| format!("`{option}`")).collect();
    options.join(", ")
}

/// The word that begins so, else the one with the fewest other letters.
fn nearest(place: Target, name: &str) -> Option<&'static str> {
    let begun = place.options().iter().find(|option| option.starts_with(name));
    let near = || {
        place.options().iter().filter(|option| distance(option, name) <= 2).min_by_key(|option| distance(option, name))
    };
    begun.or_else(near).copied()
}

/// How many letters differ (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[row.len() - 1]
}

/// One word with what is said about it.
pub(crate) struct RpcOption {
    pub(crate) name: Ident,
    value: Value,
}

enum Value {
    None,
    /// Nothing stands after the `=`.
    Missing,
    Equals(Expr),
    Brackets(Span),
}

impl RpcOption {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error("expected a word, such as `name = \"…\"`"));
        }
        let name = input.call(Ident::parse_any)?;
        let value = Value::parse(input)?;
        Ok(RpcOption { name, value })
    }

    pub(crate) fn string(&self, errors: &Errors) -> Option<LitStr> {
        let text = self.text();
        text.map_err(|place| {
            errors.at(place, format_args!("`{name}` takes a string: `{name} = \"…\"`", name = self.name));
        })
        .ok()
    }

    /// The string behind the word, or where it should stand.
    fn text(&self) -> Result<LitStr, Span> {
        match &self.value {
            Value::Equals(value) => literal(value).cloned().ok_or_else(|| value.span()),
            Value::Brackets(brackets) => Err(*brackets),
            Value::None | Value::Missing => Err(self.name.span()),
        }
    }

    /// A time, in milliseconds.
    pub(crate) fn time(&self, errors: &Errors) -> Option<u64> {
        let millis = self.text().and_then(|text| millis(&text.value()).ok_or_else(|| text.span()));
        millis
            .map_err(|place| {
                errors.at(
                    place,
                    format_args!(
                        "`{name}` takes a time that is not zero: `{name} = \"5s\"`; the units are `ms`, `s` and `m`",
                        name = self.name
                    ),
                );
            })
            .ok()
    }

    /// Whether nothing stands behind the word.
    pub(crate) fn stands_alone(&self) -> bool {
        matches!(self.value, Value::None)
    }

    /// A whole number, which may be negative.
    pub(crate) fn integer(&self, errors: &Errors) -> Option<(i64, Span)> {
        let place = match &self.value {
            Value::Equals(value) => match integer(value) {
                Some(number) => return Some((number, value.span())),
                None => value.span(),
            },
            Value::Brackets(brackets) => *brackets,
            Value::None | Value::Missing => self.name.span(),
        };
        errors.at(place, format_args!("`{name}` takes a whole number: `{name} = 1`", name = self.name));
        None
    }

    pub(crate) fn flag(&self, errors: &Errors) -> bool {
        let place = match &self.value {
            Value::None => return true,
            Value::Missing => self.name.span(),
            Value::Equals(value) => value.span(),
            Value::Brackets(brackets) => *brackets,
        };
        errors.at(place, format_args!("`{name}` takes no value: write `{name}` alone", name = self.name));
        false
    }

    pub(crate) fn by_name(&self, errors: &Errors) -> Option<bool> {
        let text = self.string(errors)?;
        match text.value().as_str() {
            "by_name" => Some(true),
            "by_position" => Some(false),
            other => {
                errors.at(
                    text.span(),
                    format_args!("unknown way `{other}` to send parameters; it is `by_name` or `by_position`"),
                );
                None
            }
        }
    }
}

impl Value {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let ends = |input: ParseStream| input.is_empty() || input.peek(Token![,]);
        if ends(input) {
            return Ok(Value::None);
        }
        if input.peek(token::Paren) {
            let content;
            let brackets = syn::parenthesized!(content in input);
            content.parse::<TokenStream>()?;
            return Ok(Value::Brackets(brackets.span.join()));
        }
        if input.parse::<Option<Token![=]>>()?.is_none() {
            return Err(input.error("after a word comes `= \"…\"` or a comma"));
        }
        if ends(input) {
            return Ok(Value::Missing);
        }
        let value = input.parse()?;
        if ends(input) { Ok(Value::Equals(value)) } else { Err(input.error("expected `,`")) }
    }
}

/// A whole number of milliseconds, seconds or minutes in milliseconds; zero is none.
fn millis(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|millis| *millis > 0)
}

/// The string, also where a macro passed it on between invisible brackets.
fn literal(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        Expr::Group(group) => literal(&group.expr),
        Expr::Paren(paren) => literal(&paren.expr),
        _ => None,
    }
}

fn integer(value: &Expr) -> Option<i64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => integer(expr).map(i64::wrapping_neg),
        Expr::Group(group) => integer(&group.expr),
        Expr::Paren(paren) => integer(&paren.expr),
        _ => None,
    }
}
