//! The fast reader of requests and the exact one agree on everything that is almost a request.
//!
//! `RPC_AGREEMENT` asks for every letter in every place.

use tests::seeds::SEEDS;
use tests::twins::Twins;

const LETTERS: &[u8] = b"\"\\{}[],: 01-.enul\0\n\x0c\x1f\xc3";

#[test]
fn every_single_edit_is_judged_alike() {
    let mut twins = Twins::new();
    // In a quick run each place gets some of the letters; no two places near each other the same.
    let share = if std::env::var_os("RPC_AGREEMENT").is_some() { 1 } else { 4 };
    for seed in SEEDS {
        let seed = seed.as_bytes();
        twins.agree(seed);
        for at in 0..seed.len() {
            let (before, after) = (&seed[..at], &seed[at..]);
            twins.agree(before);
            twins.agree(after);
            twins.agree(&[before, &after[1..]].concat());
            twins.agree(&[before, &after[..1], after].concat());
            for letter in LETTERS.iter().skip(at % share).step_by(share) {
                twins.agree(&[before, &[*letter], after].concat());
                twins.agree(&[before, &[*letter], &after[1..]].concat());
            }
        }
    }
}

#[test]
fn members_in_any_order_once_or_twice_are_judged_alike() {
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
    permute(&mut Twins::new(), &members, &mut vec![]);
}

/// All ways to choose up to three of the members in every order, with the version at either end or not.
fn permute<'m>(twins: &mut Twins, members: &[&'m str], chosen: &mut Vec<&'m str>) {
    let text = chosen.join(",");
    twins.agree(format!("{{{text}}}").as_bytes());
    twins.agree(format!(r#"{{"jsonrpc":"2.0",{text}}}"#).as_bytes());
    twins.agree(format!(r#"[{{{text},"jsonrpc":"2.0"}},1]"#).as_bytes());
    if chosen.len() < 3 {
        for member in members {
            chosen.push(member);
            permute(twins, members, chosen);
            chosen.pop();
        }
    }
}
