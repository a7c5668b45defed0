//! Who is there while a message is answered, and what stands around one call: what few calls need, out of the
//! way of the others.

use super::config::ServerConfig;
use super::scope::Scope;
use crate::observe::Observer;
use crate::wire::{ErrorObject, ExtraMembers};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::{Arc, OnceLock};

/// Who is there while one message is answered.
#[derive(Clone, Copy)]
pub(super) struct CallContext<'a> {
    /// What the server keeps to.
    pub(super) config: &'a ServerConfig,
    /// Who watches.
    pub(super) observer: Option<&'a dyn Observer>,
    /// The live connection that the message came over, if it did.
    pub(super) scope: Option<&'a Scope<'a>>,
}

/// What few messages have.
#[derive(Clone, Default)]
pub(super) struct CallExtras<'a> {
    /// The error that it is refused with.
    pub(super) refusal: Option<ErrorObject>,
    /// Members of its envelope that JSON-RPC does not know.
    pub(super) members: ExtraMembers<'a>,
    /// What a middleware gives to the method, one of each type.
    pub(super) values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// What a middleware wants to know.
    pub(super) error_code: Option<ErrorCode>,
}

/// What few messages have, where all others have nothing: one pointer, which is looked at where it is dropped.
#[derive(Clone, Default)]
pub(super) struct BoxedExtras<'a>(ManuallyDrop<Option<Box<CallExtras<'a>>>>);

impl<'a> BoxedExtras<'a> {
    pub(super) const NONE: Self = BoxedExtras(ManuallyDrop::new(None));

    pub(super) fn of(extra: CallExtras<'a>) -> Self {
        BoxedExtras(ManuallyDrop::new(Some(Box::new(extra))))
    }

    /// Takes it away.
    #[inline]
    pub(super) fn take(&mut self) -> Self {
        BoxedExtras(ManuallyDrop::new(self.0.take()))
    }

    #[inline]
    pub(super) fn get(&self) -> Option<&CallExtras<'a>> {
        self.0.as_deref()
    }

    /// What there is from now on.
    pub(super) fn get_or_insert(&mut self) -> &mut CallExtras<'a> {
        self.0.get_or_insert_default()
    }
}

impl Drop for BoxedExtras<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(extra) = self.0.take() {
            let_go(extra);
        }
    }
}

/// Away from where nothing is dropped.
#[cold]
#[inline(never)]
fn let_go(extra: Box<CallExtras<'_>>) {
    drop(extra);
}

/// How a call failed, for who stood around it: see [`Next::error_code`](super::Next::error_code).
#[derive(Clone, Debug, Default)]
pub struct ErrorCode(Arc<OnceLock<i64>>);

impl ErrorCode {
    /// The code of the error that the call was answered with; `None` if it was answered with a result, or not
    /// yet. A panic is not seen here.
    #[must_use]
    pub fn get(&self) -> Option<i64> {
        self.0.get().copied()
    }

    /// The call was answered with this error.
    pub(super) fn note(&self, code: i64) {
        // The first one counts; there is no second.
        let _ = self.0.set(code);
    }
}
