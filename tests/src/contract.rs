//! The trait that the requirements speak of, and an implementation that keeps count.

use rpc_core::{ErrorObject, Server, rpc};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A little of everything.
#[rpc]
pub trait T {
    /// The sum.
    async fn add(&self, a: i64, b: i64) -> i64;
    /// The sum, under a name with a character that JSON may escape.
    #[rpc(name = "math/add")]
    async fn math_add(&self, a: i64, b: i64) -> i64;
    /// What it was given.
    async fn echo(&self, v: Value) -> Value;
    /// What it was given, two of it optional.
    async fn opt(&self, a: i64, b: Option<i64>, c: Option<i64>) -> Vec<Option<i64>>;
    /// Nothing for nothing.
    async fn ping(&self);
    /// `None`.
    async fn nothing(&self) -> Option<u8>;
    /// A type that serialises as null.
    async fn null(&self) -> Value;
    /// An error.
    async fn refuse(&self) -> Result<(), ErrorObject>;
    /// A panic.
    async fn explode(&self);
    /// Takes a number and gives nothing.
    #[rpc(notification)]
    async fn note(&self, n: u64);
}

/// Counts how many methods have run.
#[derive(Debug, Default)]
pub struct Counting(AtomicUsize);

impl Counting {
    /// How many methods have run since the last time this was asked.
    pub fn runs(&self) -> usize {
        self.0.swap(0, Ordering::SeqCst)
    }

    fn count(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A server of the trait, and what it counts.
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
