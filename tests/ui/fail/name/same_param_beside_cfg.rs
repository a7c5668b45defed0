use rpc_core::rpc;

#[rpc]
trait Calc {
    fn add(
        &self,
        a: i64,
        #[cfg(all())]
        #[rpc(rename = "a")]
        b: i64,
    ) -> i64;
}

fn main() {}
