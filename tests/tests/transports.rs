//! The same tests over every transport: each test body is written once and runs for each
//! [`cases::TransportCase`].
//!
//! `streams` tests framings in general, `listeners` tests listeners.

use std::time::Duration;

#[path = "transports/any_transport.rs"]
mod any_transport;
#[path = "transports/bodies.rs"]
mod bodies;
#[path = "transports/cases.rs"]
mod cases;
#[path = "transports/children.rs"]
mod children;
#[path = "transports/faults.rs"]
mod faults;

/// Runs a test body on two threads, for at most 60 s.
fn run(body: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let body = async { tokio::time::timeout(Duration::from_secs(60), body).await.expect("no timeout") };
    runtime.expect("a runtime").block_on(body);
}

/// Expands to a module for each case, with a test for each body.
macro_rules! over {
    ($tests:tt at $($(#[$only:meta])? $case:ident $value:expr;)*) => {
        $($(#[$only])? mod $case {
            #[allow(unused_imports, reason = "not every case has a target")]
            use crate::cases::{TransportCase, Target, Way};
            over!(@ $tests $value);
        })*
    };
    (@ [$($test:ident)*] $value:expr) => {
        $(#[test] fn $test() { crate::run(crate::bodies::$test($value)); })*
    };
}

/// Over transports that the test creates.
macro_rules! over_transports {
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

/// Over connections to the address of a listener.
macro_rules! over_sockets {
    ($($test:ident)*) => { over! { [$($test)*] at
        connect_tcp_lines TransportCase::lines(Way::Connect(Target::Tcp));
        #[cfg(unix)] connect_unix_headers TransportCase::headers(Way::Connect(Target::Unix));
        blocking_tcp_headers TransportCase::headers(Way::Blocking(Target::Tcp));
        #[cfg(unix)] blocking_unix_lines TransportCase::lines(Way::Blocking(Target::Unix));
    } };
}

/// Over connections to an `exec:` address.
macro_rules! over_commands {
    ($($test:ident)*) => { over! { [$($test)*] at
        #[cfg(unix)] connect_exec_lines TransportCase::lines(Way::Connect(Target::Exec));
        #[cfg(unix)] blocking_exec_headers TransportCase::headers(Way::Blocking(Target::Exec));
    } };
}

/// Two peers that serve and call each other.
mod linked {
    macro_rules! everywhere {
        ($($test:ident)*) => { over_transports!($($test)*); over_sockets!($($test)*); over_commands!($($test)*); };
    }
    everywhere! {
        every_call_of_many_tasks_gets_its_response
        a_panic_on_either_side_fails_only_its_own_call
        handlers_that_call_back_complete_when_every_slot_is_taken
        exclusive_notifications_take_effect_in_order
        a_method_can_shut_its_connection_down
        messages_larger_than_a_buffer_arrive_whole
    }
}

/// A connection that serves a [`any_transport::RawPeer`].
mod served {
    macro_rules! everywhere {
        ($($test:ident)*) => { over_transports!($($test)*); over_sockets!($($test)*); };
    }
    everywhere! {
        quotes_and_brackets_in_strings_do_not_end_a_message
        a_cancellation_right_after_its_request_always_takes_effect
        handlers_are_dropped_when_their_connection_breaks
        handlers_are_dropped_after_the_half_close_timeout
        a_shutdown_does_not_wait_for_more_input
        a_peer_that_disconnects_during_a_response_closes_the_connection
        a_batch_with_too_many_members_runs_none_of_them
        header_names_and_whitespace_are_parsed_as_in_http
        messages_are_decoded_from_any_split_of_their_bytes
    }
}

/// A connection that calls a [`any_transport::RawPeer`].
mod scripted {
    macro_rules! everywhere {
        ($($test:ident)*) => { over_transports!($($test)*); over_sockets!($($test)*); over_commands!($($test)*); };
    }
    everywhere! {
        late_responses_are_discarded
        pending_calls_fail_with_the_close_reason_of_the_connection
        a_peer_that_disconnects_during_a_request_fails_its_call
    }
}
