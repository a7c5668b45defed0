//! `cfg` on methods and parameters of a trait that the client implements.

#![deny(warnings)]

use rpc_core::{ErrorObject, Server, block_on, rpc};

#[rpc(client_implements_trait)]
trait Calc {
    #[cfg(any())]
    async fn gone(&self, n: Nowhere) -> Result<Nowhere, Nowhere>;
    #[cfg(all())]
    async fn here(&self) -> Result<u8, ErrorObject>;
    #[cfg_attr(all(), cfg(any()))]
    async fn either(&self, n: Nowhere) -> Result<u8, ErrorObject>;
    #[cfg_attr(all(), cfg(all()))]
    async fn either(&self, n: u8) -> Result<u8, ErrorObject>;
    async fn first(&self, #[cfg(any())] gone: Nowhere, a: i64, #[cfg(all())] b: i64) -> Result<i64, ErrorObject>;
    #[rpc(params = "by_position")]
    async fn last(&self, #[cfg_attr(all(), cfg(any()))] gone: &Nowhere, #[cfg(not(any()))] b: &str) -> Result<String, ErrorObject>;
    #[rpc(notification)]
    async fn notified(&self, #[cfg(any())] n: u8, #[cfg(not(any()))] n: &str);
}

struct Local;

impl Calc for Local {
    async fn here(&self) -> Result<u8, ErrorObject> {
        Ok(1)
    }
    async fn either(&self, n: u8) -> Result<u8, ErrorObject> {
        Ok(n)
    }
    async fn first(&self, a: i64, b: i64) -> Result<i64, ErrorObject> {
        Ok(a - b)
    }
    async fn last(&self, b: &str) -> Result<String, ErrorObject> {
        Ok(b.to_owned())
    }
    async fn notified(&self, _: &str) {}
}

async fn everywhere(calc: &impl Calc) {
    assert_eq!(calc.here().await, Ok(1));
    assert_eq!(calc.either(2).await, Ok(2));
    assert_eq!(calc.first(3, 1).await, Ok(2));
    assert_eq!(calc.last("b").await.as_deref(), Ok("b"));
    calc.notified("n").await;
}

fn main() {
    block_on(everywhere(&Local));
    block_on(everywhere(&CalcClient::new(Server::new(CalcService::new(Local)).caller())));
}
