//! What the signature of a method cannot be, and what to write instead.

use crate::attr;
use crate::cfg;
use crate::errors::Errors;
use crate::types;
use syn::spanned::Spanned;
use syn::{Receiver, ReceiverKind, ReturnType, Safety, Signature, Type};

/// Whether the method takes `&self`; what else it takes is refused.
pub(crate) fn receives_self(signature: &Signature, errors: &Errors) -> bool {
    let Some(receiver) = signature.receiver() else {
        errors.at(
            signature.ident.span(),
            format_args!("a method is called on a value: write `fn {}(&self, …)`", signature.ident),
        );
        return false;
    };
    attr::refuse(&receiver.attrs, "the receiver", errors);
    cfg::refuse_ours(&receiver.attrs, errors);
    is_shared(receiver, errors)
}

fn is_shared(receiver: &Receiver, errors: &Errors) -> bool {
    let message = "calls run side by side on one value: write `&self`, and keep what changes in a `Mutex` or an atomic";
    match &receiver.kind {
        ReceiverKind::Reference(_, Some(lifetime), None) if lifetime.ident != "_" => {
            errors.at(lifetime.span(), "a call borrows the service while it runs: write `&self`");
        }
        ReceiverKind::Reference(_, _, None) if receiver.mutability.is_none() => return true,
        ReceiverKind::Reference(_, _, Some(mutability)) => errors.at(mutability.span, message),
        _ => errors.at(receiver.self_token.span, message),
    }
    false
}

/// What no signature can have.
pub(crate) fn refuse(signature: &Signature, errors: &Errors) {
    if let Some(constness) = &signature.constness {
        errors.at(constness.span, "a method in a trait cannot be `const`");
    }
    match &signature.safety {
        Safety::Unsafe(token) => errors.at(token.span, "a method is called from outside, so it cannot be `unsafe`"),
        Safety::Safe(token) => errors.at(token.span, "`safe` says nothing about a method of a trait"),
        Safety::Default => {}
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi.extern_token.span, "a method is called by its name on the wire, so it cannot be `extern`");
    }
    if let Some(parameter) = signature.generics.params.first() {
        errors.at(parameter.span(), "a method cannot be generic: what comes over the wire has one type; make the trait generic, or leave lifetimes out");
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic.dots.span(), "a method cannot be variadic: write a list with `#[rpc(flatten)]`");
    }
    if let ReturnType::Type(_, returned) = &signature.output {
        refuse_result(returned, errors);
    }
}

/// What no result can be.
fn refuse_result(ty: &Type, errors: &Errors) {
    if let Some(lifetime) = types::first_borrow(ty) {
        errors.at(lifetime, "a result crosses the wire, so it cannot borrow: return an owned value");
    }
    if let Some(future) = types::first_future(ty) {
        errors.at(future, "a result crosses the wire, so its type must be named: write `async fn`, which gives a future that is `Send`");
    } else if let Some(opaque) = types::boxed_error(ty) {
        errors.at(opaque, "an error crosses the wire, so its type must be named: `rpc_core::Internal` is made of any error by `?`, and tells the caller nothing of it");
    } else if let Some(opaque) = types::first_opaque(ty) {
        errors.at(opaque, "a result crosses the wire, so its type must be named");
    }
    if let Some(this) = types::first_self(ty) {
        errors.at(this, "a result crosses the wire, and a caller does not know what `Self` is: name the type");
    }
    if types::is_unsized(ty) {
        let sized = if types::is_str(ty) { "String" } else { "Vec<…>" };
        errors.at(ty.span(), format_args!("a result must have a size: return `{sized}`"));
    }
}

/// What no parameter can be.
pub(crate) fn refuse_param(ty: &Type, errors: &Errors) {
    if let Some(opaque) = types::first_opaque(ty) {
        errors.at(
            opaque,
            "a parameter's type must be one that serde can read: name it, or make it a type parameter of the trait",
        );
    } else if let Some(mutability) = types::first_mutable(ty) {
        errors.at(
            mutability,
            "a parameter comes over the wire: nobody would see what is written to it; write `&T` or `T`",
        );
    } else if let Some(reference) = types::nested_reference(ty) {
        errors.at(reference, "a reference can be the whole type of a parameter, or stand in an `Option`; deeper inside, own the value or write `Cow<'_, str>`");
    } else if let Some(this) = types::first_self(ty) {
        errors.at(this, "a parameter comes over the wire, and a caller does not know what `Self` is: name the type");
    } else if types::is_unsized(ty) {
        let borrowed = if types::is_str(ty) { "&str" } else { "&[…]" };
        errors.at(ty.span(), format_args!("a parameter must have a size: write `{borrowed}`"));
    } else if let Some(reference) = types::outer_reference(ty)
        && let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static")
    {
        let borrowed = if types::is_str(&reference.elem) { "&str" } else { "&T" };
        errors.at(
            lifetime.span(),
            format_args!("a parameter is borrowed from a message, which goes when the call ends: write `{borrowed}`"),
        );
    }
}
