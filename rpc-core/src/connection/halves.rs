//! The two ends of the transport as futures that give back what they were given.

use crate::transport::{Messages, Sink, Source};
use std::io;

/// Reads one message.
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
