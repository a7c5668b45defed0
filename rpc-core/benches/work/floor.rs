//! The baseline: the usual code by hand, which reads the envelope with raw params, then the params.

use super::Record;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Request<'a> {
    jsonrpc: &'a str,
    method: &'a str,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Subtract {
    minuend: i64,
    subtrahend: i64,
}

/// Appends the response to one message.
pub fn response(text: &str, out: &mut Vec<u8>) {
    if text.starts_with('[') {
        match serde_json::from_str::<Vec<Request>>(text) {
            Ok(requests) => {
                for (position, request) in requests.into_iter().enumerate() {
                    out.push(if position == 0 { b'[' } else { b',' });
                    one(&request, out);
                }
                out.push(b']');
            }
            Err(_) => error(out, -32700, "Parse error", "null"),
        }
    } else {
        match serde_json::from_str(text) {
            Ok(request) => one(&request, out),
            Err(_) => error(out, -32700, "Parse error", "null"),
        }
    }
}

fn one(request: &Request, out: &mut Vec<u8>) {
    let id = request.id.map_or("null", RawValue::get);
    if request.jsonrpc != "2.0" {
        return error(out, -32600, "Invalid Request", id);
    }
    let params = request.params.map_or("null", RawValue::get);
    let done = match request.method {
        "subtract" => serde_json::from_str(params).map(|p: Subtract| result(out, &(p.minuend - p.subtrahend), id)),
        "echo" => serde_json::from_str(params).map(|(text,): (String,)| result(out, &text, id)),
        "sum" => serde_json::from_str(params).map(|(xs,): (Vec<f64>,)| result(out, &xs.iter().sum::<f64>(), id)),
        "put" => serde_json::from_str(params).map(|(mut record,): (Record,)| {
            record.revision += 1;
            result(out, &record, id);
        }),
        _ => return error(out, -32601, "Method not found", id),
    };
    if done.is_err() {
        error(out, -32602, "Invalid params", id);
    }
}

fn result(out: &mut Vec<u8>, value: &impl Serialize, id: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","result":"#);
    serde_json::to_writer(&mut *out, value).expect("plain data");
    close(out, id);
}

fn error(out: &mut Vec<u8>, code: i64, message: &str, id: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","error":{"code":"#);
    out.extend_from_slice(code.to_string().as_bytes());
    out.extend_from_slice(br#","message":""#);
    out.extend_from_slice(message.as_bytes());
    out.extend_from_slice(br#""}"#);
    close(out, id);
}

fn close(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(br#","id":"#);
    out.extend_from_slice(id.as_bytes());
    out.push(b'}');
}
