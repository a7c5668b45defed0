//! The glue: which methods there are, how their arguments are decoded, how they are run.

use super::{argument, boxed_arguments, call_enums, generics, method, returns};
use crate::ast::{Method, Service};
use crate::types::mentions;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  const _: () = {
//           …the enums
//           impl<__RpcServed: Calc + Send + Sync + 'static> Service for CalcService<__RpcServed> { … }
//       };
pub(super) fn expand(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let calls = call_enums::expand(service);
    let implementation = implementation(service);
    quote! {
        #[allow(
            non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code, deprecated, missing_docs, private_interfaces, unreachable_code,
            missing_debug_implementations, missing_copy_implementations, unused_qualifications, unreachable_pub,
            unreachable_patterns,
            clippy::all, clippy::pedantic
        )]
        const _: () = {
            use #rpc as __rpc;
            #calls
            #implementation
        };
    }
}

fn implementation(service: &Service) -> TokenStream {
    let methods = &service.methods;
    let name = method::service(service);
    let user = &service.original.generics;
    let ident = &service.original.ident;
    let (_, user_arguments, _) = user.split_for_impl();
    let declared = generics::with(
        user,
        &quote!(__RpcServed: #ident #user_arguments + ::core::marker::Send + ::core::marker::Sync + 'static),
    );
    let (declared, arguments, _) = declared.split_for_impl();
    let bounds = bounds(service);
    let each = |one: fn(&Method, &Service) -> TokenStream| {
        methods.iter().map(move |method| {
            let (cfgs, tokens) = (&method.cfgs, one(method, service));
            quote!(#(#cfgs)* #tokens)
        })
    };
    let names = methods.iter().flat_map(wire_names);
    let (infos, finds) = (each(info), each(find));
    let (decodes, runs) = (each(decode), each(run));
    let call_arguments = generics::arguments(user);
    quote! {
        static __RPC_INFO: &[__rpc::MethodInfo] = &[#(#infos),*];

        #[automatically_derived]
        impl #declared __rpc::Service for #name #arguments #bounds {
            type Method = __RpcMethod;
            type Call<'__de> = __RpcCall<'__de, __RPC_SENT #(, #call_arguments)*>;
            const NAMES: __rpc::MethodNames = __rpc::MethodNames::own(&[#(#names),*]);

            fn for_each_method(&self, __each: &mut dyn ::core::ops::FnMut(&__rpc::MethodInfo)) {
                ::core::iter::Iterator::for_each(__RPC_INFO.iter(), __each)
            }

            fn find(&self, __name: &::core::primitive::str) -> ::core::option::Option<__RpcMethod> {
                ::core::option::Option::Some(match __name {
                    #(#finds)*
                    _ => return ::core::option::Option::None,
                })
            }

            fn info(&self, __method: __RpcMethod) -> &__rpc::MethodInfo {
                &__RPC_INFO[__method as ::core::primitive::usize]
            }

            fn decode<'__de>(
                &'__de self,
                __method: __RpcMethod,
                __params: &'__de ::core::primitive::str,
                __call: &mut ::core::option::Option<__RpcCall<'__de, __RPC_SENT #(, #call_arguments)*>>,
            ) -> ::core::result::Result<::core::primitive::usize, __rpc::BadParams> {
                match __method {
                    #(#decodes)*
                }
            }

            // No `async fn`, which would move its arguments once more.
            fn run<'a>(
                &'a self,
                __call: __RpcCall<'a, __RPC_SENT #(, #call_arguments)*>,
                __responder: __rpc::Responder<'a>,
            ) -> impl ::core::future::Future<Output = __rpc::Responded> + ::core::marker::Send + 'a {
                async move {
                    let __service = &*self.service;
                    match __call {
                        #(#runs)*
                        __RpcCall::__RpcNever(__never, _) => match __never {},
                    }
                }
            }
        }
    }
}

/// The user's bounds, and what the wire asks of types that depend on the trait's own parameters.
fn bounds(service: &Service) -> TokenStream {
    let user = &service.original.generics;
    let written =
        user.where_clause.as_ref().map(|clause| clause.predicates.iter().collect::<Vec<_>>()).unwrap_or_default();
    let outlive = user.type_params().map(|parameter| {
        let ident = &parameter.ident;
        quote!(#ident: 'static)
    });
    let names = generics::names(user);
    let inferred = service.methods.iter().flat_map(|method| asked(method, &names));
    quote!(where #(#written,)* #(#outlive,)* #(#inferred,)*)
}

/// What the wire asks of those types of a method that depend on the trait's parameters. Of other types
/// it is not asked here: rustc would ask it of every user of the service, not where it is written.
fn asked(method: &Method, names: &[&Ident]) -> Vec<TokenStream> {
    let params = method.params.iter().zip(argument::all(method)).filter(|(param, _)| mentions(param.ty(), names));
    let decoded = params.map(|(_, argument)| argument.decoded);
    let mut asked: Vec<_> =
        decoded.map(|decoded| quote!(for<'__de> #decoded: __rpc::Deserialize<'__de> + ::core::marker::Send)).collect();
    asked.extend(returns::asked(&method.returns, names));
    asked
}

fn wire_names(method: &Method) -> impl Iterator<Item = TokenStream> {
    let cfgs = &method.cfgs;
    method::names(method).map(move |name| quote!(#(#cfgs)* #name))
}

fn info(method: &Method, _: &Service) -> TokenStream {
    let (name, params) = (&method.wire.name, method::param_names(method));
    let notification = method.options.notification.map(|_| quote!(.notification()));
    let exclusive = method.options.exclusive.map(|_| quote!(.exclusive()));
    let timeout =
        method.options.timeout.map(|(millis, _)| quote!(.with_timeout(::core::time::Duration::from_millis(#millis))));
    let aliases = method.aliases.iter().map(|alias| &alias.name);
    let aliases = (!method.aliases.is_empty()).then(|| quote!(.with_aliases(&[#(#aliases),*])));
    quote!(__rpc::MethodInfo::new(#name, #params) #notification #exclusive #timeout #aliases)
}

fn find(method: &Method, _: &Service) -> TokenStream {
    let (names, ident) = (method::names(method), method.ident());
    quote!(#(#names)|* => __RpcMethod::#ident,)
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  __RpcMethod::subtract => decode_typed(
//           &Signature { names: &["minuend", "subtrahend"], allow_unknown: false }, params, call,
//           (type_token::<i64>(), type_token::<i64>()), __RpcCall::subtract,
//       ),
fn decode(method: &Method, service: &Service) -> TokenStream {
    let ident = method.ident();
    let mut said = method
        .params
        .iter()
        .zip(argument::all(method))
        .map(|(param, argument)| argument::said(param, &argument.decoded));
    let arguments = quote!(__params, __call);
    let make = match boxed_arguments::size(method, service) {
        Some(size) => quote!(|__arguments| __RpcCall::#ident(<#size as __rpc::StoreArguments>::store(__arguments))),
        None => quote!(__RpcCall::#ident),
    };
    // The compiler looks for the type that does not fit only in a call that stands in the user's code.
    let decoded = match method.flat() {
        Some(_) => {
            let said = said.next();
            quote_spanned!(ident.span()=> __rpc::decode_flat_typed(#arguments, #said, #make))
        }
        None => {
            let names = method::param_names(method);
            let open = service.is_open;
            let signature = quote!(&__rpc::Signature { names: #names, allow_unknown: #open });
            quote_spanned!(ident.span()=> __rpc::decode_typed(#signature, #arguments, (#(#said,)*), #make))
        }
    };
    quote!(__RpcMethod::#ident => #decoded,)
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  __RpcCall::subtract((__0, __1)) => {
//           let __result = S::subtract(service, __0, __1).await;
//           responder.value::<i64>(&__result)
//       }
fn run(method: &Method, service: &Service) -> TokenStream {
    let ident = method.ident();
    let values = argument::values(method.params.len());
    let given = given(method);
    let (_, user_arguments, _) = service.original.generics.split_for_impl();
    let name = &service.original.ident;
    let called = quote!(<__RpcServed as #name #user_arguments>::#ident);
    let call = match method.options.blocking {
        Some(place) => blocking(place, &quote!(#called(&*__service, #(#given),*))),
        None => {
            let waited = method.is_async().then(|| quote!(.await));
            quote!(#called(__service, #(#given),*) #waited)
        }
    };
    let response = returns::response(method, &call);
    match boxed_arguments::size(method, service) {
        Some(size) => quote! {
            __RpcCall::#ident(__kept) => {
                let (#(#values,)*) = <#size as __rpc::StoreArguments>::load(__kept);
                #response
            }
        },
        None => quote!(__RpcCall::#ident((#(#values,)*)) => #response,),
    }
}

/// What the method is given, in the order of its parameters.
fn given(method: &Method) -> Vec<TokenStream> {
    let mut given: Vec<_> = argument::all(method).into_iter().map(|argument| argument.given).collect();
    if let Some(context) = &method.context {
        let place = context.ty.span();
        given.insert(context.position, quote_spanned!(place=> __responder.context()));
    }
    given
}

// In:   S::size(&*service, __0)
// Out:  { let service = Arc::clone(&self.service); blocking(move || S::size(&*service, __0)).await }
fn blocking(place: Span, call: &TokenStream) -> TokenStream {
    let spawned = quote_spanned!(place=> __rpc::blocking(move || #call));
    quote!({ let __service = ::core::clone::Clone::clone(&self.service); #spawned.await })
}
