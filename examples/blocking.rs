//! A client without async: `cargo run --example blocking`. Threads share one connection.

use examples::demo::DemoClient;
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let address = match std::env::args().nth(1) {
        Some(address) => address,
        // The demo server as a child process.
        None => format!("exec:{}", server()?),
    };
    let demo = DemoClient::connect_blocking(&address)?;

    println!("42 - 23 = {}", demo.subtract(42, 23).wait()?);
    println!("7 / 0: {}", demo.divide(7, 0).wait().unwrap_err());
    println!("too slow: {}", demo.sleep(60_000).timeout(Duration::from_millis(50)).wait().unwrap_err());

    let (difference, sum) = demo.batch((demo.subtract(5, 3), demo.sum(vec![1, 2, 3]))).wait()?;
    println!("a batch: {} and {}", difference?, sum?);

    let threads: Vec<_> = (1..=4)
        .map(|n| {
            let demo = demo.clone();
            std::thread::spawn(move || demo.sum((1..=n).collect()).wait())
        })
        .collect();
    for (n, thread) in (1..).zip(threads) {
        println!("the sum to {n} is {}", thread.join().map_err(|_| "a thread panicked")??);
    }
    Ok(())
}

/// Returns the command line of the demo server, whose executable is next to this one.
fn server() -> Result<String, Box<dyn Error>> {
    let mut path = std::env::current_exe()?;
    path.set_file_name("demo_server");
    path.set_extension(std::env::consts::EXE_EXTENSION);
    if !path.exists() {
        return Err("build the server first (`cargo build --example demo_server`), or give an address".into());
    }
    Ok(format!("'{}' --stdio-line", path.display()))
}
