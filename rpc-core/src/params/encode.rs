//! From the arguments of a call to the text of its params.

use super::is_none::is_none;
use serde::Serialize;
use serde::ser::Error;

/// The arguments of a call: a tuple of references to types that can be serialised.
pub trait Arguments {
    /// Appends a list, or an object with `names`; nothing at all when there is nothing to say.
    ///
    /// `None` is left out by name, and at the tail by position; elsewhere it is null.
    ///
    /// # Errors
    ///
    /// When an argument cannot be serialised.
    fn write(&self, names: &[&str], by_name: bool, out: &mut Vec<u8>) -> serde_json::Result<()>;
}

const MEMBER: &[u8] = br#","params":"#;

/// Appends `,"params":` and the params; nothing when there is nothing to say (§4.2).
///
/// # Errors
///
/// When an argument cannot be serialised.
#[inline]
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

/// Appends `,"params":` and one value that is the whole of them; nothing when it is null.
///
/// # Errors
///
/// When it cannot be serialised, or is neither an array nor an object.
pub(crate) fn encode_flat<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let start = out.len();
    out.extend_from_slice(MEMBER);
    serde_json::to_writer(&mut *out, value)?;
    match &out[start + MEMBER.len()..] {
        [b'[' | b'{', ..] => {}
        b"null" => out.truncate(start),
        // SPEC §4.2: params are a structured value.
        _ => return Err(serde_json::Error::custom("params must be a list or an object")),
    }
    Ok(())
}

/// What stands before the next of several: the opening bracket or a comma.
#[inline]
fn separate(out: &mut Vec<u8>, start: usize, allow_unknown: u8) {
    out.push(if out.len() == start { allow_unknown } else { b',' });
}

#[inline]
fn named<T: Serialize + ?Sized>(out: &mut Vec<u8>, start: usize, name: &str, value: &T) -> serde_json::Result<()> {
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
            #[inline]
            #[allow(unused, reason = "the empty tuple has nothing to write")]
            fn write(&self, names: &[&str], by_name: bool, out: &mut Vec<u8>) -> serde_json::Result<()> {
                let start = out.len();
                if by_name {
                    $(named(out, start, names[$position], self.$position)?;)*
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

    fn written(arguments: &impl Arguments, by_name: bool) -> String {
        let mut out = vec![];
        encode(arguments, &["a", "b", "c"], by_name, &mut out).expect("plain data");
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn none_is_left_out_by_name_and_at_the_tail() {
        let middle = (&1, &None::<u8>, &Some("x"));
        assert_eq!(written(&middle, true), r#","params":{"a":1,"c":"x"}"#);
        assert_eq!(written(&middle, false), r#","params":[1,null,"x"]"#);
        let tail = (&1, &None::<u8>, &None::<u8>);
        assert_eq!(written(&tail, true), r#","params":{"a":1}"#);
        assert_eq!(written(&tail, false), r#","params":[1]"#);
    }

    #[test]
    fn nothing_to_say_leaves_params_out() {
        for by_name in [true, false] {
            assert_eq!(written(&(), by_name), "");
            assert_eq!(written(&(&None::<u8>,), by_name), "");
        }
    }

    #[test]
    fn a_whole_value_is_a_list_or_an_object() {
        let mut out = vec![];
        assert!(encode_flat(&[1, 2], &mut out).is_ok());
        assert!(encode_flat(&None::<u8>, &mut out).is_ok());
        assert_eq!(out, br#","params":[1,2]"#);
        assert!(encode_flat(&7, &mut out).is_err());
    }
}
