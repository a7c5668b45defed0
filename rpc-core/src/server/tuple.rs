//! Several services as one, combined at compile time: a tuple of up to 8 services is a [`Service`].

use super::batch_info::BatchInfo;
use super::info::{MethodInfo, MethodNames};
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::params::BadParams;
use crate::wire::ErrorObject;
use std::convert::Infallible;

/// The service without methods, for a peer that only calls.
impl Service for () {
    type Method = Infallible;
    type Call<'de> = Infallible;
    const NAMES: MethodNames = MethodNames::new(&[]);

    fn for_each_method(&self, _: &mut dyn FnMut(&MethodInfo)) {}
    fn find(&self, _: &str) -> Option<Infallible> {
        None
    }
    fn info(&self, method: Infallible) -> &MethodInfo {
        match method {}
    }
    fn decode<'de>(&'de self, method: Infallible, _: &'de str, _: &mut Option<Infallible>) -> Result<usize, BadParams> {
        match method {}
    }
    async fn run<'a>(&'a self, call: Infallible, _: Responder<'a>) -> Responded {
        match call {}
    }
}

macro_rules! tuples {
    ($($count:literal $one_of:ident($($service:ident $index:tt),+))*) => {$(
        #[doc = concat!("A method or a decoded call of a tuple of ", stringify!($count), " services.")]
        #[derive(Clone, Copy, Debug)]
        pub enum $one_of<$($service),+> {
            $(#[doc = concat!("A method or call of the service at `.", stringify!($index), "`.")] $service($service)),+
        }

        impl<$($service: Service),+> Service for ($($service,)+) {
            type Method = $one_of<$($service::Method),+>;
            type Call<'de> = $one_of<$($service::Call<'de>),+>;
            const NAMES: MethodNames = MethodNames::concat(&[$($service::NAMES),+]);

            fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
                $(self.$index.for_each_method(each);)+
            }
            #[inline]
            fn find(&self, name: &str) -> Option<Self::Method> {
                None$(.or_else(|| self.$index.find(name).map($one_of::$service)))+
            }
            #[inline]
            fn fallback(&self) -> Option<Self::Method> {
                None$(.or_else(|| self.$index.fallback().map($one_of::$service)))+
            }
            fn info(&self, method: Self::Method) -> &MethodInfo {
                match method {
                    $($one_of::$service(method) => self.$index.info(method)),+
                }
            }
            #[inline]
            fn decode<'de>(
                &'de self,
                method: Self::Method,
                params: &'de str,
                call: &mut Option<Self::Call<'de>>,
            ) -> Result<usize, BadParams> {
                match method {
                    $($one_of::$service(method) => {
                        let mut inner = None;
                        let length = self.$index.decode(method, params, &mut inner)?;
                        *call = inner.map($one_of::$service);
                        Ok(length)
                    }),+
                }
            }
            async fn run<'a>(&'a self, call: Self::Call<'a>, responder: Responder<'a>) -> Responded {
                match call {
                    $($one_of::$service(call) => self.$index.run(call, responder).await),+
                }
            }
            #[inline]
            fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
                $(self.$index.batch(batch)?;)+
                Ok(())
            }
        }
    )*};
}
tuples! {
    1 OneOf1(A 0)
    2 OneOf2(A 0, B 1)
    3 OneOf3(A 0, B 1, C 2)
    4 OneOf4(A 0, B 1, C 2, D 3)
    5 OneOf5(A 0, B 1, C 2, D 3, E 4)
    6 OneOf6(A 0, B 1, C 2, D 3, E 4, F 5)
    7 OneOf7(A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    8 OneOf8(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
