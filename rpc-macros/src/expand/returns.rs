//! What a method's return type means for its caller.

use crate::ast::{Returns, Service, arguments_of};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Path, Type};

// In:   Result<i64, CalcError>    Outcome<i64>                                     i64
// Out:  i64, CalcError            <Outcome<i64> as Outcome>::Ok, ….::Err           i64, Infallible
/// The result and the error.
pub(super) fn parts(returns: &Returns, krate: &Path) -> (TokenStream, TokenStream) {
    let never = quote!(::core::convert::Infallible);
    match returns {
        Returns::Nothing => (quote!(()), never),
        Returns::Value(ty) => (quote!(#ty), never),
        Returns::Result(ty) => match arguments_of(ty, |name| name == "Result").as_deref() {
            // Said as the user said it, for the docs; `expand` checks that it is so.
            Some([ok, err]) => (quote!(#ok), quote!(#err)),
            _ => (quote!(<#ty as #krate::__private::Outcome>::Ok), quote!(<#ty as #krate::__private::Outcome>::Err)),
        },
    }
}

// In:   fn state(&self) -> State;
// Out:  const _: () = assert!(!IsFallible::<State>::ANSWER, "…");
/// Asks the compiler whether a type that was taken by its name for no `Result` is one: serde would
/// send it as `{"Ok": …}`. Types that depend on the trait's parameters cannot be asked.
pub(super) fn expand(service: &Service) -> TokenStream {
    let krate = &service.krate;
    let names: Vec<_> = service.original.generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
    let questions = service.methods.iter().filter_map(|method| {
        let Returns::Value(ty) = &method.returns else { return None };
        if mentions(ty, &names) {
            return None;
        }
        let cfgs = method.cfgs();
        let message =
            format!("`{}` returns a `Result` under another name; write `#[rpc(fallible)]` on it", method.ident());
        Some(quote_spanned! {ty.span()=>
            #(#cfgs)*
            const _: () = {
                #[allow(unused_imports)]
                use #krate::__private::Unlike as _;
                ::core::assert!(!#krate::__private::IsFallible::<#ty>::ANSWER, #message);
            };
        })
    });
    quote!(#(#questions)*)
}

/// Whether a type speaks of `Self` or of one of these.
fn mentions(ty: &Type, names: &[String]) -> bool {
    struct Mentions<'n>(&'n [String], bool);
    impl<'t> Visit<'t> for Mentions<'_> {
        fn visit_path(&mut self, path: &'t Path) {
            if let Some(first) = path.segments.first() {
                self.1 |= first.ident == "Self" || self.0.iter().any(|name| first.ident == name);
            }
            syn::visit::visit_path(self, path);
        }
    }
    let mut found = Mentions(names, false);
    found.visit_type(ty);
    found.1
}
