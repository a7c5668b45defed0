//! Connections over bytes: the same tests over every transport, with both framings.

use rpc_core::connection::{CloseReason, Connection};
use rpc_core::transport::{
    AnyFraming, Framing, Headers, Lines, Messages, Progress, Sink, Source, StreamSink, StreamSource, TcpSink,
    TcpSource, ThreadSink, ThreadSource, stream, tcp, threads,
};
use rpc_core::{Context, ErrorObject, Server, block_on, rpc};
use std::io;
use std::time::{Duration, Instant};
use tests::allocator::{CountingAllocator, peak};
use tests::check::{error, is_same, result};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};

#[path = "streams/children.rs"]
mod children;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[rpc]
trait Api {
    async fn add(&self, a: i64, b: i64) -> i64;
    async fn echo(&self, text: String) -> String;
    async fn fill(&self, bytes: usize) -> String;
    /// Calls `echo` of the peer.
    async fn back(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;
}

struct MyApi;

impl Api for MyApi {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn echo(&self, text: String) -> String {
        text
    }
    async fn fill(&self, bytes: usize) -> String {
        "x".repeat(bytes)
    }
    async fn back(&self, text: String, context: &Context<'_>) -> Result<String, ErrorObject> {
        let peer = context.peer().ok_or_else(ErrorObject::internal_error)?;
        Ok(ApiClient::new(peer).echo(text).await?)
    }
}

fn server() -> Server<ApiService<MyApi>> {
    Server::new(ApiService::new(MyApi))
}

/// A kind of transport. `pair` creates two connected ones.
trait TransportKind {
    type Source<F: Framing + Clone>: Source;
    type Sink<F: Framing + Clone>: Sink;
    fn pair<A: Framing + Clone, B: Framing + Clone>(
        framing: A,
        peer_framing: B,
    ) -> impl Future<Output = Pair<Self, A, B>>;
}

type Transport<K, F> = (<K as TransportKind>::Source<F>, <K as TransportKind>::Sink<F>);
type Pair<K, A, B> = (Transport<K, A>, Transport<K, B>);

struct Duplex;

impl TransportKind for Duplex {
    type Source<F: Framing + Clone> = StreamSource<ReadHalf<DuplexStream>, F>;
    type Sink<F: Framing + Clone> = StreamSink<WriteHalf<DuplexStream>, F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(framing: A, peer_framing: B) -> Pair<Self, A, B> {
        let (local, remote) = tokio::io::duplex(1 << 10);
        let ((reader, writer), (peer_reader, peer_writer)) = (tokio::io::split(local), tokio::io::split(remote));
        (stream(reader, writer, framing), stream(peer_reader, peer_writer, peer_framing))
    }
}

struct Pipes;

impl TransportKind for Pipes {
    type Source<F: Framing + Clone> = ThreadSource<F>;
    type Sink<F: Framing + Clone> = ThreadSink<F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(framing: A, peer_framing: B) -> Pair<Self, A, B> {
        let (reader, peer_writer) = io::pipe().expect("a pipe");
        let (peer_reader, writer) = io::pipe().expect("a pipe");
        (threads(reader, writer, framing), threads(peer_reader, peer_writer, peer_framing))
    }
}

struct Tcp;

impl TransportKind for Tcp {
    type Source<F: Framing + Clone> = TcpSource<F>;
    type Sink<F: Framing + Clone> = TcpSink<F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(framing: A, peer_framing: B) -> Pair<Self, A, B> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        let socket = TcpStream::connect(address).await.expect("a connection");
        let (accepted, _) = listener.accept().await.expect("a connection");
        (tcp(socket, framing), tcp(accepted, peer_framing))
    }
}

#[cfg(unix)]
struct Unix;

#[cfg(unix)]
impl TransportKind for Unix {
    type Source<F: Framing + Clone> = rpc_core::transport::UnixSource<F>;
    type Sink<F: Framing + Clone> = rpc_core::transport::UnixSink<F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(framing: A, peer_framing: B) -> Pair<Self, A, B> {
        let (socket, accepted) = tokio::net::UnixStream::pair().expect("a pair of sockets");
        (rpc_core::transport::unix(socket, framing), rpc_core::transport::unix(accepted, peer_framing))
    }
}

/// Passes bytes on without framing.
#[derive(Clone)]
struct Unframed;

