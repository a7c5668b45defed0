//! The client as an implementation of the trait: what is generic over the trait runs over the wire.

use super::{argument, generics, method, returns};
use crate::ast::{Method, Returns, Service};
use crate::types::{ends, first_borrow, mentions};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ReturnType;

// In:   trait Calc: Clone { async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>; }
// Out:  impl<__RpcCaller: Caller> Calc for CalcClient<__RpcCaller> where Self: Clone { … }
/// What the trait stands on is asked of the client: whoever uses it so sees to it.
pub(super) fn expand(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let user = &service.original.generics;
    let (ident, name) = (&service.original.ident, method::client(service));
    let (_, of_trait, _) = user.split_for_impl();
    let declared = generics::with(user, &quote!(__RpcCaller: #rpc::Caller));
    let (declared, arguments, _) = declared.split_for_impl();
    let supertraits = &service.original.supertraits;
    let supertraits = (!supertraits.is_empty()).then(|| quote!(Self: #supertraits,));
    let written = user.where_clause.iter().flat_map(|clause| &clause.predicates);
    let asked = service.methods.iter().flat_map(|method| asked(method, service));
    let methods = service.methods.iter().map(|method| one(method, service));
    quote! {
        #[allow(deprecated, non_snake_case, trivial_bounds, clippy::all, clippy::pedantic, clippy::absolute_paths)]
        #[automatically_derived]
        impl #declared #ident #of_trait for #name #arguments where #supertraits #(#written,)* #(#asked,)* {
            #(#methods)*
        }
    }
}

// In:   async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
// Out:  fn divide(&self, a: i64, b: i64) -> impl Future<Output = Result<i64, CalcError>> + Send {
//           call_method::<_, i64, CalcError, _>(Self::divide(self, a, b))
//       }
/// No `async fn`, whose future would hold the arguments: they are written when the call is made. `Self::`
/// finds the client's own method first.
fn one(method: &Method, service: &Service) -> TokenStream {
    let (cfgs, name) = (&method.cfgs, method.ident());
    let inputs = method.params.iter().map(|param| {
        let (name, ty) = (param.ident, &param.original.ty);
        quote!(#name: #ty)
    });
    let output = match &method.original.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    let bounds = &method.original.sig.generics.where_clause;
    let values = method.params.iter().map(|param| param.ident);
    let ended = ended(method, service, &quote!(Self::#name(self, #(#values),*)));
    quote! {
        #(#cfgs)*
        fn #name(
            &self, #(#inputs),*
        ) -> impl ::core::future::Future<Output = #output> + ::core::marker::Send #bounds {
            #ended
        }
    }
}

/// The types are said: the compiler underlines an error that no failure of a call can be made into.
fn ended(method: &Method, service: &Service, call: &TokenStream) -> TokenStream {
    let place = returns::place(&method.returns).0;
    let rpc = service.private(place);
    if method.options.notification.is_some() {
        return quote_spanned!(place=> #rpc::send_notification(#call));
    }
    let (ok, err) = returns::parts(&method.returns, &rpc);
    quote_spanned!(place=> #rpc::call_method::<_, #ok, #err, _>(#call))
}

// In:   async fn find(&self, key: K::Key) -> Result<u64, K::Error>;
// Out:  K::Key: Serialize, u64: DeserializeOwned, K::Error: RpcError + From<ClientError>
/// What the wire asks of a method's types. Of a result it is asked here also where it does not depend on the
/// trait's parameters: the compiler says once, where the user wrote the type, that it does not fit, and
/// not again in the body. Types of a method under `cfg` may not be there.
fn asked(method: &Method, service: &Service) -> Vec<TokenStream> {
    let rpc = service.private(Span::call_site());
    let names = generics::names(&service.original.generics);
    let held = method.params.iter().filter_map(argument::held);
    let held = held.filter(|ty| mentions(ty, &names) && first_borrow(ty).is_none());
    let mut asked: Vec<_> = held.map(|ty| quote!(#ty: #rpc::Serialize)).collect();
    let Returns::Result(ty) = &method.returns else { return asked };
    let (of_ok, of_err) = returns::written(ty).unwrap_or((ty, ty));
    let (ok, err) = returns::parts(&method.returns, &rpc);
    let is_asked = |part| method.cfgs.is_empty() || mentions(part, &names);
    asked.extend(is_asked(of_ok).then(|| {
        let (first, last) = ends(of_ok);
        let rpc = service.private(first);
        quote_spanned!(last=> #ok: #rpc::DeserializeOwned)
    }));
    asked.extend(is_asked(of_err).then(|| {
        let (first, last) = ends(of_err);
        let (rpc, end) = (service.private(first), quote_spanned!(last=> >));
        let from = quote_spanned!(first=> ::core::convert::From<#rpc::ClientError #end);
        quote_spanned!(last=> #err: #rpc::RpcError + #from)
    }));
    asked
}
