//! The library crates do not inherit the lints of the workspace, but repeat them.

use std::fs;
use std::path::Path;

#[test]
fn the_library_crates_repeat_the_lints_of_the_workspace() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| fs::read_to_string(root.join(file)).expect("a manifest");
    let workspace = read("Cargo.toml");
    let lints = &workspace[workspace.find("[workspace.lints").expect("workspace lints")..];
    for krate in ["rpc-core", "rpc-macros"] {
        let manifest = read(&format!("{krate}/Cargo.toml"));
        let own = &manifest[manifest.find("[lints").expect("lints")..];
        assert_eq!(own, lints.replace("[workspace.lints", "[lints"), "{krate}");
    }
}