impl Framing for Unframed {
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, _: usize) -> io::Result<Progress> {
        message.extend_from_slice(input);
        Ok(Progress { taken: input.len(), is_whole: true })
    }
    fn finish(&mut self, _: &mut Vec<u8>) -> io::Result<bool> {
        Ok(false)
    }
    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(message);
    }
}

fn framings() -> [AnyFraming; 2] {
    [Lines::new().into(), Headers::new().into()]
}

/// Runs a test on this thread: allocations are counted per thread.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let test = async { tokio::time::timeout(Duration::from_secs(60), test).await.expect("no timeout") };
    runtime.block_on(test);
}

macro_rules! over_every_transport {
    ($($test:ident),* $(,)?) => {
        over_every_transport!(@ duplex Duplex $($test)*);
        over_every_transport!(@ pipes Pipes $($test)*);
        over_every_transport!(@ tcp Tcp $($test)*);
        #[cfg(unix)]
        over_every_transport!(@ unix Unix $($test)*);
    };
    (@ $module:ident $kind:ident $($test:ident)*) => {
        mod $module {
            $(#[test] fn $test() { super::run(super::$test::<super::$kind>()); })*
        }
    };
}

over_every_transport![
    both_peers_call_each_other_until_one_shuts_down,
    messages_of_any_size_arrive_whole_in_both_directions,
    garbage_between_valid_messages_gets_an_error_response,
    requests_before_the_end_of_the_input_get_responses,
    an_endless_line_uses_no_more_memory_than_the_limit,
    a_long_message_is_read_in_linear_time,
    a_peer_that_closes_during_a_write_closes_the_connection,
    many_messages_in_one_write_arrive_whole,
];

async fn both_peers_call_each_other_until_one_shuts_down<K: TransportKind>() {
    for framing in framings() {
        let (one, other) = K::pair(framing.clone(), framing).await;
        let (peer_of_one, one) = Connection::builder(server()).over(one);
        let (peer_of_other, other) = Connection::builder(server()).over(other);
        let calls = async {
            assert_eq!(ApiClient::new(peer_of_one.clone()).add(1, 2).await.expect("a sum"), 3);
            let text = "é漢😀\n".to_owned();
            assert_eq!(ApiClient::new(peer_of_other.clone()).back(text.clone()).await.expect("an echo"), text);
            peer_of_one.shutdown();
        };
        let (reason, other_reason, ()) = tokio::join!(one.run(), other.run(), calls);
        assert_eq!((reason, other_reason), (CloseReason::ByUs, CloseReason::ByPeer));
    }
}

// R39
async fn messages_of_any_size_arrive_whole_in_both_directions<K: TransportKind>() {
    for framing in framings() {
        let (one, other) = K::pair(framing.clone(), framing).await;
        let (peer_of_one, one) = Connection::builder(server()).over(one);
        let (peer_of_other, other) = Connection::builder(server()).over(other);
        let calls = async {
            for size in [8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 5_000_000] {
                let text = "x".repeat(size);
                let (api, other_api) = (ApiClient::new(peer_of_one.clone()), ApiClient::new(peer_of_other.clone()));
                let (echo, other_echo) = tokio::join!(api.echo(text.clone()), other_api.echo(text.clone()));
                assert!(echo.expect("an echo") == text && other_echo.expect("an echo") == text, "{size}");
            }
            peer_of_one.shutdown();
        };
        tokio::join!(one.run(), other.run(), calls);
    }
}

/// A peer without a connection: it writes and reads raw bytes.
struct RawPeer<R, W> {
    source: R,
    sink: W,
    unread: Vec<u8>,
}

impl<R: Source, W: Sink> RawPeer<R, W> {
    fn new((source, sink): (R, W)) -> Self {
        RawPeer { source, sink, unread: vec![] }
    }

    async fn write(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let mut messages = Messages::new();
        messages.push(bytes.as_ref());
        self.sink.send(&messages).await
    }

    /// Reads the next message; `None` at the end of the input.
    async fn next(&mut self, framing: &mut AnyFraming) -> Option<String> {
        let mut message = vec![];
        loop {
            let progress = framing.decode(&self.unread, &mut message, usize::MAX).expect("a valid frame");
            self.unread.drain(..progress.taken);
            if progress.is_whole {
                return Some(String::from_utf8(message).expect("JSON is UTF-8"));
            }
            if !self.source.receive(&mut self.unread, usize::MAX).await.expect("the read succeeds") {
                return None;
            }
        }
    }
}

const SUM: &str = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;

fn with_header(message: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

// R03
async fn garbage_between_valid_messages_gets_an_error_response<K: TransportKind>() {
    let rejected = format!("Content-Type: a/b; charset=utf-16\r\n{}", with_header("{}"));
    for (mut framing, input) in [
        (Lines::new().into(), format!("{SUM}\nnot json\n\r\n{SUM}\n")),
        (Headers::new().into(), [with_header(SUM), with_header("not json"), with_header(SUM)].concat()),
        (AnyFraming::from(Headers::new()), [with_header(SUM), rejected, with_header(SUM)].concat()),
    ] {
        let (raw, transport) = K::pair(Unframed, framing.clone()).await;
        let (_, connection) = Connection::builder(server()).over(transport);
        let script = async {
            let mut raw = RawPeer::new(raw);
            raw.write(&input).await.expect("the write succeeds");
            for expected in [result("3", "1"), error(-32700, "null"), result("3", "1")] {
                let response = raw.next(&mut framing).await.expect("a response");
                assert!(is_same(&expected, &response), "{response}");
            }
        };
        let (reason, ()) = tokio::join!(connection.run(), script);
        assert_eq!(reason, CloseReason::ByPeer);
    }
}

async fn requests_before_the_end_of_the_input_get_responses<K: TransportKind>() {
    let incomplete = Err(io::ErrorKind::UnexpectedEof);
    for (mut framing, input, responses, expected) in [
        (AnyFraming::from(Lines::new()), format!("{SUM}\n{SUM}"), 2, Ok(())),
        (Headers::new().into(), with_header(SUM).repeat(2), 2, Ok(())),
        (Headers::new().into(), with_header(SUM)[..30].to_owned(), 0, incomplete),
    ] {
        let (raw, transport) = K::pair(Unframed, framing.clone()).await;
        let (_, connection) = Connection::builder(server()).over(transport);
        let script = async {
            let mut raw = RawPeer::new(raw);
            raw.write(&input).await.expect("the write succeeds");
            raw.sink.close().await;
            for _ in 0..responses {
                let response = raw.next(&mut framing).await.expect("a response");
                assert!(is_same(&result("3", "1"), &response), "{response}");
            }
            assert_eq!(raw.next(&mut framing).await, None);
        };
        let (reason, ()) = tokio::join!(connection.run(), script);
        match reason {
            CloseReason::ByPeer => assert_eq!(expected, Ok(())),
            CloseReason::Failed { kind, .. } => assert_eq!(expected, Err(kind)),
            reason => panic!("{reason}"),
        }
    }
}

const LIMIT: usize = 10 << 20;

// R33
async fn an_endless_line_uses_no_more_memory_than_the_limit<K: TransportKind>() {
    let (raw, transport) = K::pair(Unframed, Lines::new()).await;
    let (_, connection) = Connection::builder(server().max_message_bytes(LIMIT)).over(transport);
    let flood = async {
        let mut raw = RawPeer::new(raw);
        let mut piece = Messages::new();
        // `Duplex` delivers pieces of 1 KiB; the other transports deliver larger ones.
        piece.push(&vec![b'x'; 64 << 10]);
        for _ in 0..200 << 4 {
            raw.sink.send(&piece).await.expect("the write succeeds");
        }
        raw.write(format!("\n{SUM}\n")).await.expect("the write succeeds");
        for expected in [error(-32600, "null"), result("3", "1")] {
            let response = raw.next(&mut Lines::new().into()).await.expect("a response");
            assert!(is_same(&expected, &response), "{response}");
        }
    };
    let both = async { tokio::join!(connection.run(), flood) };
    let mut both = std::pin::pin!(both);
    // `peak` measures a closure, so each poll is measured by itself.
    let mut max = 0;
    let reason = std::future::poll_fn(|context| {
        let mut poll = std::task::Poll::Pending;
        max = max.max(peak(|| poll = both.as_mut().poll(context)));
        poll
    });
    assert_eq!(reason.await.0, CloseReason::ByPeer);
    assert!(max < LIMIT + (1 << 20), "{max} bytes");
}

// R33
async fn a_long_message_is_read_in_linear_time<K: TransportKind>() {
    let (raw, transport) = K::pair(Unframed, Lines::new()).await;
    let (_, connection) = Connection::builder(server().max_message_bytes(LIMIT)).over(transport);
    let script = async {
        let mut raw = RawPeer::new(raw);
        let text = "x".repeat(9 << 20);
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"add","params":{{"a":1,"b":2}},"more":"{text}"}}"#) + "\n";
        let start = Instant::now();
        for piece in request.as_bytes().chunks(1 << 10) {
            raw.write(piece).await.expect("the write succeeds");
        }
        let response = raw.next(&mut Lines::new().into()).await.expect("a response");
        assert!(is_same(&result("3", "1"), &response), "{response}");
        start.elapsed()
    };
    let (reason, elapsed) = tokio::join!(connection.run(), script);
    assert_eq!(reason, CloseReason::ByPeer);
    // Quadratic time would take minutes.
    assert!(elapsed < Duration::from_secs(10), "{elapsed:?}");
}

