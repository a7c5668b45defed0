//! The settings of a connection, without its server.

use crate::extensions::Extensions;
use crate::limits::{CALL_TIMEOUT, CLIENT_SHUTDOWN_TIMEOUT, ConnectionLimits};
use crate::time::{ThreadTimer, Timer};
use std::sync::Arc;
use std::time::Duration;

/// The settings of a connection; the builder documents each.
pub(super) struct Config {
    pub(super) limits: ConnectionLimits,
    /// `false` for a client. A client need not respond to invalid messages.
    pub(super) has_service: bool,
    pub(super) extensions: Extensions,
    pub(super) timer: Arc<dyn Timer>,
    pub(super) call_timeout: Option<Duration>,
    pub(super) shutdown_timeout: Option<Duration>,
    pub(super) half_close_timeout: Option<Duration>,
    pub(super) idle_timeout: Option<Duration>,
    /// The time that dropping a client's last handle blocks until the connection has ended.
    pub(super) drop_timeout: Duration,
}

impl Config {
    /// Returns the defaults. A connection without a service is a client.
    pub(super) fn new(has_service: bool) -> Self {
        Config {
            limits: ConnectionLimits::default(),
            has_service,
            extensions: Extensions::default(),
            timer: Arc::new(ThreadTimer),
            call_timeout: Some(CALL_TIMEOUT),
            shutdown_timeout: (!has_service).then_some(CLIENT_SHUTDOWN_TIMEOUT),
            half_close_timeout: None,
            idle_timeout: None,
            drop_timeout: Duration::ZERO,
        }
    }
}
