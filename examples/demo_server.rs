//! A server process for every door: `cargo run --example demo_server -- --tcp 127.0.0.1:4000`.
//!
//! Over stdin and stdout, nothing but messages goes to stdout. Where it listens otherwise stands on stderr.

use examples::demo::{DemoService, MyDemo};
use rpc_core::Server;
use rpc_core::net::Endpoint;
use rpc_core::net::Listener;
use rpc_core::profile::Profile;
use std::process::ExitCode;

const USAGE: &str = "\
usage: demo_server [--profile PROFILE] DOOR...
doors:
  --stdio-line      stdin and stdout, one message a line
  --stdio-lsp       stdin and stdout, a header before each message
  --tcp ADDR        a TCP socket, such as 127.0.0.1:4000, one message a line
  --tcp-lsp ADDR    the same with headers
  --unix PATH       a Unix socket, one message a line
  --unix-lsp PATH   the same with headers
profiles: native (the default), strict, lsp, mcp, ethereum";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = std::env::args().skip(1);
    let (profile, addresses) = match read(arguments) {
        Ok(read) => read,
        Err(mistake) => {
            eprintln!("demo_server: {mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut serving = Vec::new();
    for address in addresses {
        match listen(&profile, &address).await {
            Ok(listener) => {
                if !matches!(listener.address().endpoint(), Endpoint::Stdio(_)) {
                    eprintln!("listening on {}", listener.address());
                }
                serving.push(tokio::spawn(listener.run()));
            }
            Err(error) => {
                eprintln!("demo_server: {address}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    for door in serving {
        if let Err(error) = door.await {
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

/// The profile and the addresses that the arguments say.
fn read(mut arguments: impl Iterator<Item = String>) -> Result<(Profile, Vec<String>), String> {
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
                    other => return Err(format!("no profile is called `{other}`")),
                }
            }
            _ => return Err(format!("`{argument}` is not known")),
        }
    }
    if addresses.is_empty() { Err("no door is given".to_owned()) } else { Ok((profile, addresses)) }
}
