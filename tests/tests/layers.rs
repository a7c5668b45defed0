//! Layers of the library crates: a file uses lower layers or its own, without cycles, and the front file of a folder
//! holds docs, `mod` and `use` only. A front file may re-export a name of a higher layer for users; the crate itself
//! does not use it by that path. The tests parse the sources and do not see what macros expand to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use syn::{Item, Visibility};
use uses::{Module, names, paths, uses};

#[path = "layers/uses.rs"]
mod uses;

/// The layers of files and folders, by path without `.rs`. The longest matching entry applies.
type Layers = &'static [(&'static str, u8)];

const RPC_CORE: Layers = &[
    ("wire", 0),
    ("block_on", 1),
    ("connection_id", 1),
    ("depth", 1),
    ("blocking", 6),
    ("error", 1),
    ("extensions", 1),
    ("framing", 1),
    ("limits", 1),
    ("observe", 1),
    ("params", 1),
    ("pending", 1),
    ("time", 1),
    ("profile", 1),
    ("transport/remote_addr", 1),
    ("transport/traits", 1),
    ("transport", 2),
    ("client", 2),
    ("peer", 3),
    ("subscription", 3),
    ("server", 4),
    ("connection", 5),
    ("in_process", 5),
    ("mock", 5),
    ("serve", 6),
    ("net", 6),
    ("private", 7),
    ("lib", 7),
];

const RPC_MACROS: Layers = &[
    ("errors", 0),
    ("names", 0),
    ("types", 0),
    ("fresh_names", 0),
    ("option_names", 0),
    ("options", 1),
    ("attributes", 2),
    ("cfg", 2),
    ("signature", 3),
    ("ast", 4),
    ("cfg_variants", 5),
    ("check", 6),
    ("expand", 7),
    ("fallback", 7),
    ("error_derive", 7),
    ("lib", 8),
];

/// Front files that may hold one function, which lists the generated items.
const FRONT_FILES_WITH_A_FUNCTION: &[&str] = &["rpc-macros/src/expand.rs"];

const ROOT_NAMES: usize = 20;

#[test]
fn files_of_rpc_core_use_their_own_and_lower_layers() {
    let violations = violations(&sources("rpc-core"), RPC_CORE);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn files_of_rpc_macros_use_their_own_and_lower_layers() {
    let violations = violations(&sources("rpc-macros"), RPC_MACROS);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn both_library_crates_forbid_unsafe_code() {
    for krate in ["rpc-core", "rpc-macros"] {
        assert!(has(&root(krate).attrs, "forbid", "unsafe_code"), "{krate}/src/lib.rs lacks #![forbid(unsafe_code)]");
    }
}

#[test]
fn the_root_of_rpc_core_has_at_most_20_public_names() {
    let names = public_names(&root("rpc-core"));
    assert!(names.len() <= ROOT_NAMES, "{} names, at most {ROOT_NAMES}: {names:?}", names.len());
}

/// The text of every file of a crate, by its path in the workspace.
type Sources = BTreeMap<String, String>;

fn sources(krate: &str) -> Sources {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests has a parent");
    let mut folders = vec![workspace.join(krate).join("src")];
    let mut sources = Sources::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder of sources") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(workspace).expect("inside").to_str().expect("UTF-8").to_owned();
                sources.insert(name, std::fs::read_to_string(&path).expect("readable"));
            }
        }
    }
    sources
}

fn root(krate: &str) -> syn::File {
    syn::parse_file(&sources(krate)[&format!("{krate}/src/lib.rs")]).expect("Rust")
}

/// Returns a description of each violation.
fn violations(sources: &Sources, layers: Layers) -> Vec<String> {
    let modules: BTreeMap<Module, &str> = sources.keys().map(|file| (module_of(file), file.as_str())).collect();
    let mut violations = vec![];
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut for_users: BTreeSet<(Module, String)> = BTreeSet::new();
    let mut used_names: Vec<(&str, Module, String)> = vec![];
    for (module, file) in &modules {
        let syntax = syn::parse_file(&sources[*file]).unwrap_or_else(|error| panic!("{file}: {error}"));
        let layer = layer_of(module, layers);
        if layer.is_none() {
            violations.push(format!("{file} has no layer: add it to the table in tests/tests/layers.rs"));
        }
        let children = modules.iter().filter(|(child, _)| is_parent(module, child)).map(|(_, file)| *file);
        let edges = graph.entry(file).or_default();
        edges.extend(children);
        if !edges.is_empty() && !module.is_empty() && !is_thin(&syntax, FRONT_FILES_WITH_A_FUNCTION.contains(file)) {
            violations.push(format!("{file} is a front file and may hold docs, `mod name;` and `use` only"));
        }
        let exports = if edges.is_empty() { BTreeSet::new() } else { public_exports(&syntax) };
        for (path, target) in uses(&syntax, module, &modules) {
            let used = modules[&target];
            if used == *file {
                continue;
            }
            let name = path.rsplit("::").next().unwrap_or_default().to_owned();
            if exports.contains(&path) && layer_of(&target, layers) > layer && !module.is_empty() {
                for_users.insert((module.clone(), name));
                continue;
            }
            if !module.is_empty() {
                used_names.push((file, target.clone(), name));
            }
            edges.insert(used);
            if module.starts_with(&target) {
                violations
                    .push(format!("{file} imports its own front file {used} by `{path}`: use the path of the sibling"));
            } else if let (Some(layer), Some(above)) = (layer, layer_of(&target, layers))
                && above > layer
            {
                violations.push(format!("{file} in layer {layer} uses `{path}` of {used} in layer {above}"));
            }
        }
    }
    for (file, front, name) in
        used_names.into_iter().filter(|(_, front, name)| for_users.contains(&(front.clone(), name.clone())))
    {
        violations.push(format!("{file} uses `{name}` of {}, which re-exports it for users", modules[&front]));
    }
    violations.extend(cycles(&graph).iter().map(|cycle| format!("a cycle of files: {}", cycle.join(" → "))));
    violations
}

