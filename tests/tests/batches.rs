//! Batches of typed calls: one array on the wire, and what became of each member.

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

struct Stubborn;

impl Serialize for Stubborn {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("stubborn"))
    }
}

/// Answers every batch with one text.
#[derive(Clone)]
struct Responded(String);

impl Caller for Responded {
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

/// What four calls of one batch end as, the text being the answer to it.
fn four(response: &str) -> Result<Vec<Result<i64, ClientError>>, ClientError> {
    let caller = Responded(response.to_owned());
    let calc = CalcClient::new(caller);
    now(calc.batch((0..4).map(|n| calc.subtract(n, 0)).collect::<Vec<_>>()))
}

/// `1` for a result, `!7` for an error object, `?` for a reply that is not there or cannot be read.
fn told(ends: Result<Vec<Result<i64, ClientError>>, ClientError>) -> String {
    let one = |end| match end {
        Ok(number) => format!("{number}"),
        Err(ClientError::Rpc(object)) => format!("!{}", object.code),
        Err(ClientError::Protocol(_)) => "?".to_owned(),
        Err(other) => panic!("{other:?}"),
    };
    match ends {
        Ok(ends) => ends.into_iter().map(one).collect::<Vec<_>>().join(" "),
        Err(whole) => format!("whole {}", one(Err(whole))),
    }
}

const ONE: &str = r#"{"jsonrpc":"2.0","result":10,"id":1}"#;
const TWO: &str = r#"{"jsonrpc":"2.0","result":20,"id":2}"#;
const THREE: &str = r#"{"jsonrpc":"2.0","result":30,"id":3}"#;
const FOUR: &str = r#"{"jsonrpc":"2.0","result":40,"id":4}"#;

// R15, R16, and the rows of part "client side" that concern batches
#[test]
fn each_call_of_a_batch_gets_the_reply_with_its_id() {
    let again = r#"{"jsonrpc":"2.0","result":99,"id":1}"#;
    let huge = r#"{"jsonrpc":"2.0","result":99,"id":123456789012345678901234567890}"#;
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}"#;
    let failed = r#"{"jsonrpc":"2.0","error":{"code":7,"message":""},"id":4}"#;
    let neither = r#"{"jsonrpc":"2.0","id":2}"#;
    let nameless = r#"{"jsonrpc":"2.0","result":50}"#;
    let request = r#"{"jsonrpc":"2.0","method":"subtract","params":[1,2],"id":3}"#;
    let spelled = r#"{"jsonrpc":"2.0","result":30,"id":3.0}"#;
    let cases = [
        (format!("[{ONE},{TWO},{THREE},{FOUR}]"), "10 20 30 40"),
        (format!("[{FOUR},{THREE},{TWO},{ONE}]"), "10 20 30 40"),
        (format!(" [ {ONE} , {TWO},\n{spelled} , {FOUR} ] "), "10 20 30 40"),
        // One missing, one twice, one that nobody waits for.
        (format!("[{THREE},{ONE},{again},{huge},{FOUR}]"), "10 ? 30 40"),
        (format!("[{again},{ONE},{TWO},{THREE},{FOUR}]"), "99 20 30 40"),
        (format!("[{huge},{huge},{huge},{huge}]"), "? ? ? ?"),
        // A reply that cannot be read ends the call that it names, or that is left.
        (format!("[{ONE},{neither},{THREE},{failed}]"), "10 ? 30 !7"),
        (format!("[{ONE},{nameless},{THREE},{FOUR}]"), "10 ? 30 40"),
        (format!("[{ONE},{nameless},{nameless},{FOUR}]"), "10 ? ? 40"),
        (format!("[{ONE},{refused},{THREE},{FOUR}]"), "10 !-32600 30 40"),
        (format!("[{ONE},{refused},{refused},{FOUR}]"), "10 ? ? 40"),
        (format!("[{ONE},7,null,[],{{}},{request},{FOUR}]"), "10 ? ? 40"),
        (format!("[{refused}]"), "whole !-32600"),
        (format!("[{refused},{refused}]"), "? ? ? ?"),
        // No array: an error for all, or one reply.
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
    for (response, wanted) in cases {
        assert_eq!(told(four(&response)), wanted, "{response}");
    }
}

#[test]
fn a_call_that_is_left_out_shows_what_came_instead() {
    let response = format!("[{ONE},{THREE},{FOUR}]");
    let ends = four(&response).expect("most of it came");
    let Err(ClientError::Protocol(ProtocolError { reason, text, .. })) = &ends[1] else { panic!("{ends:?}") };
    assert_eq!((&**reason, text), ("the response to the batch omits this call", &response));
}

#[test]
fn a_batch_is_one_array_and_each_member_has_its_type() {
    let wire = Mock::new()
        .on("calc.subtract", |_| Ok(19))
        .on("calc.divide", |_| Err::<(), _>(ErrorObject::new(1, "by zero").into()))
        .on("ping", |_| Ok(7));
    let (calc, other) = (CalcClient::new(wire.clone()), OtherClient::new(wire.clone()));
    let members =
        (calc.subtract(42, 23), calc.divide(1, 0), calc.clear(true), other.ping(), calc.subtract(1, 1).notify());
    let (difference, ratio, cleared, pong, notified) = now(calc.batch(members)).expect("a batch");
    assert_eq!(difference.expect("a result"), 19_i64);
    assert!(matches!(ratio, Err(CallError::Method(error)) if error == ErrorObject::new(1, "by zero")));
    assert_eq!(pong.expect("a result"), 7_u8);
    cleared.expect("sent");
    notified.expect("sent");
    let wanted = concat!(
        r#"[{"jsonrpc":"2.0","method":"calc.subtract","params":{"minuend":42,"subtrahend":23},"id":1},"#,
        r#"{"jsonrpc":"2.0","method":"calc.divide","params":{"dividend":1,"divisor":0},"id":2},"#,
        r#"{"jsonrpc":"2.0","method":"calc.clear","params":{"all":true}},"#,
        r#"{"jsonrpc":"2.0","method":"ping","id":3},"#,
        r#"{"jsonrpc":"2.0","method":"calc.subtract","params":{"minuend":1,"subtrahend":1}}]"#,
    );
    assert_eq!(wire.sent(), [wanted]);
}

#[test]
fn tuples_arrays_and_vectors_are_batches() {
    let calc = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
    let (only,) = now(calc.batch((calc.name(),))).expect("a batch");
    assert_eq!(only.expect("a result"), "mine");
    let [one, two] = now(calc.batch([calc.subtract(3, 2), calc.subtract(3, 1)])).expect("a batch");
    assert_eq!((one.expect("a result"), two.expect("a result")), (1, 2));
    let many: Vec<_> = (0..1000).map(|n| calc.divide(n, 1)).collect();
    let ends: Result<Vec<_>, _> = now(calc.batch(many)).expect("a batch").into_iter().collect();
    assert_eq!(ends.expect("results"), (0..1000).collect::<Vec<_>>());
    let twelve = ((calc.subtract(1, 0), calc.subtract(2, 0), calc.subtract(3, 0)), calc.subtract(4, 0));
    let ((a, b, c), d) = twelve;
    let ends = now(calc.batch((a, b, c, d))).expect("a batch");
    assert_eq!(ends.3.expect("a result"), 4);
}

#[test]
fn what_is_not_written_fails_alone() {
    let wire = Mock::new().on("fine", |_| Ok(1));
    let (fine, stubborn) =
        (|| Call::<_, u8>::new(&wire, "fine", &()), || Call::<_, u8>::new(&wire, "bad", &[Stubborn]));
    let note = NotifyCall::new(&wire, "bad", &[Stubborn]);
    let ends = rpc_core::client::BatchCall::new(&wire, (stubborn(), fine(), note, stubborn()));
    let (bad, good, note, last) = now(ends).expect("a batch");
    assert!(matches!(bad, Err(ClientError::Encode(error)) if error.to_string() == "stubborn"));
    assert_eq!(good.expect("a result"), 1);
    assert!(matches!(note, Err(ClientError::Encode(_))));
    assert!(matches!(last, Err(ClientError::Encode(_))));
    assert_eq!(wire.sent(), [r#"[{"jsonrpc":"2.0","method":"fine","id":1}]"#]);
}

#[test]
fn nothing_is_sent_when_there_is_nothing_to_send() {
    let wire = Mock::new();
    let calc = CalcClient::new(wire.clone());
    let none: Vec<Call<'_, Mock, u8>> = Vec::new();
    assert!(now(calc.batch(none)).expect("a batch of none").is_empty());
    let stubborn = Call::<_, u8>::new(&wire, "bad", &[Stubborn]);
    let (end,) = now(calc.batch((stubborn,))).expect("a batch of none");
    assert!(matches!(end, Err(ClientError::Encode(_))));
    assert_eq!(wire.sent(), [""; 0]);
}

#[test]
fn ids_of_their_own_meet_no_others_of_the_batch() {
    let calc = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
    let batch =
        calc.batch((calc.subtract(9, 1), calc.subtract(9, 2).id(1), calc.subtract(9, 3).id(2), calc.subtract(9, 4)));
    let (a, b, c, d) = now(batch).expect("a batch");
    assert_eq!([a, b, c, d].map(|end| end.expect("a result")), [8, 7, 6, 5]);
}

#[test]
fn a_batch_of_notifications_waits_for_no_reply() {
    let server = Server::new(CalcService::new(Mine));
    let calc = CalcClient::new(server.caller());
    for end in now(calc.batch(vec![calc.clear(true), calc.clear(false)])).expect("a batch") {
        end.expect("sent");
    }
}

#[test]
fn a_server_without_batches_refuses_the_whole() {
    let calc = CalcClient::new(Server::new(CalcService::new(Mine)).max_batch_members(1).caller());
    let refused = now(calc.batch((calc.name(), calc.name())));
    assert!(matches!(refused, Err(ClientError::Rpc(error)) if error.code == ErrorObject::INVALID_REQUEST));
    assert!(now(calc.batch((calc.name(),))).is_ok());
}

#[test]
fn a_caller_without_batches_refuses_them() {
    struct Plain;
    impl Caller for Plain {
        type ResponseFuture = Ready<Result<String, ClientError>>;
        type SendFuture = Ready<Result<(), ClientError>>;
        fn call(&self, _: Outgoing) -> Self::ResponseFuture {
            ready(Ok(ONE.to_owned()))
        }
        fn notify(&self, _: Outgoing) -> Self::SendFuture {
            ready(Ok(()))
        }
    }
    let calc = CalcClient::new(Plain);
    assert!(matches!(now(calc.batch((calc.name(),))), Err(ClientError::Unsupported(_))));
}

#[test]
fn a_batch_has_one_timeout() {
    let timer = ManualTimer::new();
    let calc = CalcClient::new(Timeout::new(Mock::new().never_responds(), timer.clone()));
    let mut usual = Task::new(calc.batch((calc.name(),)).into_future());
    let mut short = Task::new(calc.batch((calc.name(),)).timeout(Duration::from_secs(1)).into_future());
    let mut endless = Task::new(calc.batch((calc.name(),)).timeout(None).into_future());
    assert!(usual.step().is_pending() && short.step().is_pending() && endless.step().is_pending());
    timer.advance(Duration::from_secs(1));
    assert!(matches!(now(std::future::poll_fn(|_| short.step())), Err(ClientError::Timeout)));
    assert!(usual.step().is_pending());
    timer.advance(Duration::from_secs(59));
    assert!(matches!(now(std::future::poll_fn(|_| usual.step())), Err(ClientError::Timeout)));
    timer.advance(Duration::from_secs(1 << 40));
    assert!(endless.step().is_pending());

    let untimed = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
    let refused = now(untimed.batch((untimed.name(),)).timeout(Duration::from_secs(1)));
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

/// A batch of so many calls, its calls pending from 1 on.
fn pending(calls: &mut PendingCalls, members: usize) -> Vec<u64> {
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
        Received::Discarded(_) => "dropped".to_owned(),
        other => panic!("{other:?}"),
    };
    calls.receive(message.as_bytes()).iter().map(event).collect()
}

// R15
#[test]
fn without_io_a_batch_ends_with_its_answer() {
    let mut calls = PendingCalls::new();
    assert_eq!(pending(&mut calls, 4), [1, 2, 3, 4]);
    let (single, _) = calls.call("ask", &[1]).expect("plain data");
    assert_eq!(pending(&mut calls, 1), [6]);
    let response = format!("[{FOUR},{ONE},{ONE},{}]", FOUR.replace('4', "99"));
    assert_eq!(events(&mut calls, &response), ["4 40", "1 10", "dropped", "dropped", "2 ?", "3 ?"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [single, 6]);
    // Members may be answered one by one, too.
    pending(&mut calls, 2);
    assert_eq!(events(&mut calls, r#"{"jsonrpc":"2.0","result":0,"id":8}"#), ["8 0"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [single, 6, 7]);
    assert_eq!(events(&mut calls, r#"[{"jsonrpc":"2.0","result":0,"id":5}]"#), ["5 0"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [6, 7]);
}

// R16
#[test]
fn without_io_one_error_can_end_the_only_batch() {
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}"#;
    let mut calls = PendingCalls::new().pair_responses_without_id();
    pending(&mut calls, 3);
    assert_eq!(events(&mut calls, refused), ["1 !-32600", "2 !-32600", "3 !-32600"]);
    assert_eq!(calls.pending().count(), 0);
    pending(&mut calls, 2);
    pending(&mut calls, 2);
    assert_eq!(events(&mut calls, refused), ["dropped"]);
    assert_eq!(calls.pending().count(), 4);
    let mut bare = PendingCalls::new();
    pending(&mut bare, 3);
    assert_eq!(events(&mut bare, refused), ["dropped"]);
}

// What names no call is given to the one that is left, whatever its place in the array.
#[test]
fn with_or_without_io_the_same_replies_find_the_same_calls() {
    let nameless = r#"{"jsonrpc":"2.0","error":{"code":-32005,"message":"limit"},"id":null}"#;
    let other = r#"{"jsonrpc":"2.0","error":{"code":-32006,"message":"limit"},"id":null}"#;
    for (response, wanted) in [
        (format!("[{nameless},{TWO},{THREE},{FOUR}]"), "!-32005 20 30 40"),
        (format!("[{TWO},{THREE},{FOUR},{nameless}]"), "!-32005 20 30 40"),
        (format!("[{nameless},{THREE},{FOUR}]"), "? ? 30 40"),
        (format!("[{nameless},{other},{TWO},{THREE},{FOUR}]"), "!-32005 20 30 40"),
        (format!("[{nameless}]"), "!-32005 !-32005 !-32005 !-32005"),
        (format!("[{nameless},{nameless}]"), "? ? ? ?"),
        (nameless.to_owned(), "!-32005 !-32005 !-32005 !-32005"),
    ] {
        let whole = told(four(&response));
        let paired = whole.strip_prefix("whole ").map_or_else(|| whole.clone(), |error| [error; 4].join(" "));
        assert_eq!(paired, wanted, "{response}");
        let mut calls = PendingCalls::new().pair_responses_without_id();
        pending(&mut calls, 4);
        let mut ends = events(&mut calls, &response);
        ends.retain(|end| end != "dropped");
        ends.sort();
        let ends: Vec<_> = ends.iter().map(|end| end.split_once(' ').expect("an id").1).collect();
        // An array that answers no call at all leaves them waiting; they end by their timeouts.
        let wanted = if wanted == "? ? ? ?" { "" } else { wanted };
        assert_eq!(ends.join(" "), wanted, "{response}");
    }
}

#[test]
fn an_answer_that_leaves_many_out_is_not_kept_for_each() {
    let huge = format!("[{}]", vec![r#"{"jsonrpc":"2.0","result":1,"id":0}"#; 10_000].join(","));
    let caller = Responded(huge.clone());
    let calc = CalcClient::new(caller);
    let ends = now(calc.batch((0..1000).map(|n| calc.subtract(n, 0)).collect::<Vec<_>>())).expect("an array");
    let shown = ends.iter().map(|end| match end {
        Err(ClientError::Protocol(error)) => error.text.len(),
        other => panic!("{other:?}"),
    });
    assert!(shown.sum::<usize>() < huge.len() * 2);
    let mut calls = PendingCalls::new();
    pending(&mut calls, 1000);
    let response = huge.replacen(r#""id":0"#, r#""id":1"#, 1);
    let failed = calls.receive(response.as_bytes()).into_iter().filter_map(|event| match event {
        Received::Failed { error, .. } => Some(error.text.len()),
        _ => None,
    });
    assert!(failed.sum::<usize>() < huge.len() * 2);
}

#[test]
fn a_batch_that_has_ended_may_be_polled_again() {
    let calc = CalcClient::new(Mock::new());
    let none: Vec<Call<'_, Mock, u8>> = Vec::new();
    let mut batch = Box::pin(calc.batch(none).into_future());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(batch.as_mut().poll(&mut context).is_ready());
    assert!(batch.as_mut().poll(&mut context).is_pending());
}
