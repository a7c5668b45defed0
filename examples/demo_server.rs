//! A server process: `cargo run --example demo_server -- --stdio-line` answers one message a line.
//!
//! Nothing but messages goes to stdout.

use examples::demo::{DemoService, MyDemo};
use rpc_core::Server;
use std::process::ExitCode;

const USAGE: &str = "usage: demo_server --stdio-line";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments != ["--stdio-line"] {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    }
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo_server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> std::io::Result<()> {
    // `sleep` waits on tokio's clock, which the runtime's own thread drives.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build()?;
    let _inside = runtime.enter();
    Server::new(DemoService::new(MyDemo)).serve_stdio_lines()
}
