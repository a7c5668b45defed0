//! Helpers that several tests share: the conformance vectors, comparison of responses as JSON text, an executor
//! without a runtime, a counting allocator, and mutated messages for servers and clients.

pub mod allocator;
pub mod check;
pub mod checked_client;
pub mod counting_service;
pub mod endpoint;
pub mod executor;
pub mod expected_response;
pub mod external_data;
pub mod fast_and_strict;
pub mod json_test_suite;
pub mod mutation;
pub mod param_types;
pub mod random;
pub mod seed_messages;
pub mod task;
pub mod transport_service;
pub mod vector_check;
pub mod vectors;

use std::path::PathBuf;
use std::process::Command;

/// Builds an example and returns the path of its executable.
///
/// # Panics
///
/// Panics if the example cannot be build.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = Command::new(cargo)
        .args(["build", "--quiet", "--message-format=json", "--manifest-path", manifest, "--example", name])
        .output()
        .expect("cargo runs");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let messages = String::from_utf8_lossy(&build.stdout).into_owned();
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    executable.unwrap_or_else(|| panic!("cargo reports no executable for {name}"))
}

/// The code of the README, as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
