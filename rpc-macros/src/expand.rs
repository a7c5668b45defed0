//! The code that the attribute generates: one file for each item, in reading order.

mod argument;
mod assertions;
mod boxed_arguments;
mod call_enums;
mod client;
mod client_trait;
mod docs;
mod generics;
mod method;
mod returns;
mod service;
mod service_impl;
pub(crate) mod trait_item;

use crate::ast::Service;
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the code that replaces the annotated trait.
pub(crate) fn expand(service: &Service) -> TokenStream {
    let item = trait_item::expand(service.original);
    // Without a service, nothing uses the trait: it only declares the client's methods.
    let unused = (!service.has_server).then(|| quote!(#[allow(dead_code)]));
    let client = service.has_client.then(|| client::expand(service));
    let client_trait = service.client_trait.map(|_| client_trait::expand(service));
    let served = service.has_server.then(|| [service::expand(service), service_impl::expand(service)]);
    let served = served.into_iter().flatten();
    let assertions = assertions::expand(service);
    quote!(#unused #item #client #client_trait #(#served)* #assertions)
}
