//! The files of `JSONTestSuite`, which are beside the project and no part of it.

use crate::data;
use std::fs;

/// One file of the suite.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name: it begins with `y_`, `n_` or `i_` for what must be accepted, refused, or either.
    pub name: String,
    /// What is in it, which need not be text.
    pub text: Vec<u8>,
}

/// Every file, by name. `None` when the suite is not there, which is said.
///
/// # Panics
///
/// When it is not there and `CI` is set, or when it cannot be read.
#[must_use]
pub fn files() -> Option<Vec<File>> {
    let folder = data::folder("JSONTestSuite/test_parsing")?;
    let entries = fs::read_dir(&folder).expect("a folder that can be read");
    let mut files: Vec<File> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            File { name, text: fs::read(&path).expect("a file that can be read") }
        })
        .collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(files.len() > 300, "only {} files in {}", files.len(), folder.display());
    Some(files)
}

/// A call of `method` whose only parameter is `text`.
#[must_use]
pub fn within(method: &str, text: &[u8]) -> Vec<u8> {
    let head = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":["#);
    [head.as_bytes(), text, br#"],"id":1}"#].concat()
}

/// A call whose id is `text`.
#[must_use]
pub fn as_id(text: &[u8]) -> Vec<u8> {
    [br#"{"jsonrpc":"2.0","id":"#, text, br#","method":"echo","params":[0]}"#].concat()
}

/// A batch with a call, `text` and another call.
#[must_use]
pub fn as_member(text: &[u8]) -> Vec<u8> {
    let call = |id| format!(r#"{{"jsonrpc":"2.0","method":"echo","params":[{id}],"id":{id}}}"#).into_bytes();
    [b"[", &*call(1), b",", text, b",", &*call(2), b"]"].concat()
}

/// All messages that are made of a file.
#[must_use]
pub fn messages(text: &[u8]) -> [Vec<u8>; 6] {
    [text.to_vec(), within("echo", text), within("value", text), within("numbers", text), as_id(text), as_member(text)]
}
