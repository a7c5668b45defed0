//! Any transport as one type.

use rpc_core::transport::{AnyFraming, Framing, Messages, Progress, Sink, Source};
use std::io;
use std::pin::Pin;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub(crate) trait DynSource: Send {
    fn receive_boxed<'a>(&'a mut self, message: &'a mut Vec<u8>, limit: usize) -> Boxed<'a, io::Result<bool>>;
}

pub(crate) trait DynSink: Send {
    fn send_boxed<'a>(&'a mut self, messages: &'a Messages) -> Boxed<'a, io::Result<()>>;
    fn close_boxed(&mut self) -> Boxed<'_, ()>;
}

impl<R: Source> DynSource for R {
    fn receive_boxed<'a>(&'a mut self, message: &'a mut Vec<u8>, limit: usize) -> Boxed<'a, io::Result<bool>> {
        Box::pin(self.receive(message, limit))
    }
}

impl<W: Sink> DynSink for W {
    fn send_boxed<'a>(&'a mut self, messages: &'a Messages) -> Boxed<'a, io::Result<()>> {
        Box::pin(self.send(messages))
    }
    fn close_boxed(&mut self) -> Boxed<'_, ()> {
        Box::pin(self.close())
    }
}

pub(crate) struct AnySource(Box<dyn DynSource>);

pub(crate) struct AnySink(Box<dyn DynSink>);

impl Source for AnySource {
    async fn receive(&mut self, message: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        self.0.receive_boxed(message, limit).await
    }
}

impl Sink for AnySink {
    async fn send(&mut self, messages: &Messages) -> io::Result<()> {
        self.0.send_boxed(messages).await
    }
    async fn close(&mut self) {
        self.0.close_boxed().await;
    }
}

pub(crate) type AnyTransport = (AnySource, AnySink);

pub(crate) fn any((source, sink): (impl Source, impl Sink)) -> AnyTransport {
    (AnySource(Box::new(source)), AnySink(Box::new(sink)))
}

/// A framing, or bytes that are passed on as they are.
#[derive(Clone)]
pub(crate) enum MaybeFraming {
    Framed(AnyFraming),
    Unframed,
}

impl Framing for MaybeFraming {
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
        match self {
            MaybeFraming::Framed(framing) => framing.decode(input, message, limit),
            MaybeFraming::Unframed => {
                message.extend_from_slice(input);
                Ok(Progress { taken: input.len(), is_whole: true })
            }
        }
    }
    fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        match self {
            MaybeFraming::Framed(framing) => framing.finish(message),
            MaybeFraming::Unframed => Ok(false),
        }
    }
    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        match self {
            MaybeFraming::Framed(framing) => framing.encode(message, out),
            MaybeFraming::Unframed => out.extend_from_slice(message),
        }
    }
}

/// A peer without a connection: it writes and reads messages and raw bytes.
pub(crate) struct RawPeer {
    source: AnySource,
    /// `None` after `close`.
    sink: Option<AnySink>,
    /// `None` if the transport itself delimits messages.
    framing: Option<AnyFraming>,
    unread: Vec<u8>,
}

impl RawPeer {
    pub(crate) fn new((source, sink): AnyTransport, framing: Option<AnyFraming>) -> Self {
        RawPeer { source, sink: Some(sink), framing, unread: vec![] }
    }

    /// Sends messages, in one write.
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
        self.send_all(&all).await;
    }

    async fn send_all(&mut self, messages: &Messages) {
        self.sink.as_mut().expect("not closed").send(messages).await.expect("the write succeeds");
    }

    /// Writes bytes without framing.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let mut all = Messages::new();
        all.push(bytes.as_ref());
        self.send_all(&all).await;
    }

    /// Reads the next message; `None` at the end of the input and after an error.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let mut message = vec![];
        loop {
            if let Some(framing) = &mut self.framing {
                let progress = framing.decode(&self.unread, &mut message, usize::MAX).expect("a valid frame");
                self.unread.drain(..progress.taken);
                if progress.is_whole {
                    return Some(String::from_utf8(message).expect("JSON is UTF-8"));
                }
            }
            let mut piece = vec![];
            if !self.source.receive(&mut piece, usize::MAX).await.unwrap_or(false) {
                return None;
            }
            if self.framing.is_none() {
                return Some(String::from_utf8(piece).expect("JSON is UTF-8"));
            }
            self.unread.append(&mut piece);
        }
    }

    /// Reads the first bytes of the input.
    pub(crate) async fn begin_to_read(&mut self) {
        assert!(self.source.receive(&mut self.unread, usize::MAX).await.expect("the read succeeds"));
    }

    /// Closes the output. The input stays open.
    pub(crate) async fn close(&mut self) {
        if let Some(mut sink) = self.sink.take() {
            sink.close().await;
        }
    }
}
