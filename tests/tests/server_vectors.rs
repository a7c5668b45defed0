//! Every vector of `vectors/server.jsonl`, sent to `Server::handle` and to a server process.

use examples::demo::{DemoService, MyDemo};
use rpc_core::{Server, block_on};
use std::io::Write;
use std::process::{Command, Stdio};
use tests::vector_check::check_response;
use tests::vectors;

#[test]
fn every_vector_gets_the_expected_response() {
    let server = Server::new(DemoService::new(MyDemo));
    let mut wrong = vec![];
    for vector in vectors::server() {
        let response = block_on(server.handle(&vector.request));
        if let Err(error) = check_response(&vector.request, &vector.expect, response.as_deref()) {
            wrong.push(format!("{}: {error}", vector.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_server_process_answers_every_vector_that_fits_on_a_line() {
    let vectors: Vec<_> = vectors::server().into_iter().filter(|vector| vector.line).collect();
    let mut input = vec![];
    for vector in &vectors {
        input.extend(on_one_line(&vector.request));
        // A vector may get no response: the response to this request marks the end.
        input.extend(br#"{"jsonrpc":"2.0","method":"echo","params":["next"],"id":"mark"}"#);
        input.push(b'\n');
    }
    let output = demo_server(input);
    let mut responses = output.lines().peekable();
    let mut wrong = vec![];
    for vector in &vectors {
        let response = responses.next_if(|line| !is_mark(line));
        assert!(responses.next().is_some_and(is_mark), "{}: more than one response", vector.name);
        if let Err(error) = check_response(&vector.request, &vector.expect, response) {
            wrong.push(format!("{}: {error}", vector.name));
        }
    }
    assert_eq!(responses.next(), None);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_mark(line: &str) -> bool {
    line == r#"{"jsonrpc":"2.0","result":"next","id":"mark"}"#
}

/// Replaces the newlines of a message, which are all outside strings, by spaces.
fn on_one_line(message: &[u8]) -> Vec<u8> {
    let mut line: Vec<u8> = message.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect();
    line.push(b'\n');
    line
}

/// Runs the server process to the end of `input` and returns its output.
fn demo_server(input: Vec<u8>) -> String {
    let mut child = Command::new(tests::example("demo_server"))
        .arg("--stdio-line")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the server ends");
    writer.join().expect("no panic").expect("the server reads everything");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8")
}
