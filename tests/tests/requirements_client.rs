//! The generated client: the messages that it sends, and the outcome of each call.

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

/// Fails to serialise.
#[derive(Debug, Deserialize)]
struct Unserializable;

impl Serialize for Unserializable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("unserializable"))
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
    async fn note(&self, value: Unserializable);
    async fn call(&self, value: Unserializable);
    async fn number(&self) -> u8;
    async fn store(&self) -> Result<u8, Full>;
    async fn object(&self) -> Result<u8, ErrorObject>;
    async fn hidden(&self) -> Result<u8, Internal>;
}

type Script = dyn Fn() -> Result<String, ClientError> + Send + Sync;

/// A caller that records each message and returns the outcome of its script.
struct Scripted {
    sent: Arc<Mutex<Vec<String>>>,
    response: Box<Script>,
}

impl Scripted {
    fn record(&self, text: String) {
        self.sent.lock().expect("not poisoned").push(text);
    }
}

impl Caller for Scripted {
    type ResponseFuture = Ready<Result<String, ClientError>>;
    type SendFuture = Ready<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        self.record(outgoing.into_request(&Id::from(1)));
        ready((self.response)())
    }
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        self.record(outgoing.into_notification());
        ready((self.response)().map(drop))
    }
}

fn scripted(
    response: impl Fn() -> Result<String, ClientError> + Send + Sync + 'static,
) -> (ApiClient<Scripted>, Arc<Mutex<Vec<String>>>) {
    let sent = Arc::<Mutex<Vec<String>>>::default();
    (ApiClient::new(Scripted { sent: sent.clone(), response: Box::new(response) }), sent)
}

/// Returns a client whose calls all get this response.
fn with_response(response: &str) -> ApiClient<Scripted> {
    let response = response.to_owned();
    scripted(move || Ok(response.clone())).0
}

