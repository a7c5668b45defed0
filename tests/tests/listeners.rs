//! Listeners at every kind of address, from the first connection to the last.

use rpc_core::client::CloseReason;
use rpc_core::connection::{Connection, Peer};
use rpc_core::net::{self, Listener, ListenerBuilder, RemoteAddr, ShutdownHandle};
use rpc_core::net::{Address, Endpoint};
use rpc_core::server::Service;
use rpc_core::{ClientError, Server, block_on};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tests::endpoint::{SCHEMES, free};
use tests::transport_service::{Count, MySide, Setup, SideClient, SideService};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

#[path = "listeners/bare.rs"]
mod bare;
#[cfg(unix)]
#[path = "listeners/socket_files.rs"]
mod socket_files;

use bare::Bare;

/// Runs a body on two threads, with a time limit.
fn run(body: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let within = async { tokio::time::timeout(Duration::from_secs(60), body).await.expect("nothing hangs") };
    runtime.expect("a runtime").block_on(within);
}

/// A test for each body, at every kind of address.
macro_rules! at_every_address {
    ($($test:ident)*) => { mod at_every_address { $(
        #[test]
        fn $test() {
            for scheme in super::SCHEMES {
                super::run(super::$test(scheme));
            }
        }
    )* } };
}

at_every_address! {
    an_idle_listener_shuts_down_and_frees_its_address
    running_calls_complete_before_a_shut_down_listener_ends
    a_listener_that_is_shut_down_before_it_runs_accepts_no_connection
    a_dropped_listener_ends_its_connections
    an_idle_client_delays_no_other_client
    a_client_above_the_limit_gets_an_error_at_once
    a_connection_frees_its_place_however_it_ends
    half_a_request_keeps_its_place_until_the_idle_timeout
    a_hook_that_panics_ends_its_own_connection_only
    a_flood_of_connections_is_served
    a_connection_that_only_calls_ends_with_its_last_handle_and_call
    a_shutdown_handle_made_before_its_listener_lists_the_open_connections
    handlers_see_the_remote_address
    queued_messages_are_sent_before_a_connection_closes
}

/// A running listener.
struct Running {
    address: Address,
    shutdown_handle: ShutdownHandle,
    side: MySide,
    serving: JoinHandle<()>,
}

fn settings(side: &MySide) -> ListenerBuilder<SideService<MySide>> {
    Listener::builder(Setup::default().server(side))
}

async fn running(scheme: &str) -> Running {
    running_with(scheme, |settings| settings).await
}

async fn running_with(
    scheme: &str,
    set: impl FnOnce(ListenerBuilder<SideService<MySide>>) -> ListenerBuilder<SideService<MySide>>,
) -> Running {
    let side = MySide::default();
    let listener = set(settings(&side)).listen(free(scheme)).await.expect("a free place");
    start(listener, side)
}

fn start<S: Service>(listener: Listener<S>, side: MySide) -> Running {
    let (address, shutdown_handle) = (listener.address().clone(), listener.shutdown_handle());
    Running { address, shutdown_handle, side, serving: tokio::spawn(listener.run()) }
}

impl Running {
    async fn client(&self) -> SideClient {
        SideClient::connect(&self.address).await.expect("the listener accepts")
    }

    async fn bare(&self) -> Bare {
        Bare::connect(&self.address).await
    }

    /// Waits until this number of connections is open.
    async fn has(&self, connections: usize) {
        while self.shutdown_handle.connection_count() != connections {
            tokio::task::yield_now().await;
        }
    }
}

/// Returns whether the file of a socket still exists.
fn is_left(address: &Address) -> bool {
    match address.endpoint() {
        Endpoint::Unix(unix) => unix.path.symlink_metadata().is_ok(),
        _ => false,
    }
}

// R31
async fn an_idle_listener_shuts_down_and_frees_its_address(scheme: &str) {
    let first = running(scheme).await;
    let address = first.address.clone();
    if let Endpoint::Tcp(tcp) = address.endpoint() {
        assert!(tcp.host == "127.0.0.1" && tcp.port != 0, "{address}");
    }
    let mut last = first;
    // Without connections, then with some.
    for clients in [0, 3] {
        let mut idle = vec![];
        for n in 0..clients {
            idle.push(last.client().await);
            assert_eq!(idle[n].add(1, 2).await.expect("a sum"), 3);
        }
        last.shutdown_handle.shutdown();
        last.shutdown_handle.shutdown();
        last.serving.await.expect("it stops");
        assert!(!is_left(&address));
        for client in idle {
            assert_eq!(client.caller().closed().await, CloseReason::ByPeer);
        }
        let side = MySide::default();
        last = start(settings(&side).listen(&address).await.expect("it is free"), side);
        assert_eq!(last.address, address);
    }
    assert_eq!(last.client().await.add(1, 2).await.expect("a sum"), 3);
}

