//! Serving lines of text, one after the other.

use crate::block_on::block_on;
use crate::framing::{Framing, Lines};
use crate::server::{Server, Service};
use std::io::{self, BufRead, ErrorKind, Write};

impl<S: Service> Server<S> {
    /// Serves newline-delimited messages until the input ends.
    ///
    /// Each message is handled, and its response is written on a line, before the next is read. Blank lines
    /// are skipped. An invalid message gets an error response (§5), and reading continues with the next line.
    ///
    /// Methods run on this thread. If they use the clock or the sockets of a runtime, enter it first
    /// (`let _guard = runtime.enter();`). To handle messages concurrently, read the lines and await
    /// [`Server::handle`], or serve a [connection](crate::connection).
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
    /// Fails if reading or writing fails.
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

    /// Serves newline-delimited messages on stdin and stdout of this process until stdin ends, as
    /// [`serve_lines`](Self::serve_lines) does.
    ///
    /// Output of `println!` would reach the peer as an invalid message. Log to stderr instead.
    ///
    /// # Errors
    ///
    /// Fails if reading or writing fails.
    pub fn serve_stdio_lines(&self) -> io::Result<()> {
        // Stdout is not locked between responses, so that a `println!` elsewhere never blocks.
        self.serve_lines(io::stdin().lock(), io::stdout())
    }
}
