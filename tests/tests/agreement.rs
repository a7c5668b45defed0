//! The fast reader of requests and the exact one agree on everything that is almost a request.

use rpc_core::wire::{Incoming, Message};
use rpc_core::{Server, rpc};
use serde_json::Value;
use serde_json::value::RawValue;
use tests::task::now;

#[rpc]
trait Near {
    async fn add(&self, a: i64, b: Option<i64>) -> i64;
    async fn text(&self, s: &str) -> String;
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue>;
    async fn list(&self, #[rpc(flatten)] v: Vec<u8>) -> usize;
    async fn any(&self, #[rpc(flatten)] v: Value) -> Value;
    async fn ping(&self);
}

struct Mine;

impl Near for Mine {
    async fn add(&self, a: i64, b: Option<i64>) -> i64 {
        a.wrapping_add(b.unwrap_or_default())
    }
    async fn text(&self, s: &str) -> String {
        s.to_owned()
    }
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue> {
        v
    }
    async fn list(&self, v: Vec<u8>) -> usize {
        v.len()
    }
    async fn any(&self, v: Value) -> Value {
        v
    }
    async fn ping(&self) {}
}

/// The answer by the exact reader: a member that nobody knows sends a request down its way.
fn exactly(server: &Server<NearService<Mine>>, message: &[u8]) -> Option<String> {
    match Incoming::read(message) {
        Incoming::Message(message) => one(server, message),
        Incoming::Batch(batch) => {
            let answers: Vec<_> = batch.into_members().into_iter().filter_map(|member| one(server, member)).collect();
            (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
        }
    }
}

fn one(server: &Server<NearService<Mine>>, message: Message<'_>) -> Option<String> {
    let written = match message {
        Message::Request(request) => serde_json::to_string(&request),
        Message::Notification(notification) => serde_json::to_string(&notification),
        Message::Response(_) => return None,
        Message::Invalid(invalid) => {
            return invalid.to_response().map(|answer| serde_json::to_string(&answer).expect("plain data"));
        }
    };
    now(server.handle(written.expect("plain data").replacen('{', r#"{"unknown":0,"#, 1)))
}

const SEEDS: [&str; 14] = [
    r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"add","params":{"b":2,"a":-1}}"#,
    r#" { "id" : 0 , "method" : "add" , "jsonrpc" : "2.0" , "params" : [ 10 ] } "#,
    r#"{"params":[1],"id":null,"jsonrpc":"2.0","method":"add"}"#,
    r#"{"jsonrpc":"2.0","method":"text","params":["a\u0062"],"id":1.5}"#,
    r#"{"jsonrpc":"2.0","method":"raw","params":[{"a":[1,null]}],"id":10}"#,
    r#"{"jsonrpc":"2.0","method":"list","params":[1,2],"id":1}"#,
    r#"{"jsonrpc":"2.0","method":"any","params":{"a":{}},"id":1}"#,
    r#"{"jsonrpc":"2.0","method":"ping","id":1}"#,
    r#"{"jsonrpc":"2.0","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","method":"nope","params":{"a":[]},"id":1}"#,
    r#"{"jsonrpc":"2.0","method":"ping","params":null,"id":1}"#,
    r#"[{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1},{"jsonrpc":"2.0","method":"ping"} , 1]"#,
    r#"[{"jsonrpc":"2.0","method":"any","params":null,"id":1}]"#,
];

const LETTERS: &[u8] = b"\"\\{}[],: 01-.enul\0\n\xc3";

fn agree(server: &Server<NearService<Mine>>, message: &[u8]) {
    let (fast, exact) = (now(server.handle(message)), exactly(server, message));
    assert_eq!(fast, exact, "{}", String::from_utf8_lossy(message));
}

#[test]
fn every_single_edit_is_judged_alike() {
    let server = Server::new(NearService::new(Mine));
    for seed in SEEDS {
        let seed = seed.as_bytes();
        agree(&server, seed);
        for at in 0..seed.len() {
            let (before, after) = (&seed[..at], &seed[at..]);
            agree(&server, before);
            agree(&server, after);
            agree(&server, &[before, &after[1..]].concat());
            agree(&server, &[before, &after[..1], after].concat());
            for letter in LETTERS {
                agree(&server, &[before, &[*letter], after].concat());
                agree(&server, &[before, &[*letter], &after[1..]].concat());
            }
        }
    }
}

#[test]
fn members_in_any_order_once_or_twice_are_judged_alike() {
    let server = Server::new(NearService::new(Mine));
    let members = [
        r#""jsonrpc":"2.0""#,
        r#""jsonrpc":"1.0""#,
        r#""method":"add""#,
        r#""method":"any""#,
        r#""m\u0065thod":"list""#,
        r#""params":[1]"#,
        r#""params":null"#,
        r#""params":{"a":"x"}"#,
        r#""params":7"#,
        r#""id":1"#,
        r#""id":null"#,
        r#""id":true"#,
        r#""id":"\ud800""#,
        r#""result":1"#,
        r#""x":[]"#,
    ];
    permute(&server, &members, &mut vec![]);
}

/// All ways to choose up to three of the members in every order, with the version at either end or not.
fn permute<'m>(server: &Server<NearService<Mine>>, members: &[&'m str], chosen: &mut Vec<&'m str>) {
    let text = chosen.join(",");
    agree(server, format!("{{{text}}}").as_bytes());
    agree(server, format!(r#"{{"jsonrpc":"2.0",{text}}}"#).as_bytes());
    agree(server, format!(r#"[{{{text},"jsonrpc":"2.0"}},1]"#).as_bytes());
    if chosen.len() < 3 {
        for member in members {
            chosen.push(member);
            permute(server, members, chosen);
            chosen.pop();
        }
    }
}
