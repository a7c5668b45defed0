//! The two enums of a service: its methods, and its methods with their decoded arguments.

use super::{argument, boxed_arguments, generics, method};
use crate::ast::Service;
use crate::types::{may_hide_lifetime, mentions};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  pub enum CalcMethod { subtract }
//       const __ARE_SEND: ::core::primitive::bool = { assert_send::<i64>(); true };
//       const __put_is_large: bool = …        for arguments whose tokens do not show their size
//       pub enum CalcCall<'de, const __SEND: bool = __ARE_SEND> { subtract((i64, i64)), … }
pub(super) fn expand(service: &Service) -> TokenStream {
    let items = [
        method_enum(service),
        assert_lifetimes(service),
        assert_send(service),
        boxed_arguments::expand(service),
        call_enum(service),
    ];
    quote!(#(#items)*)
}

fn method_enum(service: &Service) -> TokenStream {
    let name = &service.names.method_enum;
    let variants = service.methods.iter().map(|method| {
        let (cfgs, ident) = (&method.cfgs, method.ident());
        quote!(#(#cfgs)* #ident)
    });
    quote! {
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        pub enum #name { #(#variants),* }
    }
}

/// Uses types with hidden lifetimes where the compiler suggests `Name<'_>`. In the enum it would only report
/// a missing lifetime.
fn assert_lifetimes(service: &Service) -> TokenStream {
    let generics = generics::names(&service.original.generics);
    let methods = service.methods.iter().filter(|method| method.cfgs.is_empty());
    let contained = methods.flat_map(|method| method.params.iter().filter_map(argument::contained_type));
    let types: Vec<_> = contained.filter(|ty| may_hide_lifetime(ty) && !mentions(ty, &generics)).collect();
    if types.is_empty() {
        return TokenStream::new();
    }
    quote! {
        trait __Lifetimes {}
        impl __Lifetimes for (#(::core::marker::PhantomData<#types>,)*) {}
    }
}

/// Asserts `Send` for each type at the user's span. The constant is an argument of the call enum, by
/// default: if an assertion fails, the compiler does not report the same for the enum and for the future of a
/// call. Types that mention the trait's parameters are not asserted.
fn assert_send(service: &Service) -> TokenStream {
    let generics = generics::names(&service.original.generics);
    let contained = service
        .methods
        .iter()
        .flat_map(|method| method.params.iter().filter_map(argument::contained_type).map(move |ty| (method, ty)));
    let types = contained.filter(|(_, ty)| !mentions(ty, &generics)).map(|(method, ty)| (method, ty.to_token_stream()));
    let assertions = method::assert_once(types, &quote!(assert_send));
    quote!(const __ARE_SEND: ::core::primitive::bool = { #assertions true };)
}

/// The variant `__RpcNever` cannot be constructed. It uses the lifetime and the type parameters.
fn call_enum(service: &Service) -> TokenStream {
    let (name, message) = (&service.names.call_enum, &service.names.message);
    let variants = service.methods.iter().map(|method| {
        let (cfgs, ident) = (&method.cfgs, method.ident());
        let types = argument::all(method, message).into_iter().map(|argument| argument.decoded);
        let arguments = quote!((#(#types,)*));
        let stored = match boxed_arguments::size(method, service) {
            Some(size) => quote!(<#size as __rpc::StoreArguments>::Stored<#arguments>),
            None => arguments,
        };
        quote!(#(#cfgs)* #ident(#stored))
    });
    let user = &service.original.generics;
    let params = user.params.iter();
    let bounds = &user.where_clause;
    let types = user.type_params().map(|parameter| &parameter.ident);
    quote! {
        pub enum #name<#message, #(#params,)* const __SEND: ::core::primitive::bool = __ARE_SEND> #bounds {
            #(#variants,)*
            __RpcNever(::core::convert::Infallible, ::core::marker::PhantomData<fn() -> (&#message (), #(#types,)*)>),
        }
    }
}
