//! Borrowed parameters of sync and async methods, from text with and without escapes.

use rpc_core::{Server, block_on, rpc};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Debug, Serialize, Deserialize)]
struct Point {
    x: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Name<'a> {
    #[serde(borrow)]
    first: Cow<'a, str>,
}

#[rpc]
trait Borrow {
    fn text(&self, text: &str) -> String;
    async fn later(&self, text: &str, more: &str) -> String;
    fn slice(&self, numbers: &[i64]) -> i64;
    async fn words(&self, words: &[String]) -> usize;
    async fn whole(&self, point: &Point) -> i64;
    fn maybe(&self, text: Option<&str>) -> String;
    async fn maybe_slice(&self, numbers: Option<&[i64]>) -> usize;
    fn maybe_whole(&self, point: Option<&Point>) -> bool;
    fn cow(&self, text: Cow<'_, str>) -> String;
    async fn cow_later(&self, text: std::borrow::Cow<'_, str>) -> bool;
    fn with_lifetime(&self, name: Name<'_>) -> String;
    async fn list_with_lifetime(&self, names: Vec<Name<'_>>) -> usize;
    fn number(&self, number: &i64) -> i64;
    fn boxed(&self, text: Box<str>) -> Box<str>;
    #[rpc(notification)]
    fn notified(&self, text: &str);
}

struct Me;

impl Borrow for Me {
    fn text(&self, text: &str) -> String {
        text.to_owned()
    }
    async fn later(&self, text: &str, more: &str) -> String {
        [text, more].concat()
    }
    fn slice(&self, numbers: &[i64]) -> i64 {
        numbers.iter().sum()
    }
    async fn words(&self, words: &[String]) -> usize {
        words.len()
    }
    async fn whole(&self, point: &Point) -> i64 {
        point.x
    }
    fn maybe(&self, text: Option<&str>) -> String {
        text.unwrap_or("none").to_owned()
    }
    async fn maybe_slice(&self, numbers: Option<&[i64]>) -> usize {
        numbers.map_or(9, <[_]>::len)
    }
    fn maybe_whole(&self, point: Option<&Point>) -> bool {
        point.is_some()
    }
    fn cow(&self, text: Cow<'_, str>) -> String {
        text.into_owned()
    }
    async fn cow_later(&self, text: Cow<'_, str>) -> bool {
        matches!(text, Cow::Borrowed(_))
    }
    fn with_lifetime(&self, name: Name<'_>) -> String {
        name.first.into_owned()
    }
    async fn list_with_lifetime(&self, names: Vec<Name<'_>>) -> usize {
        names.len()
    }
    fn number(&self, number: &i64) -> i64 {
        *number
    }
    fn boxed(&self, text: Box<str>) -> Box<str> {
        text
    }
    fn notified(&self, _text: &str) {}
}

fn main() {
    let server = Server::new(BorrowService::new(Me));
    let check = |method: &str, params: &str, result: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response), "{method}");
    };
    check("text", r#"["a\n\u00e9"]"#, r#""a\né""#);
    check("later", r#"{"more":"\\b","text":"a"}"#, r#""a\\b""#);
    check("slice", "[[1,2]]", "3");
    check("words", r#"[["a","b\n"]]"#, "2");
    check("whole", r#"[{"x":5}]"#, "5");
    check("maybe", r#"["a"]"#, r#""a""#);
    check("maybe", "[]", r#""none""#);
    check("maybe", r#"{"text":null}"#, r#""none""#);
    check("maybe_slice", "[[1,2]]", "2");
    check("maybe_slice", "{}", "9");
    check("maybe_whole", r#"{"point":{"x":1}}"#, "true");
    check("cow", r#"["a\t"]"#, r#""a\t""#);
    check("cow_later", r#"["plain"]"#, "true");
    check("cow_later", r#"["esc\taped"]"#, "false");
    check("with_lifetime", r#"[{"first":"a\n"}]"#, r#""a\n""#);
    check("list_with_lifetime", r#"[[{"first":"a"}]]"#, "1");
    check("number", "[7]", "7");
    check("boxed", r#"["a"]"#, r#""a""#);

    let client = BorrowClient::new(server.caller());
    // The arguments may be dropped before the call is sent.
    let call = client.text(&"dropped".to_owned());
    assert_eq!(block_on(call).unwrap(), "dropped");
    block_on(async {
        assert_eq!(client.later("a", "b").await.unwrap(), "ab");
        assert_eq!(client.slice(&[1, 2]).await.unwrap(), 3);
        assert_eq!(client.whole(&Point { x: 1 }).await.unwrap(), 1);
        assert_eq!(client.maybe(None).await.unwrap(), "none");
        assert_eq!(client.maybe(Some("a")).await.unwrap(), "a");
        assert_eq!(client.maybe_slice(Some(&[1])).await.unwrap(), 1);
        assert!(!client.maybe_whole(None).await.unwrap());
        assert_eq!(client.cow("a".into()).await.unwrap(), "a");
        assert_eq!(client.with_lifetime(Name { first: "b".into() }).await.unwrap(), "b");
        assert_eq!(client.list_with_lifetime(vec![]).await.unwrap(), 0);
        client.notified("x").await.unwrap();
    });
}
