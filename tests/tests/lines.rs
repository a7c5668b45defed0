//! `serve_lines`: one message per line, for any bytes in any pieces.

use rpc_core::Server;
use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use tests::allocator::{CountingAllocator, peak};
use tests::check::{error, is_same, result};
use tests::counting_service::{Counting, TService, server};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const SUM: &str = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"note","params":[1]}"#;

/// Serves `input` and compares the lines of the output with `expected`.
#[track_caller]
fn check(server: &Server<TService<Counting>>, input: impl AsRef<[u8]>, expected: &[String]) {
    let input = input.as_ref();
    // The size of the reads must not matter.
    for read_size in [1, 2, 3, 7, 64 << 10] {
        let mut output = vec![];
        server.serve_lines(BufReader::with_capacity(read_size, input), &mut output).expect("no I/O error");
        let output = String::from_utf8(output).expect("JSON is UTF-8");
        assert!(output.is_empty() || output.ends_with('\n'));
        let lines: Vec<_> = output.lines().collect();
        assert_eq!(lines.len(), expected.len(), "{output}");
        assert!(lines.iter().zip(expected).all(|(line, expected)| is_same(expected, line)), "{output}");
    }
}

fn sum_response() -> String {
    result("3", "1")
}

#[test]
fn blank_lines_are_skipped_and_line_ends_may_have_a_carriage_return() {
    let (server, counting) = server();
    check(&server, "", &[]);
    check(&server, "\n\r\n \t\r\n   ", &[]);
    check(&server, format!("\n\n{SUM}\n\n \r\n{SUM}\n\n"), &[sum_response(), sum_response()]);
    check(&server, format!("{SUM}\r\n{SUM}\r\n"), &[sum_response(), sum_response()]);
    check(&server, format!("  {SUM}\t \r\n"), &[sum_response()]);
    counting.runs();
    check(&server, format!("{NOTE}\n{NOTE}\r\n{NOTE}"), &[]);
    assert_eq!(counting.runs(), 3 * 5);
}

#[test]
fn a_last_line_needs_no_line_break() {
    let (server, _) = server();
    check(&server, SUM, &[sum_response()]);
    check(&server, format!("{SUM}\n{SUM}"), &[sum_response(), sum_response()]);
    check(&server, format!("{SUM}\n{{\"jsonrpc\""), &[sum_response(), error(-32700, "null")]);
    check(&server, format!("{SUM}\n   "), &[sum_response()]);
}

#[test]
fn a_byte_order_mark_is_skipped_only_at_the_start_of_the_stream() {
    let (server, _) = server();
    check(&server, format!("\u{feff}{SUM}\n{SUM}\n"), &[sum_response(), sum_response()]);
    check(&server, format!("\u{feff}{SUM}"), &[sum_response()]);
    check(&server, format!("\u{feff}\n{SUM}\n"), &[sum_response()]);
    check(&server, "\u{feff}", &[]);
    check(&server, format!("{SUM}\n\u{feff}{SUM}\n"), &[sum_response(), error(-32700, "null")]);
    check(&server, format!("\n\u{feff}{SUM}\n"), &[error(-32700, "null")]);
    check(&server, format!("\u{feff}\u{feff}{SUM}\n{SUM}"), &[error(-32700, "null"), sum_response()]);
    check(&server, format!("{SUM}\n").as_bytes(), &[sum_response()]);
}

// R03
#[test]
fn after_garbage_the_next_line_is_served() {
    let (server, _) = server();
    for garbage in [&b"not json"[..], b"\xff\xfe", b"{", b"\"", b"\0", b"[[[", b"{\"jsonrpc\":\"2.0\",\"id\":1"] {
        let input = [SUM.as_bytes(), garbage, SUM.as_bytes()].join(&b'\n');
        check(&server, input, &[sum_response(), error(-32700, "null"), sum_response()]);
    }
}

