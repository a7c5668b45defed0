//! What generated code uses, and nothing else. Not for users: it may change in any version.

pub use crate::blocking::blocking;
pub use crate::client::{Call, Caller, Notify, call, notify};
pub use crate::error::{IsFallible, Outcome, RpcError, Unlike, from_data, from_fields, with_fields};
pub use crate::params::{Are, Arguments, BadParams, Is, Maybe, Params, Signature, Text};
pub use crate::params::{can_be_read, can_be_sent, decode, decode_each, decode_flat, decode_whole, is};
pub use crate::server::{Answered, Context, MethodInfo, Names, Reply, Service};
pub use crate::wire::ErrorObject;
pub use serde::{Deserialize, Serialize, de::DeserializeOwned};
