//! A trait, an implementation and a client. Prints the messages on the wire.

use rpc_core::observe::WireLog;
use rpc_core::{CallError, ErrorObject, Server, rpc};

#[rpc(rename_all = "camelCase")]
trait Documents {
    /// Builds a file, with `force` even an unchanged one, and returns the number of pages.
    async fn build_file(&self, path: &str, force: Option<bool>) -> Result<u32, ErrorObject>;
    /// Returns the output of the last build of a file.
    async fn get_output(&self, path: &str) -> Option<String>;
    /// Notifies the builder that a file has changed.
    #[rpc(notification)]
    async fn file_changed(&self, path: &str);
}

struct Builder;

impl Documents for Builder {
    async fn build_file(&self, path: &str, _force: Option<bool>) -> Result<u32, ErrorObject> {
        if path.contains(".td") { Ok(3) } else { Err(ErrorObject::new(1, "not a document")) }
    }
    async fn get_output(&self, path: &str) -> Option<String> {
        path.strip_suffix(".td").map(|name| format!("{name}.pdf"))
    }
    async fn file_changed(&self, _path: &str) {}
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), CallError<ErrorObject>> {
    let log = WireLog::new(std::io::stdout()).without_time();
    let documents = DocumentsClient::new(Server::new(DocumentsService::new(Builder)).observer(log).caller());
    documents.file_changed("alice.td").await?;
    let pages = documents.build_file("alice.td", None).await?;
    println!("{pages} pages in {:?}", documents.get_output("alice.td").await?);
    let refused = documents.build_file("alice.txt", Some(true)).await;
    println!("refused: {}", refused.expect_err("the builder refuses all but .td files"));
    Ok(())
}
