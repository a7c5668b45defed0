//! A hold on a connection.

use super::shared::Shared;
use std::fmt;
use std::sync::Arc;

/// What handles, and calls on their way, hold of a connection.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) shared: Arc<Shared>,
    _life: Option<Arc<Life>>,
}

impl Line {
    /// One that does not keep the connection alive, and so does not end it.
    pub(super) fn of(shared: Arc<Shared>) -> Self {
        Line { shared, _life: None }
    }

    /// The first of those that keep the connection alive: it is stopped when the last of them is gone.
    pub(super) fn keeping(shared: Arc<Shared>) -> Self {
        let life = Some(Arc::new(Life(shared.clone())));
        Line { shared, _life: life }
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.fmt(f)
    }
}

struct Life(Arc<Shared>);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.stop();
    }
}
