//! What protocols on top of JSON-RPC want differently, as data.

use crate::wire::ErrorObject;
use std::borrow::Cow;

/// How a connection behaves where protocols differ: a table of named choices.
///
/// One of the constructors, or one by hand from it:
///
/// ```
/// use rpc_core::connection::Profile;
///
/// let quiet = Profile { sends_cancels: false, ..Profile::lsp() };
/// assert!(!quiet.batches);
/// ```
///
/// | | `native` (the default) | `strict` | `lsp` | `mcp` |
/// |---|---|---|---|---|
/// | cancels by | `$/cancelRequest {id}` | the same | the same | `notifications/cancelled {requestId}` |
/// | `sends_cancels` | yes | no | yes | yes |
/// | a cancelled call | -32800 | -32800 | -32800 | no answer |
/// | `batches` | yes | yes | no | no |
/// | `null_ids` | yes | yes | yes | no |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// How one side tells the other that it has given up a call; `None` if it cannot.
    pub cancel: Option<Cancel>,
    /// Whether this side tells the other when a call is dropped before its reply.
    pub sends_cancels: bool,
    /// What a call is answered with that was cancelled: an error of this code, or nothing at all.
    pub cancelled: Option<i64>,
    /// Whether batches are served and sent.
    pub batches: bool,
    /// Whether a call may have the id null. Where it may not, it is refused with -32600.
    pub null_ids: bool,
}

/// The notification that gives up a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// Its method.
    pub method: Cow<'static, str>,
    /// The parameter that has the id of the call.
    pub id: Cow<'static, str>,
}

impl Profile {
    /// The code of a cancelled call (LSP 3.17).
    pub const REQUEST_CANCELLED: i64 = -32800;

    /// Ours to ours.
    #[must_use]
    pub fn native() -> Self {
        let cancel = Cancel { method: "$/cancelRequest".into(), id: "id".into() };
        Profile {
            cancel: Some(cancel),
            sends_cancels: true,
            cancelled: Some(Self::REQUEST_CANCELLED),
            batches: true,
            null_ids: true,
        }
    }

    /// Nothing is sent that JSON-RPC 2.0 does not know: cancels are honoured, but not sent.
    #[must_use]
    pub fn strict() -> Self {
        Profile { sends_cancels: false, ..Self::native() }
    }

    /// The Language Server Protocol: no batches.
    #[must_use]
    pub fn lsp() -> Self {
        Profile { batches: false, ..Self::native() }
    }

    /// The Model Context Protocol: no batches, no null ids, and no answer to what was cancelled.
    #[must_use]
    pub fn mcp() -> Self {
        let cancel = Cancel { method: "notifications/cancelled".into(), id: "requestId".into() };
        Profile { cancel: Some(cancel), cancelled: None, batches: false, null_ids: false, ..Self::native() }
    }
}

impl Profile {
    /// What a call is answered with that was cancelled; `None` if with nothing.
    pub(crate) fn cancelled_error(&self) -> Option<ErrorObject> {
        self.cancelled.map(|code| ErrorObject::new(code, "Request cancelled"))
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::native()
    }
}
