//! Params that only begin like null.

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
fn what_only_begins_like_null_is_not_json() {
    let server = Server::new(FlatService::new(Mine));
    for params in ["nope", "nxyz", "nuli", "n,,,"] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"list","params":{params},"id":1}}"#);
        check(&server, &request, &error(-32700, "null"));
        check(&server, format!("[{request}]"), &error(-32700, "null"));
    }
}

#[test]
fn what_only_begins_like_null_is_not_json_for_a_raw_method() {
    let router = Router::builder().method("list", async |_: RawCall| Ok::<_, ErrorObject>(1)).build();
    let server = Server::new(router.expect("no name twice"));
    check(&server, r#"{"jsonrpc":"2.0","method":"list","params":nope,"id":1}"#, &error(-32700, "null"));
}
