//! What protocols on top of JSON-RPC want differently, as data.

use crate::wire::ErrorObject;
use std::borrow::Cow;

/// How a server or a connection behaves where protocols differ: a table of named choices.
///
/// One of the constructors, or one by hand from it:
///
/// ```
/// use rpc_core::profile::Profile;
///
/// let quiet = Profile { sends_cancels: false, ..Profile::lsp() };
/// assert!(!quiet.batches);
/// ```
///
/// | | `native` (the default) | `strict` | `lsp` | `mcp` | `ethereum` |
/// |---|---|---|---|---|---|
/// | `cancel` | `$/cancelRequest {id}` | the same | the same | `notifications/cancelled {requestId}` | none |
/// | `sends_cancels` | yes | no | yes | yes | no |
/// | `cancelled` | -32800 | -32800 | -32800 | no answer | nothing is cancelled |
/// | `batches` | yes | yes | no | no | yes |
/// | `null_ids` | yes | yes | yes | no | yes |
/// | `long_batch` | one error object | the same | the same | the same | `[{"error":{"code":-32600,"message":"batch too large"},"id":…}]` |
/// | `large_response` | -32000 | -32000 | -32000 | -32000 | -32003 `response too large` |
///
/// It is set for [a server](crate::Server::profile), for messages that come from anywhere, or for
/// [a connection](crate::connection::Builder::profile); cancels are known to connections only.
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
    /// How a batch is refused that has [too many members](crate::Server::max_batch_members). Nothing of it runs.
    pub long_batch: LongBatch,
    /// The error in place of each answer of a batch that [no longer fits](crate::Server::max_batch_response_bytes).
    pub large_response: Refusal,
}

/// How a batch is refused that has too many members.
///
/// ```
/// use rpc_core::Server;
/// use rpc_core::profile::Profile;
///
/// let server = Server::new(()).profile(Profile::ethereum()).max_batch_members(1);
/// let response = server.handle_blocking(r#"[{"jsonrpc":"2.0","method":"a","id":7},{"jsonrpc":"2.0","method":"b","id":8}]"#);
/// let error = r#"[{"jsonrpc":"2.0","error":{"code":-32600,"message":"batch too large"},"id":7}]"#;
/// assert_eq!(response.as_deref(), Some(error));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LongBatch {
    /// As any message that is refused whole: one error object, -32600, under the id null.
    Whole,
    /// An array of one error, under the id of the first call in the batch; under null if there is no call in it.
    FirstCall(Refusal),
}

/// An error that says no more than what kind it is.
///
/// ```
/// use rpc_core::profile::{LongBatch, Profile, Refusal};
///
/// let profile = Profile { large_response: Refusal { code: 413, message: "ask for less".into() }, ..Profile::native() };
/// assert_eq!(profile.long_batch, LongBatch::Whole);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its code.
    pub code: i64,
    /// Its message.
    pub message: Cow<'static, str>,
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
            long_batch: LongBatch::Whole,
            large_response: Refusal { code: ErrorObject::SERVER_ERROR, message: "Batch answer too large".into() },
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

    /// The JSON-RPC of Ethereum nodes: nothing can be cancelled, and batches over a limit are refused as these
    /// nodes do.
    #[must_use]
    pub fn ethereum() -> Self {
        let long = Refusal { code: ErrorObject::INVALID_REQUEST, message: "batch too large".into() };
        Profile {
            cancel: None,
            sends_cancels: false,
            cancelled: None,
            long_batch: LongBatch::FirstCall(long),
            large_response: Refusal { code: -32003, message: "response too large".into() },
            ..Self::native()
        }
    }
}

impl Profile {
    /// What a call is answered with that was cancelled; `None` if with nothing.
    pub(crate) fn cancelled_error(&self) -> Option<ErrorObject> {
        self.cancelled.map(|code| ErrorObject::new(code, "Request cancelled"))
    }
}

impl Refusal {
    /// The error object.
    pub(crate) fn to_error(&self) -> ErrorObject {
        ErrorObject::new(self.code, self.message.clone())
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::native()
    }
}
