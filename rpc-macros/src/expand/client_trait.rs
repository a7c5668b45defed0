//! The client as an implementation of the trait, so that code that is generic over the trait runs over the wire.

use super::{argument, generics, method, returns};
use crate::ast::{Method, Returns, Service};
use crate::types::{ends, first_borrow, mentions};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ReturnType;

// In:   trait Calc: Clone { async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>; }
// Out:  impl<C: Caller> Calc for CalcClient<C> where Self: Clone { … }
/// The supertraits are bounds on the client.
pub(super) fn expand(service: &Service) -> TokenStream {
    let rpc = service.private(Span::call_site());
    let user = &service.original.generics;
    let (ident, name) = (&service.original.ident, method::client(service));
    let (_, of_trait, _) = user.split_for_impl();
    let caller = &service.names.caller;
    let generics = generics::with(user, &quote!(#caller: #rpc::Caller));
    let (parameters, arguments, _) = generics.split_for_impl();
    let supertraits = &service.original.supertraits;
    let supertraits = (!supertraits.is_empty()).then(|| quote!(Self: #supertraits,));
    let predicates = user.where_clause.iter().flat_map(|clause| &clause.predicates);
    let bounds = service.methods.iter().flat_map(|method| bounds(method, service));
    let methods = service.methods.iter().map(|method| trait_method(method, service));
    quote! {
        #[allow(deprecated, non_snake_case, trivial_bounds, clippy::all, clippy::pedantic, clippy::absolute_paths)]
        #[automatically_derived]
        impl #parameters #ident #of_trait for #name #arguments where #supertraits #(#predicates,)* #(#bounds,)* {
            #(#methods)*
        }
    }
}

// In:   async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
// Out:  fn divide(&self, a: i64, b: i64) -> impl Future<Output = Result<i64, CalcError>> + Send {
//           call_method::<_, i64, CalcError, _>(Self::divide(self, a, b))
//       }
/// The method is not an `async fn`, whose future would hold the arguments: they are encoded when the call is
/// made. `Self::` finds the client's inherent method first.
fn trait_method(method: &Method, service: &Service) -> TokenStream {
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
    let body = body(method, service, &quote!(Self::#name(self, #(#values),*)));
    quote! {
        #(#cfgs)*
        fn #name(
            &self, #(#inputs),*
        ) -> impl ::core::future::Future<Output = #output> + ::core::marker::Send #bounds {
            #body
        }
    }
}

/// The types are explicit, so that the compiler underlines an error type that does not implement `From<ClientError>`.
fn body(method: &Method, service: &Service, call: &TokenStream) -> TokenStream {
    let span = returns::type_ends(&method.returns).0;
    let rpc = service.private(span);
    if method.options.notification.is_some() {
        return quote_spanned!(span=> #rpc::send_notification(#call));
    }
    let (ok, err) = returns::parts(&method.returns, &rpc);
    quote_spanned!(span=> #rpc::call_method::<_, #ok, #err, _>(#call))
}

// In:   async fn find(&self, key: K::Key) -> Result<u64, K::Error>;
// Out:  K::Key: Serialize, u64: DeserializeOwned, K::Error: RpcError + From<ClientError>
/// Returns the bounds on the types of a method. A `Result` gets bounds also where it does not mention the trait's
/// parameters: the compiler then reports a type that does not fit once, at the user's span, and not again in
/// the body. The types of a method under `cfg` may not exist.
fn bounds(method: &Method, service: &Service) -> Vec<TokenStream> {
    let rpc = service.private(Span::call_site());
    let names = generics::names(&service.original.generics);
    let contained = method.params.iter().filter_map(argument::contained_type);
    let generic = contained.filter(|ty| mentions(ty, &names) && first_borrow(ty).is_none());
    let mut bounds: Vec<_> = generic.map(|ty| quote!(#ty: #rpc::Serialize)).collect();
    let Returns::Result(ty) = &method.returns else { return bounds };
    let (user_ok, user_err) = returns::result_arguments(ty).unwrap_or((ty, ty));
    let (ok, err) = returns::parts(&method.returns, &rpc);
    let has_bound = |part| method.cfgs.is_empty() || mentions(part, &names);
    bounds.extend(has_bound(user_ok).then(|| {
        let (first, last) = ends(user_ok);
        let rpc = service.private(first);
        quote_spanned!(last=> #ok: #rpc::DeserializeOwned)
    }));
    bounds.extend(has_bound(user_err).then(|| {
        let (first, last) = ends(user_err);
        let (rpc, end) = (service.private(first), quote_spanned!(last=> >));
        let from = quote_spanned!(first=> ::core::convert::From<#rpc::ClientError #end);
        quote_spanned!(last=> #err: #rpc::RpcError + #from)
    }));
    bounds
}
