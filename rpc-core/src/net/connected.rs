//! What a connection is for who only calls.

use crate::client::{ThreadTimer, Timed};
use crate::connection::Peer;

/// The other side of a connection that this side only calls over. A call is given up after 60 seconds, unless the
/// call says otherwise, or [`usual`](Timed::usual) does for all; the other side is told.
///
/// The connection ends with its last clone: when that is dropped and no call is open. Its handle is
/// [`caller()`](Timed::caller), which can [stop](Peer::stop) it and [tells](Peer::ended) when and why it ended.
///
/// ```no_run
/// use rpc_core::net::{self, Connected};
///
/// fn patient(address: &str) -> std::io::Result<Connected> {
///     Ok(net::connect_blocking(address)?.usual(None))
/// }
/// ```
pub type Connected = Timed<Peer, ThreadTimer>;
