//! The two halves of a transport, as futures that own what they use and return it.

use crate::transport::{Messages, Sink, Source};
use std::io;

/// Reads one message into `message`. The result is false at the end of the input.
pub(super) async fn read<R: Source>(
    mut source: R,
    mut message: Vec<u8>,
    limit: usize,
) -> (R, Vec<u8>, io::Result<bool>) {
    message.clear();
    let read = source.receive(&mut message, limit).await;
    (source, message, read)
}

/// Writes all messages.
pub(super) async fn write<W: Sink>(mut sink: W, messages: Messages) -> (W, Messages, io::Result<()>) {
    let written = sink.send(&messages).await;
    (sink, messages, written)
}
