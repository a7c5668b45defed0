//! The file of a Unix socket that is listened on.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tokio::net::{UnixListener, UnixSocket, UnixStream};

/// How many connections the system keeps until they are taken.
const BACKLOG: u32 = 1024;

/// Listens on a path. What a server that is gone has left there is removed; nothing else is.
///
/// # Errors
///
/// `AddrInUse` when something is there that is no socket, or one that somebody listens on; else what the system says.
pub(super) async fn bind(path: &Path, mode: Option<u32>) -> io::Result<(UnixListener, SocketFile)> {
    if let Ok(there) = fs::symlink_metadata(path) {
        let is_socket = there.file_type().is_socket();
        let is_left = is_socket
            && UnixStream::connect(path).await.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused);
        if !is_left {
            let why = if is_socket { "somebody listens there" } else { "something is there that is no socket" };
            return Err(io::Error::new(ErrorKind::AddrInUse, why));
        }
        fs::remove_file(path)?;
    }
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    let file = SocketFile::of(path)?;
    // Before anybody can connect.
    if let Some(mode) = mode {
        fs::set_permissions(path, Permissions::from_mode(mode))?;
    }
    Ok((socket.listen(BACKLOG)?, file))
}

/// The file that a listener has made; it is removed when this is dropped.
pub(super) struct SocketFile {
    path: PathBuf,
    /// Which file it is: another may have taken its name since.
    identity: (u64, u64),
}

impl SocketFile {
    fn of(path: &Path) -> io::Result<Self> {
        // The program may change its folder.
        let path = std::path::absolute(path)?;
        let identity = identity(&path)?;
        Ok(SocketFile { path, identity })
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|there| there == self.identity) {
            // What fails now is nobody's concern any more.
            let _ = fs::remove_file(&self.path);
        }
    }
}
