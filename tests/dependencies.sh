#!/bin/bash
# A crate that depends on rpc-core alone can serve a trait, and brings few crates with it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
limit=12

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/src"
cat >"$scratch/Cargo.toml" <<EOF
[package]
name = "scratch"
version = "0.0.0"
edition = "2024"

[dependencies]
rpc-core = { path = "$root/rpc-core" }

[workspace]
EOF
cat >"$scratch/src/main.rs" <<'EOF'
use rpc_core::{Server, rpc};

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    let server = Server::new(CalcService::new(MyCalc));
    print!("{}", server.handle_blocking(r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#).unwrap());
}
EOF
# The versions of this workspace, as far as they are needed.
cp "$root/Cargo.lock" "$scratch"
export CARGO_TARGET_DIR=$root/target/scratch
cd "$scratch"

answer=$(cargo run --quiet)
if [[ $answer != '{"jsonrpc":"2.0","result":3,"id":1}' ]]; then
    printf 'the crate answered: %s\n' "$answer"
    exit 1
fi
crates=$(cargo tree --edges normal --prefix none | cut -d ' ' -f 1,2 | sort -u | grep -vE '^(scratch|rpc-core|rpc-macros) ')
count=$(wc -l <<<"$crates")
printf '%d crates beside ours, at most %d:\n%s\n' "$count" "$limit" "$crates"
((count <= limit))
