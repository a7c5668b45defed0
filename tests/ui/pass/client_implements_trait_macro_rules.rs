//! A trait that a macro writes, its types and names passed on between invisible brackets.

#![deny(warnings)]

use rpc_core::{ErrorObject, Internal, Server, block_on, rpc};

macro_rules! calc {
    ($name:ident, $method:ident, $param:ident: $taken:ty, $ok:ty, $err:ty, $whole:ty) => {
        #[rpc(client_implements_trait)]
        trait $name {
            async fn $method(&self, $param: $taken, own: &str) -> Result<$ok, $err>;
            async fn whole(&self, list: &[$taken]) -> $whole;
            #[rpc(notification)]
            async fn told(&self, own: $taken);
        }
    };
}

calc!(Calc, twice, n: i64, i64, ErrorObject, Result<usize, Internal>);

struct Local;

impl Calc for Local {
    async fn twice(&self, n: i64, own: &str) -> Result<i64, ErrorObject> {
        Ok(n * 2 + own.len() as i64)
    }
    async fn whole(&self, list: &[i64]) -> Result<usize, Internal> {
        Ok(list.len())
    }
    async fn told(&self, _: i64) {}
}

async fn everywhere(calc: &impl Calc) {
    assert_eq!(calc.twice(2, "a").await, Ok(5));
    assert_eq!(calc.whole(&[1]).await.unwrap(), 1);
    calc.told(1).await;
}

fn main() {
    block_on(everywhere(&Local));
    block_on(everywhere(&CalcClient::new(Server::new(CalcService::new(Local)).caller())));
}
