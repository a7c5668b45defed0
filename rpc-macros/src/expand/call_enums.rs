//! The enums of a service: which method, and a method with its decoded arguments.

use super::{argument, boxed_arguments, generics, method};
use crate::ast::Service;
use crate::types::{may_hide_a_lifetime, mentions};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  pub enum __RpcMethod { subtract }
//       const __RPC_SENT: ::core::primitive::bool = { assert_send::<i64>(); true };
//       const __put_is_large: bool = …        for arguments whose size tokens do not tell
//       pub enum __RpcCall<'__de, const __SENT: bool> { subtract((i64, i64)), … }
pub(super) fn expand(service: &Service) -> TokenStream {
    let items = [methods(service), elided(service), sent(service), boxed_arguments::expand(service), calls(service)];
    quote!(#(#items)*)
}

fn methods(service: &Service) -> TokenStream {
    let variants = service.methods.iter().map(|method| {
        let (cfgs, name) = (&method.cfgs, method.ident());
        quote!(#(#cfgs)* #name)
    });
    quote! {
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        pub enum __RpcMethod { #(#variants),* }
    }
}

/// Has the compiler say how a lifetime that is not written can be left out: `Name<'_>`. In the enum it
/// would only say that one is missing.
fn elided(service: &Service) -> TokenStream {
    let names = generics::names(&service.original.generics);
    let methods = service.methods.iter().filter(|method| method.cfgs.is_empty());
    let held = methods.flat_map(|method| method.params.iter().filter_map(argument::held));
    let types: Vec<_> = held.filter(|ty| may_hide_a_lifetime(ty) && !mentions(ty, &names)).collect();
    if types.is_empty() {
        return TokenStream::new();
    }
    quote! {
        trait __RpcWritten {}
        impl __RpcWritten for (#(::core::marker::PhantomData<#types>,)*) {}
    }
}

/// Asks of each type, where the user wrote it, whether it can be sent. The type of a call holds the
/// answer: where there is none, the compiler does not ask the same of the whole call, and of the future
/// that runs it. Types that depend on the trait's parameters cannot be asked here.
fn sent(service: &Service) -> TokenStream {
    let names = generics::names(&service.original.generics);
    let held = service
        .methods
        .iter()
        .flat_map(|method| method.params.iter().filter_map(argument::held).map(move |ty| (method, ty)));
    let types = held.filter(|(_, ty)| !mentions(ty, &names)).map(|(method, ty)| (method, ty.to_token_stream()));
    let questions = method::each_once(types, &quote!(assert_send));
    quote!(const __RPC_SENT: ::core::primitive::bool = { #questions true };)
}

/// The variant that is never made uses the lifetime and the types, whether or not a method does.
fn calls(service: &Service) -> TokenStream {
    let variants = service.methods.iter().map(|method| {
        let (cfgs, name) = (&method.cfgs, method.ident());
        let types = argument::all(method).into_iter().map(|argument| argument.decoded);
        let arguments = quote!((#(#types,)*));
        let kept = match boxed_arguments::size(method, service) {
            Some(size) => quote!(<#size as __rpc::StoreArguments>::Stored<#arguments>),
            None => arguments,
        };
        quote!(#(#cfgs)* #name(#kept))
    });
    let user = &service.original.generics;
    let params = user.params.iter();
    let bounds = &user.where_clause;
    let types = user.type_params().map(|parameter| &parameter.ident);
    quote! {
        pub enum __RpcCall<'__de, const __SENT: ::core::primitive::bool #(, #params)*> #bounds {
            #(#variants,)*
            __RpcNever(::core::convert::Infallible, ::core::marker::PhantomData<fn() -> (&'__de (), #(#types,)*)>),
        }
    }
}
