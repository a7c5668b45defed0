//! `#[derive(RpcError)]`: the caller gets the error that the method returned.

use rpc_core::{CallError, ErrorObject, RpcError, Server, rpc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tests::task::now;

#[derive(Clone, Debug, PartialEq, thiserror::Error, RpcError)]
enum StoreError {
    #[error("the store is full")]
    #[rpc(code = 1)]
    Full,
    #[error("no item {0}")]
    #[rpc(code = 2)]
    Missing(u32),
    #[error("from {0} to {1:?}")]
    #[rpc(code = 3, message = "no such route")]
    NoRoute(String, Option<u8>),
    #[error("{type} is locked")]
    #[rpc(code = -32803, reserved)]
    Locked { r#type: String, until: Option<u64>, place: Place },
    #[error(transparent)]
    #[rpc(other)]
    Other(#[from] ErrorObject),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    row: u8,
}

/// An error without a variant for other codes.
#[derive(Debug, PartialEq, RpcError)]
enum WithoutOther {
    #[rpc(code = 7, message = "seven")]
    Seven { at: u8 },
}

impl std::fmt::Display for WithoutOther {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

fn locked() -> StoreError {
    StoreError::Locked { r#type: "shelf".to_owned(), until: None, place: Place { row: 3 } }
}

#[test]
fn a_variant_is_converted_to_an_error_object_and_back() {
    let no_route = StoreError::NoRoute("a".to_owned(), Some(2));
    for (error, expected) in [
        (StoreError::Full, json!({"code": 1, "message": "the store is full"})),
        (StoreError::Missing(9), json!({"code": 2, "message": "no item 9", "data": 9})),
        (no_route, json!({"code": 3, "message": "no such route", "data": ["a", 2]})),
        (StoreError::NoRoute("a".to_owned(), None), json!({"code": 3, "message": "no such route", "data": ["a"]})),
        (
            locked(),
            json!({"code": -32803, "message": "shelf is locked", "data": {"type": "shelf", "place": {"row": 3}}}),
        ),
    ] {
        let object = error.clone().into_object();
        assert_eq!(serde_json::to_value(&object).expect("plain data"), expected);
        assert_eq!(StoreError::from_object(object), Ok(error));
    }
}

#[test]
fn an_error_object_that_matches_no_variant_stays_an_error_object() {
    let unknown = ErrorObject::new(99, "unknown").with_data(&[1]);
    assert_eq!(StoreError::from_object(unknown.clone()), Ok(StoreError::Other(unknown.clone())));
    assert_eq!(StoreError::Other(unknown.clone()).into_object(), unknown);
    assert_eq!(WithoutOther::from_object(unknown.clone()), Err(unknown));
    let without_data = ErrorObject::new(7, "seven");
    assert_eq!(WithoutOther::from_object(without_data.clone()), Err(without_data));
    let with_extra_member = ErrorObject::new(7, "").with_data(&json!({"at": 1, "more": 2}));
    assert_eq!(WithoutOther::from_object(with_extra_member), Ok(WithoutOther::Seven { at: 1 }));
}

#[rpc]
trait Store {
    async fn take(&self, item: u32) -> Result<u32, StoreError>;
    async fn narrow(&self, code: i64) -> Result<(), WithoutOther>;
}

struct Mine;
impl Store for Mine {
    async fn take(&self, item: u32) -> Result<u32, StoreError> {
        match item {
            0 => Err(StoreError::Full),
            1 => Err(locked()),
            2 => Err(ErrorObject::invalid_params("not two").into()),
            item => Ok(item),
        }
    }
    async fn narrow(&self, _: i64) -> Result<(), WithoutOther> {
        Err(WithoutOther::Seven { at: 4 })
    }
}

#[test]
fn the_caller_gets_the_error_that_the_method_returned() {
    let store = StoreClient::new(Server::new(StoreService::new(Mine)).caller());
    assert_eq!(now(store.take(5)).expect("item 5"), 5);
    assert!(matches!(now(store.take(0)), Err(CallError::Method(StoreError::Full))));
    assert!(matches!(now(store.take(1)), Err(CallError::Method(error)) if error == locked()));
    let refused = now(store.take(2));
    assert!(matches!(refused, Err(CallError::Method(StoreError::Other(error))) if error.code == -32602));
    let error = now(store.narrow(1)).expect_err("always");
    assert_eq!(error.to_string(), "Seven { at: 4 }");
    assert!(matches!(error, CallError::Method(WithoutOther::Seven { at: 4 })));
}
