//! `#[rpc(client_implements_trait)]`: what is generic over a trait runs on a value and over the wire.

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
    /// Never on the wire: what a client makes of a call that did not arrive.
    #[rpc(code = 2, message = "failed on the way")]
    OnTheWay(String),
}

impl From<ClientError> for CalcError {
    fn from(error: ClientError) -> Self {
        CalcError::OnTheWay(format!("{error:?}"))
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

/// What a program does that does not know where its calculator is.
async fn program(calc: &impl Calc) -> Result<i64, CalcError> {
    calc.changed("a.td").await;
    let texts = ["a".to_owned(), "bc".to_owned()];
    assert_eq!(calc.longest(&texts).await?.as_deref(), Some("bc"));
    let sum = calc.divide(6, 3).await? + calc.divide(9, 3).await?;
    calc.changed("b.td").await;
    calc.divide(sum, 0).await
}

#[test]
fn generic_code_runs_on_a_value_and_over_the_wire() {
    let (near, far) = (Local::default(), Local::default());
    for outcome in [now(program(&near)), now(program(&client(far.clone())))] {
        assert!(matches!(outcome, Err(CalcError::ByZero { dividend: 5 })), "{outcome:?}");
    }
    for local in [near, far] {
        assert_eq!(*local.changed.lock().expect("not poisoned"), ["a.td", "b.td"]);
    }
}

#[tokio::test]
async fn generic_code_is_spawned() {
    async fn spawned(calc: impl Calc) -> Result<i64, CalcError> {
        let task = async move { calc.divide(6, calc.longest(&[]).await?.map_or(3, |_| 0)).await };
        tokio::spawn(task).await.expect("no panic")
    }
    assert_eq!(spawned(Local::default()).await.expect("no error"), 2);
    assert_eq!(spawned(client(Local::default())).await.expect("no error"), 2);
}

/// Of the same methods, other ones.
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
fn an_error_that_is_not_the_methods_is_made_of_the_calls() {
    let calc = CalcClient::new(Server::new(older::CalcService::new(Local::default())).caller());
    let error = now(Calc::divide(&calc, 6, 3)).expect_err("there is no such method");
    assert!(
        matches!(&error, CalcError::OnTheWay(why) if why.starts_with("Rpc(") && why.contains("-32601")),
        "{error:?}"
    );
    // Nobody is told what becomes of a notification.
    now(Calc::changed(&calc, "a.td"));
}

/// A caller that every call is lost with.
struct Lost;
impl Caller for Lost {
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
fn a_lost_call_is_made_the_methods_error() {
    let error = now(Calc::divide(&CalcClient::new(Lost), 6, 3)).expect_err("it is lost");
    assert!(matches!(&error, CalcError::OnTheWay(why) if why == r#"Closed(Other("gone"))"#), "{error:?}");
    now(Calc::changed(&CalcClient::new(Lost), "a.td"));
}

/// Serialises unless it is odd, and is not shared between threads.
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
    async fn why(&self, evens: &[Even]) -> Result<usize, Whole>;
    #[rpc(notification)]
    async fn told(&self, evens: &[Even]);
}

/// The error of the call itself.
#[derive(Debug)]
struct Whole(Option<ClientError>);
impl RpcError for Whole {
    fn into_object(self) -> ErrorObject {
        ErrorObject::internal_error()
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        Err(object)
    }
}
impl From<ClientError> for Whole {
    fn from(error: ClientError) -> Self {
        Whole(Some(error))
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
fn a_parameter_that_cannot_be_serialised_is_an_error_of_the_method() {
    let odd = [Even(Cell::new(1))];
    let whole = now(Evens::why(&evens(), &odd)).expect_err("one is odd");
    assert!(matches!(&whole.0, Some(ClientError::Encode(error)) if error.to_string() == "odd"), "{whole:?}");
    assert_eq!(now(Evens::count(&evens(), &odd)), Err(ErrorObject::internal_error()));
    now(Evens::told(&evens(), &odd));
}

#[test]
fn the_future_holds_no_argument() {
    fn is_send<F: Future + Send>(future: F) -> F {
        future
    }
    let (evens, two) = (evens(), [Even(Cell::new(2)), Even(Cell::new(4))]);
    // References to these cannot go to another thread, the future can.
    let count = is_send(Evens::count(&evens, &two));
    two[0].0.set(1);
    assert_eq!(now(count), Ok(2));
}

/// A service that asks another one.
#[rpc(client_implements_trait)]
trait Front {
    async fn half(&self, of: i64) -> Result<i64, ErrorObject>;
    async fn by_zero(&self) -> Result<i64, ErrorObject>;
    async fn lost(&self) -> Result<i64, ErrorObject>;
    async fn hidden(&self) -> Result<i64, Internal>;
}

struct Behind<C>(CalcClient<C>);

impl<C: Caller> Front for Behind<C> {
    async fn half(&self, of: i64) -> Result<i64, ErrorObject> {
        Ok(self.0.divide(of, 2).await?)
    }
    async fn by_zero(&self) -> Result<i64, ErrorObject> {
        Ok(self.0.divide(1, 0).await?)
    }
    async fn lost(&self) -> Result<i64, ErrorObject> {
        Ok(CalcClient::new(Lost).divide(1, 1).await?)
    }
    async fn hidden(&self) -> Result<i64, Internal> {
        Ok(FrontClient::new(Lost).half(1).await?)
    }
}

#[test]
fn a_service_passes_on_the_errors_of_another_and_no_more() {
    let front = FrontClient::new(Server::new(FrontService::new(Behind(client(Local::default())))).caller());
    assert_eq!(now(Front::half(&front, 6)), Ok(3));
    let by_zero = ErrorObject::new(1, "division by zero").with_data(&serde_json::json!({"dividend": 1}));
    assert_eq!(now(Front::by_zero(&front)), Err(by_zero));
    assert_eq!(now(Front::lost(&front)), Err(ErrorObject::internal_error()));
}

#[test]
fn internal_keeps_why_a_call_failed() {
    let front = FrontClient::new(Server::new(FrontService::new(Behind(client(Local::default())))).caller());
    let over_the_wire = now(Front::hidden(&front)).expect_err("it is lost");
    assert_eq!(over_the_wire.detail().to_string(), "Internal error (code -32603)");
    let at_once = now(Front::hidden(&FrontClient::new(Lost))).expect_err("it is lost");
    assert_eq!(at_once.detail().to_string(), "the connection closed: gone");
}

/// Answers whether the call said that it may be sent twice.
#[derive(Clone)]
struct Marks;
impl Caller for Marks {
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
    async fn told(&self);
}

#[test]
fn a_call_is_marked_that_may_be_sent_twice() {
    let stored = StoredClient::new(Marks);
    assert!(now(stored.read("a")).expect("a reply"));
    assert!(now(Stored::read(&stored, "a")).expect("a reply"));
    assert!(now(stored.read_all(&[])).expect("a reply"));
    assert!(!now(stored.append("a")).expect("a reply"));
    assert!(now(stored.append("a").idempotent()).expect("a reply"));
    now(stored.told()).expect("sent");
}
