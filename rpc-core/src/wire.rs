//! The specification's objects, read exactly and written exactly.
//!
//! Nothing here is async, does I/O or knows what a method is. [`Incoming::read`] is the reference
//! reader: whatever a faster path decides about a message must be what this one decides.

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

pub(crate) use batch::{first_call, members as batch_members};
pub(crate) use message::ExtraMembers;
pub(crate) use response::{write_error, write_parse_error, write_result};
