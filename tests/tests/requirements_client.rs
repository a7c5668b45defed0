//! The calling side: what its messages look like, and how each call ends.

use rpc_core::client::{Caller, CloseReason, Outgoing, Timeout};
use rpc_core::mock::Mock;
use rpc_core::profile::Profile;
use rpc_core::time::ManualTimer;
use rpc_core::wire::Id;
use rpc_core::{CallError, ClientError, ErrorObject, Internal, RpcError, Server, rpc};
use serde::{Deserialize, Serialize, Serializer};
use std::error::Error;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, io};
use tests::task::now;

/// Serialises never.
#[derive(Debug, Deserialize)]
struct Stubborn;

impl Serialize for Stubborn {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("stubborn"))
    }
}

#[derive(Debug, PartialEq)]
struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("full")
    }
}

impl RpcError for Full {
    fn into_object(self) -> ErrorObject {
        ErrorObject::new(7, "full")
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        if object.code == 7 { Ok(Full) } else { Err(object) }
    }
}

#[rpc]
trait Api {
    async fn ping(&self);
    #[rpc(params = "by_position")]
    async fn ping_by_position(&self);
    async fn only(&self, a: Option<i64>);
    #[rpc(params = "by_position")]
    async fn only_by_position(&self, a: Option<i64>);
    async fn three(&self, a: Option<&str>, b: u8, c: Option<i64>);
    #[rpc(params = "by_position")]
    async fn three_by_position(&self, a: Option<&str>, b: u8, c: Option<i64>);
    async fn list(&self, #[rpc(flatten)] v: Option<Vec<u8>>);
    #[rpc(notification)]
    async fn changed(&self, path: &str);
    #[rpc(notification)]
    async fn stop(&self);
    #[rpc(notification)]
    async fn stubborn_note(&self, s: Stubborn);
    async fn stubborn(&self, s: Stubborn);
    async fn number(&self) -> u8;
    async fn store(&self) -> Result<u8, Full>;
    async fn object(&self) -> Result<u8, ErrorObject>;
    async fn hidden(&self) -> Result<u8, Internal>;
}

type Script = dyn Fn() -> Result<String, ClientError> + Send + Sync;

/// Notes what is sent and answers as it is told.
struct Scripted {
    sent: Arc<Mutex<Vec<String>>>,
    response: Box<Script>,
}

impl Scripted {
    fn note(&self, text: String) {
        self.sent.lock().expect("not poisoned").push(text);
    }
}

impl Caller for Scripted {
    type ResponseFuture = Ready<Result<String, ClientError>>;
    type SendFuture = Ready<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        self.note(outgoing.into_request(&Id::from(1)));
        ready((self.response)())
    }
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        self.note(outgoing.into_notification());
        ready((self.response)().map(drop))
    }
}

fn scripted(
    response: impl Fn() -> Result<String, ClientError> + Send + Sync + 'static,
) -> (ApiClient<Scripted>, Arc<Mutex<Vec<String>>>) {
    let sent = Arc::<Mutex<Vec<String>>>::default();
    (ApiClient::new(Scripted { sent: sent.clone(), response: Box::new(response) }), sent)
}

/// A client that gets this reply to everything.
fn answered(response: &str) -> ApiClient<Scripted> {
    let response = response.to_owned();
    scripted(move || Ok(response.clone())).0
}

