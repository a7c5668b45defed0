//! The answer to a batch (§6), put together in the order of the requests.

#![allow(clippy::box_collection, reason = "buffers change places, and a pointer is quickly moved")]

use super::config::ServerConfig;
use crate::observe::{Event, Observer, show};
use crate::wire::{Id, write_error};

/// Collects answers behind the opening bracket, each with a comma behind it; what comes late keeps its place.
///
/// What was just written in small pieces is slow to be copied, so the last answer waits until the next one is there.
pub(super) struct BatchWriter<'o> {
    out: &'o mut Vec<u8>,
    last: &'o mut Box<Vec<u8>>,
    start: usize,
    /// From the first place that was kept, everything waits here.
    late: Vec<Vec<u8>>,
    /// Bytes of the answers so far, with their commas and brackets.
    size: usize,
    limit: usize,
    config: &'o ServerConfig,
    is_full: bool,
    observer: Option<&'o dyn Observer>,
    /// Whether the next answer needs no more than to be counted and appended.
    is_plain: bool,
}

impl<'o> BatchWriter<'o> {
    /// Appends to `out`, as many bytes of answers as the rules say; each is shown as it will be sent. `last` is
    /// a place for one of them.
    pub(super) fn new(
        out: &'o mut Vec<u8>,
        last: &'o mut Box<Vec<u8>>,
        config: &'o ServerConfig,
        observer: Option<&'o dyn Observer>,
    ) -> Self {
        let start = out.len();
        out.push(b'[');
        last.clear();
        let (limit, is_plain) = (config.limits.batch_response_bytes, observer.is_none());
        BatchWriter { out, last, start, late: Vec::new(), size: 1, limit, config, is_full: false, observer, is_plain }
    }

    /// Whether an answer was too large: then no more calls should be made.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The next answer; an empty one is none. Something else is in its place afterwards.
    #[inline]
    pub(super) fn push(&mut self, response: &mut Box<Vec<u8>>, id: Option<&Id<'_>>) {
        // Each answer is followed by a comma or the closing bracket.
        let size = self.size.saturating_add(response.len() + 1);
        if response.is_empty() {
        } else if self.is_plain && size <= self.limit {
            self.size = size;
            response.push(b',');
            std::mem::swap(self.last, response);
            self.out.extend_from_slice(response);
        } else {
            self.push_with_care(response, id);
        }
    }

    /// The last answer waits no more.
    fn flush(&mut self) {
        self.out.extend_from_slice(self.last);
        self.last.clear();
    }

    fn push_with_care(&mut self, response: &[u8], id: Option<&Id<'_>>) {
        self.flush();
        if !self.has_room(response) {
            return self.refuse(id);
        }
        self.show(response, id);
        self.append(response);
    }

    /// The answer of a call that is not made, or whose answer does not fit.
    #[cold]
    pub(super) fn refuse(&mut self, id: Option<&Id<'_>>) {
        self.flush();
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
            show(self.observer, &Event::Responded { id, text: response });
        }
    }

    /// Keeps the next place for an answer that comes later.
    pub(super) fn keep(&mut self) -> usize {
        self.flush();
        self.is_plain = false;
        self.late.push(Vec::new());
        self.late.len() - 1
    }

    /// The answer of a place that was kept.
    pub(super) fn fill(&mut self, place: usize, response: Vec<u8>, id: Option<&Id<'_>>) {
        let response = if self.has_room(&response) { response } else { self.too_large(id) };
        self.show(&response, id);
        self.late[place] = response;
    }

    /// What stands in place of an answer that no longer fits.
    fn too_large(&self, id: Option<&Id<'_>>) -> Vec<u8> {
        let mut response = Vec::new();
        if let Some(id) = id {
            write_error(&mut response, id.as_token(), &self.config.profile.large_response.to_error());
        }
        response
    }

    /// Counts an answer; false when the limit is passed, and from then on.
    fn has_room(&mut self, response: &[u8]) -> bool {
        if response.is_empty() {
            return true;
        }
        // Each answer is followed by a comma or the closing bracket.
        let size = self.size.saturating_add(response.len() + 1);
        self.is_full |= size > self.limit;
        self.is_plain &= !self.is_full;
        if !self.is_full {
            self.size = size;
        }
        !self.is_full
    }

    /// Closes the array; false when there was nothing to answer.
    pub(super) fn finish(mut self) -> bool {
        self.flush();
        for response in &self.late {
            append(self.out, response);
        }
        // SPEC §6: a batch of notifications only is answered with nothing, not with [].
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
    use crate::wire::Id;

    fn limited(batch_response_bytes: usize) -> ServerConfig {
        let mut config = ServerConfig::default();
        config.limits = MessageLimits { batch_response_bytes, ..MessageLimits::default() };
        config
    }

    fn boxed(response: &[u8]) -> Box<Vec<u8>> {
        Box::new(response.to_vec())
    }

    #[test]
    fn late_answers_keep_their_places() {
        let (mut out, config) = (b"before".to_vec(), limited(100));
        let mut last = Box::default();
        let mut responses = BatchWriter::new(&mut out, &mut last, &config, None);
        responses.push(&mut boxed(b"1"), None);
        let (second, third) = (responses.keep(), responses.keep());
        responses.push(&mut boxed(b"4"), None);
        responses.fill(third, b"3".to_vec(), None);
        responses.fill(second, b"2".to_vec(), None);
        assert!(responses.finish());
        assert_eq!(out, b"before[1,2,3,4]");
    }

    #[test]
    fn nothing_to_answer_writes_nothing() {
        let (mut out, config) = (vec![], limited(100));
        let mut last = Box::default();
        let mut responses = BatchWriter::new(&mut out, &mut last, &config, None);
        responses.push(&mut boxed(b""), None);
        responses.keep();
        assert!(!responses.finish());
        assert!(out.is_empty());
    }

    #[test]
    fn the_limit_counts_the_whole_text() {
        for (limit, fits) in [(8, false), (9, true), (10, true)] {
            let (mut out, config) = (vec![], limited(limit));
            let mut last = Box::default();
            let mut responses = BatchWriter::new(&mut out, &mut last, &config, None);
            responses.push(&mut boxed(b"111"), None);
            responses.push(&mut boxed(b"222"), Some(&Id::from(2)));
            assert_eq!(responses.is_full(), !fits);
            responses.finish();
            assert_eq!(out == b"[111,222]", fits, "{limit}");
        }
    }
}
