//! What the attribute accepts, what it refuses, and what it says then.
//!
//! Each file under `ui/fail` holds one mistake, in a folder by its kind; the message beside it is
//! ours. Each file under `ui/pass` compiles and runs. `ui/bounds` has the messages that rustc words
//! itself: they run only where `RPC_UI_BOUNDS=1` says that the compiler is the pinned one.
//! `TRYBUILD=overwrite` writes the messages anew.

use std::io::Write;
use trybuild::TestCases;

#[test]
fn mistakes_are_named() {
    TestCases::new().compile_fail("ui/fail/*/*.rs");
}

#[test]
fn legal_forms_compile_and_run() {
    TestCases::new().pass("ui/pass/*.rs");
}

#[test]
fn bounds_are_explained() {
    if std::env::var_os("RPC_UI_BOUNDS").is_none_or(|value| value != "1") {
        // Not `println`, which the test harness keeps to itself when a test passes.
        let _ = writeln!(std::io::stderr(), "ui/bounds is skipped: set RPC_UI_BOUNDS=1 on the pinned compiler");
        return;
    }
    TestCases::new().compile_fail("ui/bounds/*.rs");
    // Some mistakes are found only when code is made: a case that passes has the others built, not
    // merely checked.
    let built = TestCases::new();
    built.pass("ui/pass/two_traits.rs");
    built.compile_fail("ui/bounds/built/*.rs");
}