async fn running_calls_complete_before_a_shut_down_listener_ends(scheme: &str) {
    let listener = running(scheme).await;
    let (one, other) = (listener.client().await, listener.client().await);
    let calls = [one.pass().into_future(), other.pass().into_future(), one.pass().into_future()];
    listener.side.running.is(3).await;
    listener.shutdown_handle.shutdown();
    // No connection is accepted any more, and new calls are rejected.
    let late = one.add(1, 2).await;
    assert!(matches!(&late, Err(ClientError::Rpc(error)) if error.code == -32000), "{late:?}");
    assert!(!listener.serving.is_finished());
    listener.side.gate.open();
    for call in calls {
        assert_eq!(call.await.expect("the call completes"), 7);
    }
    listener.serving.await.expect("it stops");
    assert_eq!(listener.shutdown_handle.connection_count(), 0);
    assert!(SideClient::connect(&listener.address).await.is_err());
}

async fn a_listener_that_is_shut_down_before_it_runs_accepts_no_connection(scheme: &str) {
    let listener = settings(&MySide::default()).listen(free(scheme)).await.expect("a free place");
    let address = listener.address().clone();
    let early = SideClient::connect(&address).await.expect("it listens already");
    listener.shutdown_handle().shutdown();
    listener.run().await;
    assert!(matches!(early.add(1, 2).await, Err(ClientError::Closed(_))));
    assert!(!is_left(&address));
}

async fn a_dropped_listener_ends_its_connections(scheme: &str) {
    let listener = running(scheme).await;
    let client = listener.client().await;
    let waits = client.wait().into_future();
    listener.side.running.is(1).await;
    listener.serving.abort();
    assert!(matches!(waits.await, Err(ClientError::Closed(_))));
    listener.side.running.is(0).await;
    listener.has(0).await;
    assert!(!is_left(&listener.address));
    // A listener that never ran.
    let listener = settings(&MySide::default()).listen(free(scheme)).await.expect("a free place");
    let address = listener.address().clone();
    drop(listener);
    assert!(!is_left(&address) && SideClient::connect(&address).await.is_err());
}

// R40
async fn an_idle_client_delays_no_other_client(scheme: &str) {
    let listener = running(scheme).await;
    let _idle = listener.bare().await;
    let mut half = listener.bare().await;
    half.write(b"{\"jsonrpc\"").await;
    for n in 2..6 {
        assert_eq!(listener.client().await.add(n, 1).await.expect("a sum"), n + 1);
    }
}

