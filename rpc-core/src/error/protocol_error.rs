//! A response that is not valid.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// The number of characters of a response that are displayed.
const SHOWN: usize = 200;

/// A response that is not valid, with its text.
///
/// ```
/// use rpc_core::client::{PendingCalls, Received};
///
/// let mut calls = PendingCalls::new();
/// let (id, _) = calls.call("ping", &())?;
/// let response = format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#);
/// let events = calls.receive(response.as_bytes());
/// let [Received::Failed { error, .. }] = &events[..] else { panic!() };
/// assert!(error.text.contains("jsonrpc"));
/// # Ok::<(), rpc_core::ClientError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProtocolError {
    /// The fault.
    pub reason: Cow<'static, str>,
    /// The whole response.
    pub text: String,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, more) = match self.text.char_indices().nth(SHOWN) {
            Some((end, _)) => (&self.text[..end], "…"),
            None => (&*self.text, ""),
        };
        write!(f, "invalid response: {}: {shown}{more}", self.reason)
    }
}

impl Error for ProtocolError {}
