//! Dispatch, text to text, beside a baseline in the same run: `cargo bench -p rpc-core`.

#![allow(missing_docs, unreachable_pub, reason = "a benchmark has no readers of its docs")]

mod work;

use criterion::{Criterion, criterion_group, criterion_main};
use rpc_core::Server;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Waker};
use work::{ApiService, MyApi, cases, floor};

fn dispatch(criterion: &mut Criterion) {
    let server = Server::new(ApiService::new(MyApi));
    for case in cases() {
        let mut group = criterion.benchmark_group(case.name);
        let mut out = vec![];
        floor::response(&case.request, &mut out);
        case.check(&out);
        group.bench_function("baseline", |bencher| {
            bencher.iter(|| {
                out.clear();
                floor::response(black_box(&case.request), &mut out);
            });
        });
        out.clear();
        handle(&server, &case.request, &mut out);
        case.check(&out);
        group.bench_function("rpc-core", |bencher| {
            bencher.iter(|| {
                out.clear();
                handle(&server, black_box(&case.request), &mut out);
            });
        });
        group.finish();
    }
}

/// The handlers are ready at once, so one poll is enough.
fn handle(server: &Server<ApiService<MyApi>>, request: &str, out: &mut Vec<u8>) {
    let handled = pin!(server.handle_text_into(request, out));
    assert!(handled.poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

criterion_group!(benches, dispatch);
criterion_main!(benches);
