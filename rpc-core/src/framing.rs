//! Framings: from bytes to messages and back. They do no I/O; a transport passes in the bytes that it has
//! read.

mod any;
mod bounded;
mod headers;
mod lines;
#[cfg(test)]
mod tests;
mod traits;

pub use any::AnyFraming;
pub use headers::Headers;
pub use lines::Lines;
pub use traits::{Framing, Progress};
