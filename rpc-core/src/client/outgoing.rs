//! An outgoing message, to which the caller appends the id.

use super::timeout_policy::TimeoutPolicy;
use crate::params::encode_flat;
use crate::wire::Id;
use serde::Serialize;
use std::time::Duration;

/// An encoded call or notification without its id, which the [`Caller`](super::Caller) appends.
///
/// ```
/// use rpc_core::client::Outgoing;
/// use rpc_core::wire::Id;
///
/// let outgoing = Outgoing::new("subtract", &[42, 23])?;
/// assert_eq!(outgoing.into_request(&Id::from(1)), r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outgoing {
    text: Vec<u8>,
    id: Option<Id<'static>>,
    timeout_policy: TimeoutPolicy,
    is_idempotent: bool,
}

impl Outgoing {
    /// Creates a message. `params` must serialise as an array, an object, or null, which omits them (§4.2).
    ///
    /// # Errors
    ///
    /// Fails if `params` cannot be serialised, or serialise as another type.
    pub fn new<P: Serialize + ?Sized>(method: &str, params: &P) -> serde_json::Result<Self> {
        let mut text = br#"{"jsonrpc":"2.0","method":"#.to_vec();
        serde_json::to_writer(&mut text, method)?;
        encode_flat(params, &mut text)?;
        Ok(Self::from_text(text))
    }

    /// Creates a message that begins with `head`. `write` appends the params.
    pub(super) fn encode(
        head: &str,
        write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
    ) -> serde_json::Result<Self> {
        // Room for a few small parameters and the id: one allocation for most calls.
        let mut text = Vec::with_capacity(head.len() + 96);
        text.extend_from_slice(head.as_bytes());
        write(&mut text)?;
        Ok(Self::from_text(text))
    }

    fn from_text(text: Vec<u8>) -> Self {
        Outgoing { text, id: None, timeout_policy: TimeoutPolicy::Default, is_idempotent: false }
    }

    /// Sets the id of the call, in place of one that the caller chooses.
    #[must_use]
    pub fn with_id(mut self, id: Id<'static>) -> Self {
        self.id = Some(id);
        self
    }

    /// Removes the call's own id.
    pub(super) fn without_id(mut self) -> Self {
        self.id = None;
        self
    }

    /// Returns the call's own id, if it has one.
    #[must_use]
    pub fn id(&self) -> Option<&Id<'static>> {
        self.id.as_ref()
    }

    /// Sets the timeout of the call. With `None` it waits without limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout_policy = TimeoutPolicy::Explicit(timeout);
        self
    }

    /// Sets the timeout of the method, in milliseconds. It does not apply if the call has a timeout or the caller supports
    /// none.
    pub(super) fn method_timeout(mut self, millis: u64) -> Self {
        self.timeout_policy = TimeoutPolicy::Method(Duration::from_millis(millis));
        self
    }

    /// Returns whether the call itself has a timeout, which its caller must then support.
    pub(super) fn requires_timeout(&self) -> bool {
        self.timeout_policy.is_required()
    }

    /// Returns the timeout of the method, or `default_timeout` if it has none.
    pub(super) fn method_timeout_or(&self, default_timeout: Option<Duration>) -> Option<Duration> {
        match self.timeout_policy {
            TimeoutPolicy::Method(_) => self.timeout_policy.or(default_timeout),
            TimeoutPolicy::Default | TimeoutPolicy::Explicit(_) => default_timeout,
        }
    }

    /// Returns the timeout of the call, or else of its method, or else `default_timeout`.
    #[must_use]
    pub fn timeout_or(&self, default_timeout: Option<Duration>) -> Option<Duration> {
        self.timeout_policy.or(default_timeout)
    }

    /// Marks the call as idempotent: a second call has no further effect.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Returns whether the call is idempotent, so that a caller such as [`Retry`](super::Retry) can send it again.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    /// Returns the text of a call with its own id, or else with `id`.
    #[must_use]
    pub fn into_request(mut self, id: &Id<'_>) -> String {
        let id = self.id.as_ref().unwrap_or(id);
        self.text.extend_from_slice(br#","id":"#);
        self.text.extend_from_slice(id.as_token().as_bytes());
        self.into_notification()
    }

    /// Returns the text of a notification, which has no id (§4.1).
    #[must_use]
    pub fn into_notification(mut self) -> String {
        self.text.push(b'}');
        // `serde_json` writes UTF-8, so nothing is replaced.
        String::from_utf8(self.text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
