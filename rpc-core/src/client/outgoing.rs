//! A message to be sent, open at its end: whoever carries it appends the id, or none.

use super::timeout_policy::TimeoutPolicy;
use crate::params::encode_flat;
use crate::wire::Id;
use serde::Serialize;
use std::time::Duration;

/// A call or a notification that has no id yet.
///
/// It is written once, when the call is made; sending appends the id.
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
    /// A message for `method`; `params` must serialise as a list or an object, or as null, which
    /// leaves them out (§4.2).
    ///
    /// # Errors
    ///
    /// When `params` cannot be serialised, or are something else.
    pub fn new<P: Serialize + ?Sized>(method: &str, params: &P) -> serde_json::Result<Self> {
        let mut text = br#"{"jsonrpc":"2.0","method":"#.to_vec();
        serde_json::to_writer(&mut text, method)?;
        encode_flat(params, &mut text)?;
        Ok(Self::encoded(text))
    }

    /// A message that begins with `head` and goes on as `write` says.
    #[inline]
    pub(super) fn open(
        head: &str,
        write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
    ) -> serde_json::Result<Self> {
        // Room for a few small parameters and the id: one allocation for most calls.
        let mut text = Vec::with_capacity(head.len() + 96);
        text.extend_from_slice(head.as_bytes());
        write(&mut text)?;
        Ok(Self::encoded(text))
    }

    fn encoded(text: Vec<u8>) -> Self {
        Outgoing { text, id: None, timeout_policy: TimeoutPolicy::Default, is_idempotent: false }
    }

    /// The same call, to be sent under an id of its own.
    #[must_use]
    pub fn with_id(mut self, id: Id<'static>) -> Self {
        self.id = Some(id);
        self
    }

    /// The same without an id of its own.
    pub(super) fn without_id(mut self) -> Self {
        self.id = None;
        self
    }

    /// The id of its own that the call has, if it has one.
    #[must_use]
    pub fn id(&self) -> Option<&Id<'static>> {
        self.id.as_ref()
    }

    /// The same call, to be given up when there is no reply within `timeout`; `None` waits without end.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout_policy = TimeoutPolicy::Explicit(timeout);
        self
    }

    /// The same call, to be given up after so many milliseconds unless it says otherwise or its caller keeps no time.
    pub(super) fn method_timeout(mut self, millis: u64) -> Self {
        self.timeout_policy = TimeoutPolicy::Method(millis);
        self
    }

    /// Whether the call asks for a timeout itself, so that a caller must keep it.
    pub(super) fn requires_timeout(&self) -> bool {
        self.timeout_policy.is_own()
    }

    /// How long calls of its method wait for their replies; as `usual` if the method does not say.
    pub(super) fn method_timeout_or(&self, default_timeout: Option<Duration>) -> Option<Duration> {
        match self.timeout_policy {
            TimeoutPolicy::Method(_) => self.timeout_policy.or(default_timeout),
            TimeoutPolicy::Default | TimeoutPolicy::Explicit(_) => default_timeout,
        }
    }

    /// How long to wait for the reply, if calls of which neither the caller nor the method says so wait for `usual`.
    #[must_use]
    pub fn timeout_or(&self, default_timeout: Option<Duration>) -> Option<Duration> {
        self.timeout_policy.or(default_timeout)
    }

    /// The same call, marked as one that may be made twice.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Whether the call may be made twice: a caller that tries again looks at this.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    /// The text of a call under `id`, or under the id of its own.
    #[must_use]
    pub fn into_request(mut self, id: &Id<'_>) -> String {
        let id = self.id.as_ref().unwrap_or(id);
        self.text.extend_from_slice(br#","id":"#);
        self.text.extend_from_slice(id.as_token().as_bytes());
        self.into_notification()
    }

    /// The text of a notification: it has no id (§4.1).
    #[must_use]
    pub fn into_notification(mut self) -> String {
        self.text.push(b'}');
        // serde_json writes UTF-8 only, so nothing is ever replaced.
        String::from_utf8(self.text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
