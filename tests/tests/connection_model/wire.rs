//! Wrappers of a transport that record the messages, inject others, and fail on demand.

use super::service::{HandlerLog, lock};
use rpc_core::transport::{Messages, Sink, Source};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// The messages that one side has read and written.
#[derive(Default)]
pub(crate) struct Record {
    /// For each id the number of requests without a response.
    unanswered: HashMap<String, i64>,
    /// For each id the number of cancels by the peer.
    cancelled: HashMap<String, i64>,
    /// Input to be read in addition to that of the peer.
    injected: VecDeque<Injected>,
    reader: Option<Waker>,
    pub(crate) failing_writes: bool,
    /// Set when a write has failed: responses may be missing.
    pub(crate) has_failed: bool,
    pub(crate) has_ended: bool,
    pub(crate) text: Vec<String>,
    faults: Vec<String>,
}

pub(crate) enum Injected {
    Message(String),
    End,
    Failure,
}

/// The record of one side, with its log.
#[derive(Clone)]
pub(crate) struct Tap {
    pub(crate) record: Arc<Mutex<Record>>,
    pub(crate) log: Arc<Mutex<HandlerLog>>,
}

impl Tap {
    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn inject(&self, injected: Injected) {
        let waker = {
            let mut record = self.record();
            record.injected.push_back(injected);
            record.reader.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Records a message that this side reads.
    fn read(&self, message: &[u8]) {
        let mut record = self.record();
        record.text.push(format!("reads {}", String::from_utf8_lossy(message)));
        let Ok(value) = serde_json::from_slice::<Value>(message) else {
            *record.unanswered.entry("null".to_owned()).or_default() += 1;
            return;
        };
        let (mut numbers, mut is_exclusive) = (Vec::new(), false);
        let members = members(&value);
        if members.is_empty() {
            *record.unanswered.entry("null".to_owned()).or_default() += 1;
        }
        for member in members {
            let Some(method) = member["method"].as_str() else {
                if member.get("result").is_none() && member.get("error").is_none() {
                    let id = member.get("id").unwrap_or(&Value::Null);
                    *record.unanswered.entry(id.to_string()).or_default() += 1;
                }
                continue;
            };
            if let Some(id) = member.get("id") {
                *record.unanswered.entry(id.to_string()).or_default() += 1;
            }
            if let Some(id) = member["params"].get("id").or(member["params"].get("requestId")) {
                *record.cancelled.entry(id.to_string()).or_default() += 1;
            }
            numbers.extend(member["params"]["n"].as_u64());
            is_exclusive |= method.contains("alone");
        }
        drop(record);
        lock(&self.log).arrive(&numbers, is_exclusive);
    }

    /// Records a message that this side writes.
    fn write(&self, message: &[u8]) {
        let mut record = self.record();
        record.text.push(format!("writes {}", String::from_utf8_lossy(message)));
        let value: Value = serde_json::from_slice(message).expect("only JSON is written");
        for response in members(&value).into_iter().filter(|member| member.get("method").is_none()) {
            let id = response["id"].to_string();
            let unanswered = record.unanswered.entry(id.clone()).or_default();
            *unanswered -= 1;
            if *unanswered < 0 {
                record.faults.push(format!("a response with the id {id} without a request"));
            }
        }
    }

    /// Returns the faults in the written messages. If `is_complete` is set, every request must have a response.
    pub(crate) fn check(&self, is_complete: bool, answers_cancelled: bool) -> Vec<String> {
        let record = self.record();
        let mut faults = record.faults.clone();
        for (id, count) in record.unanswered.iter().filter(|(_, count)| is_complete && **count > 0) {
            let cancelled = record.cancelled.get(id).copied().unwrap_or(0);
            if answers_cancelled || cancelled == 0 {
                faults.push(format!("{count} requests with the id {id} have no response"));
            }
        }
        faults
    }
}

fn members(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(members) => members.iter().collect(),
        single => vec![single],
    }
}

/// A source that records what it reads.
pub(crate) struct TappedSource<R>(pub(crate) R, pub(crate) Tap);

impl<R: Source> Source for TappedSource<R> {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        let TappedSource(inner, tap) = self;
        let injected = {
            let mut inner = pin!(inner.receive(message, limit));
            poll_fn(|context| {
                let mut record = tap.record();
                if let Some(injected) = record.injected.pop_front() {
                    return Poll::Ready(Ok(injected));
                }
                record.reader = Some(context.waker().clone());
                drop(record);
                inner.as_mut().poll(context).map(Err)
            })
            .await
        };
        match injected {
            Ok(Injected::Message(text)) => message.extend_from_slice(text.as_bytes()),
            Ok(Injected::End) | Err(Ok(false)) => {
                tap.record().has_ended = true;
                return Ok(false);
            }
            Ok(Injected::Failure) => return Err(io::ErrorKind::ConnectionReset.into()),
            Err(Ok(true)) => {}
            Err(Err(error)) => return Err(error),
        }
        tap.read(message);
        Ok(true)
    }
}

/// A sink that records what it writes.
pub(crate) struct TappedSink<W>(pub(crate) W, pub(crate) Tap);

impl<W: Sink> Sink for TappedSink<W> {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        messages.iter().for_each(|message| self.1.write(message));
        let sent = if self.1.record().failing_writes { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) };
        let sent = match sent {
            Ok(()) => self.0.send(messages).await,
            failed => failed,
        };
        self.1.record().has_failed |= sent.is_err();
        sent
    }

    async fn close(&mut self) {
        self.0.close().await;
    }
}
