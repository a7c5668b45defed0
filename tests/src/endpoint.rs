//! Places to listen at that nobody else listens at.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The kinds of addresses that one can listen at, as the beginnings of their texts.
pub const SCHEMES: &[&str] = if cfg!(unix) { &["tcp", "tcp+lsp", "unix", "unix+lsp"] } else { &["tcp", "tcp+lsp"] };

/// A free place of a kind, as an address; any free port for TCP.
#[must_use]
pub fn free(scheme: &str) -> String {
    match scheme.split('+').next() {
        Some("unix") => format!("{scheme}:{}", path().display()),
        _ => format!("{scheme}://127.0.0.1:0"),
    }
}

/// A path for a socket that nothing is at.
#[must_use]
pub fn path() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("rpc-core-{}-{}.sock", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}
