//! Wire names: letter case, namespace and JSON spelling.

/// A letter case of serde.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    const NAMES: [(&'static str, Case); 8] = [
        ("lowercase", Case::Lower),
        ("UPPERCASE", Case::Upper),
        ("PascalCase", Case::Pascal),
        ("camelCase", Case::Camel),
        ("snake_case", Case::Snake),
        ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
        ("kebab-case", Case::Kebab),
        ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
    ];

    /// Returns the case of this name, or an error message.
    pub(crate) fn from_name(name: &str) -> Result<Self, String> {
        match Self::NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, case)) => Ok(*case),
            None => {
                let known: Vec<_> = Self::NAMES.iter().map(|(known, _)| format!("`{known}`")).collect();
                Err(format!("unknown letter case `{name}`; expected one of {}", known.join(", ")))
            }
        }
    }

    /// Converts a Rust name (`snake_case`).
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Case::Lower | Case::Snake => name.to_owned(),
            Case::Upper | Case::ScreamingSnake => name.to_uppercase(),
            Case::Pascal => pascal(name),
            Case::Camel => {
                let pascal = pascal(name);
                let mut letters = pascal.chars();
                letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
            }
            Case::Kebab => name.replace('_', "-"),
            Case::ScreamingKebab => name.to_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut at_start = true;
    for letter in name.chars() {
        if letter == '_' {
            at_start = true;
        } else if at_start {
            out.extend(letter.to_uppercase());
            at_start = false;
        } else {
            out.push(letter);
        }
    }
    out
}

/// Joins namespace, separator and name.
pub(crate) fn qualified(namespace: Option<&str>, separator: &str, name: &str) -> String {
    match namespace {
        Some(namespace) => [namespace, separator, name].concat(),
        None => name.to_owned(),
    }
}

/// Returns `text` as a JSON string, in quotes.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control < ' ' => out.extend(format!("\\u{:04x}", u32::from(control)).chars()),
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{Case, json_string, qualified};

    #[test]
    fn each_case_converts_like_serde() {
        let all = |name: &str| Case::NAMES.map(|(_, case)| case.apply(name));
        assert_eq!(
            all("very_tasty"),
            [
                "very_tasty",
                "VERY_TASTY",
                "VeryTasty",
                "veryTasty",
                "very_tasty",
                "VERY_TASTY",
                "very-tasty",
                "VERY-TASTY"
            ]
        );
        assert_eq!(all("a"), ["a", "A", "A", "a", "a", "A", "a", "A"]);
        assert_eq!(all("z42"), ["z42", "Z42", "Z42", "z42", "z42", "Z42", "z42", "Z42"]);
    }

    #[test]
    fn a_namespace_precedes_the_name() {
        assert_eq!(qualified(Some("textDocument"), "/", "hover"), "textDocument/hover");
        assert_eq!(qualified(None, "/", "hover"), "hover");
    }

    #[test]
    fn a_json_string_is_escaped() {
        assert_eq!(json_string("a\"b\\c\nd"), r#""a\"b\\c\u000ad""#);
    }
}
