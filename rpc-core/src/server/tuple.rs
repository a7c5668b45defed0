//! Several services as one, put together when they are compiled.

use super::batch_info::BatchInfo;
use super::info::{MethodInfo, MethodNames};
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::params::BadParams;
use crate::wire::ErrorObject;
use std::convert::Infallible;

/// Serves nothing: for a side that only calls.
impl Service for () {
    type Method = Infallible;
    type Call<'de> = Infallible;
    const NAMES: MethodNames = MethodNames::own(&[]);

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
    ($($count:literal $either:ident($($part:ident $at:tt),+))*) => {$(
        #[doc = concat!("A method, or a decoded call, of one of the services of a tuple of ", stringify!($count), ".")]
        #[derive(Clone, Copy, Debug)]
        pub enum $either<$($part),+> {
            $(#[doc = concat!("Of the service at `.", stringify!($at), "`.")] $part($part)),+
        }

        impl<$($part: Service),+> Service for ($($part,)+) {
            type Method = $either<$($part::Method),+>;
            type Call<'de> = $either<$($part::Call<'de>),+>;
            const NAMES: MethodNames = MethodNames::of(&[$($part::NAMES),+]);

            fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
                $(self.$at.for_each_method(each);)+
            }
            #[inline]
            fn find(&self, name: &str) -> Option<Self::Method> {
                None$(.or_else(|| self.$at.find(name).map($either::$part)))+
            }
            #[inline]
            fn fallback(&self) -> Option<Self::Method> {
                None$(.or_else(|| self.$at.fallback().map($either::$part)))+
            }
            fn info(&self, method: Self::Method) -> &MethodInfo {
                match method {
                    $($either::$part(method) => self.$at.info(method)),+
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
                    $($either::$part(method) => {
                        let mut inner = None;
                        let length = self.$at.decode(method, params, &mut inner)?;
                        *call = inner.map($either::$part);
                        Ok(length)
                    }),+
                }
            }
            async fn run<'a>(&'a self, call: Self::Call<'a>, responder: Responder<'a>) -> Responded {
                match call {
                    $($either::$part(call) => self.$at.run(call, responder).await),+
                }
            }
            #[inline]
            fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
                $(self.$at.batch(batch)?;)+
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
