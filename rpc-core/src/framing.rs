//! From bytes to messages and back. Rules only: whoever reads the bytes hands them in.

mod any;
mod headers;
mod keep;
mod lines;
#[cfg(test)]
mod tests;
mod traits;

pub use any::AnyFraming;
pub use headers::Headers;
pub use lines::Lines;
pub use traits::{Framing, Progress};
