//! The payloads of panics that were caught.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the message of a panic.
pub(super) fn detail(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}

/// Leaks the payload of a panic, because its drop may panic too.
#[cold]
pub(super) fn forget(payload: Box<dyn Any + Send>) {
    std::mem::forget(payload);
}

/// Drops a value that may hold arguments of user types, whose drop may panic.
#[cold]
pub(super) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        forget(payload);
    }
}
