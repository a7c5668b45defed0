//! Child processes as the other side.

use rpc_core::connection::{CloseReason, Connection};
use rpc_core::transport::{Address, Endpoint, Headers, Lines, Messages, Sink, Source, child, shell};
use rpc_core::{Server, block_on, rpc};
use std::process::Command;
use std::time::Duration;
use tests::example;

#[rpc]
trait Echo {
    async fn echo(&self, text: String) -> String;
    async fn stop(&self);
}

// R30
#[test]
fn a_process_ends_when_it_is_told_to_while_its_stdin_is_open_and_silent() {
    let program = example("stdio");
    let stop = br#"{"jsonrpc":"2.0","id":1,"method":"stop"}"#;
    for name in ["stdio:", "stdio+lsp:"] {
        let address: Address = name.parse().expect("an address");
        let mut command = Command::new(&program);
        command.arg(name);
        let (process, (mut source, mut sink)) = child(command, address.framing()).expect("it starts");
        let mut messages = Messages::new();
        messages.push(stop);
        block_on(async {
            sink.send(&messages).await.expect("it is read");
            let mut message = vec![];
            assert!(source.receive(&mut message, 100).await.expect("it answers"));
            assert!(process.wait().await.expect("it ends").success());
            assert!(!source.receive(&mut vec![], 100).await.expect("it has ended"));
            assert!(sink.send(&messages).await.is_err());
        });
    }
}

// R39, and the end by this side.
#[cfg(unix)]
#[test]
fn a_child_is_called_and_ends_with_the_connection() {
    let program = example("stdio");
    let line = format!("exec+lsp:'{}' stdio+lsp:", program.display());
    let address: Address = line.parse().expect("an address");
    let Endpoint::Exec(line) = address.endpoint() else { panic!("{address:?}") };
    let (process, transport) = child(shell(line), address.framing()).expect("it starts");
    let (peer, connection) = Connection::builder(Server::new(())).over(transport);
    let runs = std::thread::spawn(move || block_on(connection.run()));
    let echo = EchoClient::new(peer.clone());
    for size in [8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 5_000_000] {
        let text = "x".repeat(size);
        assert!(block_on(echo.echo(text.clone())).expect("an echo") == text, "{size}");
    }
    peer.shutdown();
    assert_eq!(runs.join().expect("it runs"), CloseReason::ByUs);
    assert!(block_on(process.wait()).expect("it ends").success());
}

// R32
#[cfg(unix)]
#[test]
fn a_child_that_exits_unread_breaks_nothing() {
    let (process, transport) = child(shell("true"), Headers::new()).expect("it starts");
    let (peer, connection) = Connection::builder(Server::new(())).over(transport);
    let echo = EchoClient::new(peer);
    let call = echo.echo("x".repeat(8 << 20));
    let runs = std::thread::spawn(move || block_on(connection.run()));
    assert!(block_on(call).is_err());
    let reason = runs.join().expect("it runs");
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
    assert!(block_on(process.wait()).expect("it ends").success());
}

#[cfg(unix)]
#[test]
fn a_child_that_does_not_exit_is_killed_after_its_grace() {
    use std::os::unix::process::ExitStatusExt;
    let deaf = || child(shell("sleep 1000"), Lines::new()).expect("it starts");
    // Closed.
    let (process, (_source, mut sink)) = deaf();
    process.set_shutdown_timeout(Duration::from_millis(20));
    block_on(sink.close());
    assert_eq!(block_on(process.wait()).expect("it ends").signal(), Some(9));
    // Dropped, with a write that nobody reads.
    let (process, (source, mut sink)) = deaf();
    process.set_shutdown_timeout(Duration::ZERO);
    let mut messages = Messages::new();
    messages.push(&vec![b'x'; 1 << 20]);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(std::pin::pin!(sink.send(&messages)).poll(&mut context).is_pending());
    drop((source, sink));
    assert_eq!(block_on(process.wait()).expect("it ends").signal(), Some(9));
    // Killed.
    let (process, (mut source, _sink)) = deaf();
    assert!(process.id() > 0);
    process.clone().kill();
    assert_eq!(block_on(process.wait()).expect("it ends").signal(), Some(9));
    assert_eq!(block_on(process.wait()).expect("it says so again").signal(), Some(9));
    assert!(!block_on(source.receive(&mut vec![], 10)).expect("its output ends"));
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    assert!(child(Command::new("no-such-program-anywhere"), Lines::new()).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_that_nobody_asks_about_leaves_no_zombie() {
    use std::time::Instant;
    // One that ends with its transport, one that ends by itself.
    let (closed, transport) = child(Command::new("cat"), Lines::new()).expect("it starts");
    drop(transport);
    let (ended, _transport) = child(Command::new("true"), Lines::new()).expect("it starts");
    let start = Instant::now();
    for id in [closed.id(), ended.id()] {
        while std::path::Path::new(&format!("/proc/{id}")).exists() {
            assert!(start.elapsed() < Duration::from_secs(20), "{id} is still there");
            std::thread::yield_now();
        }
    }
}
