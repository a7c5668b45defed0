//! Ends of any transport as one type.

use rpc_core::transport::{AnyFraming, Framing, Messages, Progress, Sink, Source};
use std::io;
use std::pin::Pin;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub(crate) trait AnySource: Send {
    fn next<'a>(&'a mut self, message: &'a mut Vec<u8>, limit: usize) -> Boxed<'a, io::Result<bool>>;
}

pub(crate) trait AnySink: Send {
    fn give<'a>(&'a mut self, messages: &'a Messages) -> Boxed<'a, io::Result<()>>;
    fn end(&mut self) -> Boxed<'_, ()>;
}

impl<R: Source> AnySource for R {
    fn next<'a>(&'a mut self, message: &'a mut Vec<u8>, limit: usize) -> Boxed<'a, io::Result<bool>> {
        Box::pin(self.receive(message, limit))
    }
}

impl<W: Sink> AnySink for W {
    fn give<'a>(&'a mut self, messages: &'a Messages) -> Boxed<'a, io::Result<()>> {
        Box::pin(self.send(messages))
    }
    fn end(&mut self) -> Boxed<'_, ()> {
        Box::pin(self.close())
    }
}

/// The source of any transport.
pub(crate) struct From(Box<dyn AnySource>);

/// The sink of any transport.
pub(crate) struct To(Box<dyn AnySink>);

impl Source for From {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        self.0.next(message, limit).await
    }
}

impl Sink for To {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        self.0.give(messages).await
    }
    async fn close(&mut self) {
        self.0.end().await;
    }
}

pub(crate) type Ends = (From, To);

pub(crate) fn any((source, sink): (impl Source, impl Sink)) -> Ends {
    (From(Box::new(source)), To(Box::new(sink)))
}

/// A framing, or none: bytes as they are.
#[derive(Clone)]
pub(crate) enum Wire {
    Framed(AnyFraming),
    Bytes,
}

impl Framing for Wire {
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
        match self {
            Wire::Framed(framing) => framing.decode(input, message, limit),
            Wire::Bytes => {
                message.extend_from_slice(input);
                Ok(Progress { taken: input.len(), is_whole: true })
            }
        }
    }
    fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        match self {
            Wire::Framed(framing) => framing.finish(message),
            Wire::Bytes => Ok(false),
        }
    }
    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        match self {
            Wire::Framed(framing) => framing.encode(message, out),
            Wire::Bytes => out.extend_from_slice(message),
        }
    }
}

/// A bare end that says and hears messages, or every byte.
pub(crate) struct Raw {
    source: From,
    /// Until it is closed.
    sink: Option<To>,
    /// None where the transport has messages by itself.
    framing: Option<AnyFraming>,
    unread: Vec<u8>,
}

impl Raw {
    pub(crate) fn of((source, sink): Ends, framing: Option<AnyFraming>) -> Self {
        Raw { source, sink: Some(sink), framing, unread: vec![] }
    }

    /// Sends messages as one write.
    pub(crate) async fn send(&mut self, messages: &[impl AsRef<str>]) {
        let mut all = Messages::new();
        let mut bytes = vec![];
        for message in messages {
            match &self.framing {
                Some(framing) => framing.encode(message.as_ref().as_bytes(), &mut bytes),
                None => all.push(message.as_ref().as_bytes()),
            }
        }
        if self.framing.is_some() {
            all.push(&bytes);
        }
        self.give(&all).await;
    }

    async fn give(&mut self, all: &Messages) {
        self.sink.as_mut().expect("it is open").send(all).await.expect("it is read");
    }

    /// Writes bytes as they are.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let mut all = Messages::new();
        all.push(bytes.as_ref());
        self.give(&all).await;
    }

    /// The next message, if there is one.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let mut message = vec![];
        loop {
            if let Some(framing) = &mut self.framing {
                let progress = framing.decode(&self.unread, &mut message, usize::MAX).expect("it is well framed");
                self.unread.drain(..progress.taken);
                if progress.is_whole {
                    return Some(String::from_utf8(message).expect("JSON is UTF-8"));
                }
            }
            let mut piece = vec![];
            // A transport that broke has ended, too.
            if !self.source.receive(&mut piece, usize::MAX).await.unwrap_or(false) {
                return None;
            }
            if self.framing.is_none() {
                return Some(String::from_utf8(piece).expect("JSON is UTF-8"));
            }
            self.unread.append(&mut piece);
        }
    }

    /// Reads a few bytes and leaves the rest.
    pub(crate) async fn begin_to_read(&mut self) {
        assert!(self.source.receive(&mut self.unread, usize::MAX).await.expect("it reads"));
    }

    /// Says that nothing more comes, and reads on.
    pub(crate) async fn close(&mut self) {
        if let Some(mut sink) = self.sink.take() {
            sink.close().await;
        }
    }
}
