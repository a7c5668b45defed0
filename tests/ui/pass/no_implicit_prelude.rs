//! A crate without a prelude.

#![no_implicit_prelude]

#[::rpc_core::rpc(namespace = "calc", rename_all = "camelCase")]
trait Calc {
    async fn add_all(&self, a: i64, b: &str, c: ::std::option::Option<&str>, d: &[u8]) -> i64;
    fn divide(&self, a: i64) -> ::std::result::Result<i64, ::rpc_core::ErrorObject>;
    fn sum(&self, #[rpc(flatten)] list: ::std::vec::Vec<u8>) -> u8;
    async fn cow(&self, text: ::std::borrow::Cow<'_, str>) {
        let _ = text;
    }
    #[rpc(notification)]
    fn notified(&self);
}

#[::rpc_core::rpc]
trait Generic<T: ::std::marker::Send + ::std::marker::Sync + 'static>
where
    T: ::serde::Serialize + ::serde::de::DeserializeOwned,
{
    fn echo(&self, value: T) -> T;
}

struct Me;

impl Calc for Me {
    async fn add_all(&self, a: i64, _: &str, _: ::std::option::Option<&str>, d: &[u8]) -> i64 {
        a + d.len() as i64
    }
    fn divide(&self, a: i64) -> ::std::result::Result<i64, ::rpc_core::ErrorObject> {
        ::std::result::Result::Ok(a)
    }
    fn sum(&self, list: ::std::vec::Vec<u8>) -> u8 {
        list[0]
    }
    fn notified(&self) {}
}
impl Generic<u8> for Me {
    fn echo(&self, value: u8) -> u8 {
        value
    }
}

fn main() {
    let server = ::rpc_core::Server::new((CalcService::new(Me), GenericService::<u8, _>::new(Me)));
    let response =
        server.handle_blocking(r#"{"jsonrpc":"2.0","method":"calc.addAll","params":[1,"",null,[2,3]],"id":1}"#);
    ::std::assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":3,"id":1}"#);
    let client = CalcClient::new(server.caller());
    ::std::assert_eq!(::rpc_core::block_on(client.divide(3)).unwrap(), 3);
}
