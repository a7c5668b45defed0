//! What the engine is generic over: a service without `Send`.
//!
//! Every [`Service`] is one. Whether a call can move between threads shows in its future's own type,
//! so one engine serves both kinds; services of a single thread need no second one.

use super::batch_info::BatchInfo;
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::params::BadParams;
use crate::wire::ErrorObject;

/// As [`Service`], but for the bounds.
pub(super) trait LocalService: 'static {
    /// As [`Service::Method`].
    type Method: Copy;
    /// As [`Service::Call`].
    type Call<'de>;

    /// As [`Service::find`].
    fn find(&self, name: &str) -> Option<Self::Method>;

    /// As [`Service::decode`].
    ///
    /// # Errors
    ///
    /// When the params do not fit.
    fn decode<'de>(
        &'de self,
        method: Self::Method,
        params: &'de str,
        call: &mut Option<Self::Call<'de>>,
    ) -> Result<usize, BadParams>;

    /// As [`Service::run`].
    fn run<'a>(&'a self, call: Self::Call<'a>, responder: Responder<'a>) -> impl Future<Output = Responded> + 'a;

    /// As [`Service::batch`].
    ///
    /// # Errors
    ///
    /// What the batch is refused with.
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject>;
}

impl<S: Service> LocalService for S {
    type Method = <S as Service>::Method;
    type Call<'de> = <S as Service>::Call<'de>;

    #[inline]
    fn find(&self, name: &str) -> Option<Self::Method> {
        Service::find(self, name)
    }
    #[inline]
    fn decode<'de>(
        &'de self,
        method: Self::Method,
        params: &'de str,
        call: &mut Option<Self::Call<'de>>,
    ) -> Result<usize, BadParams> {
        Service::decode(self, method, params, call)
    }
    #[inline]
    fn run<'a>(&'a self, call: Self::Call<'a>, responder: Responder<'a>) -> impl Future<Output = Responded> + 'a {
        Service::run(self, call, responder)
    }
    #[inline]
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        Service::batch(self, batch)
    }
}
