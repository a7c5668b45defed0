//! Params that begin like `null` but are not JSON.

use rpc_core::server::{RawCall, Router};
use rpc_core::{ErrorObject, Server, rpc};
use tests::check::{check, error};

#[rpc]
trait Flat {
    async fn list(&self, #[rpc(flatten)] v: Vec<u8>) -> usize;
}
struct Mine;
impl Flat for Mine {
    async fn list(&self, v: Vec<u8>) -> usize {
        v.len()
    }
}

#[test]
fn params_that_only_begin_like_null_are_a_parse_error() {
    let server = Server::new(FlatService::new(Mine));
    for params in ["nope", "nxyz", "nuli", "n,,,"] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"list","params":{params},"id":1}}"#);
        check(&server, &request, &error(-32700, "null"));
        check(&server, format!("[{request}]"), &error(-32700, "null"));
    }
}

#[test]
fn params_that_only_begin_like_null_are_a_parse_error_for_a_raw_method() {
    let router = Router::builder().method("list", async |_: RawCall| Ok::<_, ErrorObject>(1)).build();
    let server = Server::new(router.expect("no duplicate name"));
    check(&server, r#"{"jsonrpc":"2.0","method":"list","params":nope,"id":1}"#, &error(-32700, "null"));
}
