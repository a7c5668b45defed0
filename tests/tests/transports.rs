//! The same requirements over every transport: one body each, and one table of ways from side to side.
//!
//! What lines and headers do to bytes in general is in `streams`, what listeners do besides serving in `listeners`.

use std::time::Duration;

#[path = "transports/bodies.rs"]
mod bodies;
#[path = "transports/cases.rs"]
mod cases;
#[path = "transports/children.rs"]
mod children;
#[path = "transports/ends.rs"]
mod ends;
#[path = "transports/faults.rs"]
mod faults;

/// Runs a body on two threads, and not without end.
fn run(body: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let within = async { tokio::time::timeout(Duration::from_secs(60), body).await.expect("nothing hangs") };
    runtime.expect("a runtime").block_on(within);
}

/// A module for each door, with a test for each body.
macro_rules! over {
    ($tests:tt at $($(#[$only:meta])? $door:ident $value:expr;)*) => {
        $($(#[$only])? mod $door {
            #[allow(unused_imports, reason = "not every door has a place")]
            use crate::cases::{TransportCase, Target, Way};
            over!(@ $tests $value);
        })*
    };
    (@ [$($test:ident)*] $value:expr) => {
        $(#[test] fn $test() { crate::run(crate::bodies::$test($value)); })*
    };
}

macro_rules! by_hand {
    ($($test:ident)*) => { over! { [$($test)*] at
        memory TransportCase::lines(Way::Memory);
        duplex_lines TransportCase::lines(Way::Duplex);
        duplex_headers TransportCase::headers(Way::Duplex);
        pipes_lines TransportCase::lines(Way::Pipes);
        pipes_headers TransportCase::headers(Way::Pipes);
        tcp_lines TransportCase::lines(Way::Tcp);
        tcp_headers TransportCase::headers(Way::Tcp);
        #[cfg(unix)] unix_lines TransportCase::lines(Way::Unix);
        #[cfg(unix)] unix_headers TransportCase::headers(Way::Unix);
        child_lines TransportCase::lines(Way::Child);
        child_headers TransportCase::headers(Way::Child);
    } };
}

/// By addresses that somebody listens at.
macro_rules! by_address {
    ($($test:ident)*) => { over! { [$($test)*] at
        connect_tcp_lines TransportCase::lines(Way::Connect(Target::Tcp));
        #[cfg(unix)] connect_unix_headers TransportCase::headers(Way::Connect(Target::Unix));
        blocking_tcp_headers TransportCase::headers(Way::Blocking(Target::Tcp));
        #[cfg(unix)] blocking_unix_lines TransportCase::lines(Way::Blocking(Target::Unix));
    } };
}

/// By addresses of child processes.
macro_rules! by_command {
    ($($test:ident)*) => { over! { [$($test)*] at
        #[cfg(unix)] connect_exec_lines TransportCase::lines(Way::Connect(Target::Exec));
        #[cfg(unix)] blocking_exec_headers TransportCase::headers(Way::Blocking(Target::Exec));
    } };
}

/// Two sides that serve and call each other.
mod linked {
    macro_rules! everywhere {
        ($($test:ident)*) => { by_hand!($($test)*); by_address!($($test)*); by_command!($($test)*); };
    }
    everywhere! {
        every_call_of_many_tasks_is_answered
        a_panic_on_either_side_costs_its_own_call_only
        handlers_that_call_back_end_with_every_slot_taken
        exclusive_notifications_take_effect_in_order
        a_method_may_stop_its_side
        messages_larger_than_a_buffer_arrive_whole
    }
}

/// A side that serves a bare other end.
mod served {
    macro_rules! everywhere {
        ($($test:ident)*) => { by_hand!($($test)*); by_address!($($test)*); };
    }
    everywhere! {
        quotes_and_brackets_in_strings_end_no_message
        a_cancel_right_behind_its_request_always_finds_it
        handlers_are_dropped_when_their_connection_breaks
        handlers_linger_no_longer_than_they_may
        a_side_is_stopped_from_outside_without_another_byte
        who_goes_while_it_is_answered_breaks_nothing
        a_batch_that_is_too_long_runs_nothing
        header_names_and_spaces_are_read_as_in_http
        any_split_of_the_bytes_is_the_same
    }
}

/// A side that calls a bare other end.
mod scripted {
    macro_rules! everywhere {
        ($($test:ident)*) => { by_hand!($($test)*); by_address!($($test)*); by_command!($($test)*); };
    }
    everywhere! {
        late_replies_are_passed_over
        calls_that_wait_end_with_the_connection_and_say_why
        who_goes_unread_fails_what_is_being_sent
    }
}
