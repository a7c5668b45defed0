//! What can be given where an address is asked for.

use crate::transport::{Address, AddressError};
use std::io;

/// An error with the address that it is about.
pub(super) fn at(address: &Address, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{address}: {error}"))
}

/// An [`Address`], or a text that is one.
///
/// ```
/// use rpc_core::net::ToAddress;
///
/// assert!("tcp://127.0.0.1:4000".to_address().is_ok());
/// assert!("127.0.0.1:4000".to_address().is_err());
/// ```
pub trait ToAddress {
    /// The address.
    ///
    /// # Errors
    ///
    /// [`AddressError`] when a text is none.
    fn to_address(&self) -> Result<Address, AddressError>;
}

impl ToAddress for Address {
    fn to_address(&self) -> Result<Address, AddressError> {
        Ok(self.clone())
    }
}

impl ToAddress for str {
    fn to_address(&self) -> Result<Address, AddressError> {
        self.parse()
    }
}

impl ToAddress for String {
    fn to_address(&self) -> Result<Address, AddressError> {
        self.parse()
    }
}

impl<A: ToAddress + ?Sized> ToAddress for &A {
    fn to_address(&self) -> Result<Address, AddressError> {
        A::to_address(self)
    }
}
