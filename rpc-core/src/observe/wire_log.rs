//! The observer that writes readable lines.

use super::event::{Cause, Event, EventKind, Failure, MessageKind};
use super::observer::Observer;
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Writes one line for each event: the seconds since the log was made, the connection, the direction (`<-`
/// received, `->` sent, `--` neither), the kind, the id, and the message or, without one, the method.
/// Lines are cut to a width.
/// A batch is logged as its members. A received response is a `result` or a `failure`.
///
/// ```
/// use rpc_core::observe::WireLog;
/// use rpc_core::Server;
/// use std::sync::Arc;
///
/// let log = Arc::new(WireLog::new(vec![]).without_time().width(61));
/// let server = Server::new(()).observer(log.clone());
/// server.handle_blocking(r#"{"jsonrpc":"2.0","method":"nope","id":1}"#);
/// drop(server);
/// let lines = String::from_utf8(Arc::into_inner(log).expect("no other owner").into_inner())?;
/// assert_eq!(lines, "\
/// <- request      1    {\"jsonrpc\":\"2.0\",\"method\":\"nope\",\"id\":1}
/// -> response     1    {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601…
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WireLog<W> {
    output: Mutex<W>,
    name: String,
    /// The time of the start; `None` without times.
    start: Option<Instant>,
    width: usize,
}

impl<W: Write> WireLog<W> {
    /// Creates a log that writes lines of at most 160 characters to `output`. For a server over stdio,
    /// `output` must not be stdout.
    pub fn new(output: W) -> Self {
        WireLog { output: Mutex::new(output), name: String::new(), start: Some(Instant::now()), width: 160 }
    }

    /// Sets a name that begins each line, such as `client`.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = format!("{name} ");
        self
    }

    /// Sets the length of the longest line, in characters.
    #[must_use]
    pub fn width(mut self, characters: usize) -> Self {
        self.width = characters;
        self
    }

    /// Omits the time.
    #[must_use]
    pub fn without_time(mut self) -> Self {
        self.start = None;
        self
    }

    /// Returns the output.
    pub fn into_inner(self) -> W {
        self.output.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send + 'static> Observer for WireLog<W> {
    fn observe(&self, event: &Event<'_>) {
        let mut line = self.name.clone();
        // Writing to a string cannot fail.
        if let Some(start) = self.start {
            let _ = write!(line, "{:10.6} ", start.elapsed().as_secs_f64());
        }
        if let Some(connection) = event.connection {
            let _ = write!(line, "{:<4} ", format!("#{connection}"));
        }
        let _ = write!(line, "{}", LogLine { event: event.kind, width: self.width });
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // An error of the log does not stop the server.
        let _ = writeln!(output, "{}", cut(&line, self.width));
    }
}

/// Replaces control characters by spaces, and cuts the line to a width.
fn cut(line: &str, width: usize) -> String {
    let mut cut: String =
        line.chars().take(width).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if line.chars().nth(width).is_some() {
        cut.pop();
        cut.push('…');
    }
    cut
}

/// An event as a line. Long messages are cut here already, to at least the width.
struct LogLine<'e> {
    event: EventKind<'e>,
    width: usize,
}

impl LogLine<'_> {
    fn prefix<'t>(&self, text: &'t [u8]) -> Cow<'t, str> {
        // A character has at most four bytes. One more character shows that the text continues.
        let limit = self.width.saturating_add(1).saturating_mul(4);
        String::from_utf8_lossy(&text[..text.len().min(limit)])
    }
}

impl fmt::Display for LogLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = String::new;
        let (label, id, text) = match self.event {
            EventKind::Received { kind, id, reason, text, .. } => {
                let label = match kind {
                    MessageKind::Request => "<- request",
                    MessageKind::Notification => "<- notification",
                    MessageKind::Response => "<- response",
                    MessageKind::Invalid => "<- invalid",
                    MessageKind::Unreadable => "<- unreadable",
                };
                let reason = reason.map_or_else(none, |reason| format!("({reason}) "));
                (label, id.map_or_else(none, ToString::to_string), format!("{reason}{}", self.prefix(text)))
            }
            EventKind::Responded { id, text } => ("-> response", id.to_string(), self.prefix(text).into_owned()),
            EventKind::NoResponse { method, error } => {
                let error = error.map_or_else(none, |error| format!(": {error}"));
                ("-- no response", none(), format!("{}{error}", method.unwrap_or("")))
            }
            EventKind::InternalFailure { method, id, cause, detail } => {
                let cause = match cause {
                    Cause::Panic => "panicked",
                    Cause::Error => "failed",
                    Cause::Result => "has a result that cannot be sent",
                };
                ("-- internal", id.map_or_else(none, ToString::to_string), format!("{method} {cause}: {detail}"))
            }
            EventKind::Sent { id, text } => {
                let label = if id.is_some() { "-> request" } else { "-> notification" };
                (label, id.map_or_else(none, |id| id.to_string()), self.prefix(text).into_owned())
            }
            EventKind::Completed { id, text } => ("<- result", id.to_string(), self.prefix(text).into_owned()),
            EventKind::Failed { id, failure, text } => {
                let reason = match failure {
                    Failure::Error(_) => none(),
                    Failure::Unreadable(error) => format!("({}) ", error.reason),
                };
                ("<- failure", id.to_string(), format!("{reason}{}", self.prefix(text)))
            }
            EventKind::Discarded { reason, text } => {
                ("<- discarded", none(), format!("({reason}) {}", self.prefix(text)))
            }
        };
        write!(f, "{label:<15} {id:<4} {text}")
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_line_has_no_control_characters_and_is_cut_to_the_width() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("äöüß", 3), "äö…");
        assert_eq!(cut("a\nb\tc", 9), "a b c");
    }
}
