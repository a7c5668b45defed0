//! A server for every transport: `cargo run --example demo_server -- --tcp 127.0.0.1:4000`.
//!
//! Prints the addresses of its sockets to stderr, as stdout may be a transport.

use examples::demo::{DemoService, MyDemo};
use rpc_core::Server;
use rpc_core::net::Endpoint;
use rpc_core::net::Listener;
use rpc_core::profile::Profile;
use std::process::ExitCode;

const USAGE: &str = "\
usage: demo_server [--profile PROFILE] TRANSPORT...
transports:
  --stdio-line      stdin and stdout, one message per line
  --stdio-lsp       stdin and stdout, a header before each message
  --tcp ADDR        a TCP socket, such as 127.0.0.1:4000, one message per line
  --tcp-lsp ADDR    the same with headers
  --unix PATH       a Unix socket, one message per line
  --unix-lsp PATH   the same with headers
profiles: native (the default), strict, lsp, mcp, ethereum";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = std::env::args().skip(1);
    let (profile, addresses) = match parse(arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            eprintln!("demo_server: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut tasks = Vec::new();
    for address in addresses {
        match listen(&profile, &address).await {
            Ok(listener) => {
                if !matches!(listener.address().endpoint(), Endpoint::Stdio(_)) {
                    eprintln!("listening on {}", listener.address());
                }
                tasks.push(tokio::spawn(listener.run()));
            }
            Err(error) => {
                eprintln!("demo_server: {address}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    for task in tasks {
        if let Err(error) = task.await {
            eprintln!("demo_server: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

async fn listen(profile: &Profile, address: &str) -> std::io::Result<Listener<DemoService<MyDemo>>> {
    let profile = profile.clone();
    Listener::builder(Server::new(DemoService::new(MyDemo)))
        .configure(move |connection| connection.profile(profile.clone()))
        .listen(address)
        .await
}

/// Parses the arguments to a profile and addresses.
fn parse(mut arguments: impl Iterator<Item = String>) -> Result<(Profile, Vec<String>), String> {
    let (mut profile, mut addresses) = (Profile::native(), Vec::new());
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
        match &*argument {
            "--stdio-line" => addresses.push("stdio:".to_owned()),
            "--stdio-lsp" => addresses.push("stdio+lsp:".to_owned()),
            "--tcp" => addresses.push(format!("tcp://{}", value()?)),
            "--tcp-lsp" => addresses.push(format!("tcp+lsp://{}", value()?)),
            "--unix" => addresses.push(format!("unix:{}", value()?)),
            "--unix-lsp" => addresses.push(format!("unix+lsp:{}", value()?)),
            "--profile" => {
                profile = match &*value()? {
                    "native" => Profile::native(),
                    "strict" => Profile::strict(),
                    "lsp" => Profile::lsp(),
                    "mcp" => Profile::mcp(),
                    "ethereum" => Profile::ethereum(),
                    other => return Err(format!("unknown profile `{other}`")),
                }
            }
            _ => return Err(format!("unknown argument `{argument}`")),
        }
    }
    if addresses.is_empty() { Err("a transport is required".to_owned()) } else { Ok((profile, addresses)) }
}
