//! Serving: servers, services, routers and middleware.
//!
//! A [`Server`] turns messages into calls of a [`Service`], and their results into responses. It takes and
//! returns text; [connections](crate::connection) and [listeners](crate::net) move the text. `#[rpc]` on
//! `trait Calc` generates the service `CalcService`, made of a value that implements the trait.
//!
//! | item | content |
//! |---|---|
//! | [`Server`] | limits, timeouts of methods, profile, observer |
//! | [tuples](mod@tuple), [`Router`] | several services as one, combined at compile time or at run time |
//! | [`Middleware`], [`Next`] | code around each call of a service, added by [`Service::layer`] |
//! | [`Context`] | the call being handled, for a method with an `#[rpc(context)]` parameter |
//! | [`MethodInfo`] | the description of a method, for programs that list methods |
//! | [`Responder`], [`Responded`] | the response of a call, for services that are written by hand |

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
