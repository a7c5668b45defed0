//! Readable lines of what an observer sees.

use super::event::{Cause, Event, Failure, MessageKind, Observer};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Writes a line for each event: the time in seconds since it was made, the direction (`<-` came,
/// `->` went, `--` neither), what it is, the id, and the text (the method, where there is none), cut to a
/// width.
///
/// ```
/// use rpc_core::server::Router;
/// use rpc_core::observe::WireLog;
/// use rpc_core::Server;
/// use std::sync::Arc;
///
/// let log = Arc::new(WireLog::new(vec![]).without_time().width(61));
/// let server = Server::new(Router::builder().build()?).observer(log.clone());
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
    begun: Option<Instant>,
    width: usize,
}

impl<W: Write> WireLog<W> {
    /// Writes to `output`, lines of at most 160 characters. On a server that talks over stdio, that
    /// is stderr, never stdout.
    pub fn new(output: W) -> Self {
        WireLog { output: Mutex::new(output), name: String::new(), begun: Some(Instant::now()), width: 160 }
    }

    /// Begins every line with a name, of the side whose log this is, for instance.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = format!("{name} ");
        self
    }

    /// Sets the longest line, in characters.
    #[must_use]
    pub fn width(mut self, characters: usize) -> Self {
        self.width = characters;
        self
    }

    /// Leaves the time out.
    #[must_use]
    pub fn without_time(mut self) -> Self {
        self.begun = None;
        self
    }

    /// Gives the output back.
    pub fn into_inner(self) -> W {
        self.output.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send + 'static> Observer for WireLog<W> {
    fn observe(&self, event: &Event<'_>) {
        let mut line = self.name.clone();
        let time = self.begun.map(|begun| begun.elapsed().as_secs_f64());
        // Writing to a string cannot fail.
        let _ = match time {
            Some(time) => write!(line, "{time:10.6} {}", LogLine { event, width: self.width }),
            None => write!(line, "{}", LogLine { event, width: self.width }),
        };
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written must not stop the server.
        let _ = writeln!(output, "{}", cut(&line, self.width));
    }
}

/// One line, its control characters replaced, cut to a width.
fn cut(line: &str, width: usize) -> String {
    let mut shown: String =
        line.chars().take(width).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if line.chars().nth(width).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

/// An event as a line that is not cut yet, though of no text is more looked at than can be shown.
struct LogLine<'e> {
    event: &'e Event<'e>,
    width: usize,
}

impl LogLine<'_> {
    fn shown<'t>(&self, text: &'t [u8]) -> Cow<'t, str> {
        // No character has more than four bytes; one more shows that the text goes on.
        let most = self.width.saturating_add(1).saturating_mul(4);
        String::from_utf8_lossy(&text[..text.len().min(most)])
    }
}

impl fmt::Display for LogLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = String::new;
        let (what, id, text) = match self.event {
            Event::Received { kind, id, reason, text, .. } => {
                let what = match kind {
                    MessageKind::Request => "<- request",
                    MessageKind::Notification => "<- notification",
                    MessageKind::Response => "<- response",
                    MessageKind::Invalid => "<- invalid",
                    MessageKind::Unreadable => "<- unreadable",
                };
                let reason = reason.map_or_else(none, |reason| format!("({reason}) "));
                (what, id.map_or_else(none, ToString::to_string), format!("{reason}{}", self.shown(text)))
            }
            Event::Responded { id, text } => ("-> response", id.to_string(), self.shown(text).into_owned()),
            Event::NoResponse { method, error } => {
                let error = error.map_or_else(none, |error| format!(": {error}"));
                ("-- no response", none(), format!("{}{error}", method.unwrap_or("")))
            }
            Event::InternalFailure { method, id, cause, detail } => {
                let cause = match cause {
                    Cause::Panic => "panicked",
                    Cause::Error => "failed",
                    Cause::Result => "has a result that cannot be sent",
                };
                ("-- internal", id.map_or_else(none, ToString::to_string), format!("{method} {cause}: {detail}"))
            }
            Event::Sent { id, text } => {
                let what = if id.is_some() { "-> request" } else { "-> notification" };
                (what, id.map_or_else(none, |id| id.to_string()), self.shown(text).into_owned())
            }
            Event::Completed { id, text } => ("<- result", id.to_string(), self.shown(text).into_owned()),
            Event::Failed { id, failure, text } => {
                let reason = match failure {
                    Failure::Error(_) => none(),
                    Failure::Unreadable(error) => format!("({}) ", error.reason),
                };
                ("<- failure", id.to_string(), format!("{reason}{}", self.shown(text)))
            }
            Event::Discarded { reason, text } => ("<- discarded", none(), format!("({reason}) {}", self.shown(text))),
        };
        write!(f, "{what:<15} {id:<4} {text}")
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_line_is_one_line_of_a_width() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("äöüß", 3), "äö…");
        assert_eq!(cut("a\nb\tc", 9), "a b c");
    }
}