// R32
async fn a_peer_that_closes_during_a_write_closes_the_connection<K: TransportKind>() {
    let (raw, transport) = K::pair(Unframed, Lines::new()).await;
    let (peer, connection) = Connection::builder(server()).over(transport);
    let script = async {
        let mut raw = RawPeer::new(raw);
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"fill","params":[8388608]}"#;
        raw.write(format!("{request}\n{request}\n")).await.expect("the write succeeds");
        assert!(raw.source.receive(&mut raw.unread, usize::MAX).await.expect("the read succeeds"));
    };
    let api = ApiClient::new(peer);
    let call = api.echo("x".repeat(8 << 20));
    let (reason, (), outcome) = tokio::join!(connection.run(), script, call.into_future());
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
    assert!(outcome.is_err());
}

async fn many_messages_in_one_write_arrive_whole<K: TransportKind>() {
    let (raw, transport) = K::pair(Unframed, Headers::new()).await;
    let (mut source, mut sink) = transport;
    let mut raw = RawPeer::new(raw);
    let mut messages = Messages::new();
    let receive = async {
        for _ in 0..50 {
            let mut message = vec![];
            assert!(source.receive(&mut message, 10).await.expect("the read succeeds"));
            messages.push(&message);
        }
    };
    let (written, ()) = tokio::join!(raw.write(with_header("é").repeat(50)), receive);
    written.expect("the write succeeds");
    let send = async {
        sink.send(&messages).await.expect("the write succeeds");
        sink.close().await;
    };
    let read = async {
        for _ in 0..50 {
            assert_eq!(raw.next(&mut Headers::new().into()).await.as_deref(), Some("é"));
        }
    };
    tokio::join!(send, read);
    assert_eq!(raw.next(&mut Headers::new().into()).await, None);
}

