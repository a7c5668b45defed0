//! `#[derive(RpcError)]`: an enum as error objects, in both directions.
//!
//! `read` builds the model of the enum and checks it; `expand` generates the implementation.

mod expand;
mod read;

pub(crate) use expand::expand;
pub(crate) use read::ErrorEnum;
