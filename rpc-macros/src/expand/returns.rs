//! What a method's return type means for its caller.

use super::{generics, method};
use crate::ast::{Method, Returns, Service};
use crate::types::{arguments_of, ends, mentions};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type};

// In:   Result<i64, CalcError>    Outcome<i64>                                     i64
// Out:  i64, CalcError            <Outcome<i64> as ResultType>::Ok, ….::Err           i64, Infallible
/// The result and the error. `rpc` is where our own names are.
pub(super) fn parts(returns: &Returns, rpc: &TokenStream) -> (TokenStream, TokenStream) {
    let never = quote!(::core::convert::Infallible);
    match returns {
        Returns::Nothing => (quote!(()), never),
        Returns::Value(ty) => (quote!(#ty), never),
        Returns::Result(ty) => match written(ty) {
            // Said as the user said it, for the docs.
            Some((ok, err)) => (quote!(#ok), quote!(#err)),
            None => (part(ty, "Ok", rpc), part(ty, "Err", rpc)),
        },
    }
}

/// The parts of a `Result` that is written out.
pub(super) fn written(ty: &Type) -> Option<(&Type, &Type)> {
    match arguments_of(ty, |name| name == "Result").as_deref() {
        Some([ok, err]) => Some((ok, err)),
        _ => None,
    }
}

/// A part of a `Result` under another name, standing where that stands: what several pieces of code
/// ask of one place the compiler says once.
fn part(ty: &Type, name: &str, rpc: &TokenStream) -> TokenStream {
    let (first, last) = ends(ty);
    let name = Ident::new(name, last);
    quote_spanned!(first=> <#ty as #rpc::ResultType>::#name)
}

/// Where the return type begins and ends.
pub(super) fn place(returns: &Returns) -> (Span, Span) {
    match returns {
        Returns::Nothing => (Span::call_site(), Span::call_site()),
        Returns::Value(ty) | Returns::Result(ty) => ends(ty),
    }
}

// In:   Result<i64, CalcError>                         Outcome<i64>
// Out:  responder.result::<i64, CalcError>(call)           reply.result::<….::Ok, ….::Err>(ResultType::into_result(call))
/// Answers with what a call gives; the types are said, so that the compiler underlines one that cannot
/// be sent.
pub(super) fn response(method: &Method, call: &TokenStream) -> TokenStream {
    let returns = &method.returns;
    if method.context.is_some() {
        // The call borrows from the reply, which is used up behind it.
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
        Returns::Result(ty) if written(ty).is_some() => quote!(__responder.result::<#ok, #err>(#call)),
        Returns::Result(ty) => {
            let into = part(ty, "into_result", &rpc);
            let call = quote_spanned!(ends(ty).1=> (#call));
            quote!(__responder.result::<#ok, #err>(#into #call))
        }
    }
}

/// What the wire asks of those parts that depend on the trait's parameters.
pub(super) fn asked(returns: &Returns, names: &[&Ident]) -> Vec<TokenStream> {
    let (ok, err) = match returns {
        Returns::Nothing => return Vec::new(),
        Returns::Value(ty) => (*ty, None),
        Returns::Result(ty) => match written(ty) {
            Some((ok, err)) => (ok, Some(err)),
            None if mentions(ty, names) => {
                return vec![quote!(#ty: __rpc::ResultType<Ok: __rpc::Serialize, Err: __rpc::RpcError>)];
            }
            None => return Vec::new(),
        },
    };
    let ok = Some(ok).filter(|ok| mentions(ok, names)).map(|ok| quote!(#ok: __rpc::Serialize));
    let err = err.filter(|err| mentions(err, names)).map(|err| quote!(#err: __rpc::RpcError));
    ok.into_iter().chain(err).collect()
}

// In:   fn state(&self) -> State;
// Out:  const _: () = assert!(!IsFallible::<State>::ANSWER, "…");
/// Asks the compiler whether a type that was taken by its name for no `Result` is one, which serde
/// would send as `{"Ok": …}`. Types that depend on the trait's parameters cannot be asked.
pub(super) fn fallible(service: &Service) -> TokenStream {
    let names = generics::names(&service.original.generics);
    let questions = service.methods.iter().filter_map(|method| {
        let Returns::Value(ty) = &method.returns else { return None };
        (!mentions(ty, &names)).then(|| is_fallible(method, ty))
    });
    quote!(#(#questions)*)
}

fn is_fallible(method: &Method, ty: &Type) -> TokenStream {
    let (cfgs, name) = (&method.cfgs, method.ident());
    let message = if method.options.fallible.is_some() {
        format!("`{name}` returns a `Result`, so it is not `infallible`: take the word away")
    } else {
        format!("`{name}` returns a `Result` under another name; write `#[rpc(fallible)]` on it")
    };
    quote_spanned! {ty.span()=>
        #(#cfgs)*
        const _: () = ::core::assert!(!__rpc::IsFallible::<#ty>::ANSWER, #message);
    }
}

// In:   fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
// Out:  const _: () = { assert_deserialize::<i64>(); };
/// Asks of each type whether the client can read it, where the user wrote it, unless the client as the trait
/// asks it.
pub(super) fn readable(service: &Service) -> TokenStream {
    let names = generics::names(&service.original.generics);
    let is_asked = |method: &&Method| service.client_trait.is_none() || !method.cfgs.is_empty();
    let methods = service.methods.iter().filter(is_asked);
    let results = methods.filter_map(|method| match &method.returns {
        Returns::Value(ty) | Returns::Result(ty) if !mentions(ty, &names) => {
            Some((method, parts(&method.returns, &quote!(__rpc)).0))
        }
        _ => None,
    });
    let questions = method::each_once(results, &quote!(assert_deserialize));
    quote!(const _: () = { #questions };)
}
