//! The members of one JSON object, as raw tokens, in the order they came.

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Shows `each` every member of the object that `text` is: its name as a token with quotes, so that
/// even a lone surrogate in it does no harm, and its value.
///
/// # Errors
///
/// When `text` is not one JSON object and nothing else.
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

/// A member that may come once.
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

    /// The value of a member that came once.
    pub(super) fn once(self) -> Option<&'a RawValue> {
        match self {
            Member::Once(value) => Some(value),
            Member::Absent | Member::Repeated => None,
        }
    }
}
