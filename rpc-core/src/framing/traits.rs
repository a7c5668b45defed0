//! What a framing has to do.

use std::io;

/// How messages stand in a stream of bytes: where each ends, and what is written around it.
///
/// A framing does no I/O: a transport hands it the bytes that it has read, in whatever pieces they came. Each
/// connection has a framing of its own, fresh when it begins. [`Lines`](crate::transport::Lines) and
/// [`Headers`](crate::transport::Headers) are here; another is one implementation:
///
/// ```
/// use rpc_core::block_on;
/// use rpc_core::transport::{Framing, Progress, Source, threads};
/// use std::io;
///
/// /// A zero byte ends each message.
/// #[derive(Clone)]
/// struct Zeros;
///
/// impl Framing for Zeros {
///     fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
///         let end = input.iter().position(|byte| *byte == 0);
///         let content = &input[..end.unwrap_or(input.len())];
///         // Of a message that is too long no more is kept than what shows it.
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
    /// Takes bytes from the front of `input`, adds what is content to `message`, and says how far it came.
    ///
    /// `message` is empty when a message begins, and comes back as it was left until the message is whole. It is
    /// called again with what it has not taken. It takes at least one byte, or ends a message: what it needs
    /// of several pieces at once it keeps itself.
    ///
    /// A message may be longer than `limit` bytes. Then `limit` bytes of it and one more are kept, which show
    /// that it is too long, and the rest is passed over.
    ///
    /// # Errors
    ///
    /// When the bytes are such that the end of the message cannot be found: the stream is not read any further.
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress>;

    /// The input has ended: says whether what `message` holds is a last message. False when nothing was begun.
    ///
    /// # Errors
    ///
    /// When the input ended within a message, of kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof).
    fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool>;

    /// Adds a message to `out`, as it stands in the stream.
    fn encode(&self, message: &[u8], out: &mut Vec<u8>);
}

/// How far [`Framing::decode`] came.
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
    /// How many bytes of the input were taken.
    pub taken: usize,
    /// Whether the message has its end.
    pub is_whole: bool,
}
