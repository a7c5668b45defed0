//! The one loop of a connection, for both directions.
//!
//! Replies and cancels are handled as they are read; reading waits for nothing. Requests begin in the order
//! of their arrival, each polled at once. Whatever is ready to be sent goes out as one write. Every call of
//! this side ends, at the latest with the connection; every call of the other side is answered, or dropped
//! with the connection.

use super::builder::{Connection, Settings};
use super::calls::{Calls, one};
use super::ending::Ending;
use super::ends::{read, write};
use crate::block_on::Serving;
use crate::error::CloseReason;
use crate::server::{Connected, Scope, Service};
use crate::transport::{Messages, Sink, Source};
use std::future::poll_fn;
use std::io::ErrorKind;
use std::pin::pin;
use std::task::Poll;

/// How many messages are read in one turn, so that a fast peer starves nobody.
const AT_ONCE: usize = 64;

impl<S: Service, R: Source, W: Sink> Connection<S, R, W> {
    /// Serves and pairs until the connection ends, and says why it did.
    ///
    /// When the input ends, what was asked is answered first. When this future is dropped, the calls of this
    /// side end with [`CloseReason::Dropped`].
    pub async fn run(self) -> CloseReason {
        let Connection { server, guard, settings, source, sink } = self;
        let Settings { limits, extensions, grace, linger, idle: silence, farewell: _ } = settings;
        let shared = guard.0.clone();
        let connected = Connected::new(shared.clone(), extensions);
        let limit = server.limits().message;
        let make = |done, lent, given_up| one(Scope { connected: &connected, lent, given_up }, &server, done);
        let mut calls = Calls::new(&server, &connected, make, limits);
        let mut reading = pin!(Some(read(source, Vec::new(), limit)));
        let mut writing = pin!(Some(write(sink, Messages::new())));
        let mut idle = None;
        let mut ending = Ending::new(grace, linger, silence);
        let (reason, sink) = poll_fn(|context| {
            let _serving = Serving::begin();
            shared.attend(context);
            calls.finish(context);
            let mut budget = AT_ONCE;
            while let Some(future) = reading.as_mut().as_pin_mut() {
                if budget == 0 {
                    context.waker().wake_by_ref();
                    break;
                }
                let Poll::Ready((source, message, end)) = future.poll(context) else { break };
                budget -= 1;
                ending.hear();
                match end {
                    Ok(true) => {
                        let spare = match calls.take(message) {
                            Ok(spare) => spare,
                            Err(reason) => return Poll::Ready((reason, None)),
                        };
                        reading.set(Some(read(source, spare, limit)));
                    }
                    Ok(false) => {
                        reading.set(None);
                        // No reply can come any more.
                        shared.close(CloseReason::ByPeer);
                        ending.read_all(CloseReason::ByPeer);
                    }
                    // The transport lives, but what comes cannot be told apart any more: what came before is answered.
                    Err(error) if error.kind() == ErrorKind::InvalidData => {
                        reading.set(None);
                        ending.read_all(shared.close((&error).into()));
                    }
                    Err(error) => return Poll::Ready(((&error).into(), None)),
                }
            }
            if shared.is_stopping() {
                ending.stop();
            }
            loop {
                calls.start();
                if let Some(future) = writing.as_mut().as_pin_mut() {
                    let Poll::Ready((sink, mut messages, written)) = future.poll(context) else {
                        calls.is_unread = shared.is_full();
                        break;
                    };
                    calls.is_unread = false;
                    writing.set(None);
                    if let Err(error) = written {
                        return Poll::Ready(((&error).into(), None));
                    }
                    messages.clear();
                    idle = Some((sink, messages));
                }
                let Some((sink, mut messages)) = idle.take() else { break };
                if !shared.take_outbox(&mut messages) {
                    idle = Some((sink, messages));
                    break;
                }
                writing.set(Some(write(sink, messages)));
            }
            let is_busy = || !calls.is_empty() || shared.has_open_calls();
            let is_done = calls.is_empty() && idle.is_some();
            match ending.turn(is_busy, is_done, context) {
                Some(reason) => Poll::Ready((reason, idle.take().map(|(sink, _)| sink))),
                None => Poll::Pending,
            }
        })
        .await;
        let reason = shared.close(reason);
        // Closing may take its time.
        drop(calls);
        if let Some(mut sink) = sink {
            sink.close().await;
        }
        reason
    }
}
