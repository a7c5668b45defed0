//! The fast reader of requests agrees with the strict one on requests with one edit, and on members in any order.
//!
//! If `RPC_AGREEMENT` is set, every letter is tried at every position.

use tests::fast_and_strict::FastAndStrict;
use tests::seed_messages::SEEDS;

const LETTERS: &[u8] = b"\"\\{}[],: 01-.enul\0\n\x0c\x1f\xc3";

#[test]
fn the_readers_agree_on_every_single_edit() {
    let mut readers = FastAndStrict::new();
    // By default each position gets a quarter of the letters, not the same as its neighbours.
    let share = if std::env::var_os("RPC_AGREEMENT").is_some() { 1 } else { 4 };
    for seed in SEEDS {
        let seed = seed.as_bytes();
        readers.check(seed);
        for at in 0..seed.len() {
            let (before, after) = (&seed[..at], &seed[at..]);
            readers.check(before);
            readers.check(after);
            readers.check(&[before, &after[1..]].concat());
            readers.check(&[before, &after[..1], after].concat());
            for letter in LETTERS.iter().skip(at % share).step_by(share) {
                readers.check(&[before, &[*letter], after].concat());
                readers.check(&[before, &[*letter], &after[1..]].concat());
            }
        }
    }
}

#[test]
fn the_readers_agree_on_members_in_any_order_once_or_twice() {
    let members = [
        r#""jsonrpc":"2.0""#,
        r#""jsonrpc":"1.0""#,
        r#""method":"add""#,
        r#""method":"any""#,
        r#""m\u0065thod":"list""#,
        r#""params":[1]"#,
        r#""params":null"#,
        r#""params":{"a":"x"}"#,
        r#""params":7"#,
        r#""id":1"#,
        r#""id":null"#,
        r#""id":true"#,
        r#""id":"\ud800""#,
        r#""result":1"#,
        r#""x":[]"#,
    ];
    permute(&mut FastAndStrict::new(), &members, &mut vec![]);
}

/// Checks every ordered choice of up to three members, with `jsonrpc` first, last and absent.
fn permute<'m>(readers: &mut FastAndStrict, members: &[&'m str], chosen: &mut Vec<&'m str>) {
    let text = chosen.join(",");
    readers.check(format!("{{{text}}}").as_bytes());
    readers.check(format!(r#"{{"jsonrpc":"2.0",{text}}}"#).as_bytes());
    readers.check(format!(r#"[{{{text},"jsonrpc":"2.0"}},1]"#).as_bytes());
    if chosen.len() < 3 {
        for member in members {
            chosen.push(member);
            permute(readers, members, chosen);
            chosen.pop();
        }
    }
}
