//! `exec:`

#[cfg(feature = "tokio")]
use super::scheme::BindOptions;
use super::scheme::Scheme;
use crate::connection::{Builder, Peer};
use crate::framing::AnyFraming;
#[cfg(feature = "tokio")]
use crate::net::accept_loop::BoundAcceptor;
#[cfg(feature = "tokio")]
use crate::net::spawn::spawn_task;
use crate::net::spawn::spawn_thread;
use crate::server::Service;
use crate::transport::{child, shell};
use std::fmt;
use std::io;
#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

/// Stdin and stdout of a child process: [`transport::child`](crate::transport::child) of
/// [`transport::shell`](crate::transport::shell).
///
/// ```
/// use rpc_core::net::{Address, ExecEndpoint};
///
/// let endpoint = ExecEndpoint { command_line: "my-server --verbose".to_owned() };
/// assert_eq!(Address::lines(endpoint).to_string(), "exec:my-server --verbose");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExecEndpoint {
    /// The command line for the system's shell.
    pub command_line: String,
}

impl Scheme for ExecEndpoint {
    const NAME: &'static str = "exec";
    const FORMS: &'static [&'static str] = &["COMMAND LINE"];

    fn parse(rest: &str) -> Result<Self, String> {
        if rest.trim().is_empty() {
            return Err("the command line is missing".to_owned());
        }
        Ok(ExecEndpoint { command_line: rest.to_owned() })
    }

    fn fmt_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.command_line)
    }

    fn connect_blocking<S: Service>(&self, framing: AnyFraming, builder: Builder<S>) -> io::Result<Peer> {
        spawn_thread(builder.over(child(shell(&self.command_line), framing)?.1), ())
    }

    #[cfg(feature = "tokio")]
    async fn connect<S: Service>(
        &self,
        framing: AnyFraming,
        builder: Builder<S>,
        runtime: &Handle,
    ) -> io::Result<Peer> {
        Ok(spawn_task(runtime, builder.over(child(shell(&self.command_line), framing)?.1)))
    }

    #[cfg(feature = "tokio")]
    async fn bind<S: Service>(self, _: AnyFraming, _: &BindOptions) -> io::Result<(Self, BoundAcceptor<S>)> {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "a listener cannot listen at a child process"))
    }
}
