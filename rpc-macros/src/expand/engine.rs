//! The glue: which methods there are, how their arguments are decoded, how they are run.

use super::{argument, generics, method};
use crate::ast::{Method, Returns, Service};
use proc_macro2::TokenStream;
use quote::quote;

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  const _: () = {
//           pub enum __Method { subtract }
//           pub enum __Call<'de> { subtract((i64, i64)), … }
//           impl<__S: Calc + Send + Sync + 'static> Service for CalcService<__S> { … }
//       };
pub(super) fn expand(service: &Service) -> TokenStream {
    let krate = &service.krate;
    let enums = [methods(service), calls(service)];
    let implementation = implementation(service);
    quote! {
        #[allow(
            non_camel_case_types, non_snake_case, dead_code, deprecated, missing_docs, private_interfaces, unreachable_code,
            missing_debug_implementations, missing_copy_implementations, unused_qualifications, unreachable_pub,
            clippy::all, clippy::pedantic
        )]
        const _: () = {
            use #krate::__private as __rpc;
            #(#enums)*
            #implementation
        };
    }
}

fn methods(service: &Service) -> TokenStream {
    let variants = service.methods.iter().map(|method| {
        let (cfgs, name) = (method.cfgs(), method.ident());
        quote!(#(#cfgs)* #name)
    });
    quote! {
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        pub enum __Method { #(#variants),* }
    }
}

/// The variant that is never made uses the lifetime and the types, whether or not a method does.
fn calls(service: &Service) -> TokenStream {
    let variants = service.methods.iter().map(|method| {
        let (cfgs, name) = (method.cfgs(), method.ident());
        let types = arguments(method, service).into_iter().map(|argument| argument.decoded);
        quote!(#(#cfgs)* #name((#(#types,)*)))
    });
    let user = &service.original.generics;
    let params = user.params.iter();
    let bounds = &user.where_clause;
    let types = user.type_params().map(|parameter| &parameter.ident);
    quote! {
        pub enum __Call<'de, #(#params),*> #bounds {
            #(#variants,)*
            __Never(::core::convert::Infallible, ::core::marker::PhantomData<fn() -> (&'de (), #(#types,)*)>),
        }
    }
}

fn arguments(method: &Method, service: &Service) -> Vec<argument::Argument> {
    let values = argument::values(method.params.len());
    method.params.iter().zip(&values).map(|(param, value)| argument::expand(param, value, &service.krate)).collect()
}

fn implementation(service: &Service) -> TokenStream {
    let methods = &service.methods;
    let name = method::service(service);
    let user = &service.original.generics;
    let ident = &service.original.ident;
    let (_, user_arguments, _) = user.split_for_impl();
    let declared = generics::with(
        user,
        &quote!(__S: #ident #user_arguments + ::core::marker::Send + ::core::marker::Sync + 'static),
    );
    let (declared, arguments, _) = declared.split_for_impl();
    let bounds = bounds(service);
    let each = |one: fn(&Method, &Service) -> TokenStream| {
        methods.iter().map(move |method| {
            let (cfgs, tokens) = (method.cfgs(), one(method, service));
            quote!(#(#cfgs)* #tokens)
        })
    };
    let (names, infos, finds) = (each(wire_name), each(info), each(find));
    let (decodes, runs) = (each(decode), each(run));
    let call_arguments = generics::arguments(user);
    quote! {
        static __INFO: &[__rpc::MethodInfo] = &[#(#infos),*];

        #[automatically_derived]
        impl #declared __rpc::Service for #name #arguments #bounds {
            type Method = __Method;
            type Call<'de> = __Call<'de #(, #call_arguments)*>;
            const NAMES: __rpc::Names = __rpc::Names::own(&[#(#names),*]);

            fn each(&self, __each: &mut dyn ::core::ops::FnMut(&__rpc::MethodInfo)) {
                ::core::iter::Iterator::for_each(__INFO.iter(), __each)
            }

            fn find(&self, __name: &::core::primitive::str) -> ::core::option::Option<__Method> {
                ::core::option::Option::Some(match __name {
                    #(#finds)*
                    _ => return ::core::option::Option::None,
                })
            }

            fn info(&self, __method: __Method) -> &__rpc::MethodInfo {
                &__INFO[__method as ::core::primitive::usize]
            }

            fn decode<'de>(
                &'de self,
                __method: __Method,
                __params: &'de ::core::primitive::str,
                __call: &mut ::core::option::Option<Self::Call<'de>>,
            ) -> ::core::result::Result<::core::primitive::usize, __rpc::BadParams> {
                match __method {
                    #(#decodes)*
                }
            }

            async fn run<'a>(&'a self, __call: Self::Call<'a>, __reply: __rpc::Reply<'a>) -> __rpc::Answered {
                let __service = &*self.service;
                match __call {
                    #(#runs)*
                    __Call::__Never(__never, _) => match __never {},
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
    let mut inferred = Vec::new();
    if user.type_params().next().is_some() {
        for method in &service.methods {
            for argument in arguments(method, service) {
                let decoded = argument.decoded;
                inferred.push(quote!(for<'de> #decoded: __rpc::Deserialize<'de> + ::core::marker::Send));
            }
            match &method.returns {
                Returns::Nothing => {}
                Returns::Value(ty) => inferred.push(quote!(#ty: __rpc::Serialize)),
                Returns::Result(ty) => {
                    inferred.push(quote!(#ty: __rpc::Outcome<Ok: __rpc::Serialize, Err: __rpc::RpcError>));
                }
            }
        }
    }
    quote!(where #(#written,)* #(#outlive,)* #(#inferred,)*)
}

fn wire_name(method: &Method, _: &Service) -> TokenStream {
    let name = &method.wire.name;
    quote!(#name)
}

fn info(method: &Method, _: &Service) -> TokenStream {
    let (name, params) = (&method.wire.name, method::param_names(method));
    let notification = method.notification.map(|_| quote!(.notification()));
    quote!(__rpc::MethodInfo::new(#name, #params) #notification)
}

fn find(method: &Method, _: &Service) -> TokenStream {
    let (name, ident) = (&method.wire.name, method.ident());
    quote!(#name => __Method::#ident,)
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  __Method::subtract => decode(Signature { names: &["minuend", "subtrahend"], open: false }, params, call, __Call::subtract),
fn decode(method: &Method, _: &Service) -> TokenStream {
    let ident = method.ident();
    match method.flat() {
        Some(_) => quote!(__Method::#ident => __rpc::decode_flat(__params, __call, __Call::#ident),),
        None => {
            let names = method::param_names(method);
            quote!(__Method::#ident => __rpc::decode(__rpc::Signature { names: #names, open: false }, __params, __call, __Call::#ident),)
        }
    }
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  __Call::subtract((__0, __1)) => { let __result = S::subtract(service, __0, __1).await; reply.value(&__result) }
fn run(method: &Method, service: &Service) -> TokenStream {
    let ident = method.ident();
    let values = argument::values(method.params.len());
    let given = arguments(method, service).into_iter().map(|argument| argument.given);
    let waited = method.is_async().then(|| quote!(.await));
    let (_, user_arguments, _) = service.original.generics.split_for_impl();
    let name = &service.original.ident;
    let call = quote!(<__S as #name #user_arguments>::#ident(__service, #(#given),*) #waited);
    let answer = match &method.returns {
        Returns::Result(_) => quote!(__reply.result(#call)),
        Returns::Nothing | Returns::Value(_) => quote!({ let __result = #call; __reply.value(&__result) }),
    };
    quote!(__Call::#ident((#(#values,)*)) => #answer,)
}
