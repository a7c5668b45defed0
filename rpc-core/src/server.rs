//! The serving side: a service answers, `dispatch` decides what is owed.

mod batch;
mod batch_info;
mod batch_writer;
mod call_context;
mod classify;
mod config;
mod context;
mod dispatch;
mod engine;
mod erased;
mod error_code;
mod info;
mod layered;
mod middleware;
mod panic;
mod responder;
mod router;
mod run;
mod scope;
#[allow(clippy::module_inception, reason = "the file is called after `Server`")]
mod server;
mod service;
mod slots;
pub mod tuple;

pub use crate::params::BadParams;
pub use batch_info::BatchInfo;
pub use context::Context;
pub use erased::RawCall;
pub use error_code::ErrorCode;
pub use info::{MethodInfo, MethodNames};
pub use layered::Layered;
pub use middleware::{LayeredCall, Middleware, Next};
pub use responder::{Responded, Responder};
pub use router::{DuplicateMethod, Router, RouterBuilder, RouterCall};
pub use server::Server;
pub use service::Service;

pub(crate) use scope::{ConnectionScope, Scope};
pub(crate) use slots::Slots;
