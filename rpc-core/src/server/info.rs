//! The descriptions of methods, independent of any call.

use std::borrow::Cow;
use std::time::Duration;

/// The description of a method: its names, parameters and options.
///
/// A program that lists the methods of a service gets it from
/// [`Service::for_each_method`](super::Service::for_each_method):
///
/// ```
/// use rpc_core::rpc;
/// use rpc_core::server::Service;
///
/// #[rpc(namespace = "calc")]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
/// # struct MyCalc;
/// # impl Calc for MyCalc {
/// #     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 { minuend - subtrahend }
/// # }
/// CalcService::new(MyCalc).for_each_method(&mut |method| {
///     assert_eq!(method.name(), "calc.subtract");
///     assert_eq!(method.params(), ["minuend", "subtrahend"]);
///     assert!(!method.is_notification());
/// });
/// ```
#[derive(Clone, Debug)]
pub struct MethodInfo {
    name: Cow<'static, str>,
    params: &'static [&'static str],
    aliases: &'static [&'static str],
    is_notification: bool,
    is_exclusive: bool,
    timeout: Option<Duration>,
}

impl MethodInfo {
    /// Returns the description of a method with this wire name and these names of parameters.
    #[must_use]
    pub const fn new(name: &'static str, params: &'static [&'static str]) -> Self {
        MethodInfo {
            name: Cow::Borrowed(name),
            params,
            aliases: &[],
            is_notification: false,
            is_exclusive: false,
            timeout: None,
        }
    }

    pub(super) fn from_name(name: String) -> Self {
        MethodInfo { name: Cow::Owned(name), ..MethodInfo::new("", &[]) }
    }

    /// Sets the option `notification`: clients send a notification.
    #[must_use]
    pub const fn notification(mut self) -> Self {
        self.is_notification = true;
        self
    }

    /// Sets the option `exclusive`: the method runs alone on its connection.
    #[must_use]
    pub const fn exclusive(mut self) -> Self {
        self.is_exclusive = true;
        self
    }

    /// Sets the option `timeout`.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets further wire names of the method.
    #[must_use]
    pub const fn with_aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Returns the wire names of the method: its name, then its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.name).chain(self.aliases.iter().copied())
    }

    /// Returns the wire name of the method.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the parameters, in order; none if the method takes the params as one value.
    #[must_use]
    pub const fn params(&self) -> &'static [&'static str] {
        self.params
    }

    /// Returns whether the method has the option `exclusive`: on a connection, it starts when all earlier
    /// calls have ended, and later calls start when it has ended.
    #[must_use]
    pub const fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// Returns the `timeout` option of the method. A server enforces it if it has a
    /// [timer](crate::Server::timer).
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Returns whether the method has the option `notification`.
    #[must_use]
    pub const fn is_notification(&self) -> bool {
        self.is_notification
    }
}

/// The wire names of a service that are known at compile time, in [`Service::NAMES`](super::Service::NAMES).
#[derive(Clone, Copy, Debug)]
pub struct MethodNames {
    own: &'static [&'static str],
    services: &'static [MethodNames],
}

impl MethodNames {
    /// Returns the names of a service that is not made of others.
    #[must_use]
    pub const fn new(own: &'static [&'static str]) -> Self {
        MethodNames { own, services: &[] }
    }

    /// Returns the names of several services together.
    ///
    /// # Panics
    ///
    /// Panics if two services have the same name. In a constant, this is a compile error.
    #[must_use]
    pub const fn concat(services: &'static [MethodNames]) -> Self {
        let mut first = 0;
        while first < services.len() {
            let mut second = first + 1;
            while second < services.len() {
                assert!(
                    !services[first].overlaps(services[second]),
                    "two services of this tuple serve the same wire name"
                );
                second += 1;
            }
            first += 1;
        }
        MethodNames { own: &[], services }
    }

    const fn overlaps(self, other: MethodNames) -> bool {
        let mut index = 0;
        while index < self.own.len() {
            if other.contains(self.own[index]) {
                return true;
            }
            index += 1;
        }
        let mut index = 0;
        while index < self.services.len() {
            if self.services[index].overlaps(other) {
                return true;
            }
            index += 1;
        }
        false
    }

    const fn contains(self, name: &str) -> bool {
        let mut index = 0;
        while index < self.own.len() {
            if bytes_equal(self.own[index].as_bytes(), name.as_bytes()) {
                return true;
            }
            index += 1;
        }
        let mut index = 0;
        while index < self.services.len() {
            if self.services[index].contains(name) {
                return true;
            }
            index += 1;
        }
        false
    }
}

/// Compares two slices. `==` is not available in a `const fn`.
const fn bytes_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}
