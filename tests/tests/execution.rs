//! Execution of the members of a batch: they start in order, run concurrently, and each gets one response, in order.

use rpc_core::{ErrorObject, Server, rpc};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use tests::check::{check, error, result};
use tests::task::{Gate, Task, yield_now};

#[rpc]
trait Gated {
    /// Records its start, waits for one gate, opens another and records its end.
    async fn step(&self, n: usize, wait: Option<usize>, open: Option<usize>) -> usize;
    /// Wakes itself until a gate is open.
    async fn spin(&self, until: usize) -> bool;
    /// Yields `times` times, then opens a gate.
    async fn amble(&self, times: usize, open: usize);
    async fn refuse(&self, wait: Option<usize>) -> Result<(), ErrorObject>;
}

#[derive(Default)]
struct Gates {
    gate: [Gate; 8],
    started: Mutex<Vec<usize>>,
    ended: Mutex<Vec<usize>>,
}

fn take(list: &Mutex<Vec<usize>>) -> Vec<usize> {
    std::mem::take(&mut *list.lock().expect("not poisoned"))
}

impl Gates {
    async fn wait(&self, gate: Option<usize>) {
        if let Some(gate) = gate {
            self.gate[gate].passed().await;
        }
    }
}

impl Gated for Gates {
    async fn step(&self, n: usize, wait: Option<usize>, open: Option<usize>) -> usize {
        self.started.lock().expect("not poisoned").push(n);
        self.wait(wait).await;
        if let Some(open) = open {
            self.gate[open].open();
        }
        self.ended.lock().expect("not poisoned").push(n);
        n
    }
    async fn spin(&self, until: usize) -> bool {
        for _ in 0..1000 {
            let mut passed = Task::new(self.gate[until].passed());
            if passed.step().is_ready() {
                return true;
            }
            yield_now().await;
        }
        false
    }
    async fn amble(&self, times: usize, open: usize) {
        for _ in 0..times {
            yield_now().await;
        }
        self.gate[open].open();
    }
    async fn refuse(&self, wait: Option<usize>) -> Result<(), ErrorObject> {
        self.wait(wait).await;
        Err(ErrorObject::new(7, "no").with_data(&[1]))
    }
}

fn server() -> (Server<GatedService<Gates>>, Arc<Gates>) {
    let gates = Arc::new(Gates::default());
    (Server::new(GatedService::from(gates.clone())), gates)
}

fn call(method: &str, params: &str, id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":{id}}}"#)
}

fn batch(members: &[String]) -> String {
    format!("[{}]", members.join(","))
}

/// Returns the responses to steps whose number is their id.
fn steps(ids: impl IntoIterator<Item = usize>) -> String {
    let responses: Vec<_> = ids.into_iter().map(|id| result(&id.to_string(), &id.to_string())).collect();
    batch(&responses)
}

#[test]
fn batch_members_start_in_order_run_concurrently_and_are_answered_in_order() {
    let (server, gates) = server();
    // The first member waits for the second, and the second for the third.
    let request = [call("step", "[1,0]", 1), call("step", "[2,1,0]", 2), call("step", "[3,null,1]", 3)];
    check(&server, batch(&request), &steps(1..=3));
    assert_eq!(take(&gates.started), [1, 2, 3]);
    assert_eq!(take(&gates.ended), [3, 2, 1]);
}

#[test]
fn members_that_finish_in_any_order_are_answered_in_the_order_of_the_batch() {
    for order in permutations(4) {
        let (server, gates) = server();
        // Every second member waits.
        let request: Vec<_> = (0..8)
            .map(|n| {
                if n % 2 == 0 {
                    call("step", &format!("[{n},{}]", n / 2), n)
                } else {
                    call("step", &format!("[{n}]"), n)
                }
            })
            .collect();
        let request = batch(&request);
        let mut task = Task::new(server.handle(&request));
        assert!(task.run().is_pending());
        assert_eq!(take(&gates.started), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(take(&gates.ended), [1, 3, 5, 7]);
        for (index, gate) in order.iter().enumerate() {
            gates.gate[*gate].open();
            let poll = task.run();
            assert_eq!(take(&gates.ended), [2 * gate]);
            assert_eq!(poll, if index < 3 { Poll::Pending } else { Poll::Ready(Some(steps(0..8))) }, "{order:?}");
        }
    }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![vec![]] };
    let shorter = permutations(last);
    let longer = shorter.iter().flat_map(|shorter| {
        (0..count).map(|index| {
            let mut order = shorter.clone();
            order.insert(index, last);
            order
        })
    });
    longer.collect()
}

