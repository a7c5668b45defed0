//! Profiles, as a server applies them, with an observer and without.

use rpc_core::connection::Connection;
use rpc_core::observe::{Event, EventKind};
use rpc_core::profile::{Cancel, LongBatch, Profile, Refusal};
use rpc_core::transport::memory;
use rpc_core::{Server, rpc};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tests::executor::Executor;
use tests::task::now;

#[rpc]
trait Api {
    async fn letters(&self, count: usize) -> String;
}

#[derive(Default)]
struct Counting(AtomicUsize);

impl Api for Counting {
    async fn letters(&self, count: usize) -> String {
        self.0.fetch_add(1, Ordering::SeqCst);
        "x".repeat(count)
    }
}

/// Formats the parts of an event that these tests check.
fn format_event(event: &Event<'_>) -> String {
    match event.kind {
        EventKind::Received { kind, id, reason, .. } => format!("{kind:?} {} {reason:?}", id.is_some()),
        EventKind::Responded { id, text } => format!("responded {id} {}", text[0] == b'{'),
        other => format!("{other:?}"),
    }
}

/// Handles a message on a server without and with an observer, which must respond alike.
#[track_caller]
fn handle(configure: impl Fn(Server<ApiService<Counting>>) -> Server<ApiService<Counting>>, message: &str) -> Handled {
    let handle = |is_observed: bool| {
        let (counting, seen) = (Arc::new(Counting::default()), Arc::new(Mutex::new(vec![])));
        let mut server = configure(Server::new(ApiService::from(counting.clone())));
        if is_observed {
            let list = seen.clone();
            server = server.observer(Arc::new(move |event: &Event<'_>| {
                list.lock().expect("not poisoned").push(format_event(event));
            }));
        }
        let response = now(server.handle(message)).unwrap_or_default();
        let seen = seen.lock().expect("not poisoned").clone();
        Handled { response, runs: counting.0.load(Ordering::SeqCst), seen }
    };
    let (plain, observed) = (handle(false), handle(true));
    assert_eq!((plain.response, plain.runs), (observed.response.clone(), observed.runs), "{message}");
    observed
}

struct Handled {
    response: String,
    /// The number of calls that ran.
    runs: usize,
    /// The events that the observer saw.
    seen: Vec<String>,
}

fn call(count: usize, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"letters","params":[{count}],"id":{id}}}"#)
}

fn result(letters: usize, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":"{}","id":{id}}}"#, "x".repeat(letters))
}

fn error(code: i64, message: &str, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{message}"}},"id":{id}}}"#)
}

const NULL_ID: &str = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request","data":"`id` must not be null in this protocol"},"id":null}"#;

#[test]
fn a_null_id_is_refused_if_the_profile_forbids_it() {
    let without = |server: Server<_>| server.profile(Profile::native().null_ids(false));
    for spelled in ["null", " null\t"] {
        let single = handle(without, &call(1, spelled));
        assert_eq!((&*single.response, single.runs), (NULL_ID, 0));
        assert_eq!(single.seen, ["Invalid false Some(IdNull)", "responded null true"]);
    }
    let batch = format!("[{},{},{}]", call(1, "1"), call(1, "null"), call(2, "2"));
    let members = handle(without, &batch);
    assert_eq!(members.response, format!("[{},{NULL_ID},{}]", result(1, "1"), result(2, "2")));
    assert_eq!(members.runs, 2);
    let seen = ["Request true None", "Invalid false Some(IdNull)", "Request true None"];
    assert_eq!(members.seen[..3], seen);
    assert_eq!(members.seen[3..], ["responded 1 true", "responded null true", "responded 2 true"]);
    // The id is checked before the method.
    assert_eq!(handle(without, &call(1, "null").replace("letters", "nope")).response, NULL_ID);
    for profile in [Profile::native(), Profile::strict(), Profile::lsp(), Profile::ethereum()] {
        let handled = handle(|server| server.profile(profile.clone()), &call(1, "null"));
        assert_eq!((handled.response, handled.runs), (result(1, "null"), 1), "{profile:?}");
    }
}

