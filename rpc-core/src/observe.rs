//! The hook that sees the wire: what came, what went, and what nobody was told.

mod event;
mod wire_log;

pub use event::{Cause, Event, Failure, MessageKind, Observer};
pub use wire_log::WireLog;

pub(crate) use event::show;
