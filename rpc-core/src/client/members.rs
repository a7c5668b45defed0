//! The members of a batch: calls and notifications, in tuples, arrays and vectors.

use super::call::Call;
use super::caller::Caller;
use super::notify_call::NotifyCall;
use super::outgoing_batch::OutgoingBatch;
use super::response;
use crate::error::ClientError;
use crate::wire::ErrorObject;
use serde::de::DeserializeOwned;

/// A member of a batch over callers `C`: a [`Call`] or a [`NotifyCall`]. The example is at
/// [`BatchCall`](super::BatchCall).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a member of a batch over `{C}`",
    note = "the members of a batch are calls and notifications before `.await`, of clients with the same type of caller"
)]
pub trait Member<C> {
    /// The outcome: the `Result` of the call, or of sending the notification.
    type Output;
    /// Adds the message to the batch, if it is encoded.
    #[doc(hidden)]
    fn add_to(self, batch: &mut OutgoingBatch) -> Encoded;
    /// Returns the outcome. Takes the first of `responses` if the member is an encoded call.
    #[doc(hidden)]
    fn decode(encoded: Encoded, responses: &mut RemainingResponses) -> Self::Output;
}

/// The members of a batch over callers `C`: a tuple of up to twelve, an array or a vector. The example is at
/// [`BatchCall`](super::BatchCall).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as a batch over `{C}`",
    note = "a batch is a tuple, an array or a vector of calls and notifications before `.await`"
)]
pub trait Members<C> {
    /// The outcomes, in the shape of the members.
    type Output;
    /// The results of encoding, in the shape of the members.
    #[doc(hidden)]
    type Encoded: Unpin + Send;
    /// Adds the messages to the batch.
    #[doc(hidden)]
    fn add_to(self, batch: &mut OutgoingBatch) -> Self::Encoded;
    /// Returns the outcomes.
    #[doc(hidden)]
    fn decode(encoded: Self::Encoded, responses: &mut RemainingResponses) -> Self::Output;
}

/// The result of encoding a member.
pub(super) type Encoded = Result<(), serde_json::Error>;

/// The responses to the calls that have no outcome yet.
pub(super) type RemainingResponses = std::vec::IntoIter<Result<String, ClientError>>;

impl<C: Caller, T: DeserializeOwned, F: From<ClientError> + From<ErrorObject>> Member<C> for Call<'_, C, T, F> {
    type Output = Result<T, F>;

    fn add_to(self, batch: &mut OutgoingBatch) -> Encoded {
        self.into_outgoing().map(|outgoing| batch.call(outgoing))
    }
    fn decode(encoded: Encoded, responses: &mut RemainingResponses) -> Self::Output {
        encoded.map_err(|error| F::from(ClientError::Encode(error)))?;
        let missing = || Err(ClientError::Closed("the caller returned no response".into()));
        let text = responses.next().unwrap_or_else(missing).map_err(F::from)?;
        response::decode(&text)
    }
}

impl<C: Caller> Member<C> for NotifyCall<'_, C> {
    type Output = Result<(), ClientError>;

    fn add_to(self, batch: &mut OutgoingBatch) -> Encoded {
        self.into_outgoing().map(|outgoing| batch.notify(outgoing))
    }
    fn decode(encoded: Encoded, _: &mut RemainingResponses) -> Self::Output {
        encoded.map_err(ClientError::Encode)
    }
}

impl<C, M: Member<C>> Members<C> for Vec<M> {
    type Output = Vec<M::Output>;
    type Encoded = Vec<Encoded>;

    fn add_to(self, batch: &mut OutgoingBatch) -> Self::Encoded {
        self.into_iter().map(|member| member.add_to(batch)).collect()
    }
    fn decode(encoded: Self::Encoded, responses: &mut RemainingResponses) -> Self::Output {
        encoded.into_iter().map(|encoded| M::decode(encoded, responses)).collect()
    }
}

impl<C, M: Member<C>, const N: usize> Members<C> for [M; N] {
    type Output = [M::Output; N];
    type Encoded = [Encoded; N];

    fn add_to(self, batch: &mut OutgoingBatch) -> Self::Encoded {
        self.map(|member| member.add_to(batch))
    }
    fn decode(encoded: Self::Encoded, responses: &mut RemainingResponses) -> Self::Output {
        encoded.map(|encoded| M::decode(encoded, responses))
    }
}

/// Repeats a type for each member.
macro_rules! encoded_of {
    ($member:ident) => {
        Encoded
    };
}

macro_rules! tuples {
    ($($($member:ident)+;)*) => {$(
        impl<C, $($member: Member<C>),+> Members<C> for ($($member,)+) {
            type Output = ($($member::Output,)+);
            type Encoded = ($(encoded_of!($member),)+);

            #[allow(non_snake_case, reason = "a member has the name of its type")]
            fn add_to(self, batch: &mut OutgoingBatch) -> Self::Encoded {
                let ($($member,)+) = self;
                ($($member.add_to(batch),)+)
            }
            #[allow(non_snake_case, reason = "a member has the name of its type")]
            fn decode(encoded: Self::Encoded, responses: &mut RemainingResponses) -> Self::Output {
                let ($($member,)+) = encoded;
                ($(<$member as Member<C>>::decode($member, responses),)+)
            }
        }
    )*};
}
tuples! {
    M1;
    M1 M2;
    M1 M2 M3;
    M1 M2 M3 M4;
    M1 M2 M3 M4 M5;
    M1 M2 M3 M4 M5 M6;
    M1 M2 M3 M4 M5 M6 M7;
    M1 M2 M3 M4 M5 M6 M7 M8;
    M1 M2 M3 M4 M5 M6 M7 M8 M9;
    M1 M2 M3 M4 M5 M6 M7 M8 M9 M10;
    M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11;
    M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12;
}
