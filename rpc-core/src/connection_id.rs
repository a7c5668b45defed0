//! The identity of a connection.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of a connection, unique in the process. Ids count up from 1 in the order in which connections are made.
///
/// ```
/// use rpc_core::connection::Connection;
/// use rpc_core::transport::memory;
///
/// let (here, there) = memory::pair(1024);
/// let (first, _connection) = Connection::client().over(here);
/// let (second, _connection) = Connection::client().over(there);
/// assert!(first.id() < second.id());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(u64);

impl ConnectionId {
    /// Returns an id that no other connection has.
    pub(crate) fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        ConnectionId(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Writes the number.
impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
