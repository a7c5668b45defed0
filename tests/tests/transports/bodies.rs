//! The test bodies. Each holds over every transport.

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
fn check(expected: &str, response: Option<String>) {
    let response = response.expect("a response");
    assert!(is_same(expected, &response), "expected {expected}\ngot      {response}");
}

// R08
pub(crate) async fn every_call_of_many_tasks_gets_its_response(case: TransportCase) {
    let Link { peer, .. } = case.link(Setup::default(), Setup::default()).await;
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let side = SideClient::new(peer.clone());
            tokio::spawn(async move {
                for n in 0..100 {
                    assert_eq!(side.add(n, task).await.expect("a response"), n + task);
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
pub(crate) async fn a_panic_on_either_side_fails_only_its_own_call(case: TransportCase) {
    let Link { peer, side: local } = case.link(Setup::default(), Setup::default()).await;
    let side = SideClient::new(peer.clone());
    let pending = side.wait().into_future();
    let others: Vec<_> = (0..8).map(|n| side.add(n, 1).into_future()).collect();
    // In a callback on this side, in a method of the peer, and in a notification handler of the peer.
    assert_eq!(side.break_other().await.expect("a code"), Some(ErrorObject::INTERNAL_ERROR));
    let broken = side.break_down().await;
    assert!(matches!(&broken, Err(ClientError::Rpc(error)) if error.code == ErrorObject::INTERNAL_ERROR), "{broken:?}");
    side.break_down_unheard().await.expect("the notification is sent");
    for (n, other) in (0..).zip(others) {
        assert_eq!(other.await.expect("a sum"), n + 1);
    }
    assert_eq!(side.running().await.expect("a count"), 1);
    side.have_counted().await.expect("the notification is sent");
    local.counted.is(1).await;
    assert_eq!((peer.close_reason(), peer.pending_calls()), (None, 1));
    drop(pending);
}

// R25
pub(crate) async fn handlers_that_call_back_complete_when_every_slot_is_taken(case: TransportCase) {
    let setup = Setup { max_running: 4, ..Setup::default() };
    let Link { peer, side: local } = case.link(setup, setup).await;
    let side = SideClient::new(peer);
    for depth in [1, 3] {
        let calls: Vec<_> = (0..8).map(|_| side.nested(depth).into_future()).collect();
        for call in calls {
            assert_eq!(call.await.expect("a depth"), depth);
        }
    }
    for _ in 0..8 {
        side.have_counted().await.expect("the notification is sent");
    }
    local.counted.is(8).await;
}

// R28
pub(crate) async fn exclusive_notifications_take_effect_in_order(case: TransportCase) {
    let peer_setup = Setup { max_queued: 2000, ..Setup::default() };
    let Link { peer, .. } = case.link(Setup::default(), peer_setup).await;
    let side = SideClient::new(peer);
    for n in 0..1000 {
        side.append(n).await.expect("the notification is sent");
    }
    // Calls after the notifications still run concurrently.
    let slow: Vec<_> = (0..2).map(|_| side.wait().into_future()).collect();
    assert_eq!(side.read().await.expect("a list"), (0..1000).collect::<Vec<_>>());
    assert_eq!(side.running().await.expect("a count"), 2);
    drop(slow);
}

// R30
pub(crate) async fn a_method_can_shut_its_connection_down(case: TransportCase) {
    let Link { peer, .. } = case.link(Setup::default(), Setup::default()).await;
    let side = SideClient::new(peer.clone());
    // The response is sent before the connection closes; this side sends nothing.
    assert!(side.stop().await.expect("a response"));
    assert_eq!(peer.closed().await, CloseReason::ByPeer);
    assert!(matches!(side.add(1, 2).await, Err(ClientError::Closed(CloseReason::ByPeer))));
}

// R39
pub(crate) async fn messages_larger_than_a_buffer_arrive_whole(case: TransportCase) {
    let Link { peer, .. } = case.link(Setup::default(), Setup::default()).await;
    let side = SideClient::new(peer);
    for size in [8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 300_000] {
        let text = "x".repeat(size);
        // Both directions at the same time; `echo_back` calls back.
        let (echo, echo_back) = (side.echo(text.clone()).into_future(), side.echo_back(text.clone()).into_future());
        assert!(echo.await.expect("an echo") == text && echo_back.await.expect("an echo") == text, "{size}");
    }
}

// R04
pub(crate) async fn quotes_and_brackets_in_strings_do_not_end_a_message(case: TransportCase) {
    let Served { mut raw, server: _server } = case.served(Setup::default()).await;
    let text = r#""a\"]}{[b\\""#;
    for id in [1, 2] {
        raw.send(&[call(id, "echo", &format!("[{text}]"))]).await;
        check(&result(text, &id.to_string()), raw.next().await);
    }
}

// R22
pub(crate) async fn a_cancellation_right_after_its_request_always_takes_effect(case: TransportCase) {
    let Served { mut raw, server: _server } = case.served(Setup::default()).await;
    let ids: Vec<u32> = (0..1000).collect();
    for ids in ids.chunks(50) {
        for &id in ids {
            raw.send(&[call(id, "wait", "[]"), cancel(id)]).await;
        }
        let mut pending: BTreeSet<u32> = ids.iter().copied().collect();
        while !pending.is_empty() {
            let response = raw.next().await.expect("a response");
            let id = pending.iter().find(|id| is_same(&error(-32800, &id.to_string()), &response)).copied();
            pending.remove(&id.expect(&response));
        }
    }
    // Each request got one response, and no handler is left.
    raw.send(&[call(1000, "running", "[]")]).await;
    check(&result("0", "1000"), raw.next().await);
}

// R24. After the end of the input, responses are still sent; after an error, they are not.
pub(crate) async fn handlers_are_dropped_when_their_connection_breaks(case: TransportCase) {
    let Served { mut raw, server } = case.served(Setup::default()).await;
    let calls: Vec<_> = (1..4).map(|id| call(id, if id == 1 { "pass" } else { "wait" }, "[]")).collect();
    raw.send(&calls).await;
    let Some((peer, side)) = server else {
        // The handlers run in another process; `children` tests that.
        return;
    };
    side.running.is(3).await;
    drop(raw);
    let is_reset = matches!(case.way, Way::Tcp | Way::Connect(Target::Tcp) | Way::Blocking(Target::Tcp));
    if !is_reset {
        assert_eq!(peer.closed().await, CloseReason::ByPeer);
        // The response has no reader.
        side.gate.open();
    }
    side.running.is(0).await;
    let reason = peer.closed().await;
    assert_eq!(matches!(reason, CloseReason::Failed { .. }), is_reset, "{reason}");
}

// R24, for a client that has disconnected, or has closed only its output.
pub(crate) async fn handlers_are_dropped_after_the_half_close_timeout(case: TransportCase) {
    for disconnects in [false, true] {
        let Served { mut raw, server } =
            case.served(Setup { half_close_timeout_ms: Some(30), ..Setup::default() }).await;
        raw.send(&[call(1, "wait", "[]"), call(2, "running", "[]"), call(3, "wait", "[]")]).await;
        check(&result("1", "2"), raw.next().await);
        if let Some((peer, side)) = server {
            side.running.is(2).await;
            if disconnects {
                drop(raw);
            } else {
                raw.close().await;
                // Pending requests get no response.
                assert_eq!(raw.next().await, None);
            }
            side.running.is(0).await;
            let reason = peer.closed().await;
            assert!(disconnects || reason == CloseReason::ByPeer, "{reason}");
        } else {
            raw.close().await;
            // The process has exited.
            assert_eq!(raw.next().await, None);
        }
    }
}

// R30
pub(crate) async fn a_shutdown_does_not_wait_for_more_input(case: TransportCase) {
    let Served { mut raw, server } = case.served(Setup::default()).await;
    raw.send(&[call(1, "pass", "[]")]).await;
    let Some((peer, side)) = server else { return };
    side.running.is(1).await;
    peer.shutdown();
    side.gate.open();
    // Running handlers complete first.
    check(&result("7", "1"), raw.next().await);
    assert_eq!(peer.closed().await, CloseReason::ByUs);
    assert_eq!(raw.next().await, None);
}

// R32
pub(crate) async fn a_peer_that_disconnects_during_a_response_closes_the_connection(case: TransportCase) {
    let Served { mut raw, server } = case.served(Setup::default()).await;
    raw.send(&[call(1, "fill", "[8388608]")]).await;
    raw.begin_to_read().await;
    let Some((peer, _)) = server else {
        raw.close().await;
        return;
    };
    let side = SideClient::new(peer.clone());
    // This request is queued behind the response.
    let call = side.echo("x".to_owned()).into_future();
    drop(raw);
    let outcome = call.await;
    assert!(matches!(outcome, Err(ClientError::Closed(_))));
    let reason = peer.closed().await;
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
}

// R34
pub(crate) async fn a_batch_with_too_many_members_runs_none_of_them(case: TransportCase) {
    let Served { mut raw, server: _server } = case.served(Setup { max_batch_members: 100, ..Setup::default() }).await;
    let batch = |count: u32| {
        let members: Vec<_> = (0..count).map(|n| call(n, "count", "[]")).collect();
        format!("[{}]", members.join(","))
    };
    let notifications = vec![r#"{"jsonrpc":"2.0","method":"append","params":[1]}"#; 101].join(",");
    raw.send(&[batch(101), format!("[{notifications}]"), call(1, "read", "[]"), batch(100)]).await;
    check(&error(-32600, "null"), raw.next().await);
    check(&error(-32600, "null"), raw.next().await);
    check(&result("[]", "1"), raw.next().await);
    let counted: Vec<_> = (0..100).map(|n| result(&(n + 1).to_string(), &n.to_string())).collect();
    check(&format!("[{}]", counted.join(",")), raw.next().await);
}

// R37
pub(crate) async fn header_names_and_whitespace_are_parsed_as_in_http(case: TransportCase) {
    if !case.has_headers {
        return;
    }
    let Served { mut raw, server: _server } = case.served(Setup::default()).await;
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
        check(&result("3", "1"), raw.next().await);
    }
}

// R38
pub(crate) async fn messages_are_decoded_from_any_split_of_their_bytes(case: TransportCase) {
    use rpc_core::transport::Framing;
    if case.way == Way::Memory {
        return;
    }
    let Served { mut raw, server: _server } = case.served(Setup::default()).await;
    let (text, mut bytes) = (r#""é漢😀""#, vec![]);
    case.framing().encode(call(1, "echo", &format!("[{text}]")).as_bytes(), &mut bytes);
    for byte in &bytes {
        raw.write([*byte]).await;
    }
    check(&result(text, "1"), raw.next().await);
    for at in 1..bytes.len() {
        raw.write(&bytes[..at]).await;
        raw.write(&bytes[at..]).await;
        check(&result(text, "1"), raw.next().await);
    }
    raw.write(bytes.repeat(50)).await;
    for _ in 0..50 {
        check(&result(text, "1"), raw.next().await);
    }
}

// R23
pub(crate) async fn late_responses_are_discarded(case: TransportCase) {
    let (Link { peer, .. }, mut raw) = case.scripted(Setup::default()).await;
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
pub(crate) async fn pending_calls_fail_with_the_close_reason_of_the_connection(case: TransportCase) {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Ending {
        PeerCloses,
        PeerDisconnects,
        Shutdown,
    }
    for ending in [Ending::PeerCloses, Ending::PeerDisconnects, Ending::Shutdown] {
        let (Link { peer, .. }, mut raw) = case.scripted(Setup::default()).await;
        let side = SideClient::new(peer.clone());
        let calls: Vec<_> = (0..16).map(|_| side.wait().into_future()).collect();
        for _ in 0..16 {
            raw.next().await.expect("a call");
        }
        let mut raw = Some(raw);
        match ending {
            Ending::PeerCloses => raw.as_mut().expect("a peer").close().await,
            Ending::PeerDisconnects => raw = None,
            Ending::Shutdown => peer.shutdown(),
        }
        let reason = peer.closed().await;
        match ending {
            Ending::PeerCloses => assert_eq!(reason, CloseReason::ByPeer),
            Ending::PeerDisconnects => {
                assert!(matches!(reason, CloseReason::ByPeer | CloseReason::Failed { .. }), "{reason}");
            }
            Ending::Shutdown => assert_eq!(reason, CloseReason::ByUs),
        }
        for call in calls {
            let outcome = call.await;
            let has_failed = matches!(&outcome, Err(ClientError::Closed(closed)) if *closed == reason);
            assert!(has_failed, "{ending:?} {outcome:?}");
        }
        let later = side.add(1, 2).await;
        assert!(matches!(&later, Err(ClientError::Closed(closed)) if *closed == reason), "{ending:?} {later:?}");
        assert_eq!(peer.pending_calls(), 0);
        drop(raw);
    }
}

// R32
pub(crate) async fn a_peer_that_disconnects_during_a_request_fails_its_call(case: TransportCase) {
    let (Link { peer, .. }, mut raw) = case.scripted(Setup::default()).await;
    let call = Call::<_, String>::new(&peer, "echo", &[letters(8 << 20)]).into_future();
    raw.begin_to_read().await;
    drop(raw);
    let outcome = call.await;
    assert!(matches!(outcome, Err(ClientError::Closed(_))));
    let reason = peer.closed().await;
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
}
