//! An allocator that counts what the current thread asks it for.
#![allow(unsafe_code, reason = "an allocator is unsafe to write; this one hands everything on to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count for each thread. A test makes it its own with
/// `#[global_allocator]`.
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

#[derive(Clone, Copy)]
struct Count {
    calls: usize,
    bytes: usize,
    peak: usize,
}

thread_local! {
    static COUNT: Cell<Count> = const { Cell::new(Count { calls: 0, bytes: 0, peak: 0 }) };
}

fn count(calls: usize, more: usize, less: usize) {
    // A thread that ends has no count any more, and nobody who asks for it.
    let _ = COUNT.try_with(|count| {
        let was = count.get();
        // What another thread had allocated may be freed here.
        let bytes = was.bytes.saturating_add(more).saturating_sub(less);
        count.set(Count { calls: was.calls + calls, bytes, peak: was.peak.max(bytes) });
    });
}

unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size(), 0);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size, layout.size());
        unsafe { System.realloc(old, layout, size) }
    }
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        count(0, 0, layout.size());
        unsafe { System.dealloc(old, layout) }
    }
}

/// How often `work` asks for memory on this thread, and what it gives.
pub fn allocations<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = COUNT.get().calls;
    let output = work();
    (COUNT.get().calls - before, output)
}

/// By how many bytes, at most, what this thread holds grows during `work`.
pub fn peak(work: impl FnOnce()) -> usize {
    let before = COUNT.get().bytes;
    COUNT.set(Count { peak: before, ..COUNT.get() });
    work();
    COUNT.get().peak - before
}

/// How many bytes this thread holds.
#[must_use]
pub fn held() -> usize {
    COUNT.get().bytes
}
