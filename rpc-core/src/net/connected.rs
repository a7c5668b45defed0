//! What a connection is for who only calls.

use crate::client::{ThreadTimer, Timeout};
use crate::connection::{CloseReason, Peer};

/// The other side of a connection that this side only calls over. A call is given up after 60 seconds, unless the
/// call says otherwise, or [`usual`](Timeout::default_timeout) does for all; the other side is told.
///
/// The connection ends with its last clone: when that is dropped and no call is open. On threads (`connect_blocking`)
/// the drop waits until what was handed over is written, a few seconds at most; a task of tokio ends with its runtime,
/// so an async program that notifies and ends [closes](Self::close) the connection before.
///
/// Its handle is [`caller()`](Timeout::caller), which [tells](Peer::closed) when and why it ended.
///
/// ```no_run
/// use rpc_core::net::{self, Connected};
///
/// fn patient(address: &str) -> std::io::Result<Connected> {
///     Ok(net::connect_blocking(address)?.default_timeout(None))
/// }
/// ```
pub type Connected = Timeout<Peer, ThreadTimer>;

impl Connected {
    /// Ends the connection, and waits until all that was handed over is sent: [`Peer::close`], where the example is.
    pub fn close(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        self.caller().close()
    }
}
