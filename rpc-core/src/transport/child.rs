//! Over stdin and stdout of a child process.

use super::child_process::{Child, ChildReaper};
use super::thread_sink::ThreadSink;
use super::thread_source::ThreadSource;
use super::threads::threads;
use super::traits::{Messages, Sink};
use crate::framing::Framing;
use std::io::{self, Read};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::Arc;

/// The transport over a child process. Made by [`child`], where the example is.
pub type ChildTransport<F> = (ThreadSource<F>, ChildSink<F>);

/// Starts a child process, and gives its handle and the transport over its stdin and stdout.
///
/// Stdin and stdout are piped, whatever the command says. Stderr is left to the command, which by itself has the
/// child write to this process's. Threads read, write and wait, on any runtime or none, as in [`threads`].
///
/// When the sink is closed or dropped, as a connection does at its end, the child's stdin is closed, and
/// the child has [five seconds](Child::set_shutdown_timeout) to exit by itself; then it is killed. It is waited for in any
/// case and leaves no zombie behind, unless this process ends first.
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
/// When the child or the thread that waits for it cannot be started.
pub fn child<F>(mut command: Command, framing: F) -> io::Result<(Child, ChildTransport<F>)>
where
    F: Framing + Clone,
{
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let (reaper, stdin, stdout) = ChildReaper::start(command)?;
    let stdout = ReapOnEof { stdout, reaper: reaper.clone() };
    let (source, sink) = threads(stdout, stdin, framing);
    Ok((Child::of(reaper.clone()), (source, ChildSink { sink, _reap: ReapOnDrop(reaper) })))
}

/// The command that has the system's shell run a command line: `sh -c` on Unix, where the shell becomes the
/// program, so that the child is the program itself; `cmd /C` on Windows. The line is to be one command.
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

/// Gives messages to a child process. Made by [`child`], where the example is.
#[derive(Debug)]
pub struct ChildSink<F> {
    sink: ThreadSink<F>,
    _reap: ReapOnDrop,
}

impl<F: Framing> Sink for ChildSink<F> {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        self.sink.send(messages).await
    }

    async fn close(&mut self) {
        self._reap.0.let_go();
        self.sink.close().await;
    }
}

/// Dropped, it has the child exit.
#[derive(Debug)]
struct ReapOnDrop(Arc<ChildReaper>);

impl Drop for ReapOnDrop {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

/// Who closes its stdout has ended, or will soon.
struct ReapOnEof {
    stdout: ChildStdout,
    reaper: Arc<ChildReaper>,
}

impl Read for ReapOnEof {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stdout.read(buffer)
    }
}

impl Drop for ReapOnEof {
    fn drop(&mut self) {
        self.reaper.look();
    }
}
