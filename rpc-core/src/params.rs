//! Parameters (§4.2): by position or by name into the arguments of a method, and back.
//!
//! Rules only: what is optional is decided by the type of the argument, never by its spelling.

mod absent;
mod bad_params;
mod decode;
mod defaulted;
mod encode;
mod is_none;
mod keep;
mod text;
mod typed;

pub use bad_params::BadParams;
pub use decode::Signature;
pub use defaulted::Defaulted;
pub use keep::{Keep, Size, is_large};
pub use text::Text;
pub use typed::{assert_deserialize, assert_send, decode_each, decode_whole, type_of};

pub(crate) use decode::{Params, decode, decode_flat, length_of};
pub(crate) use encode::{Arguments, encode, encode_flat};
