//! The fast reader of requests agrees with the strict one on random mutations, and clients handle them.
//!
//! `RPC_AGREEMENT` sets the number of messages: 20,000 by default, fewer if they take more than 8 s.
//! `RPC_AGREEMENT_SEED` sets the seed, 1 by default.

use rpc_core::Server;
use std::time::{Duration, Instant};
use tests::checked_client::CheckedClient;
use tests::fast_and_strict::{DemoAndParamTypes, FastAndStrict, truncated};
use tests::mutation::Mutations;

const RESULT: &[u8] = br#"{"jsonrpc":"2.0","result":"#;
const DEFAULT_COUNT: usize = 20_000;
const MAX_DURATION: Duration = Duration::from_secs(8);

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

/// Limits that many messages are just below or just above.
fn limits(server: Server<DemoAndParamTypes>) -> Server<DemoAndParamTypes> {
    server.max_message_bytes(200).max_depth(3).max_batch_members(2).max_batch_response_bytes(150)
}

#[test]
fn the_readers_agree_on_random_mutations() {
    let seed = number("RPC_AGREEMENT_SEED").unwrap_or(1);
    let requested = number("RPC_AGREEMENT").map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let start = Instant::now();
    let (mut mutations, mut readers) = (Mutations::new(seed), FastAndStrict::new());
    let mut limited = FastAndStrict::with_limits(limits);
    let mut clients = CheckedClient::all();
    let (mut done, mut results, mut not_json) = (0, 0, 0);
    while done < requested.unwrap_or(DEFAULT_COUNT) && (requested.is_some() || start.elapsed() < MAX_DURATION) {
        let message = mutations.message();
        let shown = || format!("seed {seed}, message {done}:\n{}", truncated(&message));
        match readers.response(&message) {
            Ok(response) if response.starts_with(br#"{"jsonrpc":"2.0","error":{"code":-32700"#) => not_json += 1,
            Ok(response) => results += usize::from(response.windows(RESULT.len()).any(|window| window == RESULT)),
            Err(error) => panic!("{}\n{error}", shown()),
        }
        if let Err(error) = limited.response(&message) {
            panic!("{}\nwith limits:\n{error}", shown());
        }
        for client in &mut clients {
            if let Err(error) = client.receive(&message) {
                panic!("{}\n{error}", shown());
            }
        }
        done += 1;
    }
    println!("{done} messages in {:?}: {results} with results, {not_json} not JSON", start.elapsed());
    // The mutations must leave enough messages valid and make enough invalid.
    assert!(results * 6 > done && not_json * 6 > done, "{results} with results, {not_json} not JSON of {done}");
}
