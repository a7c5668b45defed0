//! The output of the example `tour`, compared with `expected/tour.txt`.

use std::path::Path;
use std::process::Command;

#[test]
fn the_tour_prints_each_message_and_each_outcome() {
    let output = Command::new(tests::example("tour")).output().expect("the tour runs");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("expected/tour.txt");
    let expected = std::fs::read_to_string(file).expect("the expected output");
    assert_eq!(printed, expected);
    let totals: Vec<_> = printed.lines().filter(|line| line.starts_with("pending ")).collect();
    assert_eq!(totals, ["pending 0 / completed 3 / failed 1 (last code 1001) / discarded 3 / no response 2"; 2]);
    assert!(printed.lines().all(|line| line.chars().count() <= 100));
}
