//! One trait with every option of `#[rpc]`: it compiles without a warning, and each message gets the expected response.

#![deny(warnings, missing_docs, clippy::pedantic)]

use rpc_core::{Context, ErrorObject, Internal, RpcError, Server, rpc};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use tests::task::now;

/// The bound of the trait's type parameter, which is neither serialised nor cloned.
pub trait Kind: 'static {
    /// A key.
    type Key: Ord;
}

/// Keys of type `u8`.
#[derive(Debug)]
pub struct Numbers;

impl Kind for Numbers {
    type Key = u8;
}

/// The supertrait.
pub trait Named {
    /// Returns the name of the implementation.
    fn name(&self) -> &'static str;
}

/// A document that borrows its text.
#[derive(Debug, Deserialize, Serialize)]
pub struct Document<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
    version: u32,
}

/// The error of a method.
#[derive(Debug, PartialEq, thiserror::Error, RpcError)]
pub enum RowError {
    /// The row is empty.
    #[error("nothing at {row}")]
    #[rpc(code = 404)]
    Empty {
        /// The row.
        row: u8,
    },
    /// Any other error object.
    #[error(transparent)]
    #[rpc(other)]
    Other(#[from] ErrorObject),
}

/// An alias of `Result`.
pub type Outcome<T> = Result<T, RowError>;

fn ten() -> u16 {
    10
}

/// A trait with every option.
#[rpc(
    namespace = "all",
    separator = "/",
    rename_all = "camelCase",
    rename_all_params = "camelCase",
    allow_unknown_params
)]
pub trait Everything<K: Kind, const N: usize>: Named
where
    K::Key: Copy,
{
    /// An associated constant.
    const COUNT: u8 = 3;

    /// Types that depend on the parameters of the trait.
    async fn find_key(&self, some_key: K::Key) -> BTreeMap<K::Key, [u8; 2]>;

    /// All kinds of borrowed arguments, and a keyword.
    async fn borrow_all(
        &self,
        r#type: &str,
        bytes: &[u8],
        pair: &(u8, u8),
        maybe: Option<&str>,
        text: Cow<'_, str>,
    ) -> Result<String, Internal>;

    /// A struct that borrows, with a context before it.
    #[rpc(params = "by_position")]
    async fn open(&self, #[rpc(context)] context: &Context<'_>, document: Document<'_>) -> Result<String, ErrorObject>;

    /// Defaults, a wire name, and two aliases.
    #[rpc(name = "page", alias = "oldPage", alias = "older_page")]
    fn list_page(&self, #[rpc(default)] from: u8, #[rpc(default = "ten", rename = "max")] limit: u16) -> (u8, u16);

    /// A list of any length.
    async fn sum(&self, #[rpc(flatten)] values: Vec<i64>) -> i64;

    /// An error behind an alias of `Result`.
    #[rpc(fallible)]
    async fn row(&self, row: u8, #[cfg(any())] gone: u8) -> Outcome<u8>;

    /// Runs on a thread for blocking calls.
    #[rpc(blocking)]
    fn wait(&self) -> u8;

    /// A default body.
    async fn twice(&self, number: u8) -> u8 {
        number.wrapping_mul(2)
    }

    /// Is configured away.
    #[cfg(any())]
    async fn nowhere(&self, gone: Nothing) -> Nowhere;

    /// A deprecated method.
    #[deprecated(note = "it will be removed")]
    async fn old(&self);

    /// A notification.
    #[rpc(notification)]
    async fn changed(&self, path: &str);
}

struct Mine;

impl Named for Mine {
    fn name(&self) -> &'static str {
        "mine"
    }
}

impl Everything<Numbers, 2> for Mine {
    async fn find_key(&self, some_key: u8) -> BTreeMap<u8, [u8; 2]> {
        BTreeMap::from([(some_key, [1, <Self as Everything<Numbers, 2>>::COUNT])])
    }
    async fn borrow_all(
        &self,
        r#type: &str,
        bytes: &[u8],
        pair: &(u8, u8),
        maybe: Option<&str>,
        text: Cow<'_, str>,
    ) -> Result<String, Internal> {
        let borrowed = matches!(text, Cow::Borrowed(_));
        Ok(format!("{type} {bytes:?} {pair:?} {maybe:?} {text} {borrowed}"))
    }
    async fn open(&self, context: &Context<'_>, document: Document<'_>) -> Result<String, ErrorObject> {
        Ok(format!("{} {} {} {}", self.name(), context.method(), document.uri, document.version))
    }
    fn list_page(&self, from: u8, limit: u16) -> (u8, u16) {
        (from, limit)
    }
    async fn sum(&self, values: Vec<i64>) -> i64 {
        values.iter().sum()
    }
    async fn row(&self, row: u8) -> Outcome<u8> {
        match row {
            0 => Err(RowError::Empty { row }),
            1 => Err(ErrorObject::invalid_params("not one"))?,
            row => Ok(row),
        }
    }
    fn wait(&self) -> u8 {
        9
    }
    async fn old(&self) {}
    async fn changed(&self, _path: &str) {}
}

/// The method and the params of each request, and the result or error of the response.
const EXCHANGE: [(&str, &str, &str); 13] = [
    ("all/findKey", r#"{"someKey":5}"#, r#""result":{"5":[1,3]}"#),
    (
        "all/borrowAll",
        r#"{"type":"t","bytes":[1],"pair":[2,3],"text":"x\n","unknown":1}"#,
        r#""result":"t [1] (2, 3) None x\n false""#,
    ),
    ("all/borrowAll", r#"["t",[],[2,3],"m","x"]"#, r#""result":"t [] (2, 3) Some(\"m\") x true""#),
    ("all/open", r#"[{"uri":"a","version":1}]"#, r#""result":"mine all/open a 1""#),
    ("all/page", "[]", r#""result":[0,10]"#),
    ("all/oldPage", r#"{"from":1,"max":2}"#, r#""result":[1,2]"#),
    ("all/older_page", r#"{"max":3}"#, r#""result":[0,3]"#),
    ("all/sum", "[1,2,4]", r#""result":7"#),
    ("all/row", "[7]", r#""result":7"#),
    ("all/row", "[0]", r#""error":{"code":404,"message":"nothing at 0","data":{"row":0}}"#),
    ("all/row", "[1]", r#""error":{"code":-32602,"message":"Invalid params","data":"not one"}"#),
    ("all/twice", r#"{"number":4}"#, r#""result":8"#),
    ("all/nowhere", "[]", r#""error":{"code":-32601,"message":"Method not found"}"#),
];

fn server() -> Server<EverythingService<Numbers, 2, Mine>> {
    Server::new(EverythingService::new(Mine))
}

#[test]
fn every_message_gets_the_expected_response() {
    let server = server();
    for (method, params, response) in EXCHANGE {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let expected = format!(r#"{{"jsonrpc":"2.0",{response},"id":1}}"#);
        assert_eq!(now(server.handle(&request)).as_deref(), Some(&*expected), "{request}");
    }
    assert_eq!(now(server.handle(r#"{"jsonrpc":"2.0","method":"all/changed","params":["a"]}"#)), None);
}

#[tokio::test]
async fn the_client_calls_every_method_of_the_service() {
    let all = EverythingClient::<Numbers, 2, _>::new(server().caller());
    assert_eq!(all.find_key(5).await.expect("a map"), BTreeMap::from([(5, [1, 3])]));
    let text = all.borrow_all("t", &[1], &(2, 3), None, "x".into()).await.expect("text");
    assert_eq!(text, "t [1] (2, 3) None x true");
    let document = Document { uri: "a".into(), version: 1 };
    assert_eq!(all.open(document).await.expect("text"), "mine all/open a 1");
    assert_eq!(all.list_page(1, 2).await.expect("a pair"), (1, 2));
    assert_eq!(all.sum(vec![1, 2]).await.expect("a sum"), 3);
    assert_eq!(all.wait().await.expect("a number"), 9);
    let error = all.row(0).await.expect_err("an empty row");
    assert!(matches!(error, rpc_core::CallError::Method(RowError::Empty { row: 0 })));
    #[allow(deprecated, reason = "another test covers the deprecation warning")]
    all.old().await.expect("a response");
    all.changed("a").await.expect("sent");
}
