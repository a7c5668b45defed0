//! Other people's test data, which is beside the project and no part of it.

use std::path::{Path, PathBuf};

/// A folder of the data. `None` when it is not there, which is said.
///
/// # Panics
///
/// When it is not there and `CI` is set.
#[must_use]
pub fn folder(name: &str) -> Option<PathBuf> {
    let folder = root().join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    let missing = format!("{} is not there; RPC_TEST_DATA says where the data is", folder.display());
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    println!("skipped: {missing}");
    None
}

/// Next to the checkout, if nothing else is said.
fn root() -> PathBuf {
    match std::env::var_os("RPC_TEST_DATA") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    }
}