fn module_of(file: &str) -> Module {
    let (_, path) = file.split_once("/src/").expect("a file in src");
    let names = path.trim_end_matches(".rs");
    if names == "lib" { vec![] } else { names.split('/').map(str::to_owned).collect() }
}

fn layer_of(module: &[String], layers: Layers) -> Option<u8> {
    let name = if module.is_empty() { "lib".to_owned() } else { module.join("/") };
    let holds = |entry: &str| name.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    layers.iter().filter(|(entry, _)| holds(entry)).max_by_key(|(entry, _)| entry.len()).map(|(_, layer)| *layer)
}

fn is_parent(module: &[String], child: &[String]) -> bool {
    child.split_last().is_some_and(|(_, parent)| parent == module)
}

fn is_thin(front: &syn::File, with_a_function: bool) -> bool {
    let functions = front.items.iter().filter(|item| matches!(item, Item::Fn(_))).count();
    let thin = |item: &Item| match item {
        Item::Mod(item) => item.content.is_none(),
        Item::Use(_) | Item::Fn(_) => true,
        _ => false,
    };
    functions <= usize::from(with_a_function) && front.items.iter().all(thin)
}

/// Returns the paths that a front file re-exports for users.
fn public_exports(front: &syn::File) -> BTreeSet<String> {
    let exports = front.items.iter().filter_map(|item| match item {
        Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => Some(paths(item)),
        _ => None,
    });
    exports.flatten().collect()
}

/// Returns the shortest cycle through each file, starting at the file that sorts first.
fn cycles<'a>(graph: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<Vec<&'a str>> {
    graph.keys().filter_map(|start| cycle_through(start, graph)).collect()
}

fn cycle_through<'a>(start: &'a str, graph: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Option<Vec<&'a str>> {
    let mut paths = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(mut path) = paths.pop_front() {
        for &next in &graph[path.last()?] {
            if next == start {
                let least = path.iter().enumerate().min_by_key(|(_, file)| **file).map_or(0, |(at, _)| at);
                path.rotate_left(least);
                path.push(path[0]);
                return Some(path);
            }
            if seen.insert(next) {
                paths.push_back([&path[..], &[next]].concat());
            }
        }
    }
    None
}

/// Returns the public names of the root, without those hidden in the documentation.
fn public_names(root: &syn::File) -> BTreeSet<String> {
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    let mut public = BTreeSet::new();
    for item in &root.items {
        match item {
            Item::Use(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                public.extend(names(item).into_iter().map(|name| name.expect("a glob at the root hides its names")));
            }
            Item::Mod(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                public.insert(item.ident.to_string());
            }
            Item::Use(_) | Item::Mod(_) => {}
            // A private struct holds the code of the README as documentation tests.
            Item::Struct(item) if !is_public(&item.vis) => {}
            _ => panic!("the root holds docs, `mod` and `use` only"),
        }
    }
    public
}

fn is_hidden(attributes: &[syn::Attribute]) -> bool {
    has(attributes, "doc", "hidden")
}

/// Returns whether the attributes contain `#[name(argument)]`.
fn has(attributes: &[syn::Attribute], name: &str, argument: &str) -> bool {
    attributes
        .iter()
        .filter_map(|attribute| attribute.meta.require_list().ok())
        .any(|list| list.path.is_ident(name) && list.parse_args::<syn::Ident>().is_ok_and(|found| found == argument))
}

// Tests of the checks on small crates.

/// Returns the violations in a crate of these files, which have the layers of the files of `rpc-core`.
fn violations_of(files: &[(&str, &str)]) -> Vec<String> {
    let full = files.iter().map(|(file, text)| (format!("rpc-core/src/{file}"), (*text).to_owned()));
    violations(&full.collect(), RPC_CORE).iter().map(|violation| violation.replace("rpc-core/src/", "")).collect()
}