// R58, R07
#[test]
fn params_without_anything_to_say_are_left_out() {
    let (api, sent) = scripted(|| Ok(r#"{"jsonrpc":"2.0","result":null,"id":1}"#.to_owned()));
    let wrote = |method: &str, params: &str, id: &str| {
        let sent = std::mem::take(&mut *sent.lock().expect("not poisoned"));
        assert_eq!(sent, [format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}{id}}}"#)]);
    };
    let id = r#","id":1"#;
    now(api.ping()).expect("a result");
    wrote("ping", "", id);
    now(api.ping_by_position()).expect("a result");
    wrote("ping_by_position", "", id);
    now(api.only(None)).expect("a result");
    wrote("only", "", id);
    now(api.only_by_position(None)).expect("a result");
    wrote("only_by_position", "", id);
    now(api.three(None, 2, None)).expect("a result");
    wrote("three", r#","params":{"b":2}"#, id);
    now(api.three_by_position(None, 2, None)).expect("a result");
    wrote("three_by_position", r#","params":[null,2]"#, id);
    now(api.three_by_position(Some("é\n"), 2, Some(3))).expect("a result");
    wrote("three_by_position", r#","params":["é\n",2,3]"#, id);
    now(api.list(None)).expect("a result");
    wrote("list", "", id);
    now(api.list(Some(vec![]))).expect("a result");
    wrote("list", r#","params":[]"#, id);
    now(api.changed("a")).expect("sent");
    wrote("changed", r#","params":{"path":"a"}"#, "");
    now(api.stop()).expect("sent");
    wrote("stop", "", "");
}

#[test]
fn a_call_is_sent_when_it_is_awaited_and_not_before() {
    let (api, sent) = scripted(|| Ok(r#"{"jsonrpc":"2.0","result":7,"id":1}"#.to_owned()));
    let path = String::from("a");
    let call = api.number();
    let note = api.changed(&path);
    drop(path);
    assert_eq!(*sent.lock().expect("not poisoned"), [""; 0]);
    now(note).expect("sent");
    assert_eq!(now(call).ok(), Some(7));
    assert_eq!(sent.lock().expect("not poisoned").len(), 2);
}

#[test]
fn a_parameter_that_cannot_be_serialised_sends_nothing() {
    let (api, sent) = scripted(|| Ok(r#"{"jsonrpc":"2.0","result":null,"id":1}"#.to_owned()));
    let Err(ClientError::Encode(error)) = now(api.stubborn(Stubborn)) else { panic!("no encoding error") };
    assert_eq!(error.to_string(), "stubborn");
    let error = now(api.stubborn_note(Stubborn)).expect_err("no encoding error");
    assert!(matches!(error, ClientError::Encode(_)), "{error}");
    assert!(error.source().is_some());
    assert_eq!(*sent.lock().expect("not poisoned"), [""; 0]);
}

// R62
#[test]
fn what_the_caller_says_arrives_as_it_said_it() {
    type Same = fn(&ClientError) -> bool;
    let cases: [(fn() -> ClientError, Same); 5] = [
        (|| ClientError::NotSent("busy".into()), |error| matches!(error, ClientError::NotSent(why) if why == "busy")),
        (
            || ClientError::Unsupported("no".into()),
            |error| matches!(error, ClientError::Unsupported(why) if why == "no"),
        ),
        (|| ClientError::Timeout, |error| matches!(error, ClientError::Timeout)),
        (|| ClientError::Closed(CloseReason::ByUs), |error| matches!(error, ClientError::Closed(CloseReason::ByUs))),
        (
            || ClientError::Closed("gone".into()),
            |error| matches!(error, ClientError::Closed(CloseReason::Other(why)) if why == "gone"),
        ),
    ];
    for (made, same) in cases {
        let (api, _) = scripted(move || Err(made()));
        let error = now(api.store()).expect_err("the script says so").into_method();
        assert!(same(&error.expect_err("no error of the method")));
        let error = now(api.stop()).expect_err("the script says so");
        assert!(same(&error), "{error:?}");
    }
}

// R62
#[test]
fn each_way_to_fail_is_told_apart_without_comparing_text() {
    let timer = ManualTimer::new();
    let wire = Mock::new()
        .on("store", |_| Err::<(), _>(ErrorObject::new(7, "full").into()))
        .on("object", |_| Err::<(), _>(ErrorObject::new(-32001, "later").with_data(&[1]).into()))
        .on_text("number", |_| Ok("{}".to_owned()))
        .on("hidden", |_| Err::<(), _>(ClientError::Closed(CloseReason::ByPeer)))
        .on("ping", |_| Err::<(), _>(ErrorObject::new(Profile::REQUEST_CANCELLED, "Request cancelled").into()))
        .never_responds();
    let api = ApiClient::new(Timeout::new(wire.clone(), timer.clone()));
    let lost = ApiClient::new(Mock::new().on("number", |_| Err::<u8, _>(ClientError::NotSent("busy".into()))));
    assert!(matches!(now(api.store()), Err(CallError::Method(Full))));
    let Err(CallError::Method(remote)) = now(api.object()) else { panic!("no error object") };
    assert_eq!(
        (remote.code, &*remote.message, remote.data.map(|data| data.get().to_owned())),
        (-32001, "later", Some("[1]".to_owned()))
    );
    assert!(matches!(now(api.number()), Err(ClientError::Protocol(_))));
    assert!(matches!(now(api.hidden()), Err(CallError::Client(ClientError::Closed(_)))));
    assert!(matches!(now(api.ping()), Err(ClientError::Rpc(object)) if object.code == Profile::REQUEST_CANCELLED));
    assert!(matches!(now(api.stubborn(Stubborn)), Err(ClientError::Encode(_))));
    assert!(matches!(now(ApiClient::new(wire).only(None).timeout(Duration::ZERO)), Err(ClientError::Unsupported(_))));
    assert!(matches!(now(lost.number()), Err(ClientError::NotSent(_))));
    let late = api.only(None).timeout(Duration::from_secs(1)).into_future();
    timer.advance(Duration::from_secs(1));
    assert!(matches!(now(late), Err(ClientError::Timeout)));
}

#[test]
fn an_error_object_is_the_methods_own_or_not_as_the_methods_type_says() {
    for code in [7, 8, -32000, -32601, -32602, -32603] {
        let wanted = ErrorObject::new(code, "m").with_data(&[1]);
        let object = r#""message":"m","data":[1]"#;
        let api = answered(&format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},{object}}},"id":1}}"#));
        match now(api.store()) {
            Err(CallError::Method(Full)) => assert_eq!(code, 7),
            Err(CallError::Client(ClientError::Rpc(object))) => assert_eq!(object, wanted),
            other => panic!("{other:?}"),
        }
        assert!(matches!(now(api.object()), Err(CallError::Method(object)) if object == wanted));
        assert!(matches!(now(api.hidden()), Err(CallError::Client(ClientError::Rpc(object))) if object == wanted));
        assert!(matches!(now(api.number()), Err(ClientError::Rpc(object)) if object == wanted));
    }
}

#[test]
fn a_reply_that_cannot_be_read_is_kept() {
    for response in [
        "",
        "not json",
        "[]",
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","result":"seven","id":1}"#,
        r#"{"jsonrpc":"2.0","result":256,"id":1}"#,
        r#"{"jsonrpc":"2.0","result":null,"id":1}"#,
        r#"{"jsonrpc":"2.0","result":7,"error":{"code":1,"message":"x"},"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":"1","message":"x"},"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"number","id":1}"#,
        r#"[{"jsonrpc":"2.0","result":7,"id":1}]"#,
    ] {
        let Err(ClientError::Protocol(error)) = now(answered(response).number()) else { panic!("{response} was read") };
        assert_eq!(error.text, response);
        assert!(!error.reason.is_empty());
    }
}

struct Mine;

impl Api for Mine {
    async fn ping(&self) {}
    async fn ping_by_position(&self) {}
    async fn only(&self, _: Option<i64>) {}
    async fn only_by_position(&self, _: Option<i64>) {}
    async fn three(&self, _: Option<&str>, _: u8, _: Option<i64>) {}
    async fn three_by_position(&self, _: Option<&str>, _: u8, _: Option<i64>) {}
    async fn list(&self, _: Option<Vec<u8>>) {}
    async fn changed(&self, _: &str) {}
    async fn stop(&self) {}
    async fn stubborn_note(&self, _: Stubborn) {}
    async fn stubborn(&self, _: Stubborn) {}
    async fn number(&self) -> u8 {
        7
    }
    async fn store(&self) -> Result<u8, Full> {
        Err(Full)
    }
    async fn object(&self) -> Result<u8, ErrorObject> {
        Err(ErrorObject::invalid_params("odd"))
    }
    async fn hidden(&self) -> Result<u8, Internal> {
        Err(io::Error::other("secret").into())
    }
}

// R21
#[test]
fn errors_of_methods_cross_the_wire() {
    let api = ApiClient::new(Server::new(ApiService::new(Mine)).caller());
    assert_eq!(now(api.number()).ok(), Some(7));
    assert!(matches!(now(api.store()), Err(CallError::Method(Full))));
    assert!(
        matches!(now(api.object()), Err(CallError::Method(object)) if object == ErrorObject::invalid_params("odd"))
    );
    assert!(
        matches!(now(api.hidden()), Err(CallError::Client(ClientError::Rpc(object))) if object == ErrorObject::internal_error())
    );
    now(api.three(Some("a"), 1, None)).expect("a result");
    now(api.three_by_position(None, 1, None)).expect("a result");
    now(api.changed("a")).expect("sent");
}
