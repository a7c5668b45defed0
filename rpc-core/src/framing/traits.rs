//! The trait of framings.

use std::io;

/// A format of messages in a stream of bytes.
///
/// A framing does no I/O: a transport passes in the bytes that it has read, split at any point. Each
/// connection has a framing of its own, which starts at the beginning of the stream. The crate has
/// [`Lines`](crate::transport::Lines) and [`Headers`](crate::transport::Headers). Implement the trait for
/// another:
///
/// ```
/// use rpc_core::block_on;
/// use rpc_core::transport::{Framing, Progress, Source, threads};
/// use std::io;
///
/// /// Each message ends with a zero byte.
/// #[derive(Clone)]
/// struct Zeros;
///
/// impl Framing for Zeros {
///     fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
///         let end = input.iter().position(|byte| *byte == 0);
///         let content = &input[..end.unwrap_or(input.len())];
///         // Of a message over the limit, `limit + 1` bytes are stored.
///         let room = limit.saturating_add(1).saturating_sub(message.len());
///         message.extend_from_slice(&content[..content.len().min(room)]);
///         Ok(Progress { taken: end.map_or(input.len(), |end| end + 1), is_whole: end.is_some() })
///     }
///     fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
///         if message.is_empty() { Ok(false) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
///     }
///     fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
///         out.extend_from_slice(message);
///         out.push(0);
///     }
/// }
///
/// let (mut source, _) = threads(&b"first\0second\0"[..], io::sink(), Zeros);
/// block_on(async {
///     let mut message = vec![];
///     assert!(source.receive(&mut message, 100).await?);
///     assert_eq!(message, b"first");
///     Ok::<(), io::Error>(())
/// })?;
/// # Ok::<(), io::Error>(())
/// ```
pub trait Framing: Send + 'static {
    /// Reads bytes from the front of `input` and appends the content among them to `message`.
    ///
    /// At the start of a message `message` is empty. Until the message is whole, each call gets `message` as
    /// the previous call left it, and the input that the previous call has not taken. A call takes at least
    /// one byte or completes a message. State that spans calls is kept in `self`.
    ///
    /// If a message is longer than `limit` bytes, `message` gets its first `limit + 1` bytes, by which the
    /// transport knows that the message is too long. The rest is taken and dropped.
    ///
    /// # Errors
    ///
    /// If the end of the message cannot be found. The stream is not read any further.
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress>;

    /// Handles the end of the input. Returns `true` if `message` holds a last message, and `false` if no
    /// message has started.
    ///
    /// # Errors
    ///
    /// If the input ended inside a message; the error is of kind
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof).
    fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool>;

    /// Appends a message to `out` in the format of the stream.
    fn encode(&self, message: &[u8], out: &mut Vec<u8>);
}

/// The outcome of one call of [`Framing::decode`].
///
/// ```
/// use rpc_core::transport::{Framing, Lines, Progress};
///
/// let (mut lines, mut message) = (Lines::new(), vec![]);
/// let progress = lines.decode(b"[1]\n[2", &mut message, 100)?;
/// assert_eq!(progress, Progress { taken: 4, is_whole: true });
/// assert_eq!(message, b"[1]");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of bytes taken from the input.
    pub taken: usize,
    /// `true` if the message is complete.
    pub is_whole: bool,
}
