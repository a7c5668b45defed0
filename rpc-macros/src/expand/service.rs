//! The service's type: an implementation of the trait, made callable.

use super::{generics, method};
use crate::ast::Service;
use proc_macro2::TokenStream;
use quote::quote;

// In:   trait Calc { … }
// Out:  pub struct CalcService<__RpcServed> { service: Arc<__RpcServed> }
//       impl<__RpcServed> CalcService<__RpcServed> { pub fn new(service: __RpcServed) -> Self { … } }
pub(super) fn expand(service: &Service) -> TokenStream {
    let vis = &service.original.vis;
    let name = method::service(service);
    let marker = generics::marker(&service.original.generics);
    let declared = generics::with(&service.original.generics, &quote!(__RpcServed));
    let (declared, arguments, bounds) = declared.split_for_impl();
    let docs = format!(
        "Serves a value that implements [`{0}`]: give it to a server, alone or in a tuple.",
        service.original.ident
    );
    quote! {
        #[doc = #docs]
        #[allow(dead_code)]
        #vis struct #name #declared #bounds {
            service: ::std::sync::Arc<__RpcServed>,
            types: #marker,
        }

        #[allow(dead_code)]
        impl #declared #name #arguments #bounds {
            /// Serves `service`.
            #vis fn new(service: __RpcServed) -> Self {
                ::core::convert::From::from(::std::sync::Arc::new(service))
            }
        }

        #[automatically_derived]
        impl #declared ::core::convert::From<::std::sync::Arc<__RpcServed>> for #name #arguments #bounds {
            fn from(service: ::std::sync::Arc<__RpcServed>) -> Self {
                Self { service, types: ::core::marker::PhantomData }
            }
        }

        #[automatically_derived]
        impl #declared ::core::clone::Clone for #name #arguments #bounds {
            fn clone(&self) -> Self {
                ::core::convert::From::from(::core::clone::Clone::clone(&self.service))
            }
        }

        #[automatically_derived]
        impl #declared ::core::fmt::Debug for #name #arguments #bounds {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Formatter::write_str(__f, ::core::stringify!(#name))
            }
        }
    }
}
