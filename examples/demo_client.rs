//! A client for the shell: `cargo run --example demo_client -- tcp://127.0.0.1:4000 call subtract '[42,23]'`.
//!
//! Prints one line of JSON, and ends with 0, with 3 if an error object came, or with 1 if the transport or the
//! protocol failed. It serves the server's calls meanwhile.

use examples::demo::{DemoClientSide, DemoClientSideService};
use rpc_core::client::{BatchCall, Call, NotifyCall};
use rpc_core::connection::{Connection, Peer};
use rpc_core::{ClientError, Server};
use serde_json::value::RawValue;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
usage: demo_client [--timeout-ms N] TARGET COMMAND
targets:
  stdio-line:CMD           a child process, one message a line
  stdio-lsp:CMD            a child process, a header before each message
  tcp://H:P  unix:///PATH  a socket, one message a line
  tcp+lsp://H:P  unix+lsp:///PATH
commands:
  call METHOD [PARAMS]           prints {\"result\":...} or {\"error\":{...}}
  notify METHOD [PARAMS]         prints {\"result\":null}
  batch '[[\"m\",[1,2]],...]'      prints an array in the order of the calls
  concurrent N METHOD [PARAMS]   the same call N times at once; prints an array";

/// What one call gave.
type Outcome = Result<Box<RawValue>, ClientError>;

type Failure = Box<dyn Error>;

/// The side that the server calls.
struct MySide;

impl DemoClientSide for MySide {
    async fn upper(&self, text: String) -> String {
        text.to_uppercase()
    }
    async fn notice(&self, text: String) {
        eprintln!("notice: {text}");
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&mut arguments).await {
        Ok(Some(code)) => code,
        Ok(None) => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("demo_client: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `None` if the arguments say nothing that can be done.
async fn run(arguments: &mut Vec<String>) -> Result<Option<ExitCode>, Failure> {
    let mut timeout = Some(Duration::from_secs(60));
    if arguments.first().is_some_and(|first| first == "--timeout-ms") && arguments.len() > 1 {
        let given = arguments.drain(..2).next_back().unwrap_or_default();
        timeout = Some(Duration::from_millis(given.parse()?));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [target, command @ ..] = &arguments[..] else { return Ok(None) };
    let Some(command) = Command::read(command)? else { return Ok(None) };

    let server = Server::new(DemoClientSideService::new(MySide));
    let peer = Connection::builder(server).call_timeout(timeout).connect(address(target)).await?;
    let done = command.run(&peer).await;
    // What was written is sent before the connection ends.
    peer.close().await;
    done.map(Some)
}

/// The address of a target.
fn address(target: &str) -> String {
    match target.split_once(':') {
        Some(("stdio-line", command)) => format!("exec:{command}"),
        Some(("stdio-lsp", command)) => format!("exec+lsp:{command}"),
        _ => target.to_owned(),
    }
}

enum Command {
    Call(String, Box<RawValue>),
    Notify(String, Box<RawValue>),
    Batch(Vec<(String, Box<RawValue>)>),
    Concurrent(usize, String, Box<RawValue>),
}

impl Command {
    fn read(arguments: &[&str]) -> Result<Option<Self>, Failure> {
        let params = |text: Option<&&str>| serde_json::from_str(text.unwrap_or(&"null"));
        Ok(Some(match arguments {
            ["call", method, rest @ ..] if rest.len() < 2 => Command::Call((*method).to_owned(), params(rest.first())?),
            ["notify", method, rest @ ..] if rest.len() < 2 => {
                Command::Notify((*method).to_owned(), params(rest.first())?)
            }
            ["batch", calls] => Command::Batch(serde_json::from_str(calls)?),
            ["concurrent", times, method, rest @ ..] if rest.len() < 2 => {
                Command::Concurrent(times.parse()?, (*method).to_owned(), params(rest.first())?)
            }
            _ => return Ok(None),
        }))
    }

    /// Runs it, and prints what came.
    async fn run(self, peer: &Peer) -> Result<ExitCode, Failure> {
        let call = |method: &str, params: &RawValue| Call::<_, Box<RawValue>>::new(peer, method, params);
        match self {
            Command::Call(method, params) => {
                let (line, is_error) = line(call(&method, &params).await)?;
                Ok(print(&line, is_error))
            }
            Command::Notify(method, params) => {
                NotifyCall::new(peer, &method, &params).await?;
                Ok(print(r#"{"result":null}"#, false))
            }
            Command::Batch(calls) => {
                let calls: Vec<_> = calls.iter().map(|(method, params)| call(method, params)).collect();
                lines(BatchCall::new(peer, calls).await?)
            }
            Command::Concurrent(times, method, params) => {
                // Each is sent as soon as it is made a future.
                let calls: Vec<_> = (0..times).map(|_| call(&method, &params).send()).collect();
                let mut outcomes = Vec::with_capacity(times);
                for call in calls {
                    outcomes.push(call.await);
                }
                lines(outcomes)
            }
        }
    }
}

/// An outcome as JSON, and whether it is an error object.
fn line(outcome: Outcome) -> Result<(String, bool), Failure> {
    match outcome {
        Ok(result) => Ok((format!(r#"{{"result":{result}}}"#), false)),
        Err(ClientError::Rpc(object)) => Ok((format!(r#"{{"error":{}}}"#, serde_json::to_string(&object)?), true)),
        Err(error) => Err(error.into()),
    }
}

fn lines(outcomes: Vec<Outcome>) -> Result<ExitCode, Failure> {
    let lines = outcomes.into_iter().map(line).collect::<Result<Vec<_>, _>>()?;
    let is_error = lines.iter().any(|(_, is_error)| *is_error);
    let lines: Vec<_> = lines.into_iter().map(|(line, _)| line).collect();
    Ok(print(&format!("[{}]", lines.join(",")), is_error))
}

fn print(line: &str, is_error: bool) -> ExitCode {
    println!("{line}");
    if is_error { ExitCode::from(3) } else { ExitCode::SUCCESS }
}
