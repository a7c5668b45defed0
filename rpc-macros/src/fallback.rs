//! What is emitted beside the errors: the trait made legal, so that other errors stay visible.

use crate::attr::is_ours;
use crate::expand::trait_item;
use proc_macro2::TokenStream;
use syn::{FnArg, ItemTrait, Pat, Safety, TraitItem, TraitItemFn, parse_quote};

/// The trait without our attributes and without what no trait can have.
pub(crate) fn legal(mut item: ItemTrait) -> TokenStream {
    item.modifiers.auto_token = None;
    for item in &mut item.items {
        if let TraitItem::Fn(function) = item {
            make_legal(function);
        } else if let TraitItem::Const(constant) = item {
            constant.attrs.retain(|attribute| !is_ours(attribute));
        }
    }
    trait_item::expand(&item)
}

/// A method in a trait is not `const`, and one without a body has plain names for parameters.
fn make_legal(function: &mut TraitItemFn) {
    function.sig.constness = None;
    if matches!(function.sig.safety, Safety::Safe(_)) {
        function.sig.safety = Safety::Default;
    }
    if function.default.is_some() {
        return;
    }
    for (position, input) in function.sig.inputs.iter_mut().enumerate() {
        if let FnArg::Typed(typed) = input {
            match &mut *typed.pat {
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
    }
}
