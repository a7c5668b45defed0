//! A mock caller, for testing client code without a server.
//!
//! A [`Mock`] is a [`Caller`](crate::client::Caller), so a generated client can be created with it. It takes
//! the responses from closures ([`Mock::on`]) or from recorded exchanges ([`Mock::replay`]), and keeps the
//! text of every message that was sent ([`Mock::sent`]).

mod exchange;
mod mock_caller;

pub use exchange::BadRecord;
pub use mock_caller::Mock;
