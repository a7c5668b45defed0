//! The transports under test, and the peers that they connect.

use crate::any_transport::{AnyTransport, MaybeFraming, RawPeer, any};
use rpc_core::connection::{Connection, Peer};
use rpc_core::net::{Address, Endpoint, Listener, ListenerBuilder};
use rpc_core::server::Service;
use rpc_core::transport::{AnyFraming, Headers, Lines, Sink, Source, child, memory, stream, tcp, threads};
use std::io;
use std::process::Command;
use tests::endpoint;
use tests::transport_service::{MySide, Setup};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// A transport under test, and its framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TransportCase {
    pub(crate) way: Way,
    pub(crate) has_headers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Messages within this process.
    Memory,
    /// A stream of tokio within this process.
    Duplex,
    /// Two pipes, read and written by threads.
    Pipes,
    Tcp,
    #[cfg(unix)]
    Unix,
    /// Stdin and stdout of a child process.
    Child,
    /// `connect` with an address.
    Connect(Target),
    /// `connect_blocking` with an address.
    Blocking(Target),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Tcp,
    #[cfg(unix)]
    Unix,
    #[cfg(unix)]
    Exec,
}

/// A connection of this process.
pub(crate) struct Link {
    pub(crate) peer: Peer,
    pub(crate) side: MySide,
}

/// A raw peer, and the connection that serves it, if that is in this process.
pub(crate) struct Served {
    pub(crate) raw: RawPeer,
    pub(crate) server: Option<(Peer, MySide)>,
}

impl TransportCase {
    pub(crate) const fn lines(way: Way) -> Self {
        TransportCase { way, has_headers: false }
    }

    pub(crate) const fn headers(way: Way) -> Self {
        TransportCase { way, has_headers: true }
    }

    pub(crate) fn framing(self) -> AnyFraming {
        if self.has_headers { Headers::new().into() } else { Lines::new().into() }
    }

    /// The framing of a raw peer.
    fn raw_framing(self) -> Option<AnyFraming> {
        (self.way != Way::Memory).then(|| self.framing())
    }

    fn scheme(self, name: &str) -> String {
        format!("{name}{}:", if self.has_headers { "+lsp" } else { "" })
    }

    /// Connects two peers that serve and call each other. The second may be in another process.
    pub(crate) async fn link(self, setup: Setup, peer_setup: Setup) -> Link {
        let side = MySide::default();
        let builder = setup.builder(&side);
        let peer = match self.way {
            Way::Child => {
                let (_, transport) = child(self.server_command(peer_setup), self.framing()).expect("the child starts");
                run(builder.over(transport))
            }
            Way::Connect(target) => {
                let address = self.listen(target, peer_setup).await;
                builder.connect(&address).await.expect("a connection")
            }
            Way::Blocking(target) => {
                let address = self.listen(target, peer_setup).await;
                builder.connect_blocking(&address).expect("a connection")
            }
            _ => {
                let framing = MaybeFraming::Framed(self.framing());
                let (one, other) = self.pair(framing.clone(), framing).await;
                run(peer_setup.builder(&MySide::default()).over(other));
                run(builder.over(one))
            }
        };
        Link { peer, side }
    }

