//! What a transport has to do.

use std::io;

/// The half of a transport that messages come from.
pub trait Source: Send + 'static {
    /// Reads the next message into `message`, which is empty. False when there will be none: the input
    /// has ended.
    ///
    /// The future is polled to its end, or never again. A message longer than a connection takes need not be
    /// kept whole: `limit` bytes and one more show that it is too long.
    ///
    /// # Errors
    ///
    /// When the transport fails: it is not read again.
    fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> impl Future<Output = io::Result<bool>> + Send;
}

/// The half of a transport that messages go to.
pub trait Sink: Send + 'static {
    /// Sends messages, in order, and hands on all that it may have kept back. They come several at once
    /// when several are ready, so that they can be one write.
    ///
    /// The future is polled to its end, or never again.
    ///
    /// # Errors
    ///
    /// When the transport fails: nothing is sent after.
    fn send(&mut self, messages: &Messages) -> impl Future<Output = io::Result<()>> + Send;

    /// Says that nothing more will come. What fails now is nobody's concern any more.
    fn close(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// How large the buffer of messages may stay that have been sent.
const KEPT: usize = 256 << 10;

/// Messages that are ready to be sent, in one buffer.
///
/// ```
/// use rpc_core::transport::Messages;
///
/// let mut messages = Messages::new();
/// messages.push(b"first");
/// messages.push(b"second");
/// assert_eq!(messages.iter().collect::<Vec<_>>(), [&b"first"[..], b"second"]);
/// assert_eq!(messages.bytes(), 11);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Messages {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Messages {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, message: &[u8]) {
        self.text.extend_from_slice(message);
        self.ends.push(self.text.len());
    }

    /// Each, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.text[std::mem::replace(&mut start, *end)..*end])
    }

    /// How long they are together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Takes all away. A buffer that has grown large is let go.
    pub fn clear(&mut self) {
        if self.text.capacity() > KEPT {
            self.text = Vec::new();
        }
        self.text.clear();
        self.ends.clear();
    }
}
