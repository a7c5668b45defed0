//! Serving over a transport until it ends.

use crate::block_on::block_on;
use crate::framing::{Framing, Lines};
use crate::server::{Server, Service};
use std::io::{self, BufRead, ErrorKind, Write};

impl<S: Service> Server<S> {
    /// Serves one message a line until the input ends: each is answered, on a line of its own, before
    /// the next is read. Blank lines are skipped; a line that is no message is answered with an error,
    /// and reading goes on behind it.
    ///
    /// Methods run on this thread, one after the other. Those that need a runtime's clock or sockets need
    /// it entered here (`let _inside = runtime.enter();`); to run them side by side, read the lines
    /// yourself and await [`Server::handle`].
    ///
    /// ```
    /// use rpc_core::{Server, rpc};
    ///
    /// #[rpc]
    /// trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
    /// struct MyCalc;
    /// impl Calc for MyCalc { async fn add(&self, a: i64, b: i64) -> i64 { a + b } }
    ///
    /// let mut output = vec![];
    /// let input = br#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#;
    /// Server::new(CalcService::new(MyCalc)).serve_lines(&input[..], &mut output)?;
    /// assert_eq!(output, b"{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":1}\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When reading or writing fails.
    pub fn serve_lines(&self, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        let (mut lines, limit) = (Lines::new(), self.limits().message_bytes);
        let (mut message, mut response, mut line) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let bytes = match input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let at_end = bytes.is_empty();
            let progress = lines.decode(bytes, &mut message, limit)?;
            input.consume(progress.taken);
            let is_whole = if at_end { lines.finish(&mut message)? } else { progress.is_whole };
            if is_whole {
                response.clear();
                if block_on(self.handle_into(&message, &mut response)) {
                    line.clear();
                    lines.encode(&response, &mut line);
                    output.write_all(&line)?;
                    output.flush()?;
                }
                message.clear();
            }
            if at_end {
                return Ok(());
            }
        }
    }

    /// Serves one message a line on this process's stdin and stdout, until stdin ends.
    ///
    /// Stdout is the wire: a handler that uses `println!` writes a line that the other side cannot read.
    /// Log to stderr instead, with `eprintln!`, `dbg!` or a logger set to it.
    ///
    /// # Errors
    ///
    /// When reading or writing fails.
    pub fn serve_stdio_lines(&self) -> io::Result<()> {
        // Stdout is locked for one answer at a time, so that a stray print elsewhere never blocks.
        self.serve_lines(io::stdin().lock(), io::stdout())
    }
}
