//! The transport over a blocking reader and writer.

use super::thread_sink::ThreadSink;
use super::thread_source::ThreadSource;
use crate::framing::Framing;
use std::io::{Read, Write};

/// Creates a transport over a blocking reader and a blocking writer; works on any runtime or none.
///
/// One thread reads and one thread writes. Both are detached: the process can exit while they block.
///
/// - The reading thread reads ahead up to 256 KiB. It exits at the end of the input or, after the source is
///   dropped, with the next bytes, which are lost.
/// - The writing thread exits when a write fails, or when the sink is closed or dropped and all messages are
///   written. A peer that does not read blocks only this thread.
///
/// `framing` delimits the messages; it is cloned, so that each direction has its own.
///
/// ```
/// use rpc_core::block_on;
/// use rpc_core::transport::{Lines, Messages, Sink, Source, threads};
///
/// let (reader, writer) = std::io::pipe()?;
/// let (mut source, mut sink) = threads(reader, writer, Lines::new());
/// let mut messages = Messages::new();
/// messages.push(b"[1,2]");
/// block_on(async {
///     sink.send(&messages).await?;
///     let mut message = vec![];
///     assert!(source.receive(&mut message, 100).await?);
///     assert_eq!(message, b"[1,2]");
///     sink.close().await;
///     assert!(!source.receive(&mut vec![], 100).await?);
///     Ok::<(), std::io::Error>(())
/// })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn threads<R, W, F>(reader: R, writer: W, framing: F) -> (ThreadSource<F>, ThreadSink<F>)
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
    F: Framing + Clone,
{
    (ThreadSource::new(reader, framing.clone()), ThreadSink::new(writer, framing))
}
