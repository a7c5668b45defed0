//! Batches of typed calls: one array on the wire, and the outcome of each member.

use rpc_core::client::{
    BatchResponses, BoxFuture, Call, Caller, NotifyCall, Outgoing, OutgoingBatch, PendingCalls, ProtocolError,
    Received, Timeout,
};
use rpc_core::mock::Mock;
use rpc_core::time::ManualTimer;
use rpc_core::wire::Id;
use rpc_core::{CallError, ClientError, ErrorObject, Server, rpc};
use serde::{Serialize, Serializer};
use std::future::{Ready, ready};
use std::time::Duration;
use tests::task::{Task, now};

#[rpc(namespace = "calc")]
trait Calc {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
    async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject>;
    async fn name(&self) -> String;
    #[rpc(notification)]
    async fn clear(&self, all: bool);
}

#[rpc]
trait Other {
    async fn ping(&self) -> u8;
}

struct Mine;

impl Calc for Mine {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        minuend - subtrahend
    }
    async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject> {
        dividend.checked_div(divisor).ok_or(ErrorObject::new(1, "by zero"))
    }
    async fn name(&self) -> String {
        "mine".to_owned()
    }
    async fn clear(&self, _all: bool) {}
}

impl Other for Mine {
    async fn ping(&self) -> u8 {
        7
    }
}

struct Unserializable;

impl Serialize for Unserializable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("unserializable"))
    }
}

/// A caller that pairs every batch with one response text.
#[derive(Clone)]
struct FixedResponse(String);

impl Caller for FixedResponse {
    type ResponseFuture = Ready<Result<String, ClientError>>;
    type SendFuture = Ready<Result<(), ClientError>>;

    fn call(&self, _: Outgoing) -> Self::ResponseFuture {
        ready(Err(ClientError::NotSent("batches only".into())))
    }
    fn notify(&self, _: Outgoing) -> Self::SendFuture {
        ready(Ok(()))
    }
    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let mut ids = 1_u64..;
        let sent = batch.encode(|| Id::from(ids.next().expect("ids enough")));
        Box::pin(ready(sent.pair(&self.0)))
    }
}

/// Makes a batch of four calls that gets this response, and returns their outcomes.
fn batch_of_four(response: &str) -> Result<Vec<Result<i64, ClientError>>, ClientError> {
    let caller = FixedResponse(response.to_owned());
    let calc = CalcClient::new(caller);
    now(calc.batch((0..4).map(|n| calc.subtract(n, 0)).collect::<Vec<_>>()))
}

/// Formats outcomes: `1` is a result, `!7` an error object, `?` a missing or invalid response.
fn format_outcomes(outcomes: Result<Vec<Result<i64, ClientError>>, ClientError>) -> String {
    let format_one = |outcome| match outcome {
        Ok(number) => format!("{number}"),
        Err(ClientError::Rpc(object)) => format!("!{}", object.code),
        Err(ClientError::Protocol(_)) => "?".to_owned(),
        Err(other) => panic!("{other:?}"),
    };
    match outcomes {
        Ok(outcomes) => outcomes.into_iter().map(format_one).collect::<Vec<_>>().join(" "),
        Err(whole) => format!("whole {}", format_one(Err(whole))),
    }
}

const ONE: &str = r#"{"jsonrpc":"2.0","result":10,"id":1}"#;
const TWO: &str = r#"{"jsonrpc":"2.0","result":20,"id":2}"#;
const THREE: &str = r#"{"jsonrpc":"2.0","result":30,"id":3}"#;
const FOUR: &str = r#"{"jsonrpc":"2.0","result":40,"id":4}"#;

