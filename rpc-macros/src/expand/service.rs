//! The type of the service, which contains an implementation of the trait.

use super::{generics, method};
use crate::ast::Service;
use proc_macro2::TokenStream;
use quote::quote;

// In:   trait Calc { … }
// Out:  pub struct CalcService<S> { service: Arc<S> }
//       impl<S> CalcService<S> { pub fn new(service: S) -> Self { … } }
pub(super) fn expand(service: &Service) -> TokenStream {
    let vis = &service.original.vis;
    let name = method::service(service);
    let served = &service.names.served;
    let marker = generics::marker(&service.original.generics);
    let declared = generics::with(&service.original.generics, &quote!(#served));
    let (declared, arguments, bounds) = declared.split_for_impl();
    let docs = format!(
        "Serves an implementation of [`{0}`]: pass it to a server, alone or in a tuple.",
        service.original.ident
    );
    quote! {
        #[doc = #docs]
        #[allow(dead_code)]
        #vis struct #name #declared #bounds {
            service: ::std::sync::Arc<#served>,
            types: #marker,
        }

        #[allow(dead_code)]
        impl #declared #name #arguments #bounds {
            /// Creates a service from an implementation of the trait.
            #vis fn new(service: #served) -> Self {
                ::core::convert::From::from(::std::sync::Arc::new(service))
            }
        }

        #[automatically_derived]
        impl #declared ::core::convert::From<::std::sync::Arc<#served>> for #name #arguments #bounds {
            fn from(service: ::std::sync::Arc<#served>) -> Self {
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
