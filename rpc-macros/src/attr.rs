//! What may stand in `#[rpc(…)]` on a trait, a method and a parameter.

use crate::errors::Errors;
use crate::names::Case;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token, token};

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Trait,
    Method,
    Param,
}

impl Place {
    const ALL: [Place; 3] = [Place::Trait, Place::Method, Place::Param];

    fn name(self) -> &'static str {
        match self {
            Place::Trait => "a trait",
            Place::Method => "a method",
            Place::Param => "a parameter",
        }
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            Place::Trait => &["namespace", "separator", "rename_all", "params", "crate"],
            Place::Method => &["name", "notification", "params", "fallible", "infallible"],
            Place::Param => &["rename", "flatten"],
        }
    }
}

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
#[derive(Default)]
pub(crate) struct MethodWords {
    pub(crate) name: Option<LitStr>,
    pub(crate) notification: Option<Span>,
    pub(crate) by_name: Option<bool>,
    pub(crate) fallible: Option<bool>,
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
                "crate" => {
                    words.krate =
                        word.string(errors).and_then(|path| errors.keep(path.parse_with(Path::parse_mod_style)));
                }
                _ => {}
            }
        }
        words
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
                "params" => words.by_name = word.by_name(errors),
                answer @ ("fallible" | "infallible") => {
                    if words.fallible.is_some() {
                        errors.at(span, "a method is `fallible` or `infallible`, not both");
                    }
                    words.fallible = word.flag(errors).then_some(answer == "fallible");
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
        words
    }
}

/// Whether an attribute is ours.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "rpc")
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

/// The words of one place, legal and each given once.
struct Words<'e> {
    place: Place,
    errors: &'e Errors,
    found: Vec<Word>,
}

impl<'e> Words<'e> {
    fn new(place: Place, errors: &'e Errors) -> Self {
        Words { place, errors, found: Vec::new() }
    }

    /// Adds the words of those attributes that are ours.
    fn collect(mut self, attributes: &[Attribute]) -> Vec<Word> {
        for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
            match &attribute.meta {
                Meta::List(list) => self.parse(list.tokens.clone()),
                Meta::Path(path) if self.place == Place::Trait => {
                    self.errors.at(path.span(), "`#[rpc]` stands on this trait already");
                }
                other => self.errors.at(other.span(), "write `#[rpc(…)]` with the words between the brackets"),
            }
        }
        self.found
    }

    fn parse(&mut self, tokens: TokenStream) {
        let words = Punctuated::<Word, Token![,]>::parse_terminated.parse2(tokens);
        for word in self.errors.keep(words).into_iter().flatten() {
            self.add(word);
        }
    }

    fn add(&mut self, word: Word) {
        let name = word.name.to_string();
        let legal = self.place.words();
        if !legal.contains(&name.as_str()) {
            self.errors.at(word.name.span(), self.explain(&name));
        } else if self.found.iter().any(|found| found.name == word.name) {
            self.errors.at(word.name.span(), format_args!("`{name}` is given twice"));
        } else {
            self.found.push(word);
        }
    }

    fn explain(&self, name: &str) -> String {
        let here = self.place.name();
        if let Some(other) = Place::ALL.into_iter().find(|other| other.words().contains(&name)) {
            return format!(
                "`{name}` is a word for {}, not for {here}; the words here are {}",
                other.name(),
                list(self.place)
            );
        }
        let nearest = self.place.words().iter().map(|word| (distance(word, name), word)).min();
        match nearest {
            Some((near, word)) if near <= 2 || word.starts_with(name) => {
                format!("unknown word `{name}` on {here}, did you mean `{word}`? the words are {}", list(self.place))
            }
            _ => format!("unknown word `{name}` on {here}; the words are {}", list(self.place)),
        }
    }
}

fn list(place: Place) -> String {
    let words: Vec<_> = place.words().iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
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
struct Word {
    name: Ident,
    value: Value,
}

enum Value {
    None,
    Equals(Expr),
    Brackets(Span),
}

impl Parse for Word {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error("expected a word, such as `name = \"…\"`"));
        }
        let name = input.call(Ident::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Equals(input.parse()?)
        } else if input.peek(token::Paren) {
            let content;
            let brackets = syn::parenthesized!(content in input);
            content.parse::<TokenStream>()?;
            Value::Brackets(brackets.span.join())
        } else {
            Value::None
        };
        Ok(Word { name, value })
    }
}

impl Word {
    fn string(&self, errors: &Errors) -> Option<LitStr> {
        let place = match &self.value {
            Value::Equals(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => return Some(text.clone()),
            Value::Equals(other) => other.span(),
            Value::Brackets(brackets) => *brackets,
            Value::None => self.name.span(),
        };
        errors.at(place, format_args!("`{name}` takes a string: `{name} = \"…\"`", name = self.name));
        None
    }

    fn flag(&self, errors: &Errors) -> bool {
        let place = match &self.value {
            Value::None => return true,
            Value::Equals(value) => value.span(),
            Value::Brackets(brackets) => *brackets,
        };
        errors.at(place, format_args!("`{name}` takes no value: write `{name}` alone", name = self.name));
        false
    }

    fn by_name(&self, errors: &Errors) -> Option<bool> {
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
