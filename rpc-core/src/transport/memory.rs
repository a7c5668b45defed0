//! The transport within one process, for tests and for a client and a server in the same program.

use super::traits::{Messages, Sink, Source};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// One of the two transports of a [`pair`].
pub type MemoryTransport = (MemorySource, MemorySink);

/// Creates two connected transports: each reads the messages that the other writes.
///
/// In each direction, a message is accepted while at most `capacity` bytes are unread.
///
/// ```
/// use rpc_core::block_on;
/// use rpc_core::transport::{Messages, Sink, Source, memory};
///
/// let ((_, mut sink), (mut source, _)) = memory::pair(1024);
/// let mut messages = Messages::new();
/// messages.push(b"[1,2]");
/// block_on(async {
///     sink.send(&messages).await?;
///     let mut message = vec![];
///     assert!(source.receive(&mut message, 100).await?);
///     assert_eq!(message, b"[1,2]");
///     drop(sink);
///     assert!(!source.receive(&mut vec![], 100).await?);
///     Ok::<(), std::io::Error>(())
/// })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn pair(capacity: usize) -> (MemoryTransport, MemoryTransport) {
    let (one, other) = (Arc::new(Pipe::new(capacity)), Arc::new(Pipe::new(capacity)));
    ((MemorySource(other.clone()), MemorySink(one.clone())), (MemorySource(one), MemorySink(other)))
}

/// The messages of one direction. Its lock is not held while a waker is cloned, woken or dropped.
#[derive(Debug)]
struct Pipe {
    state: Mutex<State>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Vec<u8>>,
    queued_bytes: usize,
    is_sink_closed: bool,
    is_source_dropped: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Pipe {
    fn new(capacity: usize) -> Self {
        Pipe { state: Mutex::default(), capacity }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// The source of a [`MemoryTransport`]. Dropping it makes the peer's writes fail.
#[derive(Debug)]
pub struct MemorySource(Arc<Pipe>);

impl Source for MemorySource {
    async fn receive(&mut self, message: &mut Vec<u8>, _: usize) -> io::Result<bool> {
        poll_fn(|context| {
            let waker = context.waker().clone();
            let mut state = self.0.state();
            let Some(next) = state.messages.pop_front() else {
                if state.is_sink_closed {
                    return Poll::Ready(Ok(false));
                }
                let replaced = state.reader.replace(waker);
                drop(state);
                drop(replaced);
                return Poll::Pending;
            };
            state.queued_bytes -= next.len();
            let writer = state.writer.take();
            drop(state);
            wake(writer);
            message.extend_from_slice(&next);
            Poll::Ready(Ok(true))
        })
        .await
    }
}

impl Drop for MemorySource {
    fn drop(&mut self) {
        let writer = {
            let mut state = self.0.state();
            state.is_source_dropped = true;
            state.messages.clear();
            state.writer.take()
        };
        wake(writer);
    }
}

/// The sink of a [`MemoryTransport`]. Closing or dropping it ends the peer's input.
#[derive(Debug)]
pub struct MemorySink(Arc<Pipe>);

impl Sink for MemorySink {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        for message in messages.iter() {
            poll_fn(|context| {
                let waker = context.waker().clone();
                let mut state = self.0.state();
                if state.is_source_dropped || state.is_sink_closed {
                    return Poll::Ready(Err(io::Error::from(io::ErrorKind::BrokenPipe)));
                }
                if state.queued_bytes > self.0.capacity {
                    let replaced = state.writer.replace(waker);
                    drop(state);
                    drop(replaced);
                    return Poll::Pending;
                }
                state.queued_bytes += message.len();
                state.messages.push_back(message.to_vec());
                let reader = state.reader.take();
                drop(state);
                wake(reader);
                Poll::Ready(Ok(()))
            })
            .await?;
        }
        Ok(())
    }

    async fn close(&mut self) {
        self.end();
    }
}

impl MemorySink {
    fn end(&self) {
        let reader = {
            let mut state = self.0.state();
            state.is_sink_closed = true;
            state.reader.take()
        };
        wake(reader);
    }
}

impl Drop for MemorySink {
    fn drop(&mut self) {
        self.end();
    }
}
