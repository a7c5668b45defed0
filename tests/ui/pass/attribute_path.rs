//! The attribute by its path, and several of them on one method or parameter.

#[rpc_core::rpc]
trait Calc {
    #[rpc_core::rpc(name = "sum")]
    fn add(&self, #[rpc_core::rpc(rename = "x")] a: i64, b: i64) -> i64;
    #[rpc(name = "gone")]
    #[rpc(notification)]
    fn removed(
        &self,
        #[rpc()]
        #[rpc(rename = "path")]
        file: &str,
    );
}

struct MyCalc;

impl Calc for MyCalc {
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    fn removed(&self, _file: &str) {}
}

fn main() {
    let server = rpc_core::Server::new(CalcService::new(MyCalc));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"sum","params":{"x":1,"b":2},"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":3,"id":1}"#);
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"gone","params":{"path":""},"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":null,"id":1}"#);
}
