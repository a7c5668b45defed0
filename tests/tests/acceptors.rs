//! Listeners over acceptors, and the hooks of listeners.

use rpc_core::connection::{CloseReason, Connection, ConnectionId, Peer};
use rpc_core::net::{Listener, ListenerBuilder, RemoteAddr, ShutdownHandle};
use rpc_core::transport::memory::{self, MemorySink, MemorySource, MemoryTransport};
use rpc_core::transport::{Accepted, Acceptor, Headers, Lines, TcpAcceptor};
use rpc_core::{Context, Server, rpc};
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[rpc]
trait Origin {
    /// Returns the address of the peer, its tenant, and the id of its connection.
    async fn origin(&self, #[rpc(context)] context: &Context<'_>) -> (String, Option<String>, String);
    async fn panic(&self) -> u8;
}

struct MyOrigin;

impl Origin for MyOrigin {
    async fn origin(&self, context: &Context<'_>) -> (String, Option<String>, String) {
        let address = context.extension::<RemoteAddr>().map_or("none".to_owned(), |address| format!("{address:?}"));
        let tenant = context.extension::<Tenant>().map(|tenant| tenant.0.to_owned());
        (address, tenant, context.peer().map_or("none".to_owned(), |peer| peer.id().to_string()))
    }
    async fn panic(&self) -> u8 {
        panic!("on request")
    }
}

struct Tenant(&'static str);

/// Accepts what is sent to it: a transport, or an error.
struct Channel(UnboundedReceiver<io::Result<(MemoryTransport, &'static str)>>);

impl Acceptor for Channel {
    type Source = MemorySource;
    type Sink = MemorySink;

    async fn accept(&mut self) -> io::Result<Option<Accepted<MemorySource, MemorySink>>> {
        let Some(transport) = self.0.recv().await else { return Ok(None) };
        let (transport, tenant) = transport?;
        Ok(Some(Accepted::new(transport, RemoteAddr::Other("memory".to_owned())).extension(Tenant(tenant))))
    }
}

struct Remote(UnboundedSender<io::Result<(MemoryTransport, &'static str)>>);

impl Remote {
    fn connect(&self, tenant: &'static str) -> OriginClient {
        let (here, there) = memory::pair(1 << 16);
        assert!(self.0.send(Ok((there, tenant))).is_ok(), "the listener runs");
        let (peer, connection) = Connection::client().over(here);
        tokio::spawn(connection.run());
        OriginClient::new(peer)
    }
}

fn channel() -> (Remote, Channel) {
    let (sender, receiver) = unbounded_channel();
    (Remote(sender), Channel(receiver))
}

fn builder() -> ListenerBuilder<OriginService<MyOrigin>> {
    Listener::builder(Server::new(OriginService::new(MyOrigin)))
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test);
}

#[test]
fn a_listener_serves_the_connections_of_any_acceptor() {
    run(async {
        let (remote, acceptor) = channel();
        let listener = builder().over(acceptor).expect("a runtime");
        let shutdown_handle = listener.shutdown_handle();
        let serving = tokio::spawn(listener.run());
        for tenant in ["acme", "umbrella"] {
            let (address, seen, id) = remote.connect(tenant).origin().await.expect("a response");
            assert_eq!((&*address, seen.as_deref()), (r#"Other("memory")"#, Some(tenant)));
            assert!(id.parse::<u64>().is_ok(), "{id}");
        }
        let idle = remote.connect("idle");
        assert!(idle.origin().await.is_ok());
        assert!(shutdown_handle.connection_count() >= 1);
        shutdown_handle.shutdown();
        serving.await.expect("no panic");
        assert_eq!(shutdown_handle.connection_count(), 0);
        // The acceptor is dropped.
        assert!(remote.0.is_closed());
    });
}

#[test]
fn errors_of_an_acceptor_do_not_end_its_listener() {
    run(async {
        let (remote, acceptor) = channel();
        tokio::spawn(builder().over(acceptor).expect("a runtime").run());
        for kind in [io::ErrorKind::ConnectionAborted, io::ErrorKind::OutOfMemory, io::ErrorKind::Interrupted] {
            assert!(remote.0.send(Err(kind.into())).is_ok());
            assert!(remote.connect("acme").origin().await.is_ok(), "{kind}");
        }
    });
}

#[test]
fn a_listener_ends_after_the_last_connection_of_an_acceptor() {
    run(async {
        let (remote, acceptor) = channel();
        let serving = tokio::spawn(builder().over(acceptor).expect("a runtime").run());
        let client = remote.connect("last");
        assert!(client.origin().await.is_ok());
        drop(remote);
        // The open connection is still served.
        assert!(client.origin().await.is_ok());
        drop(client);
        serving.await.expect("no panic");
    });
}

#[test]
fn a_connection_above_the_limit_gets_an_error_in_its_own_framing() {
    run(async {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = socket.local_addr().expect("bound");
        let acceptor = TcpAcceptor::new(socket, Headers::new());
        tokio::spawn(builder().max_connections(1).over(acceptor).expect("a runtime").run());
        let first = OriginClient::connect(format!("tcp+lsp://{address}")).await.expect("the listener accepts");
        assert!(first.origin().await.expect("a response").0.starts_with("Tcp("));
        let mut refused = tokio::net::TcpStream::connect(address).await.expect("the listener accepts");
        let mut text = String::new();
        // Unread input of the listener does not cost the error.
        tokio::io::AsyncWriteExt::write_all(&mut refused, b"Content-Length: 2\r\n\r\n[]").await.expect("connected");
        tokio::io::AsyncWriteExt::shutdown(&mut refused).await.expect("connected");
        tokio::io::AsyncReadExt::read_to_string(&mut refused, &mut text).await.expect("no reset");
        let error = r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Too many connections"},"id":null}"#;
        assert_eq!(text, format!("Content-Length: {}\r\n\r\n{error}", error.len()));
        assert!(first.origin().await.is_ok());
    });
}

#[test]
fn without_a_runtime_a_listener_over_an_acceptor_is_an_error() {
    let (_remote, acceptor) = channel();
    let error = builder().over(acceptor).expect_err("there is no runtime").to_string();
    assert_eq!(error, "there is no tokio runtime; await this function inside one");
}

/// The calls of the hooks of a listener.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(ConnectionId, String)>>>);

impl Log {
    fn push(&self, peer: &Peer, text: String) {
        self.0.lock().expect("not poisoned").push((peer.id(), text));
    }

    fn hooks<S: rpc_core::server::Service>(&self, builder: ListenerBuilder<S>) -> ListenerBuilder<S> {
        let (opened, closed) = (self.clone(), self.clone());
        builder
            .on_open(move |peer| {
                let address = peer.extension::<RemoteAddr>().expect("an address");
                let tenant = peer.extension::<Tenant>().map_or("none", |tenant| tenant.0);
                opened.push(peer, format!("open {address:?} {tenant}"));
                assert!(tenant != "bad", "a hook panics");
            })
            .on_close(move |peer, reason| {
                assert_eq!(peer.close_reason().as_ref(), Some(reason));
                assert!(peer.extension::<RemoteAddr>().is_some());
                closed.push(peer, format!("close {reason:?}"));
            })
    }

    async fn has(&self, lines: usize) -> Vec<(ConnectionId, String)> {
        while self.0.lock().expect("not poisoned").len() < lines {
            tokio::task::yield_now().await;
        }
        std::mem::take(&mut self.0.lock().expect("not poisoned"))
    }
}

#[test]
fn on_close_is_called_once_for_each_opened_connection_with_the_reason() {
    run(async {
        let (log, shutdown_handle) = (Log::default(), ShutdownHandle::default());
        let (remote, acceptor) = channel();
        let listener = log.hooks(builder()).shutdown_handle(&shutdown_handle).over(acceptor).expect("a runtime");
        let serving = tokio::spawn(listener.run());
        let mut ids = HashSet::new();
        let mut ends = |lines: Vec<(ConnectionId, String)>, texts: [&str; 2]| {
            assert_eq!([&*lines[0].1, &*lines[1].1], texts);
            assert_eq!(lines[0].0, lines[1].0);
            assert!(ids.insert(lines[0].0), "an id is unique");
        };
        // The peer ends the connection.
        let client = remote.connect("acme");
        assert!(client.origin().await.is_ok());
        drop(client);
        ends(log.has(2).await, [r#"open Other("memory") acme"#, &format!("close {:?}", CloseReason::ByPeer)]);
        // A hook panics.
        let client = remote.connect("bad");
        assert!(client.origin().await.is_err());
        ends(log.has(2).await, [r#"open Other("memory") bad"#, &format!("close {:?}", CloseReason::Dropped)]);
        // A handler panics: the connection stays open until the listener is shut down.
        let client = remote.connect("acme");
        assert!(client.panic().await.is_err());
        assert!(client.origin().await.is_ok());
        shutdown_handle.shutdown();
        ends(log.has(2).await, [r#"open Other("memory") acme"#, &format!("close {:?}", CloseReason::ByUs)]);
        serving.await.expect("no panic");
        // The future of the listener is dropped.
        let (remote, acceptor) = channel();
        let serving = tokio::spawn(log.hooks(builder()).over(acceptor).expect("a runtime").run());
        let client = remote.connect("acme");
        assert!(client.origin().await.is_ok());
        serving.abort();
        ends(log.has(2).await, [r#"open Other("memory") acme"#, &format!("close {:?}", CloseReason::Dropped)]);
    });
}

#[test]
fn on_open_sees_the_remote_address_of_each_transport() {
    run(async {
        let mut addresses = vec!["tcp://127.0.0.1:0".to_owned()];
        let path = std::env::temp_dir().join(format!("rpc-acceptors-{}.sock", std::process::id()));
        if cfg!(unix) {
            addresses.push(format!("unix:{}", path.display()));
        }
        for address in addresses {
            let log = Log::default();
            let listener = log.hooks(builder()).unix_mode(0o600).listen(&address).await.expect("a free address");
            let bound = listener.address().clone();
            tokio::spawn(listener.run());
            let client = OriginClient::connect(bound).await.expect("the listener accepts");
            let (seen, _, id) = client.origin().await.expect("a response");
            let lines = log.has(1).await;
            assert_eq!(lines[0].1, format!("open {seen} none"));
            assert_eq!(lines[0].0.to_string(), id);
            assert!(seen.starts_with(if address.starts_with("tcp") { "Tcp(127.0.0.1:" } else { "Unix {" }), "{seen}");
        }
    });
}

#[test]
fn an_acceptor_of_a_socket_takes_any_framing() {
    run(async {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = socket.local_addr().expect("bound");
        tokio::spawn(builder().over(TcpAcceptor::new(socket, Lines::new())).expect("a runtime").run());
        let client = OriginClient::connect(format!("tcp://{address}")).await.expect("the listener accepts");
        assert!(client.origin().await.is_ok());
    });
}
