//! The functions that encode calls in generated code.
//!
//! They take the arguments by value: rustc then reports the one argument that does not fit, where behind a
//! reference it would report all.

use super::call::Call;
use super::caller::Caller;
use super::notify_call::NotifyCall;
use crate::params::Arguments;

/// Encodes a call: [`Call::encoded`].
#[allow(clippy::needless_pass_by_value, reason = "see the module documentation")]
pub fn encode_call<'c, C: Caller, T, E, A: Arguments>(
    caller: &'c C,
    head: &'static str,
    names: &[&str],
    by_name: bool,
    arguments: A,
) -> Call<'c, C, T, E> {
    Call::encoded(caller, head, names, by_name, &arguments)
}

/// Encodes a notification: [`NotifyCall::encoded`].
#[allow(clippy::needless_pass_by_value, reason = "see the module documentation")]
pub fn encode_notification<'c, C: Caller, A: Arguments>(
    caller: &'c C,
    head: &'static str,
    names: &[&str],
    by_name: bool,
    arguments: A,
) -> NotifyCall<'c, C> {
    NotifyCall::encoded(caller, head, names, by_name, &arguments)
}
