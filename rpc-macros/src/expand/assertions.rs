//! Constants that assert properties of results. Each has the span of the user's type.

use super::returns;
use crate::ast::Service;
use proc_macro2::{Span, TokenStream};
use quote::quote;

// In:   async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
// Out:  const _: () = { …assert_deserialize::<i64>()… };
pub(super) fn expand(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let no_results = returns::assert_no_results(service);
    // Only a client decodes results.
    let deserialize = service.has_client.then(|| returns::assert_deserialize(service));
    quote! {
        #[allow(deprecated, unused_imports, clippy::all, clippy::pedantic)]
        const _: () = {
            use #rpc as __rpc;
            use __rpc::NotResult as _;
            #no_results
            #deserialize
        };
    }
}
