//! The service that the requirement tests call. Its implementation counts the calls.

use rpc_core::{ErrorObject, Server, rpc};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Methods for the main cases of parameters and results.
#[rpc]
pub trait T {
    /// Returns the sum.
    async fn add(&self, a: i64, b: i64) -> i64;
    /// Returns the sum. The name has a character that JSON may escape.
    #[rpc(name = "math/add")]
    async fn math_add(&self, a: i64, b: i64) -> i64;
    /// Returns its argument.
    async fn echo(&self, v: Value) -> Value;
    /// Returns its arguments, two of them optional.
    async fn opt(&self, a: i64, b: Option<i64>, c: Option<i64>) -> Vec<Option<i64>>;
    /// Takes nothing and returns nothing.
    async fn ping(&self);
    /// Returns `None`.
    async fn nothing(&self) -> Option<u8>;
    /// Returns a value that serialises as null.
    async fn null(&self) -> Value;
    /// Returns an error.
    async fn refuse(&self) -> Result<(), ErrorObject>;
    /// Panics.
    async fn explode(&self);
    /// Takes a number and returns nothing.
    #[rpc(notification)]
    async fn note(&self, n: u64);
}

/// The implementation, which counts the methods that have run.
#[derive(Debug, Default)]
pub struct Counting(AtomicUsize);

impl Counting {
    /// Returns the number of methods that have run since the last call of `runs`.
    pub fn runs(&self) -> usize {
        self.0.swap(0, Ordering::SeqCst)
    }

    fn count(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Returns a server of the trait, and its counter.
#[must_use]
pub fn server() -> (Server<TService<Counting>>, Arc<Counting>) {
    let counting = Arc::new(Counting::default());
    (Server::new(TService::from(counting.clone())), counting)
}

impl T for Counting {
    async fn add(&self, a: i64, b: i64) -> i64 {
        self.count();
        a + b
    }
    async fn math_add(&self, a: i64, b: i64) -> i64 {
        self.count();
        a + b
    }
    async fn echo(&self, v: Value) -> Value {
        self.count();
        v
    }
    async fn opt(&self, a: i64, b: Option<i64>, c: Option<i64>) -> Vec<Option<i64>> {
        self.count();
        vec![Some(a), b, c]
    }
    async fn ping(&self) {
        self.count();
    }
    async fn nothing(&self) -> Option<u8> {
        self.count();
        None
    }
    async fn null(&self) -> Value {
        self.count();
        Value::Null
    }
    async fn refuse(&self) -> Result<(), ErrorObject> {
        self.count();
        Err(ErrorObject::new(7, "no"))
    }
    async fn explode(&self) {
        self.count();
        panic!("in /etc/secret.rs");
    }
    async fn note(&self, _: u64) {
        self.count();
    }
}
