//! Decodes the text of params into the arguments of a method.

use super::absent;
use super::bad_params::{BadParams, Location};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// The parameters of a method, by their names on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The names, in order.
    pub names: &'static [&'static str],
    /// If `true`, params by name may have other names, which are ignored. If `false`, they are rejected.
    pub allow_unknown: bool,
}

/// The arguments of a method: a tuple of types that implement `Deserialize`.
pub trait Params<'de>: Sized {
    /// Decodes params by position.
    #[doc(hidden)]
    fn from_seq<A: SeqAccess<'de>>(state: &mut DecodeState<'_>, seq: &mut A) -> Result<Self, A::Error>;

    /// Decodes params by name.
    #[doc(hidden)]
    fn from_map<A: MapAccess<'de>>(state: &mut DecodeState<'_>, map: &mut A) -> Result<Self, A::Error>;
}

/// Decodes the params at the start of `text`, which may continue after them. Stores `make(arguments)` in
/// `call` and returns the length of the params in bytes.
pub(crate) fn decode<'de, T: Params<'de>, C>(
    signature: &Signature,
    text: &'de str,
    call: &mut Option<C>,
    make: impl FnOnce(T) -> C,
) -> Result<usize, BadParams> {
    let mut state = DecodeState { signature, location: Location::Whole };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut read = None;
    let arguments = Arguments(&mut state, &mut read);
    let end = match text.as_bytes().first() {
        Some(b'[') => deserializer.deserialize_seq(arguments),
        Some(b'{') => deserializer.deserialize_map(arguments),
        _ => deserializer.deserialize_unit(arguments),
    };
    match end {
        Ok(()) => {
            *call = read.map(make);
            Ok(deserializer.into_iter::<IgnoredAny>().byte_offset())
        }
        // All arguments are decoded, but the params do not end there. At the end of the text they are only
        // cut off.
        Err(error) if read.is_some() && !error.is_eof() => Err(trailing_error(signature, text, error)),
        Err(error) => Err(BadParams::from_decode_error(state.location, error, signature.names)),
    }
}

/// Describes the error of params that do not end after the last argument.
#[cold]
fn trailing_error(Signature { names, .. }: &Signature, text: &str, error: serde_json::Error) -> BadParams {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match Vec::<IgnoredAny>::deserialize(&mut deserializer) {
        Ok(values) if values.len() > names.len() => {
            let error = serde_json::Error::custom("too many parameters");
            BadParams::from_decode_error(Location::TooMany, error, names)
        }
        _ => BadParams::from_decode_error(Location::Whole, error, names),
    }
}

/// Like `decode`, but one value is the whole of the params (`#[rpc(flatten)]`).
pub(crate) fn decode_flat<'de, T: Deserialize<'de>, C>(
    text: &'de str,
    call: &mut Option<C>,
    make: impl FnOnce((T,)) -> C,
) -> Result<usize, BadParams> {
    let is_absent = text.starts_with("null");
    let text = if is_absent { absent::flat_params::<T>() } else { text };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match T::deserialize(&mut deserializer) {
        Ok(argument) => {
            *call = Some(make((argument,)));
            Ok(if is_absent { "null".len() } else { deserializer.into_iter::<IgnoredAny>().byte_offset() })
        }
        Err(error) => Err(BadParams::from_decode_error(Location::Whole, error, &[])),
    }
}

/// Returns the length in bytes of the params at the start of `text`, without decoding them. Fails if they are
/// not JSON.
pub(crate) fn length_of(text: &str) -> Result<usize, BadParams> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match IgnoredAny::deserialize(&mut deserializer) {
        Ok(_) => Ok(deserializer.into_iter::<IgnoredAny>().byte_offset()),
        Err(error) => Err(BadParams::from_decode_error(Location::Whole, error, &[])),
    }
}

/// The progress of decoding: the part of the params that is being decoded.
#[derive(Debug)]
pub struct DecodeState<'s> {
    signature: &'s Signature,
    location: Location,
}

