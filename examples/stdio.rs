//! A server over stdin and stdout that a method shuts down: `cargo run --example stdio -- stdio:`.
//!
//! With `stdio+lsp:`, each message has a header. Stdout carries the messages, so the server logs to stderr.

use rpc_core::connection::Connection;
use rpc_core::net::{Address, Endpoint};
use rpc_core::transport::stdio;
use rpc_core::{Context, Server, block_on, rpc};
use std::process::ExitCode;

#[rpc]
trait Echo {
    /// Returns the same text.
    async fn echo(&self, text: String) -> String;
    /// Shuts the server down, even while its stdin is open.
    async fn stop(&self, #[rpc(context)] context: &Context<'_>);
}

struct MyEcho;

impl Echo for MyEcho {
    async fn echo(&self, text: String) -> String {
        text
    }
    async fn stop(&self, context: &Context<'_>) {
        if let Some(peer) = context.peer() {
            peer.shutdown();
        }
    }
}

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "stdio:".to_owned());
    let address: Address = match argument.parse() {
        Ok(address) => address,
        Err(error) => {
            eprintln!("stdio: {error}");
            return ExitCode::FAILURE;
        }
    };
    if !matches!(address.endpoint(), Endpoint::Stdio(_)) {
        eprintln!("stdio: `{address}` is not supported; expected stdio: or stdio+lsp:");
        return ExitCode::FAILURE;
    }
    let server = Server::new(EchoService::new(MyEcho));
    let (_peer, connection) = Connection::builder(server).over(stdio(address.framing()));
    let reason = block_on(connection.run());
    eprintln!("stdio: {reason}");
    ExitCode::SUCCESS
}
