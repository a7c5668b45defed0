//! Checks of the signature of one method.

use crate::attributes;
use crate::cfg;
use crate::errors::Errors;
use crate::types;
use syn::spanned::Spanned;
use syn::{GenericParam, Receiver, ReceiverKind, ReturnType, Safety, Signature, Type};

/// Returns `true` if the method takes `&self`, otherwise adds an error.
pub(crate) fn has_shared_receiver(signature: &Signature, errors: &Errors) -> bool {
    let Some(receiver) = signature.receiver() else {
        errors.at(signature.ident.span(), format_args!("missing `&self`; write `fn {}(&self, …)`", signature.ident));
        return false;
    };
    attributes::refuse(&receiver.attrs, "the receiver", errors);
    cfg::refuse_conditional_rpc(&receiver.attrs, errors);
    is_shared(receiver, errors)
}

fn is_shared(receiver: &Receiver, errors: &Errors) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, Some(lifetime), None) if lifetime.ident != "_" => {
            errors.at(lifetime.span(), "a lifetime on `self` is not supported; use `&self`");
        }
        ReceiverKind::Reference(_, _, None) if receiver.mutability.is_none() => return true,
        ReceiverKind::Reference(_, _, Some(mutability)) => errors.at(
            mutability.span,
            "`&mut self` is not supported: calls run concurrently; \
             use `&self` and interior mutability (`Mutex`, atomics)",
        ),
        ReceiverKind::Typed(..) => errors.at(receiver.self_token.span, "a typed `self` is not supported; use `&self`"),
        _ => {
            errors.at(receiver.self_token.span, "`self` by value is not supported: calls share one value; use `&self`");
        }
    }
    false
}

/// Refuses signatures that no method can have.
pub(crate) fn refuse(signature: &Signature, errors: &Errors) {
    if let Some(constness) = &signature.constness {
        errors.at(constness.span, "`const` is not supported on a method of a trait; remove it");
    }
    match &signature.safety {
        Safety::Unsafe(token) => {
            errors.at(token.span, "`unsafe` is not supported on a method: remote peers call it; remove it");
        }
        Safety::Safe(token) => errors.at(token.span, "`safe` is not supported on a method of a trait; remove it"),
        Safety::Default => {}
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi.extern_token.span, "`extern` is not supported on a method; remove it");
    }
    if let Some(parameter) = signature.generics.params.first() {
        let message = match parameter {
            GenericParam::Lifetime(_) => "lifetime parameters are not supported on a method; elide the lifetimes",
            _ => "generic methods are not supported; make the trait generic",
        };
        errors.at(parameter.span(), message);
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic.dots.span(), "variadic methods are not supported; take a list with `#[rpc(flatten)]`");
    }
    if let ReturnType::Type(_, returned) = &signature.output {
        refuse_result(returned, errors);
    }
}

fn refuse_result(ty: &Type, errors: &Errors) {
    if let Some(borrow) = types::first_borrow(ty) {
        errors.at(borrow, "a result cannot borrow; return an owned value");
    }
    if let Some(future) = types::first_future(ty) {
        errors.at(future, "`impl Future` is not supported as a result; write `async fn`, whose future is `Send`");
    } else if let Some(object) = types::dyn_error(ty) {
        errors.at(
            object,
            "`dyn Error` is not supported as an error; return `rpc_core::Internal`, into which `?` converts any error",
        );
    } else if let Some(opaque) = types::first_opaque(ty) {
        errors.at(opaque, "`impl Trait` and `dyn Trait` are not supported in a result; name a concrete type");
    }
    if let Some(this) = types::first_self(ty) {
        errors.at(this, "`Self` is not supported in a result: the client does not know the type; name it");
    }
    if types::is_unsized(ty) {
        let sized = if types::is_str(ty) { "String" } else { "Vec<…>" };
        errors.at(ty.span(), format_args!("unsized results are not supported; return `{sized}`"));
    }
}

/// Refuses types that no parameter can have.
pub(crate) fn refuse_param(ty: &Type, errors: &Errors) {
    if let Some(opaque) = types::first_opaque(ty) {
        errors.at(
            opaque,
            "`impl Trait` and `dyn Trait` are not supported in a parameter; \
             name a type, or make it a type parameter of the trait",
        );
    } else if let Some(mutability) = types::first_mutable(ty) {
        errors.at(
            mutability,
            "mutable references are not supported in a parameter: changes are not sent back; use `&T` or `T`",
        );
    } else if let Some(reference) = types::nested_reference(ty) {
        errors.at(reference, "nested references are not supported in a parameter; own the value or use `Cow<'_, str>`");
    } else if let Some(this) = types::first_self(ty) {
        errors.at(this, "`Self` is not supported in a parameter: the client does not know the type; name it");
    } else if types::is_unsized(ty) {
        let borrowed = if types::is_str(ty) { "&str" } else { "&[…]" };
        errors.at(ty.span(), format_args!("unsized parameters are not supported; use `{borrowed}`"));
    } else if let Some(reference) = types::outer_reference(ty)
        && let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static")
    {
        let borrowed = if types::is_str(&reference.elem) { "&str" } else { "&T" };
        errors.at(
            lifetime.span(),
            format_args!("`'static` is not supported in a parameter, which borrows from the message; use `{borrowed}`"),
        );
    }
}
