//! What the compiler is asked about results: each question stands where the user's type stands.

use super::returns;
use crate::ast::Service;
use proc_macro2::{Span, TokenStream};
use quote::quote;

// In:   async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
// Out:  const _: () = { …assert_deserialize::<i64>()… };
pub(super) fn expand(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let fallible = returns::fallible(service);
    // What no client reads need not be readable.
    let readable = service.has_client.then(|| returns::readable(service));
    quote! {
        #[allow(deprecated, unused_imports, clippy::all, clippy::pedantic)]
        const _: () = {
            use #rpc as __rpc;
            use __rpc::NotResult as _;
            #fallible
            #readable
        };
    }
}
