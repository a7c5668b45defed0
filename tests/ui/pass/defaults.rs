//! Parameters with a default, by name and by position, of generic and concrete types.

use rpc_core::{Server, rpc};

fn ten() -> u8 {
    10
}

#[rpc(rename_all_params = "camelCase", allow_unknown_params)]
trait Pages {
    async fn list(&self, #[rpc(default)] from_page: u8, #[rpc(default = "ten")] most: u8, tail: Option<u8>) -> Vec<u8>;
}

struct Mine;
impl Pages for Mine {
    async fn list(&self, from_page: u8, most: u8, tail: Option<u8>) -> Vec<u8> {
        vec![from_page, most, tail.unwrap_or(99)]
    }
}

fn main() {
    let server = Server::new(PagesService::new(Mine));
    for (params, wanted) in [
        ("[]", "[0,10,99]"),
        ("[1]", "[1,10,99]"),
        ("[1,2,3]", "[1,2,3]"),
        (r#"{"most":3}"#, "[0,3,99]"),
        (r#"{"fromPage":4,"tail":null,"unknown":{}}"#, "[4,10,99]"),
    ] {
        let response = server.handle_blocking(format!(r#"{{"jsonrpc":"2.0","method":"list","params":{params},"id":1}}"#));
        assert_eq!(response.unwrap(), format!(r#"{{"jsonrpc":"2.0","result":{wanted},"id":1}}"#));
    }
    for params in ["[null]", r#"{"from_page":1,"most":"x"}"#] {
        let response = server.handle_blocking(format!(r#"{{"jsonrpc":"2.0","method":"list","params":{params},"id":1}}"#));
        assert!(response.unwrap().contains("-32602"));
    }
}
