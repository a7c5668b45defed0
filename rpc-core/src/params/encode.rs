//! Encodes the arguments of a call into the text of its params.

use super::is_none::is_none;
use serde::Serialize;
use serde::ser::Error;

/// The arguments of a call: a tuple of references to types that implement `Serialize`.
pub trait Arguments {
    /// Appends an object whose members have `names`, or an array if `by_name` is `false`. If no argument is
    /// to be written, appends nothing.
    ///
    /// An object omits arguments that are `None`. An array omits them at its end, and has null for them
    /// elsewhere.
    ///
    /// # Errors
    ///
    /// If an argument cannot be serialized.
    fn write(&self, names: &[&str], by_name: bool, out: &mut Vec<u8>) -> serde_json::Result<()>;
}

const MEMBER: &[u8] = br#","params":"#;

/// Appends `,"params":` and the params; nothing if they are empty (§4.2).
pub(crate) fn encode(
    arguments: &impl Arguments,
    names: &[&str],
    by_name: bool,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let start = out.len();
    out.extend_from_slice(MEMBER);
    arguments.write(names, by_name, out)?;
    if out.len() == start + MEMBER.len() {
        out.truncate(start);
    }
    Ok(())
}

/// Appends `,"params":` and one value that is the whole of the params; nothing if it is null. Fails if the
/// value is not an array, an object or null.
pub(crate) fn encode_flat<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let start = out.len();
    out.extend_from_slice(MEMBER);
    serde_json::to_writer(&mut *out, value)?;
    match &out[start + MEMBER.len()..] {
        [b'[' | b'{', ..] => {}
        b"null" => out.truncate(start),
        // SPEC §4.2: params are a structured value.
        _ => return Err(serde_json::Error::custom("params must be an array or an object")),
    }
    Ok(())
}

/// Appends the opening bracket before the first element, a comma before every other.
fn separate(out: &mut Vec<u8>, start: usize, opening: u8) {
    out.push(if out.len() == start { opening } else { b',' });
}

fn write_member<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    start: usize,
    name: &str,
    value: &T,
) -> serde_json::Result<()> {
    if is_none(value) {
        return Ok(());
    }
    separate(out, start, b'{');
    serde_json::to_writer(&mut *out, name)?;
    out.push(b':');
    serde_json::to_writer(&mut *out, value)
}

macro_rules! tuples {
    ($(($($type:ident $position:tt),*))*) => {$(
        impl<$($type: Serialize + ?Sized),*> Arguments for ($(&$type,)*) {
            #[allow(unused, reason = "the empty tuple has nothing to write")]
            fn write(&self, names: &[&str], by_name: bool, out: &mut Vec<u8>) -> serde_json::Result<()> {
                let start = out.len();
                if by_name {
                    $(write_member(out, start, names[$position], self.$position)?;)*
                } else {
                    let mut count = 0;
                    $(if !is_none(self.$position) { count = $position + 1; })*
                    $(if $position < count {
                        separate(out, start, b'[');
                        serde_json::to_writer(&mut *out, self.$position)?;
                    })*
                }
                if out.len() > start {
                    out.push(if by_name { b'}' } else { b']' });
                }
                Ok(())
            }
        }
    )*};
}
tuples! {
    ()
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
}

#[cfg(test)]
mod tests {
    use super::{Arguments, encode, encode_flat};

    fn encoded(arguments: &impl Arguments, by_name: bool) -> String {
        let mut out = vec![];
        encode(arguments, &["a", "b", "c"], by_name, &mut out).expect("plain data");
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn none_is_omitted_by_name_and_at_the_end() {
        let middle = (&1, &None::<u8>, &Some("x"));
        assert_eq!(encoded(&middle, true), r#","params":{"a":1,"c":"x"}"#);
        assert_eq!(encoded(&middle, false), r#","params":[1,null,"x"]"#);
        let tail = (&1, &None::<u8>, &None::<u8>);
        assert_eq!(encoded(&tail, true), r#","params":{"a":1}"#);
        assert_eq!(encoded(&tail, false), r#","params":[1]"#);
    }

    #[test]
    fn empty_params_are_omitted() {
        for by_name in [true, false] {
            assert_eq!(encoded(&(), by_name), "");
            assert_eq!(encoded(&(&None::<u8>,), by_name), "");
        }
    }

    #[test]
    fn flat_params_are_an_array_or_an_object() {
        let mut out = vec![];
        assert!(encode_flat(&[1, 2], &mut out).is_ok());
        assert!(encode_flat(&None::<u8>, &mut out).is_ok());
        assert_eq!(out, br#","params":[1,2]"#);
        assert!(encode_flat(&7, &mut out).is_err());
    }
}