#[test]
fn a_use_of_a_higher_layer_is_found_however_it_is_written() {
    for text in [
        "use crate::params::Text;",
        "pub(crate) use crate::params::*;",
        "use super::super::params;",
        "use {crate::{params as p}, std::fmt};",
        "use super::super as root; fn f() { root::params::decode() }",
        "fn f() -> crate::params::Text {}",
        "fn f() { <u8 as crate::params::Params>::LENGTH }",
        "fn f() { assert!(vec![crate::params::Text].is_empty()) }",
        "macro_rules! m { () => { use $crate::{params::{Text}}; } }",
        "#[cfg(test)] mod tests { use super::super::super::params::Text; }",
        "#[cfg_attr(test, derive(crate::params::Text))] struct S;",
    ] {
        let found = violations_of(&[("lib.rs", ""), ("wire.rs", ""), ("wire/id.rs", text), ("params.rs", "")]);
        let up = |violation: &String| {
            violation.contains("wire/id.rs in layer 0 uses") && violation.contains("params.rs in layer 1")
        };
        assert!(found.iter().any(up), "{text}: {found:?}");
    }
}

#[test]
fn lower_layers_siblings_and_other_crates_may_be_used() {
    let tuple =
        "use super::info::MethodNames; use crate::server::info; use crate::wire::Id; use wire::Id; use ::params::x;
        pub(in crate::server) struct S; fn f() { info::all(); self::g(); ::serve::x(); wire::x(); vec![::serve::x()] }
        mod tests { use super::*; }";
    let files = [
        ("lib.rs", "mod server; pub use server::Server;"),
        ("wire.rs", ""),
        ("params.rs", ""),
        ("serve.rs", ""),
        ("server.rs", "//! Docs.\nmod info; mod tuple; pub use info::Server;"),
        ("server/info.rs", "pub struct Server;"),
        ("server/tuple.rs", tuple),
    ];
    assert_eq!(violations_of(&files), [""; 0]);
}

#[test]
fn a_cycle_through_front_files_is_found() {
    let pair = [("limits.rs", "use crate::pending::P;"), ("pending.rs", "use crate::limits::L;")];
    assert_eq!(violations_of(&pair), ["a cycle of files: limits.rs → pending.rs → limits.rs"]);
    let folders = [
        ("error.rs", "mod call;"),
        ("error/call.rs", "use crate::params::Text;"),
        ("params.rs", "mod text;"),
        ("params/text.rs", "use crate::error::ClientError;"),
    ];
    let cycle = "a cycle of files: error.rs → error/call.rs → params.rs → params/text.rs → error.rs";
    assert_eq!(violations_of(&folders), [cycle]);
}

#[test]
fn a_child_that_imports_its_front_file_is_found() {
    for (text, front) in [
        ("use super::Server;", "server.rs"),
        ("use super::*;", "server.rs"),
        ("use crate::server::{Server, info::MethodNames};", "server.rs"),
        ("fn f() { format!(\"{}\", super::NAME) }", "server.rs"),
        ("use crate::Server;", "lib.rs"),
    ] {
        let found =
            violations_of(&[("lib.rs", ""), ("server.rs", ""), ("server/info.rs", ""), ("server/text.rs", text)]);
        let start = format!("server/text.rs imports its own front file {front} by ");
        assert!(found.iter().any(|violation| violation.starts_with(&start)), "{text}: {found:?}");
    }
}

#[test]
fn a_name_of_a_higher_layer_is_re_exported_for_users_only() {
    let files = [
        ("lib.rs", ""),
        ("client.rs", "mod call; pub use crate::in_process::Q;"),
        ("client/call.rs", ""),
        ("in_process.rs", "use crate::client::Call;"),
    ];
    assert_eq!(violations_of(&files), [""; 0]);
    let private =
        violations_of(&[files[0], ("client.rs", "mod call; pub(crate) use crate::in_process::Q;"), files[2], files[3]]);
    assert!(private.iter().any(|violation| violation.contains("client.rs in layer 2 uses")), "{private:?}");
    let used = violations_of(&[files[0], files[1], files[2], files[3], ("mock.rs", "use crate::client::{Call, Q};")]);
    assert_eq!(used, ["mock.rs uses `Q` of client.rs, which re-exports it for users"]);
}

#[test]
fn a_front_file_with_code_and_a_file_without_a_layer_are_found() {
    let front = violations_of(&[("wire.rs", "mod id; fn read() {}"), ("wire/id.rs", "")]);
    assert_eq!(front, ["wire.rs is a front file and may hold docs, `mod name;` and `use` only"]);
    let unlisted = violations_of(&[("unlisted.rs", "")]);
    assert_eq!(unlisted, ["unlisted.rs has no layer: add it to the table in tests/tests/layers.rs"]);
}
