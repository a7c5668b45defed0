//! A service with a middleware around it.

/// A service with a middleware around it, made by [`Service::layer`](super::Service::layer). It is a service
/// again. The example is at [`Middleware`](super::Middleware).
///
/// As a member of a tuple, it handles the methods of its own service, and those that no member serves.
#[derive(Clone, Debug)]
pub struct Layered<M, S> {
    pub(super) middleware: M,
    pub(super) service: S,
}
