//! The files of Unix sockets.

use super::{Running, run, settings, start};
use rpc_core::net::ListenerBuilder;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tests::endpoint;
use tests::transport_service::{MySide, SideService};

async fn at(path: &Path) -> std::io::Result<Running> {
    at_with(path, |settings| settings).await
}

async fn at_with(
    path: &Path,
    set: impl FnOnce(ListenerBuilder<SideService<MySide>>) -> ListenerBuilder<SideService<MySide>>,
) -> std::io::Result<Running> {
    let side = MySide::default();
    Ok(start(set(settings(&side)).listen(format!("unix:{}", path.display())).await?, side))
}

#[test]
fn what_a_dead_server_has_left_is_replaced() {
    run(async {
        let path = endpoint::path();
        // The standard library removes nothing.
        drop(std::os::unix::net::UnixListener::bind(&path).expect("a free path"));
        assert!(path.exists());
        let listener = at(&path).await.expect("the path is free");
        assert_eq!(listener.client().await.add(1, 2).await.expect("a sum"), 3);
        // Again, by the same product: a process that was killed leaves its file, too.
        listener.shutdown_handle.shutdown();
        listener.serving.await.expect("it stops");
        assert!(!path.exists());
    });
}

#[test]
fn what_is_no_socket_is_not_touched() {
    run(async {
        let path = endpoint::path();
        fs::write(&path, "mine").expect("a free path");
        assert_eq!(at(&path).await.err().map(|error| error.kind()), Some(ErrorKind::AddrInUse));
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "mine");
        // Nor what a link points to.
        let link = endpoint::path();
        std::os::unix::fs::symlink(&path, &link).expect("a free path");
        assert_eq!(at(&link).await.err().map(|error| error.kind()), Some(ErrorKind::AddrInUse));
        assert!(link.symlink_metadata().is_ok() && path.exists());
        fs::remove_file(&link).expect("it is there");
        fs::remove_file(&path).expect("it is there");
        fs::create_dir(&path).expect("a free path");
        assert_eq!(at(&path).await.err().map(|error| error.kind()), Some(ErrorKind::AddrInUse));
        fs::remove_dir(&path).expect("it is there");
    });
}

#[test]
fn a_live_servers_file_is_not_taken_even_if_it_takes_nobody() {
    run(async {
        let path = endpoint::path();
        // Connections are not accepted here.
        let live = std::os::unix::net::UnixListener::bind(&path).expect("a free path");
        assert_eq!(at(&path).await.err().map(|error| error.kind()), Some(ErrorKind::AddrInUse));
        assert!(path.exists());
        drop(live);
        fs::remove_file(&path).expect("it is there");
    });
}

#[test]
fn a_file_that_took_the_name_since_is_not_removed() {
    run(async {
        let path = endpoint::path();
        let listener = at(&path).await.expect("a free path");
        fs::remove_file(&path).expect("it is there");
        let next = at(&path).await.expect("a free path");
        listener.shutdown_handle.shutdown();
        listener.serving.await.expect("it stops");
        assert_eq!(next.client().await.add(1, 2).await.expect("it is there"), 3);
    });
}

#[test]
fn the_mode_of_the_file_holds() {
    run(async {
        for mode in [0o600, 0o660, 0o777] {
            let path = endpoint::path();
            let _listener = at_with(&path, |settings| settings.unix_mode(mode)).await.expect("a free path");
            assert_eq!(path.metadata().expect("it is there").permissions().mode() & 0o777, mode);
        }
    });
}

#[test]
fn a_path_that_cannot_be_is_an_error_and_leaves_nothing() {
    run(async {
        let missing = endpoint::path().join("a.sock");
        assert_eq!(at(&missing).await.err().map(|error| error.kind()), Some(ErrorKind::NotFound));
        let long = endpoint::path().with_file_name("x".repeat(200));
        assert_eq!(at(&long).await.err().map(|error| error.kind()), Some(ErrorKind::InvalidInput));
        assert!(!long.exists());
    });
}
