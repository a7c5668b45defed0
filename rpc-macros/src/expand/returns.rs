//! The return type of a method: its parts, its bounds and its response.

use super::{generics, method};
use crate::ast::{Method, Returns, Service};
use crate::types::{ends, mentions, type_arguments};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type};

// In:   Result<i64, CalcError>    Outcome<i64>                                        i64
// Out:  i64, CalcError            <Outcome<i64> as ResultType>::Ok, ….::Err           i64, Infallible
/// Returns the types of the result and of the error. `rpc` is the path of `rpc_core::__private`.
pub(super) fn parts(returns: &Returns, rpc: &TokenStream) -> (TokenStream, TokenStream) {
    let infallible = quote!(::core::convert::Infallible);
    match returns {
        Returns::Nothing => (quote!(()), infallible),
        Returns::Value(ty) => (quote!(#ty), infallible),
        Returns::Result(ty) => match result_arguments(ty) {
            // As the user wrote them, for the documentation.
            Some((ok, err)) => (quote!(#ok), quote!(#err)),
            None => (part(ty, "Ok", rpc), part(ty, "Err", rpc)),
        },
    }
}

/// Returns `T` and `E` of a `Result<T, E>`, but not of an alias.
pub(super) fn result_arguments(ty: &Type) -> Option<(&Type, &Type)> {
    match type_arguments(ty, |name| name == "Result").as_deref() {
        Some([ok, err]) => Some((ok, err)),
        _ => None,
    }
}

/// Returns a part of an alias of `Result`. It has the span of the alias, so the compiler reports an error
/// once for all generated code that uses the part.
fn part(ty: &Type, name: &str, rpc: &TokenStream) -> TokenStream {
    let (first, last) = ends(ty);
    let name = Ident::new(name, last);
    quote_spanned!(first=> <#ty as #rpc::ResultType>::#name)
}

/// Returns the spans of the first and the last token of the return type.
pub(super) fn type_ends(returns: &Returns) -> (Span, Span) {
    match returns {
        Returns::Nothing => (Span::call_site(), Span::call_site()),
        Returns::Value(ty) | Returns::Result(ty) => ends(ty),
    }
}

// In:   Result<i64, CalcError>                         Outcome<i64>
// Out:  responder.result::<i64, CalcError>(call)       responder.result::<….::Ok, ….::Err>(into_result(call))
/// Responds with the value of a call. The types are written, so the compiler underlines one that cannot be
/// encoded.
pub(super) fn response(method: &Method, call: &TokenStream) -> TokenStream {
    let returns = &method.returns;
    if method.context.is_some() {
        // The call borrows the context from the responder, which the response consumes.
        let response = respond_with(returns, &quote!(__result));
        return quote!({ let __result = #call; #response });
    }
    respond_with(returns, call)
}

fn respond_with(returns: &Returns, call: &TokenStream) -> TokenStream {
    let rpc = quote!(__rpc);
    let (ok, err) = parts(returns, &rpc);
    match returns {
        Returns::Nothing => quote!({ let __result = #call; __responder.value(&__result) }),
        Returns::Value(_) => quote!({ let __result = #call; __responder.value::<#ok>(&__result) }),
        Returns::Result(ty) if result_arguments(ty).is_some() => quote!(__responder.result::<#ok, #err>(#call)),
        Returns::Result(ty) => {
            let into = part(ty, "into_result", &rpc);
            let call = quote_spanned!(ends(ty).1=> (#call));
            quote!(__responder.result::<#ok, #err>(#into #call))
        }
    }
}

/// Returns the bounds of the parts that mention the trait's parameters, for the service.
pub(super) fn bounds(returns: &Returns, generics: &[&Ident]) -> Vec<TokenStream> {
    let (ok, err) = match returns {
        Returns::Nothing => return Vec::new(),
        Returns::Value(ty) => (*ty, None),
        Returns::Result(ty) => match result_arguments(ty) {
            Some((ok, err)) => (ok, Some(err)),
            None if mentions(ty, generics) => {
                return vec![quote!(#ty: __rpc::ResultType<Ok: __rpc::Serialize, Err: __rpc::RpcError>)];
            }
            None => return Vec::new(),
        },
    };
    let ok = Some(ok).filter(|ok| mentions(ok, generics)).map(|ok| quote!(#ok: __rpc::Serialize));
    let err = err.filter(|err| mentions(err, generics)).map(|err| quote!(#err: __rpc::RpcError));
    ok.into_iter().chain(err).collect()
}

// In:   fn state(&self) -> State;
// Out:  const _: () = assert!(!IsFallible::<State>::VALUE, "…");
/// Asserts that a type whose name does not end in `Result` is not a `Result`: serde would encode it as `{"Ok": …}`.
/// Types that mention the trait's parameters are not asserted.
pub(super) fn assert_no_results(service: &Service) -> TokenStream {
    let generics = generics::names(&service.original.generics);
    let assertions = service.methods.iter().filter_map(|method| {
        let Returns::Value(ty) = &method.returns else { return None };
        (!mentions(ty, &generics)).then(|| assert_no_result(method, ty))
    });
    quote!(#(#assertions)*)
}

fn assert_no_result(method: &Method, ty: &Type) -> TokenStream {
    let (cfgs, name) = (&method.cfgs, method.ident());
    let message = if method.options.fallible.is_some() {
        format!("`{name}` returns a `Result`; remove `infallible`")
    } else {
        format!("`{name}` returns an alias of `Result`; write `#[rpc(fallible)]` on it")
    };
    quote_spanned! {ty.span()=>
        #(#cfgs)*
        const _: () = ::core::assert!(!__rpc::IsFallible::<#ty>::VALUE, #message);
    }
}

// In:   fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
// Out:  const _: () = { assert_deserialize::<i64>(); };
/// Asserts at the user's span that the client can decode each result. With `client_implements_trait`, the
/// bounds of that implementation do.
pub(super) fn assert_deserialize(service: &Service) -> TokenStream {
    let generics = generics::names(&service.original.generics);
    let is_asserted = |method: &&Method| service.client_trait.is_none() || !method.cfgs.is_empty();
    let methods = service.methods.iter().filter(is_asserted);
    let results = methods.filter_map(|method| match &method.returns {
        Returns::Value(ty) | Returns::Result(ty) if !mentions(ty, &generics) => {
            Some((method, parts(&method.returns, &quote!(__rpc)).0))
        }
        _ => None,
    });
    let assertions = method::assert_once(results, &quote!(assert_deserialize));
    quote!(const _: () = { #assertions };)
}
