//! How much one message may be: the limits, and the scan that counts depth.

/// The limits on one message; each has a default that a server keeps unless told otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of a message.
    pub(crate) message: usize,
    /// Brackets open at once, the message's outermost one counted.
    pub(crate) depth: usize,
    /// Members of a batch.
    pub(crate) batch: usize,
    /// Bytes of the answer to a batch.
    pub(crate) batch_response: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { message: 10 << 20, depth: 127, batch: 1_000, batch_response: 25 << 20 }
    }
}

/// Whether more than `most` brackets are open at once anywhere in `text`, which need not be JSON.
///
/// `serde_json` limits the depth only of the values that it builds, not of raw and ignored ones.
#[inline]
pub(crate) fn is_deeper(text: &str, most: usize) -> bool {
    // Nothing can be open more often than it is opened; counting is far cheaper than scanning.
    text.len() > most && openings(text.as_bytes()) > most && scan(text.as_bytes(), most)
}

/// How many brackets open, inside strings or out; the two kinds differ in one bit. Counted in bytes, in
/// pieces of whole vectors, so that the compiler can count many at once.
fn openings(text: &[u8]) -> usize {
    const PIECE: usize = 192;
    fn count(piece: &[u8]) -> usize {
        usize::from(piece.iter().fold(0_u8, |count, byte| count + u8::from(byte | 0x20 == b'{')))
    }
    let (pieces, rest) = text.as_chunks::<PIECE>();
    pieces.iter().map(|piece| count(piece)).sum::<usize>() + count(rest)
}

fn scan(text: &[u8], most: usize) -> bool {
    let (mut depth, mut in_string) = (0_usize, false);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => drop(bytes.next()),
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > most {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_deeper;

    #[test]
    fn depth_is_what_is_open_at_once_outside_strings() {
        for (text, depth) in [
            ("", 0),
            ("[]", 1),
            ("[{},{},[[]]]", 3),
            (r#"["[[[[[[", "\"[[[", {"a\\":[1]}]"#, 3),
            ("]]]][", 1),
            ("[[[[", 4),
        ] {
            assert!(!is_deeper(text, depth), "{text}");
            assert!(depth == 0 || is_deeper(text, depth - 1), "{text}");
        }
    }
}
