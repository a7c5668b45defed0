//! What a panic leaves behind.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What was said when it panicked.
pub(super) fn detail(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a text").to_owned()
}

/// Leaves the payload alone: it may panic itself when it is dropped.
#[cold]
pub(super) fn forget(payload: Box<dyn Any + Send>) {
    std::mem::forget(payload);
}

/// Drops what is not needed any more, arguments of the user's types in it: they may panic.
#[cold]
pub(super) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        forget(payload);
    }
}
