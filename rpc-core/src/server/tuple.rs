//! Several services as one, put together when they are compiled.

use super::batch_info::BatchInfo;
use super::info::{MethodInfo, Names};
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::params::BadParams;
use crate::wire::ErrorObject;
use std::convert::Infallible;

/// Serves nothing: for a side that only calls.
impl Service for () {
    type Method = Infallible;
    type Call<'de> = Infallible;
    const NAMES: Names = Names::own(&[]);

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
    ($($either:ident($($part:ident $at:tt),+))*) => {$(
        /// Which of the services of a tuple.
        #[derive(Clone, Copy, Debug)]
        pub enum $either<$($part),+> {
            $(#[doc = "This one."] $part($part)),+
        }

        impl<$($part: Service),+> Service for ($($part,)+) {
            type Method = $either<$($part::Method),+>;
            type Call<'de> = $either<$($part::Call<'de>),+>;
            const NAMES: Names = Names::of(&[$($part::NAMES),+]);

            fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
                $(self.$at.for_each_method(each);)+
            }
            #[inline]
            fn find(&self, name: &str) -> Option<Self::Method> {
                None$(.or_else(|| self.$at.find(name).map($either::$part)))+
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
    Of1(A 0)
    Of2(A 0, B 1)
    Of3(A 0, B 1, C 2)
    Of4(A 0, B 1, C 2, D 3)
    Of5(A 0, B 1, C 2, D 3, E 4)
    Of6(A 0, B 1, C 2, D 3, E 4, F 5)
    Of7(A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    Of8(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
