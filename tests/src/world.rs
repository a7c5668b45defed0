//! Several futures run by hand, side by side, until nothing can go on.

use crate::task::Task;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

type Boxed = Pin<Box<dyn Future<Output = ()>>>;

/// Futures that are polled when they were woken and never otherwise.
#[derive(Default)]
pub struct World {
    tasks: Vec<Task<Boxed>>,
}

/// What became of a future of a [`World`].
pub struct End<T>(Arc<Mutex<Option<T>>>);

impl<T> End<T> {
    /// The output, if there is one; it can be taken once.
    #[must_use]
    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> fmt::Debug for End<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("End").finish_non_exhaustive()
    }
}

impl World {
    /// Nothing runs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a future. It is first polled by `run`.
    pub fn spawn<F: IntoFuture>(&mut self, future: F) -> End<F::Output>
    where
        F::IntoFuture: 'static,
        F::Output: 'static,
    {
        let end = Arc::new(Mutex::new(None));
        let (future, kept) = (future.into_future(), end.clone());
        let noted = async move {
            let output = future.await;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
        };
        self.tasks.push(Task::new(Box::pin(noted)));
        End(end)
    }

    /// Polls whatever is woken, until nothing is.
    ///
    /// # Panics
    ///
    /// When something wakes itself without end.
    pub fn run(&mut self) {
        let mut turns = 0;
        while self.tasks.iter().any(Task::is_woken) {
            turns += 1;
            assert!(turns < 100_000, "something goes on without end");
            self.tasks.retain_mut(|task| matches!(task.step(), Poll::Pending));
        }
    }

    /// Runs until nothing can go on, and gives what a future came to.
    ///
    /// # Panics
    ///
    /// When it has not ended by then.
    #[track_caller]
    pub fn end<F: IntoFuture>(&mut self, future: F) -> F::Output
    where
        F::IntoFuture: 'static,
        F::Output: 'static,
    {
        let end = self.spawn(future);
        self.run();
        end.take().expect("it waits for what never comes")
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("tasks", &self.tasks.len()).finish()
    }
}
