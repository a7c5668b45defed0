//! Collects every mistake, so that one compile shows them all.

use proc_macro2::{Span, TokenStream};
use std::cell::RefCell;
use std::fmt::Display;

/// The mistakes found so far. Shared by all stages; asked once, at the end.
#[derive(Default)]
pub(crate) struct Errors(RefCell<Vec<syn::Error>>);

impl Errors {
    /// Notes a mistake at a place.
    pub(crate) fn at(&self, place: Span, message: impl Display) {
        self.0.borrow_mut().push(syn::Error::new(place, message));
    }

    /// Notes a mistake that syn found.
    pub(crate) fn add(&self, error: syn::Error) {
        self.0.borrow_mut().push(error);
    }

    /// The value, or nothing and the mistake.
    pub(crate) fn keep<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// What shows all mistakes to the compiler; `None` if there are none.
    pub(crate) fn into_tokens(self) -> Option<TokenStream> {
        let errors = self.0.into_inner();
        (!errors.is_empty()).then(|| errors.iter().map(syn::Error::to_compile_error).collect())
    }
}
