//! The whole of it: a trait, an implementation, a client. Prints the JSON that crosses.

use rpc_core::client::{BoxFuture, Outgoing};
use rpc_core::{CallError, Caller, ErrorObject, Id, Server, rpc};
use std::sync::atomic::{AtomicU64, Ordering};

#[rpc(rename_all = "camelCase")]
trait Documents {
    /// Builds a file, even an unchanged one if `force` says so, and gives the number of pages.
    async fn build_file(&self, path: &str, force: Option<bool>) -> Result<u32, ErrorObject>;
    /// What the last build of a file made, if there was one.
    async fn get_output(&self, path: &str) -> Option<String>;
    /// Says that a file has changed. Nobody answers.
    #[rpc(notification)]
    async fn file_changed(&self, path: &str);
}

struct Builder;

impl Documents for Builder {
    async fn build_file(&self, path: &str, force: Option<bool>) -> Result<u32, ErrorObject> {
        if !path.contains(".td") {
            return Err(ErrorObject::new(1, "no document"));
        }
        Ok(3 + u32::from(force == Some(true)))
    }
    async fn get_output(&self, path: &str) -> Option<String> {
        path.strip_suffix(".td").map(|name| format!("{name}.pdf"))
    }
    async fn file_changed(&self, _path: &str) {}
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), CallError<ErrorObject>> {
    let server = Server::new(DocumentsService::new(Builder));
    let documents = DocumentsClient::new(Shown { server, next: AtomicU64::new(1) });

    documents.file_changed("alice.td").await.map_err(CallError::widen)?;
    let pages = documents.build_file("alice.td", None).await?;
    let output = documents.get_output("alice.td").await.map_err(CallError::widen)?;
    println!("{pages} pages in {output:?}");

    match documents.build_file("alice.txt", Some(true)).await {
        Err(CallError::Method(error)) => println!("refused: {error}"),
        other => println!("surprise: {other:?}"),
    }
    Ok(())
}

/// A caller that asks a server in this process, and shows what crosses.
struct Shown<S: rpc_core::Service> {
    server: Server<S>,
    next: AtomicU64,
}

impl<S: rpc_core::Service> Caller for Shown<S> {
    type ResponseFuture = BoxFuture<Result<String, CallError>>;
    type SendFuture = BoxFuture<Result<(), CallError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        let request = outgoing.into_request(&Id::from(self.next.fetch_add(1, Ordering::Relaxed)));
        let server = self.server.clone();
        Box::pin(async move {
            println!("--> {request}");
            let response = server.handle(request).await.ok_or(CallError::Closed("no answer".into()))?;
            println!("<-- {response}");
            Ok(response)
        })
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let notification = outgoing.into_notification();
        let server = self.server.clone();
        Box::pin(async move {
            println!("--> {notification}");
            server.handle(notification).await;
            Ok(())
        })
    }
}
