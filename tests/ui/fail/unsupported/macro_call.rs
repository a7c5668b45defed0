use rpc_core::rpc;

macro_rules! add {
    () => {
        fn add(&self, a: i64, b: i64) -> i64;
    };
}

#[rpc]
trait Calc {
    add!();
}

fn main() {}
