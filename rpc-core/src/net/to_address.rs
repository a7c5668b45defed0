//! The types that functions accept as an address.

use super::address::{Address, AddressError};
use std::io;

/// Adds the address to the message of an error.
pub(super) fn with_address(address: &Address, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{address}: {error}"))
}

/// An [`Address`], or text that parses to one.
///
/// ```
/// use rpc_core::net::ToAddress;
///
/// assert!("tcp://127.0.0.1:4000".to_address().is_ok());
/// assert!("127.0.0.1:4000".to_address().is_err());
/// ```
pub trait ToAddress {
    /// Returns the address.
    ///
    /// # Errors
    ///
    /// [`AddressError`] if the text is not a valid address.
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
