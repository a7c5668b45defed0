//! What is known about methods before any call.

use std::borrow::Cow;
use std::time::Duration;

/// A method as its service announces it.
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
    /// A method of this wire name, whose parameters have these names.
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

    /// A method whose name is known at run time only.
    pub(super) fn named(name: String) -> Self {
        MethodInfo { name: Cow::Owned(name), ..MethodInfo::new("", &[]) }
    }

    /// The same, declared as a notification.
    #[must_use]
    pub const fn notification(mut self) -> Self {
        self.is_notification = true;
        self
    }

    /// The same, declared as one that runs alone.
    #[must_use]
    pub const fn exclusive(mut self) -> Self {
        self.is_exclusive = true;
        self
    }

    /// The same, declared as one that is given up after `timeout`.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same, answering to further names.
    #[must_use]
    pub const fn with_aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// All names that it answers to, its own first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.name).chain(self.aliases.iter().copied())
    }

    /// The name on the wire.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the parameters, in order; empty, too, for a method that takes its params whole.
    #[must_use]
    pub const fn params(&self) -> &'static [&'static str] {
        self.params
    }

    /// Whether the method begins when all before it have ended, and holds up all behind it.
    #[must_use]
    pub const fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// How long a call of the method may take, if it is declared: a server keeps to it that has a
    /// [timer](crate::Server::timer).
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Whether the method is declared as a notification.
    #[must_use]
    pub const fn is_notification(&self) -> bool {
        self.is_notification
    }
}

/// The wire names of a service that are known when it is compiled: its own, or those of its parts.
#[derive(Clone, Copy, Debug)]
pub struct MethodNames {
    own: &'static [&'static str],
    parts: &'static [MethodNames],
}

impl MethodNames {
    /// The names of a service of its own.
    #[must_use]
    pub const fn own(own: &'static [&'static str]) -> Self {
        MethodNames { own, parts: &[] }
    }

    /// The names of several services together.
    ///
    /// # Panics
    ///
    /// When one name stands in two of them. It is called in constants, where this is a compile error.
    #[must_use]
    pub const fn of(parts: &'static [MethodNames]) -> Self {
        let mut first = 0;
        while first < parts.len() {
            let mut second = first + 1;
            while second < parts.len() {
                assert!(!parts[first].meets(parts[second]), "two services of this tuple serve the same wire name");
                second += 1;
            }
            first += 1;
        }
        MethodNames { own: &[], parts }
    }

    const fn meets(self, other: MethodNames) -> bool {
        let mut at = 0;
        while at < self.own.len() {
            if other.has(self.own[at]) {
                return true;
            }
            at += 1;
        }
        let mut at = 0;
        while at < self.parts.len() {
            if self.parts[at].meets(other) {
                return true;
            }
            at += 1;
        }
        false
    }

    const fn has(self, name: &str) -> bool {
        let mut at = 0;
        while at < self.own.len() {
            if same(self.own[at].as_bytes(), name.as_bytes()) {
                return true;
            }
            at += 1;
        }
        let mut at = 0;
        while at < self.parts.len() {
            if self.parts[at].has(name) {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// Slices cannot be compared with `==` in a constant.
const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
