//! Every way from one side to the other.

use crate::ends::{Ends, Raw, Wire, any};
use rpc_core::connection::{Connection, Peer};
use rpc_core::net::{Listener, ListenerBuilder};
use rpc_core::server::Service;
use rpc_core::transport::{Address, AnyFraming, Headers, Lines, Sink, Source, child, memory, stream, tcp, threads};
use std::io;
use std::process::Command;
use tests::endpoint;
use tests::transport_service::{MySide, Setup};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// A way from one side to the other.
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
    /// Two pipes, with threads at their ends.
    Pipes,
    Tcp,
    #[cfg(unix)]
    Unix,
    /// A child process: the other side is at its stdin and stdout.
    Child,
    /// By address, as a task of tokio.
    Connect(Target),
    /// By address, on threads.
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

/// This side, and its handle to the other.
pub(crate) struct Link {
    pub(crate) peer: Peer,
    pub(crate) side: MySide,
}

/// The other side, if it is in this process: what it holds, and its handle to this one.
pub(crate) struct Served {
    pub(crate) raw: Raw,
    pub(crate) other: Option<(Peer, MySide)>,
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

    /// What a bare end makes messages of.
    fn bare(self) -> Option<AnyFraming> {
        (self.way != Way::Memory).then(|| self.framing())
    }

    fn scheme(self, word: &str) -> String {
        format!("{word}{}:", if self.has_headers { "+lsp" } else { "" })
    }

    /// Two sides that serve and call each other.
    pub(crate) async fn link(self, here: Setup, there: Setup) -> Link {
        let side = MySide::default();
        let builder = here.builder(&side);
        let peer = match self.way {
            Way::Child => {
                let (_, ends) = child(self.serving(there), self.framing()).expect("it starts");
                run(builder.over(ends))
            }
            Way::Connect(place) => {
                let address = self.listen(place, there).await;
                builder.connect(&address).await.expect("somebody is there")
            }
            Way::Blocking(place) => {
                let address = self.listen(place, there).await;
                builder.connect_blocking(&address).expect("somebody is there")
            }
            _ => {
                let framed = Wire::Framed(self.framing());
                let (one, other) = self.ends(framed.clone(), framed).await;
                run(there.builder(&MySide::default()).over(other));
                run(builder.over(one))
            }
        };
        Link { peer, side }
    }

    /// A side that serves, and the bare other end.
    pub(crate) async fn served(self, setup: Setup) -> Served {
        let side = MySide::default();
        let (ends, peer) = match self.way {
            Way::Child => (any(child(self.serving(setup), Wire::Bytes).expect("it starts").1), None),
            Way::Connect(place) | Way::Blocking(place) => {
                let (opened, mut peers) = tokio::sync::mpsc::unbounded_channel();
                let settings = Listener::builder(setup.server(&side))
                    .configure(move |builder| setup.configure(builder))
                    .on_open(move |peer| opened.send(peer.clone()).unwrap_or_default());
                let ends = match self.listen_with(settings, place).await.endpoint() {
                    rpc_core::transport::Endpoint::Tcp { port, .. } => bare_tcp(&format!("127.0.0.1:{port}")).await,
                    #[cfg(unix)]
                    rpc_core::transport::Endpoint::Unix(path) => {
                        any(rpc_core::transport::unix(UnixStream::connect(path).await.expect("a socket"), Wire::Bytes))
                    }
                    other => panic!("nobody listens at {other:?}"),
                };
                (ends, Some(peers.recv().await.expect("a connection")))
            }
            _ => {
                let (one, other) = self.ends(Wire::Bytes, Wire::Framed(self.framing())).await;
                (one, Some(run(setup.builder(&side).over(other))))
            }
        };
        Served { raw: Raw::of(ends, self.bare()), other: peer.map(|peer| (peer, side)) }
    }

    /// A side that calls, and the bare other end.
    pub(crate) async fn scripted(self, here: Setup) -> (Link, Raw) {
        let side = MySide::default();
        let builder = here.builder(&side);
        let (ends, peer) = match self.way {
            Way::Child | Way::Connect(_) | Way::Blocking(_) => {
                let listener = Bare::of(self.way).await;
                let address = listener.address(self);
                let peer = match self.way {
                    Way::Blocking(_) => builder.connect_blocking(&*address).expect("somebody is there"),
                    Way::Connect(_) => builder.connect(&*address).await.expect("somebody is there"),
                    _ => {
                        let mut command = Command::new(PROGRAM);
                        command.args(["relay", &*address]);
                        run(builder.over(child(command, self.framing()).expect("it starts").1))
                    }
                };
                (listener.accept().await, peer)
            }
            _ => {
                let (one, other) = self.ends(Wire::Framed(self.framing()), Wire::Bytes).await;
                (other, run(builder.over(one)))
            }
        };
        (Link { peer, side }, Raw::of(ends, self.bare()))
    }

