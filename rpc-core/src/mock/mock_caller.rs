//! The caller that answers by itself.

use super::exchange::{BadRecord, Exchange, Request, read};
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

/// A caller for tests, which answers from closures or from recorded exchanges, and remembers what was sent.
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
/// let wire = Mock::new()
///     .on("balance", |call| {
///         #[derive(serde::Deserialize)]
///         struct Params { owner: String }
///         let Params { owner } = call.decode()?;
///         if owner == "ada" { Ok(7) } else { Err(ErrorObject::new(404, "nobody").into()) }
///     })
///     .on("owners", |_| Err::<(), _>(ClientError::Closed("gone".into())));
/// let accounts = AccountsClient::new(wire.clone());
///
/// assert_eq!(block_on(accounts.balance("ada"))?, 7);
/// assert!(matches!(block_on(accounts.balance("bob")), Err(CallError::Method(error)) if error.code == 404));
/// assert!(matches!(block_on(accounts.owners()), Err(ClientError::Closed(_))));
/// assert_eq!(wire.sent()[0], r#"{"jsonrpc":"2.0","method":"balance","params":{"owner":"ada"},"id":1}"#);
/// # Ok::<(), CallError<ErrorObject>>(())
/// ```
///
/// A call that nothing here answers gets "Method not found", or [no reply at all](Mock::never_responds).
/// Clones are the same mock. It keeps no time: put it into [`Timeout`](crate::client::Timeout) where timeouts are
/// tested.
#[derive(Clone, Default)]
pub struct Mock(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    responses: HashMap<String, Arc<Mutex<Responder>>>,
    exchanges: Vec<Exchange>,
    never_responds: bool,
    sent: Vec<String>,
    last_id: u64,
}

type Responder = Box<dyn FnMut(&str) -> Result<String, ClientError> + Send>;