// R04
#[test]
fn quotes_and_brackets_in_strings_do_not_end_a_message() {
    let (server, _) = server();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["a\"]}{[b\\"]}"#;
    check(&server, format!("{request}\n{SUM}\n"), &[result(r#""a\"]}{[b\\""#, "1"), sum_response()]);
}

// R38
#[test]
fn multibyte_characters_survive_any_split() {
    let (server, _) = server();
    let request = r#"{"jsonrpc":"2.0","id":"é","method":"echo","params":["é漢😀"]}"#;
    let response = result(r#""é漢😀""#, r#""é""#);
    check(&server, vec![request; 50].join("\n"), &vec![response; 50]);
}

#[test]
fn a_line_over_the_limit_is_rejected_and_the_next_is_served() {
    let (server, counting) = server();
    let long = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["xxxxxxxxxxxxxxxxxxxxxxxx"]}"#;
    let rejected = || error(-32600, "null");
    for server in [server.clone().max_message_bytes(SUM.len()), server.clone().max_message_bytes(long.len() - 1)] {
        check(&server, format!("{SUM}\n{long}\n{SUM}\n"), &[sum_response(), rejected(), sum_response()]);
        check(&server, format!("{long}\n{long}\n{SUM}"), &[rejected(), rejected(), sum_response()]);
        check(&server, long, &[rejected()]);
        check(&server, format!("\u{feff}{long}\n{SUM}"), &[rejected(), sum_response()]);
    }
    let exact = server.clone().max_message_bytes(SUM.len());
    check(&exact, format!("\u{feff}{SUM}\n"), &[sum_response()]);
    counting.runs();
    check(&server.max_message_bytes(SUM.len() - 1), format!("{SUM}\n{SUM}"), &[rejected(), rejected()]);
    assert_eq!(counting.runs(), 0);
}

/// Reads `left` times the byte `x`, then `rest`.
struct Flood {
    left: usize,
    rest: &'static [u8],
}

impl Read for Flood {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return self.rest.read(buffer);
        }
        let length = buffer.len().min(self.left).min(1024);
        buffer[..length].fill(b'x');
        self.left -= length;
        Ok(length)
    }
}

// R33
#[test]
fn an_endless_line_uses_no_more_memory_than_the_limit() {
    let (server, _) = server();
    let server = server.max_message_bytes(1 << 20);
    let mut output = Vec::with_capacity(1000);
    let input = Flood {
        left: 64 << 20,
        rest: br#"
{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}
"#,
    };
    let bytes = peak(|| server.serve_lines(BufReader::new(input), &mut output).expect("no I/O error"));
    assert!(bytes > 1 << 20, "the line is buffered up to the limit, or allocations are not counted");
    assert!(bytes < 3 << 20, "{bytes} bytes");
    let output = String::from_utf8(output).expect("JSON is UTF-8");
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(is_same(&error(-32600, "null"), lines[0]) && is_same(&sum_response(), lines[1]), "{output}");
}

/// Is interrupted before each piece. Fails at the end if `fails` is set.
struct Interrupted<'i> {
    pieces: Vec<&'i [u8]>,
    interrupts: bool,
    fails: bool,
}

impl Read for Interrupted<'_> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("`serve_lines` reads with `fill_buf`")
    }
}

impl BufRead for Interrupted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.interrupts = !self.interrupts;
        match self.pieces.first() {
            _ if self.interrupts => Err(ErrorKind::Interrupted.into()),
            None if self.fails => Err(ErrorKind::ConnectionReset.into()),
            piece => Ok(piece.copied().unwrap_or_default()),
        }
    }
    fn consume(&mut self, count: usize) {
        if let Some(piece) = self.pieces.first_mut() {
            *piece = &piece[count..];
            if piece.is_empty() {
                self.pieces.remove(0);
            }
        }
    }
}

