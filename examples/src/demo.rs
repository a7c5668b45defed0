//! The demo service: a little of everything that JSON-RPC 2.0 can say.

use rpc_core::connection::Peer;
use rpc_core::{Context, ErrorObject, Internal, rpc};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

/// The methods that the specification's own examples call, and a few more.
#[rpc]
pub trait Demo {
    /// Difference of two integers.
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;

    /// Sum of a list of any length.
    async fn sum(&self, #[rpc(flatten)] values: Vec<i64>) -> i64;

    /// Gives back what it got, to the letter.
    async fn echo(&self, text: Box<RawValue>) -> Box<RawValue>;

    /// Waits this many milliseconds and gives the number back. Needs a tokio runtime.
    async fn sleep(&self, ms: u64) -> u64;

    /// Quotient of two integers; fails with code 1001 when the divisor is zero.
    async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject>;

    /// Always fails.
    async fn fail(&self) -> Result<(), Internal>;

    /// Has the other side make the text large: a call of the server's, while the client's is open.
    async fn relay(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;

    /// Tells the other side something.
    async fn announce(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<(), ErrorObject>;

    /// Two values of different types.
    fn get_data(&self) -> (String, u8);

    /// Takes anything.
    #[rpc(notification)]
    async fn update(&self, #[rpc(flatten)] params: Value);

    /// Takes anything.
    #[rpc(notification)]
    async fn notify_hello(&self, #[rpc(flatten)] params: Value);

    /// Takes anything.
    #[rpc(notification)]
    async fn notify_sum(&self, #[rpc(flatten)] params: Value);
}

/// What a client of the demo service serves.
#[rpc(namespace = "client", separator = "/")]
pub trait DemoClientSide {
    /// The text in capital letters.
    async fn upper(&self, text: String) -> String;

    /// Something that the server wants known.
    #[rpc(notification)]
    async fn notice(&self, text: String);
}

/// The implementation.
#[derive(Clone, Copy, Debug)]
pub struct MyDemo;

impl Demo for MyDemo {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        minuend.wrapping_sub(subtrahend)
    }

    async fn sum(&self, values: Vec<i64>) -> i64 {
        values.into_iter().fold(0, i64::wrapping_add)
    }

    async fn echo(&self, text: Box<RawValue>) -> Box<RawValue> {
        text
    }

    async fn sleep(&self, ms: u64) -> u64 {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        ms
    }

    async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject> {
        dividend
            .checked_div(divisor)
            .ok_or_else(|| ErrorObject::new(1001, "division by zero").with_data(&json!({ "dividend": dividend })))
    }

    async fn fail(&self) -> Result<(), Internal> {
        Err("a detail that no caller sees".into())
    }

    async fn relay(&self, text: String, context: &Context<'_>) -> Result<String, ErrorObject> {
        Ok(other_side(context)?.upper(text).await?)
    }

    async fn announce(&self, text: String, context: &Context<'_>) -> Result<(), ErrorObject> {
        Ok(other_side(context)?.notice(text).await?)
    }

    fn get_data(&self) -> (String, u8) {
        ("hello".to_owned(), 5)
    }

    async fn update(&self, _params: Value) {}

    async fn notify_hello(&self, _params: Value) {}

    async fn notify_sum(&self, _params: Value) {}
}

fn other_side(context: &Context<'_>) -> Result<DemoClientSideClient<Peer>, ErrorObject> {
    let no_connection = || ErrorObject::new(ErrorObject::SERVER_ERROR, "this needs a live connection");
    context.peer().map(DemoClientSideClient::new).ok_or_else(no_connection)
}
