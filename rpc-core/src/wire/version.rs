//! The value of the member `jsonrpc` (§4).

use super::token::unescape;

pub(super) const VERSION: &str = "2.0";

/// Returns `true` if a JSON token is that value, with or without escapes.
pub(super) fn is_version(token: &str) -> bool {
    token.starts_with('"') && unescape(token).as_deref() == Some(VERSION)
}
