//! Services that the examples and the tests share.

pub mod demo;
