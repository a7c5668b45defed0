//! Transports that fail as they please: what no real one does when it is asked to.

use crate::run;
use rpc_core::ClientError;
use rpc_core::client::CloseReason;
use rpc_core::transport::memory::{self, MemorySink, MemorySource};
use rpc_core::transport::{Messages, Sink, Source};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use tests::task::Gate;
use tests::transport_service::{Count, MySide, Setup, SideClient};

/// Reads until it is told to fail.
struct Reads(MemorySource, Option<Arc<Gate>>);

impl Source for Reads {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        let Reads(inlet, Some(fault)) = self else { return self.0.receive(message, limit).await };
        tokio::select! {
            read = inlet.receive(message, limit) => read,
            () = fault.passed() => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }
}

/// Writes until it is told to fail, and counts.
struct Writes(MemorySink, Option<Arc<Gate>>, Count);

impl Sink for Writes {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        self.0.send(messages).await?;
        let count = messages.iter().count();
        if self.2.change(|sent| sent + count) >= 16
            && let Some(fault) = &self.1
        {
            fault.passed().await;
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }
}

// R29
#[test]
fn calls_that_wait_end_when_reading_or_writing_fails() {
    run(async {
        for reading in [true, false] {
            let ((inlet, outlet), _other) = memory::pair(1 << 16);
            let (fault, sent) = (Arc::new(Gate::default()), Count::default());
            let (of_reading, of_writing) = (reading.then(|| fault.clone()), (!reading).then(|| fault.clone()));
            let ends = (Reads(inlet, of_reading), Writes(outlet, of_writing, sent.clone()));
            let peer = crate::cases::run(Setup::default().builder(&MySide::default()).over(ends));
            let side = SideClient::new(peer.clone());
            let calls: Vec<_> = (0..16).map(|_| side.wait().into_future()).collect();
            sent.is(16).await;
            fault.open();
            let kind = if reading { io::ErrorKind::ConnectionReset } else { io::ErrorKind::BrokenPipe };
            let reason = peer.closed().await;
            assert!(matches!(&reason, CloseReason::Failed { kind: why, .. } if *why == kind), "{reason}");
            for call in calls {
                assert!(matches!(call.await, Err(ClientError::Closed(why)) if why == reason));
            }
            assert!(matches!(side.add(1, 2).await, Err(ClientError::Closed(why)) if why == reason));
        }
    });
}

/// Answers each call while it is written.
struct Echoes(Arc<Mutex<VecDeque<String>>>, Arc<tokio::sync::Notify>);

impl Sink for Echoes {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        for message in messages.iter() {
            let call: serde_json::Value = serde_json::from_slice(message).expect("a call");
            let response = format!(r#"{{"jsonrpc":"2.0","result":{0},"id":{0}}}"#, call["id"]);
            self.0.lock().expect("not poisoned").push_back(response);
            self.1.notify_one();
        }
        // The answers are read before this has returned.
        while !self.0.lock().expect("not poisoned").is_empty() {
            tests::task::yield_now().await;
        }
        Ok(())
    }
}

impl Source for Echoes {
    async fn receive(&mut self, message: &mut Vec<u8>, _: usize) -> io::Result<bool> {
        loop {
            let response = self.0.lock().expect("not poisoned").pop_front();
            if let Some(response) = response {
                message.extend_from_slice(response.as_bytes());
                return Ok(true);
            }
            self.1.notified().await;
        }
    }
}

// R08
#[test]
fn an_answer_within_the_write_finds_its_call() {
    run(async {
        let (responses, come) = (Arc::default(), Arc::new(tokio::sync::Notify::new()));
        let ends = (Echoes(Arc::clone(&responses), come.clone()), Echoes(responses, come));
        let peer = crate::cases::run(Setup::default().builder(&MySide::default()).over(ends));
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let side = SideClient::new(peer.clone());
                tokio::spawn(async move {
                    for _ in 0..1000 {
                        side.count().await.expect("a reply");
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        assert_eq!(peer.pending_calls(), 0);
    });
}