#[test]
fn batches_are_refused_if_the_profile_forbids_them() {
    let batch = format!("[{}]", call(1, "1"));
    let custom = Profile::native().batches(false).long_batch(LongBatch::FirstCall(Refusal::new(1, "long")));
    for profile in [Profile::lsp(), Profile::mcp(), custom] {
        let refused = handle(|server| server.profile(profile.clone()), &batch);
        assert!(refused.response.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32600,"#), "{}", refused.response);
        assert!(refused.response.ends_with(r#","id":null}"#), "{}", refused.response);
        assert_eq!(refused.runs, 0);
        assert_eq!(refused.seen, ["Invalid false Some(BatchTooLong)", "responded null true"]);
        let single = handle(|server| server.profile(profile.clone()), &call(1, "1"));
        assert_eq!(single.response, result(1, "1"));
    }
    let both = handle(|server| server.profile(Profile::lsp()).profile(Profile::native()), &batch);
    assert_eq!(both.response, format!("[{}]", result(1, "1")));
}

#[test]
fn a_long_batch_is_refused_with_the_id_of_its_first_call_if_the_profile_requires_it() {
    let configure = |server: Server<_>| server.profile(Profile::ethereum()).max_batch_members(2);
    let note = r#"{"jsonrpc":"2.0","method":"letters","params":[1]}"#;
    let too_large = |id: &str| format!("[{}]", error(-32600, "batch too large", id));
    let fitting = format!("[{},{}]", call(1, "1"), call(2, "2"));
    assert_eq!(handle(configure, &fitting).response, format!("[{},{}]", result(1, "1"), result(2, "2")));
    for (members, id) in [
        ([call(1, "1"), call(1, "2"), call(1, "3")].join(","), "1"),
        ([note.to_owned(), "7".to_owned(), call(1, r#""a""#), call(1, "3")].join(","), r#""a""#),
        ([note, note, note].join(","), "null"),
        ("1,2,3".to_owned(), "null"),
    ] {
        let refused = handle(configure, &format!("[{members}]"));
        assert_eq!((refused.response, refused.runs), (too_large(id), 0), "{members}");
        assert_eq!(refused.seen, ["Invalid false Some(BatchTooLong)".to_owned(), format!("responded {id} true")]);
    }
    // Other invalid batches are refused as without the profile.
    for (text, code) in [("[]", -32600), ("[1,2,3", -32700), ("[1,2,3]]", -32700)] {
        let refused = handle(configure, text).response;
        assert!(refused.starts_with(&format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"#)), "{text}: {refused}");
    }
    let custom = Profile::native().long_batch(LongBatch::FirstCall(Refusal::new(9, "less")));
    let refused = handle(|server| server.profile(custom.clone()).max_batch_members(0), &format!("[{}]", call(1, "4")));
    assert_eq!(refused.response, format!("[{}]", error(9, "less", "4")));
}

#[test]
fn responses_over_the_limit_are_replaced_by_the_error_of_the_profile() {
    let batch = format!("[{},{},{}]", call(3, "1"), call(90, "2"), call(3, "3"));
    for (profile, code, message) in [
        (Profile::native(), -32000, "Batch answer too large"),
        (Profile::ethereum(), -32003, "response too large"),
        (Profile::ethereum().large_response(Refusal::new(413, "less")), 413, "less"),
    ] {
        let handled = handle(|server| server.profile(profile.clone()).max_batch_response_bytes(99), &batch);
        let expected = [result(3, "1"), error(code, message, "2"), error(code, message, "3")];
        assert_eq!(handled.response, format!("[{}]", expected.join(",")));
        assert_eq!(handled.runs, 2);
    }
}

#[test]
fn a_connection_has_the_profile_of_its_server_unless_it_has_its_own() {
    let server = || Server::new(ApiService::new(Counting::default())).profile(Profile::lsp());
    for (builder, has_batches) in [
        (Connection::builder(server()), false),
        (Connection::builder(server()).profile(Profile::ethereum()), true),
        (Connection::builder(Server::new(ApiService::new(Counting::default()))), true),
    ] {
        let (one, other) = memory::pair(1 << 10);
        let (server_peer, serving) = builder.over(one);
        let (client_peer, calling) = Connection::builder(Server::new(())).over(other);
        let mut executor = Executor::new();
        let _running = (executor.spawn(serving.run()), executor.spawn(calling.run()));
        let server_side = ApiClient::new(server_peer);
        let sent = executor.spawn(async move { server_side.batch((server_side.letters(1),)).await.is_ok() });
        let client_side = ApiClient::new(client_peer);
        let handled = executor.spawn(async move {
            client_side.batch((client_side.letters(1),)).await.is_ok_and(|(outcome,)| outcome.is_ok())
        });
        executor.run();
        assert_eq!((sent.take(), handled.take()), (Some(has_batches), Some(has_batches)));
    }
}

#[test]
fn a_profile_is_built_from_functions_only() {
    let own = Profile::strict()
        .cancel(Some(Cancel::new("$/abort", "call")))
        .sends_cancels(true)
        .cancelled(None)
        .batches(true)
        .null_ids(false)
        .long_batch(LongBatch::FirstCall(Refusal::new(1, "long")))
        .large_response(Refusal::new(2, "large".to_owned()));
    assert_eq!(own.cancel.as_ref().map(|cancel| (&*cancel.method, &*cancel.id)), Some(("$/abort", "call")));
    assert!(own.sends_cancels && own.batches && !own.null_ids && own.cancelled.is_none());
    let set = |server: Server<_>| server.profile(own.clone()).max_batch_members(2).max_batch_response_bytes(99);
    let long = format!("[{},{},{}]", call(1, "1"), call(2, "2"), call(3, "3"));
    assert_eq!(handle(set, &long).response, format!("[{}]", error(1, "long", "1")));
    let large = format!("[{},{}]", call(3, "1"), call(90, "2"));
    assert_eq!(handle(set, &large).response, format!("[{},{}]", result(3, "1"), error(2, "large", "2")));
    assert_eq!(handle(set, &call(1, "null")).response, NULL_ID);
    let lsp = Profile::native().batches(false);
    assert_eq!((lsp, Profile::default()), (Profile::lsp(), Profile::native()));
}
