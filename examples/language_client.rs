//! An editor's side of the Language Server Protocol: `cargo run --example language_client -- pylsp`.
//!
//! Starts a language server as a child process, opens a document that has a mistake in it, and prints what the
//! server says of it. The messages' members are written down as far as they are used here: what else a server
//! sends is passed over.

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
/// In its last line, behind `'all'.up`.
const UP: Position = Position { line: 7, character: 29 };

// LSP sends params as one object. Its members are the parameters of a method here; where a method takes many,
// `flatten` makes one value of them.

/// What begins and ends the work with a server.
#[rpc(client)]
trait Lifecycle {
    async fn initialize(&self, #[rpc(flatten)] params: Value) -> Initialized;
    #[rpc(notification)]
    async fn initialized(&self, #[rpc(flatten)] params: Value);
    async fn shutdown(&self);
    #[rpc(notification)]
    async fn exit(&self);
}

/// What a server tells of documents.
#[rpc(client, namespace = "textDocument", separator = "/", rename_all = "camelCase", rename_all_params = "camelCase")]
trait Documents {
    #[rpc(notification)]
    async fn did_open(&self, text_document: TextDocumentItem);
    async fn document_symbol(&self, text_document: TextDocument) -> Option<Vec<Symbol>>;
    async fn completion(&self, text_document: TextDocument, position: Position) -> Completions;
}

/// What the server tells its client.
#[rpc(server, allow_unknown_params)]
trait Editor {
    #[rpc(notification, name = "textDocument/publishDiagnostics")]
    async fn diagnostics(&self, uri: String, diagnostics: Vec<Diagnostic>);
    #[rpc(notification, name = "$/progress")]
    async fn progress(&self, value: Progress);
    #[rpc(notification, name = "window/logMessage", alias = "window/showMessage")]
    async fn message(&self, message: String);
    /// One answer for each section that it asks for: nothing is configured.
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

/// How far something is that the server does: it begins, it goes on, it ends.
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

/// A list, or a list that may lack something.
#[derive(Deserialize)]
#[serde(untagged)]
enum Completions {
    All(Vec<Completion>),
    Some { items: Vec<Completion> },
    None,
}

/// Passes on what the server says of documents.
struct MyEditor(mpsc::UnboundedSender<(String, Vec<Diagnostic>)>);

impl Editor for MyEditor {
    async fn diagnostics(&self, uri: String, diagnostics: Vec<Diagnostic>) {
        // Nobody may be waiting any more.
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
    println!("the server has ended: {status}");
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// From the first message to the last.
async fn session(
    peer: Peer,
    told: &mut mpsc::UnboundedReceiver<(String, Vec<Diagnostic>)>,
) -> Result<(), Box<dyn Error>> {
    let (life, documents) = (LifecycleClient::new(peer.clone()), DocumentsClient::new(peer.clone()));

    let params = json!({ "processId": std::process::id(), "rootUri": null, "capabilities": { "window": { "workDoneProgress": true } } });
    let server = life.initialize(params).await?;
    let name = server.server_info.map_or_else(|| "it has no name".to_owned(), |info| info.name);
    println!("server: {name}, {} capabilities", server.capabilities.len());
    life.initialized(json!({})).await?;

    documents.did_open(TextDocumentItem { uri: URI, language_id: "python", version: 1, text: TEXT }).await?;
    let (uri, diagnostics) = told.recv().await.ok_or("the connection has ended")?;
    for Diagnostic { range: Range { start }, message } in diagnostics {
        println!("diagnostic: {uri}:{}:{}: {message}", start.line + 1, start.character + 1);
    }

    let symbols = documents.document_symbol(TextDocument { uri: URI }).await?.unwrap_or_default();
    let names: Vec<_> = symbols.into_iter().map(|symbol| symbol.name).collect();
    println!("symbols: {}", names.join(" "));

    let completions = match documents.completion(TextDocument { uri: URI }, UP).await? {
        Completions::All(items) | Completions::Some { items } => items,
        Completions::None => Vec::new(),
    };
    let labels: Vec<_> = completions.into_iter().map(|completion| completion.label).collect();
    println!("completions: {}", labels.join(" "));

    life.shutdown().await?;
    life.exit().await?;
    println!("connection: {}", peer.closed().await);
    Ok(())
}
