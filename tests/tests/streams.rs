//! Connections over bytes: the same rules over every transport and with both framings.

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
    /// Asks the other side to echo.
    async fn back(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;
}

struct Mine;

impl Api for Mine {
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

fn server() -> Server<ApiService<Mine>> {
    Server::new(ApiService::new(Mine))
}

/// What connects two ends.
trait Medium {
    type Source<F: Framing + Clone>: Source;
    type Sink<F: Framing + Clone>: Sink;
    fn pair<A: Framing + Clone, B: Framing + Clone>(here: A, there: B) -> impl Future<Output = Pair<Self, A, B>>;
}

type End<D, F> = (<D as Medium>::Source<F>, <D as Medium>::Sink<F>);
type Pair<D, A, B> = (End<D, A>, End<D, B>);

struct Duplex;

impl Medium for Duplex {
    type Source<F: Framing + Clone> = StreamSource<ReadHalf<DuplexStream>, F>;
    type Sink<F: Framing + Clone> = StreamSink<WriteHalf<DuplexStream>, F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(here: A, there: B) -> Pair<Self, A, B> {
        let ends = tokio::io::duplex(1 << 10);
        let ((reader, writer), (other_reader, other_writer)) = (tokio::io::split(ends.0), tokio::io::split(ends.1));
        (stream(reader, writer, here), stream(other_reader, other_writer, there))
    }
}

struct Pipes;

impl Medium for Pipes {
    type Source<F: Framing + Clone> = ThreadSource<F>;
    type Sink<F: Framing + Clone> = ThreadSink<F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(here: A, there: B) -> Pair<Self, A, B> {
        let ((reader, other_writer), (other_reader, writer)) =
            (io::pipe().expect("a pipe"), io::pipe().expect("another"));
        (threads(reader, writer, here), threads(other_reader, other_writer, there))
    }
}

struct Tcp;

impl Medium for Tcp {
    type Source<F: Framing + Clone> = TcpSource<F>;
    type Sink<F: Framing + Clone> = TcpSink<F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(here: A, there: B) -> Pair<Self, A, B> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it has one");
        let socket = TcpStream::connect(address).await.expect("somebody listens");
        let (accepted, _) = listener.accept().await.expect("somebody connects");
        (tcp(socket, here), tcp(accepted, there))
    }
}

#[cfg(unix)]
struct Unix;

#[cfg(unix)]
impl Medium for Unix {
    type Source<F: Framing + Clone> = rpc_core::transport::UnixSource<F>;
    type Sink<F: Framing + Clone> = rpc_core::transport::UnixSink<F>;
    async fn pair<A: Framing + Clone, B: Framing + Clone>(here: A, there: B) -> Pair<Self, A, B> {
        let (socket, accepted) = tokio::net::UnixStream::pair().expect("a pair of sockets");
        (rpc_core::transport::unix(socket, here), rpc_core::transport::unix(accepted, there))
    }
}

/// Bytes as they are.
#[derive(Clone)]
struct Raw;

