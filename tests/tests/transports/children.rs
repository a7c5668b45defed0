//! What only child processes do: they are killed, they exit, and they print.

use crate::run;
use rpc_core::client::CloseReason;
use rpc_core::connection::{Builder, Connection, Peer};
use rpc_core::observe::Event;
use rpc_core::transport::{Lines, child};
use rpc_core::{ClientError, Server};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::transport_service::{Setup, SideClient};

const PROGRAM: &str = env!("CARGO_BIN_EXE_test_peer");

fn serving() -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["serve", "stdio:"]).args(Setup::default().arguments());
    command
}

// R29
#[test]
fn calls_that_wait_end_when_the_child_is_killed() {
    run(async {
        let (process, ends) = child(serving(), Lines::new()).expect("it starts");
        let peer = crate::cases::run(Connection::builder(Server::new(())).over(ends));
        let side = SideClient::new(peer.clone());
        let calls: Vec<_> = (0..16).map(|_| side.wait().into_future()).collect();
        while side.running().await.expect("a count") < 16 {}
        process.kill();
        for call in calls {
            assert!(matches!(call.await, Err(ClientError::Closed(CloseReason::ByPeer))));
        }
        assert!(matches!(side.add(1, 2).await, Err(ClientError::Closed(CloseReason::ByPeer))));
        assert!(!process.wait().await.expect("it ends").success());
    });
}

// R24: a server over stdin and stdout that nobody reads any more.
#[test]
fn a_child_ends_with_its_handlers_when_its_client_is_gone() {
    run(async {
        let (process, ends) = child(serving(), Lines::new()).expect("it starts");
        let peer = crate::cases::run(Connection::builder(Server::new(())).over(ends));
        let side = SideClient::new(peer.clone());
        let waits = side.wait().into_future();
        while side.running().await.expect("a count") < 1 {}
        process.set_shutdown_timeout(std::time::Duration::from_millis(50));
        peer.shutdown();
        assert!(matches!(waits.await, Err(ClientError::Closed(CloseReason::ByUs))));
        // By its grace at the latest.
        process.wait().await.expect("it ends");
    });
}

/// A side that only calls, with what was shown as dropped.
fn calling() -> (Builder<()>, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let seen = dropped.clone();
    let server = Server::new(()).observer(Arc::new(move |event: &Event<'_>| {
        if let Event::Discarded { text, .. } = event {
            assert_eq!(*text, b"a stray line");
            seen.fetch_add(1, Ordering::SeqCst);
        }
    }));
    (Connection::builder(server), dropped)
}

// R60
#[test]
fn a_stray_line_of_a_childs_output_is_passed_over_and_shown() {
    async fn prints(peer: Peer, dropped: Arc<AtomicUsize>) {
        let side = SideClient::new(peer.clone());
        assert!(side.print().await.expect("it returns"));
        assert_eq!(side.add(1, 2).await.expect("the next as well"), 3);
        assert_eq!((dropped.load(Ordering::SeqCst), peer.close_reason()), (1, None));
    }
    run(async {
        let (builder, dropped) = calling();
        prints(crate::cases::run(builder.over(child(serving(), Lines::new()).expect("it starts").1)), dropped).await;
        #[cfg(unix)]
        {
            let address = format!("exec:'{PROGRAM}' serve stdio: {}", Setup::default().arguments().join(" "));
            let (builder, dropped) = calling();
            prints(builder.connect(&address).await.expect("it starts"), dropped).await;
            let (builder, dropped) = calling();
            prints(builder.connect_blocking(&address).expect("it starts"), dropped).await;
        }
    });
}
