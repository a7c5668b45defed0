//! No lint warns.

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
#[rpc(namespace = "calc")]
pub trait Calc {
    /// The sum of two integers.
    ///
    /// ```text
    /// 1 + 2
    /// ```
    async fn add(&self, a: i64, b: i64) -> i64;
    /// The old name of `add`.
    #[deprecated(note = "call `add`")]
    async fn plus(&self, a: i64, b: i64) -> i64;
    /// Divides.
    ///
    /// # Errors
    ///
    /// Fails if `b` is zero.
    fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject>;
    /// Borrows.
    fn show(&self, text: &str, list: &[i64], maybe: Option<&str>, cow: Cow<'_, str>) -> String;
    /// Has a body.
    async fn zero(&self) -> i64 {
        0
    }
    /// Has a body that returns.
    async fn early(&self, n: i64) -> i64 {
        if n > 0 {
            return n;
        }
        -n
    }
    /// Has a body without a result.
    async fn rest(&self) {}
    /// Has no response.
    #[rpc(notification)]
    async fn forget(&self, name: &str);
    /// Flattens.
    fn sum(&self, #[rpc(flatten)] numbers: Vec<i64>) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn plus(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject> {
        a.checked_div(b).ok_or_else(|| ErrorObject::new(1, "division by zero"))
    }
    fn show(&self, text: &str, list: &[i64], maybe: Option<&str>, cow: Cow<'_, str>) -> String {
        format!("{text}{}{}{cow}", list.len(), maybe.unwrap_or_default())
    }
    async fn forget(&self, _name: &str) {}
    fn sum(&self, numbers: Vec<i64>) -> i64 {
        numbers.iter().sum()
    }
}

fn main() -> Result<(), CallError<ErrorObject>> {
    let server = Server::new(CalcService::new(MyCalc));
    assert_eq!(
        server.handle_blocking(r#"{"jsonrpc":"2.0","method":"calc.plus","params":[1,2],"id":1}"#).as_deref(),
        Some(r#"{"jsonrpc":"2.0","result":3,"id":1}"#)
    );
    let client = CalcClient::new(server.caller());
    block_on(async {
        assert_eq!(client.add(1, 2).await?, 3);
        assert_eq!(client.early(-3).await?, 3);
        assert_eq!(client.show("a", &[1], None, "b".into()).await?, "a1b");
        client.forget("a").await?;
        Ok(())
    })
}
