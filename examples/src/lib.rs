//! Services that several examples and the tests share.

pub mod demo;
