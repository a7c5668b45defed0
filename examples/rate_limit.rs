//! A middleware that limits how often a service is called, and one that logs every call.

use rpc_core::server::{Middleware, Next, Responded, Service};
use rpc_core::{ErrorObject, Server, rpc};
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[rpc(namespace = "dice")]
trait Dice {
    /// A number from 1 to `sides`.
    async fn roll(&self, sides: u32) -> Result<u32, ErrorObject>;
}

struct Loaded;

impl Dice for Loaded {
    async fn roll(&self, sides: u32) -> Result<u32, ErrorObject> {
        if sides == 0 { Err(ErrorObject::new(1, "a die has sides")) } else { Ok(sides) }
    }
}

/// Lets so many calls through in each period, and refuses the others.
struct RateLimit {
    most: u32,
    period: Duration,
    /// When the period began, and how many calls came since.
    now: Mutex<(Instant, u32)>,
}

impl RateLimit {
    fn new(most: u32, period: Duration) -> Self {
        RateLimit { most, period, now: Mutex::new((Instant::now(), 0)) }
    }

    fn lets_through(&self) -> bool {
        let Ok(mut now) = self.now.lock() else { return false };
        if now.0.elapsed() >= self.period {
            *now = (Instant::now(), 0);
        }
        now.1 += 1;
        now.1 <= self.most
    }
}

impl Middleware for RateLimit {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        if self.lets_through() {
            next.run().await
        } else {
            next.refuse(&ErrorObject::new(ErrorObject::SERVER_ERROR, "Too many calls"))
        }
    }
}

/// Says what was called and how it ended.
struct Log;

impl Middleware for Log {
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
        let method = next.context().method().to_owned();
        let params = next.params().map_or("", |params| params.get()).to_owned();
        let error_code = next.error_code();
        let answered = next.run().await;
        match error_code.get() {
            None => println!("log: {method} {params} was answered"),
            Some(code) => println!("log: {method} {params} failed with {code}"),
        }
        answered
    }
}

fn main() {
    let limited = DiceService::new(Loaded).layer(RateLimit::new(3, Duration::from_secs(3600)));
    // The last one is outermost: it sees what the limit refuses, too.
    let server = Server::new(limited.layer(Log));
    for (id, sides) in [6, 20, 0, 6, 6].into_iter().enumerate() {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"dice.roll","params":[{sides}],"id":{id}}}"#);
        println!("--> {request}");
        println!("<-- {}", server.handle_blocking(request).unwrap_or_default());
    }
}
