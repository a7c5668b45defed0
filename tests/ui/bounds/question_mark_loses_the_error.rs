//! A `?` cannot convert the error of a method into `ClientError`.

use rpc_core::{ClientError, ErrorObject, rpc};

#[rpc(client)]
trait Store {
    async fn size(&self) -> u64;
    async fn take(&self) -> Result<u64, ErrorObject>;
}

async fn total(store: &StoreClient) -> Result<u64, ClientError> {
    Ok(store.size().await? + store.take().await?)
}

fn main() {
    let _ = total;
}
