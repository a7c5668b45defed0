//! A custom transport over pipes of another async runtime, without tokio.
//!
//! `cargo run --example foreign_pipe`

use async_executor::Executor;
use futures_lite::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use rpc_core::connection::Connection;
use rpc_core::transport::{Framing, Lines, Messages, Sink, Source};
use rpc_core::{Server, rpc};
use std::error::Error;
use std::io;

/// Reads messages from any `AsyncRead` of `futures-io`.
struct PipeSource<R> {
    reader: R,
    framing: Lines,
    /// Bytes that were read and not yet decoded.
    unread: Vec<u8>,
}

impl<R: AsyncRead + Unpin + Send + 'static> Source for PipeSource<R> {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        loop {
            while !self.unread.is_empty() {
                let progress = self.framing.decode(&self.unread, message, limit)?;
                self.unread.drain(..progress.taken);
                if progress.is_whole {
                    return Ok(true);
                }
            }
            let mut buffer = [0; 4096];
            match self.reader.read(&mut buffer).await? {
                0 => return self.framing.finish(message),
                length => self.unread.extend_from_slice(&buffer[..length]),
            }
        }
    }
}

/// Writes messages to any `AsyncWrite` of `futures-io`.
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
        // `close` reports no errors: all messages are flushed.
        let _ = self.writer.close().await;
    }
}

type PipeTransport = (PipeSource<piper::Reader>, PipeSink<piper::Writer>);

/// Creates two connected transports over two pipes, one for each direction.
fn pair() -> (PipeTransport, PipeTransport) {
    let (reader, remote_writer) = piper::pipe(64 << 10);
    let (remote_reader, writer) = piper::pipe(64 << 10);
    let transport = |reader, writer| {
        let source = PipeSource { reader, framing: Lines::new(), unread: Vec::new() };
        (source, PipeSink { writer, framing: Lines::new() })
    };
    (transport(reader, writer), transport(remote_reader, remote_writer))
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
    let (client_transport, server_transport) = pair();
    let (_, server) = Connection::builder(Server::new(CalcService::new(MyCalc))).over(server_transport);
    let (peer, client) = Connection::builder(Server::new(())).over(client_transport);
    let executor = Executor::new();
    futures_lite::future::block_on(executor.run(async {
        let server = executor.spawn(server.run());
        let client = executor.spawn(client.run());
        let calc = CalcClient::new(peer);
        println!("42 - 23 = {}", calc.subtract(42, 23).await?);
        // Dropping the last handle of a client-only connection closes it, on both sides.
        drop(calc);
        println!("client: {}; server: {}", client.await, server.await);
        Ok(())
    }))
}
