//! Params (§4.2): by position or by name into the arguments of a method, and back.
//!
//! No I/O. An argument is optional if its type, once resolved, is an `Option`; its spelling does not matter.

mod absent;
mod bad_params;
mod decode;
mod defaulted;
mod encode;
mod is_none;
mod storage;
mod text;
mod type_token;

pub use bad_params::BadParams;
pub use decode::Signature;
pub use defaulted::Defaulted;
pub use storage::{Storage, StoreArguments, is_large};
pub use text::Text;
pub use type_token::{assert_deserialize, assert_send, decode_flat_typed, decode_typed, type_token};

pub(crate) use decode::{Params, decode, decode_flat, length_of};
pub(crate) use encode::{Arguments, encode, encode_flat};
