//! The rules that differ between protocols built on JSON-RPC.
//!
//! LSP, MCP and Ethereum nodes disagree on how a call is cancelled, on batches and on null ids. A [`Profile`]
//! holds these rules as data. [`Server::profile`](crate::Server::profile) and
//! [`Builder::profile`](crate::connection::Builder::profile) take one.

use crate::wire::ErrorObject;
use std::borrow::Cow;

/// The rules of a protocol built on JSON-RPC, for a server or a connection.
///
/// Start from a preset and change single rules:
///
/// ```
/// use rpc_core::Server;
/// use rpc_core::profile::{Cancel, Profile, Refusal};
///
/// let profile = Profile::lsp()
///     .cancel(Some(Cancel::new("$/abort", "call")))
///     .cancelled(Some(-32001))
///     .batches(true)
///     .large_response(Refusal::new(-32002, "too large"));
/// assert!(profile.batches && profile.sends_cancels);
/// let server = Server::new(()).profile(profile);
/// # drop(server);
/// ```
///
/// | | `native` (the default) | `strict` | `lsp` | `mcp` | `ethereum` |
/// |---|---|---|---|---|---|
/// | `cancel` | `$/cancelRequest {id}` | the same | the same | `notifications/cancelled {requestId}` | none |
/// | `sends_cancels` | yes | no | yes | yes | no |
/// | `cancelled` | -32800 | -32800 | -32800 | no response | no response |
/// | `batches` | yes | yes | no | no | yes |
/// | `null_ids` | yes | yes | yes | no | yes |
/// | `long_batch` | one error | one error | one error | one error | `[…]` of -32600 `batch too large` |
/// | `large_response` | -32000 | -32000 | -32000 | -32000 | -32003 `response too large` |
///
/// A [server](crate::Server::profile) applies its profile to all messages, and passes it on to its
/// connections. A [connection](crate::connection::Builder::profile) can have its own. The rules of
/// cancellation apply to connections only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The notification that cancels a call; `None` if the protocol has none.
    pub cancel: Option<Cancel>,
    /// Sends the notification of `cancel` when a call is dropped before its response.
    pub sends_cancels: bool,
    /// The code of the error object that responds to a cancelled call; `None` sends no response.
    pub cancelled: Option<i64>,
    /// Accepts and sends batches (§6). If `false`, a received batch is refused with -32600.
    pub batches: bool,
    /// Accepts calls with the id null (§4). If `false`, they are refused with -32600.
    pub null_ids: bool,
    /// The response to a batch with [too many members](crate::Server::max_batch_members). None of its members
    /// runs.
    pub long_batch: LongBatch,
    /// The error in place of each response that
    /// [no longer fits into its batch](crate::Server::max_batch_response_bytes).
    pub large_response: Refusal,
}

/// The response to a batch with too many members.
///
/// ```
/// use rpc_core::Server;
/// use rpc_core::profile::Profile;
///
/// let server = Server::new(()).profile(Profile::ethereum()).max_batch_members(1);
/// let batch = r#"[{"jsonrpc":"2.0","method":"a","id":7},{"jsonrpc":"2.0","method":"b","id":8}]"#;
/// let error = r#"[{"jsonrpc":"2.0","error":{"code":-32600,"message":"batch too large"},"id":7}]"#;
/// assert_eq!(server.handle_blocking(batch).as_deref(), Some(error));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LongBatch {
    /// One error object, -32600 with the id null, as for an invalid message.
    Whole,
    /// An array of one error with the id of the first call in the batch, or null if the batch contains no
    /// call.
    FirstCall(Refusal),
}

/// An error object without `data`.
///
/// ```
/// use rpc_core::profile::{LongBatch, Profile, Refusal};
///
/// let refusal = Refusal::new(413, "too many calls");
/// let profile = Profile::native().long_batch(LongBatch::FirstCall(refusal));
/// # assert_eq!(profile.large_response.code, -32000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the error object.
    pub code: i64,
    /// The message of the error object.
    pub message: Cow<'static, str>,
}

/// The notification that cancels a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// The method of the notification.
    pub method: Cow<'static, str>,
    /// The name of the parameter that holds the id of the call.
    pub id: Cow<'static, str>,
}

/// The presets.
impl Profile {
    /// The error code of a cancelled call (LSP 3.17), -32800.
    pub const REQUEST_CANCELLED: i64 = -32800;

