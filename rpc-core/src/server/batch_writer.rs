//! The response to a batch (§6), assembled in the order of the requests.

use super::config::ServerConfig;
use crate::observe::{EventKind, ObserverRef};
use crate::wire::{Id, write_error};

/// Collects the responses of the members in order, each followed by a comma. Late ones keep their places.
pub(super) struct BatchWriter<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    /// The responses from the first late one on.
    late: Vec<Vec<u8>>,
    /// The bytes of the response so far.
    size: usize,
    limit: usize,
    config: &'o ServerConfig,
    is_full: bool,
    observer: ObserverRef<'o>,
    /// `true` while a response only has to be counted and appended.
    is_plain: bool,
}

impl<'o> BatchWriter<'o> {
    /// Returns a writer that appends to `out`, up to the limit of the config, and shows each response.
    pub(super) fn new(out: &'o mut Vec<u8>, config: &'o ServerConfig, observer: ObserverRef<'o>) -> Self {
        let start = out.len();
        out.push(b'[');
        let (limit, is_plain) = (config.limits.batch_response_bytes, observer.is_none());
        BatchWriter { out, start, late: Vec::new(), size: 1, limit, config, is_full: false, observer, is_plain }
    }

    /// Returns whether a response did not fit. No further calls should run then.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds the next response. Ignores an empty one.
    #[inline]
    pub(super) fn push(&mut self, response: &[u8], id: Option<&Id<'_>>) {
        // A comma or the closing bracket follows each response.
        let size = self.size.saturating_add(response.len() + 1);
        if response.is_empty() {
        } else if self.is_plain && size <= self.limit {
            self.size = size;
            self.out.extend_from_slice(response);
            self.out.push(b',');
        } else {
            self.push_checked(response, id);
        }
    }

    fn push_checked(&mut self, response: &[u8], id: Option<&Id<'_>>) {
        if !self.has_room(response) {
            return self.reject(id);
        }
        self.show(response, id);
        self.append(response);
    }

    /// Adds the error of a call that does not run, or whose response does not fit.
    #[cold]
    pub(super) fn reject(&mut self, id: Option<&Id<'_>>) {
        let response = self.too_large(id);
        self.show(&response, id);
        self.append(&response);
    }

    fn append(&mut self, response: &[u8]) {
        if self.late.is_empty() {
            append(self.out, response);
        } else {
            self.late.push(response.to_vec());
        }
    }

    fn show(&self, response: &[u8], id: Option<&Id<'_>>) {
        if let Some(id) = id {
            self.observer.show(EventKind::Responded { id, text: response });
        }
    }

    /// Reserves the next place for a late response, and returns it.
    pub(super) fn reserve(&mut self) -> usize {
        self.is_plain = false;
        self.late.push(Vec::new());
        self.late.len() - 1
    }

    /// Fills a reserved place.
    pub(super) fn fill(&mut self, place: usize, response: Vec<u8>, id: Option<&Id<'_>>) {
        let response = if self.has_room(&response) { response } else { self.too_large(id) };
        self.show(&response, id);
        self.late[place] = response;
    }

    /// Returns the error in place of a response that does not fit.
    fn too_large(&self, id: Option<&Id<'_>>) -> Vec<u8> {
        let mut response = Vec::new();
        if let Some(id) = id {
            write_error(&mut response, id.as_token(), &self.config.profile.large_response.to_error());
        }
        response
    }

    /// Counts a response. Returns false from the first one on that passes the limit.
    fn has_room(&mut self, response: &[u8]) -> bool {
        if response.is_empty() {
            return true;
        }
        // A comma or the closing bracket follows each response.
        let size = self.size.saturating_add(response.len() + 1);
        self.is_full |= size > self.limit;
        self.is_plain &= !self.is_full;
        if !self.is_full {
            self.size = size;
        }
        !self.is_full
    }

    /// Closes the array. Returns false if there is no response, and then leaves `out` as it was.
    pub(super) fn finish(self) -> bool {
        for response in &self.late {
            append(self.out, response);
        }
        // SPEC §6: a batch of notifications only has no response, not an empty array.
        if self.out.len() == self.start + 1 {
            self.out.truncate(self.start);
            return false;
        }
        if let Some(last) = self.out.last_mut() {
            *last = b']';
        }
        true
    }
}

fn append(out: &mut Vec<u8>, response: &[u8]) {
    if !response.is_empty() {
        out.extend_from_slice(response);
        out.push(b',');
    }
}

#[cfg(test)]
mod tests {
    use super::{BatchWriter, ServerConfig};
    use crate::limits::MessageLimits;
    use crate::observe::ObserverRef;
    use crate::wire::Id;

    fn limited(batch_response_bytes: usize) -> ServerConfig {
        let mut config = ServerConfig::default();
        config.limits = MessageLimits { batch_response_bytes, ..MessageLimits::default() };
        config
    }

    #[test]
    fn late_responses_keep_their_places() {
        let (mut out, config) = (b"before".to_vec(), limited(100));
        let mut responses = BatchWriter::new(&mut out, &config, ObserverRef::default());
        responses.push(b"1", None);
        let (second, third) = (responses.reserve(), responses.reserve());
        responses.push(b"4", None);
        responses.fill(third, b"3".to_vec(), None);
        responses.fill(second, b"2".to_vec(), None);
        assert!(responses.finish());
        assert_eq!(out, b"before[1,2,3,4]");
    }

    #[test]
    fn a_batch_without_responses_writes_nothing() {
        let (mut out, config) = (vec![], limited(100));
        let mut responses = BatchWriter::new(&mut out, &config, ObserverRef::default());
        responses.push(b"", None);
        responses.reserve();
        assert!(!responses.finish());
        assert!(out.is_empty());
    }

    #[test]
    fn the_limit_counts_the_whole_response() {
        for (limit, fits) in [(8, false), (9, true), (10, true)] {
            let (mut out, config) = (vec![], limited(limit));
            let mut responses = BatchWriter::new(&mut out, &config, ObserverRef::default());
            responses.push(b"111", None);
            responses.push(b"222", Some(&Id::from(2)));
            assert_eq!(responses.is_full(), !fits);
            responses.finish();
            assert_eq!(out == b"[111,222]", fits, "{limit}");
        }
    }
}
