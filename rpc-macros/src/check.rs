//! Checks that involve several parts of a method or of the trait.

use crate::ast::{Method, Param, Returns, Service, Wire};
use crate::cfg_variants::{MAX_CONDITIONS, conditional_params};
use crate::errors::Errors;
use crate::types;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, TraitItem, Type};

/// The functions of a generated client.
const CLIENT_FUNCTIONS: [&str; 5] = ["new", "caller", "connect", "connect_blocking", "batch"];

/// Trait functions that every type has and that take `self` by value. Method lookup finds them before a
/// method that takes `&self`.
const CONVERSIONS: [(&str, &str); 2] = [("into", "Into"), ("try_into", "TryInto")];

/// The most parameters that rpc-core decodes.
const MAX_PARAMS: usize = 12;

/// Adds an error for each rule that the service breaks.
pub(crate) fn check(service: &Service, errors: &Errors) {
    for method in &service.methods {
        check_name(method, service.has_client, errors);
        check_result(method, errors);
        check_params(method, errors);
        check_blocking(method, errors);
        if service.client_trait.is_some() {
            check_client_trait(method, errors);
        }
    }
    if service.client_trait.is_some() {
        check_constants(service, errors);
    }
    let names = service
        .methods
        .iter()
        .flat_map(|method| std::iter::once(&method.wire).chain(&method.aliases).map(|name| (name, &method.cfgs[..])));
    refuse_duplicates(names, &[], "method", errors);
}

fn check_name(method: &Method, has_client: bool, errors: &Errors) {
    for wire in std::iter::once(&method.wire).chain(&method.aliases) {
        // SPEC §8: names that begin with `rpc.` are reserved for extensions of the specification.
        if wire.name.starts_with("rpc.") {
            errors.at(
                wire.span,
                format_args!(
                    "the wire name `{}` is reserved by JSON-RPC 2.0, as all that begin with `rpc.`",
                    wire.name
                ),
            );
        }
    }
    if let Some(alias) = method.options.aliases.iter().find(|alias| alias.value().is_empty()) {
        errors.at(alias.span(), "the wire name of a method cannot be empty");
    }
    if !has_client {
        return;
    }
    let ident = method.ident();
    let remedy = format!("rename the method and write `#[rpc(name = \"{ident}\")]`");
    if CLIENT_FUNCTIONS.iter().any(|function| ident == function) {
        errors.at(ident.span(), format_args!("`{ident}` conflicts with a function of the client; {remedy}"));
    }
    if let Some((_, conversion)) = CONVERSIONS.iter().find(|(function, _)| ident == function) {
        let message = format_args!("`{ident}` conflicts with `{conversion}::{ident}` in calls of the client; {remedy}");
        errors.at(ident.span(), message);
    }
}

fn check_result(method: &Method, errors: &Errors) {
    if let (Returns::Nothing, Some((fallible, span))) = (&method.returns, method.options.fallible) {
        let option = if fallible { "fallible" } else { "infallible" };
        errors.at(span, format_args!("`{option}` has no effect on a method without a return type"));
    }
    if method.options.notification.is_some()
        && let Returns::Value(ty) | Returns::Result(ty) = &method.returns
        && !types::is_unit(ty)
    {
        errors.at(ty.span(), "a notification has no response; remove the return type");
    }
    if let (Some(_), Some(option)) = (method.options.notification, method.options.idempotent) {
        errors.at(option, "`idempotent` has no effect on a notification, which is never sent again");
    }
}

fn check_params(method: &Method, errors: &Errors) {
    if let Some(flat) = method.flat() {
        if method.params.len() > 1 {
            errors.at(
                flat.flatten.unwrap_or_else(|| flat.ident.span()),
                "`flatten` is only supported on the only parameter: its value is the whole params",
            );
        }
        if let Some((_, span)) = method.options.by_name {
            errors.at(span, "`params` has no effect beside `flatten`: the value is the whole params; remove `params`");
        }
    }
    if let Some(excess) = method.params.get(MAX_PARAMS) {
        errors.at(
            excess.ident.span(),
            format_args!("more than {MAX_PARAMS} parameters are not supported; use a struct with `#[rpc(flatten)]`"),
        );
    }
    if let Some(excess) = conditional_params(method).get(MAX_CONDITIONS) {
        errors.at(
            excess.ident.span(),
            format_args!(
                "more than {MAX_CONDITIONS} different `#[cfg]`s on parameters are not supported; \
                 write the method twice, each time under its `#[cfg]`"
            ),
        );
    }
    for param in &method.params {
        check_context(param, errors);
        check_default(param, errors);
        if param.wire.name.is_empty() {
            errors.at(param.wire.span, "the wire name of a parameter cannot be empty");
        }
    }
    let names = method.params.iter().map(|param| (&param.wire, &param.cfgs[..]));
    refuse_duplicates(names, &method.cfgs, "parameter", errors);
}

