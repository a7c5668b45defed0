//! The implementation of `Service`: the methods, how their params are decoded and how they are called.

use super::{argument, boxed_arguments, call_enums, generics, method, returns};
use crate::ast::{Method, Service};
use crate::types::mentions;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  const _: () = {
//           …the enums
//           impl<S: Calc + Send + Sync + 'static> Service for CalcService<S> { … }
//       };
pub(super) fn expand(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let enums = call_enums::expand(service);
    let implementation = implementation(service);
    quote! {
        #[allow(
            non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code, deprecated, missing_docs,
            private_interfaces, unreachable_code, missing_debug_implementations, missing_copy_implementations,
            unused_qualifications, unreachable_pub, unreachable_patterns,
            clippy::all, clippy::pedantic
        )]
        const _: () = {
            use #rpc as __rpc;
            #enums
            #implementation
        };
    }
}

fn implementation(service: &Service) -> TokenStream {
    let methods = &service.methods;
    let names = &service.names;
    let (served, message) = (&names.served, &names.message);
    let (method_enum, call_enum) = (&names.method_enum, &names.call_enum);
    let name = method::service(service);
    let user = &service.original.generics;
    let ident = &service.original.ident;
    let (_, user_arguments, _) = user.split_for_impl();
    let declared = generics::with(
        user,
        &quote!(#served: #ident #user_arguments + ::core::marker::Send + ::core::marker::Sync + 'static),
    );
    let (declared, arguments, _) = declared.split_for_impl();
    let bounds = bounds(service);
    let each = |expand: fn(&Method, &Service) -> TokenStream| {
        methods.iter().map(move |method| {
            let (cfgs, tokens) = (&method.cfgs, expand(method, service));
            quote!(#(#cfgs)* #tokens)
        })
    };
    let wire_names = methods.iter().flat_map(wire_names);
    let (infos, finds) = (each(info), each(find));
    let (decodes, runs) = (each(decode), each(run));
    let call_arguments = generics::arguments(user);
    let call = quote!(#call_enum<#message #(, #call_arguments)*>);
    quote! {
        static __RPC_INFO: &[__rpc::MethodInfo] = &[#(#infos),*];

        #[automatically_derived]
        impl #declared __rpc::Service for #name #arguments #bounds {
            type Method = #method_enum;
            type Call<#message> = #call;
            const NAMES: __rpc::MethodNames = __rpc::MethodNames::new(&[#(#wire_names),*]);

            fn for_each_method(&self, __each: &mut dyn ::core::ops::FnMut(&__rpc::MethodInfo)) {
                ::core::iter::Iterator::for_each(__RPC_INFO.iter(), __each)
            }

            fn find(&self, __name: &::core::primitive::str) -> ::core::option::Option<#method_enum> {
                ::core::option::Option::Some(match __name {
                    #(#finds)*
                    _ => return ::core::option::Option::None,
                })
            }

            fn info(&self, __method: #method_enum) -> &__rpc::MethodInfo {
                &__RPC_INFO[__method as ::core::primitive::usize]
            }

            fn decode<#message>(
                &#message self,
                __method: #method_enum,
                __params: &#message ::core::primitive::str,
                __call: &mut ::core::option::Option<#call>,
            ) -> ::core::result::Result<::core::primitive::usize, __rpc::BadParams> {
                match __method {
                    #(#decodes)*
                }
            }

            // No `async fn`, which would move its arguments once more.
            fn run<#message>(
                &#message self,
                __call: #call,
                __responder: __rpc::Responder<#message>,
            ) -> impl ::core::future::Future<Output = __rpc::Responded> + ::core::marker::Send + #message {
                async move {
                    let __service = &*self.service;
                    match __call {
                        #(#runs)*
                        #call_enum::__RpcNever(__never, _) => match __never {},
                    }
                }
            }
        }
    }
}

/// Returns the user's bounds, and the bounds of types that mention the trait's parameters.
fn bounds(service: &Service) -> TokenStream {
    let user = &service.original.generics;
    let predicates =
        user.where_clause.as_ref().map(|clause| clause.predicates.iter().collect::<Vec<_>>()).unwrap_or_default();
    let outlive = user.type_params().map(|parameter| {
        let ident = &parameter.ident;
        quote!(#ident: 'static)
    });
    let inferred = service.methods.iter().flat_map(|method| method_bounds(method, service));
    quote!(where #(#predicates,)* #(#outlive,)* #(#inferred,)*)
}

/// Returns the bounds of a method's types that mention the trait's parameters. Bounds of other types would be
/// reported at each use of the service instead of at the type.
fn method_bounds(method: &Method, service: &Service) -> Vec<TokenStream> {
    let generics = generics::names(&service.original.generics);
    let message = &service.names.message;
    let arguments = method.params.iter().zip(argument::all(method, message));
    let decoded = arguments.filter(|(param, _)| mentions(param.ty(), &generics)).map(|(_, argument)| argument.decoded);
    let mut bounds: Vec<_> =
        decoded.map(|ty| quote!(for<#message> #ty: __rpc::Deserialize<#message> + ::core::marker::Send)).collect();
    bounds.extend(returns::bounds(&method.returns, &generics));
    bounds
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

fn find(method: &Method, service: &Service) -> TokenStream {
    let (names, method_enum, ident) = (method::names(method), &service.names.method_enum, method.ident());
    quote!(#(#names)|* => #method_enum::#ident,)
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  CalcMethod::subtract => decode_typed(
//           &Signature { names: &["minuend", "subtrahend"], allow_unknown: false }, params, call,
//           (type_token::<i64>(), type_token::<i64>()), CalcCall::subtract,
//       ),
fn decode(method: &Method, service: &Service) -> TokenStream {
    let names = &service.names;
    let (ident, method_enum, call_enum) = (method.ident(), &names.method_enum, &names.call_enum);
    let mut types = method
        .params
        .iter()
        .zip(argument::all(method, &names.message))
        .map(|(param, argument)| argument::decoded_type(param, &argument.decoded));
    let arguments = quote!(__params, __call);
    let make = match boxed_arguments::size(method, service) {
        Some(size) => quote!(|__arguments| #call_enum::#ident(<#size as __rpc::StoreArguments>::store(__arguments))),
        None => quote!(#call_enum::#ident),
    };
    // The compiler looks for the argument that does not fit only in a call with a span of the user.
    let decoded = match method.flat() {
        Some(_) => {
            let ty = types.next();
            quote_spanned!(ident.span()=> __rpc::decode_flat_typed(#arguments, #ty, #make))
        }
        None => {
            let names = method::param_names(method);
            let allow_unknown = service.allows_unknown_params;
            let signature = quote!(&__rpc::Signature { names: #names, allow_unknown: #allow_unknown });
            quote_spanned!(ident.span()=> __rpc::decode_typed(#signature, #arguments, (#(#types,)*), #make))
        }
    };
    quote!(#method_enum::#ident => #decoded,)
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  CalcCall::subtract((__0, __1)) => {
//           let __result = S::subtract(service, __0, __1).await;
//           responder.value::<i64>(&__result)
//       }
fn run(method: &Method, service: &Service) -> TokenStream {
    let (ident, call_enum, served) = (method.ident(), &service.names.call_enum, &service.names.served);
    let values = argument::values(method.params.len());
    let passed = passed_arguments(method, service);
    let (_, user_arguments, _) = service.original.generics.split_for_impl();
    let name = &service.original.ident;
    let function = quote!(<#served as #name #user_arguments>::#ident);
    let call = match method.options.blocking {
        Some(span) => blocking(span, &quote!(#function(&*__service, #(#passed),*))),
        None => {
            let waited = method.is_async().then(|| quote!(.await));
            quote!(#function(__service, #(#passed),*) #waited)
        }
    };
    let response = returns::response(method, &call);
    match boxed_arguments::size(method, service) {
        Some(size) => quote! {
            #call_enum::#ident(__stored) => {
                let (#(#values,)*) = <#size as __rpc::StoreArguments>::load(__stored);
                #response
            }
        },
        None => quote!(#call_enum::#ident((#(#values,)*)) => #response,),
    }
}

/// Returns the arguments that are passed to the method, in the order of its parameters.
fn passed_arguments(method: &Method, service: &Service) -> Vec<TokenStream> {
    let mut passed: Vec<_> =
        argument::all(method, &service.names.message).into_iter().map(|argument| argument.passed).collect();
    if let Some(context) = &method.context {
        let span = context.ty.span();
        passed.insert(context.position, quote_spanned!(span=> __responder.context()));
    }
    passed
}

// In:   S::size(&*service, __0)
// Out:  { let service = Arc::clone(&self.service); blocking(move || S::size(&*service, __0)).await }
fn blocking(span: Span, call: &TokenStream) -> TokenStream {
    let spawned = quote_spanned!(span=> __rpc::blocking(move || #call));
    quote!({ let __service = ::core::clone::Clone::clone(&self.service); #spawned.await })
}
