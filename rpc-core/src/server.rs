//! The serving side: a service answers, `dispatch` decides what is owed.

mod answers;
mod around;
mod batch;
mod batch_info;
mod context;
mod desk;
mod dispatch;
mod info;
mod judge;
mod local;
mod middleware;
mod panic;
mod part;
mod reply;
mod router;
mod rules;
mod scope;
mod service;
mod settle;
mod slots;
mod text;
mod tuple;

pub use crate::params::BadParams;
pub use around::Failure;
pub use batch_info::BatchInfo;
pub use context::Context;
pub use info::{MethodInfo, Names};
pub use middleware::{Layered, LayeredCall, Middleware, Next};
pub use part::RawCall;
pub use reply::{Answered, Reply};
pub use router::{DuplicateMethod, Router, RouterBuilder};
pub use service::Service;
pub use text::Server;

pub(crate) use scope::{Connected, Extensions, Scope};
pub(crate) use slots::Slots;
