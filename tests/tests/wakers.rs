//! Wakers are anybody's code: whatever one does when it is woken or dropped, nothing stands still.

use rpc_core::time::{ManualTimer, Timer};
use rpc_core::transport::{Messages, Sink, Source, memory};
use rpc_core::{Server, rpc};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// Does something when its last owner drops it.
struct OnDrop(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Wake for OnDrop {
    fn wake(self: Arc<Self>) {}
}

impl Drop for OnDrop {
    fn drop(&mut self) {
        if let Some(act) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            act();
        }
    }
}

fn waker(act: impl FnOnce() + Send + 'static) -> Waker {
    Arc::new(OnDrop(Mutex::new(Some(Box::new(act))))).into()
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

#[test]
fn a_waker_that_uses_the_timer_when_it_is_dropped() {
    let timer = ManualTimer::new();
    let act = || {
        let timer = timer.clone();
        move || assert!(timer.pending_count() <= 1)
    };
    let mut wait = timer.sleep(Duration::from_secs(1));
    assert!(poll(wait.as_mut(), &waker(act())).is_pending());
    assert!(poll(wait.as_mut(), &waker(act())).is_pending());
    drop(wait);
    let mut wait = timer.sleep(Duration::from_secs(1));
    assert!(poll(wait.as_mut(), &waker(act())).is_pending());
    timer.advance(Duration::MAX);
    timer.advance(Duration::MAX);
    assert!(poll(wait.as_mut(), Waker::noop()).is_ready());
}

#[rpc(server)]
trait Slow {
    async fn slow(&self);
}

#[derive(Clone, Default)]
struct Mine(Arc<Mutex<Vec<Waker>>>);

impl Mine {
    fn wake(&self) {
        let wakers = std::mem::take(&mut *self.0.lock().expect("not poisoned"));
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Slow for Mine {
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
fn a_waker_that_wakes_the_members_of_its_batch_when_it_is_dropped() {
    let mine = Mine::default();
    let server = Server::new(SlowService::new(mine.clone()));
    let call = |id: u8| format!(r#"{{"jsonrpc":"2.0","method":"slow","id":{id}}}"#);
    let mut response = pin!(server.handle(format!("[{},{}]", call(1), call(2))));
    for _ in 0..20 {
        let members = mine.clone();
        if poll(response.as_mut(), &waker(move || members.wake())).is_ready() {
            return;
        }
        mine.wake();
    }
    panic!("it never ends");
}

#[test]
fn a_waker_that_uses_the_pipe_when_it_is_dropped() {
    let ((inlet, outlet), (mut there, mut back)) = memory::pair(1);
    let (inlet, outlet) = (Arc::new(Mutex::new(Some(inlet))), Arc::new(Mutex::new(Some(outlet))));
    let mut message = Vec::new();
    {
        let mut reading = pin!(there.receive(&mut message, 100));
        for _ in 0..2 {
            let outlet = outlet.clone();
            let act = move || drop(outlet.lock().expect("not poisoned").take());
            let _ = poll(reading.as_mut(), &waker(act));
        }
        assert!(matches!(poll(reading.as_mut(), Waker::noop()), Poll::Ready(Ok(false))));
    }
    let mut messages = Messages::new();
    (0..3).for_each(|_| messages.push(b"more than there is room for"));
    let mut writing = pin!(back.send(&messages));
    for _ in 0..2 {
        let inlet = inlet.clone();
        let act = move || drop(inlet.lock().expect("not poisoned").take());
        let _ = poll(writing.as_mut(), &waker(act));
    }
    assert!(matches!(poll(writing.as_mut(), Waker::noop()), Poll::Ready(Err(_))));
}
