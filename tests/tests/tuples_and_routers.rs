//! Several services as one: tuples of every size, routers, and both nested.

use rpc_core::server::{RawCall, Router, Service};
use rpc_core::{ErrorObject, Server, rpc};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::{Arc, Mutex};
use tests::check::{check, error, result};

struct Me;

macro_rules! services {
    ($($name:ident $namespace:tt)*) => {$(
        #[rpc(namespace = $namespace)]
        trait $name {
            async fn name(&self, twice: Option<bool>) -> String;
        }
        impl $name for Me {
            async fn name(&self, twice: Option<bool>) -> String {
                $namespace.repeat(if twice == Some(true) { 2 } else { 1 })
            }
        }
    )*};
}
services! { A "a" B "b" C "c" D "d" E "e" F "f" G "g" H "h" I "i" }

fn call(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#)
}

/// Checks that a service serves exactly the first `count` of the services above.
fn check_serves<S: Service>(service: S, count: usize) {
    let mut methods = vec![];
    service.for_each_method(&mut |method| methods.push(method.name().to_owned()));
    methods.sort();
    let server = Server::new(service);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    for (index, name) in names.into_iter().enumerate() {
        let method = format!("{name}.name");
        assert_eq!(methods.contains(&method), index < count, "{method}");
        if index < count {
            check(&server, call(&method), &result(&format!(r#""{name}""#), "1"));
            let twice = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"twice":true}},"id":1}}"#);
            check(&server, twice, &result(&format!(r#""{name}{name}""#), "1"));
            check(
                &server,
                format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":[1],"id":1}}"#),
                &error(-32602, "1"),
            );
        } else {
            check(&server, call(&method), &error(-32601, "1"));
        }
    }
    assert_eq!(methods.len(), count);
}

#[test]
fn tuples_of_every_size_serve_all_their_members() {
    let (one, two, three, four) = (AService::new(Me), BService::new(Me), CService::new(Me), DService::new(Me));
    let (five, six, seven, eight) = (EService::new(Me), FService::new(Me), GService::new(Me), HService::new(Me));
    check_serves(one.clone(), 1);
    check_serves((one.clone(),), 1);
    check_serves((one.clone(), two.clone()), 2);
    check_serves((three.clone(), one.clone(), two.clone()), 3);
    check_serves((one.clone(), two.clone(), three.clone(), four.clone()), 4);
    check_serves((one.clone(), two.clone(), three.clone(), four.clone(), five.clone()), 5);
    check_serves((six.clone(), five.clone(), four.clone(), three.clone(), two.clone(), one.clone()), 6);
    check_serves((one.clone(), two.clone(), three.clone(), four.clone(), five.clone(), six.clone(), seven.clone()), 7);
    check_serves((one, two, three, four, five, six, seven, eight), 8);
}

#[test]
fn tuples_nest() {
    let (a, b, c) = (AService::new(Me), BService::new(Me), CService::new(Me));
    check_serves(((a.clone(), b.clone()), c.clone()), 3);
    check_serves((a.clone(), ((b.clone(),), c.clone())), 3);
    let six = ((a, b, c), (DService::new(Me), EService::new(Me), FService::new(Me)));
    check_serves((six, (GService::new(Me), (HService::new(Me), IService::new(Me)))), 9);
}

#[test]
fn a_router_serves_services_and_tuples() {
    let router = Router::builder().service(BService::new(Me)).service((AService::new(Me), CService::new(Me)));
    check_serves(router.build().expect("no duplicate name"), 3);
    let inner = Router::builder().service(AService::new(Me)).build().expect("no duplicate name");
    let outer = Router::builder().service(inner).service(BService::new(Me)).build().expect("no duplicate name");
    check_serves((outer, CService::new(Me)), 3);
}

#[test]
fn a_batch_may_call_several_services() {
    let router = Router::builder().service(BService::new(Me)).build().expect("no duplicate name");
    let server = Server::new((AService::new(Me), router));
    let batch = format!("[{},{},{}]", call("b.name"), call("a.name"), call("c.name"));
    let expected = format!("[{},{},{}]", result(r#""b""#, "1"), result(r#""a""#, "1"), error(-32601, "1"));
    check(&server, batch, &expected);
}

/// Returns the method, the params and whether the call is a notification.
async fn echo_call(call: RawCall) -> Result<(String, Option<Box<RawValue>>, bool), ErrorObject> {
    Ok((call.method, call.params, call.is_notification))
}

#[test]
fn a_raw_method_gets_its_params_unchanged() {
    let router = Router::builder().method("raw", echo_call).method("a/b", echo_call).build();
    let server = Server::new(router.expect("no duplicate name"));
    for (params, received) in [
        ("", "null"),
        (r#","params":null"#, "null"),
        (r#","params":[ 1.0 ]"#, "[ 1.0 ]"),
        (r#","params":{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#),
    ] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"raw"{params},"id":1}}"#);
        check(&server, request, &result(&format!(r#"["raw",{received},false]"#), "1"));
    }
    check(&server, r#"{"jsonrpc":"2.0","method":"raw","params":1,"id":1}"#, &error(-32600, "1"));
    check(&server, call("other"), &error(-32601, "1"));
    for method in [r"\u0072aw", r"r\u0061w"] {
        check(&server, call(method), &result(r#"["raw",null,false]"#, "1"));
    }
    check(&server, call(r"a\/b"), &result(r#"["a/b",null,false]"#, "1"));
}

#[test]
fn a_raw_method_may_return_an_error() {
    let router = Router::builder()
        .method("refuse", async |_| Err::<(), _>(ErrorObject::new(7, "no").with_data(&[1])))
        .method("decode", async |call: RawCall| call.decode::<(i64, i64)>().map(|(a, b)| a + b))
        .method("list", async |call: RawCall| call.decode::<Vec<u8>>())
        .method("optional", async |call: RawCall| call.decode::<Option<Vec<u8>>>())
        .method("borrowed", async |call: RawCall| call.decode::<(&str, u8)>().map(|(text, _)| text.len()))
        .build();
    let server = Server::new(router.expect("no duplicate name"));
    let params =
        |method: &str, params: &str| format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
    check(&server, call("refuse"), r#"{"jsonrpc":"2.0","error":{"code":7,"message":"no","data":[1]},"id":1}"#);
    check(&server, params("decode", "[1,2]"), &result("3", "1"));
    for bad in ["[1]", "[1,2,3]", r#"["a",2]"#, r#"{"a":1,"b":2}"#] {
        check(&server, params("decode", bad), &error(-32602, "1"));
    }
    check(&server, call("decode"), &error(-32602, "1"));
    check(&server, call("list"), &result("[]", "1"));
    check(&server, params("list", "[1]"), &result("[1]", "1"));
    check(&server, call("optional"), &result("null", "1"));
    check(&server, params("borrowed", r#"["abc",1]"#), &result("3", "1"));
}

#[test]
fn a_fallback_gets_the_calls_that_no_service_takes() {
    let seen = Arc::new(Mutex::new(vec![]));
    let list = seen.clone();
    let router = Router::builder()
        .fallback(echo_call)
        .service(AService::new(Me))
        .method("raw", async |_| Ok::<_, ErrorObject>(1))
        // The last fallback applies.
        .fallback(move |call: RawCall| {
            list.lock().expect("not poisoned").push(format!("{} {}", call.method, call.is_notification));
            echo_call(call)
        })
        .build();
    let server = Server::new((BService::new(Me), router.expect("no duplicate name")));
    check(&server, call("a.name"), &result(r#""a""#, "1"));
    check(&server, call("b.name"), &result(r#""b""#, "1"));
    check(&server, call("raw"), &result("1", "1"));
    assert_eq!(seen.lock().expect("not poisoned").len(), 0);
    check(&server, call("c.name"), &result(r#"["c.name",null,false]"#, "1"));
    check(&server, call(r"\u0063.name"), &result(r#"["c.name",null,false]"#, "1"));
    check(&server, call(""), &result(r#"["",null,false]"#, "1"));
    check(&server, r#"{"jsonrpc":"2.0","method":"changed","params":[1]}"#, "");
    check(&server, r#"[{"jsonrpc":"2.0","method":"stop"}]"#, "");
    check(&server, r#"{"jsonrpc":"2.0","method":1}"#, &error(-32600, "null"));
    let expected = ["c.name false", "c.name false", " false", "changed true", "stop true"];
    assert_eq!(*seen.lock().expect("not poisoned"), expected);
}

#[test]
fn a_router_refuses_duplicate_method_names() {
    let builder = || Router::builder().service(AService::new(Me));
    let error = builder().method("a.name", echo_call).build().expect_err("a duplicate name");
    assert_eq!((error.name(), error.to_string().as_str()), ("a.name", "the method `a.name` is served twice"));
    assert_eq!(builder().service((BService::new(Me), AService::new(Me))).build().map(drop), Err(error));
    let twice = Router::builder().method("x", echo_call).method("x", echo_call).build().expect_err("a duplicate name");
    assert_eq!(twice.name(), "x");
    assert!(
        builder()
            .method("a.Name", echo_call)
            .method("a", echo_call)
            .fallback(echo_call)
            .fallback(echo_call)
            .build()
            .is_ok()
    );
}

#[test]
fn a_raw_call_decodes_its_params() {
    let call = |params: Option<&Value>| RawCall {
        method: "m".into(),
        params: params.map(|params| to_raw_value(params).expect("JSON")),
        is_notification: false,
    };
    let list = Value::from(vec![1, 2]);
    assert_eq!(call(Some(&list)).decode::<[u8; 2]>(), Ok([1, 2]));
    assert_eq!(call(Some(&list)).decode::<Value>(), Ok(list));
    assert_eq!(call(None).decode::<Vec<u8>>(), Ok(vec![]));
    assert_eq!(call(None).decode::<Option<Vec<u8>>>(), Ok(None));
    assert_eq!(call(None).decode::<Value>(), Ok(Value::Object(serde_json::Map::new())));
    assert_eq!(call(None).decode::<String>().map_err(|error| error.code), Err(ErrorObject::INVALID_PARAMS));
}
