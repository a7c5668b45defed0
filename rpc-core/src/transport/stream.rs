//! The transport over a reader and a writer of tokio.

use super::frame_reader::FrameReader;
use super::traits::{Messages, Sink, Source};
use crate::framing::Framing;
use crate::limits::{KEPT_BUFFER_BYTES, READ_BYTES};
use std::io::{self, ErrorKind};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Creates a transport over a reader and a writer of tokio; requires the feature `tokio`.
///
/// `framing` delimits the messages; it is cloned, so that each direction has its own.
///
/// ```
/// use rpc_core::transport::{Headers, Messages, Sink, Source, stream};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (local, remote) = tokio::io::duplex(1024);
/// let (reader, writer) = tokio::io::split(local);
/// let (_, mut sink) = stream(reader, writer, Headers::new());
/// let (reader, writer) = tokio::io::split(remote);
/// let (mut source, _) = stream(reader, writer, Headers::new());
///
/// let mut messages = Messages::new();
/// messages.push(b"[1,2]");
/// sink.send(&messages).await?;
/// let mut message = vec![];
/// assert!(source.receive(&mut message, 100).await?);
/// assert_eq!(message, b"[1,2]");
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn stream<R, W, F>(reader: R, writer: W, framing: F) -> (StreamSource<R, F>, StreamSink<W, F>)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
    F: Framing + Clone,
{
    let source = StreamSource { reader, frames: FrameReader::new(framing.clone()) };
    (source, StreamSink { writer, framing, buffer: Vec::new() })
}

/// Reads messages from a reader of tokio. Created by [`stream`].
#[derive(Debug)]
pub struct StreamSource<R, F> {
    reader: R,
    frames: FrameReader<F>,
}

impl<R: AsyncRead + Unpin + Send + 'static, F: Framing> Source for StreamSource<R, F> {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        loop {
            if self.frames.next(message, limit)? {
                return Ok(true);
            }
            if self.frames.has_ended() {
                return Ok(false);
            }
            let buffer = self.frames.buffer().await;
            buffer.reserve_exact(READ_BYTES);
            match self.reader.read_buf(buffer).await {
                Ok(0) => return self.frames.finish(message),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Writes messages to a writer of tokio, all messages of a [`send`](Sink::send) at once. Created by
/// [`stream`].
/// [`close`](Sink::close) shuts the writer down.
#[derive(Debug)]
pub struct StreamSink<W, F> {
    writer: W,
    framing: F,
    buffer: Vec<u8>,
}

impl<W: AsyncWrite + Unpin + Send + 'static, F: Framing> Sink for StreamSink<W, F> {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        self.buffer.clear();
        messages.iter().for_each(|message| self.framing.encode(message, &mut self.buffer));
        let mut rest = &self.buffer[..];
        while !rest.is_empty() {
            match self.writer.write(rest).await {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.buffer.capacity() > KEPT_BUFFER_BYTES {
            self.buffer = Vec::new();
        }
        loop {
            match self.writer.flush().await {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                flushed => return flushed,
            }
        }
    }

    async fn close(&mut self) {
        // Errors are ignored: `send` has flushed all messages.
        let _ = self.writer.shutdown().await;
    }
}
