//! Moves whole messages: what a connection reads from and writes to.
//!
//! A transport is two halves, a [`Source`] and a [`Sink`]; [`memory`] connects two connections within a
//! process.

pub mod memory;
mod traits;

pub use traits::{Messages, Sink, Source};
