//! The option `crate`: through a module, from a nested module and absolute.

mod facade {
    pub use rpc_core as rpc;
}

// `rpc_core` is not in scope under its own name.
use facade::rpc::{Server, rpc as service};

#[service(crate = "facade::rpc")]
trait Relative {
    async fn add(&self, a: i64, b: i64) -> Result<i64, facade::rpc::ErrorObject>;
    #[rpc(notification)]
    fn forget(&self, name: &str);
}

#[service(crate = "crate::facade::rpc")]
trait FromTheRoot {
    fn add(&self, a: i64, b: &i64) -> i64;
}

#[service(crate = "::rpc_core")]
trait Absolute {
    fn add(&self, a: i64, b: i64) -> i64;
}

mod inner {
    pub use rpc_core as runtime;

    #[runtime::rpc(crate = "self::runtime")]
    pub trait Near {
        fn add(&self, a: i64, b: i64) -> i64;
    }

    #[super::service(crate = "super::facade::rpc")]
    pub trait Above {
        fn add(&self, a: i64, b: i64) -> i64;
    }
}

struct Me;

impl Relative for Me {
    async fn add(&self, a: i64, b: i64) -> Result<i64, facade::rpc::ErrorObject> {
        Ok(a + b)
    }
    fn forget(&self, _name: &str) {}
}
impl FromTheRoot for Me {
    fn add(&self, a: i64, b: &i64) -> i64 {
        a + b
    }
}
impl Absolute for Me {
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}
impl inner::Near for Me {
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}
impl inner::Above for Me {
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn check(service: impl facade::rpc::server::Service) {
    let response = Server::new(service).handle_blocking(r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":3,"id":1}"#);
}

fn main() {
    check(RelativeService::new(Me));
    check(FromTheRootService::new(Me));
    check(AbsoluteService::new(Me));
    check(inner::NearService::new(Me));
    check(inner::AboveService::new(Me));
}
