//! The items that generated code uses. They are not public API, and may change in any version.

pub use crate::blocking::blocking;
pub use crate::client::encoded::{encode_call, encode_notification};
pub use crate::client::trait_impl::{call_method, send_notification};
pub use crate::client::{BatchCall, Call, Caller, Members, NotifyCall};
pub use crate::connection::Peer;
pub use crate::error::data::{from_data, from_fields, with_fields};
pub use crate::error::rpc_error::{IsFallible, NotResult, ResultType};
pub use crate::error::{CallError, ClientError, ErrorObject, RpcError};
pub use crate::net::{ToAddress, connect, connect_blocking};
pub use crate::params::{
    BadParams, Defaulted, Signature, Storage, StoreArguments, Text, assert_deserialize, assert_send, decode_flat_typed,
    decode_typed, is_large, type_token,
};
pub use crate::server::{MethodInfo, MethodNames, Responded, Responder, Service};
pub use serde::de::DeserializeOwned;
pub use serde::{Deserialize, Serialize};

/// The bound on addresses of functions that need the feature `tokio`. Compile errors show its name.
pub mod needs_tokio {
    pub use crate::net::needs_tokio::ToAddress;
}
