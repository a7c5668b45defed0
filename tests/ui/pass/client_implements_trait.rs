//! The client implements the trait: code that is generic over it runs over the wire.

#![deny(warnings)]

use rpc_core::{CallError, ClientError, ErrorObject, Internal, RpcError, Server, block_on, rpc};
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Debug, PartialEq, RpcError)]
enum CalcError {
    #[rpc(code = 1, message = "division by zero")]
    ByZero,
    #[rpc(code = 2, message = "not reached")]
    NotReached,
}

impl From<ClientError> for CalcError {
    fn from(_: ClientError) -> Self {
        CalcError::NotReached
    }
}

type Outcome<T> = Result<T, CalcError>;
type Divided = Result<i64, CalcError>;

#[rpc(client_implements_trait, namespace = "calc", rename_all = "camelCase", rename_all_params = "PascalCase")]
trait Calc {
    const NAME: &'static str = "calc";
    async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
    #[rpc(fallible)]
    async fn named_otherwise(&self, a: i64, b: i64) -> Outcome<i64>;
    #[rpc(fallible)]
    async fn without_arguments(&self, #[rpc(rename = "dividend")] a: i64) -> Divided;
    async fn borrows(
        &self,
        text: &str,
        list: &[i64],
        maybe: Option<&str>,
        cow: Cow<'_, str>,
        raw: &RawValue,
    ) -> Result<String, ErrorObject>;
    #[rpc(params = "by_position")]
    async fn r#type(&self, r#fn: u8, #[rpc(default)] least: u8) -> Result<u8, Internal>;
    async fn whole(&self, #[rpc(flatten)] list: &[i64]) -> Result<i64, ErrorObject>;
    #[deprecated]
    async fn old(&self) -> Result<(), ErrorObject> {
        Ok(())
    }
    /// The client calls it instead of running the body.
    async fn has_a_body(&self) -> Result<u8, ErrorObject> {
        Ok(self.r#type(1, 2).await.unwrap())
    }
    #[rpc(notification)]
    async fn changed(&self, path: &str);
    #[rpc(notification)]
    async fn unit(&self) -> ();
}

struct Local;

impl Calc for Local {
    async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError> {
        a.checked_div(b).ok_or(CalcError::ByZero)
    }
    async fn named_otherwise(&self, a: i64, b: i64) -> Outcome<i64> {
        self.divide(a, b).await
    }
    async fn without_arguments(&self, a: i64) -> Divided {
        self.divide(1, a).await
    }
    async fn borrows(
        &self,
        text: &str,
        list: &[i64],
        maybe: Option<&str>,
        cow: Cow<'_, str>,
        raw: &RawValue,
    ) -> Result<String, ErrorObject> {
        Ok(format!("{text}{list:?}{maybe:?}{cow}{raw}"))
    }
    async fn r#type(&self, r#fn: u8, least: u8) -> Result<u8, Internal> {
        if r#fn < least { Err("less")? } else { Ok(r#fn) }
    }
    async fn whole(&self, list: &[i64]) -> Result<i64, ErrorObject> {
        Ok(list.iter().sum())
    }
    async fn has_a_body(&self) -> Result<u8, ErrorObject> {
        Ok(4)
    }
    async fn changed(&self, _: &str) {}
    async fn unit(&self) {}
}

async fn everywhere<C: Calc + Sync>(calc: &C) {
    assert_eq!(C::NAME, "calc");
    assert_eq!(calc.divide(6, 3).await, Ok(2));
    assert_eq!(calc.divide(6, 0).await, Err(CalcError::ByZero));
    assert_eq!(calc.named_otherwise(6, 0).await, Err(CalcError::ByZero));
    assert_eq!(calc.without_arguments(1).await, Ok(1));
    let raw = RawValue::from_string("[ 1 ]".to_owned()).unwrap();
    let text = calc.borrows("a", &[1], None, "b".into(), &raw).await.unwrap();
    assert_eq!(text, "a[1]Noneb[ 1 ]");
    assert_eq!(calc.r#type(3, 2).await.unwrap(), 3);
    assert!(calc.r#type(1, 2).await.is_err());
    assert_eq!(calc.whole(&[1, 2]).await, Ok(3));
    #[expect(deprecated)]
    let old = calc.old().await;
    assert_eq!(old, Ok(()));
    assert_eq!(calc.has_a_body().await, Ok(4));
    calc.changed("a.td").await;
    calc.unit().await;
}

fn main() {
    let client = CalcClient::new(Server::new(CalcService::new(Local)).caller());
    block_on(everywhere(&Local));
    block_on(everywhere(&client));
    // If the type of the client is known, its own methods come first.
    assert!(matches!(block_on(client.divide(6, 0)), Err(CallError::Method(CalcError::ByZero))));
}