fn check_context(param: &Param, errors: &Errors) {
    let referent = types::outer_reference(param.ty()).map(|reference| types::bare(&reference.elem));
    if let Some(Type::Path(path)) = referent
        && path.path.segments.last().is_some_and(|last| last.ident == "Context")
    {
        errors.at(path.span(), "missing `#[rpc(context)]` on a `&Context`, which is not on the wire");
    }
}

fn check_default(param: &Param, errors: &Errors) {
    let Some(default) = &param.default else { return };
    if param.flatten.is_some() {
        errors.at(
            default.span,
            "`default` has no effect beside `flatten`, which reads absent params as `[]`, `None` or `{}`",
        );
    } else if types::outer_reference(param.ty()).is_some() || types::is_borrowed_cow(param.ty()) {
        errors.at(default.span, "`default` is not supported on a borrowed parameter; own the value, as in `String`");
    }
}

/// A blocking method runs on another thread, where it outlives the message.
fn check_blocking(method: &Method, errors: &Errors) {
    if method.options.blocking.is_none() {
        return;
    }
    if let Some(asyncness) = &method.original.sig.asyncness {
        errors.at(asyncness.span, "a `blocking` method cannot be `async`; write `fn`");
    }
    if let Some(context) = &method.context {
        errors.at(context.ty.span(), "a `blocking` method cannot take a context, which borrows from the call");
    }
    for param in &method.params {
        let cow = types::is_borrowed_cow(param.ty()).then(|| param.ty().span());
        if let Some(borrow) = types::first_borrow(param.ty()).or(cow) {
            errors.at(borrow, "a `blocking` method cannot borrow from the message; take an owned value");
        }
    }
}

fn check_client_trait(method: &Method, errors: &Errors) {
    let signature = &method.original.sig;
    let is_call = method.options.notification.is_none();
    if !method.is_async() {
        let reason = if is_call { "a call waits for its response" } else { "a notification waits until it is sent" };
        errors.at(
            signature.fn_token.span,
            format_args!(
                "`client_implements_trait` requires an async method: {reason}; write `async fn {}(…)`",
                signature.ident
            ),
        );
    }
    if let Some(context) = &method.context {
        errors.at(context.ty.span(), "`client_implements_trait` supports no context: a client has none");
    }
    let (span, hint) = match &method.returns {
        Returns::Result(_) => return,
        Returns::Nothing => (signature.ident.span(), ""),
        Returns::Value(ty) if matches!(ty, Type::Path(_)) && !types::is_small(ty) => {
            (ty.span(), "; if this is an alias of one, write `#[rpc(fallible)]`")
        }
        Returns::Value(ty) => (ty.span(), ""),
    };
    if is_call {
        errors.at(
            span,
            format_args!(
                "`client_implements_trait` requires a `Result<_, E>` with `E: From<CallError>`: a call can fail{hint}"
            ),
        );
    }
}

fn check_constants(service: &Service, errors: &Errors) {
    for item in &service.original.items {
        if let TraitItem::Const(constant) = item
            && constant.default.is_none()
        {
            let (name, ty) = (&constant.ident, constant.ty.to_token_stream());
            let message = format_args!("`client_implements_trait` requires a value: write `const {name}: {ty} = …;`");
            errors.at(name.span(), message);
        }
    }
}

/// Adds an error for each wire name that an earlier item has. Items under `cfg` may be alternatives, so the
/// error has the `cfgs` of both and of `outer`, which contains them: rustc decides.
fn refuse_duplicates<'w>(
    names: impl Iterator<Item = (&'w Wire, &'w [Attribute])>,
    outer: &[Attribute],
    item: &str,
    errors: &Errors,
) {
    let mut seen: Vec<(&Wire, &[Attribute])> = Vec::new();
    for (wire, cfgs) in names {
        for (_, others) in seen.iter().filter(|(earlier, _)| earlier.name == wire.name) {
            let message = format!("the wire name `{}` is already used by another {item}", wire.name);
            if cfgs.is_empty() && others.is_empty() {
                errors.at(wire.span, message);
                break;
            }
            let both: Vec<_> = outer.iter().chain(cfgs).chain(*others).collect();
            errors.at_under(&both, wire.span, message);
        }
        seen.push((wire, cfgs));
    }
}
