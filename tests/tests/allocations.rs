//! Allocations per call: none on the server once its buffers are warm, one on the client.

use rpc_core::client::{Caller, Outgoing};
use rpc_core::{ClientError, Server, rpc};
use std::future::{Ready, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tests::allocator::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[rpc(namespace = "calc")]
trait Calc {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
    async fn length(&self, text: &str) -> usize;
    async fn total(&self, ledger: Ledger) -> u64;
    async fn first(&self, short: Short) -> u64;
    #[rpc(notification)]
    async fn clear(&self);
}

#[derive(serde::Deserialize, serde::Serialize)]
struct Ledger([u64; 32]);

#[derive(serde::Deserialize, serde::Serialize)]
struct Short([u64; 12]);

struct Mine;

impl Calc for Mine {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        minuend - subtrahend
    }
    async fn length(&self, text: &str) -> usize {
        text.len()
    }
    async fn total(&self, ledger: Ledger) -> u64 {
        ledger.0.iter().sum()
    }
    async fn first(&self, short: Short) -> u64 {
        short.0[0]
    }
    async fn clear(&self) {}
}

const BY_POSITION: &str = r#"{"jsonrpc":"2.0","method":"calc.subtract","params":[42,23],"id":1}"#;
const BY_NAME: &str = r#"{"jsonrpc":"2.0","method":"calc.subtract","params":{"subtrahend":23,"minuend":42},"id":1}"#;

/// Handles `message` 101 times with one buffer, and counts the allocations of the last 100.
fn allocations_when_warm(message: &str, expected: &str) -> usize {
    let server = Server::new(CalcService::new(Mine));
    let mut out = Vec::new();
    let mut handle = || {
        out.clear();
        let handled = pin!(server.handle_into(message.as_bytes(), &mut out));
        assert!(matches!(handled.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(true)));
    };
    handle();
    let (count, ()) = allocations(|| (0..100).for_each(|_| handle()));
    assert_eq!(String::from_utf8_lossy(&out), expected);
    count
}

#[test]
fn the_counter_counts_allocations() {
    assert_eq!(allocations(|| Box::new([7_u8; 100])).0, 1);
    let mut list = Vec::<u8>::with_capacity(1);
    assert_eq!(allocations(|| list.extend([0; 100])).0, 1);
    assert_eq!(allocations(|| list.clear()).0, 0);
}

#[test]
fn a_call_that_is_ready_at_once_allocates_nothing() {
    let response = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;
    assert_eq!(allocations_when_warm(BY_POSITION, response), 0);
    assert_eq!(allocations_when_warm(BY_NAME, response), 0);
    let spaced = r#" { "id" : 1 , "jsonrpc" : "2.0" , "method" : "calc.subtract" , "params" : [ 42 , 23 ] } "#;
    assert_eq!(allocations_when_warm(spaced, response), 0);
    let text =
        r#"{"jsonrpc":"2.0","method":"calc.length","params":["a longer text, borrowed by the value"],"id":"a string"}"#;
    assert_eq!(allocations_when_warm(text, r#"{"jsonrpc":"2.0","result":36,"id":"a string"}"#), 0);
}

#[test]
fn a_batch_of_calls_that_are_ready_at_once_allocates_nothing() {
    for call in [BY_POSITION, BY_NAME] {
        let batch = format!("[{}]", vec![call; 100].join(","));
        let response = format!("[{}]", vec![r#"{"jsonrpc":"2.0","result":19,"id":1}"#; 100].join(","));
        assert_eq!(allocations_when_warm(&batch, &response), 0);
    }
}

#[test]
fn only_arguments_larger_than_four_strings_are_boxed() {
    let call = |method: &str, numbers: usize| {
        let numbers = vec!["1"; numbers].join(",");
        format!(r#"{{"jsonrpc":"2.0","method":"calc.{method}","params":[[{numbers}]],"id":1}}"#)
    };
    assert_eq!(allocations_when_warm(&call("total", 32), r#"{"jsonrpc":"2.0","result":32,"id":1}"#), 100);
    assert_eq!(allocations_when_warm(&call("first", 12), r#"{"jsonrpc":"2.0","result":1,"id":1}"#), 0);
}

#[test]
fn a_dropped_call_leaves_the_buffer_unchanged() {
    #[rpc(server)]
    trait Slow {
        async fn never(&self);
    }
    struct Pending;
    impl Slow for Pending {
        async fn never(&self) {
            std::future::pending::<()>().await;
        }
    }
    let server = Server::new(SlowService::new(Pending));
    for before in ["", "previous content"] {
        let mut out = Vec::with_capacity(100);
        out.extend_from_slice(before.as_bytes());
        {
            let handled = pin!(server.handle_into(br#"{"jsonrpc":"2.0","method":"never","id":1}"#, &mut out));
            assert!(handled.poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!((out.as_slice(), out.capacity()), (before.as_bytes(), 100));
    }
}

/// A caller that sends nothing.
struct Disconnected;

impl Caller for Disconnected {
    type ResponseFuture = Ready<Result<String, ClientError>>;
    type SendFuture = Ready<Result<(), ClientError>>;

    fn call(&self, _: Outgoing) -> Self::ResponseFuture {
        ready(Err(ClientError::Timeout))
    }
    fn notify(&self, _: Outgoing) -> Self::SendFuture {
        ready(Ok(()))
    }
}

#[test]
fn a_call_of_a_client_is_written_into_one_allocation() {
    let calc = CalcClient::new(Disconnected);
    let (count, _call) = allocations(|| calc.subtract(1, 2));
    assert_eq!(count, 1);
    let (count, _call) = allocations(|| calc.length("a short text"));
    assert_eq!(count, 1);
    let (count, _notify) = allocations(|| calc.clear());
    assert_eq!(count, 1);
}
