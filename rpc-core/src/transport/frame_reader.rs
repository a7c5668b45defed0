//! Bytes that were read and not yet taken, and the framing that takes them.

use crate::framing::{Framing, Progress};
use std::future::poll_fn;
use std::io;
use std::task::Poll;

/// How many reads may follow each other without a message, before others have their turn.
const AT_ONCE: u32 = 4;

#[derive(Debug)]
pub(super) struct FrameReader<F> {
    framing: F,
    bytes: Vec<u8>,
    taken: usize,
    has_ended: bool,
    /// How many reads have followed each other.
    reads: u32,
}

impl<F: Framing> FrameReader<F> {
    pub(super) fn with(framing: F) -> Self {
        FrameReader { framing, bytes: Vec::new(), taken: 0, has_ended: false, reads: 0 }
    }

    /// Whether `message` is whole, with what was read already.
    pub(super) fn next(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        while self.taken < self.bytes.len() {
            let rest = &self.bytes[self.taken..];
            let Progress { taken, is_whole } = self.framing.decode(rest, message, limit)?;
            if taken > rest.len() || (taken == 0 && !is_whole) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "the framing does not go on"));
            }
            self.taken += taken;
            if is_whole {
                self.reads = 0;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The buffer to read into; what it holds was taken. Input that is always ready and never a message, such as
    /// blank lines without end, gives way to others now and then.
    pub(super) async fn buffer(&mut self) -> &mut Vec<u8> {
        self.reads += 1;
        if self.reads > AT_ONCE {
            self.reads = 0;
            give_way().await;
        }
        self.bytes.clear();
        self.taken = 0;
        &mut self.bytes
    }

    /// Whether the input has ended: nothing is read any more.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The input has ended: whether `message` is a last one.
    pub(super) fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        self.has_ended = true;
        self.framing.finish(message)
    }
}

async fn give_way() {
    let mut has_given = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_given, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
