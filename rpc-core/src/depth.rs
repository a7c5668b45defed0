//! The nesting depth of a message, which `serde_json` limits only for the values that it builds, not for raw and
//! ignored ones.

/// Returns whether more than `limit` brackets are open at once anywhere in `text`, which need not be JSON.
#[inline]
pub(crate) fn is_deeper(text: &str, limit: usize) -> bool {
    // No more brackets can be open than there are opening ones, and counting is far cheaper than scanning.
    text.len() > limit && openings(text.as_bytes()) > limit && scan(text.as_bytes(), limit)
}

/// Counts the opening brackets, inside strings or out. The two kinds differ in one bit. The count is kept in bytes over
/// pieces of whole vectors, so that the compiler can count many at once.
fn openings(text: &[u8]) -> usize {
    const PIECE: usize = 192;
    fn count(piece: &[u8]) -> usize {
        usize::from(piece.iter().fold(0_u8, |count, byte| count + u8::from(byte | 0x20 == b'{')))
    }
    let (pieces, rest) = text.as_chunks::<PIECE>();
    pieces.iter().map(|piece| count(piece)).sum::<usize>() + count(rest)
}

fn scan(text: &[u8], limit: usize) -> bool {
    let (mut depth, mut in_string) = (0_usize, false);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => drop(bytes.next()),
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > limit {
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
    fn depth_counts_brackets_open_at_once_outside_strings() {
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
