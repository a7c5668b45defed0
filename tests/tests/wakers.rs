//! A waker is foreign code: it can call back into the crate when it is woken or dropped, without a deadlock.

use rpc_core::time::{ManualTimer, Timer};
use rpc_core::transport::{Messages, Sink, Source, memory};
use rpc_core::{Server, rpc};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// A waker that runs a closure when its last clone is dropped.
struct RunOnDrop(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Wake for RunOnDrop {
    fn wake(self: Arc<Self>) {}
}

impl Drop for RunOnDrop {
    fn drop(&mut self) {
        if let Some(on_drop) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            on_drop();
        }
    }
}

fn waker(on_drop: impl FnOnce() + Send + 'static) -> Waker {
    Arc::new(RunOnDrop(Mutex::new(Some(Box::new(on_drop))))).into()
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

#[test]
fn a_waker_can_use_the_timer_when_it_is_dropped() {
    let timer = ManualTimer::new();
    let use_timer = || {
        let timer = timer.clone();
        move || assert!(timer.pending_count() <= 1)
    };
    let mut sleep = timer.sleep(Duration::from_secs(1));
    assert!(poll(sleep.as_mut(), &waker(use_timer())).is_pending());
    assert!(poll(sleep.as_mut(), &waker(use_timer())).is_pending());
    drop(sleep);
    let mut sleep = timer.sleep(Duration::from_secs(1));
    assert!(poll(sleep.as_mut(), &waker(use_timer())).is_pending());
    timer.advance(Duration::MAX);
    timer.advance(Duration::MAX);
    assert!(poll(sleep.as_mut(), Waker::noop()).is_ready());
}

#[rpc(server)]
trait Slow {
    async fn slow(&self);
}

#[derive(Clone, Default)]
struct SlowHandlers(Arc<Mutex<Vec<Waker>>>);

impl SlowHandlers {
    fn wake(&self) {
        let wakers = std::mem::take(&mut *self.0.lock().expect("not poisoned"));
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Slow for SlowHandlers {
    async fn slow(&self) {
        let mut polls = 0;
        poll_fn(|context| {
            polls += 1;
            self.0.lock().expect("not poisoned").push(context.waker().clone());
            if polls < 4 { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }
}

#[test]
fn a_waker_can_wake_the_members_of_its_batch_when_it_is_dropped() {
    let handlers = SlowHandlers::default();
    let server = Server::new(SlowService::new(handlers.clone()));
    let call = |id: u8| format!(r#"{{"jsonrpc":"2.0","method":"slow","id":{id}}}"#);
    let mut response = pin!(server.handle(format!("[{},{}]", call(1), call(2))));
    for _ in 0..20 {
        let members = handlers.clone();
        if poll(response.as_mut(), &waker(move || members.wake())).is_ready() {
            return;
        }
        handlers.wake();
    }
    panic!("the batch does not complete");
}

#[test]
fn a_waker_can_drop_the_peers_memory_transport_when_it_is_dropped() {
    let ((peer_source, peer_sink), (mut source, mut sink)) = memory::pair(1);
    let peer_source = Arc::new(Mutex::new(Some(peer_source)));
    let peer_sink = Arc::new(Mutex::new(Some(peer_sink)));
    let mut message = Vec::new();
    {
        let mut receive = pin!(source.receive(&mut message, 100));
        for _ in 0..2 {
            let peer_sink = peer_sink.clone();
            let drop_sink = move || drop(peer_sink.lock().expect("not poisoned").take());
            let _ = poll(receive.as_mut(), &waker(drop_sink));
        }
        assert!(matches!(poll(receive.as_mut(), Waker::noop()), Poll::Ready(Ok(false))));
    }
    let mut messages = Messages::new();
    (0..3).for_each(|_| messages.push(b"more than the capacity"));
    let mut send = pin!(sink.send(&messages));
    for _ in 0..2 {
        let peer_source = peer_source.clone();
        let drop_source = move || drop(peer_source.lock().expect("not poisoned").take());
        let _ = poll(send.as_mut(), &waker(drop_source));
    }
    assert!(matches!(poll(send.as_mut(), Waker::noop()), Poll::Ready(Err(_))));
}
