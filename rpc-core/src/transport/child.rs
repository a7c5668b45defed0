//! The transport over stdin and stdout of a child process.

use super::child_process::{Child, ChildReaper};
use super::thread_sink::ThreadSink;
use super::thread_source::ThreadSource;
use super::threads::threads;
use super::traits::{Messages, Sink};
use crate::framing::Framing;
use std::io::{self, Read};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::Arc;

/// The transport over a child process. Created by [`child`].
pub type ChildTransport<F> = (ThreadSource<F>, ChildSink<F>);

/// Spawns a child process. Returns its handle and the transport over its stdin and stdout.
///
/// Stdin and stdout of `command` are replaced by pipes. Stderr is left as `command` sets it; it is inherited
/// by default. Threads read, write and wait for the child, on any runtime or none, as for [`threads`].
///
/// Closing or dropping the sink, as a connection does at its end, closes the child's stdin. If the child has
/// not exited after the shutdown timeout, [5 s by default](Child::set_shutdown_timeout), it is killed. It is
/// always waited for and leaves no zombie, unless this process exits first.
///
/// ```
/// use rpc_core::block_on;
/// use rpc_core::transport::{Lines, Messages, Sink, Source, child};
/// use std::process::Command;
///
/// # #[cfg(unix)]
/// # {
/// let (cat, (mut source, mut sink)) = child(Command::new("cat"), Lines::new())?;
/// let mut messages = Messages::new();
/// messages.push(b"[1,2]");
/// block_on(async {
///     sink.send(&messages).await?;
///     let mut message = vec![];
///     assert!(source.receive(&mut message, 100).await?);
///     assert_eq!(message, b"[1,2]");
///     sink.close().await;
///     assert!(cat.wait().await?.success());
///     Ok::<(), std::io::Error>(())
/// })?;
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the child, or the thread that waits for it, cannot be spawned.
pub fn child<F>(mut command: Command, framing: F) -> io::Result<(Child, ChildTransport<F>)>
where
    F: Framing + Clone,
{
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let (reaper, stdin, stdout) = ChildReaper::spawn(command)?;
    let stdout = CheckExitOnDrop { stdout, reaper: reaper.clone() };
    let (source, sink) = threads(stdout, stdin, framing);
    Ok((Child::new(reaper.clone()), (source, ChildSink { sink, child: ShutdownOnDrop(reaper) })))
}

/// Creates the command that runs a command line in the system's shell: `sh -c` on Unix, `cmd /C` on Windows.
///
/// `line` must be one simple command: on Unix, `exec` makes the shell the program, so that a kill reaches it.
///
/// ```
/// let command = rpc_core::transport::shell("my-server --log 'a file'");
/// # #[cfg(unix)]
/// assert_eq!(format!("{command:?}"), r#""sh" "-c" "exec my-server --log 'a file'""#);
/// ```
#[must_use]
pub fn shell(line: &str) -> Command {
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        let mut command = Command::new("cmd");
        command.arg("/C").raw_arg(line);
        command
    }
    #[cfg(not(windows))]
    {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("exec {line}"));
        command
    }
}

/// Writes messages to stdin of a child process. Created by [`child`].
#[derive(Debug)]
pub struct ChildSink<F> {
    sink: ThreadSink<F>,
    child: ShutdownOnDrop,
}

impl<F: Framing> Sink for ChildSink<F> {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        self.sink.send(messages).await
    }

    async fn close(&mut self) {
        self.child.0.begin_shutdown();
        self.sink.close().await;
    }
}

/// Begins the shutdown of the child when it is dropped.
#[derive(Debug)]
struct ShutdownOnDrop(Arc<ChildReaper>);

impl Drop for ShutdownOnDrop {
    fn drop(&mut self) {
        self.0.begin_shutdown();
    }
}

/// Stdout of the child. The reading thread drops it at its end, which usually means that the child exits.
struct CheckExitOnDrop {
    stdout: ChildStdout,
    reaper: Arc<ChildReaper>,
}

impl Read for CheckExitOnDrop {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stdout.read(buffer)
    }
}

impl Drop for CheckExitOnDrop {
    fn drop(&mut self) {
        self.reaper.check_exit();
    }
}
