//! A caller for tests: it answers from closures or from recorded exchanges, and no server is needed.

mod exchange;
mod mock_caller;

pub use exchange::BadRecord;
pub use mock_caller::Mock;
