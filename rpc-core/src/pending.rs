//! The ids of sent calls.
//!
//! No I/O and no clock. An id is assigned once and leaves this table once.

use std::collections::BTreeMap;

/// The pending calls by id, each with a value of type `T`.
#[derive(Debug)]
pub(crate) struct Pending<T> {
    next_id: u64,
    calls: BTreeMap<u64, T>,
}

impl<T> Pending<T> {
    /// Creates an empty table. The first id is 1.
    pub(crate) fn new() -> Self {
        Pending { next_id: 1, calls: BTreeMap::new() }
    }

    /// Inserts a call under a new id, and returns the id.
    pub(crate) fn insert(&mut self, value: T) -> u64 {
        while self.calls.contains_key(&self.next_id) {
            self.next_id += 1;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.calls.insert(id, value);
        id
    }

    /// Inserts a call under the given id. Returns `false` if the id is in use.
    pub(crate) fn insert_with_id(&mut self, id: u64, value: T) -> bool {
        let is_free = !self.calls.contains_key(&id);
        if is_free {
            self.calls.insert(id, value);
        }
        is_free
    }

    /// Returns the value of a pending call.
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        self.calls.get(&id)
    }

    /// Removes a call, and returns its value.
    pub(crate) fn take(&mut self, id: u64) -> Option<T> {
        self.calls.remove(&id)
    }

    /// Returns the number of pending calls.
    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Returns whether a call with this id is pending.
    pub(crate) fn contains(&self, id: u64) -> bool {
        self.calls.contains_key(&id)
    }

    /// Returns the pending calls in the order of their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> + '_ {
        self.calls.iter().map(|(id, value)| (*id, value))
    }

    /// Returns the ids of the pending calls in ascending order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u64> + '_ {
        self.calls.keys().copied()
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
    fn explicit_and_new_ids_do_not_collide() {
        let mut pending = Pending::new();
        assert!(pending.insert_with_id(1, "explicit") && !pending.insert_with_id(1, "again"));
        assert_eq!(pending.insert("new"), 2);
        assert_eq!((pending.get(1), pending.get(2)), (Some(&"explicit"), Some(&"new")));
    }
}
