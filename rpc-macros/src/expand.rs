//! What the attribute turns a trait into: one function for each item, in reading order.

mod argument;
mod calls;
mod client;
mod docs;
mod engine;
mod generics;
mod kept;
mod method;
mod questions;
mod returns;
mod service;
pub(crate) mod trait_item;

use crate::ast::Service;
use proc_macro2::TokenStream;
use quote::quote;

/// Everything that stands in place of the annotated trait.
pub(crate) fn expand(service: &Service) -> TokenStream {
    let item = trait_item::expand(service.original);
    let client = service.has_client.then(|| client::expand(service));
    let served = service.has_server.then(|| [service::expand(service), engine::expand(service)]);
    let served = served.into_iter().flatten();
    let questions = questions::expand(service);
    quote!(#item #client #(#served)* #questions)
}
