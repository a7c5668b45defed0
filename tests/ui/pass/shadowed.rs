//! Shadowed names: the whole prelude, `core`, `std` and `serde`.

#![allow(dead_code, non_camel_case_types, unused_imports, unused_macros)]

mod names {
    pub struct Ok;
    pub struct Err;
    pub struct Some;
    pub struct None;
    pub struct Option;
    pub struct Result;
    pub struct Vec;
    pub struct Box;
    pub struct Arc;
    pub struct Future;
    pub struct Infallible;
    pub struct PhantomData;
    pub struct Call;
    pub struct Service;
    pub struct Caller;
    pub struct Method;
    pub struct str;
    pub struct usize;
    pub struct bool;
    pub struct u8;
    pub trait Send {}
    pub trait Sync {}
    pub trait Clone {}
    pub trait Copy {}
    pub trait Debug {}
    pub trait Iterator {}
    pub trait FnMut {}
    pub trait Serialize {}
    pub trait Deserialize {}
    pub trait From {}
    pub trait Sized {}
}
use names::*;

mod core {}
mod std {}
mod alloc {}
mod serde {}
mod rpc_core {}
mod __private {}
mod __rpc {}

macro_rules! assert {
    () => {};
}
macro_rules! stringify {
    () => {};
}

type Number = i64;

#[::rpc_core::rpc]
trait Shadow {
    fn add(&self, a: Number, b: ::std::option::Option<Number>) -> Number;
    async fn divide(&self, a: Number) -> ::std::result::Result<Number, ::rpc_core::ErrorObject>;
    async fn list(&self, list: &[Number]) -> ::std::vec::Vec<Number>;
    async fn body(&self, a: Number) -> Number {
        if a > 0 {
            return a;
        }
        -a
    }
    #[rpc(notification)]
    async fn notified(&self);
}

struct Me;

impl Shadow for Me {
    fn add(&self, a: Number, b: ::std::option::Option<Number>) -> Number {
        a + b.unwrap_or(0)
    }
    async fn divide(&self, a: Number) -> ::std::result::Result<Number, ::rpc_core::ErrorObject> {
        ::std::result::Result::Ok(a)
    }
    async fn list(&self, list: &[Number]) -> ::std::vec::Vec<Number> {
        list.to_vec()
    }
    async fn notified(&self) {}
}

fn main() {
    let server = ::rpc_core::Server::new(ShadowService::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#);
    ::std::assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":3,"id":1}"#);
    let client = ShadowClient::new(server.caller());
    ::std::assert_eq!(::rpc_core::block_on(client.divide(3)).unwrap(), 3);
    ::std::assert_eq!(::rpc_core::block_on(client.body(-3)).unwrap(), 3);
    ::std::assert_eq!(::rpc_core::block_on(client.list(&[1])).unwrap(), [1]);
}