#[test]
fn an_interrupted_read_is_retried_and_another_error_is_returned() {
    let (server, _) = server();
    let line = format!("{SUM}\n");
    let (first, second) = line.as_bytes().split_at(20);
    for fails in [false, true] {
        let input = Interrupted { pieces: vec![first, second, SUM.as_bytes()], interrupts: false, fails };
        let mut output = vec![];
        let result = server.serve_lines(input, &mut output);
        assert_eq!(result.map_err(|error| error.kind()).err(), fails.then_some(ErrorKind::ConnectionReset));
        // The last line is not served if an error ends it: it may be incomplete.
        let responses = if fails { 1 } else { 2 };
        assert_eq!(String::from_utf8_lossy(&output), format!("{}\n", sum_response()).repeat(responses));
    }
}

/// Accepts this many bytes, at most five per write, and then fails.
struct Failing(usize);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = bytes.len().min(self.0).min(5);
        self.0 -= written;
        if written == 0 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(written) }
    }
    fn flush(&mut self) -> io::Result<()> {
        if self.0 == 0 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }
}

// R32
#[test]
fn a_write_error_is_returned() {
    let (server, counting) = server();
    let input = format!("{SUM}\n").repeat(10);
    let line = sum_response().len() + 1;
    for (bytes, runs) in [(0, 1), (1, 1), (line - 1, 1), (line, 1), (line + 1, 2), (5 * line - 1, 5)] {
        let result = server.serve_lines(input.as_bytes(), Failing(bytes));
        assert_eq!(result.map_err(|error| error.kind()), Err(ErrorKind::BrokenPipe));
        assert_eq!(counting.runs(), runs, "{bytes}");
    }
    // Without a response there is no write, and no error.
    assert!(server.serve_lines(format!("{NOTE}\n{NOTE}").as_bytes(), Failing(0)).is_ok());
}

/// Provides a line once the response to the previous line is flushed.
struct LineByLine<'l> {
    lines: Vec<&'l [u8]>,
    output: &'l Output,
    next: usize,
}

/// The bytes that were written, and the number of them that were flushed.
#[derive(Default)]
struct Output(RefCell<(Vec<u8>, usize)>);

impl Output {
    fn flushed_lines(&self) -> usize {
        let (written, flushed) = &*self.0.borrow();
        String::from_utf8_lossy(&written[..*flushed]).lines().count()
    }
}

impl Read for LineByLine<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert_eq!(self.output.flushed_lines(), self.next, "a line is read before the last response is flushed");
        let Some(line) = self.lines.get(self.next) else { return Ok(0) };
        self.next += 1;
        buffer[..line.len()].copy_from_slice(line);
        Ok(line.len())
    }
}

impl Write for &Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        let mut output = self.0.borrow_mut();
        output.1 = output.0.len();
        Ok(())
    }
}

#[test]
fn each_response_is_flushed_before_the_next_line_is_read() {
    let (server, _) = server();
    let (sum, output) = (format!("{SUM}\n"), Output::default());
    let lines = vec![sum.as_bytes(), b"garbage\n", b"[]\n", sum.as_bytes()];
    let input = BufReader::new(LineByLine { lines, output: &output, next: 0 });
    server.serve_lines(input, &output).expect("no I/O error");
    assert_eq!(output.flushed_lines(), 4);
}

#[test]
fn a_line_over_the_limit_that_begins_with_spaces_is_rejected() {
    let (server, _) = server();
    let server = server.max_message_bytes(60);
    let line = format!("{}{}", " ".repeat(100), r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#);
    let mut output = vec![];
    server.serve_lines(line.as_bytes(), &mut output).expect("no I/O error");
    let output = String::from_utf8(output).expect("JSON is UTF-8");
    assert!(is_same(&error(-32600, "null"), output.trim_end()), "{output:?}");
}

#[test]
fn the_carriage_return_of_a_line_end_does_not_count_toward_the_limit() {
    let (server, _) = server();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
    let server = server.max_message_bytes(request.len());
    let mut output = vec![];
    server.serve_lines(format!("{request}\r\n").as_bytes(), &mut output).expect("no I/O error");
    let output = String::from_utf8(output).expect("JSON is UTF-8");
    assert!(is_same(&result("3", "1"), output.trim_end()), "{output:?}");
}
