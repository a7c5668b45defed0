//! A message to be sent, open at its end: whoever carries it appends the id, or none.

use crate::params::encode_flat;
use crate::wire::Id;
use serde::Serialize;

/// A call or a notification that has no id yet.
///
/// It is written once, when the call is made; sending appends the id.
///
/// ```
/// use rpc_core::client::Outgoing;
/// use rpc_core::Id;
///
/// let outgoing = Outgoing::new("subtract", &[42, 23])?;
/// assert_eq!(outgoing.into_request(&Id::from(1)), r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outgoing {
    text: Vec<u8>,
    idempotent: bool,
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
        Ok(Outgoing { text, idempotent: false })
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
        Ok(Outgoing { text, idempotent: false })
    }

    pub(super) fn mark_idempotent(&mut self) {
        self.idempotent = true;
    }

    /// Whether it may be sent twice: a caller that retries looks at this.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// The text of a call under `id`.
    #[must_use]
    pub fn into_request(mut self, id: &Id<'_>) -> String {
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
