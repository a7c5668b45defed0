use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn subtract(&self, (a, b): (i64, i64)) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn subtract(&self, (a, b): (i64, i64)) -> i64 {
        a - b
    }
}

fn main() {
    let server = rpc_core::Server::new(CalcService::new(MyCalc));
    drop(CalcClient::new(server.caller()).subtract(1, 2));
}
