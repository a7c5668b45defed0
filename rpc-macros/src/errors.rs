//! Collects all errors, so that one compilation shows them all.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use syn::Attribute;

/// The errors found so far, shared by all stages.
#[derive(Default)]
pub(crate) struct Errors {
    tokens: RefCell<TokenStream>,
    is_unconditional: Cell<bool>,
}

impl Errors {
    /// Adds an error at a span.
    pub(crate) fn at(&self, span: Span, message: impl Display) {
        self.add(&syn::Error::new(span, message));
    }

    /// Adds an error that rustc reports only if all `cfgs` hold.
    pub(crate) fn at_under(&self, cfgs: &[&Attribute], span: Span, message: impl Display) {
        let error = syn::Error::new(span, message).into_compile_error();
        self.tokens.borrow_mut().extend(quote!(#(#cfgs)* #error));
    }

    /// Adds an error of syn.
    pub(crate) fn add(&self, error: &syn::Error) {
        self.tokens.borrow_mut().extend(error.to_compile_error());
        self.is_unconditional.set(true);
    }

    /// Returns the value, or adds the error.
    pub(crate) fn ok<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(&error)).ok()
    }

    /// Returns `true` if an error depends on no `cfg`.
    pub(crate) fn is_unconditional(&self) -> bool {
        self.is_unconditional.get()
    }

    /// Returns the `compile_error!` calls of all errors.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.tokens.into_inner()
    }
}
