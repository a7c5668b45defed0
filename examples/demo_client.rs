//! A command-line client: `cargo run --example demo_client -- tcp://127.0.0.1:4000 call subtract '[42,23]'`.
//!
//! Prints one line of JSON. The exit code is 0 for results, 3 if any outcome is an error object, and 1 if the transport
//! or the protocol fails. The client serves calls of the server meanwhile.

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
  stdio-line:CMD           a child process, one message per line
  stdio-lsp:CMD            a child process, a header before each message
  tcp://H:P  unix:///PATH  a socket, one message per line
  tcp+lsp://H:P  unix+lsp:///PATH
commands:
  call METHOD [PARAMS]           prints {\"result\":...} or {\"error\":{...}}
  notify METHOD [PARAMS]         prints {\"result\":null}
  batch '[[\"m\",[1,2]],...]'      prints an array in the order of the calls
  concurrent N METHOD [PARAMS]   the same call N times at once; prints an array";

/// The outcome of one call.
type Outcome = Result<Box<RawValue>, ClientError>;

/// The methods that the server calls.
struct ClientMethods;

impl DemoClientSide for ClientMethods {
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

/// Returns `None` if the arguments are invalid.
async fn run(arguments: &mut Vec<String>) -> Result<Option<ExitCode>, Box<dyn Error>> {
    let mut timeout = Some(Duration::from_secs(60));
    if arguments.first().is_some_and(|first| first == "--timeout-ms") && arguments.len() > 1 {
        let millis = arguments.drain(..2).next_back().unwrap_or_default();
        timeout = Some(Duration::from_millis(millis.parse()?));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [target, command @ ..] = &arguments[..] else { return Ok(None) };
    let Some(command) = Command::parse(command)? else { return Ok(None) };

    let server = Server::new(DemoClientSideService::new(ClientMethods));
    let peer = Connection::builder(server).call_timeout(timeout).connect(address(target)).await?;
    let exit_code = command.run(&peer).await;
    // `close` sends queued messages first.
    peer.close().await;
    exit_code.map(Some)
}

/// Returns the address of a target.
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
    fn parse(arguments: &[&str]) -> Result<Option<Self>, Box<dyn Error>> {
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

    /// Runs the command and prints the outcomes.
    async fn run(self, peer: &Peer) -> Result<ExitCode, Box<dyn Error>> {
        let call = |method: &str, params: &RawValue| Call::<_, Box<RawValue>>::new(peer, method, params);
        match self {
            Command::Call(method, params) => {
                let (json, is_error) = to_json(call(&method, &params).await)?;
                Ok(print(&json, is_error))
            }
            Command::Notify(method, params) => {
                NotifyCall::new(peer, &method, &params).await?;
                Ok(print(r#"{"result":null}"#, false))
            }
            Command::Batch(calls) => {
                let calls: Vec<_> = calls.iter().map(|(method, params)| call(method, params)).collect();
                print_array(BatchCall::new(peer, calls).await?)
            }
            Command::Concurrent(times, method, params) => {
                // `send` sends the call and returns its future.
                let calls: Vec<_> = (0..times).map(|_| call(&method, &params).send()).collect();
                let mut outcomes = Vec::with_capacity(times);
                for call in calls {
                    outcomes.push(call.await);
                }
                print_array(outcomes)
            }
        }
    }
}

/// Returns an outcome as JSON, and whether it is an error object.
fn to_json(outcome: Outcome) -> Result<(String, bool), Box<dyn Error>> {
    match outcome {
        Ok(result) => Ok((format!(r#"{{"result":{result}}}"#), false)),
        Err(ClientError::Rpc(object)) => Ok((format!(r#"{{"error":{}}}"#, serde_json::to_string(&object)?), true)),
        Err(error) => Err(error.into()),
    }
}

fn print_array(outcomes: Vec<Outcome>) -> Result<ExitCode, Box<dyn Error>> {
    let outcomes = outcomes.into_iter().map(to_json).collect::<Result<Vec<_>, _>>()?;
    let is_error = outcomes.iter().any(|(_, is_error)| *is_error);
    let outcomes: Vec<_> = outcomes.into_iter().map(|(json, _)| json).collect();
    Ok(print(&format!("[{}]", outcomes.join(",")), is_error))
}

fn print(json: &str, is_error: bool) -> ExitCode {
    println!("{json}");
    if is_error { ExitCode::from(3) } else { ExitCode::SUCCESS }
}
