//! The answer that a call owes: written once, or found missing by whoever runs the call.
//!
//! [`Answered`] can be had only by using up a [`Reply`], so a call that returns has answered.

use super::context::Context;
use crate::error::RpcError;
use crate::observe::{Cause, Event, Observer, show};
use crate::wire::{ErrorObject, write_error, write_result};
use serde::Serialize;
use std::fmt;

/// The right to answer one call. Using it up gives the [`Answered`] that a service returns.
///
/// For a notification nothing is written, whatever is answered (§4.1).
#[must_use = "a call owes an answer"]
pub struct Reply<'a> {
    buffer: Vec<u8>,
    context: Context<'a>,
    observer: Option<&'a dyn Observer>,
}

impl<'a> Reply<'a> {
    /// Answers into `buffer`, which is empty.
    #[inline]
    pub(super) fn new(buffer: Vec<u8>, context: Context<'a>, observer: Option<&'a dyn Observer>) -> Self {
        Reply { buffer, context, observer }
    }

    /// The call that this is the reply to.
    #[must_use]
    pub fn context(&self) -> &Context<'a> {
        &self.context
    }

    /// Answers with a result. One that cannot be serialised becomes -32603.
    #[inline]
    pub fn value<T: Serialize + ?Sized>(mut self, value: &T) -> Answered {
        match self.context.id() {
            Some(id) => {
                if let Err(error) = write_result(&mut self.buffer, id.as_token(), value) {
                    self.conceal(Cause::Result, &error.to_string());
                    return self.error(&ErrorObject::internal_error());
                }
            }
            None => self.observe(&Event::Silent { method: Some(self.context.method()), error: None }),
        }
        Answered(self.buffer)
    }

    /// Answers with a result or the method's error.
    #[inline]
    pub fn result<T: Serialize, E: RpcError>(self, result: Result<T, E>) -> Answered {
        match result {
            Ok(value) => self.value(&value),
            Err(error) => self.failed(error),
        }
    }

    #[cold]
    fn failed<E: RpcError>(self, error: E) -> Answered {
        if self.observer.is_some()
            && let Some(detail) = error.concealed()
        {
            self.conceal(Cause::Error, &detail);
        }
        self.error(&error.into_object())
    }

    /// Answers with an error.
    #[cold]
    #[must_use]
    pub fn error(mut self, error: &ErrorObject) -> Answered {
        match self.context.id() {
            Some(id) => write_error(&mut self.buffer, id.as_token(), error),
            None => self.observe(&Event::Silent { method: Some(self.context.method()), error: Some(error) }),
        }
        Answered(self.buffer)
    }

    fn observe(&self, event: &Event<'_>) {
        show(self.observer, event);
    }

    #[cold]
    fn conceal(&self, cause: Cause, detail: &str) {
        self.observe(&Event::Concealed { method: self.context.method(), id: self.context.id(), cause, detail });
    }
}

impl fmt::Debug for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("context", &self.context).finish_non_exhaustive()
    }
}

/// Proof that a call was answered, with what is to be sent.
#[derive(Debug)]
pub struct Answered(Vec<u8>);

impl Answered {
    #[inline]
    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.0
    }
}
