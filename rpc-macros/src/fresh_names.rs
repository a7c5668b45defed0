//! Names for generated items and generic parameters that appear in the documentation of the user's crate.
//!
//! A name is fresh if it occurs nowhere in the signatures of the trait, so it neither shadows nor captures a
//! name of the user. Method bodies do not count: they stay in the trait.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ItemTrait, Lifetime, TraitItem, TraitItemFn};

/// The fresh names of one trait. They differ from each other.
pub(crate) struct FreshNames {
    /// The type parameter for the caller of the client: `C`.
    pub(crate) caller: Ident,
    /// The type parameter for the members of a batch: `M`.
    pub(crate) members: Ident,
    /// The type parameter for an address to connect to: `A`.
    pub(crate) address: Ident,
    /// The type parameter for the served implementation: `S`.
    pub(crate) served: Ident,
    /// The enum of the methods: `CalcMethod`.
    pub(crate) method_enum: Ident,
    /// The enum of the methods with decoded arguments: `CalcCall`.
    pub(crate) call_enum: Ident,
    /// The lifetime of a message that is decoded: `'de`.
    pub(crate) message: Lifetime,
}

impl FreshNames {
    /// Chooses names that occur neither in the signatures of `original` nor in `paths`, the paths that the
    /// user wrote in strings.
    pub(crate) fn new(original: &ItemTrait, paths: impl IntoIterator<Item = TokenStream>) -> Self {
        let mut taken = Taken::default();
        taken.add(signatures(original));
        for path in paths {
            taken.add(path);
        }
        let name = original.ident.unraw();
        let lifetime = taken.choose(&["de", "message"]);
        FreshNames {
            caller: taken.ident(&["C", "Caller"]),
            members: taken.ident(&["M", "Members"]),
            address: taken.ident(&["A", "Address"]),
            served: taken.ident(&["S", "Served"]),
            method_enum: taken.ident(&[&format!("{name}Method")]),
            call_enum: taken.ident(&[&format!("{name}Call")]),
            message: Lifetime::new(&format!("'{lifetime}"), Span::call_site()),
        }
    }
}

/// Returns the trait without attributes, bodies and constants.
fn signatures(original: &ItemTrait) -> TokenStream {
    struct Signatures;
    impl VisitMut for Signatures {
        fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
            attributes.clear();
        }
        fn visit_trait_item_fn_mut(&mut self, function: &mut TraitItemFn) {
            function.default = None;
            visit_mut::visit_trait_item_fn_mut(self, function);
        }
    }
    let mut item = original.clone();
    item.items.retain(|item| !matches!(item, TraitItem::Const(_)));
    Signatures.visit_item_trait_mut(&mut item);
    item.into_token_stream()
}

/// The names that are not fresh.
#[derive(Default)]
struct Taken {
    names: HashSet<String>,
    /// `true` after a macro call, whose expansion can contain any name.
    has_macro: bool,
}

impl Taken {
    fn add(&mut self, tokens: TokenStream) {
        let mut is_after_ident = false;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    self.names.insert(name.strip_prefix("r#").map_or(name.clone(), str::to_owned));
                }
                TokenTree::Punct(punct) => self.has_macro |= is_after_ident && punct.as_char() == '!',
                TokenTree::Group(group) => self.add(group.stream()),
                TokenTree::Literal(_) => {}
            }
            is_after_ident = matches!(token, TokenTree::Ident(_));
        }
    }

    fn ident(&mut self, candidates: &[&str]) -> Ident {
        Ident::new(&self.choose(candidates), Span::call_site())
    }

    /// Takes the first candidate that is free, otherwise the last one with a number. After a macro call the
    /// name has a prefix.
    fn choose(&mut self, candidates: &[&str]) -> String {
        let last = candidates.last().expect("at least one candidate");
        let (simple, last) =
            if self.has_macro { (&[][..], format!("__{last}")) } else { (candidates, (*last).to_owned()) };
        let numbered = std::iter::once(last.clone()).chain((2..).map(|number| format!("{last}{number}")));
        let mut names = simple.iter().map(|name| (*name).to_owned()).chain(numbered);
        names.find(|name| self.names.insert(name.clone())).expect("the numbers are endless")
    }
}

#[cfg(test)]
mod tests {
    use super::FreshNames;
    use quote::ToTokens;
    use syn::parse_quote;

    fn names(item: &syn::ItemTrait, paths: &[&str]) -> [String; 7] {
        let paths = paths.iter().map(|path| path.parse().expect("tokens"));
        let names = FreshNames::new(item, paths);
        let idents = [names.caller, names.members, names.address, names.served, names.method_enum, names.call_enum];
        let [caller, members, address, served, method_enum, call_enum] = idents.map(|ident| ident.to_string());
        [caller, members, address, served, method_enum, call_enum, names.message.into_token_stream().to_string()]
    }

    #[test]
    fn names_are_short_where_they_are_free() {
        let item = parse_quote! {
            /// Not in a signature: `C`.
            trait Calc {
                const C: u8 = max!();
                #[doc = include_str!("S.md")]
                fn add(&self, a: i64) -> i64 { S::new(assert!(M)) }
            }
        };
        assert_eq!(names(&item, &[]), ["C", "M", "A", "S", "CalcMethod", "CalcCall", "'de"]);
    }

    #[test]
    fn a_name_that_the_user_wrote_is_not_fresh() {
        let item = parse_quote! {
            trait Calc<C, M: for<'de> Deserialize<'de>>: Into<r#A> where Address2: Copy {
                fn add(&self, a: Option<Address>, b: [CalcCall; S]) -> CalcMethod;
            }
        };
        let chosen = names(&item, &["Caller::new", "Served", "Served2"]);
        let expected = ["Caller2", "Members", "Address3", "Served3", "CalcMethod2", "CalcCall2", "'message"];
        assert_eq!(chosen, expected);
    }

    #[test]
    fn a_macro_call_can_contain_every_short_name() {
        let item = parse_quote! {
            trait Calc {
                fn add(&self, a: number!()) -> i64;
            }
        };
        let [caller, .., method_enum, _, message] = names(&item, &[]);
        assert_eq!([caller, method_enum, message], ["__Caller", "__CalcMethod", "'__message"]);
    }
}
