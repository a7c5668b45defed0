//! A caller with responses of its own.

use super::exchange::{BadRecord, Exchange, Request, parse};
use crate::client::{BatchResponses, BoxFuture, Caller, Outgoing, OutgoingBatch};
use crate::error::ClientError;
use crate::server::RawCall;
use crate::wire::{ErrorObject, Id, Incoming, Message, write_error, write_result};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashMap;
use std::fmt;
use std::future::{pending, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A caller for tests, with responses from closures or from recorded exchanges. It keeps what was sent.
///
/// ```
/// use rpc_core::mock::Mock;
/// use rpc_core::{CallError, ClientError, ErrorObject, block_on, rpc};
///
/// #[rpc]
/// trait Accounts {
///     async fn balance(&self, owner: &str) -> Result<u64, ErrorObject>;
///     async fn owners(&self) -> Vec<String>;
/// }
///
/// let mock = Mock::new()
///     .on("balance", |call| {
///         #[derive(serde::Deserialize)]
///         struct Params { owner: String }
///         let Params { owner } = call.decode()?;
///         if owner == "ada" { Ok(7) } else { Err(ErrorObject::new(404, "no account").into()) }
///     })
///     .on("owners", |_| Err::<(), _>(ClientError::Closed("gone".into())));
/// let accounts = AccountsClient::new(mock.clone());
///
/// assert_eq!(block_on(accounts.balance("ada"))?, 7);
/// assert!(matches!(block_on(accounts.balance("bob")), Err(CallError::Method(error)) if error.code == 404));
/// assert!(matches!(block_on(accounts.owners()), Err(ClientError::Closed(_))));
/// assert_eq!(mock.sent()[0], r#"{"jsonrpc":"2.0","method":"balance","params":{"owner":"ada"},"id":1}"#);
/// # Ok::<(), CallError<ErrorObject>>(())
/// ```
///
/// A call without a matching closure or exchange gets -32601 (method not found), or
/// [no response](Mock::never_responds). Clones share one state. A mock does not support timeouts: to test
/// them, wrap it in [`Timeout`](crate::client::Timeout).
#[derive(Clone, Default)]
pub struct Mock(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    closures: HashMap<String, Arc<Mutex<Closure>>>,
    exchanges: Vec<Exchange>,
    never_responds: bool,
    sent: Vec<String>,
    last_id: u64,
}

type Closure = Box<dyn FnMut(&str) -> Result<String, ClientError> + Send>;

impl Mock {
    /// Creates a mock without closures and exchanges.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the closure that responds to `method`, in place of an earlier one.
    ///
    /// The closure returns the result of the call, or its error. [`ClientError::Rpc`] becomes an error object
    /// in the response; `?` converts an [`ErrorObject`] into it. Any other error is the outcome of the call,
    /// which then has no response.
    ///
    /// The closure receives notifications too. Of its return value, only an error other than
    /// [`ClientError::Rpc`] matters then: sending fails with it. In a batch, each call gets its own response;
    /// if one of them never gets a response, the batch gets none. The closure may call other methods on this
    /// mock. Calling its own `method` deadlocks.
    #[must_use]
    pub fn on<T: Serialize>(
        self,
        method: &str,
        mut closure: impl FnMut(RawCall) -> Result<T, ClientError> + Send + 'static,
    ) -> Self {
        self.on_text(method, move |request| {
            let (id, method, params) = match Message::read(request) {
                Message::Request(request) => (Some(request.id), request.method, request.params),
                Message::Notification(notification) => (None, notification.method, notification.params),
                Message::Response(_) | Message::Invalid(_) => return Err(not_a_call()),
            };
            let (method, params) = (method.into_owned(), params.map(ToOwned::to_owned));
            let outcome = closure(RawCall { method, params, is_notification: id.is_none() });
            let id = id.as_ref().map_or("null", Id::as_token);
            let result =
                outcome.and_then(|value| to_raw_value(&value).map_err(|_| ErrorObject::internal_error().into()));
            match result {
                Ok(result) => Ok(response_text(id, Ok(&result))),
                Err(ClientError::Rpc(error)) => Ok(response_text(id, Err(&error))),
                Err(error) => Err(error),
            }
        })
    }

    /// Sets the closure that responds to `method` with any text, made of the text of the request. It can
    /// return an invalid response. The id in it is not checked.
    #[must_use]
    pub fn on_text(
        self,
        method: &str,
        closure: impl FnMut(&str) -> Result<String, ClientError> + Send + 'static,
    ) -> Self {
        let previous = self.state().closures.insert(method.to_owned(), Arc::new(Mutex::new(Box::new(closure))));
        // Dropping a closure may run foreign code, so the previous one is dropped after the lock is released.
        drop(previous);
        self
    }

    /// Adds the exchanges of a record: one message a line, after `>> ` if it was sent and after `<< ` if it
    /// was received. Empty lines and lines that begin with `//` are skipped.
    ///
    /// A call gets the response of the first exchange with the same method and params (compared as JSON) that
    /// has not been replayed, otherwise of the last one. The response gets the id of the call. A closure set
    /// by [`on`](Self::on) takes precedence.
    ///
    /// ```
    /// use rpc_core::{ClientError, block_on};
    /// use rpc_core::client::Call;
    /// use rpc_core::mock::Mock;
    ///
    /// let mock = Mock::new().replay(r#"
    ///     // The height, twice.
    ///     >> {"jsonrpc":"2.0","id":1,"method":"height"}
    ///     << {"jsonrpc":"2.0","id":1,"result":"0x1"}
    ///     >> {"jsonrpc":"2.0","id":2,"method":"height"}
    ///     << {"jsonrpc":"2.0","id":2,"result":"0x2"}
    /// "#)?;
    /// let height = || block_on(Call::<_, String>::new(&mock, "height", &()));
    /// assert_eq!(mock.unused().len(), 2);
    /// assert_eq!([height()?, height()?, height()?], ["0x1", "0x2", "0x2"]);
    /// assert!(mock.unused().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with [`BadRecord`] if a line is not a message, or if a request and its response do not pair up.
    pub fn replay(self, record: &str) -> Result<Self, BadRecord> {
        let exchanges = parse(record)?;
        self.state().exchanges.extend(exchanges);
        Ok(self)
    }

    /// Leaves calls without a matching closure or exchange pending, instead of responding with -32601.
    #[must_use]
    pub fn never_responds(self) -> Self {
        self.state().never_responds = true;
        self
    }

    /// Returns the texts of the messages that were sent, in order. A batch is one message.
    #[must_use]
    pub fn sent(&self) -> Vec<String> {
        self.state().sent.clone()
    }

    /// Returns the methods of the exchanges that have not been replayed, in order.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let state = self.state();
        state
            .exchanges
            .iter()
            .filter(|exchange| !exchange.is_replayed)
            .map(|exchange| exchange.request.method.clone())
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the closure for `method`, with the state unlocked, so that the closure may use this mock.
    fn run_closure(&self, method: &str, text: &str) -> Option<Result<String, ClientError>> {
        let closure = self.state().closures.get(method)?.clone();
        let mut closure = closure.lock().unwrap_or_else(PoisonError::into_inner);
        Some(closure(text))
    }

    /// Returns the outcome of a call; `None` if it gets no response.
    fn outcome(&self, text: &str) -> Option<Result<String, ClientError>> {
        let message = Message::read(text);
        let Some((id, request)) = Request::from_message(&message) else { return Some(Err(not_a_call())) };
        if let Some(outcome) = self.run_closure(&request.method, text) {
            return Some(outcome);
        }
        let mut state = self.state();
        let never_responds = state.never_responds;
        match state.replay(&request) {
            Some(recorded) => Some(Ok(with_id(id.as_token(), recorded))),
            None if never_responds => None,
            None => Some(Ok(response_text(id.as_token(), Err(&state.method_not_found(&request))))),
        }
    }
}

impl State {
    fn next_id(&mut self) -> Id<'static> {
        self.last_id += 1;
        Id::from(self.last_id)
    }

    /// Returns -32601, with the methods that are mocked in its data.
    fn method_not_found(&self, request: &Request) -> ErrorObject {
        let recorded = self.exchanges.iter().map(|exchange| &*exchange.request.method);
        let mut mocked: Vec<_> = self.closures.keys().map(|method| &**method).chain(recorded).collect();
        mocked.sort_unstable();
        mocked.dedup();
        let detail = if mocked.contains(&&*request.method) {
            format!("`{}` is recorded, but not with these params", request.method)
        } else {
            format!("`{}` is not mocked; the mocked methods are: {}", request.method, mocked.join(", "))
        };
        ErrorObject::method_not_found().with_data(&detail)
    }

    fn replay(&mut self, request: &Request) -> Option<&str> {
        let is_same = |exchange: &Exchange| exchange.request == *request;
        let unreplayed = self.exchanges.iter().position(|exchange| !exchange.is_replayed && is_same(exchange));
        let index = unreplayed.or_else(|| self.exchanges.iter().rposition(is_same))?;
        let exchange = &mut self.exchanges[index];
        exchange.is_replayed = true;
        Some(&exchange.response)
    }
}

