//! What generated code uses, and nothing else. Not for users: it may change in any version.

pub use crate::blocking::blocking;
pub use crate::client::{Call, Caller, Notify};
pub use crate::error::{IsFallible, Outcome, RpcError, Unlike};
pub use crate::error::{from_data, from_fields, with_fields};
pub use crate::params::{Arguments, BadParams, Params, Signature, Text, decode, decode_flat};
pub use crate::server::{Answered, Context, MethodInfo, Names, Reply, Service};
pub use crate::wire::ErrorObject;
pub use serde::{Deserialize, Serialize, de::DeserializeOwned};
