//! The implementation of `RpcError` for an enum.

use super::read::{ErrorEnum, ErrorVariant, Kind};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Fields, Ident};

// In:   enum CalcError { #[rpc(code = 1, message = "division by zero")] DivByZero { dividend: i64 }, … }
// Out:  impl RpcError for CalcError {
//           fn into_object(self) -> ErrorObject { match self { Self::DivByZero { dividend: __0 } => …, … } }
//           fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> { match object.code { … } }
//       }
pub(crate) fn expand(error: &ErrorEnum) -> TokenStream {
    let krate = &error.krate;
    let name = &error.original.ident;
    let (declared, arguments, bounds) = error.original.generics.split_for_impl();
    let into = error.variants.iter().map(into_object);
    let from = error.variants.iter().filter_map(from_object);
    let rest = match error.variants.iter().find(|variant| matches!(variant.kind, Kind::Other)) {
        Some(other) => {
            let other = &other.original.ident;
            quote!(::core::result::Result::Ok(Self::#other(::core::convert::From::from(__object))))
        }
        None => quote!(::core::result::Result::Err(__object)),
    };
    let uses_display = |variant: &ErrorVariant| matches!(variant.kind, Kind::Own { message: None, .. });
    // Before the fields are moved out of `self`.
    let display = error
        .variants
        .iter()
        .any(uses_display)
        .then(|| quote!(let __display = ::std::string::ToString::to_string(&self);));
    quote! {
        #[allow(deprecated, clippy::all, clippy::pedantic)]
        const _: () = {
            use #krate::__private as __rpc;

            #[automatically_derived]
            impl #declared __rpc::RpcError for #name #arguments #bounds {
                fn into_object(self) -> __rpc::ErrorObject {
                    #display
                    match self {
                        #(#into)*
                    }
                }

                fn from_object(__object: __rpc::ErrorObject) -> ::core::result::Result<Self, __rpc::ErrorObject> {
                    match __object.code {
                        #(#from)*
                        _ => #rest,
                    }
                }
            }
        };
    }
}

// In:   #[rpc(code = 1, message = "division by zero")] DivByZero { dividend: i64 }
// Out:  Self::DivByZero { dividend: __0 } => with_fields(1, "division by zero", &["dividend"], &(&__0,)),
fn into_object(variant: &ErrorVariant) -> TokenStream {
    let name = &variant.original.ident;
    let Shape { pattern, values, names, is_named } = shape(variant);
    let Kind::Own { code, message } = &variant.kind else {
        return quote!(Self::#name(__0) => ::core::convert::From::from(__0),);
    };
    let message = message.as_ref().map_or_else(|| quote!(__display), |message| quote!(#message));
    let object = quote!(__rpc::ErrorObject::new(#code, #message));
    let object = match &values[..] {
        [] => object,
        [only] if !is_named => quote!(#object.with_data(&#only)),
        _ => quote!(__rpc::with_fields(#object, &[#(#names),*], #is_named, &(#(&#values,)*))),
    };
    quote!(Self::#name #pattern => #object,)
}

// In:   #[rpc(code = 1, message = "division by zero")] DivByZero { dividend: i64 }
// Out:  1 => from_fields(object, &["dividend"], |(__0,)| Self::DivByZero { dividend: __0 }),
fn from_object(variant: &ErrorVariant) -> Option<TokenStream> {
    let Kind::Own { code, .. } = &variant.kind else { return None };
    let name = &variant.original.ident;
    let Shape { pattern, values, names, is_named } = shape(variant);
    let read = match &values[..] {
        [] => quote!(::core::result::Result::Ok(Self::#name #pattern)),
        [only] if !is_named => quote!(__rpc::from_data(__object, |#only| Self::#name(#only))),
        _ => quote!(__rpc::from_fields(__object, &[#(#names),*], |(#(#values,)*)| Self::#name #pattern)),
    };
    Some(quote!(#code => #read,))
}

/// The fields of a variant: their pattern, bindings and names.
struct Shape {
    pattern: TokenStream,
    values: Vec<Ident>,
    names: Vec<String>,
    is_named: bool,
}

fn shape(variant: &ErrorVariant) -> Shape {
    use syn::ext::IdentExt;
    let fields = &variant.original.fields;
    let values: Vec<_> = (0..fields.len()).map(|at| Ident::new(&format!("__{at}"), Span::mixed_site())).collect();
    let idents = fields.iter().filter_map(|field| field.ident.as_ref());
    let pattern = match fields {
        Fields::Named(_) => {
            let idents = idents.clone();
            quote!({ #(#idents: #values),* })
        }
        Fields::Unnamed(_) => quote!((#(#values),*)),
        Fields::Unit => TokenStream::new(),
    };
    let is_named = matches!(fields, Fields::Named(_));
    let names = if is_named {
        idents.map(|ident| ident.unraw().to_string()).collect()
    } else {
        (0..fields.len()).map(|at| at.to_string()).collect()
    };
    Shape { pattern, values, names, is_named }
}
