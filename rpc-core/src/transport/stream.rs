//! Over anything that tokio reads and writes.

use super::frame_reader::FrameReader;
use super::traits::{Messages, Sink, Source};
use crate::framing::Framing;
use std::io::{self, ErrorKind};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// How many bytes are read at once, at most.
const PIECE: usize = 64 << 10;

/// How large a buffer may stay when there is nothing to send.
const KEPT: usize = 256 << 10;

/// A transport over a reader and a writer of tokio; needs the feature `tokio`.
///
/// `framing` says how messages stand in the bytes; it is copied, once for each direction.
///
/// ```
/// use rpc_core::transport::{Headers, Messages, Sink, Source, stream};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (here, there) = tokio::io::duplex(1024);
/// let (reader, writer) = tokio::io::split(here);
/// let (_, mut sink) = stream(reader, writer, Headers::new());
/// let (reader, writer) = tokio::io::split(there);
/// let (mut source, _) = stream(reader, writer, Headers::new());
///
/// let mut messages = Messages::new();
/// messages.push(b"over there");
/// sink.send(&messages).await?;
/// let mut message = vec![];
/// assert!(source.receive(&mut message, 100).await?);
/// assert_eq!(message, b"over there");
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
    let source = StreamSource { reader, unread: FrameReader::with(framing.clone()) };
    (source, StreamSink { writer, framing, buffer: Vec::new() })
}

/// Reads messages from a reader of tokio. Made by [`stream`], where the example is.
#[derive(Debug)]
pub struct StreamSource<R, F> {
    reader: R,
    unread: FrameReader<F>,
}

impl<R: AsyncRead + Unpin + Send + 'static, F: Framing> Source for StreamSource<R, F> {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        loop {
            if self.unread.next(message, limit)? {
                return Ok(true);
            }
            if self.unread.has_ended() {
                return Ok(false);
            }
            let buffer = self.unread.buffer().await;
            buffer.reserve_exact(PIECE);
            match self.reader.read_buf(buffer).await {
                Ok(0) => return self.unread.finish(message),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Writes messages to a writer of tokio, all that are ready as one write. Made by [`stream`], where the example
/// is. Closed, it shuts the writer down.
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
        if self.buffer.capacity() > KEPT {
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
        // What fails now is nobody's concern any more.
        let _ = self.writer.shutdown().await;
    }
}