// R58, R07
#[test]
fn empty_params_are_omitted() {
    let (api, sent) = scripted(|| Ok(r#"{"jsonrpc":"2.0","result":null,"id":1}"#.to_owned()));
    let assert_sent = |method: &str, params: &str, id: &str| {
        let sent = std::mem::take(&mut *sent.lock().expect("not poisoned"));
        assert_eq!(sent, [format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}{id}}}"#)]);
    };
    let id = r#","id":1"#;
    now(api.ping()).expect("a result");
    assert_sent("ping", "", id);
    now(api.ping_by_position()).expect("a result");
    assert_sent("ping_by_position", "", id);
    now(api.only(None)).expect("a result");
    assert_sent("only", "", id);
    now(api.only_by_position(None)).expect("a result");
    assert_sent("only_by_position", "", id);
    now(api.three(None, 2, None)).expect("a result");
    assert_sent("three", r#","params":{"b":2}"#, id);
    now(api.three_by_position(None, 2, None)).expect("a result");
    assert_sent("three_by_position", r#","params":[null,2]"#, id);
    now(api.three_by_position(Some("é\n"), 2, Some(3))).expect("a result");
    assert_sent("three_by_position", r#","params":["é\n",2,3]"#, id);
    now(api.list(None)).expect("a result");
    assert_sent("list", "", id);
    now(api.list(Some(vec![]))).expect("a result");
    assert_sent("list", r#","params":[]"#, id);
    now(api.changed("a")).expect("sent");
    assert_sent("changed", r#","params":{"path":"a"}"#, "");
    now(api.stop()).expect("sent");
    assert_sent("stop", "", "");
}

#[test]
fn a_call_is_sent_when_it_is_awaited() {
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
fn an_argument_that_cannot_be_serialised_sends_nothing() {
    let (api, sent) = scripted(|| Ok(r#"{"jsonrpc":"2.0","result":null,"id":1}"#.to_owned()));
    let Err(ClientError::Encode(error)) = now(api.call(Unserializable)) else { panic!("no encoding error") };
    assert_eq!(error.to_string(), "unserializable");
    let error = now(api.note(Unserializable)).expect_err("an encoding error");
    assert!(matches!(error, ClientError::Encode(_)), "{error}");
    assert!(error.source().is_some());
    assert_eq!(*sent.lock().expect("not poisoned"), [""; 0]);
}

// R62
#[test]
fn an_error_of_the_caller_is_returned_unchanged() {
    type IsSame = fn(&ClientError) -> bool;
    let cases: [(fn() -> ClientError, IsSame); 5] = [
        (|| ClientError::NotSent("busy".into()), |error| matches!(error, ClientError::NotSent(text) if text == "busy")),
        (
            || ClientError::Unsupported("no".into()),
            |error| matches!(error, ClientError::Unsupported(text) if text == "no"),
        ),
        (|| ClientError::Timeout, |error| matches!(error, ClientError::Timeout)),
        (|| ClientError::Closed(CloseReason::ByUs), |error| matches!(error, ClientError::Closed(CloseReason::ByUs))),
        (
            || ClientError::Closed("gone".into()),
            |error| matches!(error, ClientError::Closed(CloseReason::Other(text)) if text == "gone"),
        ),
    ];
    for (make_error, is_same) in cases {
        let (api, _) = scripted(move || Err(make_error()));
        let error = now(api.store()).expect_err("the error of the script").into_method();
        assert!(is_same(&error.expect_err("a client error")));
        let error = now(api.stop()).expect_err("the error of the script");
        assert!(is_same(&error), "{error:?}");
    }
}

// R62
#[test]
fn each_kind_of_failure_has_its_own_variant() {
    let timer = ManualTimer::new();
    let wire = Mock::new()
        .on("store", |_| Err::<(), _>(ErrorObject::new(7, "full").into()))
        .on("object", |_| Err::<(), _>(ErrorObject::new(-32001, "later").with_data(&[1]).into()))
        .on_text("number", |_| Ok("{}".to_owned()))
        .on("hidden", |_| Err::<(), _>(ClientError::Closed(CloseReason::ByPeer)))
        .on("ping", |_| Err::<(), _>(ErrorObject::new(Profile::REQUEST_CANCELLED, "Request cancelled").into()))
        .never_responds();
    let api = ApiClient::new(Timeout::new(wire.clone(), timer.clone()));
    let unsent = ApiClient::new(Mock::new().on("number", |_| Err::<u8, _>(ClientError::NotSent("busy".into()))));
    assert!(matches!(now(api.store()), Err(CallError::Method(Full))));
    let Err(CallError::Method(remote)) = now(api.object()) else { panic!("no error object") };
    assert_eq!(
        (remote.code, &*remote.message, remote.data.map(|data| data.get().to_owned())),
        (-32001, "later", Some("[1]".to_owned()))
    );
    assert!(matches!(now(api.number()), Err(ClientError::Protocol(_))));
    assert!(matches!(now(api.hidden()), Err(CallError::Client(ClientError::Closed(_)))));
    assert!(matches!(now(api.ping()), Err(ClientError::Rpc(object)) if object.code == Profile::REQUEST_CANCELLED));
    assert!(matches!(now(api.call(Unserializable)), Err(ClientError::Encode(_))));
    assert!(matches!(now(ApiClient::new(wire).only(None).timeout(Duration::ZERO)), Err(ClientError::Unsupported(_))));
    assert!(matches!(now(unsent.number()), Err(ClientError::NotSent(_))));
    let late = api.only(None).timeout(Duration::from_secs(1)).into_future();
    timer.advance(Duration::from_secs(1));
    assert!(matches!(now(late), Err(ClientError::Timeout)));
}

#[test]
fn the_error_type_of_a_method_decides_which_error_objects_are_its_own() {
    for code in [7, 8, -32000, -32601, -32602, -32603] {
        let expected = ErrorObject::new(code, "m").with_data(&[1]);
        let object = r#""message":"m","data":[1]"#;
        let api = with_response(&format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},{object}}},"id":1}}"#));
        match now(api.store()) {
            Err(CallError::Method(Full)) => assert_eq!(code, 7),
            Err(CallError::Client(ClientError::Rpc(object))) => assert_eq!(object, expected),
            other => panic!("{other:?}"),
        }
        assert!(matches!(now(api.object()), Err(CallError::Method(object)) if object == expected));
        assert!(matches!(now(api.hidden()), Err(CallError::Client(ClientError::Rpc(object))) if object == expected));
        assert!(matches!(now(api.number()), Err(ClientError::Rpc(object)) if object == expected));
    }
}

#[test]
fn the_error_for_an_invalid_response_has_its_text() {
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
        let Err(ClientError::Protocol(error)) = now(with_response(response).number()) else {
            panic!("{response} is accepted")
        };
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
    async fn note(&self, _: Unserializable) {}
    async fn call(&self, _: Unserializable) {}
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
fn errors_of_methods_reach_the_caller() {
    let api = ApiClient::new(Server::new(ApiService::new(Mine)).caller());
    assert_eq!(now(api.number()).ok(), Some(7));
    assert!(matches!(now(api.store()), Err(CallError::Method(Full))));
    assert!(
        matches!(now(api.object()), Err(CallError::Method(object)) if object == ErrorObject::invalid_params("odd"))
    );
    let internal_error = ErrorObject::internal_error();
    assert!(matches!(now(api.hidden()), Err(CallError::Client(ClientError::Rpc(object))) if object == internal_error));
    now(api.three(Some("a"), 1, None)).expect("a result");
    now(api.three_by_position(None, 1, None)).expect("a result");
    now(api.changed("a")).expect("sent");
}