/// Stores the arguments in its `Option` as soon as all are decoded, before the end of the params is checked.
struct Arguments<'t, 's, T>(&'t mut DecodeState<'s>, &'t mut Option<T>);

impl<'de, T: Params<'de>> Visitor<'de> for Arguments<'_, '_, T> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        *self.1 = Some(T::from_seq(self.0, &mut seq)?);
        // serde_json expects the end of the array next, and fails otherwise.
        self.0.location = Location::Whole;
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        *self.1 = Some(T::from_map(self.0, &mut map)?);
        Ok(())
    }
    /// Decodes absent params, which are read as null, as an empty array.
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        struct Empty<E>(PhantomData<E>);
        impl<'de, E: Error> SeqAccess<'de> for Empty<E> {
            type Error = E;
            fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<Option<S::Value>, E> {
                Ok(None)
            }
        }
        *self.1 = Some(T::from_seq(self.0, &mut Empty(PhantomData))?);
        Ok(())
    }
}

impl DecodeState<'_> {
    fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(
        &mut self,
        position: usize,
        seq: &mut A,
    ) -> Result<T, A::Error> {
        self.location = Location::Value(position);
        match seq.next_element()? {
            Some(value) => Ok(value),
            None => absent::value(),
        }
    }

    fn put<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
        &mut self,
        position: usize,
        map: &mut A,
        slot: &mut Option<T>,
    ) -> Result<(), A::Error> {
        if slot.is_some() {
            self.location = Location::Repeated(position);
            return Err(A::Error::custom("given twice"));
        }
        self.location = Location::Value(position);
        *slot = Some(map.next_value()?);
        self.location = Location::Whole;
        Ok(())
    }

    fn take<'de, T: Deserialize<'de>, E: Error>(&mut self, position: usize, slot: Option<T>) -> Result<T, E> {
        match slot {
            Some(value) => Ok(value),
            None => {
                self.location = Location::Value(position);
                absent::value()
            }
        }
    }
}

/// Decodes the name of a parameter into its position.
struct ParamName<'t, 's>(&'t mut DecodeState<'s>);

/// The position that stands for an unknown name.
const IGNORED: usize = usize::MAX;

impl<'de> DeserializeSeed<'de> for ParamName<'_, '_> {
    type Value = usize;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for ParamName<'_, '_> {
    type Value = usize;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a parameter")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        let Signature { names, allow_unknown } = self.0.signature;
        match names.iter().position(|known| *known == name) {
            Some(position) => Ok(position),
            None if *allow_unknown => Ok(IGNORED),
            None => {
                self.0.location = Location::Unknown;
                Err(E::custom(name))
            }
        }
    }
}

macro_rules! tuples {
    ($(($($type:ident $slot:ident $position:tt),*))*) => {$(
        impl<'de, $($type: Deserialize<'de>),*> Params<'de> for ($($type,)*) {
            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple uses none of its arguments")]
            fn from_seq<Seq: SeqAccess<'de>>(state: &mut DecodeState<'_>, seq: &mut Seq) -> Result<Self, Seq::Error> {
                Ok(($(state.next::<$type, Seq>($position, seq)?,)*))
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple has nothing to return")]
            fn from_map<Map: MapAccess<'de>>(state: &mut DecodeState<'_>, map: &mut Map) -> Result<Self, Map::Error> {
                $(let mut $slot = None::<$type>;)*
                while let Some(position) = map.next_key_seed(ParamName(state))? {
                    match position {
                        $($position => state.put($position, map, &mut $slot)?,)*
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(($(state.take($position, $slot)?,)*))
            }
        }
    )*};
}
tuples! {
    ()
    (A a 0)
    (A a 0, B b 1)
    (A a 0, B b 1, C c 2)
    (A a 0, B b 1, C c 2, D d 3)
    (A a 0, B b 1, C c 2, D d 3, E e 4)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8, J j 9)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8, J j 9, K k 10)
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8, J j 9, K k 10, L l 11)
}