    /// Returns the profile for peers that both use this crate: all of JSON-RPC 2.0, and cancels.
    #[must_use]
    pub fn native() -> Self {
        Profile {
            cancel: Some(Cancel::new("$/cancelRequest", "id")),
            sends_cancels: true,
            cancelled: Some(Self::REQUEST_CANCELLED),
            batches: true,
            null_ids: true,
            long_batch: LongBatch::Whole,
            large_response: Refusal::new(ErrorObject::SERVER_ERROR, "Batch answer too large"),
        }
    }

    /// Returns the profile that sends nothing beyond JSON-RPC 2.0: received cancels are honoured, none are
    /// sent.
    #[must_use]
    pub fn strict() -> Self {
        Self::native().sends_cancels(false)
    }

    /// Returns the profile of the Language Server Protocol: no batches.
    #[must_use]
    pub fn lsp() -> Self {
        Self::native().batches(false)
    }

    /// Returns the profile of the Model Context Protocol: no batches, no null ids, and no response to a
    /// cancelled call.
    #[must_use]
    pub fn mcp() -> Self {
        let cancel = Cancel::new("notifications/cancelled", "requestId");
        Self::native().cancel(Some(cancel)).cancelled(None).batches(false).null_ids(false)
    }

    /// Returns the profile of Ethereum nodes: no cancels, and their errors for batches over a limit.
    #[must_use]
    pub fn ethereum() -> Self {
        let long = Refusal::new(ErrorObject::INVALID_REQUEST, "batch too large");
        Self::native()
            .cancel(None)
            .sends_cancels(false)
            .cancelled(None)
            .long_batch(LongBatch::FirstCall(long))
            .large_response(Refusal::new(-32003, "response too large"))
    }
}

/// Changes to a preset.
impl Profile {
    /// Sets the notification that cancels a call. With `None`, calls cannot be cancelled.
    #[must_use]
    pub fn cancel(mut self, cancel: Option<Cancel>) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sends a cancel when a call is dropped before its response, if `true`.
    #[must_use]
    pub fn sends_cancels(mut self, sends_cancels: bool) -> Self {
        self.sends_cancels = sends_cancels;
        self
    }

    /// Sets the error code of the response to a cancelled call. With `None`, no response is sent.
    #[must_use]
    pub fn cancelled(mut self, code: Option<i64>) -> Self {
        self.cancelled = code;
        self
    }

    /// Accepts and sends batches (§6), if `true`.
    #[must_use]
    pub fn batches(mut self, batches: bool) -> Self {
        self.batches = batches;
        self
    }

    /// Accepts calls with the id null (§4), if `true`.
    #[must_use]
    pub fn null_ids(mut self, null_ids: bool) -> Self {
        self.null_ids = null_ids;
        self
    }

    /// Sets the response to a batch with [too many members](crate::Server::max_batch_members).
    #[must_use]
    pub fn long_batch(mut self, long_batch: LongBatch) -> Self {
        self.long_batch = long_batch;
        self
    }

    /// Sets the error in place of each response that
    /// [no longer fits into its batch](crate::Server::max_batch_response_bytes).
    #[must_use]
    pub fn large_response(mut self, refusal: Refusal) -> Self {
        self.large_response = refusal;
        self
    }

    /// Returns the error object for a cancelled call; `None` if no response is sent.
    pub(crate) fn cancelled_error(&self) -> Option<ErrorObject> {
        self.cancelled.map(|code| ErrorObject::new(code, "Request cancelled"))
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::native()
    }
}

impl Refusal {
    /// Creates an error from its code and message.
    #[must_use]
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Refusal { code, message: message.into() }
    }

    pub(crate) fn to_error(&self) -> ErrorObject {
        ErrorObject::new(self.code, self.message.clone())
    }
}

impl Cancel {
    /// Creates a cancel from the method of the notification and the name of the parameter for the id.
    ///
    /// ```
    /// use rpc_core::profile::{Cancel, Profile};
    ///
    /// assert_eq!(Profile::lsp().cancel, Some(Cancel::new("$/cancelRequest", "id")));
    /// ```
    #[must_use]
    pub fn new(method: impl Into<Cow<'static, str>>, id: impl Into<Cow<'static, str>>) -> Self {
        Cancel { method: method.into(), id: id.into() }
    }
}
