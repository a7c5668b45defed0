//! Behavior of child processes alone: a kill, an exit, and stray output.

use crate::run;
use rpc_core::client::CloseReason;
use rpc_core::connection::{Builder, Connection, Peer};
use rpc_core::observe::{Event, EventKind};
use rpc_core::transport::{Lines, child};
use rpc_core::{ClientError, Server};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::transport_service::{Setup, SideClient};

const PROGRAM: &str = env!("CARGO_BIN_EXE_test_peer");

fn server_command() -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["serve", "stdio:"]).args(Setup::default().arguments());
    command
}

// R29
#[test]
fn pending_calls_fail_when_the_child_is_killed() {
    run(async {
        let (process, transport) = child(server_command(), Lines::new()).expect("the child starts");
        let peer = crate::cases::run(Connection::builder(Server::new(())).over(transport));
        let side = SideClient::new(peer.clone());
        let calls: Vec<_> = (0..16).map(|_| side.wait().into_future()).collect();
        while side.running().await.expect("a count") < 16 {}
        process.kill();
        for call in calls {
            assert!(matches!(call.await, Err(ClientError::Closed(CloseReason::ByPeer))));
        }
        assert!(matches!(side.add(1, 2).await, Err(ClientError::Closed(CloseReason::ByPeer))));
        assert!(!process.wait().await.expect("the child exits").success());
    });
}

// R24: a server over stdin and stdout whose client has closed both.
#[test]
fn a_child_exits_with_its_handlers_when_its_client_disconnects() {
    run(async {
        let (process, transport) = child(server_command(), Lines::new()).expect("the child starts");
        let peer = crate::cases::run(Connection::builder(Server::new(())).over(transport));
        let side = SideClient::new(peer.clone());
        let pending = side.wait().into_future();
        while side.running().await.expect("a count") < 1 {}
        process.set_shutdown_timeout(std::time::Duration::from_millis(50));
        peer.shutdown();
        assert!(matches!(pending.await, Err(ClientError::Closed(CloseReason::ByUs))));
        // If the child does not exit by itself, it is killed after the shutdown timeout.
        process.wait().await.expect("the child exits");
    });
}

/// A client-only connection, and the number of messages that it has discarded.
fn client() -> (Builder<()>, Arc<AtomicUsize>) {
    let discarded = Arc::new(AtomicUsize::new(0));
    let counter = discarded.clone();
    let server = Server::new(()).observer(Arc::new(move |event: &Event<'_>| {
        if let EventKind::Discarded { text, .. } = event.kind {
            assert_eq!(text, b"a stray line");
            counter.fetch_add(1, Ordering::SeqCst);
        }
    }));
    (Connection::builder(server), discarded)
}

// R60
#[test]
fn a_stray_line_of_a_childs_output_is_discarded_and_observed() {
    async fn check(peer: Peer, discarded: Arc<AtomicUsize>) {
        let side = SideClient::new(peer.clone());
        assert!(side.print().await.expect("a response"));
        assert_eq!(side.add(1, 2).await.expect("a sum"), 3);
        assert_eq!((discarded.load(Ordering::SeqCst), peer.close_reason()), (1, None));
    }
    run(async {
        let (builder, discarded) = client();
        check(
            crate::cases::run(builder.over(child(server_command(), Lines::new()).expect("the child starts").1)),
            discarded,
        )
        .await;
        #[cfg(unix)]
        {
            let address = format!("exec:'{PROGRAM}' serve stdio: {}", Setup::default().arguments().join(" "));
            let (builder, discarded) = client();
            check(builder.connect(&address).await.expect("the child starts"), discarded).await;
            let (builder, discarded) = client();
            check(builder.connect_blocking(&address).expect("the child starts"), discarded).await;
        }
    });
}
