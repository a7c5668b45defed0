//! Raw JSON, borrowed from the message: required, optional, and with `flatten`.

use rpc_core::{Server, block_on, rpc};
use serde_json::value::{RawValue, to_raw_value};

#[rpc]
trait Raw {
    async fn echo(&self, value: &RawValue, more: Option<&RawValue>) -> Box<RawValue>;
    async fn whole(&self, #[rpc(flatten)] params: &RawValue) -> String;
}

struct Mine;
impl Raw for Mine {
    async fn echo(&self, value: &RawValue, more: Option<&RawValue>) -> Box<RawValue> {
        more.unwrap_or(value).to_owned()
    }
    async fn whole(&self, params: &RawValue) -> String {
        params.get().to_owned()
    }
}

fn main() {
    let server = Server::new(RawService::new(Mine));
    for (params, result) in [("[1.0]", "1.0"), (r#"[1,{"a" : 2}]"#, r#"{"a" : 2}"#), (r#"{"value":[ ]}"#, "[ ]")] {
        let response = server.handle_blocking(format!(r#"{{"jsonrpc":"2.0","method":"echo","params":{params},"id":1}}"#));
        assert_eq!(response.unwrap(), format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#));
    }
    let raw = RawClient::new(server.caller());
    let value = to_raw_value(&[1, 2]).unwrap();
    assert_eq!(block_on(raw.echo(&value, None)).unwrap().get(), "[1,2]");
    assert_eq!(block_on(raw.whole(&value)).unwrap(), "[1,2]");
}
