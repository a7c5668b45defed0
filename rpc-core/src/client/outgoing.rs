//! An encoded message without its end, to which the caller appends the id.

use super::timeout_policy::TimeoutPolicy;
use crate::params::encode_flat;
use crate::wire::Id;
use serde::Serialize;
use std::time::Duration;

/// An encoded call or notification that has no id yet. The [`Caller`](super::Caller) that sends it appends
/// one.
///
/// ```
/// use rpc_core::client::Outgoing;
/// use rpc_core::wire::Id;
///
/// let outgoing = Outgoing::new("subtract", &[42, 23])?;
/// let request = outgoing.into_request(&Id::from(1));
/// assert_eq!(request, r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outgoing {
    text: Vec<u8>,
    explicit_id: Option<Id<'static>>,
    timeout_policy: TimeoutPolicy,
    is_idempotent: bool,
}

impl Outgoing {
    /// Encodes a message. `params` must serialize as an array, an object, or null, which leaves them out
    /// (§4.2).
    ///
    /// # Errors
    ///
    /// If `params` cannot be serialized, or serialize as anything else.
    pub fn new<P: Serialize + ?Sized>(method: &str, params: &P) -> serde_json::Result<Self> {
        let mut text = br#"{"jsonrpc":"2.0","method":"#.to_vec();
        serde_json::to_writer(&mut text, method)?;
        encode_flat(params, &mut text)?;
        Ok(Self::from_text(text))
    }

    /// Encodes a message that begins with `head`. `write` appends the params.
    pub(super) fn encode(
        head: &str,
        write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
    ) -> serde_json::Result<Self> {
        // Room for a few small params and the id: one allocation for most calls.
        let mut text = Vec::with_capacity(head.len() + 96);
        text.extend_from_slice(head.as_bytes());
        write(&mut text)?;
        Ok(Self::from_text(text))
    }

    fn from_text(text: Vec<u8>) -> Self {
        Outgoing { text, explicit_id: None, timeout_policy: TimeoutPolicy::Default, is_idempotent: false }
    }

    /// Sets an explicit id, which the call is sent with instead of one that the caller chooses.
    #[must_use]
    pub fn with_id(mut self, id: Id<'static>) -> Self {
        self.explicit_id = Some(id);
        self
    }

    /// Removes the explicit id.
    pub(super) fn without_id(mut self) -> Self {
        self.explicit_id = None;
        self
    }

    /// Returns the explicit id, if the call has one.
    #[must_use]
    pub fn id(&self) -> Option<&Id<'static>> {
        self.explicit_id.as_ref()
    }

    /// Sets the timeout of the call. With `None` it waits without limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout_policy = TimeoutPolicy::explicit(timeout);
        self
    }

    /// Sets the timeout from the option of the method.
    pub(super) fn method_timeout(mut self, timeout: Duration) -> Self {
        self.timeout_policy = TimeoutPolicy::Method(timeout);
        self
    }

    /// Returns whether the call needs a caller that supports timeouts.
    pub(super) fn requires_timeout(&self) -> bool {
        self.timeout_policy.is_required()
    }

    /// Returns the timeout from the option of the method, or else `default`.
    pub(super) fn method_timeout_or(&self, default: Option<Duration>) -> Option<Duration> {
        match self.timeout_policy {
            TimeoutPolicy::Method(timeout) => Some(timeout),
            TimeoutPolicy::Default | TimeoutPolicy::Never | TimeoutPolicy::After(_) => default,
        }
    }

    /// Returns the timeout of the call: its own, or else that of its method, or else `default`. `None` means
    /// no timeout.
    #[must_use]
    pub fn timeout_or(&self, default: Option<Duration>) -> Option<Duration> {
        self.timeout_policy.or(default)
    }

    /// Marks the call as safe to repeat.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Returns whether the call is safe to repeat.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    /// Returns the text of a request. An explicit id takes precedence over `id`.
    #[must_use]
    pub fn into_request(mut self, id: &Id<'_>) -> String {
        let id = self.explicit_id.as_ref().unwrap_or(id);
        self.text.extend_from_slice(br#","id":"#);
        self.text.extend_from_slice(id.as_token().as_bytes());
        self.into_notification()
    }

    /// Returns the text of a notification, which has no id (§4.1).
    #[must_use]
    pub fn into_notification(mut self) -> String {
        self.text.push(b'}');
        // serde_json writes only UTF-8, so nothing is replaced.
        String::from_utf8(self.text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
