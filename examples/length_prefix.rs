//! A custom framing: a length of four bytes, big-endian, before each message.
//!
//! `cargo run --example length_prefix`

use rpc_core::connection::Connection;
use rpc_core::transport::{Framing, Progress, tcp};
use rpc_core::{Server, rpc};
use std::error::Error;
use std::io::{self, ErrorKind};
use tokio::net::{TcpListener, TcpStream};

/// Delimits messages by their length. A framing transforms bytes and does no I/O.
#[derive(Clone, Debug, Default)]
struct LengthPrefix {
    /// The bytes of an incomplete length.
    prefix: Vec<u8>,
    /// The number of bytes that the current message still lacks; `None` while its length is read.
    rest: Option<usize>,
}

impl Framing for LengthPrefix {
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
        let Some(rest) = self.rest else {
            let taken = input.len().min(4 - self.prefix.len());
            self.prefix.extend_from_slice(&input[..taken]);
            if let Ok(bytes) = <[u8; 4]>::try_from(&self.prefix[..]) {
                self.prefix.clear();
                self.rest = Some(usize::try_from(u32::from_be_bytes(bytes)).map_err(io::Error::other)?);
            }
            let is_whole = self.rest == Some(0);
            self.rest = self.rest.filter(|_| !is_whole);
            return Ok(Progress { taken, is_whole });
        };
        let taken = input.len().min(rest);
        // `limit + 1` bytes of a message that is too long are enough to reject it.
        let room = limit.saturating_add(1).saturating_sub(message.len());
        message.extend_from_slice(&input[..taken.min(room)]);
        let is_whole = taken == rest;
        self.rest = Some(rest - taken).filter(|_| !is_whole);
        Ok(Progress { taken, is_whole })
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> io::Result<bool> {
        let is_complete = self.prefix.is_empty() && self.rest.is_none();
        if is_complete { Ok(false) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        // The message limits of a connection are far below 4 GiB.
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(message);
    }
}

#[rpc]
trait Greeter {
    async fn greet(&self, name: &str) -> String;
}

struct Polite;

impl Greeter for Polite {
    async fn greet(&self, name: &str) -> String {
        format!("Good morning, {name}!\nHow are you?")
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let socket = TcpStream::connect(listener.local_addr()?).await?;
    let (accepted, _) = listener.accept().await?;

    let server = Server::new(GreeterService::new(Polite));
    let (_, server_connection) = Connection::builder(server).over(tcp(accepted, LengthPrefix::default()));
    let (peer, client_connection) = Connection::builder(Server::new(())).over(tcp(socket, LengthPrefix::default()));
    tokio::spawn(server_connection.run());
    tokio::spawn(client_connection.run());

    println!("{}", GreeterClient::new(peer).greet("Ada").await?);

    let mut bytes = Vec::new();
    LengthPrefix::default().encode(b"[]", &mut bytes);
    println!("[] is encoded as {bytes:?}");
    Ok(())
}
