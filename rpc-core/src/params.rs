//! Parameters (§4.2): by position or by name into the arguments of a method, and back.
//!
//! Rules only: what is optional is decided by the type of the argument, never by its spelling.

mod absent;
mod bad_params;
mod decode;
mod encode;
mod is_none;
mod keep;
mod maybe;
mod said;
mod text;

pub use bad_params::BadParams;
pub use decode::Signature;
pub use keep::{Keep, Size, is_large};
pub use maybe::Maybe;
pub use said::{can_be_read, can_be_sent, decode_each, decode_whole, is};
pub use text::Text;

pub(crate) use decode::{Params, decode, decode_flat, length_of};
pub(crate) use encode::{Arguments, encode, encode_flat};
