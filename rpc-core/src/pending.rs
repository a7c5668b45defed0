//! Outgoing ids and who waits for them.
//!
//! No I/O and no clock. An id is given once and leaves this table once.

use crate::wire::Id;
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
        let id = self.next;
        self.next += 1;
        self.waiting.insert(id, waiter);
        id
    }

    /// Takes out who waits for `id`.
    pub(crate) fn complete(&mut self, id: &Id<'_>) -> Option<(u64, W)> {
        let id = id.as_u64()?;
        Some((id, self.waiting.remove(&id)?))
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
    use crate::wire::Id;

    #[test]
    fn an_id_leaves_once() {
        let mut pending = Pending::new();
        let (first, second) = (pending.insert("first"), pending.insert("second"));
        assert_eq!(pending.complete(&Id::from(second)), Some((second, "second")));
        assert_eq!(pending.complete(&Id::from(second)), None);
        assert_eq!(pending.ids().collect::<Vec<_>>(), [first]);
        assert_eq!(pending.complete(&Id::from(first.to_string().as_str())), None);
        assert_eq!(pending.complete(&Id::from_token("1.0").expect("an id")), Some((first, "first")));
    }
}
