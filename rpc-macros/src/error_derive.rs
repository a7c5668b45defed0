//! `#[derive(RpcError)]`: an error enum, both ways over the wire.
//!
//! `read` understands the enum and notes its mistakes; `expand` writes the implementation.

mod expand;
mod read;

pub(crate) use expand::expand;
pub(crate) use read::ErrorEnum;
