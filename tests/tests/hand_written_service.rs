//! A `Service` without the attribute: its `decode` refuses params with `BadParams`.

use rpc_core::server::Service;
use rpc_core::server::{BadParams, MethodInfo, MethodNames, Middleware, Next, Responded, Responder, Router};
use rpc_core::{ErrorObject, Server};
use tests::check::{check, error, result};

/// One method, `divide`, with two integers by position.
struct Divider {
    info: MethodInfo,
}

impl Divider {
    fn new() -> Self {
        Divider { info: MethodInfo::new("divide", &["dividend", "divisor"]) }
    }
}

impl Service for Divider {
    type Method = ();
    type Call<'de> = (i64, i64);
    const NAMES: MethodNames = MethodNames::new(&["divide"]);

    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
        each(&self.info);
    }

    fn find(&self, name: &str) -> Option<()> {
        (name == "divide").then_some(())
    }

    fn info(&self, (): ()) -> &MethodInfo {
        &self.info
    }

    fn decode<'de>(&'de self, (): (), params: &'de str, call: &mut Option<(i64, i64)>) -> Result<usize, BadParams> {
        let mut values = serde_json::Deserializer::from_str(params).into_iter::<Vec<i64>>();
        match values.next().transpose().map_err(|_| BadParams::new("expected an array of two integers"))?.as_deref() {
            Some([_, 0]) => Err(BadParams::for_param("divisor", 1, "must not be zero")),
            Some([dividend, divisor]) => {
                *call = Some((*dividend, *divisor));
                Ok(values.byte_offset())
            }
            Some(values) => Err(BadParams::new(format_args!("expected 2 integers, found {}", values.len()))),
            None => Err(BadParams::new("the params are missing")),
        }
    }

    async fn run<'a>(&'a self, (dividend, divisor): (i64, i64), responder: Responder<'a>) -> Responded {
        responder.value(&(dividend / divisor))
    }
}

/// Runs every call.
struct Through;

impl Middleware for Through {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        next.run().await
    }
}

fn request(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"divide","params":{params},"id":1}}"#)
}

fn refused(data: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32602,"message":"Invalid params","data":{data}}},"id":1}}"#)
}

fn check_refusals<S: Service>(server: &Server<S>) {
    check(server, request("[7,2]"), &result("3", "1"));
    let zero = r#"{"param":"divisor","position":1,"reason":"must not be zero"}"#;
    for (params, data) in [
        ("[7,0]", zero),
        ("[7]", r#"{"reason":"expected 2 integers, found 1"}"#),
        (r#"{"dividend":7}"#, r#"{"reason":"expected an array of two integers"}"#),
    ] {
        assert_eq!(server.handle_blocking(request(params)), Some(refused(data)), "{params}");
    }
    let batch = format!("[{},{}]", request("[7,0]"), request("[6,2]"));
    assert_eq!(server.handle_blocking(batch), Some(format!("[{},{}]", refused(zero), result("3", "1"))));
}

#[test]
fn a_hand_written_service_refuses_params_on_every_path() {
    check_refusals(&Server::new(Divider::new()));
    check_refusals(&Server::new(Divider::new()).observer(std::sync::Arc::new(|_: &rpc_core::observe::Event<'_>| {})));
    check_refusals(&Server::new(Divider::new().layer(Through)));
    let router = Router::builder().service(Divider::new()).build().expect("one service has no duplicates");
    check_refusals(&Server::new(router));
}

#[test]
fn a_refused_notification_gets_no_response() {
    let server = Server::new(Divider::new());
    check(&server, r#"{"jsonrpc":"2.0","method":"divide","params":[7,0]}"#, "");
}

/// A message that ends inside its params is not JSON, whatever the service makes of the params.
#[test]
fn a_message_cut_off_inside_its_params_is_a_parse_error() {
    let server = Server::new(Divider::new());
    check(&server, r#"{"jsonrpc":"2.0","method":"divide","id":1,"params":[7"#, &error(-32700, "null"));
}

#[test]
fn bad_params_convert_into_the_error_object() {
    let name = String::from("later");
    let error = ErrorObject::from(BadParams::for_param(name, 3, "too late"));
    let data = serde_json::json!({"param": "later", "position": 3, "reason": "too late"});
    assert_eq!(error, ErrorObject::new(-32602, "Invalid params").with_data(&data));
    let long = "x".repeat(1_000);
    let error = ErrorObject::from(BadParams::new(&long));
    assert_eq!(error.data.map(|data| data.get().to_owned()), Some(format!(r#"{{"reason":"{long}"}}"#)));
}
