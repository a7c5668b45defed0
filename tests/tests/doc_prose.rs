//! Summary lines of the docs: each names its subject or says what the item does, and does not begin with a
//! question word.

use std::fs;
use std::path::{Path, PathBuf};

/// The first words that a summary line must not have.
const QUESTION_WORDS: &[&str] = &["What", "Who", "Whose", "Whom", "Whether", "How", "Which", "Why"];

/// The longest line of a source file, in characters.
const MAX_COLUMNS: usize = 120;

#[test]
fn no_summary_line_begins_with_a_question_word() {
    let mut faults = vec![];
    for_each_file(|file, text| {
        for (number, line) in summaries(text) {
            let first = line.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
            if QUESTION_WORDS.contains(&first) {
                faults.push(format!("{}:{number}: {line}", file.display()));
            }
        }
    });
    assert!(faults.is_empty(), "summary lines begin with a noun or a verb:\n{}", faults.join("\n"));
}

#[test]
fn comments_are_at_most_120_columns_wide() {
    let mut faults = vec![];
    for_each_file(|file, text| {
        for (number, line) in (1..).zip(text.lines()) {
            // A table, a link target or a message in an example may be one long token.
            let is_prose = line.trim_start().starts_with("//") && !line.contains('|') && !line.contains('"');
            if is_prose && line.chars().count() > MAX_COLUMNS {
                faults.push(format!("{}:{number}", file.display()));
            }
        }
    });
    assert!(faults.is_empty(), "lines over {MAX_COLUMNS} columns:\n{}", faults.join("\n"));
}

#[test]
fn a_question_word_is_found_in_every_kind_of_summary() {
    let text =
        "//! What it is.\n\nfn f() {}\n\n/// Whether.\n/// What follows is no summary.\nfn g() {}\n    /// How.\n";
    let found: Vec<_> = summaries(text).map(|(number, line)| (number, line.to_owned())).collect();
    let expected = [(1, "What it is."), (5, "Whether."), (8, "How.")];
    assert_eq!(found, expected.map(|(number, line)| (number, line.to_owned())));
}

/// Returns the first line of each doc comment, with its number.
fn summaries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_inside = false;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let is_first = !is_inside;
        is_inside = doc.is_some();
        doc.filter(|_| is_first).map(|doc| (number, doc.trim_start()))
    })
}

fn for_each_file(mut check: impl FnMut(&Path, &str)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut folders: Vec<PathBuf> = ["rpc-core/src", "rpc-macros/src", "examples", "tests/src", "tests/tests"]
        .map(|folder| root.join(folder))
        .into();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files += 1;
                check(path.strip_prefix(root).expect("inside"), &fs::read_to_string(&path).expect("text"));
            }
        }
    }
    assert!(files > 100, "{files} files");
}
