//! Callers that wrap callers (`Timeout`, `Retry`), and the options of a single call.

use rpc_core::client::{BatchCall, Call, Caller, Retry, Timeout};
use rpc_core::mock::Mock;
use rpc_core::time::ManualTimer;
use rpc_core::wire::Id;
use rpc_core::{ClientError, ErrorObject, Server, rpc};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::Duration;
use tests::task::{Task, now};

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> i64;
}

struct Mine;

impl Calc for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_call_with_a_timeout_needs_a_caller_with_a_timer() {
    let calc = CalcClient::new(Server::new(CalcService::new(Mine)).caller());
    assert!(matches!(now(calc.add(1, 2).timeout(SECOND)), Err(ClientError::Unsupported(_))));
    assert!(matches!(now(calc.add(1, 2).timeout(SECOND).notify()), Err(ClientError::Unsupported(_))));
    assert_eq!(now(calc.add(1, 2).timeout(None)).expect("no timeout"), 3);
    let with_timer = CalcClient::new(Timeout::new(calc.caller().clone(), ManualTimer::new()));
    assert_eq!(now(with_timer.add(1, 2).timeout(SECOND)).expect("in time"), 3);
    now(with_timer.add(1, 2).timeout(SECOND).notify()).expect("in time");
}

#[test]
fn a_call_times_out_exactly_at_its_deadline() {
    let timer = ManualTimer::new();
    let wire = Timeout::new(Mock::new().never_responds(), timer.clone());
    let wait = || Call::<_, u8>::new(&wire, "wait", &());
    let mut calls = [
        (60, Task::new(wait().into_future())),
        (5, Task::new(wait().timeout(5 * SECOND).into_future())),
        (90, Task::new(wait().timeout(90 * SECOND).into_future())),
        (0, Task::new(wait().timeout(Duration::ZERO).into_future())),
    ];
    for now in 0..=90 {
        for (deadline, call) in &mut calls {
            match call.step() {
                Poll::Pending => assert!(now < *deadline, "{deadline} at {now}"),
                Poll::Ready(Err(ClientError::Timeout)) => {
                    assert_eq!(now, *deadline);
                    *call = Task::new(wait().timeout(None).into_future());
                    *deadline = u64::MAX;
                }
                Poll::Ready(other) => panic!("{other:?}"),
            }
        }
        timer.advance(SECOND);
    }
    assert!(calls.iter().all(|(deadline, _)| *deadline == u64::MAX));
    assert_eq!(timer.pending_count(), 0);
}

#[test]
fn a_response_that_arrived_before_the_deadline_wins_even_if_polled_later() {
    let timer = ManualTimer::new();
    let calc = CalcClient::new(Timeout::new(Server::new(CalcService::new(Mine)).caller(), timer.clone()));
    let sum = calc.add(1, 2).into_future();
    timer.advance(1000 * SECOND);
    assert_eq!(now(sum).expect("a result"), 3);
}

#[test]
fn a_dropped_call_leaves_no_timer_pending() {
    let timer = ManualTimer::new();
    let wire = Timeout::new(Mock::new().never_responds(), timer.clone());
    let call = Call::<_, u8>::new(&wire, "wait", &()).into_future();
    assert_eq!(timer.pending_count(), 1);
    drop(call);
    assert_eq!(timer.pending_count(), 0);
}

