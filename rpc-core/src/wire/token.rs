//! The values of raw JSON tokens: strings without escapes, numbers independent of their spelling.
//!
//! Every token passed in is already known to be valid JSON.

use std::borrow::Cow;

/// Decodes a JSON string token, which includes its quotes. Returns `None` for a string with a lone surrogate,
/// which a Rust string cannot hold.
pub(super) fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if token.contains('\\') {
        serde_json::from_str(token).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(&token[1..token.len() - 1]))
    }
}

/// Clones `text`. Unlike `Cow::clone` it is inlined, so that cloning a borrowed text copies two words.
#[inline]
pub(crate) fn copy_of<'a>(text: &Cow<'a, str>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text),
        Cow::Owned(_) => text.clone(),
    }
}

/// A number as `0.digits × 10^exponent`, where `digits` has no zero at either end. Equal numbers of any size
/// are equal here, whatever their spelling.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Parses a JSON number token. Returns `None` if the exponent does not fit into an `i64`.
    pub(super) fn parse(token: &str) -> Option<Self> {
        let (negative, token) = match token.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, token),
        };
        let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        let leading = digits.len() - digits.trim_start_matches('0').len();
        let exponent: i64 = exponent.parse().ok()?;
        let exponent =
            exponent.checked_add(i64::try_from(whole.len()).ok()?)?.checked_sub(i64::try_from(leading).ok()?)?;
        let digits = digits.trim_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Decimal { negative: false, digits, exponent: 0 });
        }
        Some(Decimal { negative, digits, exponent })
    }

    /// Converts the number into an integer; `None` if it is not one or does not fit into `N`.
    pub(super) fn integer<N: std::str::FromStr>(&self) -> Option<N> {
        let exponent = usize::try_from(self.exponent).ok()?;
        // No 64-bit integer has more than 20 digits.
        if exponent < self.digits.len() || exponent > 20 {
            return None;
        }
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{:0<exponent$}", if exponent == 0 { "0" } else { &self.digits }).parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, unescape};

    #[test]
    fn equal_numbers_are_equal_in_every_spelling() {
        for (a, b) in [
            ("100", "1e2"),
            ("7", "7.0"),
            ("0", "-0"),
            ("0", "0e999"),
            ("0.001", "1E-3"),
            ("-1.50", "-15e-1"),
            ("123456789012345678901234567890", "12345678901234567890123456789e1"),
        ] {
            assert!(Decimal::parse(a) == Decimal::parse(b), "{a} {b}");
        }
        assert!(Decimal::parse("9007199254740993") != Decimal::parse("9007199254740992"));
    }

    #[test]
    fn only_integers_that_fit_convert_to_integers() {
        let integer = |token| Decimal::parse(token).and_then(|d| d.integer::<i64>());
        assert_eq!(integer("-32000.0"), Some(-32000));
        assert_eq!(integer("9007199254740993"), Some(9_007_199_254_740_993));
        assert_eq!(integer("1e2"), Some(100));
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("-9223372036854775808"), Some(i64::MIN));
        for token in ["1.5", "9223372036854775808", "1e400", "1e-1", "1e99999999999999999999"] {
            assert_eq!(integer(token), None, "{token}");
        }
    }

    #[test]
    fn escapes_are_decoded_and_lone_surrogates_rejected() {
        assert_eq!(unescape(r#""a\u0062\/""#).as_deref(), Some("ab/"));
        assert_eq!(unescape(r#""plain""#).as_deref(), Some("plain"));
        assert_eq!(unescape(r#""\ud800""#), None);
    }
}
