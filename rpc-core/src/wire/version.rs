//! The member `jsonrpc` (§4).

use super::token::unescape;

/// Its value.
pub(super) const VERSION: &str = "2.0";

/// Whether a token is its value, however it is escaped.
pub(super) fn is_version(token: &str) -> bool {
    token.starts_with('"') && unescape(token).as_deref() == Some(VERSION)
}
