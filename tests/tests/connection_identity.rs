//! The identity of a connection: ids, equality and hashes of peers, extensions, and the ids of events.

use rpc_core::connection::{CloseReason, Connection, ConnectionId, Peer};
use rpc_core::observe::{Event, EventKind, WireLog};
use rpc_core::transport::memory;
use rpc_core::{Context, Server, rpc};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

#[rpc]
trait Sides {
    /// Returns the id of the handler's connection, and the value of its extension.
    async fn connection(&self, #[rpc(context)] context: &Context<'_>) -> (String, Option<u8>);
    #[rpc(notification)]
    async fn note(&self);
    async fn panic(&self) -> u8;
}

#[derive(Clone, Default)]
struct MySides(Arc<Mutex<Vec<Peer>>>);

impl Sides for MySides {
    async fn connection(&self, context: &Context<'_>) -> (String, Option<u8>) {
        let peer = context.peer().expect("a connection");
        let value = peer.extension::<u8>().copied();
        assert_eq!(value, context.extension::<u8>().copied());
        self.0.lock().expect("not poisoned").push(peer.clone());
        (peer.id().to_string(), value)
    }
    async fn note(&self) {}
    async fn panic(&self) -> u8 {
        panic!("on request")
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test);
}

/// Connects a client to a new connection of `server`, whose handle comes second.
fn connect(server: &Server<SidesService<MySides>>, value: u8) -> (SidesClient, Peer) {
    let (here, there) = memory::pair(1 << 16);
    let (remote, serving) = Connection::builder(server.clone()).extension(value).over(there);
    let (peer, calling) = Connection::client().over(here);
    tokio::spawn(serving.run());
    tokio::spawn(calling.run());
    (SidesClient::new(peer), remote)
}

#[test]
fn peers_are_equal_if_they_are_handles_to_the_same_connection() {
    run(async {
        let sides = MySides::default();
        let server = Server::new(SidesService::new(sides.clone()));
        let ((first, first_remote), (second, second_remote)) = (connect(&server, 1), connect(&server, 2));
        let peers = [first.caller().clone(), first_remote.clone(), second.caller().clone(), second_remote.clone()];
        assert_eq!(peers.iter().collect::<HashSet<_>>().len(), 4);
        assert_eq!(peers.iter().map(Peer::id).collect::<HashSet<ConnectionId>>().len(), 4);
        assert_eq!(peers[0], first.caller().clone());
        assert_ne!(peers[0], peers[1]);
        assert_eq!(first.connection().await.expect("a response"), (first_remote.id().to_string(), Some(1)));
        assert_eq!(second.connection().await.expect("a response"), (second_remote.id().to_string(), Some(2)));
        // The handles of handlers are handles to the same peers.
        assert_eq!(*sides.0.lock().expect("not poisoned"), [first_remote, second_remote]);
    });
}

#[test]
fn an_extension_is_found_by_its_type_also_after_the_connection_has_ended() {
    run(async {
        let server = Server::new(SidesService::new(MySides::default()));
        let (client, remote) = connect(&server, 7);
        assert_eq!((remote.extension::<u8>(), remote.extension::<u16>()), (Some(&7), None));
        assert_eq!((remote.close_reason(), client.caller().extension::<u8>()), (None, None));
        client.caller().shutdown();
        assert_eq!(remote.closed().await, CloseReason::ByPeer);
        assert_eq!((remote.extension::<u8>(), remote.close_reason()), (Some(&7), Some(CloseReason::ByPeer)));
    });
}

#[test]
fn every_event_of_a_connection_has_its_id_and_other_events_have_none() {
    run(async {
        type Seen = Arc<Mutex<Vec<(Option<ConnectionId>, &'static str)>>>;
        fn observer(seen: &Seen) -> impl Fn(&Event<'_>) + Send + Sync + 'static {
            let seen = seen.clone();
            move |event| {
                let kind = match event.kind {
                    EventKind::Received { .. } => "received",
                    EventKind::Responded { .. } => "responded",
                    EventKind::NoResponse { .. } => "no response",
                    EventKind::InternalFailure { .. } => "internal failure",
                    EventKind::Sent { .. } => "sent",
                    EventKind::Completed { .. } => "completed",
                    EventKind::Failed { .. } => "failed",
                    EventKind::Discarded { .. } => "discarded",
                    _ => "unknown",
                };
                seen.lock().expect("not poisoned").push((event.connection, kind));
            }
        }
        let (server_events, client_events) = (Seen::default(), Seen::default());
        let server = Server::new(SidesService::new(MySides::default())).observer(observer(&server_events));
        let mut ids = vec![];
        let mut client_ids = vec![];
        for _ in 0..2 {
            let (here, there) = memory::pair(1 << 16);
            let (remote, serving) = Connection::builder(server.clone()).over(there);
            let (peer, calling) = Connection::client().observer(observer(&client_events)).over(here);
            tokio::spawn(serving.run());
            tokio::spawn(calling.run());
            ids.push(remote.id());
            client_ids.push(peer.id());
            let client = SidesClient::new(peer);
            client.note().await.expect("sent");
            client.connection().await.expect("a response");
            client.panic().await.expect_err("a panic");
            let _ = client.batch((client.connection(), client.note(), client.panic())).await.expect("a batch");
            client.caller().shutdown();
            remote.closed().await;
        }
        let take = |seen: &Seen| std::mem::take(&mut *seen.lock().expect("not poisoned"));
        for (seen, ids, kinds) in [
            (take(&server_events), ids, &["received", "responded", "no response", "internal failure"][..]),
            (take(&client_events), client_ids, &["sent", "completed", "failed"]),
        ] {
            for id in &ids {
                let found: HashSet<_> =
                    seen.iter().filter(|(connection, _)| *connection == Some(*id)).map(|(_, kind)| *kind).collect();
                assert_eq!(found, kinds.iter().copied().collect());
            }
            assert!(seen.iter().all(|(connection, _)| connection.is_some_and(|id| ids.contains(&id))), "{seen:?}");
        }
        // Without a connection there is no id.
        server.handle(r#"{"jsonrpc":"2.0","method":"panic","id":1}"#).await;
        let seen = take(&server_events);
        assert!(!seen.is_empty() && seen.iter().all(|(connection, _)| connection.is_none()), "{seen:?}");
    });
}

#[test]
fn a_wire_log_prints_the_id_of_the_connection() {
    run(async {
        let log = Arc::new(WireLog::new(vec![]).without_time().width(40));
        let server = Server::new(SidesService::new(MySides::default())).observer(log.clone());
        let (client, remote) = connect(&server, 1);
        let id = remote.id();
        client.note().await.expect("sent");
        client.caller().shutdown();
        remote.closed().await;
        server.handle(r#"{"jsonrpc":"2.0","method":"note"}"#).await;
        drop((server, remote, client));
        while Arc::strong_count(&log) > 1 {
            tokio::task::yield_now().await;
        }
        let log = Arc::into_inner(log).expect("no other owner");
        let lines = String::from_utf8(log.into_inner()).expect("text");
        let expected = format!(
            "{0:<4} <- notification      {{\"jsonrpc\":\"2…\n{0:<4} -- no response       note\n",
            format!("#{id}"),
        );
        assert!(lines.starts_with(&expected), "{lines}");
        assert!(lines.lines().nth(2).is_some_and(|line| line.starts_with("<- notification")), "{lines}");
    });
}
