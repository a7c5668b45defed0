//! Rules that need more than one place to be seen.

use crate::ast::{Method, Param, Returns, Service, Wire};
use crate::cfg_variants::{MOST_CONDITIONS, conditions};
use crate::errors::Errors;
use crate::types;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, TraitItem, Type};

/// What the client itself is asked, now or in a later version.
const CLIENT_FUNCTIONS: [&str; 5] = ["new", "caller", "connect", "connect_blocking", "batch"];

/// What every value is asked by value, which comes before a method that borrows.
const FUNCTIONS_OF_ALL: [&str; 2] = ["into", "try_into"];

/// How many arguments the runtime decodes.
const MOST_PARAMS: usize = 12;

/// Notes every rule that the service breaks.
pub(crate) fn check(service: &Service, errors: &Errors) {
    for method in &service.methods {
        check_name(method, service.has_client, errors);
        check_answer(method, errors);
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
    refuse_repeated(names, &[], "method", errors);
}

fn check_name(method: &Method, has_client: bool, errors: &Errors) {
    for wire in std::iter::once(&method.wire).chain(&method.aliases) {
        // SPEC §8: names that begin with `rpc.` are reserved for extensions of the specification.
        if wire.name.starts_with("rpc.") {
            errors.at(
                wire.span,
                format_args!("the wire name `{}` begins with `rpc.`, which JSON-RPC 2.0 reserves", wire.name),
            );
        }
    }
    if let Some(alias) = method.options.aliases.iter().find(|alias| alias.value().is_empty()) {
        errors.at(alias.span(), "a method's name cannot be empty");
    }
    let ident = method.ident();
    if !has_client {
        return;
    }
    if CLIENT_FUNCTIONS.iter().any(|taken| ident == taken) {
        errors.at(ident.span(), format_args!("`{ident}` is a function of the client itself; name the method otherwise and write `#[rpc(name = \"{ident}\")]`"));
    }
    if FUNCTIONS_OF_ALL.iter().any(|taken| ident == taken) {
        errors.at(ident.span(), format_args!("`client.{ident}(…)` would convert the client, as every value has an `{ident}`; name the method otherwise and write `#[rpc(name = \"{ident}\")]`"));
    }
}

fn check_answer(method: &Method, errors: &Errors) {
    if let (Returns::Nothing, Some((fallible, span))) = (&method.returns, method.options.fallible) {
        let option = if fallible { "fallible" } else { "infallible" };
        errors.at(span, format_args!("`{option}` is said of a return type, and this method has none"));
    }
    if method.options.notification.is_some()
        && let Returns::Value(ty) | Returns::Result(ty) = &method.returns
        && !types::is_unit(ty)
    {
        errors.at(ty.span(), "a notification has no answer, so it returns nothing");
    }
    if let (Some(_), Some(option)) = (method.options.notification, method.options.idempotent) {
        errors.at(option, "`idempotent` lets a call be sent again when no answer came, and a notification has none: leave out one of the two words");
    }
}

fn check_params(method: &Method, errors: &Errors) {
    if let Some(flat) = method.flat() {
        if method.params.len() > 1 {
            errors.at(
                flat.flatten.unwrap_or_else(|| flat.ident.span()),
                "`flatten` makes this value the whole of the params, so it must be the only parameter",
            );
        }
        if let Some((_, span)) = method.options.by_name {
            errors.at(
                span,
                "`flatten` makes one value the whole of the params: it is sent as it is, so leave `params` out",
            );
        }
    }
    if let Some(beyond) = method.params.get(MOST_PARAMS) {
        errors.at(
            beyond.ident.span(),
            format_args!(
                "a method has at most {MOST_PARAMS} parameters; put them into a struct and write `#[rpc(flatten)]`"
            ),
        );
    }
    if let Some(beyond) = conditions(method).get(MOST_CONDITIONS) {
        errors.at(
            beyond.ident.span(),
            format_args!("the parameters of a method have at most {MOST_CONDITIONS} different `#[cfg]`s; write the method twice, each time under its `#[cfg]`"),
        );
    }
    for param in &method.params {
        check_context(param, errors);
        check_default(param, errors);
        if param.wire.name.is_empty() {
            errors.at(param.wire.span, "a parameter's name cannot be empty");
        }
    }
    let names = method.params.iter().map(|param| (&param.wire, &param.cfgs[..]));
    refuse_repeated(names, &method.cfgs, "parameter", errors);
}

fn check_context(param: &Param, errors: &Errors) {
    let referent = types::outer_reference(param.ty()).map(|reference| types::bare(&reference.elem));
    if let Some(Type::Path(path)) = referent
        && path.path.segments.last().is_some_and(|last| last.ident == "Context")
    {
        errors.at(path.span(), "a `&Context` is not on the wire: write `#[rpc(context)]` before it");
    }
}

fn check_default(param: &Param, errors: &Errors) {
    let Some(default) = &param.default else { return };
    if param.flatten.is_some() {
        errors.at(default.span, "`flatten` reads absent params as `[]`, `None` or `{}`, so leave `default` out");
    } else if types::outer_reference(param.ty()).is_some() || types::is_borrowed_cow(param.ty()) {
        errors.at(default.span, "a `default` is an owned value, so the parameter is one: write `String` for `&str`");
    }
}

/// What runs on the blocking pool outlives the message, and is no future.
fn check_blocking(method: &Method, errors: &Errors) {
    if method.options.blocking.is_none() {
        return;
    }
    if let Some(asyncness) = &method.original.sig.asyncness {
        errors.at(asyncness.span, "a `blocking` method is a plain `fn`: an `async fn` waits without blocking");
    }
    if let Some(context) = &method.context {
        errors.at(context.ty.span(), "a `blocking` method runs apart from its call, so it has no context");
    }
    for param in &method.params {
        let cow = types::is_borrowed_cow(param.ty()).then(|| param.ty().span());
        if let Some(borrow) = types::first_borrow(param.ty()).or(cow) {
            errors.at(borrow, "a `blocking` method runs apart from its message, so it takes owned values");
        }
    }
}

/// What the client cannot be when it implements the trait: it knows only what comes over the wire.
fn check_client_trait(method: &Method, errors: &Errors) {
    let signature = &method.original.sig;
    let is_call = method.options.notification.is_none();
    if !method.is_async() {
        let waits = if is_call {
            "method of the client waits for its reply"
        } else {
            "notification of the client waits until it is sent"
        };
        errors.at(
            signature.fn_token.span,
            format_args!(
                "`client_implements_trait`: a {waits}, so it must be async: write `async fn {}(…)`",
                signature.ident
            ),
        );
    }
    if let Some(context) = &method.context {
        errors.at(
            context.ty.span(),
            "`client_implements_trait`: who calls the client has no context to give, so a method takes none",
        );
    }
    let (place, hint) = match &method.returns {
        Returns::Result(_) => return,
        Returns::Nothing => (signature.ident.span(), ""),
        Returns::Value(ty) if matches!(ty, Type::Path(_)) && !types::is_small(ty) => {
            (ty.span(), "; if this is one under another name, write `#[rpc(fallible)]`")
        }
        Returns::Value(ty) => (ty.span(), ""),
    };
    if is_call {
        errors.at(place, format_args!("`client_implements_trait`: a call can fail on its way, so it must return `Result<_, E>` where `E: From<CallError>`{hint}"));
    }
}

/// Who implements the trait says its constants; the client has nothing to say.
fn check_constants(service: &Service, errors: &Errors) {
    for item in &service.original.items {
        if let TraitItem::Const(constant) = item
            && constant.default.is_none()
        {
            let (name, ty) = (&constant.ident, constant.ty.to_token_stream());
            errors.at(
                name.span(),
                format_args!("`client_implements_trait`: the client has no value of its own for this constant: write `const {name}: {ty} = …;`"),
            );
        }
    }
}

/// Notes each wire name that stood before. Items under `cfg` may be alternatives to each other: where
/// one is in the case, rustc says whether both are there. `outer` is what both depend on.
fn refuse_repeated<'w>(
    names: impl Iterator<Item = (&'w Wire, &'w [Attribute])>,
    outer: &[Attribute],
    what: &str,
    errors: &Errors,
) {
    let mut seen: Vec<(&Wire, &[Attribute])> = Vec::new();
    for (name, cfgs) in names {
        for (_, others) in seen.iter().filter(|(earlier, _)| earlier.name == name.name) {
            let message = format!("the wire name `{}` is another {what}'s already", name.name);
            if cfgs.is_empty() && others.is_empty() {
                errors.at(name.span, message);
                break;
            }
            let both: Vec<_> = outer.iter().chain(cfgs).chain(*others).collect();
            errors.under(&both, name.span, message);
        }
        seen.push((name, cfgs));
    }
}
