//! A thread that reads, and who waits for what it has read.
//!
//! Nothing is locked while the thread reads or somebody is woken.

use super::frame_reader::FrameReader;
use super::traits::Source;
use crate::framing::Framing;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

/// How many bytes are read at once, and how many may wait, at most.
const PIECE: usize = 64 << 10;
const ROOM: usize = 256 << 10;

/// Reads messages from what a thread reads. Made by [`threads`](crate::transport::threads), where the example is.
pub struct ThreadSource<F> {
    unread: FrameReader<F>,
    read: Arc<ReadBuffer>,
}

impl<F: Framing> ThreadSource<F> {
    pub(super) fn of(reader: impl Read + Send + 'static, framing: F) -> Self {
        let read = Arc::new(ReadBuffer::default());
        let reader_thread = ReaderThread(read.clone());
        let thread = thread::Builder::new().name("rpc-read".to_owned()).spawn(move || reader_thread.fill(reader));
        if let Err(error) = thread {
            read.end(Err(error));
        }
        ThreadSource { unread: FrameReader::with(framing), read }
    }
}

impl<F: Framing> Source for ThreadSource<F> {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        loop {
            if self.unread.next(message, limit)? {
                return Ok(true);
            }
            if self.unread.has_ended() {
                return Ok(false);
            }
            if !self.read.swap(self.unread.buffer().await).await? {
                return self.unread.finish(message);
            }
        }
    }
}

impl<F> Drop for ThreadSource<F> {
    fn drop(&mut self) {
        let mut state = self.read.state();
        state.is_left = true;
        let waker = state.waker.take();
        let bytes = std::mem::take(&mut state.bytes);
        drop(state);
        self.read.room.notify_one();
        drop((waker, bytes));
    }
}

impl<F> fmt::Debug for ThreadSource<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadSource").finish_non_exhaustive()
    }
}

/// What was read and waits.
#[derive(Default)]
struct ReadBuffer {
    state: Mutex<State>,
    room: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The end of the input, or why it failed.
    end: Option<io::Result<()>>,
    /// Nobody wants it any more.
    is_left: bool,
    waker: Option<Waker>,
}

impl ReadBuffer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives what was read for an empty buffer; false at the end.
    async fn swap(&self, buffer: &mut Vec<u8>) -> io::Result<bool> {
        poll_fn(|context| {
            let waker = context.waker().clone();
            let mut state = self.state();
            if !state.bytes.is_empty() {
                let was_full = is_full(&state.bytes);
                std::mem::swap(buffer, &mut state.bytes);
                drop(state);
                if was_full {
                    self.room.notify_one();
                }
                return Poll::Ready(Ok(true));
            }
            if let Some(end) = &mut state.end {
                return Poll::Ready(std::mem::replace(end, Ok(())).map(|()| false));
            }
            let before = state.waker.replace(waker);
            drop(state);
            drop(before);
            Poll::Pending
        })
        .await
    }

    /// Adds what was read when there is room; false when nobody wants it.
    fn add(&self, piece: &[u8]) -> bool {
        let mut state = self.state();
        while is_full(&state.bytes) && !state.is_left {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_left {
            return false;
        }
        state.bytes.extend_from_slice(piece);
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

fn is_full(bytes: &[u8]) -> bool {
    bytes.len() > ROOM - PIECE
}

/// What the thread does. However it ends, so does the input.
struct ReaderThread(Arc<ReadBuffer>);

impl ReaderThread {
    fn fill(self, mut reader: impl Read) {
        let mut piece = vec![0; PIECE];
        let end = loop {
            match reader.read(&mut piece) {
                Ok(0) => break Ok(()),
                Ok(length) => {
                    if !self.0.add(&piece[..length]) {
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
            self.0.end(Err(io::Error::other("the thread that reads has ended")));
        }
    }
}
