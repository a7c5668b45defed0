//! This project's column in the comparison with its peers: the generated service, text to text; the generated client
//! over lines, through a pipe in memory and through TCP.

use rivals::work::{self, Case, Record};
use rivals::{Caller, Dispatch, PIPE};
use rpc_core::connection::Connection;
use rpc_core::transport::{Lines, stream};
use rpc_core::{Server, rpc};
use std::net::SocketAddr;

#[rpc]
pub trait Api {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
    async fn echo(&self, text: String) -> String;
    async fn sum(&self, xs: Vec<f64>) -> f64;
    async fn put(&self, record: Record) -> Record;
}

pub struct Service;

impl Api for Service {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        work::subtract(minuend, subtrahend)
    }
    async fn echo(&self, text: String) -> String {
        work::echo(text)
    }
    async fn sum(&self, xs: Vec<f64>) -> f64 {
        work::sum(xs)
    }
    async fn put(&self, record: Record) -> Record {
        work::put(record)
    }
}

pub struct Ours {
    server: Server<ApiService<Service>>,
    out: Vec<u8>,
}

impl Dispatch for Ours {
    const NAME: &'static str = "rpc-core";
    async fn new(_: Case) -> Option<Self> {
        Some(Ours { server: Server::new(ApiService::new(Service)), out: Vec::new() })
    }
    async fn call<'a>(&'a mut self, request: &'a str) -> &'a [u8] {
        self.out.clear();
        self.server.handle_text_into(request, &mut self.out).await;
        &self.out
    }
}

impl Caller for ApiClient {
    async fn subtract(&self, a: i64, b: i64) -> i64 {
        self.subtract(a, b).await.unwrap()
    }
}

/// B: lines over an in-memory pipe.
pub async fn pipe() -> ApiClient {
    let (here, there) = tokio::io::duplex(PIPE);
    let (reader, writer) = tokio::io::split(there);
    let server = Server::new(ApiService::new(Service));
    let (_, serving) = Connection::builder(server).over(stream(reader, writer, Lines::new()));
    tokio::spawn(serving.run());
    let (reader, writer) = tokio::io::split(here);
    let (peer, calling) = Connection::client().over(stream(reader, writer, Lines::new()));
    tokio::spawn(calling.run());
    ApiClient::new(peer)
}

/// C: lines over TCP.
pub async fn serve() -> SocketAddr {
    let listener = Server::new(ApiService::new(Service)).listen("tcp://127.0.0.1:0").await.unwrap();
    let address = listener.address().to_string();
    tokio::spawn(listener.run());
    address.trim_start_matches("tcp://").parse().unwrap()
}
pub async fn tcp(addr: SocketAddr) -> ApiClient {
    ApiClient::connect(format!("tcp://{addr}")).await.unwrap()
}
