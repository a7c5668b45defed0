//! The one loop of a connection, for both directions.
//!
//! Replies and cancels are handled as they are read; reading waits for nothing. Requests begin in the order
//! of their arrival, each polled at once. Whatever is ready to be sent goes out as one write. Every call of
//! this side ends, at the latest with the connection; every call of the other side is answered, or dropped
//! with the connection.

use super::builder::{Config, Connection};
use super::halves::{read, write};
use super::incoming_calls::{IncomingCalls, one};
use super::shutdown::Shutdown;
use crate::block_on::PollingConnection;
use crate::error::CloseReason;
use crate::server::{ConnectionScope, Scope, Service};
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
        let Config { limits, extensions, shutdown_timeout, half_close_timeout, idle: silence, drop_timeout: _ } =
            settings;
        let shared = guard.0.clone();
        let connection_scope = ConnectionScope::new(shared.clone(), extensions);
        let limit = server.limits().message;
        let make =
            |done, blocked, given_up| one(Scope { connection: &connection_scope, blocked, given_up }, &server, done);
        let mut calls = IncomingCalls::new(&server, &connection_scope, make, limits);
        let mut reading = pin!(Some(read(source, Vec::new(), limit)));
        let mut writing = pin!(Some(write(sink, Messages::new())));
        let mut idle = None;
        let mut shutdown = Shutdown::new(shutdown_timeout, half_close_timeout, silence);
        let (reason, sink) = poll_fn(|context| {
            let _serving = PollingConnection::begin();
            shared.register_loop(context);
            calls.finish(context);
            let mut budget = AT_ONCE;
            while let Some(future) = reading.as_mut().as_pin_mut() {
                if budget == 0 {
                    context.waker().wake_by_ref();
                    break;
                }
                let Poll::Ready((source, message, end)) = future.poll(context) else { break };
                budget -= 1;
                shutdown.hear();
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
                        shutdown.read_all(CloseReason::ByPeer);
                    }
                    // The transport lives, but what comes cannot be told apart any more: what came before is answered.
                    Err(error) if error.kind() == ErrorKind::InvalidData => {
                        reading.set(None);
                        shutdown.read_all(shared.close((&error).into()));
                    }
                    Err(error) => return Poll::Ready(((&error).into(), None)),
                }
            }
            if shared.is_shutting_down() {
                shutdown.begin();
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
            let is_busy = || !calls.is_empty() || shared.has_pending_calls();
            let is_done = calls.is_empty() && idle.is_some();
            match shutdown.turn(is_busy, is_done, context) {
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
