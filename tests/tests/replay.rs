//! Recorded exchanges, replayed by `Mock`.

use rpc_core::client::Call;
use rpc_core::mock::{BadRecord, Mock};
use rpc_core::{CallError, ClientError, ErrorObject, rpc};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs;
use std::path::{Path, PathBuf};
use tests::external_data;
use tests::task::now;

/// Returns every recorded file, sorted by path.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder that can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ext| ext == "io") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn every_recorded_exchange_of_ethereum_nodes_is_replayed_unchanged() {
    let Some(folder) = external_data::folder("execution-apis") else { return };
    let files = files(&folder);
    assert!(files.len() > 150, "only {} files", files.len());
    let mut exchanges = 0;
    for file in files {
        let record = fs::read_to_string(&file).expect("a file that can be read");
        let path = file.display();
        let wire = Mock::new().replay(&record).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for line in record.lines() {
            sent.extend(line.strip_prefix(">> "));
            received.extend(line.strip_prefix("<< "));
        }
        assert_eq!(sent.len(), received.len(), "{path}");
        for (request, response) in sent.into_iter().zip(received) {
            let request: Value = serde_json::from_str(request).expect("a request");
            let recorded: Value = serde_json::from_str(response).expect("a response");
            let method = request["method"].as_str().expect("a method");
            let call = Call::<_, Box<RawValue>>::new(&wire, method, &request["params"]);
            match now(call) {
                // Compared as text, so that no number is rounded.
                Ok(result) => assert!(response.contains(&format!("\"result\":{}", result.get())), "{path}"),
                Err(ClientError::Rpc(error)) => {
                    assert_eq!(serde_json::to_value(&error).expect("plain data"), recorded["error"], "{path}");
                }
                Err(other) => panic!("{path}: {other}"),
            }
            exchanges += 1;
        }
        assert!(wire.unused().is_empty(), "{path}: {:?}", wire.unused());
    }
    assert!(exchanges > 150, "only {exchanges} exchanges");
}

#[rpc(namespace = "eth", separator = "_", rename_all = "camelCase", params = "by_position")]
trait Eth {
    async fn get_balance(&self, address: &str, block: &str) -> Result<String, ErrorObject>;
    async fn chain_id(&self) -> String;
}

const RECORD: &str = r#"
// Two methods, one of them twice.
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}

>> [{"jsonrpc":"2.0","id":"a","method":"eth_getBalance","params":["0xaa", "latest"]},{"jsonrpc":"2.0","method":"note"}]
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{}}
<< [{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"unknown","data":{"b":1.50}}}]
>> {"jsonrpc":"2.0","id":2,"method":"eth_chainId","params":null}
<< {"jsonrpc":"2.0","id":2,"result":"0x2"}
"#;

#[test]
fn a_typed_client_runs_on_a_record() {
    let wire = Mock::new().replay(RECORD).expect("a record");
    let eth = EthClient::new(wire.clone());
    assert_eq!(wire.unused(), ["eth_chainId", "eth_getBalance", "eth_chainId"]);
    assert_eq!(now(eth.chain_id()).expect("a result"), "0x1");
    let Err(CallError::Method(error)) = now(eth.get_balance("0xaa", "latest")) else { panic!("no error") };
    assert_eq!(
        (error.code, &*error.message, error.data.as_ref().map(|data| data.get())),
        (-32000, "unknown", Some(r#"{"b":1.50}"#))
    );
    assert_eq!(now(eth.chain_id()).expect("a result"), "0x2");
    assert!(wire.unused().is_empty());
    assert_eq!(now(eth.chain_id()).expect("a result"), "0x2");
    // A call that was not recorded.
    let missing = now(eth.get_balance("0xbb", "latest"));
    assert!(matches!(missing, Err(CallError::Method(error)) if error.code == ErrorObject::METHOD_NOT_FOUND));
}

#[test]
fn a_record_that_cannot_be_replayed_is_refused_with_its_line() {
    let call = r#">> {"jsonrpc":"2.0","id":1,"method":"a"}"#;
    let response = r#"<< {"jsonrpc":"2.0","id":1,"result":1}"#;
    for (record, line, reason) in [
        (call.to_owned(), 1, "no response with the id 1 follows"),
        (response.to_owned(), 1, "no earlier request has the id 1"),
        (format!("{call}\n{response}\n{response}"), 3, "no earlier request has the id 1"),
        (format!("// so\n{}\n{response}", &call[2..]), 2, "unknown prefix; expected `>>`, `<<` or `//`"),
        (format!("{call}\n<< not json"), 2, "not a response: the message is not JSON"),
        (format!(">> {}\n{response}", "{}"), 1, "not a request: "),
    ] {
        let error: BadRecord = Mock::new().replay(&record).expect_err(&record);
        assert_eq!(error.line, line, "{record}");
        assert!(error.reason.starts_with(reason), "{record}: {}", error.reason);
    }
}

#[test]
fn an_invalid_response_is_replayed_unchanged() {
    let text = r#"{"jsonrpc":"2.0","id":1}"#;
    let record = format!(">> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}}\n<< {text}");
    let wire = Mock::new().replay(&record).expect("a record");
    let outcome = now(Call::<_, u8>::new(&wire, "a", &()));
    assert!(matches!(outcome, Err(ClientError::Protocol(error)) if error.text == text));
}

#[test]
fn params_that_serde_json_cannot_parse_are_compared_as_text() {
    let deep = format!("{}{}", "[".repeat(130), "]".repeat(130));
    for params in [deep.as_str(), "[1e400]", r#"["\ud800"]"#] {
        let record = format!(
            ">> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{params}}}\n<< {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}}"
        );
        let wire = Mock::new().replay(&record).expect("a record");
        let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("JSON");
        assert!(now(Call::<_, u8>::new(&wire, "a", &())).is_err(), "{params}");
        assert!(now(Call::<_, u8>::new(&wire, "a", &raw("[1e401]"))).is_err(), "{params}");
        assert_eq!(now(Call::<_, u8>::new(&wire, "a", &raw(params))).expect("a result"), 1, "{params}");
    }
}
