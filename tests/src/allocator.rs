//! An allocator that counts the allocations of the current thread.
#![allow(unsafe_code, reason = "implementing `GlobalAlloc` is unsafe; every call is forwarded to `System`")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator with one counter per thread. Install it with `#[global_allocator]`.
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

fn count(calls: usize, allocated: usize, freed: usize) {
    // The counter is already destroyed while a thread exits.
    let _ = COUNT.try_with(|count| {
        let previous = count.get();
        // Memory that another thread allocated may be freed here.
        let bytes = previous.bytes.saturating_add(allocated).saturating_sub(freed);
        count.set(Count { calls: previous.calls + calls, bytes, peak: previous.peak.max(bytes) });
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

/// Returns the number of allocations that `work` makes on this thread, and its output.
pub fn allocations<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = COUNT.get().calls;
    let output = work();
    (COUNT.get().calls - before, output)
}

/// Returns the peak growth during `work` of the bytes that this thread has allocated.
pub fn peak(work: impl FnOnce()) -> usize {
    let before = COUNT.get().bytes;
    COUNT.set(Count { peak: before, ..COUNT.get() });
    work();
    COUNT.get().peak - before
}

/// Returns the number of bytes that this thread has allocated and not freed.
#[must_use]
pub fn held() -> usize {
    COUNT.get().bytes
}
