//! Tests of both framings through one `check`: bytes in, split at every point, messages or an error out.

use super::any::AnyFraming;
use super::headers::Headers;
use super::lines::Lines;
use super::traits::{Framing, Progress};
use std::io::{self, ErrorKind};

/// The messages of a stream, and its end.
type Read = (Vec<Vec<u8>>, io::Result<()>);

fn read<'p>(mut framing: AnyFraming, pieces: impl IntoIterator<Item = &'p [u8]>, limit: usize) -> Read {
    let (mut found, mut message) = (vec![], vec![]);
    let mut take = |framing: &mut AnyFraming, message: &mut Vec<u8>, mut piece: &'p [u8]| {
        while !piece.is_empty() {
            let Progress { taken, is_whole } = framing.decode(piece, message, limit)?;
            assert!(taken > 0, "no byte was taken");
            assert!(message.len() <= limit.saturating_add(5), "{} bytes are stored", message.len());
            piece = &piece[taken..];
            if is_whole {
                found.push(std::mem::take(message));
            }
        }
        Ok(())
    };
    let taken = pieces.into_iter().try_for_each(|piece| take(&mut framing, &mut message, piece));
    let end = taken.and_then(|()| {
        if framing.finish(&mut message)? {
            found.push(message);
        }
        Ok(())
    });
    (found, end)
}

/// Asserts that `input`, split at any point, has the `expected` messages and this end.
#[track_caller]
fn check(
    framing: impl Into<AnyFraming>,
    limit: usize,
    input: impl AsRef<[u8]>,
    expected: &[&[u8]],
    expected_end: Result<(), &str>,
) {
    let (framing, input) = (framing.into(), input.as_ref());
    let assert_read = |(found, end): Read, split: &str| {
        let text = String::from_utf8_lossy(input);
        assert!(found.iter().all(|message| message.len() <= limit.saturating_add(1)), "{split} of {text:?}");
        assert_eq!(found, expected, "{split} of {text:?}");
        assert_eq!(
            end.map_err(|error| error.to_string()).as_ref().map_err(|error| &error[..]),
            expected_end.as_ref().map_err(|end| *end),
            "{split} of {text:?}"
        );
    };
    assert_read(read(framing.clone(), [input], limit), "the whole");
    for size in 1..input.len().min(100) {
        assert_read(read(framing.clone(), input.chunks(size), limit), &format!("pieces of {size}"));
    }
    for at in 0..input.len().min(1000) {
        assert_read(read(framing.clone(), [&input[..at], &input[at..]], limit), &format!("a split at {at}"));
    }
}

#[test]
fn lines_are_the_same_for_any_split() {
    let input = "\u{feff}{\"é\":\"漢😀\"}\r\n\n \t\r\n\u{feff}[]\n1";
    check(Lines::new(), 100, input, &["{\"é\":\"漢😀\"}".as_bytes(), "\u{feff}[]".as_bytes(), b"1"], Ok(()));
    check(Lines::new(), 100, "", &[], Ok(()));
    check(Lines::new(), 100, "\u{feff}", &[], Ok(()));
    check(Lines::new(), 100, "\u{feff}\r\n \n1\r", &[b"1"], Ok(()));
    check(Lines::new(), 100, "\r\r\n1\r\r\n", &[b"1\r"], Ok(()));
    check(Lines::new(), 100, b"\xff\xfe\n\0\n", &[b"\xff\xfe", b"\0"], Ok(()));
    check(Lines::new(), usize::MAX, "1\n2", &[b"1", b"2"], Ok(()));
}

#[test]
fn a_line_over_the_limit_is_cut_one_byte_past_it() {
    check(
        Lines::new(),
        5,
        "1234\n12345\r\n123456\r\n1234567890\n123\n",
        &[b"1234", b"12345", b"123456", b"123456", b"123"],
        Ok(()),
    );
    check(Lines::new(), 5, "\u{feff}12345\r\n\u{feff}12345\n", &[b"12345", "\u{feff}123".as_bytes()], Ok(()));
    check(Lines::new(), 5, "\u{feff}123456\n1", &[b"123456", b"1"], Ok(()));
    check(Lines::new(), 5, "123456789", &[b"123456"], Ok(()));
    // The rest of a line that was cut may not be blank.
    check(Lines::new(), 5, "         {}\n     \n     \r\n", &[b"      "], Ok(()));
    check(Lines::new(), 0, "1\n\n", &[b"1"], Ok(()));
}

fn headers(block: &str) -> String {
    format!("{}\r\n\r\n42", block.replace('|', "\r\n"))
}

#[test]
fn every_legal_form_of_a_header_is_accepted() {
    for block in [
        "Content-Length: 2",
        "content-length:2",
        "CONTENT-LENGTH:   2  ",
        "Content-Length:\t2",
        "Content-Length: \t 2\t",
        "Content-Length: 0002",
        "Content-Length: 2|Content-Length: 2",
        "X-Trace: 1|Content-Length: 2",
        "Content-Length: 2|X-Trace: 1",
        "X:|Content-Length: 2|Y: a: b",
        "Content-Length: 2|Content-Type: application/vscode-jsonrpc; charset=utf-8",
        "content-type: application/vscode-jsonrpc;charset=utf8|content-length: 2",
        "Content-Length: 2|Content-Type: a/b; x=y; Charset = \"UTF-8\"",
        "Content-Length: 2|Content-Type: a/b;charset=\"Utf8\"",
        "Content-Length: 2|Content-Type: a/b",
        "Content-Length: 2|Content-Type: ;;",
    ] {
        let twice = headers(block).repeat(2);
        check(Headers::new(), 100, &twice, &[b"42", b"42"], Ok(()));
        check(Headers::new(), 100, twice.replace("\r\n", "\n"), &[b"42", b"42"], Ok(()));
    }
}

