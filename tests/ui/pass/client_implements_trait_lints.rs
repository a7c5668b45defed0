//! No lint warns about a trait that the client implements.

#![deny(warnings, missing_docs, dead_code, unused, nonstandard_style, future_incompatible, rust_2018_idioms)]
#![deny(unreachable_pub, unused_qualifications, missing_debug_implementations, missing_copy_implementations)]
#![deny(unused_lifetimes, single_use_lifetimes, elided_lifetimes_in_paths, explicit_outlives_requirements)]
#![deny(private_interfaces, private_bounds, trivial_casts, trivial_numeric_casts, let_underscore_drop)]
#![deny(unused_results, unused_extern_crates, unused_import_braces, unused_macro_rules, variant_size_differences)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]
#![forbid(unsafe_code)]

use rpc_core::{CallError, ErrorObject, Server, block_on, rpc};
use std::borrow::Cow;

/// A calculator.
#[rpc(client_implements_trait)]
pub trait Calc: Send + Sync {
    /// A constant.
    const LIMIT: i64 = 7;
    /// The old name of `divide`.
    ///
    /// # Errors
    ///
    /// Fails if `b` is zero.
    #[deprecated(note = "call `divide`")]
    async fn quotient(&self, a: i64, b: i64) -> Result<i64, ErrorObject>;
    /// Divides.
    ///
    /// # Errors
    ///
    /// Fails if `b` is zero.
    #[rpc(idempotent)]
    async fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject>;
    /// Borrows.
    ///
    /// # Errors
    ///
    /// Never.
    async fn show(&self, text: &str, list: &[i64], cow: Cow<'_, str>) -> Result<String, ErrorObject>;
    /// Has a body.
    ///
    /// # Errors
    ///
    /// Never.
    async fn zero(&self) -> Result<i64, ErrorObject> {
        Ok(0)
    }
    /// Has no response.
    #[rpc(notification)]
    async fn forget(&self, name: &str);
    /// Flattens.
    ///
    /// # Errors
    ///
    /// Never.
    async fn sum(&self, #[rpc(flatten)] numbers: Vec<i64>) -> Result<i64, ErrorObject>;
    /// Has a name of another case.
    #[rpc(notification)]
    #[allow(non_snake_case)]
    async fn didChange(&self, textDocument: u8);
}

struct MyCalc;

impl Calc for MyCalc {
    async fn quotient(&self, a: i64, b: i64) -> Result<i64, ErrorObject> {
        self.divide(a, b).await
    }
    async fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject> {
        a.checked_div(b).ok_or_else(|| ErrorObject::new(1, "division by zero"))
    }
    async fn show(&self, text: &str, list: &[i64], cow: Cow<'_, str>) -> Result<String, ErrorObject> {
        Ok(format!("{text}{}{cow}", list.len()))
    }
    async fn forget(&self, _name: &str) {}
    async fn sum(&self, numbers: Vec<i64>) -> Result<i64, ErrorObject> {
        Ok(numbers.iter().sum())
    }
    async fn didChange(&self, _: u8) {}
}

async fn everywhere<C: Calc>(calc: &C) -> Result<(), ErrorObject> {
    assert_eq!(calc.divide(C::LIMIT, 2).await?, 3);
    assert_eq!(calc.show("a", &[1], "b".into()).await?, "a1b");
    assert_eq!(calc.zero().await?, 0);
    calc.forget("a").await;
    calc.didChange(1).await;
    assert_eq!(calc.sum(vec![1, 2]).await?, 3);
    Ok(())
}

fn main() -> Result<(), CallError<ErrorObject>> {
    let client = CalcClient::new(Server::new(CalcService::new(MyCalc)).caller());
    block_on(everywhere(&MyCalc)).map_err(CallError::Method)?;
    block_on(everywhere(&client)).map_err(CallError::Method)?;
    assert_eq!(block_on(client.divide(4, 2))?, 2);
    Ok(())
}
