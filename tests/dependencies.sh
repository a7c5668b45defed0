#!/bin/bash
# A crate that depends on rpc-core alone can serve a trait, and brings few crates with it; so can one that
# renames the dependency, and one that gets it from another crate.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
limit=12

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CARGO_TARGET_DIR=$root/target/scratch

# crate NAME DEPENDENCY PATH ATTRIBUTE: a program that reaches the runtime by PATH.
crate() {
    mkdir -p "$scratch/$1/src"
    cat >"$scratch/$1/Cargo.toml" <<EOF
[package]
name = "$1"
version = "0.0.0"
edition = "2024"

[dependencies]
$2

[workspace]
EOF
    cat >"$scratch/$1/src/main.rs" <<EOF
#![deny(warnings)]

use $3::{RpcError, Server};

#[derive(Debug, RpcError)]
#[rpc($4)]
enum Refused {
    #[rpc(code = 1, message = "no")]
    No { a: i64 },
}

#[$3::rpc($4)]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> Result<i64, Refused>;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn add(&self, a: i64, b: i64) -> Result<i64, Refused> {
        a.checked_add(b).ok_or(Refused::No { a })
    }
}

fn main() {
    let server = Server::new(CalcService::new(MyCalc));
    print!("{}", server.handle_blocking(r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#).unwrap());
    let _ = CalcClient::new(server.caller()).add(1, 2);
}
EOF
    # The versions of this workspace, as far as they are needed.
    cp "$root/Cargo.lock" "$scratch/$1"
    local response
    response=$(cd "$scratch/$1" && cargo run --quiet)
    if [[ $response != '{"jsonrpc":"2.0","result":3,"id":1}' ]]; then
        printf '%s responded: %s\n' "$1" "$response"
        return 1
    fi
}

crate alone "rpc-core = { path = \"$root/rpc-core\" }" rpc_core ''
crate renamed "wire = { package = \"rpc-core\", path = \"$root/rpc-core\" }" wire 'crate = "wire"'
mkdir -p "$scratch/facade/src"
printf 'pub use rpc_core;\n' >"$scratch/facade/src/lib.rs"
printf '[package]\nname = "facade"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\nrpc-core = { path = "%s/rpc-core" }\n' \
    "$root" >"$scratch/facade/Cargo.toml"
crate reexported 'facade = { path = "../facade" }' facade::rpc_core 'crate = "facade::rpc_core"'

crates=$(cd "$scratch/alone" && cargo tree --edges normal --prefix none | cut -d ' ' -f 1,2 | sort -u | grep -vE '^(alone|rpc-core|rpc-macros) ')
count=$(wc -l <<<"$crates")
printf '%d crates beside ours, at most %d:\n%s\n' "$count" "$limit" "$crates"
((count <= limit))
