//! The objects of the JSON-RPC 2.0 specification: parsing and serializing them.
//!
//! Nothing here is async, does I/O or knows the methods of a service. [`Incoming::read`] is the reference
//! reader: a faster path must classify every message as it does.

mod batch;
pub(crate) mod cursor;
mod error;
mod id;
mod incoming;
mod members;
mod message;
mod reason;
mod request;
mod response;
pub(crate) mod token;
mod version;

pub use batch::Batch;
pub use error::ErrorObject;
pub use id::{Id, InvalidId};
pub use incoming::Incoming;
pub use message::{Invalid, Message};
pub use reason::Reason;
pub use request::{Notification, Request};
pub use response::Response;

pub(crate) use batch::{first_call_id, members as batch_members};
pub(crate) use message::ExtraMembers;
pub(crate) use response::{write_error, write_parse_error, write_result};
