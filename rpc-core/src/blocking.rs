//! Methods that block: run on the pool that the runtime keeps for them.

#[cfg(feature = "tokio")]
pub use on_tokio::blocking;
#[cfg(not(feature = "tokio"))]
pub use without::blocking;

#[cfg(feature = "tokio")]
mod on_tokio {
    use std::panic::resume_unwind;

    /// Runs `work` on tokio's blocking pool. A panic in it goes on here, where it ends the call.
    pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            resume_unwind(Box::new("a blocking method needs a tokio runtime: handle its messages inside one"));
        };
        match runtime.spawn_blocking(work).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(payload) => resume_unwind(payload),
                Err(error) => resume_unwind(Box::new(format!("the blocking pool gave the call up: {error}"))),
            },
        }
    }
}

#[cfg(not(feature = "tokio"))]
mod without {
    /// What nothing is.
    #[diagnostic::on_unimplemented(
        message = "`#[rpc(blocking)]` requires the feature `tokio` of rpc-core",
        label = "this method runs on the blocking pool of tokio",
        note = "write `rpc-core = {{ …, features = [\"tokio\"] }}` in Cargo.toml"
    )]
    pub trait FeatureTokio {}

    /// Stands in for the function that needs the feature, to say so.
    pub async fn blocking<T, W: FnOnce() -> T + FeatureTokio>(work: W) -> T {
        work()
    }
}