#[test]
fn a_call_may_have_a_custom_id() {
    let wire = Mock::new().on("add", |_| Ok(3));
    let calc = CalcClient::new(wire.clone());
    now(calc.add(1, 2).id("mine")).expect("a result");
    now(calc.add(1, 2).id(7)).expect("a result");
    now(calc.add(1, 2).id(format!("n-{}", 1))).expect("a result");
    now(calc.add(1, 2).id(Id::from_token("1.5").expect("an id").into_owned())).expect("a result");
    let (first, second) = now(calc.batch((calc.add(1, 2).id("first"), calc.add(1, 2)))).expect("a batch");
    assert_eq!((first.expect("a result"), second.expect("a result")), (3, 3));
    let ids: Vec<_> = wire
        .sent()
        .iter()
        .map(|text| {
            text.split(r#""id":"#)
                .skip(1)
                .map(|rest| rest.split('}').next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(ids, [r#""mine""#, "7", r#""n-1""#, "1.5", r#""first" 5"#]);
}

/// Returns a mock whose first `times` calls fail, and the number of its calls.
fn failing(times: u32, error: fn() -> ClientError) -> (Mock, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let attempts = count.clone();
    let wire = Mock::new()
        .on("read", move |_| if attempts.fetch_add(1, Ordering::Relaxed) < times { Err(error()) } else { Ok(1) });
    (wire, count)
}

type MakeError = fn() -> ClientError;

#[test]
fn only_an_unsent_or_idempotent_call_is_retried() {
    let cases: [(MakeError, bool, u32); 8] = [
        (|| ClientError::Unsupported("never".into()), true, 1),
        (|| ClientError::NotSent("busy".into()), false, 3),
        (|| ClientError::NotSent("busy".into()), true, 3),
        (|| ClientError::Closed("reset".into()), false, 1),
        (|| ClientError::Closed("reset".into()), true, 3),
        (|| ClientError::Timeout, false, 1),
        (|| ClientError::Timeout, true, 3),
        // An error object is a response.
        (|| ClientError::Rpc(ErrorObject::new(7, "")), true, 1),
    ];
    for (error, is_idempotent, attempts) in cases {
        let (wire, count) = failing(2, error);
        let retry = Retry::new(wire, ManualTimer::new(), 5).pause(Duration::ZERO);
        let call = Call::<_, u8>::new(&retry, "read", &());
        let outcome = now(if is_idempotent { call.idempotent() } else { call });
        assert_eq!(count.load(Ordering::Relaxed), attempts, "{:?}", error());
        assert_eq!(outcome.is_ok(), attempts == 3, "{:?}", error());
    }
}

#[test]
fn the_error_of_the_last_attempt_is_returned() {
    for attempts in [0, 1, 4] {
        let (wire, count) = failing(100, || ClientError::Timeout);
        let retry = Retry::new(wire, ManualTimer::new(), attempts).pause(Duration::ZERO);
        let outcome = now(Call::<_, u8>::new(&retry, "read", &()).idempotent());
        assert!(matches!(outcome, Err(ClientError::Timeout)));
        assert_eq!(count.load(Ordering::Relaxed), attempts.max(1));
    }
}

#[test]
fn the_pause_doubles_after_each_attempt() {
    let timer = ManualTimer::new();
    let (wire, count) = failing(3, || ClientError::NotSent("busy".into()));
    let retry = Retry::new(wire, timer.clone(), 9).pause(SECOND);
    let mut call = Task::new(Call::<_, u8>::new(&retry, "read", &()).into_future());
    let mut attempted_at = Vec::new();
    for now in 0..20 {
        let before = count.load(Ordering::Relaxed);
        let poll = call.step();
        attempted_at.extend((count.load(Ordering::Relaxed) > before).then_some(now));
        if poll.is_ready() {
            break;
        }
        timer.advance(SECOND);
    }
    assert_eq!(attempted_at, [0, 1, 3, 7]);
}

#[test]
fn a_timeout_inside_a_retry_limits_each_attempt_and_outside_all_of_them() {
    let timer = ManualTimer::new();
    let each =
        Retry::new(Timeout::new(Mock::new().never_responds(), timer.clone()).default_timeout(SECOND), timer.clone(), 3)
            .pause(Duration::ZERO);
    let all =
        Timeout::new(Retry::new(Mock::new().never_responds(), timer.clone(), 3), timer.clone()).default_timeout(SECOND);
    assert!(each.supports_timeouts() && all.supports_timeouts());
    let mut each = Task::new(Call::<_, u8>::new(&each, "wait", &()).idempotent().into_future());
    let mut all = Task::new(Call::<_, u8>::new(&all, "wait", &()).idempotent().into_future());
    let (mut each_at, mut all_at) = (None, None);
    for now in 0..5 {
        if each_at.is_none() && each.step().is_ready() {
            each_at = Some(now);
        }
        if all_at.is_none() && all.step().is_ready() {
            all_at = Some(now);
        }
        timer.advance(SECOND);
    }
    assert_eq!((each_at, all_at), (Some(3), Some(1)));
}

#[test]
fn a_batch_is_retried_only_if_all_its_calls_are_idempotent() {
    for (is_idempotent, attempts) in [(true, 3), (false, 1)] {
        let (wire, timer) = (Mock::new().never_responds(), ManualTimer::new());
        let retry = Retry::new(Timeout::new(wire.clone(), timer.clone()).default_timeout(SECOND), timer.clone(), 3)
            .pause(Duration::ZERO);
        let (first, second) = (Call::<_, u8>::new(&retry, "a", &()), Call::<_, u8>::new(&retry, "b", &()));
        let second = if is_idempotent { second.idempotent() } else { second };
        let mut batch = Task::new(BatchCall::new(&retry, (first.idempotent(), second)).into_future());
        let outcome = loop {
            if let Poll::Ready(outcome) = batch.step() {
                break outcome;
            }
            timer.advance(SECOND);
        };
        assert!(matches!(outcome, Err(ClientError::Timeout)));
        assert_eq!(wire.sent().len(), attempts);
    }
}
