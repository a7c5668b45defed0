//! A thread that writes, and the sink that waits for its writes.
//!
//! No lock is held while the thread writes, or while a waker is cloned, woken or dropped.

use super::traits::{Messages, Sink};
use crate::framing::Framing;
use crate::limits::KEPT_BUFFER_BYTES;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

/// Writes messages to a blocking writer, on a thread. Created by [`threads`](crate::transport::threads).
///
/// [`send`](Sink::send) resolves when its messages are written, as one write, and flushed. Closing or
/// dropping the sink drops the writer after a pending write; [`close`](Sink::close) waits for that.
pub struct ThreadSink<F> {
    framing: F,
    slot: Arc<WriteSlot>,
}

impl<F: Framing> ThreadSink<F> {
    pub(super) fn new(writer: impl Write + Send + 'static, framing: F) -> Self {
        let slot = Arc::new(WriteSlot::default());
        let writer_thread = WriterThread(slot.clone());
        let spawned = thread::Builder::new().name("rpc-core writer".into()).spawn(move || writer_thread.run(writer));
        if let Err(error) = spawned {
            slot.state().result = Err(error);
        }
        ThreadSink { framing, slot }
    }
}

impl<F: Framing> Sink for ThreadSink<F> {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        poll_fn(|context| self.slot.poll_written(context)).await?;
        let mut bytes = std::mem::take(&mut self.slot.state().bytes);
        bytes.clear();
        messages.iter().for_each(|message| self.framing.encode(message, &mut bytes));
        self.slot.fill(bytes);
        poll_fn(|context| self.slot.poll_written(context)).await
    }

    async fn close(&mut self) {
        self.slot.close();
        poll_fn(|context| self.slot.poll_exited(context)).await;
    }
}

impl<F> Drop for ThreadSink<F> {
    fn drop(&mut self) {
        self.slot.close();
        let waker = self.slot.state().waker.take();
        drop(waker);
    }
}

impl<F> fmt::Debug for ThreadSink<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadSink").finish_non_exhaustive()
    }
}

/// One pending write, and the result of the last one.
struct WriteSlot {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The bytes of the pending write, or else a buffer to reuse.
    bytes: Vec<u8>,
    is_pending: bool,
    /// The result of the last write. An error is returned once.
    result: io::Result<()>,
    is_closed: bool,
    has_exited: bool,
    waker: Option<Waker>,
}

impl Default for WriteSlot {
    fn default() -> Self {
        let (bytes, result) = (Vec::new(), Ok(()));
        let state = State { bytes, is_pending: false, result, is_closed: false, has_exited: false, waker: None };
        WriteSlot { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl WriteSlot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fill(&self, bytes: Vec<u8>) {
        let mut state = self.state();
        state.bytes = bytes;
        state.is_pending = true;
        drop(state);
        self.changed.notify_one();
    }

    fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_one();
    }

    /// Ready when no write is pending, with the result of the last one.
    fn poll_written(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(context, |state| {
            if state.result.is_err() {
                return Poll::Ready(std::mem::replace(&mut state.result, Ok(())));
            }
            match state {
                State { has_exited: true, .. } => {
                    Poll::Ready(Err(io::Error::new(ErrorKind::BrokenPipe, "the writing thread has exited")))
                }
                State { is_pending: true, .. } => Poll::Pending,
                _ => Poll::Ready(Ok(())),
            }
        })
    }

    fn poll_exited(&self, context: &mut Context<'_>) -> Poll<()> {
        self.poll(context, |state| if state.has_exited { Poll::Ready(()) } else { Poll::Pending })
    }

    fn poll<T>(&self, context: &mut Context<'_>, check: impl FnOnce(&mut State) -> Poll<T>) -> Poll<T> {
        let waker = context.waker().clone();
        let mut state = self.state();
        let poll = check(&mut state);
        let replaced = if poll.is_pending() { state.waker.replace(waker) } else { state.waker.take() };
        drop(state);
        drop(replaced);
        poll
    }

    /// Changes the state and wakes the sink.
    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Blocks until a write is pending, and returns its bytes; `None` after the close.
    fn take(&self) -> Option<Vec<u8>> {
        let mut state = self.state();
        while !state.is_pending {
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Some(std::mem::take(&mut state.bytes))
    }
}

/// The writing thread. Its drop reports the exit, so that a writer that panics is reported too.
struct WriterThread(Arc<WriteSlot>);

impl WriterThread {
    fn run(self, mut writer: impl Write) {
        while let Some(bytes) = self.0.take() {
            let result = write(&mut writer, &bytes);
            let has_failed = result.is_err();
            self.0.update(|state| {
                state.is_pending = false;
                state.result = result;
                if bytes.capacity() <= KEPT_BUFFER_BYTES {
                    state.bytes = bytes;
                }
            });
            if has_failed {
                break;
            }
        }
        drop(writer);
    }
}

impl Drop for WriterThread {
    fn drop(&mut self) {
        self.0.update(|state| state.has_exited = true);
    }
}

fn write(writer: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    writer.write_all(bytes)?;
    loop {
        match writer.flush() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            flushed => return flushed,
        }
    }
}
