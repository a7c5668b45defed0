//! How calls run: in order, side by side, each answered once and in its place.

use rpc_core::{ErrorObject, Server, rpc};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use tests::check::{check, error, result};
use tests::task::{Gate, Task, give_way};

#[rpc]
trait Gated {
    /// Notes its start, waits for one gate, opens another, notes its end.
    async fn step(&self, n: usize, wait: Option<usize>, open: Option<usize>) -> usize;
    /// Wakes itself until a gate is open.
    async fn spin(&self, until: usize) -> bool;
    /// Gives way some times, then opens a gate.
    async fn amble(&self, times: usize, open: usize);
    async fn refuse(&self, wait: Option<usize>) -> Result<(), ErrorObject>;
}

#[derive(Default)]
struct Gates {
    gate: [Gate; 8],
    started: Mutex<Vec<usize>>,
    ended: Mutex<Vec<usize>>,
}

fn taken(list: &Mutex<Vec<usize>>) -> Vec<usize> {
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
            give_way().await;
        }
        false
    }
    async fn amble(&self, times: usize, open: usize) {
        for _ in 0..times {
            give_way().await;
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

/// The answers of steps whose number is their id.
fn steps(ids: impl IntoIterator<Item = usize>) -> String {
    let responses: Vec<_> = ids.into_iter().map(|id| result(&id.to_string(), &id.to_string())).collect();
    batch(&responses)
}

#[test]
fn batch_members_start_in_order_run_side_by_side_and_are_answered_in_order() {
    let (server, gates) = server();
    // The first waits for what the second does, and the second for the third.
    let request = [call("step", "[1,0]", 1), call("step", "[2,1,0]", 2), call("step", "[3,null,1]", 3)];
    check(&server, batch(&request), &steps(1..=3));
    assert_eq!(taken(&gates.started), [1, 2, 3]);
    assert_eq!(taken(&gates.ended), [3, 2, 1]);
}

#[test]
fn members_woken_in_any_order_are_answered_in_theirs() {
    for order in permutations(4) {
        let (server, gates) = server();
        // Those that wait, with some between them that do not.
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
        assert_eq!(taken(&gates.started), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(taken(&gates.ended), [1, 3, 5, 7]);
        for (turn, gate) in order.iter().enumerate() {
            gates.gate[*gate].open();
            let poll = task.run();
            assert_eq!(taken(&gates.ended), [2 * gate]);
            assert_eq!(poll, if turn < 3 { Poll::Pending } else { Poll::Ready(Some(steps(0..8))) }, "{order:?}");
        }
    }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![vec![]] };
    let shorter = permutations(last);
    let longer = shorter.iter().flat_map(|shorter| {
        (0..count).map(|place| {
            let mut order = shorter.clone();
            order.insert(place, last);
            order
        })
    });
    longer.collect()
}

#[test]
fn all_members_woken_at_once_are_answered() {
    let (server, gates) = server();
    let request: Vec<_> = (0..100).map(|n| call("step", &format!("[{n},0]"), n)).collect();
    let request = batch(&request);
    let mut task = Task::new(server.handle(&request));
    assert!(task.run().is_pending());
    gates.gate[0].open();
    assert_eq!(task.run(), Poll::Ready(Some(steps(0..100))));
}

#[test]
fn notifications_and_refusals_keep_no_place_among_those_that_wait() {
    let (server, gates) = server();
    let note = r#"{"jsonrpc":"2.0","method":"step","params":[9,1]}"#.to_owned();
    let request = [call("step", "[1,0]", 1), note, "1".to_owned(), call("nope", "[]", 3), call("refuse", "[0]", 4)];
    let request = batch(&request);
    let mut task = Task::new(server.handle(&request));
    assert!(task.run().is_pending());
    gates.gate[1].open();
    assert!(task.run().is_pending());
    assert_eq!(taken(&gates.ended), [9]);
    gates.gate[0].open();
    let Poll::Ready(Some(response)) = task.run() else { panic!("no answer") };
    let wanted = batch(&[result("1", "1"), error(-32600, "null"), error(-32601, "3"), error(7, "4")]);
    assert!(tests::check::is_same(&wanted, &response), "{response}");
}

#[test]
fn calls_of_the_same_id_are_both_served() {
    let (server, _) = server();
    check(
        &server,
        batch(&[call("step", "[1,0]", 7), call("step", "[2,null,0]", 7)]),
        &batch(&[result("1", "7"), result("2", "7")]),
    );
}

#[test]
fn a_handler_that_wakes_itself_starves_nobody() {
    for spinner in 0..3 {
        let (server, _) = server();
        let mut request = vec![call("amble", "[10,0]", 1), call("amble", "[10,1]", 2)];
        request.insert(spinner, call("spin", "[0]", 3));
        let mut wanted = vec![result("null", "1"), result("null", "2")];
        wanted.insert(spinner, result("true", "3"));
        check(&server, batch(&request), &batch(&wanted));
    }
}

#[test]
fn an_error_for_a_notification_is_never_answered() {
    let (server, gates) = server();
    let at_once = r#"{"jsonrpc":"2.0","method":"refuse"}"#;
    check(&server, at_once, "");
    check(&server, format!("[{at_once},{at_once}]"), "");
    let later = r#"{"jsonrpc":"2.0","method":"refuse","params":[0]}"#;
    let several = format!("[{later},{at_once},{later}]");
    let mut tasks = [Task::new(server.handle(later)), Task::new(server.handle(&several))];
    assert!(tasks.iter_mut().all(|task| task.run().is_pending()));
    gates.gate[0].open();
    assert!(tasks.iter_mut().all(|task| task.run() == Poll::Ready(None)));
}

#[test]
fn a_call_that_is_dropped_half_way_leaves_nothing_behind() {
    for before in ["", "before"] {
        for (message, wanted) in [
            (call("step", "[1,0]", 1), result("1", "1")),
            (batch(&[call("step", "[1]", 1), call("step", "[2,0]", 2)]), steps(1..=2)),
        ] {
            let (server, gates) = server();
            let mut out = before.as_bytes().to_vec();
            let mut task = Task::new(server.handle_into(message.as_bytes(), &mut out));
            assert!(task.run().is_pending());
            drop(task);
            // A wake that comes too late does no harm.
            gates.gate[0].open();
            assert!(out.starts_with(before.as_bytes()));
            assert!(message.starts_with('[') || out == before.as_bytes());
            check(&server, &message, &wanted);
        }
    }
}

/// What a user's own generic code looks like.
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
