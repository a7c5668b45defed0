//! Supertraits that a default body uses.

use rpc_core::{Server, rpc};
use std::fmt::Display;

trait Named {
    fn name(&self) -> String;
}

#[rpc]
trait Greeter: Named + Display + Send + Sync + 'static {
    fn greet(&self) -> String {
        format!("I am {}", self.name())
    }
    async fn show(&self) -> String {
        format!("<{self}>")
    }
}

#[rpc]
trait Polite: Greeter {
    async fn bow(&self) -> String {
        self.show().await + &self.greet()
    }
}

struct Ada;

impl Named for Ada {
    fn name(&self) -> String {
        "Ada".to_owned()
    }
}
impl Display for Ada {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ada")
    }
}
impl Greeter for Ada {}
impl Polite for Ada {}

fn main() {
    let server = Server::new((GreeterService::new(Ada), PoliteService::new(Ada)));
    for (method, result) in [("greet", "I am Ada"), ("show", "<ada>"), ("bow", "<ada>I am Ada")] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":"{result}","id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    }
}
