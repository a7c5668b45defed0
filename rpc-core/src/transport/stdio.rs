//! Over stdin and stdout of this process.

use super::thread_sink::ThreadSink;
use super::thread_source::ThreadSource;
use super::threads::threads;
use crate::framing::Framing;
use std::io;

/// A transport over stdin and stdout of this process, with a thread for each, as in [`threads`].
///
/// **Stdout is the wire**: a handler that uses `println!` writes a line that the other side cannot read. Log to
/// stderr, with `eprintln!`, `dbg!` or a logger set to it.
///
/// The process can end while stdin is open and silent. Stdout stays open until it does, so the other side sees
/// the end of the connection when the process ends. Take it once in a process: two would share what is read.
///
/// ```no_run
/// use rpc_core::connection::Connection;
/// use rpc_core::transport::{Lines, stdio};
/// use rpc_core::{Server, block_on, rpc};
///
/// #[rpc]
/// trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn add(&self, a: i64, b: i64) -> i64 {
///         eprintln!("adding {a} and {b}"); // never `println!`
///         a + b
///     }
/// }
///
/// let (_peer, connection) = Connection::builder(Server::new(CalcService::new(MyCalc))).over(stdio(Lines::new()));
/// let reason = block_on(connection.run());
/// eprintln!("{reason}");
/// ```
pub fn stdio<F: Framing + Clone>(framing: F) -> (ThreadSource<F>, ThreadSink<F>) {
    // Stdout is locked for one write at a time.
    threads(io::stdin(), io::stdout(), framing)
}
