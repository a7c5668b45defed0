//! What a server keeps to, whatever it is asked: its limits, and what its protocol wants differently.

use crate::limits::Limits;
use crate::profile::Profile;

/// The rules of one server; clones of it share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    pub(super) limits: Limits,
    pub(super) profile: Profile,
}

impl Rules {
    /// How many members a batch may have: none where there are no batches.
    pub(super) fn members(&self) -> usize {
        if self.profile.batches { self.limits.batch } else { 0 }
    }
}
