//! Clients without a runtime: plain threads, at every kind of address.

use rpc_core::client::CloseReason;
use rpc_core::connection::Connection;
use rpc_core::net;
use rpc_core::{ClientError, ErrorObject, block_on};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tests::endpoint::{SCHEMES, free};
use tests::side::{MySide, Setup, SideClient};

/// A listener for each kind of address, on threads of its own, as long as this lives.
struct Servers {
    addresses: Vec<String>,
    _runtime: tokio::runtime::Runtime,
}

impl Servers {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let (runtime, side) = (runtime.expect("a runtime"), MySide::default());
        let mut addresses = vec![];
        for scheme in SCHEMES {
            let listening = Setup::default().server(&side).listen(free(scheme));
            let listener = runtime.block_on(listening).expect("a free place");
            addresses.push(listener.address().to_string());
            runtime.spawn(listener.run());
        }
        Servers { addresses, _runtime: runtime }
    }

    /// Those that listen, and commands that start a server.
    fn all(&self) -> Vec<String> {
        let mut all = self.addresses.clone();
        if cfg!(unix) {
            for (scheme, stdio) in [("exec", "stdio:"), ("exec+lsp", "stdio+lsp:")] {
                let arguments = Setup::default().arguments().join(" ");
                all.push(format!("{scheme}:'{}' serve {stdio} {arguments}", env!("CARGO_BIN_EXE_side")));
            }
        }
        all
    }
}

fn client(address: &str) -> SideClient {
    SideClient::connect_blocking(address).unwrap_or_else(|error| panic!("{address}: {error}"))
}

/// Runs something that would not end if it were wrong.
fn in_time(work: impl FnOnce() + Send + 'static) {
    let (done, end) = mpsc::channel();
    let thread = thread::spawn(move || {
        work();
        // Somebody waits, or has given up.
        let _ = done.send(());
    });
    if let Err(mpsc::RecvTimeoutError::Timeout) = end.recv_timeout(Duration::from_secs(60)) {
        panic!("it hangs");
    }
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn many_threads_share_one_connection() {
    in_time(|| {
        let servers = Servers::start();
        for address in servers.all() {
            let side = client(&address);
            thread::scope(|scope| {
                for task in 0..8 {
                    let side = &side;
                    scope.spawn(move || {
                        for n in 0..200 {
                            assert_eq!(side.add(n, task).wait().expect("a sum"), n + task);
                        }
                    });
                }
            });
            assert_eq!(side.caller().pending_calls(), 0, "{address}");
        }
    });
}

#[test]
fn calls_notifications_and_batches_are_waited_for() {
    in_time(|| {
        let servers = Servers::start();
        for address in servers.all() {
            let side = client(&address);
            side.append(1).wait().expect("it is sent");
            side.append(2).wait().expect("it is sent");
            let read = side.read().wait().expect("a list");
            assert!(read.ends_with(&[1, 2]), "{address} {read:?}");
            side.add(1, 2).notify().wait().expect("it is sent");
            let (sum, echo, told) =
                side.batch((side.add(1, 2), side.echo("é\n".to_owned()), side.append(3))).wait().expect("a batch");
            assert_eq!((sum.expect("a sum"), &*echo.expect("an echo")), (3, "é\n"));
            told.expect("it is sent");
            let broken = side.break_down().wait();
            let code = ErrorObject::INTERNAL_ERROR;
            assert!(matches!(&broken, Err(ClientError::Rpc(error)) if error.code == code), "{address} {broken:?}");
        }
    });
}

#[test]
fn calls_are_given_up_in_time_and_the_other_side_is_told() {
    in_time(|| {
        let servers = Servers::start();
        for address in servers.all() {
            let side = client(&address);
            let start = Instant::now();
            let late = side.wait().timeout(Duration::from_millis(30)).wait();
            assert!(matches!(late, Err(ClientError::Timeout)), "{address} {late:?}");
            let took = start.elapsed();
            assert!(took >= Duration::from_millis(30) && took < Duration::from_secs(20), "{address} {took:?}");
            // It is dropped there.
            while side.running().wait().expect("a count") > 0 {}
            let hasty = Connection::client().call_timeout(Duration::from_millis(10)).connect_blocking(&address);
            let hasty = SideClient::new(hasty.expect("a server"));
            assert!(matches!(hasty.wait().wait(), Err(ClientError::Timeout)), "{address}");
            let batch = hasty.batch((hasty.add(1, 2), hasty.wait())).wait();
            assert!(matches!(batch, Err(ClientError::Timeout)), "{address}");
            assert_eq!(side.caller().pending_calls(), 0, "{address}");
            assert_eq!(side.add(1, 2).timeout(None).wait().expect("a sum"), 3, "{address}");
        }
    });
}

#[test]
fn threads_that_wait_are_told_when_the_connection_ends() {
    in_time(|| {
        let servers = Servers::start();
        for address in servers.all() {
            let side = client(&address);
            let peer = side.caller().clone();
            thread::scope(|scope| {
                let waiting: Vec<_> = (0..4).map(|_| scope.spawn(|| side.wait().wait())).collect();
                while side.running().wait().expect("a count") < 4 {}
                peer.shutdown();
                for thread in waiting {
                    let end = thread.join().expect("no panic");
                    assert!(matches!(end, Err(ClientError::Closed(CloseReason::ByUs))), "{address}");
                }
            });
            assert_eq!(block_on(peer.closed()), CloseReason::ByUs, "{address}");
        }
    });
}

#[test]
fn a_connection_ends_with_its_last_handle() {
    in_time(|| {
        let servers = Servers::start();
        for address in servers.all() {
            let connected = net::connect_blocking(&address).expect("somebody is there");
            let ended = connected.closed();
            let side = SideClient::new(connected.clone());
            drop(connected);
            assert_eq!(side.add(1, 2).wait().expect("a sum"), 3, "{address}");
            drop(side);
            // Who watches keeps nothing alive.
            assert_eq!(block_on(ended), CloseReason::ByUs, "{address}");
        }
    });
}

#[test]
fn what_a_program_notified_before_it_ended_arrives() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        for scheme in SCHEMES {
            let side = MySide::default();
            let listener = Setup::default().server(&side).listen(free(scheme)).await.expect("a free place");
            let address = listener.address().to_string();
            let serving = tokio::spawn(listener.run());
            for told in 1..=5 {
                let teller = Command::new(env!("CARGO_BIN_EXE_side")).args(["tell", &address]).status();
                assert!(teller.expect("it starts").success(), "{address}");
                let arrived = tokio::time::timeout(Duration::from_secs(60), side.counted.is(told));
                arrived.await.unwrap_or_else(|_| panic!("one of {told} is lost at {address}"));
            }
            serving.abort();
        }
    });
}

// It would wait for a reply that only its own connection can read.
#[test]
fn a_method_that_blocks_on_the_other_side_is_refused() {
    in_time(|| {
        for address in Servers::start().all() {
            assert!(client(&address).block().wait().expect("an answer"), "{address}");
        }
    });
}
