//! Blocking clients on plain threads, connected to every kind of address.

use rpc_core::client::CloseReason;
use rpc_core::connection::Connection;
use rpc_core::net;
use rpc_core::{ClientError, ErrorObject, block_on};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tests::endpoint::{SCHEMES, free};
use tests::transport_service::{MySide, Setup, SideClient};

/// One listener per URL scheme, on the threads of a runtime. Dropping it ends them.
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
            let listener = runtime.block_on(listening).expect("an unused address");
            addresses.push(listener.address().to_string());
            runtime.spawn(listener.run());
        }
        Servers { addresses, _runtime: runtime }
    }

    /// Returns the addresses of the listeners, and addresses that start a child process.
    fn all_addresses(&self) -> Vec<String> {
        let mut all = self.addresses.clone();
        if cfg!(unix) {
            for (scheme, stdio) in [("exec", "stdio:"), ("exec+lsp", "stdio+lsp:")] {
                let arguments = Setup::default().arguments().join(" ");
                all.push(format!("{scheme}:'{}' serve {stdio} {arguments}", env!("CARGO_BIN_EXE_test_peer")));
            }
        }
        all
    }
}

fn client(address: &str) -> SideClient {
    SideClient::connect_blocking(address).unwrap_or_else(|error| panic!("{address}: {error}"))
}

/// Runs `work` and panics if it takes more than 60 s.
fn with_timeout(work: impl FnOnce() + Send + 'static) {
    let (sender, done) = mpsc::channel();
    let thread = thread::spawn(move || {
        work();
        // Fails only after the timeout.
        let _ = sender.send(());
    });
    if let Err(mpsc::RecvTimeoutError::Timeout) = done.recv_timeout(Duration::from_secs(60)) {
        panic!("the test hangs");
    }
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn many_threads_share_one_connection() {
    with_timeout(|| {
        let servers = Servers::start();
        for address in servers.all_addresses() {
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
fn wait_blocks_on_calls_notifications_and_batches() {
    with_timeout(|| {
        let servers = Servers::start();
        for address in servers.all_addresses() {
            let side = client(&address);
            side.append(1).wait().expect("sent");
            side.append(2).wait().expect("sent");
            let read = side.read().wait().expect("a list");
            assert!(read.ends_with(&[1, 2]), "{address} {read:?}");
            side.add(1, 2).notify().wait().expect("sent");
            let (sum, echo, appended) =
                side.batch((side.add(1, 2), side.echo("é\n".to_owned()), side.append(3))).wait().expect("a batch");
            assert_eq!((sum.expect("a sum"), &*echo.expect("an echo")), (3, "é\n"));
            appended.expect("sent");
            let panicked = side.break_down().wait();
            let code = ErrorObject::INTERNAL_ERROR;
            assert!(matches!(&panicked, Err(ClientError::Rpc(error)) if error.code == code), "{address} {panicked:?}");
        }
    });
}

#[test]
fn a_timed_out_call_is_cancelled_at_the_server() {
    with_timeout(|| {
        let servers = Servers::start();
        for address in servers.all_addresses() {
            let side = client(&address);
            let start = Instant::now();
            let late = side.wait().timeout(Duration::from_millis(30)).wait();
            assert!(matches!(late, Err(ClientError::Timeout)), "{address} {late:?}");
            let elapsed = start.elapsed();
            assert!(elapsed >= Duration::from_millis(30) && elapsed < Duration::from_secs(20), "{address} {elapsed:?}");
            // The server drops the handler.
            while side.running().wait().expect("a count") > 0 {}
            let impatient = Connection::client().call_timeout(Duration::from_millis(10)).connect_blocking(&address);
            let impatient = SideClient::new(impatient.expect("a server"));
            assert!(matches!(impatient.wait().wait(), Err(ClientError::Timeout)), "{address}");
            let batch = impatient.batch((impatient.add(1, 2), impatient.wait())).wait();
            assert!(matches!(batch, Err(ClientError::Timeout)), "{address}");
            assert_eq!(side.caller().pending_calls(), 0, "{address}");
            assert_eq!(side.add(1, 2).timeout(None).wait().expect("a sum"), 3, "{address}");
        }
    });
}

#[test]
fn blocked_threads_return_when_the_connection_closes() {
    with_timeout(|| {
        let servers = Servers::start();
        for address in servers.all_addresses() {
            let side = client(&address);
            let peer = side.caller().clone();
            thread::scope(|scope| {
                let waiting: Vec<_> = (0..4).map(|_| scope.spawn(|| side.wait().wait())).collect();
                while side.running().wait().expect("a count") < 4 {}
                peer.shutdown();
                for thread in waiting {
                    let outcome = thread.join().expect("no panic");
                    assert!(matches!(outcome, Err(ClientError::Closed(CloseReason::ByUs))), "{address}");
                }
            });
            assert_eq!(block_on(peer.closed()), CloseReason::ByUs, "{address}");
        }
    });
}

#[test]
fn a_connection_closes_with_its_last_handle() {
    with_timeout(|| {
        let servers = Servers::start();
        for address in servers.all_addresses() {
            let peer = net::connect_blocking(&address).expect("a listening server");
            let closed = peer.closed();
            let side = SideClient::new(peer.clone());
            drop(peer);
            assert_eq!(side.add(1, 2).wait().expect("a sum"), 3, "{address}");
            drop(side);
            // The future of `closed` does not keep the connection open.
            assert_eq!(block_on(closed), CloseReason::ByUs, "{address}");
        }
    });
}

#[test]
fn a_notification_sent_just_before_the_process_exits_arrives() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        for scheme in SCHEMES {
            let side = MySide::default();
            let listener = Setup::default().server(&side).listen(free(scheme)).await.expect("an unused address");
            let address = listener.address().to_string();
            let serving = tokio::spawn(listener.run());
            for count in 1..=5 {
                let status = Command::new(env!("CARGO_BIN_EXE_test_peer")).args(["notify", &address]).status();
                assert!(status.expect("the process starts").success(), "{address}");
                let arrived = tokio::time::timeout(Duration::from_secs(60), side.counted.is(count));
                arrived.await.unwrap_or_else(|_| panic!("one of {count} notifications is lost at {address}"));
            }
            serving.abort();
        }
    });
}

// The handler would block the connection that reads the response.
#[test]
fn a_blocking_call_of_the_peer_inside_a_handler_is_refused() {
    with_timeout(|| {
        for address in Servers::start().all_addresses() {
            assert!(client(&address).block().wait().expect("a response"), "{address}");
        }
    });
}
