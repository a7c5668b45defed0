//! The answer that a call owes: written once, or found missing by whoever runs the call.
//!
//! [`Answered`] can be had only by using up a [`Reply`], so a call that returns has answered.

use super::context::Context;
use crate::error::RpcError;
use crate::wire::{ErrorObject, Id, write_error, write_result};
use serde::Serialize;

/// The right to answer one call. Using it up gives the [`Answered`] that a service returns.
///
/// For a notification nothing is written, whatever is answered (§4.1).
#[derive(Debug)]
#[must_use = "a call owes an answer"]
pub struct Reply<'a> {
    buffer: Vec<u8>,
    context: Context<'a>,
}

impl<'a> Reply<'a> {
    /// Answers into `buffer`, which is empty.
    #[inline]
    pub(super) fn new(buffer: Vec<u8>, context: Context<'a>) -> Self {
        Reply { buffer, context }
    }

    /// The call that this is the reply to.
    #[must_use]
    pub fn context(&self) -> &Context<'a> {
        &self.context
    }

    /// Answers with a result. One that cannot be serialised becomes -32603.
    #[inline]
    pub fn value<T: Serialize + ?Sized>(mut self, value: &T) -> Answered {
        if let Some(id) = self.context.id()
            && write_result(&mut self.buffer, id.as_token(), value).is_err()
        {
            return self.error(&ErrorObject::internal_error());
        }
        Answered(self.buffer)
    }

    /// Answers with a result or the method's error.
    #[inline]
    pub fn result<T: Serialize, E: RpcError>(self, result: Result<T, E>) -> Answered {
        match result {
            Ok(value) => self.value(&value),
            Err(error) => self.error(&error.into_object()),
        }
    }

    /// Answers with an error.
    #[cold]
    pub fn error(mut self, error: &ErrorObject) -> Answered {
        if let Some(id) = self.context.id().map(Id::as_token) {
            write_error(&mut self.buffer, id, error);
        }
        Answered(self.buffer)
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
