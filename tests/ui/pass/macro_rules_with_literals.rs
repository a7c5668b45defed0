//! A trait made by `macro_rules!`, from types, names, literals and paths.

use rpc_core::{CallError, ErrorObject, Server, block_on, rpc};

macro_rules! service {
    ($vis:vis $name:ident $space:literal, $method:ident($($param:ident: $ty:ty),*) -> $ret:ty, $wire:literal) => {
        #[rpc(namespace = $space)]
        $vis trait $name {
            async fn $method(&self, $($param: $ty),*) -> $ret;
            fn fixed(&self, a: u8, $(#[rpc(rename = $wire)] $param: $ty),*) -> $ret;
        }
    };
}

service!(pub Texts "texts", join(text: &str) -> String, "t");
service!(Lists "lists", sum(list: &[i64]) -> Result<i64, ErrorObject>, "l");
service!(pub(crate) Maybes "maybes", get(text: Option<&str>) -> Option<String>, "m");

struct Me;

impl Texts for Me {
    async fn join(&self, text: &str) -> String {
        text.to_owned()
    }
    fn fixed(&self, _a: u8, text: &str) -> String {
        text.to_owned()
    }
}
impl Lists for Me {
    async fn sum(&self, list: &[i64]) -> Result<i64, ErrorObject> {
        Ok(list.iter().sum())
    }
    fn fixed(&self, _a: u8, _list: &[i64]) -> Result<i64, ErrorObject> {
        Err(ErrorObject::new(1, "no"))
    }
}
impl Maybes for Me {
    async fn get(&self, text: Option<&str>) -> Option<String> {
        text.map(str::to_owned)
    }
    fn fixed(&self, _a: u8, text: Option<&str>) -> Option<String> {
        text.map(str::to_owned)
    }
}

// Names of the macro's own: they are not the caller's `a` and `b`.
macro_rules! hygienic {
    ($a:ident) => {
        #[rpc]
        trait Hygienic {
            fn subtract(&self, a: i64, $a: i64) -> i64;
        }
        impl Hygienic for Me {
            fn subtract(&self, a: i64, $a: i64) -> i64 {
                a - $a
            }
        }
    };
}
hygienic!(b);

fn main() {
    let server =
        Server::new((TextsService::new(Me), ListsService::new(Me), MaybesService::new(Me), HygienicService::new(Me)));
    let check = |method: &str, params: &str, result: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    };
    check("texts.join", r#"{"text":"a\n"}"#, r#""a\n""#);
    check("texts.fixed", r#"{"a":1,"t":"b"}"#, r#""b""#);
    check("lists.sum", "[[1,2]]", "3");
    check("maybes.get", "[]", "null");
    check("maybes.fixed", r#"[1,"x"]"#, r#""x""#);
    check("subtract", r#"{"b":1,"a":3}"#, "2");

    block_on(async {
        assert_eq!(TextsClient::new(server.caller()).join("a").await.unwrap(), "a");
        assert!(matches!(ListsClient::new(server.caller()).fixed(0, &[]).await, Err(CallError::Method(_))));
        assert_eq!(MaybesClient::new(server.caller()).get(None).await.unwrap(), None);
        assert_eq!(HygienicClient::new(server.caller()).subtract(3, 1).await.unwrap(), 2);
    });
}
