//! The syntax of `#[rpc(…)]`: options, separated by commas, each alone or with a value.
//!
//! An invalid option does not hide the errors of the options after it.

use crate::errors::Errors;
use crate::option_names::{self, OptionName};
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Meta, Token, UnOp, token};

/// Returns `true` for `#[rpc]` under any path, such as `#[rpc_core::rpc]`.
pub(crate) fn is_rpc(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "rpc")
}

/// The options of one item, each of a known name and not repeated.
pub(crate) struct Options<'e, O> {
    errors: &'e Errors,
    found: Vec<RpcOption<O>>,
}

impl<'e, O: OptionName> Options<'e, O> {
    pub(crate) fn new(errors: &'e Errors) -> Self {
        Options { errors, found: Vec::new() }
    }

    /// Adds the options of all `#[rpc(…)]` among the attributes.
    pub(crate) fn collect<'a>(mut self, attributes: impl IntoIterator<Item = &'a Attribute>) -> Vec<RpcOption<O>> {
        for attribute in attributes.into_iter().filter(|attribute| is_rpc(attribute)) {
            match &attribute.meta {
                Meta::List(list) => self.parse(list.tokens.clone()),
                other => self.errors.at(other.span(), "expected options in parentheses: `#[rpc(…)]`"),
            }
        }
        self.found
    }

    /// Adds the options between one pair of parentheses.
    pub(crate) fn parse(&mut self, tokens: TokenStream) {
        let all = |input: ParseStream| {
            while !input.is_empty() {
                match parse_option::<O>(input) {
                    Ok((name, value)) => self.add(name, value),
                    Err(error) => self.errors.add(&error),
                }
                skip_past_comma(input)?;
            }
            Ok(())
        };
        let parsed = all.parse2(tokens);
        self.errors.ok(parsed);
    }

    fn add(&mut self, ident: Ident, value: Value) {
        let text = ident.to_string();
        let Some(name) = O::from_name(&text) else {
            self.errors.at(ident.span(), option_names::explain_unknown::<O>(&text));
            return;
        };
        if !O::REPEATABLE.contains(&name) && self.found.iter().any(|found| found.name == name) {
            self.errors.at(ident.span(), format_args!("duplicate option `{text}`"));
        } else {
            self.found.push(RpcOption { name, ident, value });
        }
    }
}

fn parse_option<O: OptionName>(input: ParseStream) -> syn::Result<(Ident, Value)> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error(option_names::expected::<O>()));
    }
    Ok((input.call(Ident::parse_any)?, Value::parse(input)?))
}

fn skip_past_comma(input: ParseStream) -> syn::Result<()> {
    while !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// An option and its value.
pub(crate) struct RpcOption<O> {
    pub(crate) name: O,
    ident: Ident,
    value: Value,
}

enum Value {
    None,
    /// `name =`
    Missing,
    Equals(Expr),
    Parentheses(Span),
}

impl<O> RpcOption<O> {
    pub(crate) fn span(&self) -> Span {
        self.ident.span()
    }

    pub(crate) fn has_value(&self) -> bool {
        !matches!(self.value, Value::None)
    }

    pub(crate) fn string(&self, errors: &Errors) -> Option<LitStr> {
        let text = self.text();
        text.map_err(|span| errors.at(span, format_args!("expected a string: `{} = \"…\"`", self.ident))).ok()
    }

    /// Returns the string, or the span at which it is missing.
    fn text(&self) -> Result<LitStr, Span> {
        match &self.value {
            Value::Equals(value) => string_literal(value).cloned().ok_or_else(|| value.span()),
            Value::Parentheses(span) => Err(*span),
            Value::None | Value::Missing => Err(self.span()),
        }
    }

    /// Returns a duration in milliseconds.
    pub(crate) fn milliseconds(&self, errors: &Errors) -> Option<u64> {
        let duration = self.text().and_then(|text| milliseconds(&text.value()).ok_or_else(|| text.span()));
        duration
            .map_err(|span| {
                let example = format_args!("expected a nonzero time in `ms`, `s` or `m`: `{} = \"5s\"`", self.ident);
                errors.at(span, example);
            })
            .ok()
    }

    /// Returns an integer and its span.
    pub(crate) fn integer(&self, errors: &Errors) -> Option<(i64, Span)> {
        let span = match &self.value {
            Value::Equals(value) => match integer_literal(value) {
                Some(number) => return Some((number, value.span())),
                None => value.span(),
            },
            Value::Parentheses(span) => *span,
            Value::None | Value::Missing => self.span(),
        };
        errors.at(span, format_args!("expected an integer: `{} = 1`", self.ident));
        None
    }

    /// Returns the span of an option that takes no value.
    pub(crate) fn flag(&self, errors: &Errors) -> Option<Span> {
        let span = match &self.value {
            Value::None => return Some(self.span()),
            Value::Missing => self.span(),
            Value::Equals(value) => value.span(),
            Value::Parentheses(span) => *span,
        };
        errors.at(span, format_args!("`{name}` takes no value; write `{name}`", name = self.ident));
        None
    }

    /// Returns `true` for `"by_name"` and `false` for `"by_position"`.
    pub(crate) fn by_name(&self, errors: &Errors) -> Option<bool> {
        let text = self.string(errors)?;
        match text.value().as_str() {
            "by_name" => Some(true),
            "by_position" => Some(false),
            other => {
                let message = format_args!("unknown value `{other}`; expected `by_name` or `by_position`");
                errors.at(text.span(), message);
                None
            }
        }
    }
}

impl Value {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let at_end = |input: ParseStream| input.is_empty() || input.peek(Token![,]);
        if at_end(input) {
            return Ok(Value::None);
        }
        if input.peek(token::Paren) {
            let content;
            let parentheses = syn::parenthesized!(content in input);
            content.parse::<TokenStream>()?;
            return Ok(Value::Parentheses(parentheses.span.join()));
        }
        if input.parse::<Option<Token![=]>>()?.is_none() {
            return Err(input.error("expected `=` or `,`"));
        }
        if at_end(input) {
            return Ok(Value::Missing);
        }
        let value = input.parse()?;
        if at_end(input) { Ok(Value::Equals(value)) } else { Err(input.error("expected `,`")) }
    }
}

/// Parses `500ms`, `5s` or `2m` into milliseconds; `None` if the time is zero.
fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|millis| *millis > 0)
}

/// Returns the string, also from the invisible delimiters of a `macro_rules!` fragment.
fn string_literal(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        Expr::Group(group) => string_literal(&group.expr),
        Expr::Paren(paren) => string_literal(&paren.expr),
        _ => None,
    }
}

fn integer_literal(value: &Expr) -> Option<i64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => integer_literal(expr).map(i64::wrapping_neg),
        Expr::Group(group) => integer_literal(&group.expr),
        Expr::Paren(paren) => integer_literal(&paren.expr),
        _ => None,
    }
}
