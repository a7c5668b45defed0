//! The client: a struct with a method for each method of the trait, which returns a call.

use super::{argument, docs, generics, method, returns};
use crate::ast::{Method, Returns, Service};
use crate::types::{first_borrow, mentions};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  pub struct CalcClient<C = Peer> { caller: C }
//       impl CalcClient<Peer> { … }
//       impl<C: Caller> CalcClient<C> {
//           pub fn new(caller: C) -> Self { … }
//           pub fn subtract(&self, minuend: i64, subtrahend: i64) -> Call<'_, C, i64> { … }
//       }
/// The type parameter of the caller comes after those of the trait.
pub(super) fn expand(service: &Service) -> TokenStream {
    let items = [definition(service), connect_impl(service), call_impl(service)];
    quote!(#(#items)*)
}

fn definition(service: &Service) -> TokenStream {
    let vis = &service.original.vis;
    let name = method::client(service);
    let caller = &service.names.caller;
    let user = &service.original.generics;
    let marker = generics::marker(user);
    let rpc = service.private(Span::call_site());
    let with_default = generics::with(user, &quote!(#caller = #rpc::Peer));
    let (declared, arguments, bounds) = with_default.split_for_impl();
    let docs = format!(
        "A client of [`{0}`]. Each method returns a call, which `.await` or `.send()` sends.",
        service.original.ident
    );
    let cloneable = generics::with(user, &quote!(#caller: ::core::clone::Clone));
    let (cloneable, _, _) = cloneable.split_for_impl();
    quote! {
        #[doc = #docs]
        #[allow(dead_code)]
        #vis struct #name #with_default #bounds {
            caller: #caller,
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
fn connect_impl(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let vis = &service.original.vis;
    let name = method::client(service);
    let address = &service.names.address;
    let user = &service.original.generics;
    let arguments = generics::arguments(user);
    let (declared, _, bounds) = user.split_for_impl();
    quote! {
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::absolute_paths)]
        impl #declared #name<#(#arguments,)* #rpc::Peer> #bounds {
            /// Connects to a server, in a tokio runtime; requires the feature `tokio` of rpc-core. For settings, use
            /// `Connection::client()`.
            ///
            /// # Errors
            ///
            /// `InvalidInput` if the address is not valid, or the error of the system if the connection fails.
            #vis async fn connect<#address: #rpc::needs_tokio::ToAddress>(address: #address) -> ::std::io::Result<Self> {
                ::core::result::Result::map(#rpc::connect(address).await, Self::new)
            }

            /// Connects to a server without a runtime. Calls are made with `.wait()`.
            ///
            /// # Errors
            ///
            /// `InvalidInput` if the address is not valid, or the error of the system if the connection fails.
            #vis fn connect_blocking<#address: #rpc::ToAddress>(address: #address) -> ::std::io::Result<Self> {
                ::core::result::Result::map(#rpc::connect_blocking(address), Self::new)
            }
        }
    }
}

fn call_impl(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let vis = &service.original.vis;
    let name = method::client(service);
    let (caller, members) = (&service.names.caller, &service.names.members);
    let generics = generics::with(&service.original.generics, &quote!(#caller: #rpc::Caller));
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let methods = service.methods.iter().map(|method| call_method(method, service));
    quote! {
        #[allow(dead_code, deprecated, non_snake_case, clippy::all, clippy::pedantic, clippy::absolute_paths)]
        impl #parameters #name #arguments #bounds {
            /// Creates a client that makes its calls over `caller`.
            #vis fn new(caller: #caller) -> Self {
                Self { caller, types: ::core::marker::PhantomData }
            }

            /// Returns the caller.
            #vis fn caller(&self) -> &#caller {
                &self.caller
            }

            /// Makes a batch of calls and notifications: a tuple, an array or a vector of them, not awaited.
            #vis fn batch<#members: #rpc::Members<#caller>>(
                &self,
                members: #members,
            ) -> #rpc::BatchCall<'_, #caller, #members> {
                #rpc::BatchCall::new(&self.caller, members)
            }

            #(#methods)*
        }
    }
}

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  pub fn subtract(&self, minuend: i64, subtrahend: i64) -> Call<'_, C, i64> {
//           encode_call(&self.caller, "{…\"subtract\"", &["minuend", "subtrahend"], true, (&minuend, &subtrahend))
//       }
fn call_method(method: &Method, service: &Service) -> TokenStream {
    let vis = &service.original.vis;
    let docs = docs::for_client(method);
    let name = method.ident();
    let inputs = method.params.iter().map(|param| {
        let (name, ty) = (param.ident, &param.original.ty);
        quote!(#name: #ty)
    });
    let return_type = return_type(method, service);
    let body = body(method, service);
    let bounds = bounds(method, service);
    quote! {
        #docs
        #vis fn #name(&self, #(#inputs),*) -> #return_type #bounds {
            #body
        }
    }
}

// In:   async fn find(&self, key: K::Key) -> u8;
// Out:  where K::Key: Serialize
/// Returns the bounds on parameter types that mention the trait's parameters. The caller of the method meets them.
fn bounds(method: &Method, service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let names = generics::names(&service.original.generics);
    let contained = method.params.iter().filter_map(argument::contained_type);
    let generic: Vec<_> = contained.filter(|ty| mentions(ty, &names) && first_borrow(ty).is_none()).collect();
    if generic.is_empty() { TokenStream::new() } else { quote!(where #(#generic: #rpc::Serialize),*) }
}

/// Returns the type of the call. It has the span of the user's return type, which the compiler underlines if
/// the type does not fit.
fn return_type(method: &Method, service: &Service) -> TokenStream {
    let (first, last) = returns::type_ends(&method.returns);
    let caller = &service.names.caller;
    let rpc = service.private(first);
    let end = quote_spanned!(last=> >);
    if method.options.notification.is_some() {
        return quote_spanned!(first=> #rpc::NotifyCall<'_, #caller #end);
    }
    let (ok, err) = returns::parts(&method.returns, &rpc);
    match &method.returns {
        Returns::Result(_) => quote_spanned!(first=> #rpc::Call<'_, #caller, #ok, #rpc::CallError<#err> #end),
        Returns::Nothing | Returns::Value(_) => quote_spanned!(first=> #rpc::Call<'_, #caller, #ok #end),
    }
}

// In:   #[rpc(idempotent, timeout = "5s")] async fn size(&self) -> u64;
// Out:  encode_call(&self.caller, …).idempotent().method_timeout(5000)
fn body(method: &Method, service: &Service) -> TokenStream {
    let encoded = encoded(method, service);
    let idempotent = method.options.idempotent.map(|option| quote_spanned!(option=> .idempotent()));
    let timeout = method.options.timeout.map(|(millis, option)| quote_spanned!(option=> .method_timeout(#millis)));
    quote!(#encoded #idempotent #timeout)
}

/// Returns the call with its encoded arguments. It has the span of the method's name: only in a call with a span of the
/// user does the compiler look for the argument that does not fit.
fn encoded(method: &Method, service: &Service) -> TokenStream {
    let span = method.ident().span();
    let rpc = service.private(span);
    let (caller, head) = (quote!(&self.caller), method::head(method));
    let arguments = method.params.iter().map(argument::borrowed);
    let is_call = method.options.notification.is_none();
    if method.flat().is_some() {
        let kind = if is_call { quote_spanned!(span=> Call) } else { quote_spanned!(span=> NotifyCall) };
        return quote_spanned!(span=> #rpc::#kind::encoded_flat(#caller, #head, #(#arguments),*));
    }
    let encode = if is_call { quote_spanned!(span=> encode_call) } else { quote_spanned!(span=> encode_notification) };
    let (names, by_name) = (method::param_names(method), method.by_name);
    quote_spanned!(span=> #rpc::#encode(#caller, #head, #names, #by_name, (#(#arguments,)*)))
}
