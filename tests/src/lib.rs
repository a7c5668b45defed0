//! What several tests share: the vectors, comparing answers as JSON that keeps its numbers, futures
//! run by hand, an allocator that counts, and messages that are nearly right for servers and clients
//! that must bear them.

pub mod allocator;
pub mod check;
pub mod contract;
pub mod data;
pub mod endpoint;
pub mod json_test_suite;
pub mod listener;
pub mod mutation;
pub mod owed;
pub mod random;
pub mod response;
pub mod seeds;
pub mod shapes;
pub mod side;
pub mod task;
pub mod twins;
pub mod vectors;
pub mod world;

use std::path::PathBuf;
use std::process::Command;

/// The program of an example, built if it is not.
///
/// # Panics
///
/// When it cannot be built.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--message-format=json", "--manifest-path", manifest, "--example", name])
        .output()
        .expect("cargo runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    let program = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    program.unwrap_or_else(|| panic!("cargo names no program for {name}"))
}