    /// Two ends within this process. A bare TCP end that is dropped resets the connection.
    async fn ends(self, here: Wire, there: Wire) -> (Ends, Ends) {
        match self.way {
            Way::Memory => {
                let (one, other) = memory::pair(1 << 16);
                (any(one), any(other))
            }
            Way::Duplex => {
                let (one, other) = tokio::io::duplex(1 << 10);
                let ((reader, writer), (back, forth)) = (tokio::io::split(one), tokio::io::split(other));
                (any(stream(reader, writer, here)), any(stream(back, forth, there)))
            }
            Way::Pipes => {
                let ((reader, forth), (back, writer)) = (io::pipe().expect("a pipe"), io::pipe().expect("a pipe"));
                (end_of_pipes(reader, writer, here), end_of_pipes(back, forth, there))
            }
            Way::Tcp => {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                let address = listener.local_addr().expect("it has one");
                let one = TcpStream::connect(address).await.expect("somebody listens");
                let (other, _) = listener.accept().await.expect("somebody connects");
                let end = |socket, wire| match wire {
                    Wire::Bytes => resetting(socket),
                    framed @ Wire::Framed(_) => any(tcp(socket, framed)),
                };
                (end(one, here), end(other, there))
            }
            #[cfg(unix)]
            Way::Unix => {
                let (one, other) = UnixStream::pair().expect("a pair of sockets");
                (any(rpc_core::transport::unix(one, here)), any(rpc_core::transport::unix(other, there)))
            }
            other => panic!("{other:?} has an end in another process"),
        }
    }

    /// The program that serves over its stdin and stdout.
    fn serving(self, setup: Setup) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", &self.scheme("stdio")]).args(setup.arguments());
        command
    }

    /// Has somebody serve at a place.
    async fn listen(self, target: Target, setup: Setup) -> Address {
        #[cfg(unix)]
        if target == Target::Exec {
            let line = format!("{}'{PROGRAM}' serve {} ", self.scheme("exec"), self.scheme("stdio"));
            return (line + &setup.arguments().join(" ")).parse().expect("an address");
        }
        let server = setup.server(&MySide::default());
        self.listen_with(Listener::builder(server).configure(move |builder| setup.configure(builder)), target).await
    }

    async fn listen_with<S: Service>(self, settings: ListenerBuilder<S>, target: Target) -> Address {
        let word = match target {
            Target::Tcp => "tcp",
            #[cfg(unix)]
            _ => "unix",
        };
        let address = endpoint::free(self.scheme(word).trim_end_matches(':'));
        let listener = settings.listen(address).await.expect("a free place");
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

/// Threads; a bare end has none, so that it is gone when it is dropped.
fn end_of_pipes(reader: io::PipeReader, writer: io::PipeWriter, wire: Wire) -> Ends {
    #[cfg(unix)]
    if matches!(wire, Wire::Bytes) {
        use tokio::net::unix::pipe::{Receiver, Sender};
        let reader = Receiver::from_owned_fd(reader.into()).expect("a pipe");
        return any(stream(reader, Sender::from_owned_fd(writer.into()).expect("a pipe"), wire));
    }
    any(threads(reader, writer, wire))
}

/// A bare end of a TCP socket: dropped, it resets the connection.
fn resetting(socket: TcpStream) -> Ends {
    socket.set_zero_linger().expect("a socket");
    socket.set_nodelay(true).expect("a socket");
    let (reader, writer) = tokio::io::split(socket);
    any(stream(reader, writer, Wire::Bytes))
}

pub(crate) async fn bare_tcp(address: &str) -> Ends {
    resetting(TcpStream::connect(address).await.expect("somebody listens"))
}

/// Somebody who listens and says nothing by itself.
enum Bare {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, String),
}

impl Bare {
    async fn of(way: Way) -> Self {
        match way {
            #[cfg(unix)]
            Way::Connect(Target::Unix) | Way::Blocking(Target::Unix) => {
                let path = endpoint::path().display().to_string();
                Bare::Unix(UnixListener::bind(&path).expect("a free path"), path)
            }
            _ => Bare::Tcp(TcpListener::bind("127.0.0.1:0").await.expect("a free port")),
        }
    }

    fn address(&self, door: TransportCase) -> String {
        match self {
            #[cfg(unix)]
            Bare::Unix(_, path) => door.scheme("unix") + path,
            Bare::Tcp(listener) => {
                let address = listener.local_addr().expect("it has one");
                match door.way {
                    Way::Child => address.to_string(),
                    #[cfg(unix)]
                    Way::Connect(Target::Exec) | Way::Blocking(Target::Exec) => {
                        format!("{}'{PROGRAM}' relay {address}", door.scheme("exec"))
                    }
                    _ => format!("{}//{address}", door.scheme("tcp")),
                }
            }
        }
    }

    async fn accept(self) -> Ends {
        match self {
            Bare::Tcp(listener) => resetting(listener.accept().await.expect("somebody connects").0),
            #[cfg(unix)]
            Bare::Unix(listener, path) => {
                let (socket, _) = listener.accept().await.expect("somebody connects");
                std::fs::remove_file(path).expect("it is there");
                any(rpc_core::transport::unix(socket, Wire::Bytes))
            }
        }
    }
}
