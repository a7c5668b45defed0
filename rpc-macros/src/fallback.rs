//! The trait that is emitted beside the errors. It compiles, so errors in the user's other code stay visible.

use crate::expand::trait_item;
use proc_macro2::TokenStream;
use syn::{FnArg, ItemTrait, Pat, ReceiverKind, Safety, TraitItem, TraitItemFn, parse_quote};

/// Returns the trait without `#[rpc]` and without what rustc refuses.
pub(crate) fn expand(mut item: ItemTrait) -> TokenStream {
    item.modifiers.auto_token = None;
    for item in &mut item.items {
        if let TraitItem::Fn(function) = item {
            make_legal(function);
        }
    }
    trait_item::expand(&item)
}

/// rustc refuses a `const` method in a trait, patterns as parameters of a method without a body, and an
/// unsized `self` by value of one with a body.
fn make_legal(function: &mut TraitItemFn) {
    function.sig.constness = None;
    if matches!(function.sig.safety, Safety::Safe(_)) {
        function.sig.safety = Safety::Default;
    }
    if function.default.is_some() {
        let receiver = function.sig.receiver();
        if receiver.is_some_and(|receiver| matches!(receiver.kind, ReceiverKind::Value)) {
            function.sig.generics.make_where_clause().predicates.push(parse_quote!(Self: ::core::marker::Sized));
        }
        return;
    }
    for (position, input) in function.sig.inputs.iter_mut().enumerate() {
        match input {
            FnArg::Receiver(receiver) => receiver.mutability = None,
            FnArg::Typed(typed) => make_plain(&mut typed.pat, position),
        }
    }
}

fn make_plain(pattern: &mut Pat, position: usize) {
    match pattern {
        Pat::Ident(pattern) if pattern.subpat.is_none() => {
            pattern.by_ref = None;
            pattern.mutability = None;
        }
        other => {
            let name = quote::format_ident!("__{position}");
            *other = parse_quote!(#name);
        }
    }
}
