//! What generated code uses, and nothing else. Not for users: it may change in any version.

pub use crate::blocking::blocking;
pub use crate::client::{Batch, Call, Caller, Members, Notify, answered, call, notify, told};
pub use crate::error::{CallError, IsFallible, Outcome, RpcError, Unlike, from_data, from_fields, with_fields};
pub use crate::net::{Connected, Reachable, ToAddress, connect, connect_blocking};
pub use crate::params::{
    BadParams, Keep, Maybe, Signature, Size, Text, can_be_read, can_be_sent, decode_each, decode_whole, is, is_large,
};
pub use crate::server::{Answered, MethodInfo, Names, Reply, Service};
pub use crate::wire::ErrorObject;
pub use serde::de::DeserializeOwned;
pub use serde::{Deserialize, Serialize};
