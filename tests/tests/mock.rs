//! `Mock`: closures, unknown methods, batches and sharing. Replayed records have their own test file.

use rpc_core::client::{BatchCall, Call, Caller, NotifyCall};
use rpc_core::mock::Mock;
use rpc_core::{ClientError, ErrorObject};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tests::task::{Task, now};

fn call<'c, C: Caller>(wire: &'c C, method: &str) -> Call<'c, C, u8> {
    Call::new(wire, method, &())
}

#[test]
fn a_notification_reaches_its_closure_and_may_fail() {
    let seen = Arc::new(AtomicU32::new(0));
    let count = seen.clone();
    let wire = Mock::new()
        .on("note", move |call| {
            assert!(call.is_notification);
            let (by,): (u32,) = call.decode()?;
            count.fetch_add(by, Ordering::Relaxed);
            Ok(())
        })
        .on("lost", |_| Err::<(), _>(ClientError::Closed("gone".into())));
    now(NotifyCall::new(&wire, "note", &[3])).expect("sent");
    // A notification has no response, so an error object is not reported.
    now(NotifyCall::new(&wire, "note", &["x"])).expect("sent");
    now(NotifyCall::new(&wire, "unhandled", &())).expect("sent");
    assert!(matches!(now(NotifyCall::new(&wire, "lost", &())), Err(ClientError::Closed(_))));
    assert_eq!((seen.load(Ordering::Relaxed), wire.sent().len()), (3, 4));
}

#[test]
fn the_error_for_an_unknown_method_lists_the_known_ones() {
    let record = ">> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"c\",\"params\":[1]}\n<< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}";
    let wire = Mock::new().on("b", |_| Ok(1)).on("a", |_| Ok(2)).replay(record).expect("a record");
    for (method, detail) in [
        ("d", "`d` is not mocked; the mocked methods are: a, b, c"),
        ("c", "`c` is recorded, but not with these params"),
    ] {
        let Err(ClientError::Rpc(error)) = now(call(&wire, method)) else { panic!("{method}") };
        assert_eq!(error, ErrorObject::method_not_found().with_data(detail));
    }
    // The last closure for a method applies.
    assert_eq!(now(call(&wire.on("a", |_| Ok(3)), "a")).expect("a result"), 3);
}

#[test]
fn a_batch_is_answered_member_by_member() {
    let wire = Mock::new().on("a", |_| Ok(1)).on("lost", |_| Err::<(), _>(ClientError::Timeout));
    let (a, lost) = now(BatchCall::new(&wire, (call(&wire, "a"), call(&wire, "lost")))).expect("a batch");
    assert_eq!(a.expect("a result"), 1);
    assert!(matches!(lost, Err(ClientError::Timeout)));
    let wire = wire.never_responds();
    let mut batch = Task::new(BatchCall::new(&wire, (call(&wire, "a"), call(&wire, "b"))).into_future());
    assert!(batch.run().is_pending());
}

#[test]
fn a_closure_may_call_other_methods_of_its_mock() {
    let wire = Mock::new();
    let inner = wire.clone();
    let wire = wire.on("outer", move |_| now(call(&inner, "inner")).map(|n| n + 1)).on("inner", |_| Ok(1));
    assert_eq!(now(call(&wire, "outer")).expect("a result"), 2);
}

#[test]
fn a_shared_caller_is_a_caller() {
    let wire = Arc::new(Mock::new().on("a", |_| Ok(1)));
    assert_eq!(now(call(&wire, "a")).expect("a result"), 1);
    let erased: Arc<
        dyn Caller<ResponseFuture = <Mock as Caller>::ResponseFuture, SendFuture = <Mock as Caller>::SendFuture>,
    > = wire.clone();
    assert_eq!(now(call(&erased, "a")).expect("a result"), 1);
    assert_eq!(wire.sent().len(), 2);
}
