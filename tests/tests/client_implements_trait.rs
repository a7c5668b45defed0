//! `#[rpc(client_implements_trait)]`: code that is generic over the trait runs on an implementation and on a client.

use rpc_core::client::{Caller, Outgoing};
use rpc_core::{ClientError, ErrorObject, Internal, RpcError, Server, rpc};
use serde::{Serialize, Serializer};
use std::cell::Cell;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};
use tests::task::now;

#[derive(Debug, RpcError)]
enum CalcError {
    #[rpc(code = 1, message = "division by zero")]
    ByZero { dividend: i64 },
    /// Never on the wire: the client converts a `ClientError` to it.
    #[rpc(code = 2, message = "the call failed")]
    Client(String),
}

impl From<ClientError> for CalcError {
    fn from(error: ClientError) -> Self {
        CalcError::Client(format!("{error:?}"))
    }
}

#[rpc(client_implements_trait)]
trait Calc: Send + Sync + 'static {
    async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
    async fn longest(&self, texts: &[String]) -> Result<Option<String>, CalcError>;
    #[rpc(notification)]
    async fn changed(&self, path: &str);
}

#[derive(Clone, Default)]
struct Local {
    changed: Arc<Mutex<Vec<String>>>,
}

impl Calc for Local {
    async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError> {
        a.checked_div(b).ok_or(CalcError::ByZero { dividend: a })
    }
    async fn longest(&self, texts: &[String]) -> Result<Option<String>, CalcError> {
        Ok(texts.iter().max_by_key(|text| text.len()).cloned())
    }
    async fn changed(&self, path: &str) {
        self.changed.lock().expect("not poisoned").push(path.to_owned());
    }
}

fn client(local: Local) -> CalcClient<impl Caller> {
    CalcClient::new(Server::new(CalcService::new(local)).caller())
}

/// Calls an implementation or a client.
async fn generic_code(calc: &impl Calc) -> Result<i64, CalcError> {
    calc.changed("a.td").await;
    let texts = ["a".to_owned(), "bc".to_owned()];
    assert_eq!(calc.longest(&texts).await?.as_deref(), Some("bc"));
    let sum = calc.divide(6, 3).await? + calc.divide(9, 3).await?;
    calc.changed("b.td").await;
    calc.divide(sum, 0).await
}

#[test]
fn generic_code_runs_on_an_implementation_and_on_a_client() {
    let (local, remote) = (Local::default(), Local::default());
    for outcome in [now(generic_code(&local)), now(generic_code(&client(remote.clone())))] {
        assert!(matches!(outcome, Err(CalcError::ByZero { dividend: 5 })), "{outcome:?}");
    }
    for local in [local, remote] {
        assert_eq!(*local.changed.lock().expect("not poisoned"), ["a.td", "b.td"]);
    }
}

#[tokio::test]
async fn generic_code_can_be_spawned() {
    async fn spawned(calc: impl Calc) -> Result<i64, CalcError> {
        let task = async move { calc.divide(6, calc.longest(&[]).await?.map_or(3, |_| 0)).await };
        tokio::spawn(task).await.expect("no panic")
    }
    assert_eq!(spawned(Local::default()).await.expect("no error"), 2);
    assert_eq!(spawned(client(Local::default())).await.expect("no error"), 2);
}

/// A server trait without the methods of [`Calc`].
mod older {
    #[rpc_core::rpc(server)]
    pub(crate) trait Calc {
        async fn multiply(&self, a: i64, b: i64) -> i64;
    }
}
impl older::Calc for Local {
    async fn multiply(&self, a: i64, b: i64) -> i64 {
        a * b
    }
}

#[test]
fn an_error_object_of_the_server_is_converted_to_the_error_of_the_method() {
    let calc = CalcClient::new(Server::new(older::CalcService::new(Local::default())).caller());
    let error = now(Calc::divide(&calc, 6, 3)).expect_err("no such method");
    assert!(
        matches!(&error, CalcError::Client(error) if error.starts_with("Rpc(") && error.contains("-32601")),
        "{error:?}"
    );
    // A notification has no outcome.
    now(Calc::changed(&calc, "a.td"));
}

/// A caller whose connection is closed.
struct Closed;
impl Caller for Closed {
    type ResponseFuture = Ready<Result<String, ClientError>>;
    type SendFuture = Ready<Result<(), ClientError>>;
    fn call(&self, _: Outgoing) -> Self::ResponseFuture {
        ready(Err(ClientError::Closed("gone".into())))
    }
    fn notify(&self, _: Outgoing) -> Self::SendFuture {
        ready(Err(ClientError::Closed("gone".into())))
    }
}

