//! A single-threaded executor that runs several futures until none of them is woken.

use crate::task::Task;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

type Boxed = Pin<Box<dyn Future<Output = ()>>>;

/// An executor that polls a future only after it was woken.
#[derive(Default)]
pub struct Executor {
    tasks: Vec<Task<Boxed>>,
}

/// A handle to a future that was spawned on an [`Executor`].
pub struct Spawned<T>(Arc<Mutex<Option<T>>>);

impl<T> Spawned<T> {
    /// Takes the output. Returns `None` while the future is pending, and after the output was taken.
    #[must_use]
    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> fmt::Debug for Spawned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spawned").finish_non_exhaustive()
    }
}

impl Executor {
    /// Creates an executor without futures.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a future, which is first polled by `run`.
    pub fn spawn<F: IntoFuture>(&mut self, future: F) -> Spawned<F::Output>
    where
        F::IntoFuture: 'static,
        F::Output: 'static,
    {
        let slot = Arc::new(Mutex::new(None));
        let (future, output_slot) = (future.into_future(), slot.clone());
        let task = async move {
            let output = future.await;
            *output_slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
        };
        self.tasks.push(Task::new(Box::pin(task)));
        Spawned(slot)
    }

    /// Polls woken futures until none is woken.
    ///
    /// # Panics
    ///
    /// Panics if a future keeps waking itself.
    pub fn run(&mut self) {
        let mut rounds = 0;
        while self.tasks.iter().any(Task::is_woken) {
            rounds += 1;
            assert!(rounds < 100_000, "a future keeps waking itself");
            self.tasks.retain_mut(|task| matches!(task.step(), Poll::Pending));
        }
    }

    /// Runs a future and all spawned ones until none is woken, and returns the output of the future.
    ///
    /// # Panics
    ///
    /// Panics if the future is still pending.
    #[track_caller]
    pub fn block_on<F: IntoFuture>(&mut self, future: F) -> F::Output
    where
        F::IntoFuture: 'static,
        F::Output: 'static,
    {
        let spawned = self.spawn(future);
        self.run();
        spawned.take().expect("the future is pending and not woken")
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").field("tasks", &self.tasks.len()).finish()
    }
}
