//! The response of a call. Only a consumed [`Responder`] makes a [`Responded`], so a call responds once.

#![allow(
    clippy::box_collection,
    clippy::unnecessary_box_returns,
    reason = "a buffer is boxed: a vector that was just written to is slow to move"
)]

use super::context::Context;
use super::error_code::ErrorCode;
use crate::error::RpcError;
use crate::observe::{Cause, EventKind};
use crate::wire::{ErrorObject, write_error, write_result};
use serde::Serialize;
use std::any::Any;
use std::fmt;

/// Writes the response of one call. Each method that writes it consumes the responder and returns the
/// [`Responded`] that [`Service::run`](super::Service::run) has to return.
///
/// A notification has no response (§4.1): its result or error is not written.
#[must_use = "a call needs a response"]
pub struct Responder<'a> {
    buffer: ResponseBuffer<'a>,
    context: Context<'a>,
}

/// The buffer of a response. It stays small, because a responder is moved several times.
pub(super) enum ResponseBuffer<'a> {
    /// The response is appended.
    Borrowed(&'a mut Vec<u8>),
    /// The buffer is empty, and is returned with the response.
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

    /// Returns the context of the call.
    #[must_use]
    pub fn context(&self) -> &Context<'a> {
        &self.context
    }

    /// Attaches a value to the call.
    pub(super) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.context.extras_mut().extensions.insert(value);
    }

    /// Returns the cell that receives the code of the call's error.
    pub(super) fn error_code(&mut self) -> ErrorCode {
        self.context.extras_mut().error_code.get_or_insert_default().clone()
    }

    /// Responds with a result. If it cannot be serialized, the response is -32603 (internal error).
    #[inline]
    pub fn value<T: Serialize + ?Sized>(mut self, value: &T) -> Responded {
        match self.context.id() {
            Some(id) => {
                if let Err(error) = write_result(self.buffer.out(), id.as_token(), value) {
                    self.observe_failure(Cause::Result, &error.to_string());
                    return self.error(&ErrorObject::internal_error());
                }
            }
            None => self.observe(EventKind::NoResponse { method: Some(self.context.method()), error: None }),
        }
        self.buffer.into_responded()
    }

    /// Responds with a result, or with an error of the method.
    #[inline]
    pub fn result<T: Serialize, E: RpcError>(self, result: Result<T, E>) -> Responded {
        match result {
            Ok(value) => self.value(&value),
            Err(error) => self.rpc_error(error),
        }
    }

    #[cold]
    fn rpc_error<E: RpcError>(self, error: E) -> Responded {
        if self.context.observer().is_some()
            && let Some(detail) = error.concealed()
        {
            self.observe_failure(Cause::Error, &detail);
        }
        self.error(&error.into_object())
    }

    /// Responds with an error object.
    #[cold]
    #[must_use]
    pub fn error(mut self, error: &ErrorObject) -> Responded {
        self.context.record_error(error.code);
        match self.context.id() {
            Some(id) => write_error(self.buffer.out(), id.as_token(), error),
            None => self.observe(EventKind::NoResponse { method: Some(self.context.method()), error: Some(error) }),
        }
        self.buffer.into_responded()
    }

    fn observe(&self, event: EventKind<'_>) {
        self.context.observer().show(event);
    }

    /// Shows the observer the details of an error that the caller does not get.
    #[cold]
    fn observe_failure(&self, cause: Cause, detail: &str) {
        self.observe(EventKind::InternalFailure {
            method: self.context.method(),
            id: self.context.id(),
            cause,
            detail,
        });
    }
}

impl fmt::Debug for Responder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").field("context", &self.context).finish_non_exhaustive()
    }
}

/// The proof that a call was responded to. It holds the response if the responder owned the buffer.
#[derive(Debug)]
pub struct Responded(Option<Box<Vec<u8>>>);

impl Responded {
    /// Returns the response, if the responder owned its buffer.
    #[inline]
    pub(super) fn into_buffer(self) -> Option<Box<Vec<u8>>> {
        self.0
    }
}
