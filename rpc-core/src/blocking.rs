//! Methods with `#[rpc(blocking)]`, which run on the blocking pool of tokio.

#[cfg(feature = "tokio")]
pub use with_tokio::blocking;
#[cfg(not(feature = "tokio"))]
pub use without_tokio::blocking;

#[cfg(feature = "tokio")]
mod with_tokio {
    use std::panic::resume_unwind;

    /// Runs `work` on tokio's blocking pool. A panic in it is resumed here, where it fails the call.
    pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            resume_unwind(Box::new("no tokio runtime is entered; a blocking method must be called inside one"));
        };
        match runtime.spawn_blocking(work).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(payload) => resume_unwind(payload),
                Err(error) => resume_unwind(Box::new(format!("the blocking pool dropped the call: {error}"))),
            },
        }
    }
}

#[cfg(not(feature = "tokio"))]
mod without_tokio {
    /// A bound that no type meets.
    #[diagnostic::on_unimplemented(
        message = "`#[rpc(blocking)]` requires the feature `tokio` of rpc-core",
        label = "this method runs on the blocking pool of tokio",
        note = "write `rpc-core = {{ …, features = [\"tokio\"] }}` in Cargo.toml"
    )]
    pub trait FeatureTokio {}

    /// Replaces the function that needs the feature. Each use is a compile error that names the feature.
    pub async fn blocking<T, W: FnOnce() -> T + FeatureTokio>(work: W) -> T {
        work()
    }
}
