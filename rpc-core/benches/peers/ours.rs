//! This project's column in the comparison with its peers: the generated service, text to text.

use rivals::Dispatch;
use rivals::work::{self, Case, Record};
use rpc_core::{Server, rpc};

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
