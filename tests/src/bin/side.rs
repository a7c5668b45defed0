//! The other side of a test as a process of its own.
//!
//! `side serve stdio: 1024 1024 1024` (a `Setup`) serves the tests' service over stdin and stdout; `side listen …`
//! does the same as a listener; `side relay 127.0.0.1:4000` is nothing but a pipe to a test that says every byte itself;
//! `side tell tcp://…` notifies a server and ends at once.

use rpc_core::block_on;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::ExitCode;
use tests::side::{MySide, Setup, SideClient};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match &arguments[..] {
        [verb, address, setup @ ..] if verb == "serve" => serve(address, setup),
        [verb, address, setup @ ..] if verb == "listen" => listen(address, setup),
        [verb, address] if verb == "relay" => relay(address),
        [verb, address] if verb == "tell" => tell(address),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("side: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(address: &str, setup: &[String]) -> io::Result<()> {
    let setup = Setup::of(setup).ok_or(io::ErrorKind::InvalidInput)?;
    let peer = setup.builder(&MySide::default()).connect_blocking(address)?;
    block_on(peer.closed());
    Ok(())
}

fn listen(address: &str, setup: &[String]) -> io::Result<()> {
    let setup = Setup::of(setup).ok_or(io::ErrorKind::InvalidInput)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        setup.server(&MySide::default()).listen(address).await?.run().await;
        Ok(())
    })
}

fn tell(address: &str) -> io::Result<()> {
    let side = SideClient::connect_blocking(address)?;
    side.tell("x".repeat(100_000)).wait().map_err(io::Error::other)
}

/// Ends when the socket says nothing more, whatever stdin does.
fn relay(address: &str) -> io::Result<()> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_nodelay(true)?;
    let mut back = socket.try_clone()?;
    std::thread::spawn(move || {
        let end = copy(&mut io::stdin().lock(), &mut back);
        // The test sees the end of stdin.
        let _ = back.shutdown(Shutdown::Write);
        end
    });
    // However it ends, the test has had it so.
    let _ = copy(&mut socket, &mut io::stdout().lock());
    Ok(())
}

/// Each piece at once.
fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut piece = vec![0; 64 << 10];
    loop {
        match from.read(&mut piece)? {
            0 => return Ok(()),
            length => to.write_all(&piece[..length])?,
        }
        to.flush()?;
    }
}
