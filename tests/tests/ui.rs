//! The traits that the attribute accepts, and the errors for those that it refuses.
//!
//! Each file in `ui/fail` has one error, in a folder by its kind, with the expected message beside it. Each
//! file in `ui/pass` compiles and runs. Files in `ui/bounds` have errors of rustc itself: they run only on
//! the pinned compiler, with `RPC_UI_BOUNDS=1`. `TRYBUILD=overwrite` writes the expected messages.

use std::io::Write;
use trybuild::TestCases;

#[test]
fn invalid_traits_are_refused() {
    TestCases::new().compile_fail("ui/fail/*/*.rs");
}

#[test]
fn valid_traits_compile_and_run() {
    TestCases::new().pass("ui/pass/*.rs");
}

#[test]
fn unmet_bounds_are_explained() {
    if std::env::var_os("RPC_UI_BOUNDS").is_none_or(|value| value != "1") {
        // The test harness does not show the `println` output of a test that passes.
        let _ = writeln!(std::io::stderr(), "ui/bounds is skipped: set RPC_UI_BOUNDS=1 on the pinned compiler");
        return;
    }
    TestCases::new().compile_fail("ui/bounds/*.rs");
    // Errors in constants appear only when code is generated: with a case that passes, trybuild runs a build
    // instead of a check.
    let built = TestCases::new();
    built.pass("ui/pass/two_traits.rs");
    built.compile_fail("ui/bounds/built/*.rs");
}
