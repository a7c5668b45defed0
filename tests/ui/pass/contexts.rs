//! A context at each position among the parameters. It is not on the wire.

use rpc_core::{Context, ErrorObject, Server, rpc};

#[rpc]
trait Known {
    async fn first(&self, #[rpc(context)] context: &Context<'_>, a: u8) -> String;
    async fn last(&self, a: u8, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;
    async fn after_a_removed_one(&self, #[cfg(any())] removed: u8, #[rpc(context)] context: &Context<'_>, a: u8) -> String;
    fn only(&self, #[rpc(context)] context: &Context<'_>) -> String;
    async fn flat(&self, #[rpc(context)] context: &Context<'_>, #[rpc(flatten)] all: Vec<u8>) -> String;
}

fn describe(context: &Context<'_>, rest: impl std::fmt::Debug) -> String {
    format!("{} {:?} {rest:?}", context.method(), context.id().map(|id| id.as_token().to_owned()))
}

struct Mine;
impl Known for Mine {
    async fn first(&self, context: &Context<'_>, a: u8) -> String {
        describe(context, a)
    }
    async fn last(&self, a: u8, context: &Context<'_>) -> Result<String, ErrorObject> {
        Ok(describe(context, a))
    }
    async fn after_a_removed_one(&self, context: &Context<'_>, a: u8) -> String {
        describe(context, a)
    }
    fn only(&self, context: &Context<'_>) -> String {
        describe(context, ())
    }
    async fn flat(&self, context: &Context<'_>, all: Vec<u8>) -> String {
        describe(context, all)
    }
}

fn main() {
    let known = KnownClient::new(Server::new(KnownService::new(Mine)).caller());
    assert_eq!(rpc_core::block_on(known.first(1)).unwrap(), r#"first Some("1") 1"#);
    assert_eq!(rpc_core::block_on(known.last(2)).unwrap(), r#"last Some("2") 2"#);
    assert_eq!(rpc_core::block_on(known.only()).unwrap(), r#"only Some("3") ()"#);
    let after = rpc_core::block_on(known.after_a_removed_one(9)).unwrap();
    assert_eq!(after, r#"after_a_removed_one Some("4") 9"#);
    assert_eq!(rpc_core::block_on(known.flat(vec![1, 2])).unwrap(), r#"flat Some("5") [1, 2]"#);
}
