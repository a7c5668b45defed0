//! Bytes that were read, and the framing that decodes messages from them.

use crate::framing::{Framing, Progress};
use std::future::poll_fn;
use std::io;
use std::task::Poll;

/// The number of reads in a row without a whole message, after which the task yields to others.
const READS_PER_YIELD: u32 = 4;

#[derive(Debug)]
pub(super) struct FrameReader<F> {
    framing: F,
    bytes: Vec<u8>,
    consumed: usize,
    has_ended: bool,
    /// The number of reads since the last whole message.
    reads: u32,
}

impl<F: Framing> FrameReader<F> {
    pub(super) fn new(framing: F) -> Self {
        FrameReader { framing, bytes: Vec::new(), consumed: 0, has_ended: false, reads: 0 }
    }

    /// Decodes buffered bytes into `message`. Returns whether it is whole; if not, all bytes are consumed.
    pub(super) fn next(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        while self.consumed < self.bytes.len() {
            let rest = &self.bytes[self.consumed..];
            let Progress { taken, is_whole } = self.framing.decode(rest, message, limit)?;
            if taken > rest.len() || (taken == 0 && !is_whole) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "the framing makes no progress"));
            }
            self.consumed += taken;
            if is_whole {
                self.reads = 0;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the emptied buffer to read into. Yields now and then: endless blank lines are always ready.
    pub(super) async fn buffer(&mut self) -> &mut Vec<u8> {
        self.reads += 1;
        if self.reads > READS_PER_YIELD {
            self.reads = 0;
            yield_now().await;
        }
        self.bytes.clear();
        self.consumed = 0;
        &mut self.bytes
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Handles the end of the input. Returns whether `message` is a last message.
    pub(super) fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        self.has_ended = true;
        self.framing.finish(message)
    }
}

async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