impl Framing for Raw {
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

/// Everything on this thread, so that what it allocates is counted.
fn run(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let within = async { tokio::time::timeout(Duration::from_secs(60), work).await.expect("nothing hangs") };
    runtime.block_on(within);
}

macro_rules! over_every_door {
    ($($test:ident),* $(,)?) => {
        over_every_door!(@ duplex Duplex $($test)*);
        over_every_door!(@ pipes Pipes $($test)*);
        over_every_door!(@ tcp Tcp $($test)*);
        #[cfg(unix)]
        over_every_door!(@ unix Unix $($test)*);
    };
    (@ $module:ident $door:ident $($test:ident)*) => {
        mod $module {
            $(#[test] fn $test() { super::run(super::$test::<super::$door>()); })*
        }
    };
}

over_every_door![
    both_sides_call_and_either_may_stop,
    messages_of_any_size_arrive_whole_in_both_directions,
    garbage_between_two_good_messages_is_answered,
    the_end_of_the_input_is_answered_first,
    a_line_that_never_ends_costs_no_more_than_the_limit,
    a_legal_long_message_is_read_at_once,
    who_closes_while_it_is_written_to_breaks_nothing,
    many_messages_are_one_write,
];

async fn both_sides_call_and_either_may_stop<D: Medium>() {
    for framing in framings() {
        let (one, other) = D::pair(framing.clone(), framing).await;
        let (here, here_runs) = Connection::builder(server()).over(one);
        let (there, there_runs) = Connection::builder(server()).over(other);
        let talk = async {
            assert_eq!(ApiClient::new(here.clone()).add(1, 2).await.expect("a sum"), 3);
            assert_eq!(ApiClient::new(there.clone()).back("é漢😀\n".to_owned()).await.expect("an echo"), "é漢😀\n");
            here.shutdown();
        };
        let (reason, other_reason, ()) = tokio::join!(here_runs.run(), there_runs.run(), talk);
        assert_eq!((reason, other_reason), (CloseReason::ByUs, CloseReason::ByPeer));
    }
}

// R39
async fn messages_of_any_size_arrive_whole_in_both_directions<D: Medium>() {
    for framing in framings() {
        let (one, other) = D::pair(framing.clone(), framing).await;
        let (here, here_runs) = Connection::builder(server()).over(one);
        let (there, there_runs) = Connection::builder(server()).over(other);
        let talk = async {
            for size in [8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 5_000_000] {
                let text = "x".repeat(size);
                let (here, there) = (ApiClient::new(here.clone()), ApiClient::new(there.clone()));
                let (back, other_back) = tokio::join!(here.echo(text.clone()), there.echo(text.clone()));
                assert!(back.expect("an echo") == text && other_back.expect("an echo") == text, "{size}");
            }
            here.shutdown();
        };
        tokio::join!(here_runs.run(), there_runs.run(), talk);
    }
}

/// Writes bytes and reads bytes.
struct Bytes<R, W> {
    source: R,
    sink: W,
    read: Vec<u8>,
}

impl<R: Source, W: Sink> Bytes<R, W> {
    fn of((source, sink): (R, W)) -> Self {
        Bytes { source, sink, read: vec![] }
    }

    async fn write(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let mut messages = Messages::new();
        messages.push(bytes.as_ref());
        self.sink.send(&messages).await
    }

    /// The next message in the framing of the other side, if there is one.
    async fn next(&mut self, framing: &mut AnyFraming) -> Option<String> {
        let mut message = vec![];
        loop {
            let progress = framing.decode(&self.read, &mut message, usize::MAX).expect("it is well framed");
            self.read.drain(..progress.taken);
            if progress.is_whole {
                return Some(String::from_utf8(message).expect("JSON is UTF-8"));
            }
            if !self.source.receive(&mut self.read, usize::MAX).await.expect("it reads") {
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
async fn garbage_between_two_good_messages_is_answered<D: Medium>() {
    let refused = format!("Content-Type: a/b; charset=utf-16\r\n{}", with_header("{}"));
    for (mut framing, input) in [
        (Lines::new().into(), format!("{SUM}\nnot json\n\r\n{SUM}\n")),
        (Headers::new().into(), [with_header(SUM), with_header("not json"), with_header(SUM)].concat()),
        (AnyFraming::from(Headers::new()), [with_header(SUM), refused, with_header(SUM)].concat()),
    ] {
        let (one, other) = D::pair(Raw, framing.clone()).await;
        let (_, runs) = Connection::builder(server()).over(other);
        let talk = async {
            let mut bytes = Bytes::of(one);
            bytes.write(&input).await.expect("it is read");
            for wanted in [result("3", "1"), error(-32700, "null"), result("3", "1")] {
                let response = bytes.next(&mut framing).await.expect("an answer");
                assert!(is_same(&wanted, &response), "{response}");
            }
        };
        let (reason, ()) = tokio::join!(runs.run(), talk);
        assert_eq!(reason, CloseReason::ByPeer);
    }
}

async fn the_end_of_the_input_is_answered_first<D: Medium>() {
    let half = Err(io::ErrorKind::UnexpectedEof);
    for (mut framing, input, responses, end) in [
        (AnyFraming::from(Lines::new()), format!("{SUM}\n{SUM}"), 2, Ok(())),
        (Headers::new().into(), with_header(SUM).repeat(2), 2, Ok(())),
        (Headers::new().into(), with_header(SUM)[..30].to_owned(), 0, half),
    ] {
        let (one, other) = D::pair(Raw, framing.clone()).await;
        let (_, runs) = Connection::builder(server()).over(other);
        let talk = async {
            let mut bytes = Bytes::of(one);
            bytes.write(&input).await.expect("it is read");
            bytes.sink.close().await;
            for _ in 0..responses {
                let response = bytes.next(&mut framing).await.expect("an answer");
                assert!(is_same(&result("3", "1"), &response), "{response}");
            }
            assert_eq!(bytes.next(&mut framing).await, None);
        };
        let (reason, ()) = tokio::join!(runs.run(), talk);
        match reason {
            CloseReason::ByPeer => assert_eq!(end, Ok(())),
            CloseReason::Failed { kind, .. } => assert_eq!(end, Err(kind)),
            other => panic!("{other}"),
        }
    }
}

const LIMIT: usize = 10 << 20;

// R33
async fn a_line_that_never_ends_costs_no_more_than_the_limit<D: Medium>() {
    let (one, other) = D::pair(Raw, Lines::new()).await;
    let (_, runs) = Connection::builder(server().max_message_bytes(LIMIT)).over(other);
    let flood = async {
        let mut bytes = Bytes::of(one);
        let mut piece = Messages::new();
        // The other end reads them in pieces: of 1 KiB over `Duplex`, as they come over the others.
        piece.push(&vec![b'x'; 64 << 10]);
        for _ in 0..200 << 4 {
            bytes.sink.send(&piece).await.expect("it is read");
        }
        bytes.write(format!("\n{SUM}\n")).await.expect("it is read");
        for wanted in [error(-32600, "null"), result("3", "1")] {
            let response = bytes.next(&mut Lines::new().into()).await.expect("an answer");
            assert!(is_same(&wanted, &response), "{response}");
        }
    };
    let both = async { tokio::join!(runs.run(), flood) };
    let mut both = std::pin::pin!(both);
    // Each turn is measured, for a turn is what can be measured.
    let mut most = 0;
    let reason = std::future::poll_fn(|context| {
        let mut poll = std::task::Poll::Pending;
        most = most.max(peak(|| poll = both.as_mut().poll(context)));
        poll
    });
    assert_eq!(reason.await.0, CloseReason::ByPeer);
    assert!(most < LIMIT + (1 << 20), "{most} bytes");
}

// R33
async fn a_legal_long_message_is_read_at_once<D: Medium>() {
    let (one, other) = D::pair(Raw, Lines::new()).await;
    let (_, runs) = Connection::builder(server().max_message_bytes(LIMIT)).over(other);
    let talk = async {
        let mut bytes = Bytes::of(one);
        let text = "x".repeat(9 << 20);
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"add","params":{{"a":1,"b":2}},"more":"{text}"}}"#) + "\n";
        let start = Instant::now();
        for piece in request.as_bytes().chunks(1 << 10) {
            bytes.write(piece).await.expect("it is read");
        }
        let response = bytes.next(&mut Lines::new().into()).await.expect("an answer");
        assert!(is_same(&result("3", "1"), &response), "{response}");
        start.elapsed()
    };
    let (reason, took) = tokio::join!(runs.run(), talk);
    assert_eq!(reason, CloseReason::ByPeer);
    // Quadratic time would be minutes.
    assert!(took < Duration::from_secs(10), "{took:?}");
}

// R32
async fn who_closes_while_it_is_written_to_breaks_nothing<D: Medium>() {
    let (one, other) = D::pair(Raw, Lines::new()).await;
    let (there, runs) = Connection::builder(server()).over(other);
    let talk = async {
        let mut bytes = Bytes::of(one);
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"fill","params":[8388608]}"#;
        bytes.write(format!("{request}\n{request}\n")).await.expect("it is read");
        assert!(bytes.source.receive(&mut bytes.read, usize::MAX).await.expect("it reads"));
    };
    let api = ApiClient::new(there);
    let call = api.echo("x".repeat(8 << 20));
    let (reason, (), end) = tokio::join!(runs.run(), talk, call.into_future());
    assert!(matches!(reason, CloseReason::Failed { .. } | CloseReason::ByPeer), "{reason}");
    assert!(end.is_err());
}

async fn many_messages_are_one_write<D: Medium>() {
    let (one, other) = D::pair(Raw, Headers::new()).await;
    let (mut source, mut sink) = other;
    let mut bytes = Bytes::of(one);
    let mut messages = Messages::new();
    let receive = async {
        for _ in 0..50 {
            let mut message = vec![];
            assert!(source.receive(&mut message, 10).await.expect("it reads"));
            messages.push(&message);
        }
    };
    let (written, ()) = tokio::join!(bytes.write(with_header("é").repeat(50)), receive);
    written.expect("it is read");
    let send = async {
        sink.send(&messages).await.expect("it is read");
        sink.close().await;
    };
    let read = async {
        for _ in 0..50 {
            assert_eq!(bytes.next(&mut Headers::new().into()).await.as_deref(), Some("é"));
        }
    };
    tokio::join!(send, read);
    assert_eq!(bytes.next(&mut Headers::new().into()).await, None);
}

#[test]
fn a_writer_that_panics_or_fails_is_an_error() {
    struct Bad(bool);
    impl io::Write for Bad {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            assert!(self.0, "as it is meant to");
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl io::Read for Bad {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            assert!(self.0, "as it is meant to");
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    for fails in [true, false] {
        let (mut source, mut sink) = threads(Bad(fails), Bad(fails), Lines::new());
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
fn who_does_not_read_holds_up_its_own_writer_only() {
    let (_unread, writer) = io::pipe().expect("a pipe");
    let (silent, _open) = io::pipe().expect("a pipe");
    let (mut source, mut sink) = threads(silent, writer, Lines::new());
    let mut messages = Messages::new();
    messages.push(&vec![b'x'; 1 << 20]);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    {
        let mut send = std::pin::pin!(sink.send(&messages));
        assert!(send.as_mut().poll(&mut context).is_pending());
    }
    let mut message = vec![];
    assert!(std::pin::pin!(source.receive(&mut message, 10)).poll(&mut context).is_pending());
    // Dropping them waits for nobody.
    drop((source, sink));
}

#[test]
fn input_without_end_and_without_messages_gives_way() {
    let (mut source, _sink) = threads(io::repeat(b'\n'), io::sink(), Lines::new());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut message = vec![];
    let mut receive = std::pin::pin!(source.receive(&mut message, 10));
    for _ in 0..10 {
        assert!(receive.as_mut().poll(&mut context).is_pending());
    }
}
