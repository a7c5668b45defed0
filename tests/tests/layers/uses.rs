//! The paths by which a file uses other files of its crate: in `use`, in code, and in the tokens of macros. Names that
//! a `use` imports are resolved.

use std::collections::{BTreeMap, BTreeSet};
use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};
use syn::{UseTree, Visibility};

/// The path of a module from the root of the crate; empty for the root.
pub(crate) type Module = Vec<String>;

/// Returns each path as it is written, with the module of the file it refers to.
pub(crate) fn uses(file: &syn::File, module: &Module, modules: &BTreeMap<Module, &str>) -> BTreeSet<(String, Module)> {
    let mut reader = Reader { module: module.clone(), paths: vec![] };
    reader.visit_file(file);
    let mut names = BTreeMap::new();
    for Found { module, path, name } in &reader.paths {
        if let (Some(name), Some(path)) = (name, absolute(module, path, &names, modules)) {
            names.insert(name.clone(), path);
        }
    }
    let mut uses = BTreeSet::new();
    for Found { module, path, name: _ } in &reader.paths {
        // A single name is imported by a `use`, or is `pub(super)` in the tokens of a macro.
        if let (2.., Some(target)) = (path.len(), absolute(module, path, &names, modules)) {
            let depth = (0..=target.len()).rev().find(|depth| modules.contains_key(&target[..*depth]));
            uses.insert((path.join("::"), target[..depth.expect("the root is a module")].to_vec()));
        }
    }
    uses
}

/// Resolves a path from the root of the crate. Returns `None` for other crates and local names.
fn absolute(
    module: &Module,
    path: &[String],
    names: &BTreeMap<String, Module>,
    modules: &BTreeMap<Module, &str>,
) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let child = [&module[..], std::slice::from_ref(first)].concat();
    let mut target = match first.as_str() {
        "crate" => vec![],
        "self" => module.clone(),
        "super" => module.split_last()?.1.to_vec(),
        name if names.contains_key(name) => names[name].clone(),
        _ if modules.contains_key(&child) => child,
        _ => return None,
    };
    for name in rest {
        match name.as_str() {
            "self" => {}
            "super" => drop(target.pop()),
            name => target.push(name.to_owned()),
        }
    }
    Some(target)
}

/// Collects paths and their modules. An inline module is a module of its own.
struct Reader {
    module: Module,
    paths: Vec<Found>,
}

struct Found {
    module: Module,
    path: Vec<String>,
    /// The imported name, if the path is in a `use`.
    name: Option<String>,
}

impl Reader {
    fn found(&mut self, path: Vec<String>, name: Option<String>) {
        self.paths.push(Found { module: self.module.clone(), path, name });
    }

    fn tree(&mut self, tree: &UseTree, mut path: Vec<String>) {
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.tree(&tree.tree, path);
            }
            UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(item, path.clone())),
            UseTree::Glob(_) => self.found([path, vec!["*".to_owned()]].concat(), None),
            UseTree::Name(name) => {
                let local = if name.ident == "self" { path.last().cloned() } else { Some(name.ident.to_string()) };
                path.push(name.ident.to_string());
                self.found(path, local);
            }
            UseTree::Rename(rename) => {
                path.push(rename.ident.to_string());
                self.found(path, Some(rename.rename.to_string()));
            }
        }
    }

    /// Collects the paths in the tokens of a macro, `use` groups included.
    fn tokens(&mut self, mut at: Cursor, prefix: &[String]) {
        while !at.eof() {
            if let Some((inside, _, _, after)) = at.any_group() {
                self.tokens(inside, &[]);
                at = after;
            } else if let Some(after) = colons(at) {
                // A path that begins with `::` refers to another crate.
                at = after.ident().map_or(after, |(_, after)| after);
            } else if let Some((name, after)) = at.ident() {
                let mut path = [prefix, &[name.to_string()]].concat();
                at = after;
                while let Some(after) = colons(at) {
                    at = after;
                    if let Some((inside, _, _, after)) = at.any_group() {
                        self.tokens(inside, &path);
                        (path, at) = (vec![], after);
                    } else if let Some((name, after)) = at.ident() {
                        path.push(name.to_string());
                        at = after;
                    } else {
                        path.push("*".to_owned());
                    }
                }
                self.found(path, None);
            } else if let Some((_, after)) = at.token_tree() {
                at = after;
            }
        }
    }
}

fn colons(at: Cursor) -> Option<Cursor> {
    let (first, at) = at.punct()?;
    let (second, at) = at.punct()?;
    (first.as_char() == ':' && second.as_char() == ':').then_some(at)
}

impl Visit<'_> for Reader {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.tree(&item.tree, vec![]);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        if path.leading_colon.is_none() {
            self.found(path.segments.iter().map(|segment| segment.ident.to_string()).collect(), None);
        }
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_macro(&mut self, item: &syn::Macro) {
        self.visit_path(&item.path);
        self.tokens(TokenBuffer::new2(item.tokens.clone()).begin(), &[]);
    }

    fn visit_meta_list(&mut self, list: &syn::MetaList) {
        self.tokens(TokenBuffer::new2(list.tokens.clone()).begin(), &[]);
    }

    /// A visibility such as `pub(in crate::server)` is not a use.
    fn visit_visibility(&mut self, _: &Visibility) {}
}

/// Returns the names that a `use` imports; `None` for a glob.
pub(crate) fn names(item: &syn::ItemUse) -> Vec<Option<String>> {
    let mut reader = Reader { module: vec![], paths: vec![] };
    reader.visit_item_use(item);
    reader.paths.into_iter().map(|found| found.name).collect()
}

/// Returns the paths of a `use` one by one.
pub(crate) fn paths(item: &syn::ItemUse) -> Vec<String> {
    let mut reader = Reader { module: vec![], paths: vec![] };
    reader.visit_item_use(item);
    reader.paths.into_iter().map(|found| found.path.join("::")).collect()
}
