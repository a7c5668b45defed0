//! A `Cow` with `'static` beside one that borrows.

use rpc_core::{Server, block_on, rpc};
use std::borrow::Cow;

#[rpc]
trait Texts {
    fn forever(&self, text: Cow<'static, str>) -> Cow<'static, str>;
    async fn later(&self, text: Cow<'static, str>, other: Cow<'_, str>) -> String;
}

struct Me;

impl Texts for Me {
    fn forever(&self, text: Cow<'static, str>) -> Cow<'static, str> {
        text
    }
    async fn later(&self, text: Cow<'static, str>, other: Cow<'_, str>) -> String {
        text.into_owned() + &other
    }
}

fn main() {
    let server = Server::new(TextsService::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"forever","params":["a"],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":"a","id":1}"#);
    let client = TextsClient::new(server.caller());
    assert_eq!(block_on(client.later("a".into(), "b".into())).unwrap(), "ab");
}
