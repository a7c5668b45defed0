//! Unused addresses for listeners.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The URL schemes of the addresses that a listener accepts.
pub const SCHEMES: &[&str] = if cfg!(unix) { &["tcp", "tcp+lsp", "unix", "unix+lsp"] } else { &["tcp", "tcp+lsp"] };

/// Returns an unused address of a scheme. For TCP the port is 0: the system picks one.
#[must_use]
pub fn free(scheme: &str) -> String {
    match scheme.split('+').next() {
        Some("unix") => format!("{scheme}:{}", path().display()),
        _ => format!("{scheme}://127.0.0.1:0"),
    }
}

/// Returns an unused path for a Unix socket.
#[must_use]
pub fn path() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("rpc-core-{}-{}.sock", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}