#[test]
fn all_members_that_are_woken_at_once_are_answered() {
    let (server, gates) = server();
    let request: Vec<_> = (0..100).map(|n| call("step", &format!("[{n},0]"), n)).collect();
    let request = batch(&request);
    let mut task = Task::new(server.handle(&request));
    assert!(task.run().is_pending());
    gates.gate[0].open();
    assert_eq!(task.run(), Poll::Ready(Some(steps(0..100))));
}

#[test]
fn notifications_and_invalid_members_do_not_shift_the_responses_of_waiting_members() {
    let (server, gates) = server();
    let note = r#"{"jsonrpc":"2.0","method":"step","params":[9,1]}"#.to_owned();
    let request = [call("step", "[1,0]", 1), note, "1".to_owned(), call("nope", "[]", 3), call("refuse", "[0]", 4)];
    let request = batch(&request);
    let mut task = Task::new(server.handle(&request));
    assert!(task.run().is_pending());
    gates.gate[1].open();
    assert!(task.run().is_pending());
    assert_eq!(take(&gates.ended), [9]);
    gates.gate[0].open();
    let Poll::Ready(Some(response)) = task.run() else { panic!("no response") };
    let expected = batch(&[result("1", "1"), error(-32600, "null"), error(-32601, "3"), error(7, "4")]);
    assert!(tests::check::is_same(&expected, &response), "{response}");
}

#[test]
fn two_requests_with_the_same_id_both_get_a_response() {
    let (server, _) = server();
    check(
        &server,
        batch(&[call("step", "[1,0]", 7), call("step", "[2,null,0]", 7)]),
        &batch(&[result("1", "7"), result("2", "7")]),
    );
}

#[test]
fn a_handler_that_wakes_itself_does_not_starve_the_others() {
    for index in 0..3 {
        let (server, _) = server();
        let mut request = vec![call("amble", "[10,0]", 1), call("amble", "[10,1]", 2)];
        request.insert(index, call("spin", "[0]", 3));
        let mut expected = vec![result("null", "1"), result("null", "2")];
        expected.insert(index, result("true", "3"));
        check(&server, batch(&request), &batch(&expected));
    }
}

#[test]
fn a_notification_whose_method_fails_has_no_response() {
    let (server, gates) = server();
    let immediate = r#"{"jsonrpc":"2.0","method":"refuse"}"#;
    check(&server, immediate, "");
    check(&server, format!("[{immediate},{immediate}]"), "");
    let later = r#"{"jsonrpc":"2.0","method":"refuse","params":[0]}"#;
    let several = format!("[{later},{immediate},{later}]");
    let mut tasks = [Task::new(server.handle(later)), Task::new(server.handle(&several))];
    assert!(tasks.iter_mut().all(|task| task.run().is_pending()));
    gates.gate[0].open();
    assert!(tasks.iter_mut().all(|task| task.run() == Poll::Ready(None)));
}

#[test]
fn a_dropped_call_leaves_the_buffer_and_the_server_usable() {
    for before in ["", "before"] {
        for (message, expected) in [
            (call("step", "[1,0]", 1), result("1", "1")),
            (batch(&[call("step", "[1]", 1), call("step", "[2,0]", 2)]), steps(1..=2)),
        ] {
            let (server, gates) = server();
            let mut out = before.as_bytes().to_vec();
            let mut task = Task::new(server.handle_into(message.as_bytes(), &mut out));
            assert!(task.run().is_pending());
            drop(task);
            gates.gate[0].open();
            assert!(out.starts_with(before.as_bytes()));
            assert!(message.starts_with('[') || out == before.as_bytes());
            check(&server, &message, &expected);
        }
    }
}

/// Serves any implementation, as generic code of a user does.
async fn serve<S: Gated + Send + Sync + 'static>(service: S, message: String) -> Option<String> {
    let server = Server::new(GatedService::new(service));
    tokio::spawn(async move { server.handle(message).await }).await.expect("no panic")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_can_be_spawned_from_generic_code() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let (server, _) = server();
    let mut out = Vec::new();
    assert!(is_send(server.handle_into(b"[]", &mut out)).await);
    let request = batch(&[call("step", "[1,0]", 1), call("step", "[2,null,0]", 2)]);
    assert_eq!(is_send(server.handle(&request)).await, Some(steps(1..=2)));
    assert_eq!(serve(Gates::default(), request).await, Some(steps(1..=2)));
}
