//! The endpoints that an address can name, one scheme a file.

#[allow(clippy::module_inception, reason = "the file is called after `Endpoint`")]
mod endpoint;
mod exec;
mod scheme;
mod stdio;
mod tcp;
mod unix;

pub use endpoint::Endpoint;
pub(super) use endpoint::SCHEMES;
pub use exec::ExecEndpoint;
#[cfg(feature = "tokio")]
pub(super) use scheme::BindOptions;
pub use stdio::StdioEndpoint;
pub use tcp::TcpEndpoint;
pub use unix::UnixEndpoint;
