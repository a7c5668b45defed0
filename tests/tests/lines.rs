//! One message a line: `serve_lines`, whatever the bytes look like and however they come.

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

/// Serves `input`, and compares the lines of the output with `wanted`.
#[track_caller]
fn serves(server: &Server<TService<Counting>>, input: impl AsRef<[u8]>, wanted: &[String]) {
    let input = input.as_ref();
    // In pieces of each size the same lines must come out.
    for piece in [1, 2, 3, 7, 64 << 10] {
        let mut output = vec![];
        server.serve_lines(BufReader::with_capacity(piece, input), &mut output).expect("memory never fails");
        let output = String::from_utf8(output).expect("JSON is UTF-8");
        assert!(output.is_empty() || output.ends_with('\n'));
        let lines: Vec<_> = output.lines().collect();
        assert_eq!(lines.len(), wanted.len(), "{output}");
        assert!(lines.iter().zip(wanted).all(|(line, wanted)| is_same(wanted, line)), "{output}");
    }
}

fn three() -> String {
    result("3", "1")
}

#[test]
fn blank_lines_are_skipped_and_line_ends_may_have_a_carriage_return() {
    let (server, counting) = server();
    serves(&server, "", &[]);
    serves(&server, "\n\r\n \t\r\n   ", &[]);
    serves(&server, format!("\n\n{SUM}\n\n \r\n{SUM}\n\n"), &[three(), three()]);
    serves(&server, format!("{SUM}\r\n{SUM}\r\n"), &[three(), three()]);
    serves(&server, format!("  {SUM}\t \r\n"), &[three()]);
    counting.runs();
    serves(&server, format!("{NOTE}\n{NOTE}\r\n{NOTE}"), &[]);
    assert_eq!(counting.runs(), 3 * 5);
}

#[test]
fn a_last_line_needs_no_line_break() {
    let (server, _) = server();
    serves(&server, SUM, &[three()]);
    serves(&server, format!("{SUM}\n{SUM}"), &[three(), three()]);
    serves(&server, format!("{SUM}\n{{\"jsonrpc\""), &[three(), error(-32700, "null")]);
    serves(&server, format!("{SUM}\n   "), &[three()]);
}

#[test]
fn a_byte_order_mark_may_open_the_stream_and_nothing_else() {
    let (server, _) = server();
    serves(&server, format!("\u{feff}{SUM}\n{SUM}\n"), &[three(), three()]);
    serves(&server, format!("\u{feff}{SUM}"), &[three()]);
    serves(&server, format!("\u{feff}\n{SUM}\n"), &[three()]);
    serves(&server, "\u{feff}", &[]);
    serves(&server, format!("{SUM}\n\u{feff}{SUM}\n"), &[three(), error(-32700, "null")]);
    serves(&server, format!("\n\u{feff}{SUM}\n"), &[error(-32700, "null")]);
    serves(&server, format!("\u{feff}\u{feff}{SUM}\n{SUM}"), &[error(-32700, "null"), three()]);
    serves(&server, format!("{SUM}\n").as_bytes(), &[three()]);
}

// R03
#[test]
fn after_garbage_the_next_line_is_served() {
    let (server, _) = server();
    for garbage in [&b"not json"[..], b"\xff\xfe", b"{", b"\"", b"\0", b"[[[", b"{\"jsonrpc\":\"2.0\",\"id\":1"] {
        let input = [SUM.as_bytes(), garbage, SUM.as_bytes()].join(&b'\n');
        serves(&server, input, &[three(), error(-32700, "null"), three()]);
    }
}

// R04
#[test]
fn quotes_and_brackets_inside_strings_are_just_text() {
    let (server, _) = server();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["a\"]}{[b\\"]}"#;
    serves(&server, format!("{request}\n{SUM}\n"), &[result(r#""a\"]}{[b\\""#, "1"), three()]);
}

// R38
#[test]
fn characters_of_several_bytes_survive_any_split() {
    let (server, _) = server();
    let request = r#"{"jsonrpc":"2.0","id":"é","method":"echo","params":["é漢😀"]}"#;
    let response = result(r#""é漢😀""#, r#""é""#);
    serves(&server, vec![request; 50].join("\n"), &vec![response; 50]);
}

#[test]
fn a_line_over_the_limit_is_refused_and_the_next_is_served() {
    let (server, counting) = server();
    let long = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["xxxxxxxxxxxxxxxxxxxxxxxx"]}"#;
    let refused = || error(-32600, "null");
    for server in [server.clone().max_message_bytes(SUM.len()), server.clone().max_message_bytes(long.len() - 1)] {
        serves(&server, format!("{SUM}\n{long}\n{SUM}\n"), &[three(), refused(), three()]);
        serves(&server, format!("{long}\n{long}\n{SUM}"), &[refused(), refused(), three()]);
        serves(&server, long, &[refused()]);
        serves(&server, format!("\u{feff}{long}\n{SUM}"), &[refused(), three()]);
    }
    let exact = server.clone().max_message_bytes(SUM.len());
    serves(&exact, format!("\u{feff}{SUM}\n"), &[three()]);
    counting.runs();
    serves(&server.max_message_bytes(SUM.len() - 1), format!("{SUM}\n{SUM}"), &[refused(), refused()]);
    assert_eq!(counting.runs(), 0);
}

/// Gives one byte, over and over, then the rest.
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
fn a_line_that_never_ends_takes_no_more_memory_than_the_limit() {
    let (server, _) = server();
    let server = server.max_message_bytes(1 << 20);
    let mut output = Vec::with_capacity(1000);
    let input = Flood {
        left: 64 << 20,
        rest: br#"
{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}
"#,
    };
    let bytes = peak(|| server.serve_lines(BufReader::new(input), &mut output).expect("memory never fails"));
    assert!(bytes > 1 << 20, "the line is kept up to the limit, or this counts nothing");
    assert!(bytes < 3 << 20, "{bytes} bytes");
    let output = String::from_utf8(output).expect("JSON is UTF-8");
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(is_same(&error(-32600, "null"), lines[0]) && is_same(&three(), lines[1]), "{output}");
}

/// Is interrupted before each piece, and fails at the end if it shall.
struct Interrupted<'i> {
    pieces: Vec<&'i [u8]>,
    again: bool,
    fails: bool,
}

impl Read for Interrupted<'_> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("lines are read from the buffer")
    }
}

