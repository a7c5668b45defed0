//! A thread that writes, and who waits until it has written.
//!
//! Nothing is locked while the thread writes or somebody is woken.

use super::traits::{Messages, Sink};
use crate::framing::Framing;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

/// How large a buffer may stay when there is nothing to write.
const KEPT: usize = 256 << 10;

/// Gives messages to a thread that writes them, all that are ready as one write. Made by
/// [`threads`](crate::transport::threads), where the example is.
///
/// What is sent is with the operating system when [`send`](Sink::send) resolves. Closed or dropped, it has the
/// thread drop the writer when all is written; [`close`](Sink::close) waits for it.
pub struct ThreadSink<F> {
    framing: F,
    queue: Arc<WriteQueue>,
}

impl<F: Framing> ThreadSink<F> {
    pub(super) fn of(writer: impl Write + Send + 'static, framing: F) -> Self {
        let queue = Arc::new(WriteQueue::default());
        let writer_thread = WriterThread(queue.clone());
        let thread = thread::Builder::new().name("rpc-write".to_owned()).spawn(move || writer_thread.work(writer));
        if let Err(error) = thread {
            queue.state().written = Err(error);
        }
        ThreadSink { framing, queue }
    }
}

impl<F: Framing> Sink for ThreadSink<F> {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        poll_fn(|context| self.queue.poll_written(context)).await?;
        let mut bytes = std::mem::take(&mut self.queue.state().bytes);
        bytes.clear();
        messages.iter().for_each(|message| self.framing.encode(message, &mut bytes));
        self.queue.give(bytes);
        poll_fn(|context| self.queue.poll_written(context)).await
    }

    async fn close(&mut self) {
        self.queue.close();
        poll_fn(|context| self.queue.poll_ended(context)).await;
    }
}

impl<F> Drop for ThreadSink<F> {
    fn drop(&mut self) {
        self.queue.close();
        let waker = self.queue.state().waker.take();
        drop(waker);
    }
}

impl<F> fmt::Debug for ThreadSink<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadSink").finish_non_exhaustive()
    }
}

/// What is to be written, and how it went.
struct WriteQueue {
    state: Mutex<State>,
    work: Condvar,
}

struct State {
    /// What is to be written; otherwise a buffer for it.
    bytes: Vec<u8>,
    /// From when they are given until they are written.
    is_given: bool,
    written: io::Result<()>,
    /// Nothing more will be given.
    is_closed: bool,
    /// The thread has ended.
    has_ended: bool,
    waker: Option<Waker>,
}

impl Default for WriteQueue {
    fn default() -> Self {
        let (bytes, written) = (Vec::new(), Ok(()));
        let state = State { bytes, is_given: false, written, is_closed: false, has_ended: false, waker: None };
        WriteQueue { state: Mutex::new(state), work: Condvar::new() }
    }
}

impl WriteQueue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, bytes: Vec<u8>) {
        let mut state = self.state();
        state.bytes = bytes;
        state.is_given = true;
        drop(state);
        self.work.notify_one();
    }

    fn close(&self) {
        self.state().is_closed = true;
        self.work.notify_one();
    }

    /// Waits until what was given is written.
    fn poll_written(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(context, |state| {
            if state.written.is_err() {
                return Poll::Ready(std::mem::replace(&mut state.written, Ok(())));
            }
            match state {
                State { has_ended: true, .. } => {
                    Poll::Ready(Err(io::Error::new(ErrorKind::BrokenPipe, "the thread that writes has ended")))
                }
                State { is_given: true, .. } => Poll::Pending,
                _ => Poll::Ready(Ok(())),
            }
        })
    }

    /// Waits until the writer is dropped.
    fn poll_ended(&self, context: &mut Context<'_>) -> Poll<()> {
        self.poll(context, |state| if state.has_ended { Poll::Ready(()) } else { Poll::Pending })
    }

    fn poll<T>(&self, context: &mut Context<'_>, look: impl FnOnce(&mut State) -> Poll<T>) -> Poll<T> {
        let waker = context.waker().clone();
        let mut state = self.state();
        let poll = look(&mut state);
        let before = if poll.is_pending() { state.waker.replace(waker) } else { state.waker.take() };
        drop(state);
        drop(before);
        poll
    }

    /// Changes the state for those who wait.
    fn tell(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Waits for bytes to write; none when there will be no more.
    fn take(&self) -> Option<Vec<u8>> {
        let mut state = self.state();
        while !state.is_given {
            if state.is_closed {
                return None;
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Some(std::mem::take(&mut state.bytes))
    }
}

/// What the thread does.
struct WriterThread(Arc<WriteQueue>);

impl WriterThread {
    fn work(self, mut writer: impl Write) {
        while let Some(bytes) = self.0.take() {
            let written = write(&mut writer, &bytes);
            let has_failed = written.is_err();
            self.0.tell(|state| {
                state.is_given = false;
                state.written = written;
                if bytes.capacity() <= KEPT {
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
        self.0.tell(|state| state.has_ended = true);
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
