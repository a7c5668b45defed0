//! Over anything that blocks.

use super::thread_sink::ThreadSink;
use super::thread_source::ThreadSource;
use crate::framing::Framing;
use std::io::{Read, Write};

/// A transport over a reader and a writer that block, on any runtime or none: a thread reads, another writes.
///
/// The threads are detached: a program can end while one of them waits. The reader's thread reads ahead, at
/// most about 256 KiB; it ends when the input does, or with the first bytes after the source is dropped, which
/// are lost. The writer's ends when the sink is closed or dropped and all is written, or when writing fails.
/// Another side that does not read holds up its own writer's thread and nobody else.
///
/// `framing` says how messages stand in the bytes; it is copied, once for each direction.
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
    (ThreadSource::of(reader, framing.clone()), ThreadSink::of(writer, framing))
}
