//! The client: the trait's methods as calls over any caller.

use super::{docs, generics, method, returns};
use crate::ast::{Method, Service};
use proc_macro2::TokenStream;
use quote::quote;
use syn::FnArg;

// In:   trait Calc { async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64; }
// Out:  pub struct CalcClient<__C> { caller: __C }
//       impl<__C: Caller> CalcClient<__C> {
//           pub fn new(caller: __C) -> Self { … }
//           pub fn subtract(&self, minuend: i64, subtrahend: i64) -> Call<'_, __C, i64> { … }
//       }
/// The caller's type parameter comes last and meets no name of the user's.
pub(super) fn expand(service: &Service) -> TokenStream {
    let krate = &service.krate;
    let vis = &service.original.vis;
    let name = method::client(service);
    let user = &service.original.generics;
    let marker = generics::marker(user);
    let declared = generics::with(user, &quote!(__C));
    let (declared, arguments, bounds) = declared.split_for_impl();
    let calling = generics::with(user, &quote!(__C: #krate::__private::Caller));
    let (calling, _, _) = calling.split_for_impl();
    let docs = format!(
        "Calls the methods of [`{0}`] over a caller: each gives a call, which `.await` sends.",
        service.original.ident
    );
    let methods = service.methods.iter().map(|method| one(method, service));
    let cloneable = generics::with(user, &quote!(__C: ::core::clone::Clone));
    let (cloneable, _, _) = cloneable.split_for_impl();
    quote! {
        #[doc = #docs]
        #[allow(dead_code)]
        #vis struct #name #declared #bounds {
            caller: __C,
            types: #marker,
        }

        #[automatically_derived]
        #[allow(dead_code, deprecated, clippy::all, clippy::pedantic)]
        impl #calling #name #arguments #bounds {
            /// A client whose calls `caller` carries.
            #vis fn new(caller: __C) -> Self {
                Self { caller, types: ::core::marker::PhantomData }
            }

            #(#methods)*
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

// In:   async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
// Out:  pub fn subtract(&self, minuend: i64, subtrahend: i64) -> Call<'_, __C, i64, Infallible> {
//           Call::written(&self.caller, "{…\"subtract\"", &["minuend", "subtrahend"], true, &(&minuend, &subtrahend))
//       }
fn one(method: &Method, service: &Service) -> TokenStream {
    let krate = &service.krate;
    let vis = &service.original.vis;
    let docs = docs::for_client(method);
    let name = method.ident();
    let inputs = method.original.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => {
            let (pattern, ty) = (&typed.pat, &typed.ty);
            Some(quote!(#pattern: #ty))
        }
        FnArg::Receiver(_) => None,
    });
    let kind = match method.notification {
        Some(_) => quote!(#krate::__private::Notify),
        None => quote!(#krate::__private::Call),
    };
    let returned = match method.notification {
        Some(_) => quote!(#kind<'_, __C>),
        None => {
            let (ok, err) = returns::parts(&method.returns, krate);
            quote!(#kind<'_, __C, #ok, #err>)
        }
    };
    let head = method::head(method);
    let values = method.params.iter().map(|param| param.ident);
    let written = match method.flat() {
        Some(flat) => {
            let value = flat.ident;
            quote!(#kind::written_flat(&self.caller, #head, &#value))
        }
        None => {
            let names = method::param_names(method);
            let by_name = method.by_name;
            quote!(#kind::written(&self.caller, #head, #names, #by_name, &(#(&#values,)*)))
        }
    };
    quote! {
        #docs
        #vis fn #name(&self, #(#inputs),*) -> #returned {
            #written
        }
    }
}
