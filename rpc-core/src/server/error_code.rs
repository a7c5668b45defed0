//! The code of the error that a call ends with, for middleware.

use std::sync::{Arc, OnceLock};

/// The code of the error that a call ends with, known once the call has run. Made by
/// [`Next::error_code`](super::Next::error_code), where the example is.
#[derive(Clone, Debug, Default)]
pub struct ErrorCode(Arc<OnceLock<i64>>);

impl ErrorCode {
    /// Returns the code; `None` before the call has run, if it has a result, and if it panicked.
    #[must_use]
    pub fn get(&self) -> Option<i64> {
        self.0.get().copied()
    }

    /// Sets the code. A call ends with one response, so the first code counts.
    pub(super) fn set(&self, code: i64) {
        let _ = self.0.set(code);
    }
}
