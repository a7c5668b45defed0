//! Collects every mistake, so that one compile shows them all.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use syn::Attribute;

/// The mistakes found so far. Shared by all stages; asked once, at the end.
#[derive(Default)]
pub(crate) struct Errors {
    shown: RefCell<TokenStream>,
    /// Whether one of them is a mistake whatever is compiled.
    is_certain: Cell<bool>,
}

impl Errors {
    /// Notes a mistake at a place.
    pub(crate) fn at(&self, place: Span, message: impl Display) {
        self.add(&syn::Error::new(place, message));
    }

    /// Notes what is a mistake only where all these `cfg`s hold: rustc decides.
    pub(crate) fn under(&self, cfgs: &[&Attribute], place: Span, message: impl Display) {
        let error = syn::Error::new(place, message).into_compile_error();
        self.shown.borrow_mut().extend(quote!(#(#cfgs)* #error));
    }

    /// Notes a mistake that syn found.
    pub(crate) fn add(&self, error: &syn::Error) {
        self.shown.borrow_mut().extend(error.to_compile_error());
        self.is_certain.set(true);
    }

    /// The value, or nothing and the mistake.
    pub(crate) fn keep<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(&error)).ok()
    }

    /// Whether there is a mistake whatever is compiled.
    pub(crate) fn is_certain(&self) -> bool {
        self.is_certain.get()
    }

    /// What shows all mistakes to the compiler.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.shown.into_inner()
    }
}
