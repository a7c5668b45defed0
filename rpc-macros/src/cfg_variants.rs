//! A method whose parameters come and go with `cfg`, as one method for each case: on the wire a
//! parameter that is compiled out is not there.

use crate::ast::{Method, Param, Service};
use quote::ToTokens;
use syn::{Attribute, parse_quote};

/// How many conditions one method may have: each doubles its forms.
pub(crate) const MOST_CONDITIONS: usize = 4;

// In:   fn half(&self, a: i64, #[cfg(gate)] b: i64);
// Out:  #[cfg(gate)] fn half(&self, a: i64, b: i64);      #[cfg(not(gate))] fn half(&self, a: i64);
/// The service with each method in all its forms.
pub(crate) fn of(mut service: Service) -> Service {
    service.methods = service.methods.into_iter().flat_map(forms).collect();
    service
}

fn forms(method: Method) -> Vec<Method> {
    let conditions: Vec<_> = conditions(&method).iter().map(|param| param.cfgs.clone()).collect();
    conditions.iter().fold(vec![method], |forms, cfgs| {
        forms.iter().flat_map(|form| [with(form, cfgs), without(form, cfgs)]).collect()
    })
}

/// For each condition of a method's parameters the first that has it.
pub(crate) fn conditions<'m, 'a>(method: &'m Method<'a>) -> Vec<&'m Param<'a>> {
    let mut conditions: Vec<&Param> = Vec::new();
    for param in method.params.iter().filter(|param| !param.cfgs.is_empty()) {
        if !conditions.iter().any(|known| is_same(&known.cfgs, &param.cfgs)) {
            conditions.push(param);
        }
    }
    conditions
}

fn with<'a>(form: &Method<'a>, cfgs: &[Attribute]) -> Method<'a> {
    let mut form = form.clone();
    form.cfgs.extend_from_slice(cfgs);
    form
}

fn without<'a>(form: &Method<'a>, cfgs: &[Attribute]) -> Method<'a> {
    let mut form = form.clone();
    let conditions = cfgs.iter().map(|cfg| match &cfg.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        other => other.to_token_stream(),
    });
    form.cfgs.push(parse_quote!(#[cfg(not(all(#(#conditions),*)))]));
    if let Some(context) = &mut form.context {
        let before = &form.params[..context.position];
        context.position -= before.iter().filter(|param| is_same(&param.cfgs, cfgs)).count();
    }
    form.params.retain(|param: &Param| !is_same(&param.cfgs, cfgs));
    form
}

fn is_same(one: &[Attribute], other: &[Attribute]) -> bool {
    let text = |cfgs: &[Attribute]| cfgs.iter().map(|cfg| cfg.to_token_stream().to_string()).collect::<Vec<_>>();
    text(one) == text(other)
}
