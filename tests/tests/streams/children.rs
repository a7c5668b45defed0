//! Child processes as peers.

use rpc_core::connection::{CloseReason, Connection};
use rpc_core::net::{Address, Endpoint};
use rpc_core::transport::{Headers, Lines, Messages, Sink, Source, child, shell};
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
fn a_server_that_shuts_down_exits_while_its_stdin_is_open_and_idle() {
    let program = example("stdio");
    let stop = br#"{"jsonrpc":"2.0","id":1,"method":"stop"}"#;
    for argument in ["stdio:", "stdio+lsp:"] {
        let address: Address = argument.parse().expect("an address");
        let mut command = Command::new(&program);
        command.arg(argument);
        let (process, (mut source, mut sink)) = child(command, address.framing()).expect("the child starts");
        let mut messages = Messages::new();
        messages.push(stop);
        block_on(async {
            sink.send(&messages).await.expect("the write succeeds");
            let mut message = vec![];
            assert!(source.receive(&mut message, 100).await.expect("the read succeeds"));
            assert!(process.wait().await.expect("the child exits").success());
            assert!(!source.receive(&mut vec![], 100).await.expect("the read succeeds"));
            assert!(sink.send(&messages).await.is_err());
        });
    }
}

// R39, and a shutdown by the client.
#[cfg(unix)]
#[test]
fn a_child_serves_calls_and_exits_when_the_connection_is_shut_down() {
    let program = example("stdio");
    let line = format!("exec+lsp:'{}' stdio+lsp:", program.display());
    let address: Address = line.parse().expect("an address");
    let Endpoint::Exec(exec) = address.endpoint() else { panic!("{address:?}") };
    let (process, transport) = child(shell(&exec.command_line), address.framing()).expect("the child starts");
    let (peer, connection) = Connection::builder(Server::new(())).over(transport);
    let thread = std::thread::spawn(move || block_on(connection.run()));
    let echo = EchoClient::new(peer.clone());
    for size in [8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 5_000_000] {
        let text = "x".repeat(size);
        assert!(block_on(echo.echo(text.clone())).expect("an echo") == text, "{size}");
    }
    peer.shutdown();
    assert_eq!(thread.join().expect("no panic"), CloseReason::ByUs);
    assert!(block_on(process.wait()).expect("the child exits").success());
}

// R32
#[cfg(unix)]
#[test]
fn a_child_that_exits_without_reading_closes_the_connection() {
    let (process, transport) = child(shell("true"), Headers::new()).expect("the child starts");
    let (peer, connection) = Connection::builder(Server::new(())).over(transport);
    let echo = EchoClient::new(peer);
    let call = echo.echo("x".repeat(8 << 20));
    let thread = std::thread::spawn(move || block_on(connection.run()));
    assert!(block_on(call).is_err());
    let reason = thread.join().expect("no panic");
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
    assert!(block_on(process.wait()).expect("the child exits").success());
}

#[cfg(unix)]
#[test]
fn a_child_that_does_not_exit_is_killed_after_the_shutdown_timeout() {
    use std::os::unix::process::ExitStatusExt;
    let sleeping = || child(shell("sleep 1000"), Lines::new()).expect("the child starts");
    // The sink is closed.
    let (process, (_source, mut sink)) = sleeping();
    process.set_shutdown_timeout(Duration::from_millis(20));
    block_on(sink.close());
    assert_eq!(block_on(process.wait()).expect("the child exits").signal(), Some(9));
    // The transport is dropped during a write that the child does not read.
    let (process, (source, mut sink)) = sleeping();
    process.set_shutdown_timeout(Duration::ZERO);
    let mut messages = Messages::new();
    messages.push(&vec![b'x'; 1 << 20]);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(std::pin::pin!(sink.send(&messages)).poll(&mut context).is_pending());
    drop((source, sink));
    assert_eq!(block_on(process.wait()).expect("the child exits").signal(), Some(9));
    // The handle kills the child.
    let (process, (mut source, _sink)) = sleeping();
    assert!(process.id() > 0);
    process.clone().kill();
    assert_eq!(block_on(process.wait()).expect("the child exits").signal(), Some(9));
    assert_eq!(block_on(process.wait()).expect("the status is kept").signal(), Some(9));
    assert!(!block_on(source.receive(&mut vec![], 10)).expect("the read succeeds"));
}

#[test]
fn a_program_that_does_not_exist_is_an_error() {
    assert!(child(Command::new("no-such-program-anywhere"), Lines::new()).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_without_a_call_of_wait_leaves_no_zombie() {
    use std::time::Instant;
    // One child exits with its transport, the other by itself.
    let (closed, transport) = child(Command::new("cat"), Lines::new()).expect("the child starts");
    drop(transport);
    let (exited, _transport) = child(Command::new("true"), Lines::new()).expect("the child starts");
    let start = Instant::now();
    for id in [closed.id(), exited.id()] {
        while std::path::Path::new(&format!("/proc/{id}")).exists() {
            assert!(start.elapsed() < Duration::from_secs(20), "process {id} still exists");
            std::thread::yield_now();
        }
    }
}
