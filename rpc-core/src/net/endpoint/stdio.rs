//! `stdio:`

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
#[cfg(feature = "tokio")]
use crate::transport::StdioAcceptor;
use crate::transport::stdio;
use std::fmt;
use std::io;
#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

/// Stdin and stdout of this process: [`transport::stdio`](crate::transport::stdio).
///
/// ```
/// use rpc_core::net::{Address, StdioEndpoint};
///
/// assert_eq!(Address::headers(StdioEndpoint).to_string(), "stdio+lsp:");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StdioEndpoint;

impl Scheme for StdioEndpoint {
    const NAME: &'static str = "stdio";
    const FORMS: &'static [&'static str] = &[""];

    fn parse(rest: &str) -> Result<Self, String> {
        if rest.is_empty() { Ok(StdioEndpoint) } else { Err("unexpected text after `stdio:`".to_owned()) }
    }

    fn fmt_rest(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn connect_blocking<S: Service>(&self, framing: AnyFraming, builder: Builder<S>) -> io::Result<Peer> {
        spawn_thread(builder.over(stdio(framing)), ())
    }

    #[cfg(feature = "tokio")]
    async fn connect<S: Service>(
        &self,
        framing: AnyFraming,
        builder: Builder<S>,
        runtime: &Handle,
    ) -> io::Result<Peer> {
        Ok(spawn_task(runtime, builder.over(stdio(framing))))
    }

    #[cfg(feature = "tokio")]
    async fn bind<S: Service>(self, framing: AnyFraming, _: &BindOptions) -> io::Result<(Self, BoundAcceptor<S>)> {
        Ok((self, BoundAcceptor::new(StdioAcceptor::new(framing))))
    }
}
