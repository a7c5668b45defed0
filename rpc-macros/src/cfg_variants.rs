//! Variants of methods with conditional parameters: a parameter that is compiled out is not on the wire.

use crate::ast::{Method, Param, Service};
use quote::ToTokens;
use syn::{Attribute, parse_quote};

/// The limit on the conditions of one method, each of which doubles its variants.
pub(crate) const MAX_CONDITIONS: usize = 4;

// In:   fn half(&self, a: i64, #[cfg(gate)] b: i64);
// Out:  #[cfg(gate)] fn half(&self, a: i64, b: i64);      #[cfg(not(gate))] fn half(&self, a: i64);
/// Replaces each method by its variants.
pub(crate) fn expand(mut service: Service) -> Service {
    service.methods = service.methods.into_iter().flat_map(variants).collect();
    service
}

fn variants(method: Method) -> Vec<Method> {
    let conditions: Vec<_> = conditional_params(&method).iter().map(|param| param.cfgs.clone()).collect();
    conditions.iter().fold(vec![method], |variants, cfgs| {
        variants.iter().flat_map(|variant| [with(variant, cfgs), without(variant, cfgs)]).collect()
    })
}

/// Returns the first parameter of each condition.
pub(crate) fn conditional_params<'m, 'a>(method: &'m Method<'a>) -> Vec<&'m Param<'a>> {
    let mut first: Vec<&Param> = Vec::new();
    for param in method.params.iter().filter(|param| !param.cfgs.is_empty()) {
        if !first.iter().any(|known| is_same(&known.cfgs, &param.cfgs)) {
            first.push(param);
        }
    }
    first
}

fn with<'a>(variant: &Method<'a>, cfgs: &[Attribute]) -> Method<'a> {
    let mut variant = variant.clone();
    variant.cfgs.extend_from_slice(cfgs);
    variant
}

fn without<'a>(variant: &Method<'a>, cfgs: &[Attribute]) -> Method<'a> {
    let mut variant = variant.clone();
    let conditions = cfgs.iter().map(|cfg| match &cfg.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        other => other.to_token_stream(),
    });
    variant.cfgs.push(parse_quote!(#[cfg(not(all(#(#conditions),*)))]));
    if let Some(context) = &mut variant.context {
        let before = &variant.params[..context.position];
        context.position -= before.iter().filter(|param| is_same(&param.cfgs, cfgs)).count();
    }
    variant.params.retain(|param: &Param| !is_same(&param.cfgs, cfgs));
    variant
}

fn is_same(one: &[Attribute], other: &[Attribute]) -> bool {
    let text = |cfgs: &[Attribute]| cfgs.iter().map(|cfg| cfg.to_token_stream().to_string()).collect::<Vec<_>>();
    text(one) == text(other)
}