// R15, R16, and the rows of the section "client side" that concern batches
#[test]
fn each_call_of_a_batch_gets_the_response_with_its_id() {
    let again = r#"{"jsonrpc":"2.0","result":99,"id":1}"#;
    let huge = r#"{"jsonrpc":"2.0","result":99,"id":123456789012345678901234567890}"#;
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}"#;
    let failed = r#"{"jsonrpc":"2.0","error":{"code":7,"message":""},"id":4}"#;
    let neither = r#"{"jsonrpc":"2.0","id":2}"#;
    let without_id = r#"{"jsonrpc":"2.0","result":50}"#;
    let request = r#"{"jsonrpc":"2.0","method":"subtract","params":[1,2],"id":3}"#;
    let spelled = r#"{"jsonrpc":"2.0","result":30,"id":3.0}"#;
    let cases = [
        (format!("[{ONE},{TWO},{THREE},{FOUR}]"), "10 20 30 40"),
        (format!("[{FOUR},{THREE},{TWO},{ONE}]"), "10 20 30 40"),
        (format!(" [ {ONE} , {TWO},\n{spelled} , {FOUR} ] "), "10 20 30 40"),
        // One response is missing, one comes twice, one has an unknown id.
        (format!("[{THREE},{ONE},{again},{huge},{FOUR}]"), "10 ? 30 40"),
        (format!("[{again},{ONE},{TWO},{THREE},{FOUR}]"), "99 20 30 40"),
        (format!("[{huge},{huge},{huge},{huge}]"), "? ? ? ?"),
        // An invalid response fails the call with its id. Without an id it fails the remaining call.
        (format!("[{ONE},{neither},{THREE},{failed}]"), "10 ? 30 !7"),
        (format!("[{ONE},{without_id},{THREE},{FOUR}]"), "10 ? 30 40"),
        (format!("[{ONE},{without_id},{without_id},{FOUR}]"), "10 ? ? 40"),
        (format!("[{ONE},{refused},{THREE},{FOUR}]"), "10 !-32600 30 40"),
        (format!("[{ONE},{refused},{refused},{FOUR}]"), "10 ? ? 40"),
        (format!("[{ONE},7,null,[],{{}},{request},{FOUR}]"), "10 ? ? 40"),
        (format!("[{refused}]"), "whole !-32600"),
        (format!("[{refused},{refused}]"), "? ? ? ?"),
        // Not an array: an error for all members, or a single response.
        (refused.to_owned(), "whole !-32600"),
        (TWO.to_owned(), "? 20 ? ?"),
        (huge.to_owned(), "whole ?"),
        (r#"{"jsonrpc":"2.0","result":1,"id":null}"#.to_owned(), "whole ?"),
        (request.to_owned(), "whole ?"),
        ("[]".to_owned(), "whole ?"),
        (String::new(), "whole ?"),
        (format!("[{ONE},{TWO}"), "whole ?"),
        (format!("[{ONE}] {TWO}"), "whole ?"),
        ("7".to_owned(), "whole ?"),
    ];
    for (response, expected) in cases {
        assert_eq!(format_outcomes(batch_of_four(&response)), expected, "{response}");
    }
}

#[test]
fn a_call_without_a_response_fails_with_the_text_of_the_batch_response() {
    let response = format!("[{ONE},{THREE},{FOUR}]");
    let outcomes = batch_of_four(&response).expect("an array");
    let Err(ClientError::Protocol(ProtocolError { reason, text, .. })) = &outcomes[1] else { panic!("{outcomes:?}") };
    assert_eq!((&**reason, text), ("the response to the batch omits this call", &response));
}

#[test]
fn a_batch_is_one_array_and_each_member_has_its_own_type() {
    let wire = Mock::new()
        .on("calc.subtract", |_| Ok(19))
        .on("calc.divide", |_| Err::<(), _>(ErrorObject::new(1, "by zero").into()))
        .on("ping", |_| Ok(7));
    let (calc, other) = (CalcClient::new(wire.clone()), OtherClient::new(wire.clone()));
    let members =
        (calc.subtract(42, 23), calc.divide(1, 0), calc.clear(true), other.ping(), calc.subtract(1, 1).notify());
    let (difference, quotient, cleared, pong, notified) = now(calc.batch(members)).expect("a batch");
    assert_eq!(difference.expect("a result"), 19_i64);
    assert!(matches!(quotient, Err(CallError::Method(error)) if error == ErrorObject::new(1, "by zero")));
    assert_eq!(pong.expect("a result"), 7_u8);
    cleared.expect("sent");
    notified.expect("sent");
    let expected = concat!(
        r#"[{"jsonrpc":"2.0","method":"calc.subtract","params":{"minuend":42,"subtrahend":23},"id":1},"#,
        r#"{"jsonrpc":"2.0","method":"calc.divide","params":{"dividend":1,"divisor":0},"id":2},"#,
        r#"{"jsonrpc":"2.0","method":"calc.clear","params":{"all":true}},"#,
        r#"{"jsonrpc":"2.0","method":"ping","id":3},"#,
        r#"{"jsonrpc":"2.0","method":"calc.subtract","params":{"minuend":1,"subtrahend":1}}]"#,
    );
    assert_eq!(wire.sent(), [expected]);
}

