//! The file of a Unix socket that a server listens at.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tokio::net::{UnixListener, UnixSocket, UnixStream};

/// The number of connections that the system queues until they are accepted.
const BACKLOG: u32 = 1024;

/// Binds a socket at `path`. Removes the socket of a server that has exited, and no other file.
///
/// # Errors
///
/// `AddrInUse` if a server listens at `path` or another kind of file is there, or the error of the system.
pub(super) async fn bind(path: &Path, mode: Option<u32>) -> io::Result<(UnixListener, SocketFile)> {
    if let Ok(metadata) = fs::symlink_metadata(path) {
        let is_socket = metadata.file_type().is_socket();
        let is_abandoned = is_socket
            && UnixStream::connect(path).await.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused);
        if !is_abandoned {
            let fault = if is_socket { "a server listens there" } else { "the file is not a socket" };
            return Err(io::Error::new(ErrorKind::AddrInUse, fault));
        }
        fs::remove_file(path)?;
    }
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    let file = SocketFile::new(path)?;
    // The mode is set before `listen`: no peer can connect earlier.
    if let Some(mode) = mode {
        fs::set_permissions(path, Permissions::from_mode(mode))?;
    }
    Ok((socket.listen(BACKLOG)?, file))
}

/// The file of a bound socket, removed on drop.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    /// The device and inode: another file may have taken the path since.
    identity: (u64, u64),
}

impl SocketFile {
    fn new(path: &Path) -> io::Result<Self> {
        // Absolute, since the current directory may change.
        let path = std::path::absolute(path)?;
        let identity = identity(&path)?;
        Ok(SocketFile { path, identity })
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            // An error cannot be reported from here.
            let _ = fs::remove_file(&self.path);
        }
    }
}
