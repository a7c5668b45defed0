use rpc_core::rpc;

#[derive(serde::Serialize, serde::Deserialize)]
struct PageResult<T>(T);

#[rpc]
trait Store {
    fn page(&self) -> PageResult<u8>;
}

fn main() {}
