//! Third-party test data, which is not part of the repository.

use std::path::{Path, PathBuf};

/// Returns a folder of the data. If the folder is missing, prints so and returns `None`.
///
/// # Panics
///
/// Panics if the folder is missing and `CI` is set.
#[must_use]
pub fn folder(name: &str) -> Option<PathBuf> {
    let folder = root().join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    let missing = format!("{} is missing; set RPC_TEST_DATA to the folder of the data", folder.display());
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    println!("skipped: {missing}");
    None
}

/// `RPC_TEST_DATA`; next to the checkout by default.
fn root() -> PathBuf {
    match std::env::var_os("RPC_TEST_DATA") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    }
}
