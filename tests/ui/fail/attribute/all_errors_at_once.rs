use rpc_core::rpc;

#[rpc(namspace = "calc")]
trait Calc {
    #[rpc(nmae = "sum")]
    fn add(&mut self, (a, b): (i64, i64)) -> i64;
    #[rpc(notification)]
    fn forget(&self, #[rpc(rename = 7)] all: &mut bool) -> bool;
    fn list<T>(&self, names: Vec<&str>) -> &str;
    type Number;
}

fn main() {}
