//! A thread that reads, and the source that receives its bytes.
//!
//! No lock is held while the thread reads, or while a waker is cloned, woken or dropped.

use super::frame_reader::FrameReader;
use super::traits::Source;
use crate::framing::Framing;
use crate::limits::READ_BYTES;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

/// The limit of bytes that are read ahead.
const MAX_READ_AHEAD: usize = 256 << 10;

/// Reads messages from a blocking reader, on a thread. Created by [`threads`](crate::transport::threads).
pub struct ThreadSource<F> {
    frames: FrameReader<F>,
    input: Arc<ReadBuffer>,
}

impl<F: Framing> ThreadSource<F> {
    pub(super) fn new(reader: impl Read + Send + 'static, framing: F) -> Self {
        let input = Arc::new(ReadBuffer::default());
        let reader_thread = ReaderThread(input.clone());
        let spawned = thread::Builder::new().name("rpc-core reader".into()).spawn(move || reader_thread.run(reader));
        if let Err(error) = spawned {
            input.end(Err(error));
        }
        ThreadSource { frames: FrameReader::new(framing), input }
    }
}

impl<F: Framing> Source for ThreadSource<F> {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        loop {
            if self.frames.next(message, limit)? {
                return Ok(true);
            }
            if self.frames.has_ended() {
                return Ok(false);
            }
            if !self.input.swap(self.frames.buffer().await).await? {
                return self.frames.finish(message);
            }
        }
    }
}

impl<F> Drop for ThreadSource<F> {
    fn drop(&mut self) {
        let mut state = self.input.state();
        state.is_source_dropped = true;
        let waker = state.waker.take();
        let bytes = std::mem::take(&mut state.bytes);
        drop(state);
        self.input.has_room.notify_one();
        drop((waker, bytes));
    }
}

impl<F> fmt::Debug for ThreadSource<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadSource").finish_non_exhaustive()
    }
}

/// The bytes that the thread has read and the source has not yet taken.
#[derive(Default)]
struct ReadBuffer {
    state: Mutex<State>,
    has_room: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The end of the input, or the error that ended it. An error is returned once.
    end: Option<io::Result<()>>,
    is_source_dropped: bool,
    waker: Option<Waker>,
}

impl ReadBuffer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Swaps an empty buffer for the bytes that were read. Returns `false` at the end of the input.
    async fn swap(&self, buffer: &mut Vec<u8>) -> io::Result<bool> {
        poll_fn(|context| {
            let waker = context.waker().clone();
            let mut state = self.state();
            if !state.bytes.is_empty() {
                let was_full = is_full(&state.bytes);
                std::mem::swap(buffer, &mut state.bytes);
                drop(state);
                if was_full {
                    self.has_room.notify_one();
                }
                return Poll::Ready(Ok(true));
            }
            if let Some(end) = &mut state.end {
                return Poll::Ready(std::mem::replace(end, Ok(())).map(|()| false));
            }
            let replaced = state.waker.replace(waker);
            drop(state);
            drop(replaced);
            Poll::Pending
        })
        .await
    }

    /// Appends `bytes` once there is room for them. Returns `false` if the source is dropped.
    fn append(&self, bytes: &[u8]) -> bool {
        let mut state = self.state();
        while is_full(&state.bytes) && !state.is_source_dropped {
            state = self.has_room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_source_dropped {
            return false;
        }
        state.bytes.extend_from_slice(bytes);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
        true
    }

    fn end(&self, end: io::Result<()>) {
        let mut state = self.state();
        state.end = Some(end);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }
}

/// Returns whether one more read could exceed `MAX_READ_AHEAD`.
fn is_full(bytes: &[u8]) -> bool {
    bytes.len() > MAX_READ_AHEAD - READ_BYTES
}

/// The reading thread. Its drop ends the input, so that a reader that panics does too.
struct ReaderThread(Arc<ReadBuffer>);

impl ReaderThread {
    fn run(self, mut reader: impl Read) {
        let mut buffer = vec![0; READ_BYTES];
        let end = loop {
            match reader.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(length) => {
                    if !self.0.append(&buffer[..length]) {
                        return;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        drop(reader);
        self.0.end(end);
    }
}

impl Drop for ReaderThread {
    fn drop(&mut self) {
        let has_ended = self.0.state().end.is_some();
        if !has_ended {
            self.0.end(Err(io::Error::other("the reading thread has panicked")));
        }
    }
}
