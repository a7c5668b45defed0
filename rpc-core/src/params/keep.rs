//! How decoded arguments wait until their call is run: large ones in a box, so that one method that
//! takes much does not make every call of its service as large.

/// Whether arguments are kept in a box.
#[derive(Debug)]
pub struct Size<const LARGE: bool>;

/// What arguments are kept in.
pub trait Keep {
    /// The arguments themselves, or a box of them.
    type Of<T>;

    /// Puts arguments away.
    fn keep<T>(arguments: T) -> Self::Of<T>;

    /// Gives them back.
    fn take<T>(kept: Self::Of<T>) -> T;
}

impl Keep for Size<false> {
    type Of<T> = T;
    #[inline]
    fn keep<T>(arguments: T) -> T {
        arguments
    }
    #[inline]
    fn take<T>(kept: T) -> T {
        kept
    }
}

impl Keep for Size<true> {
    type Of<T> = Box<T>;
    #[inline]
    fn keep<T>(arguments: T) -> Box<T> {
        Box::new(arguments)
    }
    #[inline]
    fn take<T>(kept: Box<T>) -> T {
        *kept
    }
}

/// Whether arguments are larger than what they are boxed for: four strings.
#[must_use]
pub const fn is_large<T>() -> bool {
    size_of::<T>() > 4 * size_of::<String>()
}
