//! The files of `JSONTestSuite`, which are not part of the repository.

use crate::external_data;
use std::fs;

/// One file of the suite.
#[derive(Clone, Debug)]
pub struct File {
    /// The file name. The prefix `y_` means valid JSON, `n_` invalid, and `i_` left to the implementation.
    pub name: String,
    /// The content, not necessarily UTF-8.
    pub text: Vec<u8>,
}

/// Returns every file, sorted by name. If the suite is missing, prints so and returns `None`.
///
/// # Panics
///
/// Panics if the suite is missing and `CI` is set, or if a file cannot be read.
#[must_use]
pub fn files() -> Option<Vec<File>> {
    let folder = external_data::folder("JSONTestSuite/test_parsing")?;
    let entries = fs::read_dir(&folder).expect("a folder that can be read");
    let mut files: Vec<File> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            File { name, text: fs::read(&path).expect("a file that can be read") }
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(files.len() > 300, "only {} files in {}", files.len(), folder.display());
    Some(files)
}

/// Returns a request for `method` whose only parameter is `text`.
#[must_use]
pub fn as_param(method: &str, text: &[u8]) -> Vec<u8> {
    let head = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":["#);
    [head.as_bytes(), text, br#"],"id":1}"#].concat()
}

/// Returns a request whose id is `text`.
#[must_use]
pub fn as_id(text: &[u8]) -> Vec<u8> {
    [br#"{"jsonrpc":"2.0","id":"#, text, br#","method":"echo","params":[0]}"#].concat()
}

/// Returns a batch of a request, `text` and another request.
#[must_use]
pub fn as_member(text: &[u8]) -> Vec<u8> {
    let call = |id| format!(r#"{{"jsonrpc":"2.0","method":"echo","params":[{id}],"id":{id}}}"#).into_bytes();
    [b"[", &*call(1), b",", text, b",", &*call(2), b"]"].concat()
}

/// Returns every message that is built from the text of a file.
#[must_use]
pub fn messages(text: &[u8]) -> [Vec<u8>; 6] {
    [
        text.to_vec(),
        as_param("echo", text),
        as_param("value", text),
        as_param("numbers", text),
        as_id(text),
        as_member(text),
    ]
}
