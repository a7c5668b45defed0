//! Wire names: `name`, `namespace` and `separator`.

use rpc_core::rpc;
use rpc_core::server::Service;

#[rpc]
trait Plain {
    fn add_all(&self);
    #[rpc(name = "größe \"1\"\n")]
    fn size(&self);
    #[rpc(name = "rpc")]
    fn rpc(&self);
    #[rpc(name = "rpcx.y")]
    fn nearly_reserved(&self);
    #[rpc(name = r"a\b")]
    fn backslash(&self);
}

#[rpc(namespace = "calc")]
trait Below {
    fn add_all(&self);
    #[rpc(name = "sum")]
    fn plus(&self);
}

#[rpc(namespace = "textDocument", separator = "/", rename_all = "camelCase")]
trait Document {
    fn did_open(&self);
    #[rpc(name = "$as_it_is")]
    fn renamed(&self);
}

#[rpc(namespace = "rpc", separator = "/")]
trait Slash {
    fn discover(&self);
}

#[rpc(namespace = "eth", separator = "")]
trait Together {
    fn call(&self);
}

#[rpc()]
#[rustfmt::skip]
trait Parentheses {
    #[rpc()]
    fn no_options(&self);
    #[rpc(name = "comma",)]
    fn trailing_comma(&self);
}

struct Me;

impl Plain for Me {
    fn add_all(&self) {}
    fn size(&self) {}
    fn rpc(&self) {}
    fn nearly_reserved(&self) {}
    fn backslash(&self) {}
}
impl Below for Me {
    fn add_all(&self) {}
    fn plus(&self) {}
}
impl Document for Me {
    fn did_open(&self) {}
    fn renamed(&self) {}
}
impl Slash for Me {
    fn discover(&self) {}
}
impl Together for Me {
    fn call(&self) {}
}
impl Parentheses for Me {
    fn no_options(&self) {}
    fn trailing_comma(&self) {}
}

fn names(service: &impl Service) -> Vec<String> {
    let mut names = vec![];
    service.for_each_method(&mut |method| names.push(method.name().to_owned()));
    names
}

fn main() {
    let plain = rpc_core::Server::new(PlainService::new(Me));
    let names_of_plain = names(&PlainService::new(Me));
    assert_eq!(names_of_plain, ["add_all", "größe \"1\"\n", "rpc", "rpcx.y", r"a\b"]);
    for name in names_of_plain {
        let name = serde_json::to_string(&name).unwrap();
        let request = format!(r#"{{"jsonrpc":"2.0","method":{name},"id":1}}"#);
        assert_eq!(plain.handle_blocking(&*request).unwrap(), r#"{"jsonrpc":"2.0","result":null,"id":1}"#);
    }
    let client = PlainClient::new(plain.caller());
    rpc_core::block_on(client.size()).unwrap();
    rpc_core::block_on(client.backslash()).unwrap();

    assert_eq!(names(&BelowService::new(Me)), ["calc.add_all", "calc.sum"]);
    assert_eq!(names(&DocumentService::new(Me)), ["textDocument/didOpen", "textDocument/$as_it_is"]);
    assert_eq!(names(&SlashService::new(Me)), ["rpc/discover"]);
    assert_eq!(names(&TogetherService::new(Me)), ["ethcall"]);
    assert_eq!(names(&ParenthesesService::new(Me)), ["no_options", "comma"]);
}