#[test]
fn a_message_in_another_charset_is_replaced_and_the_next_is_read() {
    for charset in ["utf-16", "\"iso-8859-1\"", "", "utf-8x", "\"utf-8"] {
        let input =
            headers(&format!("Content-Type: a/b; charset={charset}|Content-Length: 2")) + &headers("Content-Length: 2");
        check(Headers::new(), 100, input, &[b"\xff", b"42"], Ok(()));
    }
}

#[test]
fn the_error_describes_an_invalid_header() {
    for (block, error) in [
        ("", "the header block has no Content-Length"),
        ("X: 1", "the header block has no Content-Length"),
        ("Content-Length: 2|Content-Length: 3", "the header block has two different values of Content-Length"),
        ("Content-Length:", "the Content-Length is not a decimal number: ``"),
        ("Content-Length: two", "the Content-Length is not a decimal number: `two`"),
        ("Content-Length: -2", "the Content-Length is not a decimal number: `-2`"),
        ("Content-Length: +2", "the Content-Length is not a decimal number: `+2`"),
        ("Content-Length: 2, 2", "the Content-Length is not a decimal number: `2, 2`"),
        ("Content-Length: 99999999999999999999", "the Content-Length is too large: `99999999999999999999`"),
        ("X-Id: 1", "the header block has no Content-Length"),
        ("{\"id\":1}", "found a message instead of a header: the peer may send one message per line"),
        ("hello\u{1b}", "the header line has no colon: `hello\\x1b`"),
    ] {
        check(Headers::new(), 100, headers(block), &[], Err(error));
        let (_, end) = read(Headers::new().into(), [headers(block).as_bytes()], 100);
        assert_eq!(end.map_err(|error| error.kind()), Err(ErrorKind::InvalidData));
    }
}

#[test]
fn a_header_block_has_a_limit() {
    let block = "X: 1|Content-Length: 2";
    let length = headers(block).len() - 2;
    check(Headers::new().max_header_bytes(length), 100, headers(block).repeat(2), &[b"42", b"42"], Ok(()));
    let end = format!("the header block is longer than {} bytes", length - 1);
    check(Headers::new().max_header_bytes(length - 1), 100, headers(block), &[], Err(&end));
    let flood = vec![b'x'; 9 << 10];
    assert!(read(Headers::new().into(), [&flood[..]], 100).1.is_err());
    assert!(read(Headers::new().into(), flood.chunks(1), 100).1.is_err());
}

#[test]
fn a_message_over_the_limit_is_cut_and_the_next_is_read() {
    for (limit, message) in [(2, &b"42"[..]), (1, b"42"), (0, b"4"), (usize::MAX, b"42")] {
        check(Headers::new(), limit, headers("Content-Length: 2").repeat(2), &[message, message], Ok(()));
    }
    let input = format!("Content-Length: 9\r\n\r\n123456789{}", headers("Content-Length: 2"));
    check(Headers::new(), 5, input, &[b"123456", b"42"], Ok(()));
    check(Headers::new(), 5, "Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1", &[b"", b"1"], Ok(()));
}

#[test]
fn an_input_that_ends_inside_a_message_fails() {
    check(Headers::new(), 100, "", &[], Ok(()));
    check(Headers::new(), 100, "Content-Le", &[], Err("the input ended inside a header block"));
    check(Headers::new(), 100, "Content-Length: 2\r\n", &[], Err("the input ended inside a header block"));
    check(
        Headers::new(),
        100,
        "Content-Length: 2\r\n\r\n",
        &[],
        Err("the input ended inside a message, missing bytes: 2"),
    );
    check(
        Headers::new(),
        100,
        "Content-Length: 2\r\n\r\n1",
        &[],
        Err("the input ended inside a message, missing bytes: 1"),
    );
    let (_, end) = read(Headers::new().into(), [&b"C"[..]], 100);
    assert_eq!(end.map_err(|error| error.kind()), Err(ErrorKind::UnexpectedEof));
}

#[test]
fn encoded_messages_decode_to_the_same_messages() {
    let texts = ["{}", "\"é漢😀\"", " [\"a\\\"]}{[b\\\\\"] ", "\"\u{feff}\""];
    let messages: Vec<&[u8]> = texts.iter().cycle().take(50).map(|text| text.as_bytes()).collect();
    for framing in [AnyFraming::from(Lines::new()), Headers::new().into()] {
        let mut out = vec![];
        for message in &messages {
            framing.encode(message, &mut out);
        }
        check(framing, 100, out, &messages, Ok(()));
    }
    let mut out = b"before\n".to_vec();
    Lines::new().encode(b"[1,\r\n\n2]", &mut out);
    assert_eq!(out, b"before\n[1,   2]\n");
}