    /// Connects a raw peer to a server. The server may be in another process.
    pub(crate) async fn served(self, setup: Setup) -> Served {
        let side = MySide::default();
        let (transport, peer) = match self.way {
            Way::Child => {
                let (_, transport) =
                    child(self.server_command(setup), MaybeFraming::Unframed).expect("the child starts");
                (any(transport), None)
            }
            Way::Connect(target) | Way::Blocking(target) => {
                let (opened, mut peers) = tokio::sync::mpsc::unbounded_channel();
                let builder = Listener::builder(setup.server(&side))
                    .configure(move |builder| setup.configure(builder))
                    .on_open(move |peer| opened.send(peer.clone()).unwrap_or_default());
                let transport = match self.listen_with(builder, target).await.endpoint() {
                    Endpoint::Tcp(tcp) => {
                        raw_tcp(TcpStream::connect(("127.0.0.1", tcp.port)).await.expect("a connection"))
                    }
                    #[cfg(unix)]
                    Endpoint::Unix(unix) => any(rpc_core::transport::unix(
                        UnixStream::connect(&unix.path).await.expect("a connection"),
                        MaybeFraming::Unframed,
                    )),
                    other => panic!("a listener cannot be bound to {other:?}"),
                };
                (transport, Some(peers.recv().await.expect("a connection")))
            }
            _ => {
                let (raw, other) = self.pair(MaybeFraming::Unframed, MaybeFraming::Framed(self.framing())).await;
                (raw, Some(run(setup.builder(&side).over(other))))
            }
        };
        Served { raw: RawPeer::new(transport, self.raw_framing()), server: peer.map(|peer| (peer, side)) }
    }

    /// Connects a client to a raw peer, which is always in this process.
    pub(crate) async fn scripted(self, setup: Setup) -> (Link, RawPeer) {
        let side = MySide::default();
        let builder = setup.builder(&side);
        let (transport, peer) = match self.way {
            Way::Child | Way::Connect(_) | Way::Blocking(_) => {
                let listener = RawListener::bind(self.way).await;
                let address = listener.address(self);
                let peer = match self.way {
                    Way::Blocking(_) => builder.connect_blocking(&*address).expect("a connection"),
                    Way::Connect(_) => builder.connect(&*address).await.expect("a connection"),
                    _ => {
                        let mut command = Command::new(PROGRAM);
                        command.args(["relay", &*address]);
                        run(builder.over(child(command, self.framing()).expect("the child starts").1))
                    }
                };
                (listener.accept().await, peer)
            }
            _ => {
                let (client, raw) = self.pair(MaybeFraming::Framed(self.framing()), MaybeFraming::Unframed).await;
                (raw, run(builder.over(client)))
            }
        };
        (Link { peer, side }, RawPeer::new(transport, self.raw_framing()))
    }

    /// Creates two connected transports within this process. Dropping an unframed TCP transport resets it.
    async fn pair(self, framing: MaybeFraming, peer_framing: MaybeFraming) -> (AnyTransport, AnyTransport) {
        match self.way {
            Way::Memory => {
                let (one, other) = memory::pair(1 << 16);
                (any(one), any(other))
            }
            Way::Duplex => {
                let (one, other) = tokio::io::duplex(1 << 10);
                let ((reader, writer), (peer_reader, peer_writer)) = (tokio::io::split(one), tokio::io::split(other));
                (any(stream(reader, writer, framing)), any(stream(peer_reader, peer_writer, peer_framing)))
            }
            Way::Pipes => {
                let (reader, peer_writer) = io::pipe().expect("a pipe");
                let (peer_reader, writer) = io::pipe().expect("a pipe");
                (pipes(reader, writer, framing), pipes(peer_reader, peer_writer, peer_framing))
            }
            Way::Tcp => {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                let address = listener.local_addr().expect("a bound socket");
                let one = TcpStream::connect(address).await.expect("a connection");
                let (other, _) = listener.accept().await.expect("a connection");
                let transport = |socket, framing| match framing {
                    MaybeFraming::Unframed => raw_tcp(socket),
                    framed @ MaybeFraming::Framed(_) => any(tcp(socket, framed)),
                };
                (transport(one, framing), transport(other, peer_framing))
            }
            #[cfg(unix)]
            Way::Unix => {
                let (one, other) = UnixStream::pair().expect("a pair of sockets");
                (any(rpc_core::transport::unix(one, framing)), any(rpc_core::transport::unix(other, peer_framing)))
            }
            way => panic!("{way:?} has no transports within this process"),
        }
    }