impl Mock {
    /// A mock that knows no method yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers calls of `method` with what `response` gives, instead of what was said before: a result; [`ClientError::Rpc`] for an error object,
    /// which an [`ErrorObject`] turns into by `?`; or how else the call is to fail.
    ///
    /// A notification is shown to the closure, too: what it gives goes nowhere, but for a failure. The members
    /// of a batch are answered one by one, and one that gets no reply leaves the batch without. The closure may
    /// make calls of this mock, but none of the method that it answers.
    #[must_use]
    pub fn on<T: Serialize>(
        self,
        method: &str,
        mut response: impl FnMut(RawCall) -> Result<T, ClientError> + Send + 'static,
    ) -> Self {
        self.on_text(method, move |request| {
            let (id, method, params) = match Message::read(request) {
                Message::Request(request) => (Some(request.id), request.method, request.params),
                Message::Notification(notification) => (None, notification.method, notification.params),
                Message::Response(_) | Message::Invalid(_) => return Err(unreadable()),
            };
            let (method, params) = (method.into_owned(), params.map(ToOwned::to_owned));
            let outcome = response(RawCall { method, params, is_notification: id.is_none() });
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

    /// Answers calls of `method` with the text that `response` makes of the text of the request, whatever
    /// that text is: for replies that no server should give. The id in it is not looked at.
    #[must_use]
    pub fn on_text(
        self,
        method: &str,
        response: impl FnMut(&str) -> Result<String, ClientError> + Send + 'static,
    ) -> Self {
        let before = self.state().responses.insert(method.to_owned(), Arc::new(Mutex::new(Box::new(response))));
        drop(before);
        self
    }

    /// Answers calls as `record` has it: one message a line, behind `>> ` if it was sent and behind `<< ` if it
    /// came back; lines that begin with `//` are passed over.
    ///
    /// A call is answered by the first exchange of the same method and params (compared as JSON) that has not
    /// been replayed yet, else by the last one. Ids are those of the calls, not of the record. What
    /// [`on`](Self::on) answers is not looked for here.
    ///
    /// ```
    /// use rpc_core::{ClientError, block_on};
    /// use rpc_core::client::Call;
    /// use rpc_core::mock::Mock;
    ///
    /// let wire = Mock::new().replay(r#"
    ///     // asks for the height twice
    ///     >> {"jsonrpc":"2.0","id":1,"method":"height"}
    ///     << {"jsonrpc":"2.0","id":1,"result":"0x1"}
    ///     >> {"jsonrpc":"2.0","id":2,"method":"height"}
    ///     << {"jsonrpc":"2.0","id":2,"result":"0x2"}
    /// "#)?;
    /// let height = || block_on(Call::<_, String>::new(&wire, "height", &()));
    /// assert_eq!(wire.unused().len(), 2);
    /// assert_eq!([height()?, height()?, height()?], ["0x1", "0x2", "0x2"]);
    /// assert!(wire.unused().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BadRecord`] for a line that is no message, and for a call without a reply.
    pub fn replay(self, record: &str) -> Result<Self, BadRecord> {
        let exchanges = read(record)?;
        self.state().exchanges.extend(exchanges);
        Ok(self)
    }

    /// Gives no reply to calls that nothing here answers, instead of "Method not found".
    #[must_use]
    pub fn never_responds(self) -> Self {
        self.state().never_responds = true;
        self
    }

    /// The text of each message that was sent, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<String> {
        self.state().sent.clone()
    }

    /// The methods of the recorded calls that have not been made, in order.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let state = self.state();
        state
            .exchanges
            .iter()
            .filter(|exchange| !exchange.is_used)
            .map(|exchange| exchange.request.method.clone())
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the closure for this method answers, if there is one.
    fn response(&self, method: &str, text: &str) -> Option<Result<String, ClientError>> {
        let response = self.state().responses.get(method)?.clone();
        let mut response = response.lock().unwrap_or_else(PoisonError::into_inner);
        Some(response(text))
    }

    /// What becomes of a call; `None`: no reply comes. A closure may use this mock, but for the method that
    /// it answers.
    fn outcome(&self, text: &str) -> Option<Result<String, ClientError>> {
        let message = Message::read(text);
        let Some((id, request)) = Request::of(&message) else { return Some(Err(unreadable())) };
        if let Some(outcome) = self.response(&request.method, text) {
            return Some(outcome);
        }
        let mut state = self.state();
        let never_responds = state.never_responds;
        match state.replayed(&request) {
            Some(recorded) => Some(Ok(under(id.as_token(), recorded))),
            None if never_responds => None,
            None => Some(Ok(response_text(id.as_token(), Err(&state.unknown(&request))))),
        }
    }
}

impl State {
    fn next_id(&mut self) -> Id<'static> {
        self.last_id += 1;
        Id::from(self.last_id)
    }

    /// "Method not found", and what the mock does know.
    fn unknown(&self, request: &Request) -> ErrorObject {
        let recorded = self.exchanges.iter().map(|exchange| &*exchange.request.method);
        let mut known: Vec<_> = self.responses.keys().map(|method| &**method).chain(recorded).collect();
        known.sort_unstable();
        known.dedup();
        let detail = if known.contains(&&*request.method) {
            format!("the mock has `{}` recorded, but not with these params", request.method)
        } else {
            format!("the mock knows no `{}`, but: {}", request.method, known.join(", "))
        };
        ErrorObject::method_not_found().with_data(&detail)
    }

    fn replayed(&mut self, request: &Request) -> Option<&str> {
        let is_same = |exchange: &Exchange| exchange.request == *request;
        let unused = self.exchanges.iter().position(|exchange| !exchange.is_used && is_same(exchange));
        let place = unused.or_else(|| self.exchanges.iter().rposition(is_same))?;
        let exchange = &mut self.exchanges[place];
        exchange.is_used = true;
        Some(&exchange.response)
    }
}

/// A recorded reply under another id. What is not a reply stays as it is.
fn under(id: &str, recorded: &str) -> String {
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
        // Raw JSON is written as it is.
        Ok(result) => drop(write_result(&mut out, id, result)),
        Err(error) => write_error(&mut out, id, error),
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn unreadable() -> ClientError {
    ClientError::NotSent("the message is not a call".into())
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
            Message::Notification(notification) => self.response(&notification.method, &text),
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
        // Each is shown to its closure, even if one before it gets no reply.
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
