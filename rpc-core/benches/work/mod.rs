//! The measured workloads: types, handlers, requests and their responses.

pub mod floor;

use rpc_core::rpc;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[rpc]
pub trait Api {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
    async fn echo(&self, text: String) -> String;
    async fn sum(&self, xs: Vec<f64>) -> f64;
    async fn put(&self, record: Record) -> Record;
}

pub struct MyApi;

impl Api for MyApi {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        minuend - subtrahend
    }
    async fn echo(&self, text: String) -> String {
        text
    }
    async fn sum(&self, xs: Vec<f64>) -> f64 {
        xs.iter().sum()
    }
    async fn put(&self, mut record: Record) -> Record {
        record.revision += 1;
        record
    }
}

/// Mixed fields, about 2 KiB as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub id: u64,
    pub revision: u32,
    pub name: String,
    pub active: bool,
    pub score: f64,
    pub note: Option<String>,
    pub created: i64,
    pub tags: Vec<String>,
    pub items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub number: String,
    pub count: u32,
    pub price: f64,
    pub size: [f64; 3],
    pub labels: Vec<String>,
}

fn record() -> Record {
    let item = |i: u32| Item {
        number: format!("N-{:05}", i * 7919),
        count: i * 3 + 1,
        price: f64::from(1999 + 137 * i) / 100.0,
        size: [10.5 + f64::from(i), 20.25, 3.125],
        labels: vec!["fragile".to_owned(), format!("lot-{i}"), "november".to_owned()],
    };
    Record {
        id: 9_007_199_254_740_991,
        revision: 41,
        name: "A \"quoted\" name".to_owned(),
        active: true,
        score: 98.765,
        note: Some("Two lines,\nand Zürich".to_owned()),
        created: -1_234_567_890_123,
        tags: ["alpha", "beta", "gamma", "delta"].map(String::from).to_vec(),
        items: (0..15).map(item).collect(),
    }
}

/// A workload: its name, the message, and the result or error code of the response.
pub struct Case {
    pub name: &'static str,
    pub request: String,
    expect: Value,
}

impl Case {
    /// # Panics
    ///
    /// When `response` is wrong.
    pub fn check(&self, response: &[u8]) {
        let response: Value = serde_json::from_slice(response).expect("JSON");
        let essence = |response: &Value| response.get("result").or(response["error"].get("code")).cloned();
        let got = match &response {
            Value::Array(responses) => {
                responses.iter().map(|response| essence(response).expect("a response")).collect()
            }
            single => essence(single).expect("a response"),
        };
        assert_eq!(got, self.expect, "{}", self.name);
    }
}

pub fn cases() -> Vec<Case> {
    let numbers: Vec<f64> = (0..1000).map(|i| f64::from(i * 7919 % 10_007) / 16.0).collect();
    let text: String = "The quick brown fox jumps over the lazy dog. ".chars().cycle().take(1024).collect();
    let next = Record { revision: 42, ..record() };
    let case = |name, request, expect| Case { name, request, expect };
    let batch: Vec<_> = (0..100).map(|i| call("subtract", &json!([42 + i, 23]), i)).collect();
    vec![
        case("subtract [42,23]", call("subtract", &json!([42, 23]), 1), json!(19)),
        case("subtract named", call("subtract", &json!({"minuend": 42, "subtrahend": 23}), 1), json!(19)),
        case("echo 1 KiB", call("echo", &json!([text]), 1), json!(text)),
        case("sum 1000 f64", call("sum", &json!([numbers]), 1), json!(numbers.iter().sum::<f64>())),
        case("put 2 KiB struct", call("put", &json!([record()]), 1), json!(next)),
        case("batch of 100", format!("[{}]", batch.join(",")), (0..100).map(|i| json!(19 + i)).collect()),
        case("unknown method", call("no_such_method", &json!([42, 23]), 1), json!(-32601)),
        case("invalid JSON", r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23"#.to_owned(), json!(-32700)),
    ]
}

/// As clients write it: `method` before `params`.
fn call(method: &str, params: &Value, id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":{id}}}"#)
}
