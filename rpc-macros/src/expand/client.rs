//! The client: the trait's methods as calls over any caller.

use super::{argument, docs, generics, method, returns};
use crate::ast::{Method, Returns, Service};
use crate::types::{first_borrow, mentions};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  pub struct CalcClient<__RpcCaller = Peer> { caller: __RpcCaller }
//       impl CalcClient<Peer> { … }
//       impl<__RpcCaller: Caller> CalcClient<__RpcCaller> {
//           pub fn new(caller: __RpcCaller) -> Self { … }
//           pub fn subtract(&self, minuend: i64, subtrahend: i64) -> Call<'_, __RpcCaller, i64> { … }
//       }
/// The caller's type parameter comes last and meets no name of the user's.
pub(super) fn expand(service: &Service) -> TokenStream {
    let items = [declared(service), connecting(service), calls(service)];
    quote!(#(#items)*)
}

fn declared(service: &Service) -> TokenStream {
    let vis = &service.original.vis;
    let name = method::client(service);
    let user = &service.original.generics;
    let marker = generics::marker(user);
    let rpc = service.private(Span::call_site());
    let with_default = generics::with(user, &quote!(__RpcCaller = #rpc::Peer));
    let (declared, arguments, bounds) = with_default.split_for_impl();
    let docs = format!(
        "Calls the methods of [`{0}`] over a caller: each gives a call, which `.await` sends.",
        service.original.ident
    );
    let cloneable = generics::with(user, &quote!(__RpcCaller: ::core::clone::Clone));
    let (cloneable, _, _) = cloneable.split_for_impl();
    quote! {
        #[doc = #docs]
        #[allow(dead_code)]
        #vis struct #name #with_default #bounds {
            caller: __RpcCaller,
            types: #marker,
        }

        #[automatically_derived]
        impl #cloneable ::core::clone::Clone for #name #arguments #bounds {
            fn clone(&self) -> Self {
                Self { caller: ::core::clone::Clone::clone(&self.caller), types: ::core::marker::PhantomData }
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

// Out:  impl CalcClient<Peer> {
//           pub async fn connect<A: ToAddress>(address: A) -> io::Result<Self> { … }
//           pub fn connect_blocking<A: ToAddress>(address: A) -> io::Result<Self> { … }
//       }
fn connecting(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let vis = &service.original.vis;
    let name = method::client(service);
    let user = &service.original.generics;
    let arguments = generics::arguments(user);
    let (declared, _, bounds) = user.split_for_impl();
    quote! {
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::absolute_paths)]
        impl #declared #name<#(#arguments,)* #rpc::Peer> #bounds {
            /// Connects to a server, in a tokio runtime; needs the feature `tokio` of rpc-core.
            ///
            /// # Errors
            ///
            /// When the address is none, or the other side cannot be reached.
            #vis async fn connect<__RpcAddress: #rpc::needs_tokio::ToAddress>(address: __RpcAddress) -> ::std::io::Result<Self> {
                ::core::result::Result::map(#rpc::connect(address).await, Self::new)
            }

            /// Connects to a server, without a runtime: calls end in `.wait()`.
            ///
            /// # Errors
            ///
            /// When the address is none, or the other side cannot be reached.
            #vis fn connect_blocking<__RpcAddress: #rpc::ToAddress>(address: __RpcAddress) -> ::std::io::Result<Self> {
                ::core::result::Result::map(#rpc::connect_blocking(address), Self::new)
            }
        }
    }
}

fn calls(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let vis = &service.original.vis;
    let name = method::client(service);
    let calling = generics::with(&service.original.generics, &quote!(__RpcCaller: #rpc::Caller));
    let (calling, arguments, bounds) = calling.split_for_impl();
    let methods = service.methods.iter().map(|method| one(method, service));
    quote! {
        #[allow(dead_code, deprecated, non_snake_case, clippy::all, clippy::pedantic, clippy::absolute_paths)]
        impl #calling #name #arguments #bounds {
            /// A client whose calls `caller` carries.
            #vis fn new(caller: __RpcCaller) -> Self {
                Self { caller, types: ::core::marker::PhantomData }
            }

            /// What carries the calls.
            #vis fn caller(&self) -> &__RpcCaller {
                &self.caller
            }

            /// Sends calls and notifications as one message: a tuple, an array or a vector of them, not awaited.
            #vis fn batch<__RpcMembers: #rpc::Members<__RpcCaller>>(
                &self,
                members: __RpcMembers,
            ) -> #rpc::BatchCall<'_, __RpcCaller, __RpcMembers> {
                #rpc::BatchCall::new(&self.caller, members)
            }

            #(#methods)*
        }
    }
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  pub fn subtract(&self, minuend: i64, subtrahend: i64) -> Call<'_, __RpcCaller, i64> {
//           encode_call(&self.caller, "{…\"subtract\"", &["minuend", "subtrahend"], true, (&minuend, &subtrahend))
//       }
fn one(method: &Method, service: &Service) -> TokenStream {
    let vis = &service.original.vis;
    let docs = docs::for_client(method);
    let name = method.ident();
    let inputs = method.params.iter().map(|param| {
        let (name, ty) = (param.ident, &param.original.ty);
        quote!(#name: #ty)
    });
    let returned = returned(method, service);
    let written = written(method, service);
    let asked = asked(method, service);
    quote! {
        #docs
        #vis fn #name(&self, #(#inputs),*) -> #returned #asked {
            #written
        }
    }
}

