//! Appending to a message of bounded length.

/// Appends the bytes that fit while the message stays within `max_len` bytes, and drops the rest. Memory is
/// reserved for no more than `max_len` bytes.
pub(super) fn extend_bounded(message: &mut Vec<u8>, bytes: &[u8], max_len: usize) {
    let fitting = &bytes[..bytes.len().min(max_len.saturating_sub(message.len()))];
    if message.len() + fitting.len() > message.capacity() && message.capacity() > max_len / 2 {
        // The default growth, to twice the capacity, would exceed `max_len`.
        message.reserve_exact(max_len - message.len());
    }
    message.extend_from_slice(fitting);
}
