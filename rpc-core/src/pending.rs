//! Outgoing ids and who waits for them.
//!
//! No I/O and no clock. An id is given once and leaves this table once.

use std::collections::BTreeMap;

/// The calls that wait for an answer, by id; `W` is whoever waits.
#[derive(Debug)]
pub(crate) struct Pending<W> {
    next: u64,
    waiting: BTreeMap<u64, W>,
}

impl<W> Pending<W> {
    /// An empty table; the first id is 1.
    pub(crate) fn new() -> Self {
        Pending { next: 1, waiting: BTreeMap::new() }
    }

    /// Files `waiter` under a new id.
    pub(crate) fn insert(&mut self, waiter: W) -> u64 {
        while self.waiting.contains_key(&self.next) {
            self.next += 1;
        }
        let id = self.next;
        self.next += 1;
        self.waiting.insert(id, waiter);
        id
    }

    /// Files `waiter` under an id of its own. False when the id is in use.
    pub(crate) fn insert_under(&mut self, id: u64, waiter: W) -> bool {
        let is_free = !self.waiting.contains_key(&id);
        if is_free {
            self.waiting.insert(id, waiter);
        }
        is_free
    }

    /// Who waits for `id`.
    pub(crate) fn get(&self, id: u64) -> Option<&W> {
        self.waiting.get(&id)
    }

    /// Takes out who waits for `id`.
    pub(crate) fn take(&mut self, id: u64) -> Option<W> {
        self.waiting.remove(&id)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether somebody waits for this id.
    pub(crate) fn contains(&self, id: u64) -> bool {
        self.waiting.contains_key(&id)
    }

    /// Who waits, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &W)> + '_ {
        self.waiting.iter().map(|(id, waiter)| (*id, waiter))
    }

    /// The ids that wait, the oldest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u64> + '_ {
        self.waiting.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;

    #[test]
    fn an_id_leaves_once() {
        let mut pending = Pending::new();
        let (first, second) = (pending.insert("first"), pending.insert("second"));
        assert_eq!(pending.take(second), Some("second"));
        assert_eq!(pending.take(second), None);
        assert_eq!(pending.ids().collect::<Vec<_>>(), [first]);
    }

    #[test]
    fn ids_of_their_own_and_new_ones_do_not_meet() {
        let mut pending = Pending::new();
        assert!(pending.insert_under(1, "own") && !pending.insert_under(1, "again"));
        assert_eq!(pending.insert("new"), 2);
        assert_eq!((pending.get(1), pending.get(2)), (Some(&"own"), Some(&"new")));
    }
}
