//! A trait that the client implements: `crate`, shadowed names of std, `client` alone, inside a function, names
//! that generated code uses, and supertraits.

#![deny(warnings)]
#![no_implicit_prelude]

mod facade {
    pub use ::rpc_core as rpc;
}
mod core {}
mod std {}
#[allow(dead_code, non_camel_case_types)]
struct Result;
#[allow(dead_code)]
struct From;

#[facade::rpc::rpc(crate = "facade::rpc", client_implements_trait)]
trait Renamed {
    #[rpc(idempotent)]
    async fn add(&self, a: i64, b: i64) -> ::std::result::Result<i64, facade::rpc::ErrorObject>;
    #[rpc(notification)]
    async fn __call(&self, __rpc: u8, __call: u8, call: u8, __0: &[u8]);
    async fn caller_of(&self, caller: u8) -> ::std::result::Result<u8, facade::rpc::Internal>;
    async fn clone(&self) -> ::std::result::Result<u8, facade::rpc::Internal>;
    async fn fmt(&self) -> ::std::result::Result<u8, facade::rpc::Internal>;
}

trait Named {
    fn name(&self) -> &'static str;
}

impl<C> Named for OnlyClient<C> {
    fn name(&self) -> &'static str {
        "client"
    }
}

#[::rpc_core::rpc(client, client_implements_trait)]
trait Only: Named + ::std::marker::Sync {
    async fn add(&self, a: i64, b: i64) -> ::std::result::Result<i64, ::rpc_core::ErrorObject>;
    async fn twice(&self, a: i64) -> ::std::result::Result<i64, ::rpc_core::ErrorObject> {
        self.add(a, a).await
    }
}

struct Local;

impl Renamed for Local {
    async fn add(&self, a: i64, b: i64) -> ::std::result::Result<i64, facade::rpc::ErrorObject> {
        ::std::result::Result::Ok(a + b)
    }
    async fn __call(&self, _: u8, _: u8, _: u8, _: &[u8]) {}
    async fn caller_of(&self, caller: u8) -> ::std::result::Result<u8, facade::rpc::Internal> {
        ::std::result::Result::Ok(caller)
    }
    async fn clone(&self) -> ::std::result::Result<u8, facade::rpc::Internal> {
        ::std::result::Result::Ok(2)
    }
    async fn fmt(&self) -> ::std::result::Result<u8, facade::rpc::Internal> {
        ::std::result::Result::Ok(3)
    }
}

async fn renamed(renamed: &impl Renamed) {
    ::std::assert_eq!(renamed.add(1, 2).await.unwrap(), 3);
    renamed.__call(1, 2, 3, &[4]).await;
    ::std::assert_eq!(renamed.caller_of(1).await.unwrap(), 1);
    ::std::assert_eq!(renamed.clone().await.unwrap(), 2);
    ::std::assert_eq!(renamed.fmt().await.unwrap(), 3);
}

async fn only(only: &impl Only) {
    ::std::assert_eq!(only.name(), "client");
    ::std::assert_eq!(only.add(1, 2).await.unwrap(), 3);
    // The client calls `twice` instead of running its body, and the server has no such method.
    ::std::assert_eq!(only.twice(1).await.unwrap_err().code, -32601);
}

fn main() {
    use ::std::clone::Clone;

    let server = facade::rpc::Server::new(RenamedService::new(Local));
    facade::rpc::block_on(renamed(&Local));
    facade::rpc::block_on(renamed(&RenamedClient::new(server.caller())));
    facade::rpc::block_on(only(&OnlyClient::new(Clone::clone(&server).caller())));

    #[::rpc_core::rpc(client_implements_trait)]
    trait Within {
        async fn add(&self, a: i64, b: i64) -> ::std::result::Result<i64, ::rpc_core::ErrorObject>;
    }
    async fn within(within: impl Within) {
        ::std::assert_eq!(within.add(1, 2).await.unwrap(), 3);
    }
    facade::rpc::block_on(within(WithinClient::new(server.caller())));
}
