//! The demo service: methods and notifications with every form of params, results and errors.

use rpc_core::connection::Peer;
use rpc_core::{Context, ErrorObject, Internal, rpc};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

/// The methods in the examples of the specification (§7), and a few more.
#[rpc]
pub trait Demo {
    /// Returns the difference of two integers.
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;

    /// Returns the sum of a list of any length.
    async fn sum(&self, #[rpc(flatten)] values: Vec<i64>) -> i64;

    /// Returns its argument unchanged.
    async fn echo(&self, text: Box<RawValue>) -> Box<RawValue>;

    /// Waits `ms` milliseconds and returns the number. Needs a tokio runtime.
    async fn sleep(&self, ms: u64) -> u64;

    /// Returns the quotient of two integers. Fails with code 1001 if the divisor is zero.
    async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject>;

    /// Fails with an internal error.
    async fn fail(&self) -> Result<(), Internal>;

    /// Calls `upper` of the client and returns its result.
    async fn relay(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;

    /// Sends the notification `notice` to the client.
    async fn announce(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<(), ErrorObject>;

    /// Returns two values of different types.
    fn get_data(&self) -> (String, u8);

    /// Takes any params.
    #[rpc(notification)]
    async fn update(&self, #[rpc(flatten)] params: Value);

    /// Takes any params.
    #[rpc(notification)]
    async fn notify_hello(&self, #[rpc(flatten)] params: Value);

    /// Takes any params.
    #[rpc(notification)]
    async fn notify_sum(&self, #[rpc(flatten)] params: Value);
}

/// The methods that a client of the demo service serves.
#[rpc(namespace = "client", separator = "/")]
pub trait DemoClientSide {
    /// Returns the text in capital letters.
    async fn upper(&self, text: String) -> String;

    /// Receives a text of the server.
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
        Ok(client(context)?.upper(text).await?)
    }

    async fn announce(&self, text: String, context: &Context<'_>) -> Result<(), ErrorObject> {
        Ok(client(context)?.notice(text).await?)
    }

    fn get_data(&self) -> (String, u8) {
        ("hello".to_owned(), 5)
    }

    async fn update(&self, _params: Value) {}

    async fn notify_hello(&self, _params: Value) {}

    async fn notify_sum(&self, _params: Value) {}
}

fn client(context: &Context<'_>) -> Result<DemoClientSideClient<Peer>, ErrorObject> {
    let no_connection = || ErrorObject::new(ErrorObject::SERVER_ERROR, "this needs a live connection");
    context.peer().map(DemoClientSideClient::new).ok_or_else(no_connection)
}
