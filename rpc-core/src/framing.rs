//! From bytes to messages. Rules only: whoever reads the bytes feeds them in.

mod lines;

pub(crate) use lines::Lines;