    /// The command that serves over its stdin and stdout.
    fn server_command(self, setup: Setup) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", &self.scheme("stdio")]).args(setup.arguments());
        command
    }

    /// Starts a server and returns its address.
    async fn listen(self, target: Target, setup: Setup) -> Address {
        #[cfg(unix)]
        if target == Target::Exec {
            let line = format!("{}'{PROGRAM}' serve {} ", self.scheme("exec"), self.scheme("stdio"));
            return (line + &setup.arguments().join(" ")).parse().expect("an address");
        }
        let server = setup.server(&MySide::default());
        self.listen_with(Listener::builder(server).configure(move |builder| setup.configure(builder)), target).await
    }

    async fn listen_with<S: Service>(self, builder: ListenerBuilder<S>, target: Target) -> Address {
        let scheme = match target {
            Target::Tcp => "tcp",
            #[cfg(unix)]
            _ => "unix",
        };
        let address = endpoint::free(self.scheme(scheme).trim_end_matches(':'));
        let listener = builder.listen(address).await.expect("a free address");
        let address = listener.address().clone();
        tokio::spawn(listener.run());
        address
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_test_peer");

/// Runs a connection as a task.
pub(crate) fn run<S: Service, R: Source, W: Sink>((peer, connection): (Peer, Connection<S, R, W>)) -> Peer {
    tokio::spawn(connection.run());
    peer
}

/// Creates a transport over pipes. An unframed one uses no threads: dropping it closes the pipes at once.
fn pipes(reader: io::PipeReader, writer: io::PipeWriter, framing: MaybeFraming) -> AnyTransport {
    #[cfg(unix)]
    if matches!(framing, MaybeFraming::Unframed) {
        use tokio::net::unix::pipe::{Receiver, Sender};
        let reader = Receiver::from_owned_fd(reader.into()).expect("a pipe");
        return any(stream(reader, Sender::from_owned_fd(writer.into()).expect("a pipe"), framing));
    }
    any(threads(reader, writer, framing))
}

/// Creates an unframed transport. Dropping it resets the connection.
fn raw_tcp(socket: TcpStream) -> AnyTransport {
    socket.set_zero_linger().expect("a socket");
    socket.set_nodelay(true).expect("a socket");
    let (reader, writer) = tokio::io::split(socket);
    any(stream(reader, writer, MaybeFraming::Unframed))
}

/// A listener that accepts one unframed transport.
enum RawListener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, String),
}

impl RawListener {
    async fn bind(way: Way) -> Self {
        match way {
            #[cfg(unix)]
            Way::Connect(Target::Unix) | Way::Blocking(Target::Unix) => {
                let path = endpoint::path().display().to_string();
                RawListener::Unix(UnixListener::bind(&path).expect("a free path"), path)
            }
            _ => RawListener::Tcp(TcpListener::bind("127.0.0.1:0").await.expect("a free port")),
        }
    }

    fn address(&self, case: TransportCase) -> String {
        match self {
            #[cfg(unix)]
            RawListener::Unix(_, path) => case.scheme("unix") + path,
            RawListener::Tcp(listener) => {
                let address = listener.local_addr().expect("a bound socket");
                match case.way {
                    Way::Child => address.to_string(),
                    #[cfg(unix)]
                    Way::Connect(Target::Exec) | Way::Blocking(Target::Exec) => {
                        format!("{}'{PROGRAM}' relay {address}", case.scheme("exec"))
                    }
                    _ => format!("{}//{address}", case.scheme("tcp")),
                }
            }
        }
    }

    async fn accept(self) -> AnyTransport {
        match self {
            RawListener::Tcp(listener) => raw_tcp(listener.accept().await.expect("a connection").0),
            #[cfg(unix)]
            RawListener::Unix(listener, path) => {
                let (socket, _) = listener.accept().await.expect("a connection");
                std::fs::remove_file(path).expect("a socket file");
                any(rpc_core::transport::unix(socket, MaybeFraming::Unframed))
            }
        }
    }
}
