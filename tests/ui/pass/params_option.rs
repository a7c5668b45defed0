//! `params`: what the client sends by name, by position, and what it omits.

use rpc_core::{ClientError, block_on, rpc};
use rpc_core::client::{Caller, Outgoing};
use rpc_core::wire::Id;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<String>>);

impl Caller for Recorder {
    type ResponseFuture = Ready<Result<String, ClientError>>;
    type SendFuture = Ready<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        *self.0.lock().unwrap() = outgoing.into_request(&Id::from(1));
        ready(Ok(r#"{"jsonrpc":"2.0","result":null,"id":1}"#.to_owned()))
    }
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        *self.0.lock().unwrap() = outgoing.into_notification();
        ready(Ok(()))
    }
}

#[rpc(params = "by_position")]
trait Positions {
    fn two(&self, a: u8, b: &str);
    fn options(&self, a: Option<u8>, b: Option<u8>, c: Option<u8>);
    fn none(&self);
    #[rpc(params = "by_name")]
    fn named(&self, a: u8, #[rpc(rename = "bee")] b: u8);
    #[rpc(notification)]
    fn notified(&self, a: u8);
}

#[rpc(params = "by_name")]
trait Names {
    fn two(&self, a: u8, b: &str);
    fn options(&self, a: Option<u8>, b: Option<u8>, c: Option<u8>);
    #[rpc(params = "by_position")]
    fn positional(&self, a: u8, b: u8);
    fn whole(&self, #[rpc(flatten)] list: &[u8]);
}

fn main() {
    let recorder = Recorder::default();
    let sent = |params: &str| {
        let text = recorder.0.lock().unwrap();
        assert!(text.contains(params), "{text}");
    };
    let client = PositionsClient::new(recorder.clone());
    block_on(client.two(1, "x")).unwrap();
    assert_eq!(*recorder.0.lock().unwrap(), r#"{"jsonrpc":"2.0","method":"two","params":[1,"x"],"id":1}"#);
    block_on(client.options(None, Some(2), None)).unwrap();
    sent(r#""params":[null,2],"#);
    block_on(client.none()).unwrap();
    assert_eq!(*recorder.0.lock().unwrap(), r#"{"jsonrpc":"2.0","method":"none","id":1}"#);
    block_on(client.named(1, 2)).unwrap();
    sent(r#""params":{"a":1,"bee":2},"#);
    block_on(client.notified(1)).unwrap();
    assert_eq!(*recorder.0.lock().unwrap(), r#"{"jsonrpc":"2.0","method":"notified","params":[1]}"#);

    let client = NamesClient::new(recorder.clone());
    block_on(client.two(1, "x")).unwrap();
    sent(r#""params":{"a":1,"b":"x"},"#);
    block_on(client.options(None, Some(2), None)).unwrap();
    sent(r#""params":{"b":2},"#);
    block_on(client.positional(1, 2)).unwrap();
    sent(r#""params":[1,2],"#);
    block_on(client.whole(&[7, 8])).unwrap();
    sent(r#""params":[7,8],"#);
}
