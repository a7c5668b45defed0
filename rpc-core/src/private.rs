//! What generated code uses, and nothing else. Not for users: it may change in any version.

pub use crate::blocking::blocking;
pub use crate::client::{
    BatchCall, Call, Caller, Members, NotifyCall, call_method, encode_call, encode_notification, send_notification,
};
pub use crate::error::{CallError, IsFallible, NotResult, ResultType, RpcError, from_data, from_fields, with_fields};
pub use crate::net::{Connected, Reachable, ToAddress, connect, connect_blocking};
pub use crate::params::{
    BadParams, Defaulted, Signature, Storage, StoreArguments, Text, assert_deserialize, assert_send, decode_flat_typed,
    decode_typed, is_large, type_token,
};
pub use crate::server::{MethodInfo, Names, Responded, Responder, Service};
pub use crate::wire::ErrorObject;
pub use serde::de::DeserializeOwned;
pub use serde::{Deserialize, Serialize};