// In:   async fn find(&self, key: K::Key) -> u8;
// Out:  where K::Key: Serialize
/// What the wire asks of those parameters that depend on the trait's own: the client's user sees to it.
fn asked(method: &Method, service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let names = generics::names(&service.original.generics);
    let held = method.params.iter().filter_map(argument::held);
    let asked: Vec<_> = held.filter(|ty| mentions(ty, &names) && first_borrow(ty).is_none()).collect();
    if asked.is_empty() { TokenStream::new() } else { quote!(where #(#asked: #rpc::Serialize),*) }
}

/// Standing where the return type stands: the compiler underlines that if it does not fit.
fn returned(method: &Method, service: &Service) -> TokenStream {
    let (first, last) = returns::place(&method.returns);
    let rpc = service.private(first);
    let end = quote_spanned!(last=> >);
    if method.options.notification.is_some() {
        return quote_spanned!(first=> #rpc::NotifyCall<'_, __RpcCaller #end);
    }
    let (ok, err) = returns::parts(&method.returns, &rpc);
    match &method.returns {
        Returns::Result(_) => quote_spanned!(first=> #rpc::Call<'_, __RpcCaller, #ok, #rpc::CallError<#err> #end),
        Returns::Nothing | Returns::Value(_) => quote_spanned!(first=> #rpc::Call<'_, __RpcCaller, #ok #end),
    }
}

// In:   #[rpc(idempotent, timeout = "5s")] async fn size(&self) -> u64;
// Out:  encode_call(&self.caller, …).idempotent().method_timeout(5000)
fn written(method: &Method, service: &Service) -> TokenStream {
    let opened = opened(method, service);
    let idempotent = method.options.idempotent.map(|option| quote_spanned!(option=> .idempotent()));
    let timeout = method.options.timeout.map(|(millis, option)| quote_spanned!(option=> .method_timeout(#millis)));
    quote!(#opened #idempotent #timeout)
}

/// Standing where the method's name stands: only in a call in the user's code the compiler looks for the
/// argument that does not fit.
fn opened(method: &Method, service: &Service) -> TokenStream {
    let place = method.ident().span();
    let rpc = service.private(place);
    let (caller, head) = (quote!(&self.caller), method::head(method));
    let lent = method.params.iter().map(argument::lent);
    let is_call = method.options.notification.is_none();
    if method.flat().is_some() {
        let kind = if is_call { quote_spanned!(place=> Call) } else { quote_spanned!(place=> NotifyCall) };
        return quote_spanned!(place=> #rpc::#kind::encoded_flat(#caller, #head, #(#lent),*));
    }
    let write = if is_call { quote_spanned!(place=> encode_call) } else { quote_spanned!(place=> encode_notification) };
    let (names, by_name) = (method::param_names(method), method.by_name);
    quote_spanned!(place=> #rpc::#write(#caller, #head, #names, #by_name, (#(#lent,)*)))
}