/// Returns a recorded response with another id. An invalid response is returned unchanged.
fn with_id(id: &str, recorded: &str) -> String {
    match Message::read(recorded) {
        Message::Response(response) => match response.outcome {
            Ok(result) => response_text(id, Ok(result)),
            Err(error) => response_text(id, Err(&error)),
        },
        _ => recorded.to_owned(),
    }
}

fn response_text(id: &str, outcome: Result<&RawValue, &ErrorObject>) -> String {
    let mut out = Vec::new();
    match outcome {
        // Writing raw JSON to a vector cannot fail.
        Ok(result) => drop(write_result(&mut out, id, result)),
        Err(error) => write_error(&mut out, id, error),
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn not_a_call() -> ClientError {
    ClientError::NotSent("the message is not a request or a notification".into())
}

impl Caller for Mock {
    type ResponseFuture = BoxFuture<Result<String, ClientError>>;
    type SendFuture = BoxFuture<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        let text = {
            let mut state = self.state();
            let id = state.next_id();
            let text = outgoing.into_request(&id);
            state.sent.push(text.clone());
            text
        };
        match self.outcome(&text) {
            Some(outcome) => Box::pin(ready(outcome)),
            None => Box::pin(pending()),
        }
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let text = outgoing.into_notification();
        self.state().sent.push(text.clone());
        let outcome = match Message::read(&text) {
            Message::Notification(notification) => self.run_closure(&notification.method, &text),
            _ => None,
        };
        Box::pin(ready(outcome.unwrap_or(Ok(String::new())).map(drop)))
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let sent = {
            let mut state = self.state();
            let sent = batch.encode(|| state.next_id());
            state.sent.push(sent.text().to_owned());
            sent
        };
        let members = Incoming::read_with_texts(sent.text().as_bytes()).unwrap_or_default();
        let calls = members.into_iter().filter(|(message, _)| matches!(message, Message::Request(_)));
        // Every closure runs, even if an earlier call gets no response.
        let outcomes: Vec<_> = calls.map(|(_, text)| self.outcome(text)).collect();
        match outcomes.into_iter().collect() {
            Some(responses) => Box::pin(ready(Ok(responses))),
            None => Box::pin(pending()),
        }
    }
}

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock").field("sent", &self.state().sent).finish_non_exhaustive()
    }
}
