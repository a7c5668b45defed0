//! Keeping of a message what there is room for.

/// Adds bytes to a message as far as it stays within `most`, and takes no more memory than that for it.
pub(super) fn keep(message: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let kept = &bytes[..bytes.len().min(most.saturating_sub(message.len()))];
    if message.len() + kept.len() > message.capacity() && message.capacity() > most / 2 {
        // Grown by half or twice, it would take more than it can ever need.
        message.reserve_exact(most - message.len());
    }
    message.extend_from_slice(kept);
}
