//! The two halves of a transport, and the messages that are written together.

use crate::limits::KEPT_BUFFER_BYTES;
use std::io;

/// The half of a transport that messages are read from.
pub trait Source: Send + 'static {
    /// Reads the next message into `message`, which is empty. Returns `false` at the end of the input.
    ///
    /// Need not be cancellation safe: it is not called again after its future is dropped unfinished.
    ///
    /// `limit` is the length in bytes of the longest message that the connection accepts. Of a longer
    /// message, `limit + 1` bytes suffice to reject it: the rest may be discarded.
    ///
    /// # Errors
    ///
    /// Fails if the transport fails. It is not called again after an error.
    fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> impl Future<Output = io::Result<bool>> + Send;
}

/// The half of a transport that messages are written to.
pub trait Sink: Send + 'static {
    /// Writes `messages` in order, as one write where possible, and flushes.
    ///
    /// Need not be cancellation safe: it is not called again after its future is dropped unfinished.
    ///
    /// # Errors
    ///
    /// Fails if the transport fails. It is not called again after an error.
    fn send(&mut self, messages: &Messages) -> impl Future<Output = io::Result<()>> + Send;

    /// Ends the output: the peer sees the end of its input. Errors are not reported. Does nothing by default.
    fn close(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Messages to be written together, in one buffer.
///
/// ```
/// use rpc_core::transport::Messages;
///
/// let mut messages = Messages::new();
/// messages.push(b"first");
/// messages.push(b"second");
/// assert_eq!(messages.iter().collect::<Vec<_>>(), [&b"first"[..], b"second"]);
/// assert_eq!(messages.byte_len(), 11);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Messages {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Messages {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a message.
    pub fn push(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
        self.ends.push(self.bytes.len());
    }

    /// Returns an iterator over the messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.bytes[std::mem::replace(&mut start, *end)..*end])
    }

    /// Returns the total length of the messages, in bytes.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns `true` if there are no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Removes all messages. Keeps the buffer, unless its capacity is above 256 KiB.
    pub fn clear(&mut self) {
        if self.bytes.capacity() > KEPT_BUFFER_BYTES {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.ends.clear();
    }
}
