//! The answer that a call owes: written once, or found missing by whoever runs the call.
//!
//! [`Responded`] can be had only by using up a [`Responder`], so a call that returns has answered.

#![allow(
    clippy::box_collection,
    clippy::unnecessary_box_returns,
    reason = "a buffer is boxed: a vector that was just written to is slow to move"
)]

use super::context::Context;
use super::error_code::ErrorCode;
use crate::error::RpcError;
use crate::observe::{Cause, Event, show};
use crate::wire::{ErrorObject, write_error, write_result};
use serde::Serialize;
use std::any::Any;
use std::fmt;

/// The right to answer one call. Using it up gives the [`Responded`] that a service returns.
///
/// For a notification nothing is written, whatever is answered (§4.1).
#[must_use = "a call owes an answer"]
pub struct Responder<'a> {
    buffer: ResponseBuffer<'a>,
    context: Context<'a>,
}

/// Where an answer is written. One pointer wide: a reply is moved some times before it is used.
pub(super) enum ResponseBuffer<'a> {
    /// Behind what is in it.
    Borrowed(&'a mut Vec<u8>),
    /// It is empty, and comes back with the answer.
    Owned(Box<Vec<u8>>),
}

impl ResponseBuffer<'_> {
    #[inline]
    fn out(&mut self) -> &mut Vec<u8> {
        match self {
            ResponseBuffer::Borrowed(out) => out,
            ResponseBuffer::Owned(out) => out,
        }
    }

    #[inline]
    fn into_responded(self) -> Responded {
        Responded(match self {
            ResponseBuffer::Borrowed(_) => None,
            ResponseBuffer::Owned(out) => Some(out),
        })
    }
}

impl<'a> Responder<'a> {
    #[inline]
    pub(super) fn new(buffer: ResponseBuffer<'a>, context: Context<'a>) -> Self {
        Responder { buffer, context }
    }

    /// The call that this is the reply to.
    #[must_use]
    pub fn context(&self) -> &Context<'a> {
        &self.context
    }

    /// Gives the method a value.
    pub(super) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.context.extras().extensions.insert(value);
    }

    /// What will say how the call failed.
    pub(super) fn error_code(&mut self) -> ErrorCode {
        self.context.extras().error_code.get_or_insert_default().clone()
    }

    /// Answers with a result. One that cannot be serialised becomes -32603.
    #[inline]
    pub fn value<T: Serialize + ?Sized>(mut self, value: &T) -> Responded {
        match self.context.id() {
            Some(id) => {
                if let Err(error) = write_result(self.buffer.out(), id.as_token(), value) {
                    self.conceal(Cause::Result, &error.to_string());
                    return self.error(&ErrorObject::internal_error());
                }
            }
            None => self.observe(&Event::NoResponse { method: Some(self.context.method()), error: None }),
        }
        self.buffer.into_responded()
    }

    /// Answers with a result or the method's error.
    #[inline]
    pub fn result<T: Serialize, E: RpcError>(self, result: Result<T, E>) -> Responded {
        match result {
            Ok(value) => self.value(&value),
            Err(error) => self.failed(error),
        }
    }

    #[cold]
    fn failed<E: RpcError>(self, error: E) -> Responded {
        if self.context.observer().is_some()
            && let Some(detail) = error.concealed()
        {
            self.conceal(Cause::Error, &detail);
        }
        self.error(&error.into_object())
    }

    /// Answers with an error.
    #[cold]
    #[must_use]
    pub fn error(mut self, error: &ErrorObject) -> Responded {
        self.context.failed(error.code);
        match self.context.id() {
            Some(id) => write_error(self.buffer.out(), id.as_token(), error),
            None => self.observe(&Event::NoResponse { method: Some(self.context.method()), error: Some(error) }),
        }
        self.buffer.into_responded()
    }

    fn observe(&self, event: &Event<'_>) {
        show(self.context.observer(), event);
    }

    #[cold]
    fn conceal(&self, cause: Cause, detail: &str) {
        self.observe(&Event::InternalFailure { method: self.context.method(), id: self.context.id(), cause, detail });
    }
}

impl fmt::Debug for Responder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").field("context", &self.context).finish_non_exhaustive()
    }
}

/// Proof that a call was answered, with the answer if its reply owned the place of it.
#[derive(Debug)]
pub struct Responded(Option<Box<Vec<u8>>>);

impl Responded {
    /// The answer of a reply that owned its buffer.
    #[inline]
    pub(super) fn into_own(self) -> Option<Box<Vec<u8>>> {
        self.0
    }
}