#[test]
fn a_client_error_is_converted_to_the_error_of_the_method() {
    let error = now(Calc::divide(&CalcClient::new(Closed), 6, 3)).expect_err("closed");
    assert!(matches!(&error, CalcError::Client(error) if error == r#"Closed(Other("gone"))"#), "{error:?}");
    now(Calc::changed(&CalcClient::new(Closed), "a.td"));
}

/// An even number: odd ones fail to serialise. It is not `Sync`.
#[derive(Debug)]
struct Even(Cell<u8>);
impl Serialize for Even {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.get() {
            even if even % 2 == 0 => serializer.serialize_u8(even),
            _ => Err(serde::ser::Error::custom("odd")),
        }
    }
}

#[rpc(client, client_implements_trait)]
trait Evens {
    async fn count(&self, evens: &[Even]) -> Result<usize, ErrorObject>;
    async fn count_or_client_error(&self, evens: &[Even]) -> Result<usize, KeptClientError>;
    #[rpc(notification)]
    async fn note(&self, evens: &[Even]);
}

/// A method error that keeps the client error.
#[derive(Debug)]
struct KeptClientError(Option<ClientError>);
impl RpcError for KeptClientError {
    fn into_object(self) -> ErrorObject {
        ErrorObject::internal_error()
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        Err(object)
    }
}
impl From<ClientError> for KeptClientError {
    fn from(error: ClientError) -> Self {
        KeptClientError(Some(error))
    }
}

#[rpc(server)]
trait Bytes {
    async fn count(&self, evens: Vec<u8>) -> usize;
}
impl Bytes for Local {
    async fn count(&self, evens: Vec<u8>) -> usize {
        evens.len()
    }
}

fn evens() -> EvensClient<impl Caller> {
    EvensClient::new(Server::new(BytesService::new(Local::default())).caller())
}

#[test]
fn an_argument_that_cannot_be_serialised_is_an_error_of_the_method() {
    let odd = [Even(Cell::new(1))];
    let error = now(Evens::count_or_client_error(&evens(), &odd)).expect_err("one is odd");
    assert!(matches!(&error.0, Some(ClientError::Encode(error)) if error.to_string() == "odd"), "{error:?}");
    assert_eq!(now(Evens::count(&evens(), &odd)), Err(ErrorObject::internal_error()));
    now(Evens::note(&evens(), &odd));
}

#[test]
fn the_future_of_a_call_holds_no_argument() {
    fn is_send<F: Future + Send>(future: F) -> F {
        future
    }
    let (evens, two) = (evens(), [Even(Cell::new(2)), Even(Cell::new(4))]);
    // References to these are not `Send`, but the future is.
    let count = is_send(Evens::count(&evens, &two));
    two[0].0.set(1);
    assert_eq!(now(count), Ok(2));
}

/// A service that calls another one.
#[rpc(client_implements_trait)]
trait Front {
    async fn half(&self, of: i64) -> Result<i64, ErrorObject>;
    async fn by_zero(&self) -> Result<i64, ErrorObject>;
    async fn lost(&self) -> Result<i64, ErrorObject>;
    async fn hidden(&self) -> Result<i64, Internal>;
}

struct Forwarding<C>(CalcClient<C>);

impl<C: Caller> Front for Forwarding<C> {
    async fn half(&self, of: i64) -> Result<i64, ErrorObject> {
        Ok(self.0.divide(of, 2).await?)
    }
    async fn by_zero(&self) -> Result<i64, ErrorObject> {
        Ok(self.0.divide(1, 0).await?)
    }
    async fn lost(&self) -> Result<i64, ErrorObject> {
        Ok(CalcClient::new(Closed).divide(1, 1).await?)
    }
    async fn hidden(&self) -> Result<i64, Internal> {
        Ok(FrontClient::new(Closed).half(1).await?)
    }
}

#[test]
fn a_service_forwards_method_errors_of_another_and_hides_client_errors() {
    let front = FrontClient::new(Server::new(FrontService::new(Forwarding(client(Local::default())))).caller());
    assert_eq!(now(Front::half(&front, 6)), Ok(3));
    let by_zero = ErrorObject::new(1, "division by zero").with_data(&serde_json::json!({"dividend": 1}));
    assert_eq!(now(Front::by_zero(&front)), Err(by_zero));
    assert_eq!(now(Front::lost(&front)), Err(ErrorObject::internal_error()));
}

#[test]
fn internal_keeps_the_cause_of_a_failed_call() {
    let front = FrontClient::new(Server::new(FrontService::new(Forwarding(client(Local::default())))).caller());
    let of_the_server = now(Front::hidden(&front)).expect_err("closed");
    assert_eq!(of_the_server.detail().to_string(), "Internal error (code -32603)");
    let of_the_caller = now(Front::hidden(&FrontClient::new(Closed))).expect_err("closed");
    assert_eq!(of_the_caller.detail().to_string(), "the connection closed: gone");
}

/// A caller that responds with whether the call is idempotent.
#[derive(Clone)]
struct RespondsIsIdempotent;
impl Caller for RespondsIsIdempotent {
    type ResponseFuture = Ready<Result<String, ClientError>>;
    type SendFuture = Ready<Result<(), ClientError>>;
    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        ready(Ok(format!(r#"{{"jsonrpc":"2.0","result":{},"id":1}}"#, outgoing.is_idempotent())))
    }
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        assert!(!outgoing.is_idempotent());
        ready(Ok(()))
    }
}

#[rpc(client, client_implements_trait)]
trait Stored {
    #[rpc(idempotent)]
    async fn read(&self, key: &str) -> Result<bool, ErrorObject>;
    #[rpc(idempotent)]
    async fn read_all(&self, #[rpc(flatten)] keys: &[String]) -> Result<bool, ErrorObject>;
    async fn append(&self, key: &str) -> Result<bool, ErrorObject>;
    #[rpc(notification)]
    async fn note(&self);
}

#[test]
fn the_option_idempotent_marks_each_call_as_idempotent() {
    let stored = StoredClient::new(RespondsIsIdempotent);
    assert!(now(stored.read("a")).expect("a response"));
    assert!(now(Stored::read(&stored, "a")).expect("a response"));
    assert!(now(stored.read_all(&[])).expect("a response"));
    assert!(!now(stored.append("a")).expect("a response"));
    assert!(now(stored.append("a").idempotent()).expect("a response"));
    now(stored.note()).expect("sent");
}
