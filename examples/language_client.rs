//! A client of the Language Server Protocol, as an editor has it: `cargo run --example language_client -- pylsp`.
//!
//! Starts a language server as a child process, opens a document with a mistake, and prints the diagnostics, symbols
//! and completions that the server reports. The types have only the members that this example uses; other members of
//! the messages are ignored.

use rpc_core::connection::{Connection, Peer};
use rpc_core::profile::Profile;
use rpc_core::transport::{Headers, child};
use rpc_core::{Server, rpc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::error::Error;
use std::process::{Command, ExitCode};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

const URI: &str = "file:///greeting.py";
const TEXT: &str = "\
import os

def greet(name):
    return missing + name

class Greeter:
    def shout(self):
        return greet('all'.upper())
";
/// The position after `'all'.up` in the last line.
const AFTER_UP: Position = Position { line: 7, character: 29 };

// LSP params are one object. Its members are the parameters of a method below; a method with many parameters takes one
// value with the option `flatten`.

/// The methods that start and end a session.
#[rpc(client)]
trait Lifecycle {
    async fn initialize(&self, #[rpc(flatten)] params: Value) -> Initialized;
    #[rpc(notification)]
    async fn initialized(&self, #[rpc(flatten)] params: Value);
    async fn shutdown(&self);
    #[rpc(notification)]
    async fn exit(&self);
}

/// The methods of a server for documents.
#[rpc(client, namespace = "textDocument", separator = "/", rename_all = "camelCase", rename_all_params = "camelCase")]
trait Documents {
    #[rpc(notification)]
    async fn did_open(&self, text_document: TextDocumentItem);
    async fn document_symbol(&self, text_document: TextDocument) -> Option<Vec<Symbol>>;
    async fn completion(&self, text_document: TextDocument, position: Position) -> Completions;
}

/// The methods of the client.
#[rpc(server, allow_unknown_params)]
trait Editor {
    #[rpc(notification, name = "textDocument/publishDiagnostics")]
    async fn diagnostics(&self, uri: String, diagnostics: Vec<Diagnostic>);
    #[rpc(notification, name = "$/progress")]
    async fn progress(&self, value: Progress);
    #[rpc(notification, name = "window/logMessage", alias = "window/showMessage")]
    async fn message(&self, message: String);
    /// Returns the configuration of each requested section: null, as nothing is configured.
    #[rpc(name = "workspace/configuration")]
    async fn configuration(&self, items: Vec<Value>) -> Vec<Value>;
    #[rpc(name = "client/registerCapability", alias = "window/workDoneProgress/create")]
    async fn agree(&self, #[rpc(flatten)] params: Value);
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    capabilities: serde_json::Map<String, Value>,
    server_info: Option<ServerInfo>,
}

#[derive(Deserialize)]
struct ServerInfo {
    name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextDocumentItem {
    uri: &'static str,
    language_id: &'static str,
    version: i32,
    text: &'static str,
}

#[derive(Serialize)]
struct TextDocument {
    uri: &'static str,
}

#[derive(Serialize, Deserialize)]
struct Position {
    line: u32,
    character: u32,
}

#[derive(Deserialize)]
struct Range {
    start: Position,
}

#[derive(Deserialize)]
struct Diagnostic {
    range: Range,
    message: String,
}

/// The progress of work on the server. `kind` is `begin`, `report` or `end`.
#[derive(Deserialize)]
struct Progress {
    kind: String,
    title: Option<String>,
}

#[derive(Deserialize)]
struct Symbol {
    name: String,
}

#[derive(Deserialize)]
struct Completion {
    label: String,
}

/// A list, or an object with a possibly incomplete list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Completions {
    All(Vec<Completion>),
    Some { items: Vec<Completion> },
    None,
}

/// Sends the diagnostics of documents to a channel.
struct MyEditor(mpsc::UnboundedSender<(String, Vec<Diagnostic>)>);

impl Editor for MyEditor {
    async fn diagnostics(&self, uri: String, diagnostics: Vec<Diagnostic>) {
        // The receiver is dropped when the session ends.
        let _ = self.0.send((uri, diagnostics));
    }
    async fn progress(&self, value: Progress) {
        println!("progress: {}{}", value.kind, value.title.map_or_else(String::new, |title| format!(", {title}")));
    }
    async fn message(&self, message: String) {
        println!("message: {message}");
    }
    async fn configuration(&self, items: Vec<Value>) -> Vec<Value> {
        vec![Value::Null; items.len()]
    }
    async fn agree(&self, _params: Value) {}
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut command = Command::new(arguments.next().unwrap_or_else(|| "pylsp".to_owned()));
    command.args(arguments);
    let (child, ends) = child(command, Headers::new())?;

    let (sender, mut diagnostics) = mpsc::unbounded_channel();
    let server = Server::new(EditorService::new(MyEditor(sender)));
    let (peer, connection) = Connection::builder(server).profile(Profile::lsp()).over(ends);
    tokio::spawn(connection.run());

    timeout(Duration::from_secs(60), session(peer, &mut diagnostics)).await??;
    let status = timeout(Duration::from_secs(10), child.wait()).await??;
    println!("server exited: {status}");
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Exchanges all messages of the session.
async fn session(
    peer: Peer,
    diagnostics: &mut mpsc::UnboundedReceiver<(String, Vec<Diagnostic>)>,
) -> Result<(), Box<dyn Error>> {
    let (lifecycle, documents) = (LifecycleClient::new(peer.clone()), DocumentsClient::new(peer.clone()));

    let params = json!({ "processId": std::process::id(), "rootUri": null, "capabilities": { "window": { "workDoneProgress": true } } });
    let server = lifecycle.initialize(params).await?;
    let name = server.server_info.map_or_else(|| "unnamed".to_owned(), |info| info.name);
    println!("server: {name}, {} capabilities", server.capabilities.len());
    lifecycle.initialized(json!({})).await?;

    documents.did_open(TextDocumentItem { uri: URI, language_id: "python", version: 1, text: TEXT }).await?;
    let (uri, diagnostics) = diagnostics.recv().await.ok_or("the connection closed")?;
    for Diagnostic { range: Range { start }, message } in diagnostics {
        println!("diagnostic: {uri}:{}:{}: {message}", start.line + 1, start.character + 1);
    }

    let symbols = documents.document_symbol(TextDocument { uri: URI }).await?.unwrap_or_default();
    let names: Vec<_> = symbols.into_iter().map(|symbol| symbol.name).collect();
    println!("symbols: {}", names.join(" "));

    let completions = match documents.completion(TextDocument { uri: URI }, AFTER_UP).await? {
        Completions::All(items) | Completions::Some { items } => items,
        Completions::None => Vec::new(),
    };
    let labels: Vec<_> = completions.into_iter().map(|completion| completion.label).collect();
    println!("completions: {}", labels.join(" "));

    lifecycle.shutdown().await?;
    lifecycle.exit().await?;
    println!("connection: {}", peer.closed().await);
    Ok(())
}
