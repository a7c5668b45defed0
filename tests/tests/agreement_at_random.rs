//! The fast reader and the exact one agree on messages made by chance; a client bears all of them.
//!
//! `RPC_AGREEMENT` says how many; without it they are few, and fewer if they take long.
//! `RPC_AGREEMENT_SEED` is the seed of others.

use rpc_core::Server;
use std::time::{Duration, Instant};
use tests::listener::Listener;
use tests::mutation::Mutations;
use tests::twins::{Both, Twins, head};

const RESULT: &[u8] = br#"{"jsonrpc":"2.0","result":"#;
const FEW: usize = 20_000;
const LONG: Duration = Duration::from_secs(8);

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// Limits that many messages are just under or just over.
fn limits(server: Server<Both>) -> Server<Both> {
    server.max_message_bytes(200).max_depth(3).max_batch_members(2).max_batch_response_bytes(150)
}

#[test]
fn messages_made_by_chance_are_judged_alike() {
    let seed = number("RPC_AGREEMENT_SEED").unwrap_or(1);
    let asked = number("RPC_AGREEMENT").map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let start = Instant::now();
    let (mut mutations, mut twins) = (Mutations::new(seed), Twins::new());
    let mut limited = Twins::limited(limits);
    let mut listeners = Listener::all();
    let (mut done, mut results, mut not_json) = (0, 0, 0);
    while done < asked.unwrap_or(FEW) && (asked.is_some() || start.elapsed() < LONG) {
        let message = mutations.message();
        let shown = || format!("seed {seed}, message {done}:\n{}", head(&message));
        match twins.response(&message) {
            Ok(response) if response.starts_with(br#"{"jsonrpc":"2.0","error":{"code":-32700"#) => not_json += 1,
            Ok(response) => results += usize::from(response.windows(RESULT.len()).any(|part| part == RESULT)),
            Err(error) => panic!("{}\n{error}", shown()),
        }
        if let Err(error) = limited.response(&message) {
            panic!("{}\nwithin limits:\n{error}", shown());
        }
        for listener in &mut listeners {
            if let Err(error) = listener.hear(&message) {
                panic!("{}\n{error}", shown());
            }
        }
        done += 1;
    }
    println!("{done} messages in {:?}: {results} with results, {not_json} not JSON", start.elapsed());
    // Changes that leave nothing right, or nothing wrong, would try little.
    assert!(results * 6 > done && not_json * 6 > done, "{results} with results, {not_json} not JSON of {done}");
}
