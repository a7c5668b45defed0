//! Two ends within a process, for tests and for programs that talk to themselves.

use super::traits::{Messages, Sink, Source};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// One end: where it reads from and where it writes to.
pub type End = (MemorySource, MemorySink);

/// Two ends, each reading what the other writes. What is on its way one way is at most `room` bytes and one
/// message.
///
/// ```
/// use rpc_core::block_on;
/// use rpc_core::transport::{Messages, Sink, Source, memory};
///
/// let ((mut inlet, _), (_, mut outlet)) = memory::pair(1024);
/// let mut messages = Messages::new();
/// messages.push(b"over there");
/// block_on(async {
///     outlet.send(&messages).await?;
///     let mut message = vec![];
///     assert!(inlet.receive(&mut message, 100).await?);
///     assert_eq!(message, b"over there");
///     drop(outlet);
///     assert!(!inlet.receive(&mut vec![], 100).await?);
///     Ok::<(), std::io::Error>(())
/// })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn pair(room: usize) -> (End, End) {
    let (there, back) = (Arc::new(Pipe::with(room)), Arc::new(Pipe::with(room)));
    ((MemorySource(back.clone()), MemorySink(there.clone())), (MemorySource(there), MemorySink(back)))
}

#[derive(Debug)]
struct Pipe {
    state: Mutex<State>,
    room: usize,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    has_ended: bool,
    is_read: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Pipe {
    fn with(room: usize) -> Self {
        Pipe { state: Mutex::new(State { is_read: true, ..State::default() }), room }
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

/// Where an end reads from. Dropped, it makes the other end's writing fail.
#[derive(Debug)]
pub struct MemorySource(Arc<Pipe>);

impl Source for MemorySource {
    async fn receive(&mut self, message: &mut Vec<u8>, _: usize) -> io::Result<bool> {
        poll_fn(|context| {
            let waker = context.waker().clone();
            let mut state = self.0.state();
            let Some(next) = state.messages.pop_front() else {
                if state.has_ended {
                    return Poll::Ready(Ok(false));
                }
                let before = state.reader.replace(waker);
                drop(state);
                drop(before);
                return Poll::Pending;
            };
            state.bytes -= next.len();
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
            state.is_read = false;
            state.messages.clear();
            state.writer.take()
        };
        wake(writer);
    }
}

/// Where an end writes to. Dropped or closed, it ends the other end's input.
#[derive(Debug)]
pub struct MemorySink(Arc<Pipe>);

impl Sink for MemorySink {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        for message in messages.iter() {
            poll_fn(|context| {
                let waker = context.waker().clone();
                let mut state = self.0.state();
                if !state.is_read || state.has_ended {
                    return Poll::Ready(Err(io::Error::from(io::ErrorKind::BrokenPipe)));
                }
                if state.bytes > self.0.room {
                    let before = state.writer.replace(waker);
                    drop(state);
                    drop(before);
                    return Poll::Pending;
                }
                state.bytes += message.len();
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
            state.has_ended = true;
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
