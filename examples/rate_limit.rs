//! A middleware that limits the rate of calls, and one that logs every call.

use rpc_core::server::{Middleware, Next, Responded, Service};
use rpc_core::{ErrorObject, Server, rpc};
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[rpc(namespace = "dice")]
trait Dice {
    /// Returns a number from 1 to `sides`.
    async fn roll(&self, sides: u32) -> Result<u32, ErrorObject>;
}

struct Loaded;

impl Dice for Loaded {
    async fn roll(&self, sides: u32) -> Result<u32, ErrorObject> {
        if sides == 0 { Err(ErrorObject::new(1, "a die has sides")) } else { Ok(sides) }
    }
}

/// Refuses calls beyond the first `limit` in each period.
struct RateLimit {
    limit: u32,
    period: Duration,
    current: Mutex<Period>,
}

struct Period {
    start: Instant,
    calls: u32,
}

impl RateLimit {
    fn new(limit: u32, period: Duration) -> Self {
        RateLimit { limit, period, current: Mutex::new(Period { start: Instant::now(), calls: 0 }) }
    }

    fn allows_call(&self) -> bool {
        let Ok(mut current) = self.current.lock() else { return false };
        if current.start.elapsed() >= self.period {
            *current = Period { start: Instant::now(), calls: 0 };
        }
        current.calls += 1;
        current.calls <= self.limit
    }
}

impl Middleware for RateLimit {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        if self.allows_call() {
            next.run().await
        } else {
            next.refuse(&ErrorObject::new(ErrorObject::SERVER_ERROR, "Too many calls"))
        }
    }
}

/// Prints each call and its outcome.
struct Log;

impl Middleware for Log {
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
        let method = next.context().method().to_owned();
        let params = next.params().map_or("", |params| params.get()).to_owned();
        let error_code = next.error_code();
        let responded = next.run().await;
        match error_code.get() {
            None => println!("log: {method} {params} succeeded"),
            Some(code) => println!("log: {method} {params} failed with {code}"),
        }
        responded
    }
}

fn main() {
    let limited = DiceService::new(Loaded).layer(RateLimit::new(3, Duration::from_secs(3600)));
    // The last layer is the outermost: `Log` also sees the calls that `RateLimit` refuses.
    let server = Server::new(limited.layer(Log));
    for (id, sides) in [6, 20, 0, 6, 6].into_iter().enumerate() {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"dice.roll","params":[{sides}],"id":{id}}}"#);
        println!("--> {request}");
        println!("<-- {}", server.handle_blocking(request).unwrap_or_default());
    }
}
