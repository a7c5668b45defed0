//! The peer of a test in a process of its own.
//!
//! - `test_peer serve stdio: 1024 1024 1024` serves [`MySide`] over stdin and stdout. The numbers are a [`Setup`].
//! - `test_peer listen ADDRESS …` serves it on a listener.
//! - `test_peer relay 127.0.0.1:4000` copies bytes between stdin, stdout and a socket of the test.
//! - `test_peer notify tcp://…` sends one notification to a server and exits at once.

use rpc_core::block_on;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::ExitCode;
use tests::transport_service::{MySide, Setup, SideClient};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match &arguments[..] {
        [command, address, setup @ ..] if command == "serve" => serve(address, setup),
        [command, address, setup @ ..] if command == "listen" => listen(address, setup),
        [command, address] if command == "relay" => relay(address),
        [command, address] if command == "notify" => notify(address),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("test_peer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(address: &str, setup: &[String]) -> io::Result<()> {
    let setup = Setup::from_arguments(setup).ok_or(io::ErrorKind::InvalidInput)?;
    let peer = setup.builder(&MySide::default()).connect_blocking(address)?;
    block_on(peer.closed());
    Ok(())
}

fn listen(address: &str, setup: &[String]) -> io::Result<()> {
    let setup = Setup::from_arguments(setup).ok_or(io::ErrorKind::InvalidInput)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        setup.server(&MySide::default()).listen(address).await?.run().await;
        Ok(())
    })
}

fn notify(address: &str) -> io::Result<()> {
    let side = SideClient::connect_blocking(address)?;
    side.tell("x".repeat(100_000)).wait().map_err(io::Error::other)
}

/// Ends when the socket ends, whatever stdin does.
fn relay(address: &str) -> io::Result<()> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_nodelay(true)?;
    let mut writer = socket.try_clone()?;
    std::thread::spawn(move || {
        let copied = copy(&mut io::stdin().lock(), &mut writer);
        // The test sees the end of stdin.
        let _ = writer.shutdown(Shutdown::Write);
        copied
    });
    // The test closes the socket; an error is as good as its end.
    let _ = copy(&mut socket, &mut io::stdout().lock());
    Ok(())
}

/// Copies and flushes each chunk at once.
fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut chunk = vec![0; 64 << 10];
    loop {
        match from.read(&mut chunk)? {
            0 => return Ok(()),
            length => to.write_all(&chunk[..length])?,
        }
        to.flush()?;
    }
}
