//! A transport of one's own: a pipe of another runtime, and no tokio anywhere.
//!
//! `cargo run --example foreign_pipe`

use async_executor::Executor;
use futures_lite::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use rpc_core::connection::Connection;
use rpc_core::transport::{Framing, Lines, Messages, Sink, Source};
use rpc_core::{Server, rpc};
use std::error::Error;
use std::io;

/// Where messages come from: anything that `futures-io` reads.
struct PipeSource<R> {
    reader: R,
    framing: Lines,
    /// What was read and belongs to messages that have not been asked for.
    ahead: Vec<u8>,
}

impl<R: AsyncRead + Unpin + Send + 'static> Source for PipeSource<R> {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        loop {
            while !self.ahead.is_empty() {
                let progress = self.framing.decode(&self.ahead, message, limit)?;
                self.ahead.drain(..progress.taken);
                if progress.is_whole {
                    return Ok(true);
                }
            }
            let mut piece = [0; 4096];
            match self.reader.read(&mut piece).await? {
                0 => return self.framing.finish(message),
                length => self.ahead.extend_from_slice(&piece[..length]),
            }
        }
    }
}

/// Where messages go to: anything that `futures-io` writes.
struct PipeSink<W> {
    writer: W,
    framing: Lines,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Sink for PipeSink<W> {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        let mut bytes = Vec::new();
        for message in messages.iter() {
            self.framing.encode(message, &mut bytes);
        }
        self.writer.write_all(&bytes).await?;
        self.writer.flush().await
    }

    async fn close(&mut self) {
        // What fails now is nobody's concern any more.
        let _ = self.writer.close().await;
    }
}

/// Two pipes, one each way, as the ends of a transport.
type End = (PipeSource<piper::Reader>, PipeSink<piper::Writer>);

fn pair() -> (End, End) {
    let (reader, remote_writer) = piper::pipe(64 << 10);
    let (remote_reader, writer) = piper::pipe(64 << 10);
    let end = |reader, writer| {
        let source = PipeSource { reader, framing: Lines::new(), ahead: Vec::new() };
        (source, PipeSink { writer, framing: Lines::new() })
    };
    (end(reader, writer), end(remote_reader, remote_writer))
}

#[rpc]
trait Calc {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        futures_lite::future::yield_now().await;
        minuend - subtrahend
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (here, there) = pair();
    let (_, serving) = Connection::builder(Server::new(CalcService::new(MyCalc))).over(there);
    let (peer, calling) = Connection::builder(Server::new(())).over(here);
    let executor = Executor::new();
    futures_lite::future::block_on(executor.run(async {
        let serving = executor.spawn(serving.run());
        let calling = executor.spawn(calling.run());
        let calc = CalcClient::new(peer);
        println!("42 - 23 = {}", calc.subtract(42, 23).await?);
        // The last handle is dropped: this side ends, and with it the other.
        drop(calc);
        println!("here: {}; there: {}", calling.await, serving.await);
        Ok(())
    }))
}