#[test]
fn tuples_arrays_and_vectors_are_batches() {
    let calc = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
    let (only,) = now(calc.batch((calc.name(),))).expect("a batch");
    assert_eq!(only.expect("a result"), "mine");
    let [one, two] = now(calc.batch([calc.subtract(3, 2), calc.subtract(3, 1)])).expect("a batch");
    assert_eq!((one.expect("a result"), two.expect("a result")), (1, 2));
    let many: Vec<_> = (0..1000).map(|n| calc.divide(n, 1)).collect();
    let quotients: Result<Vec<_>, _> = now(calc.batch(many)).expect("a batch").into_iter().collect();
    assert_eq!(quotients.expect("results"), (0..1000).collect::<Vec<_>>());
    let nested = ((calc.subtract(1, 0), calc.subtract(2, 0), calc.subtract(3, 0)), calc.subtract(4, 0));
    let ((a, b, c), d) = nested;
    let differences = now(calc.batch((a, b, c, d))).expect("a batch");
    assert_eq!(differences.3.expect("a result"), 4);
}

#[test]
fn a_member_that_cannot_be_encoded_fails_alone() {
    let wire = Mock::new().on("fine", |_| Ok(1));
    let (fine, unserializable) =
        (|| Call::<_, u8>::new(&wire, "fine", &()), || Call::<_, u8>::new(&wire, "bad", &[Unserializable]));
    let note = NotifyCall::new(&wire, "bad", &[Unserializable]);
    let batch = rpc_core::client::BatchCall::new(&wire, (unserializable(), fine(), note, unserializable()));
    let (bad, good, note, last) = now(batch).expect("a batch");
    assert!(matches!(bad, Err(ClientError::Encode(error)) if error.to_string() == "unserializable"));
    assert_eq!(good.expect("a result"), 1);
    assert!(matches!(note, Err(ClientError::Encode(_))));
    assert!(matches!(last, Err(ClientError::Encode(_))));
    assert_eq!(wire.sent(), [r#"[{"jsonrpc":"2.0","method":"fine","id":1}]"#]);
}

#[test]
fn a_batch_without_members_sends_nothing() {
    let wire = Mock::new();
    let calc = CalcClient::new(wire.clone());
    let empty: Vec<Call<'_, Mock, u8>> = Vec::new();
    assert!(now(calc.batch(empty)).expect("an empty batch").is_empty());
    let unserializable = Call::<_, u8>::new(&wire, "bad", &[Unserializable]);
    let (outcome,) = now(calc.batch((unserializable,))).expect("an empty batch");
    assert!(matches!(outcome, Err(ClientError::Encode(_))));
    assert_eq!(wire.sent(), [""; 0]);
}

#[test]
fn custom_ids_do_not_clash_with_generated_ids_of_the_batch() {
    let calc = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
    let batch =
        calc.batch((calc.subtract(9, 1), calc.subtract(9, 2).id(1), calc.subtract(9, 3).id(2), calc.subtract(9, 4)));
    let (a, b, c, d) = now(batch).expect("a batch");
    assert_eq!([a, b, c, d].map(|outcome| outcome.expect("a result")), [8, 7, 6, 5]);
}

#[test]
fn a_batch_of_notifications_waits_for_no_response() {
    let server = Server::new(CalcService::new(Mine));
    let calc = CalcClient::new(server.caller());
    for outcome in now(calc.batch(vec![calc.clear(true), calc.clear(false)])).expect("a batch") {
        outcome.expect("sent");
    }
}

#[test]
fn an_error_response_to_the_whole_batch_fails_the_batch() {
    let calc = CalcClient::new(Server::new(CalcService::new(Mine)).max_batch_members(1).caller());
    let refused = now(calc.batch((calc.name(), calc.name())));
    assert!(matches!(refused, Err(ClientError::Rpc(error)) if error.code == ErrorObject::INVALID_REQUEST));
    assert!(now(calc.batch((calc.name(),))).is_ok());
}

#[test]
fn a_caller_without_batch_support_refuses_a_batch() {
    struct WithoutBatches;
    impl Caller for WithoutBatches {
        type ResponseFuture = Ready<Result<String, ClientError>>;
        type SendFuture = Ready<Result<(), ClientError>>;
        fn call(&self, _: Outgoing) -> Self::ResponseFuture {
            ready(Ok(ONE.to_owned()))
        }
        fn notify(&self, _: Outgoing) -> Self::SendFuture {
            ready(Ok(()))
        }
    }
    let calc = CalcClient::new(WithoutBatches);
    assert!(matches!(now(calc.batch((calc.name(),))), Err(ClientError::Unsupported(_))));
}

#[test]
fn a_batch_has_one_timeout() {
    let timer = ManualTimer::new();
    let calc = CalcClient::new(Timeout::new(Mock::new().never_responds(), timer.clone()));
    let mut default = Task::new(calc.batch((calc.name(),)).into_future());
    let mut short = Task::new(calc.batch((calc.name(),)).timeout(Duration::from_secs(1)).into_future());
    let mut endless = Task::new(calc.batch((calc.name(),)).timeout(None).into_future());
    assert!(default.step().is_pending() && short.step().is_pending() && endless.step().is_pending());
    timer.advance(Duration::from_secs(1));
    assert!(matches!(now(std::future::poll_fn(|_| short.step())), Err(ClientError::Timeout)));
    assert!(default.step().is_pending());
    timer.advance(Duration::from_secs(59));
    assert!(matches!(now(std::future::poll_fn(|_| default.step())), Err(ClientError::Timeout)));
    timer.advance(Duration::from_secs(1 << 40));
    assert!(endless.step().is_pending());

    let without_timer = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
    let refused = now(without_timer.batch((without_timer.name(),)).timeout(Duration::from_secs(1)));
    assert!(matches!(refused, Err(ClientError::Unsupported(_))));
}

#[test]
fn a_sent_batch_borrows_nothing() {
    fn is_static<T: Send + 'static>(future: T) -> T {
        future
    }
    let future = {
        let calc = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
        let batch = calc.batch((calc.subtract(3, 2), calc.name()));
        is_static(batch.into_future())
    };
    let (number, name) = now(future).expect("a batch");
    assert_eq!((number.expect("a result"), name.expect("a result")), (1, "mine".to_owned()));
}

/// Makes a batch of `members` calls and a notification, and returns the ids of the calls.
fn make_batch(calls: &mut PendingCalls, members: usize) -> Vec<u64> {
    let mut batch = OutgoingBatch::new();
    (0..members).for_each(|_| batch.call(Outgoing::new("ask", &[1]).expect("plain data")));
    batch.notify(Outgoing::new("note", &[1]).expect("plain data"));
    let (ids, text) = calls.batch(batch);
    assert_eq!(text.matches(r#""id":"#).count(), members);
    ids
}

fn events(calls: &mut PendingCalls, message: &str) -> Vec<String> {
    let event = |event: &Received<'_>| match event {
        Received::Response { id, outcome: Ok(result) } => format!("{id} {}", result.get()),
        Received::Response { id, outcome: Err(error) } => format!("{id} !{}", error.code),
        Received::Failed { id, .. } => format!("{id} ?"),
        Received::Discarded(_) => "discarded".to_owned(),
        other => panic!("{other:?}"),
    };
    calls.receive(message.as_bytes()).iter().map(event).collect()
}

// R15
#[test]
fn pending_calls_complete_a_batch_with_its_response() {
    let mut calls = PendingCalls::new();
    assert_eq!(make_batch(&mut calls, 4), [1, 2, 3, 4]);
    let (single, _) = calls.call("ask", &[1]).expect("plain data");
    assert_eq!(make_batch(&mut calls, 1), [6]);
    let response = format!("[{FOUR},{ONE},{ONE},{}]", FOUR.replace('4', "99"));
    assert_eq!(events(&mut calls, &response), ["4 40", "1 10", "discarded", "discarded", "2 ?", "3 ?"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [single, 6]);
    // A single response may complete a member, too.
    make_batch(&mut calls, 2);
    assert_eq!(events(&mut calls, r#"{"jsonrpc":"2.0","result":0,"id":8}"#), ["8 0"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [single, 6, 7]);
    assert_eq!(events(&mut calls, r#"[{"jsonrpc":"2.0","result":0,"id":5}]"#), ["5 0"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [6, 7]);
}

// R16
#[test]
fn an_error_without_an_id_completes_the_only_pending_batch() {
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}"#;
    let mut calls = PendingCalls::new().pair_responses_without_id();
    make_batch(&mut calls, 3);
    assert_eq!(events(&mut calls, refused), ["1 !-32600", "2 !-32600", "3 !-32600"]);
    assert_eq!(calls.pending().count(), 0);
    make_batch(&mut calls, 2);
    make_batch(&mut calls, 2);
    assert_eq!(events(&mut calls, refused), ["discarded"]);
    assert_eq!(calls.pending().count(), 4);
    let mut without_pairing = PendingCalls::new();
    make_batch(&mut without_pairing, 3);
    assert_eq!(events(&mut without_pairing, refused), ["discarded"]);
}

// A response without an id completes the remaining call, whatever its position in the array.
#[test]
fn a_batch_call_and_pending_calls_pair_responses_alike() {
    let null_id = r#"{"jsonrpc":"2.0","error":{"code":-32005,"message":"limit"},"id":null}"#;
    let other = r#"{"jsonrpc":"2.0","error":{"code":-32006,"message":"limit"},"id":null}"#;
    for (response, expected) in [
        (format!("[{null_id},{TWO},{THREE},{FOUR}]"), "!-32005 20 30 40"),
        (format!("[{TWO},{THREE},{FOUR},{null_id}]"), "!-32005 20 30 40"),
        (format!("[{null_id},{THREE},{FOUR}]"), "? ? 30 40"),
        (format!("[{null_id},{other},{TWO},{THREE},{FOUR}]"), "!-32005 20 30 40"),
        (format!("[{null_id}]"), "!-32005 !-32005 !-32005 !-32005"),
        (format!("[{null_id},{null_id}]"), "? ? ? ?"),
        (null_id.to_owned(), "!-32005 !-32005 !-32005 !-32005"),
    ] {
        let whole = format_outcomes(batch_of_four(&response));
        let paired = whole.strip_prefix("whole ").map_or_else(|| whole.clone(), |error| [error; 4].join(" "));
        assert_eq!(paired, expected, "{response}");
        let mut calls = PendingCalls::new().pair_responses_without_id();
        make_batch(&mut calls, 4);
        let mut events = events(&mut calls, &response);
        events.retain(|event| event != "discarded");
        events.sort();
        let outcomes: Vec<_> = events.iter().map(|event| event.split_once(' ').expect("an id").1).collect();
        // If the array has a response for none of the calls, they stay pending until they time out.
        let expected = if expected == "? ? ? ?" { "" } else { expected };
        assert_eq!(outcomes.join(" "), expected, "{response}");
    }
}

#[test]
fn the_text_of_an_incomplete_batch_response_is_not_copied_for_each_call() {
    let huge = format!("[{}]", vec![r#"{"jsonrpc":"2.0","result":1,"id":0}"#; 10_000].join(","));
    let caller = FixedResponse(huge.clone());
    let calc = CalcClient::new(caller);
    let outcomes = now(calc.batch((0..1000).map(|n| calc.subtract(n, 0)).collect::<Vec<_>>())).expect("an array");
    let lengths = outcomes.iter().map(|outcome| match outcome {
        Err(ClientError::Protocol(error)) => error.text.len(),
        other => panic!("{other:?}"),
    });
    assert!(lengths.sum::<usize>() < huge.len() * 2);
    let mut calls = PendingCalls::new();
    make_batch(&mut calls, 1000);
    let response = huge.replacen(r#""id":0"#, r#""id":1"#, 1);
    let failed = calls.receive(response.as_bytes()).into_iter().filter_map(|event| match event {
        Received::Failed { error, .. } => Some(error.text.len()),
        _ => None,
    });
    assert!(failed.sum::<usize>() < huge.len() * 2);
}

#[test]
fn a_completed_batch_may_be_polled_again() {
    let calc = CalcClient::new(Mock::new());
    let empty: Vec<Call<'_, Mock, u8>> = Vec::new();
    let mut batch = Box::pin(calc.batch(empty).into_future());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(batch.as_mut().poll(&mut context).is_ready());
    assert!(batch.as_mut().poll(&mut context).is_pending());
}
