//! Rules that need more than one place to be seen.

use crate::ast::{Method, Returns, Service, Wire};
use crate::errors::Errors;
use syn::spanned::Spanned;

/// What the client itself is asked, now or in a later version.
const CLIENT_FUNCTIONS: [&str; 4] = ["new", "caller", "connect", "batch"];

/// How many arguments the runtime decodes.
const MOST_PARAMS: usize = 12;

/// Notes every rule that the service breaks.
pub(crate) fn check(service: &Service, errors: &Errors) {
    for method in &service.methods {
        check_method(method, errors);
    }
    // Methods under `cfg` may be alternatives to each other.
    let plain = service.methods.iter().filter(|method| method.cfgs().next().is_none());
    repeated(plain.map(|method| &method.wire), |name| {
        errors.at(name.span, format_args!("the wire name `{}` is another method's already", name.name));
    });
}

fn check_method(method: &Method, errors: &Errors) {
    let wire = &method.wire;
    // SPEC §8: names that begin with `rpc.` are reserved for extensions of the specification.
    if wire.name.starts_with("rpc.") {
        errors.at(
            wire.span,
            format_args!("the wire name `{}` begins with `rpc.`, which JSON-RPC 2.0 reserves", wire.name),
        );
    }
    let ident = method.ident();
    if CLIENT_FUNCTIONS.iter().any(|taken| ident == taken) {
        errors.at(ident.span(), format_args!("`{ident}` is a function of the client itself; name the method otherwise and write `#[rpc(name = \"{ident}\")]`"));
    }
    if method.notification.is_some()
        && let Returns::Value(ty) | Returns::Result(ty) = &method.returns
    {
        let is_unit = matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty());
        if !is_unit {
            errors.at(ty.span(), "a notification has no answer, so it returns nothing");
        }
    }
    if let Some(flat) = method.flat()
        && method.params.len() > 1
    {
        errors.at(
            flat.flatten.unwrap_or_else(|| flat.ident.span()),
            "`flatten` makes this value the whole of the params, so it must be the only parameter",
        );
    }
    if let Some(beyond) = method.params.get(MOST_PARAMS) {
        errors.at(
            beyond.ident.span(),
            format_args!(
                "a method has at most {MOST_PARAMS} parameters; put them into a struct and write `#[rpc(flatten)]`"
            ),
        );
    }
    for param in &method.params {
        if param.wire.name.is_empty() {
            errors.at(param.wire.span, "a parameter's name cannot be empty");
        }
    }
    repeated(method.params.iter().map(|param| &param.wire), |name| {
        errors.at(name.span, format_args!("the wire name `{}` is another parameter's already", name.name));
    });
}

/// Shows each name that stood before.
fn repeated<'w>(names: impl Iterator<Item = &'w Wire>, mut show: impl FnMut(&Wire)) {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name.name.as_str()) {
            show(name);
        }
    }
}