#[test]
fn a_reader_or_writer_that_panics_or_fails_is_an_error() {
    struct Failing {
        panics: bool,
    }
    impl io::Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            assert!(!self.panics, "a deliberate panic");
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            assert!(!self.panics, "a deliberate panic");
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    for panics in [false, true] {
        let (mut source, mut sink) = threads(Failing { panics }, Failing { panics }, Lines::new());
        let mut messages = Messages::new();
        messages.push(b"1");
        block_on(async {
            assert!(sink.send(&messages).await.is_err());
            assert!(sink.send(&messages).await.is_err());
            sink.close().await;
            assert!(source.receive(&mut vec![], 10).await.is_err());
        });
    }
}

#[test]
fn a_peer_that_does_not_read_blocks_only_the_writing_thread() {
    let (_peer_reader, writer) = io::pipe().expect("a pipe");
    let (idle, _peer_writer) = io::pipe().expect("a pipe");
    let (mut source, mut sink) = threads(idle, writer, Lines::new());
    let mut messages = Messages::new();
    messages.push(&vec![b'x'; 1 << 20]);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    {
        let mut send = std::pin::pin!(sink.send(&messages));
        assert!(send.as_mut().poll(&mut context).is_pending());
    }
    let mut message = vec![];
    assert!(std::pin::pin!(source.receive(&mut message, 10)).poll(&mut context).is_pending());
    // Dropping the transport does not block.
    drop((source, sink));
}

#[test]
fn endless_input_without_messages_yields() {
    let (mut source, _sink) = threads(io::repeat(b'\n'), io::sink(), Lines::new());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut message = vec![];
    let mut receive = std::pin::pin!(source.receive(&mut message, 10));
    for _ in 0..10 {
        assert!(receive.as_mut().poll(&mut context).is_pending());
    }
}
