//! The short names of generated items and generic parameters as names of the user: `S`, `C`, `M`, `A`,
//! `CalcMethod`, `CalcCall`, `'de`, and the longer ones that replace them.

#![deny(warnings)]
#![allow(non_snake_case)]

use rpc_core::{CallError, ErrorObject, Server, block_on, rpc};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::marker::PhantomData;

macro_rules! numbers {
    ($($name:ident)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        struct $name(u8);
    )*};
}
numbers!(S Served Served2 C Caller M Members A Address CalcMethod CalcCall Size);

impl S {
    fn seven() -> u8 {
        7
    }
}

/// As parameters and results.
#[rpc]
trait Calc {
    async fn types(&self, s: S, served: Served, c: &C, caller: Option<Caller>, m: [M; 2]) -> (S, CalcMethod);
    fn enums(&self, method: CalcMethod, call: Vec<CalcCall>) -> Result<CalcCall, ErrorObject>;
    async fn addresses(&self, a: &[A], address: Address, members: Members) -> Served2;
    async fn lifetimes(&self, function: PhantomData<for<'de> fn(&'de str, &'de u8)>) -> u8;
}

/// As type parameters.
#[rpc]
trait Generic<S, C: Value, Caller = u8>
where
    S: Value + for<'de> Deserialize<'de>,
    Caller: Value,
{
    async fn get(&self, s: S, c: C, caller: Caller) -> (S, C, Caller);
}

trait Value: Serialize + DeserializeOwned + Send + Sync + 'static {}
impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Value for T {}

/// In the paths of options.
mod paths {
    pub mod C {
        pub use rpc_core;
    }

    #[rpc_core::rpc(crate = "C::rpc_core")]
    pub trait Paths {
        async fn seven(&self, #[rpc(default = "super::S::seven")] a: u8) -> u8;
        async fn local(&self, #[rpc(default = "S::eight")] a: u8) -> u8;
    }

    struct S;
    impl S {
        fn eight() -> u8 {
            8
        }
    }
}

/// In the expansion of a macro, which the attribute does not see.
#[rpc]
trait Macros {
    async fn hidden(&self, hidden: hidden!(), size: [u8; size!()]) -> hidden!();
}
macro_rules! hidden {
    () => {
        (S, C, M, A, Caller, CalcCall)
    };
}
macro_rules! size {
    () => {
        2
    };
}
use {hidden, size};

mod traits {
    /// As names of the trait itself.
    #[rpc_core::rpc(client_implements_trait)]
    pub trait S {
        async fn get(&self) -> Result<u8, rpc_core::ErrorObject>;
    }
    #[rpc_core::rpc(client_implements_trait)]
    pub trait C: Sync {
        async fn get(&self) -> Result<u8, rpc_core::ErrorObject>;
    }
    #[rpc_core::rpc]
    pub trait A<S: Send + Sync + 'static, const M: usize> {
        async fn get(&self) -> u8;
    }
    #[rpc_core::rpc]
    pub trait r#As {
        async fn get(&self) -> u8;
    }
}

struct Me;

impl Calc for Me {
    async fn types(&self, s: S, served: Served, c: &C, caller: Option<Caller>, m: [M; 2]) -> (S, CalcMethod) {
        (s, CalcMethod(served.0 + c.0 + caller.map_or(0, |caller| caller.0) + m[0].0 + m[1].0))
    }
    fn enums(&self, method: CalcMethod, call: Vec<CalcCall>) -> Result<CalcCall, ErrorObject> {
        Ok(CalcCall(method.0 + call[0].0))
    }
    async fn addresses(&self, a: &[A], address: Address, members: Members) -> Served2 {
        Served2(a[0].0 + address.0 + members.0)
    }
    async fn lifetimes(&self, _: PhantomData<for<'de> fn(&'de str, &'de u8)>) -> u8 {
        Size(1).0
    }
}
impl Generic<u8, String> for Me {
    async fn get(&self, s: u8, c: String, caller: u8) -> (u8, String, u8) {
        (s, c, caller)
    }
}
impl paths::Paths for Me {
    async fn seven(&self, a: u8) -> u8 {
        a
    }
    async fn local(&self, a: u8) -> u8 {
        a
    }
}
impl Macros for Me {
    async fn hidden(&self, hidden: hidden!(), _: [u8; 2]) -> hidden!() {
        hidden
    }
}
impl traits::S for Me {
    async fn get(&self) -> Result<u8, ErrorObject> {
        Ok(1)
    }
}
impl traits::C for Me {
    async fn get(&self) -> Result<u8, ErrorObject> {
        Ok(2)
    }
}
impl traits::A<u8, 2> for Me {
    async fn get(&self) -> u8 {
        3
    }
}
impl traits::As for Me {
    async fn get(&self) -> u8 {
        4
    }
}

async fn generic_s(s: &impl traits::S) -> Result<u8, ErrorObject> {
    s.get().await
}
async fn generic_c(c: &impl traits::C) -> Result<u8, ErrorObject> {
    c.get().await
}

async fn run() -> Result<(), CallError<ErrorObject>> {
    let calc = CalcClient::new(Server::new(CalcService::new(Me)).caller());
    let types = calc.types(S(1), Served(2), &C(3), Some(Caller(4)), [M(5), M(6)]).await;
    assert_eq!(types.unwrap(), (S(1), CalcMethod(20)));
    assert_eq!(calc.enums(CalcMethod(1), vec![CalcCall(2)]).await?, CalcCall(3));
    assert_eq!(calc.addresses(&[A(1)], Address(2), Members(3)).await.unwrap(), Served2(6));
    assert_eq!(calc.lifetimes(PhantomData).await.unwrap(), 1);

    let generic = GenericClient::<u8, String, u8, _>::new(Server::new(GenericService::new(Me)).caller());
    assert_eq!(generic.get(1, "c".to_owned(), 2).await.unwrap(), (1, "c".to_owned(), 2));

    let server = Server::new(paths::PathsService::new(Me));
    for (method, result) in [("seven", 7), ("local", 8)] {
        let response = server.handle(format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#)).await;
        assert_eq!(response, Some(format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#)));
    }

    let macros = MacrosClient::new(Server::new(MacrosService::new(Me)).caller());
    let hidden = (S(1), C(2), M(3), A(4), Caller(5), CalcCall(6));
    assert_eq!(macros.hidden(hidden.clone(), [0; 2]).await.unwrap(), hidden);

    assert_eq!(generic_s(&traits::SClient::new(Server::new(traits::SService::new(Me)).caller())).await?, 1);
    assert_eq!(generic_c(&traits::CClient::new(Server::new(traits::CService::new(Me)).caller())).await?, 2);
    let a = traits::AClient::<u8, 2, _>::new(Server::new(traits::AService::<u8, 2, _>::new(Me)).caller());
    assert_eq!(a.get().await.unwrap(), 3);
    assert_eq!(traits::AsClient::new(Server::new(traits::AsService::new(Me)).caller()).get().await.unwrap(), 4);
    Ok(())
}

fn main() {
    block_on(run()).unwrap();
}
