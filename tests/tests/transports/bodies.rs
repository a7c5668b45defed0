//! What holds over every transport, once for all of them.

use crate::cases::{Link, Served, Target, TransportCase, Way};
use rpc_core::client::{Call, CloseReason, Timeout};
use rpc_core::time::ThreadTimer;
use rpc_core::{ClientError, ErrorObject};
use std::collections::BTreeSet;
use std::time::Duration;
use tests::check::{error, is_same, result};
use tests::transport_service::{Setup, SideClient, letters};

fn call(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn cancel(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#)
}

#[track_caller]
fn is(wanted: &str, response: Option<String>) {
    let response = response.expect("an answer");
    assert!(is_same(wanted, &response), "wants {wanted}\ngot   {response}");
}

// R08
pub(crate) async fn every_call_of_many_tasks_is_answered(door: TransportCase) {
    let Link { peer, .. } = door.link(Setup::default(), Setup::default()).await;
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let side = SideClient::new(peer.clone());
            tokio::spawn(async move {
                for n in 0..100 {
                    assert_eq!(side.add(n, task).await.expect("a reply"), n + task);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no panic");
    }
    assert_eq!(peer.pending_calls(), 0);
}

// R19
pub(crate) async fn a_panic_on_either_side_costs_its_own_call_only(door: TransportCase) {
    let Link { peer, side: mine } = door.link(Setup::default(), Setup::default()).await;
    let side = SideClient::new(peer.clone());
    let waits = side.wait().into_future();
    let others: Vec<_> = (0..8).map(|n| side.add(n, 1).into_future()).collect();
    // As a callback on this side, as a method there, and as notifications on both.
    assert_eq!(side.break_other().await.expect("a code"), Some(ErrorObject::INTERNAL_ERROR));
    let broken = side.break_down().await;
    assert!(matches!(&broken, Err(ClientError::Rpc(error)) if error.code == ErrorObject::INTERNAL_ERROR), "{broken:?}");
    side.break_down_unheard().await.expect("it is sent");
    for (n, other) in (0..).zip(others) {
        assert_eq!(other.await.expect("a sum"), n + 1);
    }
    assert_eq!(side.running().await.expect("a count"), 1);
    side.have_counted().await.expect("it is sent");
    mine.counted.is(1).await;
    assert_eq!((peer.close_reason(), peer.pending_calls()), (None, 1));
    drop(waits);
}

// R25
pub(crate) async fn handlers_that_call_back_end_with_every_slot_taken(door: TransportCase) {
    let few = Setup { max_running: 4, ..Setup::default() };
    let Link { peer, side: mine } = door.link(few, few).await;
    let side = SideClient::new(peer);
    for depth in [1, 3] {
        let calls: Vec<_> = (0..8).map(|_| side.nested(depth).into_future()).collect();
        for call in calls {
            assert_eq!(call.await.expect("it ends"), depth);
        }
    }
    for _ in 0..8 {
        side.have_counted().await.expect("it is sent");
    }
    mine.counted.is(8).await;
}

// R28
pub(crate) async fn exclusive_notifications_take_effect_in_order(door: TransportCase) {
    let there = Setup { max_queued: 2000, ..Setup::default() };
    let Link { peer, .. } = door.link(Setup::default(), there).await;
    let side = SideClient::new(peer);
    for n in 0..1000 {
        side.append(n).await.expect("it is sent");
    }
    // Slow calls run beside each other behind them.
    let slow: Vec<_> = (0..2).map(|_| side.wait().into_future()).collect();
    assert_eq!(side.read().await.expect("a list"), (0..1000).collect::<Vec<_>>());
    assert_eq!(side.running().await.expect("a count"), 2);
    drop(slow);
}

// R30
pub(crate) async fn a_method_may_stop_its_side(door: TransportCase) {
    let Link { peer, .. } = door.link(Setup::default(), Setup::default()).await;
    let side = SideClient::new(peer.clone());
    // It is answered before the end; this side stays open and silent.
    assert!(side.stop().await.expect("an answer"));
    assert_eq!(peer.closed().await, CloseReason::ByPeer);
    assert!(matches!(side.add(1, 2).await, Err(ClientError::Closed(CloseReason::ByPeer))));
}

// R39
pub(crate) async fn messages_larger_than_a_buffer_arrive_whole(door: TransportCase) {
    let Link { peer, .. } = door.link(Setup::default(), Setup::default()).await;
    let side = SideClient::new(peer);
    for size in [8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 300_000] {
        let text = "x".repeat(size);
        // Both directions at the same time, the second by way of a callback.
        let (there, back) = (side.echo(text.clone()).into_future(), side.echo_back(text.clone()).into_future());
        assert!(there.await.expect("an echo") == text && back.await.expect("an echo") == text, "{size}");
    }
}

// R04
pub(crate) async fn quotes_and_brackets_in_strings_end_no_message(door: TransportCase) {
    let Served { mut raw, other: _other } = door.served(Setup::default()).await;
    let text = r#""a\"]}{[b\\""#;
    for id in [1, 2] {
        raw.send(&[call(id, "echo", &format!("[{text}]"))]).await;
        is(&result(text, &id.to_string()), raw.next().await);
    }
}

// R22
pub(crate) async fn a_cancel_right_behind_its_request_always_finds_it(door: TransportCase) {
    let Served { mut raw, other: _other } = door.served(Setup::default()).await;
    let rounds: Vec<u32> = (0..1000).collect();
    for rounds in rounds.chunks(50) {
        for &id in rounds {
            raw.send(&[call(id, "wait", "[]"), cancel(id)]).await;
        }
        let mut open: BTreeSet<u32> = rounds.iter().copied().collect();
        while !open.is_empty() {
            let response = raw.next().await.expect("an answer");
            let id = open.iter().find(|id| is_same(&error(-32800, &id.to_string()), &response)).copied();
            open.remove(&id.expect(&response));
        }
    }
    // Each was answered once, and none is left.
    raw.send(&[call(1000, "running", "[]")]).await;
    is(&result("0", "1000"), raw.next().await);
}

// R24. The end of the input alone is answered first; what is found broken is not.
pub(crate) async fn handlers_are_dropped_when_their_connection_breaks(door: TransportCase) {
    let Served { mut raw, other } = door.served(Setup::default()).await;
    let calls: Vec<_> = (1..4).map(|id| call(id, if id == 1 { "pass" } else { "wait" }, "[]")).collect();
    raw.send(&calls).await;
    let Some((peer, side)) = other else {
        // They run in another process, which `children` watches.
        return;
    };
    side.running.is(3).await;
    drop(raw);
    let is_reset = matches!(door.way, Way::Tcp | Way::Connect(Target::Tcp) | Way::Blocking(Target::Tcp));
    if !is_reset {
        assert_eq!(peer.closed().await, CloseReason::ByPeer);
        // Nobody reads the answer.
        side.gate.open();
    }
    side.running.is(0).await;
    let reason = peer.closed().await;
    assert_eq!(matches!(reason, CloseReason::Failed { .. }), is_reset, "{reason}");
}

// R24, for a client that is gone without a trace, or that only says no more.
pub(crate) async fn handlers_linger_no_longer_than_they_may(door: TransportCase) {
    for goes in [false, true] {
        let Served { mut raw, other } =
            door.served(Setup { half_close_timeout_ms: Some(30), ..Setup::default() }).await;
        raw.send(&[call(1, "wait", "[]"), call(2, "running", "[]"), call(3, "wait", "[]")]).await;
        is(&result("1", "2"), raw.next().await);
        if let Some((peer, side)) = other {
            side.running.is(2).await;
            if goes {
                drop(raw);
            } else {
                raw.close().await;
                // What is open is not answered.
                assert_eq!(raw.next().await, None);
            }
            side.running.is(0).await;
            let reason = peer.closed().await;
            assert!(goes || reason == CloseReason::ByPeer, "{reason}");
        } else {
            raw.close().await;
            // The process has ended.
            assert_eq!(raw.next().await, None);
        }
    }
}

// R30
pub(crate) async fn a_side_is_stopped_from_outside_without_another_byte(door: TransportCase) {
    let Served { mut raw, other } = door.served(Setup::default()).await;
    raw.send(&[call(1, "pass", "[]")]).await;
    let Some((peer, side)) = other else { return };
    side.running.is(1).await;
    peer.shutdown();
    side.gate.open();
    // What runs is answered first.
    is(&result("7", "1"), raw.next().await);
    assert_eq!(peer.closed().await, CloseReason::ByUs);
    assert_eq!(raw.next().await, None);
}

// R32
pub(crate) async fn who_goes_while_it_is_answered_breaks_nothing(door: TransportCase) {
    let Served { mut raw, other } = door.served(Setup::default()).await;
    raw.send(&[call(1, "fill", "[8388608]")]).await;
    raw.begin_to_read().await;
    let Some((peer, _)) = other else {
        raw.close().await;
        return;
    };
    let side = SideClient::new(peer.clone());
    // One waits for its turn to be sent.
    let sent = side.echo("x".to_owned()).into_future();
    drop(raw);
    let end = sent.await;
    assert!(matches!(end, Err(ClientError::Closed(_))));
    let reason = peer.closed().await;
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
}

// R34
pub(crate) async fn a_batch_that_is_too_long_runs_nothing(door: TransportCase) {
    let Served { mut raw, other: _other } = door.served(Setup { max_batch_members: 100, ..Setup::default() }).await;
    let batch = |count: u32| {
        let members: Vec<_> = (0..count).map(|n| call(n, "count", "[]")).collect();
        format!("[{}]", members.join(","))
    };
    let notes = vec![r#"{"jsonrpc":"2.0","method":"append","params":[1]}"#; 101].join(",");
    raw.send(&[batch(101), format!("[{notes}]"), call(1, "read", "[]"), batch(100)]).await;
    is(&error(-32600, "null"), raw.next().await);
    is(&error(-32600, "null"), raw.next().await);
    is(&result("[]", "1"), raw.next().await);
    let counted: Vec<_> = (0..100).map(|n| result(&(n + 1).to_string(), &n.to_string())).collect();
    is(&format!("[{}]", counted.join(",")), raw.next().await);
}

// R37
pub(crate) async fn header_names_and_spaces_are_read_as_in_http(door: TransportCase) {
    if !door.has_headers {
        return;
    }
    let Served { mut raw, other: _other } = door.served(Setup::default()).await;
    for header in [
        "content-length:#\r\n",
        "CONTENT-LENGTH:   #  \r\n",
        "Content-Length:\t#\r\n",
        "X-Trace: 1\r\nContent-Length: #\r\n",
        "Content-Length: #\r\nX-Trace: 1\r\n",
        "Content-Length: #\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
    ] {
        let message = call(1, "add", "[1,2]");
        raw.write(header.replace('#', &message.len().to_string()) + "\r\n" + &message).await;
        is(&result("3", "1"), raw.next().await);
    }
}

// R38
pub(crate) async fn any_split_of_the_bytes_is_the_same(door: TransportCase) {
    use rpc_core::transport::Framing;
    if door.way == Way::Memory {
        return;
    }
    let Served { mut raw, other: _other } = door.served(Setup::default()).await;
    let (text, mut bytes) = (r#""é漢😀""#, vec![]);
    door.framing().encode(call(1, "echo", &format!("[{text}]")).as_bytes(), &mut bytes);
    for byte in &bytes {
        raw.write([*byte]).await;
    }
    is(&result(text, "1"), raw.next().await);
    for at in 1..bytes.len() {
        raw.write(&bytes[..at]).await;
        raw.write(&bytes[at..]).await;
        is(&result(text, "1"), raw.next().await);
    }
    raw.write(bytes.repeat(50)).await;
    for _ in 0..50 {
        is(&result(text, "1"), raw.next().await);
    }
}

// R23
pub(crate) async fn late_replies_are_passed_over(door: TransportCase) {
    let (Link { peer, .. }, mut raw) = door.scripted(Setup::default()).await;
    let timed = SideClient::new(Timeout::new(peer.clone(), ThreadTimer));
    let (dropped, other) = (timed.wait().into_future(), timed.add(3, 4).into_future());
    let late = timed.wait().timeout(Duration::from_millis(20)).await;
    assert!(matches!(late, Err(ClientError::Timeout)), "{late:?}");
    drop(dropped);
    for sent in [
        r#"{"jsonrpc":"2.0","method":"wait","id":1}"#,
        r#"{"jsonrpc":"2.0","method":"add","params":{"a":3,"b":4},"id":2}"#,
        r#"{"jsonrpc":"2.0","method":"wait","id":3}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
    ] {
        assert_eq!(raw.next().await.as_deref(), Some(sent));
    }
    assert_eq!(peer.pending_calls(), 1);
    raw.send(&[result("1", "1"), error(-32800, "3"), result("7", "2")]).await;
    assert_eq!(other.await.expect("a sum"), 7);
    let next = timed.add(5, 6).into_future();
    assert!(raw.next().await.is_some());
    raw.send(&[result("11", "4")]).await;
    assert_eq!(next.await.expect("a sum"), 11);
    assert_eq!((peer.pending_calls(), peer.close_reason()), (0, None));
}

// R29
pub(crate) async fn calls_that_wait_end_with_the_connection_and_say_why(door: TransportCase) {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Ending {
        Closes,
        Goes,
        WeStop,
    }
    for ending in [Ending::Closes, Ending::Goes, Ending::WeStop] {
        let (Link { peer, .. }, mut raw) = door.scripted(Setup::default()).await;
        let side = SideClient::new(peer.clone());
        let calls: Vec<_> = (0..16).map(|_| side.wait().into_future()).collect();
        for _ in 0..16 {
            raw.next().await.expect("a call");
        }
        let mut raw = Some(raw);
        match ending {
            Ending::Closes => raw.as_mut().expect("it is there").close().await,
            Ending::Goes => raw = None,
            Ending::WeStop => peer.shutdown(),
        }
        let reason = peer.closed().await;
        match ending {
            Ending::Closes => assert_eq!(reason, CloseReason::ByPeer),
            Ending::Goes => assert!(matches!(reason, CloseReason::ByPeer | CloseReason::Failed { .. }), "{reason}"),
            Ending::WeStop => assert_eq!(reason, CloseReason::ByUs),
        }
        for call in calls {
            let end = call.await;
            assert!(matches!(&end, Err(ClientError::Closed(why)) if *why == reason), "{ending:?} {end:?}");
        }
        let later = side.add(1, 2).await;
        assert!(matches!(&later, Err(ClientError::Closed(why)) if *why == reason), "{ending:?} {later:?}");
        assert_eq!(peer.pending_calls(), 0);
        drop(raw);
    }
}

// R32
pub(crate) async fn who_goes_unread_fails_what_is_being_sent(door: TransportCase) {
    let (Link { peer, .. }, mut raw) = door.scripted(Setup::default()).await;
    let sent = Call::<_, String>::new(&peer, "echo", &[letters(8 << 20)]).into_future();
    raw.begin_to_read().await;
    drop(raw);
    let end = sent.await;
    assert!(matches!(end, Err(ClientError::Closed(_))));
    let reason = peer.closed().await;
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
}