// R35
async fn a_client_above_the_limit_gets_an_error_at_once(scheme: &str) {
    let listener = running_with(scheme, |settings| settings.max_connections(2)).await;
    let kept = [listener.client().await, listener.client().await];
    for client in &kept {
        assert_eq!(client.add(1, 2).await.expect("a sum"), 3);
    }
    for _ in 0..3 {
        let told = listener.bare().await.read_to_end().await;
        assert!(told.contains("-32000") && told.contains(r#""id":null"#), "{told}");
        // A client that calls gets the error, too.
        let client = listener.client().await;
        let refused = client.add(1, 2).await;
        assert!(
            matches!(&refused, Err(ClientError::Rpc(error)) if error.code == -32000)
                || matches!(&refused, Err(ClientError::Closed(_))),
            "{refused:?}"
        );
    }
    drop(kept);
    listener.has(0).await;
    assert_eq!(listener.client().await.add(1, 2).await.expect("a sum"), 3);
}

// R35
async fn a_connection_frees_its_place_however_it_ends(scheme: &str) {
    let listener = running_with(scheme, |settings| settings.max_connections(10)).await;
    for round in 0..200 {
        let mut bare = listener.bare().await;
        if round % 2 == 0 {
            bare.write_if_open(b"{\"jsonrpc\":\"2.0\",").await;
        }
        if round % 3 == 0 {
            bare.reset();
        }
    }
    assert_eq!(listener.client().await.add(1, 2).await.expect("a sum"), 3);
}

// R35
async fn half_a_request_keeps_its_place_until_the_idle_timeout(scheme: &str) {
    let set = |settings: ListenerBuilder<_>| {
        let short = Duration::from_millis(30);
        settings.max_connections(2).configure(move |builder| builder.idle_timeout(short))
    };
    let listener = running_with(scheme, set).await;
    let (mut one, mut other) = (listener.bare().await, listener.bare().await);
    one.write(b"{\"jsonrpc\":\"2.0\",").await;
    assert_eq!((one.read_to_end().await, other.read_to_end().await), (String::new(), String::new()));
    listener.has(0).await;
    assert_eq!(listener.client().await.add(1, 2).await.expect("a sum"), 3);
}

async fn a_hook_that_panics_ends_its_own_connection_only(scheme: &str) {
    let (each, opened) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let listener = running_with(scheme, |settings| {
        settings
            .configure(move |builder| {
                assert!(each.fetch_add(1, Ordering::SeqCst) != 1, "a hook panics");
                builder
            })
            .on_open(move |_| assert!(opened.fetch_add(1, Ordering::SeqCst) != 1, "a hook panics"))
    })
    .await;
    let first = listener.client().await;
    assert_eq!(first.add(1, 2).await.expect("a sum"), 3);
    // `configure` panics for the first, `on_open` for the second: it is not called after a panic of `configure`.
    for _ in 0..2 {
        assert_eq!(listener.bare().await.read_to_end().await, "");
    }
    listener.has(1).await;
    assert_eq!(listener.client().await.add(1, 2).await.expect("a sum"), 3);
    assert_eq!(first.add(2, 3).await.expect("a sum"), 5);
}

async fn a_flood_of_connections_is_served(scheme: &str) {
    let listener = running(scheme).await;
    let clients: Vec<_> = (0..100)
        .map(|n| {
            let address = listener.address.clone();
            tokio::spawn(async move {
                let client = SideClient::connect(address).await.expect("the listener accepts");
                assert_eq!(client.add(n, 1).await.expect("a sum"), n + 1);
            })
        })
        .collect();
    for client in clients {
        client.await.expect("it is served");
    }
    listener.has(0).await;
}

async fn a_connection_that_only_calls_ends_with_its_last_handle_and_call(scheme: &str) {
    let (opened, ended) = (Count::default(), Count::default());
    let (open, end) = (opened.clone(), ended.clone());
    let listener = running_with(scheme, |settings| {
        settings.on_open(move |peer| {
            open.change(|count| count + 1);
            let (ending, end) = (peer.closed(), end.clone());
            tokio::spawn(async move {
                assert_eq!(ending.await, CloseReason::ByPeer);
                end.change(|count| count + 1);
            });
        })
    })
    .await;
    let peer: Peer =
        Connection::builder(Server::new(())).connect(&listener.address).await.expect("the listener accepts");
    let client = SideClient::new(peer.clone());
    let waits = client.pass().into_future();
    listener.side.running.is(1).await;
    // With handles, then with a pending call only, then without it.
    drop(peer);
    assert_eq!(client.add(1, 2).await.expect("a sum"), 3);
    drop(client);
    assert_eq!((opened.now(), ended.now()), (1, 0));
    listener.side.gate.open();
    assert_eq!(waits.await.expect("the connection lives"), 7);
    ended.is(1).await;
    listener.has(0).await;
}

#[test]
fn an_invalid_address_is_an_error_everywhere() {
    run(async {
        let server = || Setup::default().server(&MySide::default());
        for text in ["", "127.0.0.1:1", "tcp://localhost", "http://a:1", "unix:", "exec:"] {
            for error in [
                server().listen(text).await.map(drop),
                net::connect(text).await.map(drop),
                net::connect_blocking(text).map(drop),
                SideClient::connect(text.to_owned()).await.map(drop),
                SideClient::connect_blocking(text.to_owned()).map(drop),
            ] {
                let error = error.expect_err(text);
                assert_eq!(error.kind(), ErrorKind::InvalidInput);
                assert!(error.to_string().starts_with(&format!("`{text}` is not a valid address: ")), "{error}");
            }
        }
        let error = server().listen("exec:true").await.expect_err("a listener cannot listen at a child process");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    });
}

#[test]
fn connecting_without_a_listener_fails() {
    run(async {
        for scheme in SCHEMES {
            let listener = settings(&MySide::default()).listen(free(scheme)).await.expect("a free place");
            let address = listener.address().clone();
            drop(listener);
            let errors = [net::connect(&address).await.map(drop), net::connect_blocking(&address).map(drop)];
            for error in errors {
                let kind = error.expect_err("no listener").kind();
                assert!(matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::NotFound), "{kind:?}");
            }
        }
    });
}

#[test]
fn an_address_in_use_is_an_error() {
    run(async {
        for scheme in SCHEMES {
            let listener = running(scheme).await;
            let error = settings(&MySide::default()).listen(&listener.address).await.expect_err("it is in use");
            assert_eq!(error.kind(), ErrorKind::AddrInUse);
            assert_eq!(listener.client().await.add(1, 2).await.expect("it lives on"), 3);
        }
    });
}

#[test]
fn without_a_runtime_there_is_an_error_and_no_panic() {
    for scheme in SCHEMES {
        let address = free(scheme);
        assert!(block_on(net::connect(&address)).is_err());
        assert!(block_on(SideClient::connect(&address)).is_err());
        assert!(block_on(settings(&MySide::default()).listen(&address)).is_err());
    }
}

// A process whose only connection is its stdin and stdout.
#[test]
fn a_listener_at_stdin_and_stdout_ends_with_its_only_connection() {
    use rpc_core::transport::{AnyFraming, Headers, Lines, child};
    for (address, framing) in [("stdio:", AnyFraming::from(Lines::new())), ("stdio+lsp:", Headers::new().into())] {
        run(async {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_test_peer"));
            command.args(["listen", address]).args(Setup::default().arguments());
            let (process, ends) = child(command, framing).expect("it starts");
            let (peer, connection) = Connection::builder(Server::new(())).over(ends);
            let ended = tokio::spawn(connection.run());
            assert_eq!(SideClient::new(peer).add(1, 2).await.expect("a sum"), 3);
            assert_eq!(ended.await.expect("no panic"), CloseReason::ByUs);
            assert!(process.wait().await.expect("it ends").success());
        });
    }
}

async fn a_shutdown_handle_made_before_its_listener_lists_the_open_connections(scheme: &str) {
    let shutdown_handle = ShutdownHandle::default();
    let listener = running_with(scheme, |settings| settings.shutdown_handle(&shutdown_handle)).await;
    let mine = MySide::default();
    let mut clients = vec![];
    for _ in 0..3 {
        let builder = Setup::default().builder(&mine);
        clients.push(builder.connect(&listener.address).await.expect("the listener accepts"));
    }
    listener.has(3).await;
    for peer in shutdown_handle.peers() {
        SideClient::new(peer).tell("all".to_owned()).await.expect("it is sent");
    }
    mine.counted.is(3).await;
    shutdown_handle.shutdown();
    listener.serving.await.expect("it ends");
    assert!(shutdown_handle.peers().is_empty());
    for client in clients {
        client.closed().await;
    }
}

async fn handlers_see_the_remote_address(scheme: &str) {
    #[rpc_core::rpc]
    trait Who {
        async fn am_i(&self, #[rpc(context)] context: &rpc_core::Context<'_>) -> String;
    }
    struct Mine;
    impl Who for Mine {
        async fn am_i(&self, context: &rpc_core::Context<'_>) -> String {
            match context.extension::<RemoteAddr>() {
                Some(RemoteAddr::Tcp(address)) => address.ip().to_string(),
                Some(RemoteAddr::Unix { process: Some(process), user: Some(_), group: Some(_) }) => process.to_string(),
                other => format!("{other:?}"),
            }
        }
    }
    let listener = Server::new(WhoService::new(Mine)).listen(free(scheme)).await.expect("a free place");
    let address = listener.address().clone();
    let serving = tokio::spawn(listener.run());
    let origin = WhoClient::connect(&address).await.expect("the listener accepts").am_i().await.expect("a response");
    let expected = if scheme.starts_with("tcp") { "127.0.0.1".to_owned() } else { std::process::id().to_string() };
    assert_eq!(origin, expected);
    serving.abort();
}

async fn queued_messages_are_sent_before_a_connection_closes(scheme: &str) {
    let listener = running(scheme).await;
    for told in 1..=5 {
        let client = listener.client().await;
        client.tell("x".repeat(1_000_000)).await.expect("it is handed over");
        assert_eq!(client.caller().close().await, CloseReason::ByUs);
        listener.side.counted.is(told).await;
    }
}

#[test]
fn a_listener_keeps_only_its_last_waker() {
    struct Nothing;
    impl std::task::Wake for Nothing {
        fn wake(self: std::sync::Arc<Self>) {}
    }
    run(async {
        let shutdown_handle = ShutdownHandle::default();
        let listener = settings(&MySide::default())
            .shutdown_handle(&shutdown_handle)
            .listen(free("tcp"))
            .await
            .expect("a free place");
        let mut running = Box::pin(listener.run());
        let mut seen = vec![];
        for _ in 0..100 {
            let waker = std::sync::Arc::new(Nothing);
            seen.push(std::sync::Arc::downgrade(&waker));
            let is_open = running.as_mut().poll(&mut std::task::Context::from_waker(&waker.into())).is_pending();
            assert!(is_open);
        }
        let kept = || seen.iter().filter(|waker| waker.strong_count() > 0).count();
        assert_eq!(kept(), 1);
        drop(running);
        assert_eq!(kept(), 0);
        assert_eq!(shutdown_handle.connection_count(), 0);
    });
}
