//! Transports that fail at a chosen moment. Real transports cannot be made to do this.

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

/// Fails to read once its gate opens.
struct FailingSource(MemorySource, Option<Arc<Gate>>);

impl Source for FailingSource {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        let FailingSource(source, Some(fault)) = self else { return self.0.receive(message, limit).await };
        tokio::select! {
            read = source.receive(message, limit) => read,
            () = fault.passed() => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }
}

/// Counts messages. Fails to write the 16th once its gate opens.
struct FailingSink(MemorySink, Option<Arc<Gate>>, Count);

impl Sink for FailingSink {
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
fn pending_calls_fail_when_reading_or_writing_fails() {
    run(async {
        for read_fails in [true, false] {
            let ((source, sink), _other) = memory::pair(1 << 16);
            let (fault, sent) = (Arc::new(Gate::default()), Count::default());
            let source = FailingSource(source, read_fails.then(|| fault.clone()));
            let sink = FailingSink(sink, (!read_fails).then(|| fault.clone()), sent.clone());
            let peer = crate::cases::run(Setup::default().builder(&MySide::default()).over((source, sink)));
            let side = SideClient::new(peer.clone());
            let calls: Vec<_> = (0..16).map(|_| side.wait().into_future()).collect();
            sent.is(16).await;
            fault.open();
            let expected = if read_fails { io::ErrorKind::ConnectionReset } else { io::ErrorKind::BrokenPipe };
            let reason = peer.closed().await;
            assert!(matches!(&reason, CloseReason::Failed { kind, .. } if *kind == expected), "{reason}");
            for call in calls {
                assert!(matches!(call.await, Err(ClientError::Closed(closed)) if closed == reason));
            }
            assert!(matches!(side.add(1, 2).await, Err(ClientError::Closed(closed)) if closed == reason));
        }
    });
}

/// Queues the response to each call during its write.
struct RespondsDuringWrite(Arc<Mutex<VecDeque<String>>>, Arc<tokio::sync::Notify>);

impl Sink for RespondsDuringWrite {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        for message in messages.iter() {
            let call: serde_json::Value = serde_json::from_slice(message).expect("a call");
            let response = format!(r#"{{"jsonrpc":"2.0","result":{0},"id":{0}}}"#, call["id"]);
            self.0.lock().expect("not poisoned").push_back(response);
            self.1.notify_one();
        }
        // The write returns after the responses are read.
        while !self.0.lock().expect("not poisoned").is_empty() {
            tests::task::yield_now().await;
        }
        Ok(())
    }
}

impl Source for RespondsDuringWrite {
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
fn a_response_that_arrives_during_the_write_completes_its_call() {
    run(async {
        let (responses, queued) = (Arc::default(), Arc::new(tokio::sync::Notify::new()));
        let source = RespondsDuringWrite(Arc::clone(&responses), queued.clone());
        let sink = RespondsDuringWrite(responses, queued);
        let peer = crate::cases::run(Setup::default().builder(&MySide::default()).over((source, sink)));
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let side = SideClient::new(peer.clone());
                tokio::spawn(async move {
                    for _ in 0..1000 {
                        side.count().await.expect("a response");
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
