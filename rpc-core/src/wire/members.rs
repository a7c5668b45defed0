//! The members of one JSON object, as raw tokens, in the order of the text.

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Calls `each` with every member of the JSON object `text`. The name is a token with quotes and escapes,
/// because a name with a lone surrogate cannot be a Rust string.
/// Fails if `text` is anything but one JSON object.
pub(super) fn read<'a>(text: &'a str, each: impl FnMut(&'a str, &'a RawValue)) -> serde_json::Result<()> {
    struct Members<F>(F);
    impl<'a, F: FnMut(&'a str, &'a RawValue)> Visitor<'a> for Members<F> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                (self.0)(name.get(), value);
            }
            Ok(())
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Members(each))?;
    deserializer.end()
}

/// The value of a member that must not be repeated.
#[derive(Clone, Copy, Default)]
pub(super) enum Member<'a> {
    #[default]
    Absent,
    Once(&'a RawValue),
    Repeated,
}

impl<'a> Member<'a> {
    pub(super) fn add(&mut self, value: &'a RawValue) {
        *self = match self {
            Member::Absent => Member::Once(value),
            Member::Once(_) | Member::Repeated => Member::Repeated,
        };
    }

    pub(super) fn is_present(self) -> bool {
        !matches!(self, Member::Absent)
    }

    pub(super) fn is_repeated(self) -> bool {
        matches!(self, Member::Repeated)
    }

    /// Returns the value if the member occurs exactly once.
    pub(super) fn once(self) -> Option<&'a RawValue> {
        match self {
            Member::Once(value) => Some(value),
            Member::Absent | Member::Repeated => None,
        }
    }
}