impl BufRead for Interrupted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.again = !self.again;
        match self.pieces.first() {
            _ if self.again => Err(ErrorKind::Interrupted.into()),
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
fn an_interrupted_read_is_tried_again_and_another_failure_ends_it() {
    let (server, _) = server();
    let line = format!("{SUM}\n");
    let (first, second) = line.as_bytes().split_at(20);
    for fails in [false, true] {
        let input = Interrupted { pieces: vec![first, second, SUM.as_bytes()], again: false, fails };
        let mut output = vec![];
        let ended = server.serve_lines(input, &mut output);
        assert_eq!(ended.map_err(|error| error.kind()).err(), fails.then_some(ErrorKind::ConnectionReset));
        // What the failure cut off may have been half a message.
        let responses = if fails { 1 } else { 2 };
        assert_eq!(String::from_utf8_lossy(&output), format!("{}\n", three()).repeat(responses));
    }
}

/// Takes so many bytes, some at a time, and then fails.
struct Failing(usize);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0).min(5);
        self.0 -= taken;
        if taken == 0 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(taken) }
    }
    fn flush(&mut self) -> io::Result<()> {
        if self.0 == 0 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }
}

// R32
#[test]
fn a_writer_that_fails_ends_it() {
    let (server, counting) = server();
    let input = format!("{SUM}\n").repeat(10);
    let line = three().len() + 1;
    for (bytes, runs) in [(0, 1), (1, 1), (line - 1, 1), (line, 1), (line + 1, 2), (5 * line - 1, 5)] {
        let ended = server.serve_lines(input.as_bytes(), Failing(bytes));
        assert_eq!(ended.map_err(|error| error.kind()), Err(ErrorKind::BrokenPipe));
        assert_eq!(counting.runs(), runs, "{bytes}");
    }
    // Nobody notices while there is nothing to write.
    assert!(server.serve_lines(format!("{NOTE}\n{NOTE}").as_bytes(), Failing(0)).is_ok());
}

/// Gives a line when the former one was answered and flushed.
struct Patient<'l> {
    lines: Vec<&'l [u8]>,
    output: &'l Output,
    given: usize,
}

/// What was written, and how much of it was flushed.
#[derive(Default)]
struct Output(RefCell<(Vec<u8>, usize)>);

impl Output {
    fn lines(&self) -> usize {
        let (written, flushed) = &*self.0.borrow();
        String::from_utf8_lossy(&written[..*flushed]).lines().count()
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert_eq!(self.output.lines(), self.given, "the next line is read before the last was answered");
        let Some(line) = self.lines.get(self.given) else { return Ok(0) };
        self.given += 1;
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
fn each_answer_is_out_before_the_next_line_is_read() {
    let (server, _) = server();
    let (sum, output) = (format!("{SUM}\n"), Output::default());
    let lines = vec![sum.as_bytes(), b"garbage\n", b"[]\n", sum.as_bytes()];
    let input = BufReader::new(Patient { lines, output: &output, given: 0 });
    server.serve_lines(input, &output).expect("memory never fails");
    assert_eq!(output.lines(), 4);
}

#[test]
fn a_long_line_that_begins_with_spaces_is_not_lost() {
    let (server, _) = server();
    let server = server.max_message_bytes(60);
    let line = format!("{}{}", " ".repeat(100), r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#);
    let mut output = vec![];
    server.serve_lines(line.as_bytes(), &mut output).expect("memory never fails");
    let output = String::from_utf8(output).expect("JSON is UTF-8");
    assert!(is_same(&error(-32600, "null"), output.trim_end()), "{output:?}");
}

#[test]
fn the_carriage_return_of_a_line_end_does_not_count() {
    let (server, _) = server();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
    let server = server.max_message_bytes(request.len());
    let mut output = vec![];
    server.serve_lines(format!("{request}\r\n").as_bytes(), &mut output).expect("memory never fails");
    let output = String::from_utf8(output).expect("JSON is UTF-8");
    assert!(is_same(&result("3", "1"), output.trim_end()), "{output:?}");
}
