//! The members of a batch: calls and notifications, in tuples, arrays and vectors.

use super::call::Call;
use super::caller::Caller;
use super::notify_call::NotifyCall;
use super::outgoing_batch::OutgoingBatch;
use super::response;
use crate::error::ClientError;
use crate::wire::ErrorObject;
use serde::de::DeserializeOwned;

/// A member of a batch over callers `C`: a [`Call`] or a [`NotifyCall`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a member of a batch over `{C}`",
    note = "the members of a batch are calls and notifications before `.await`, of clients with the same type of caller"
)]
pub trait Member<C> {
    /// The outcome: of a call its result, of a notification `()` or the error of its encoding.
    type Output;
    /// Adds the message to the batch, or returns the error of its encoding.
    #[doc(hidden)]
    fn write(self, batch: &mut OutgoingBatch) -> Written;
    /// Returns the outcome. A call takes the next response.
    #[doc(hidden)]
    fn read(written: Written, responses: &mut RemainingResponses) -> Self::Output;
}

/// The members of a batch over callers `C`: a tuple of up to twelve, an array or a vector.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as a batch over `{C}`",
    note = "a batch is a tuple, an array or a vector of calls and notifications before `.await`"
)]
pub trait Members<C> {
    /// The outcomes, in the same shape.
    type Output;
    /// The state of the members after they are written.
    #[doc(hidden)]
    type Written: Unpin + Send;
    /// Adds the messages to the batch.
    #[doc(hidden)]
    fn write(self, batch: &mut OutgoingBatch) -> Self::Written;
    /// Returns the outcomes.
    #[doc(hidden)]
    fn read(written: Self::Written, responses: &mut RemainingResponses) -> Self::Output;
}

/// A written member, or the error of its encoding.
pub(super) type Written = Result<(), serde_json::Error>;

/// The responses that no member has taken yet.
pub(super) type RemainingResponses = std::vec::IntoIter<Result<String, ClientError>>;

impl<C: Caller, T: DeserializeOwned, F: From<ClientError> + From<ErrorObject>> Member<C> for Call<'_, C, T, F> {
    type Output = Result<T, F>;

    fn write(self, batch: &mut OutgoingBatch) -> Written {
        self.into_outgoing().map(|outgoing| batch.call(outgoing))
    }
    fn read(written: Written, responses: &mut RemainingResponses) -> Self::Output {
        written.map_err(|error| F::from(ClientError::Encode(error)))?;
        let missing = || Err(ClientError::Closed("the caller returned no response".into()));
        let text = responses.next().unwrap_or_else(missing).map_err(F::from)?;
        response::read(&text)
    }
}

impl<C: Caller> Member<C> for NotifyCall<'_, C> {
    type Output = Result<(), ClientError>;

    fn write(self, batch: &mut OutgoingBatch) -> Written {
        self.into_outgoing().map(|outgoing| batch.notify(outgoing))
    }
    fn read(written: Written, _: &mut RemainingResponses) -> Self::Output {
        written.map_err(ClientError::Encode)
    }
}

impl<C, M: Member<C>> Members<C> for Vec<M> {
    type Output = Vec<M::Output>;
    type Written = Vec<Written>;

    fn write(self, batch: &mut OutgoingBatch) -> Self::Written {
        self.into_iter().map(|member| member.write(batch)).collect()
    }
    fn read(written: Self::Written, responses: &mut RemainingResponses) -> Self::Output {
        written.into_iter().map(|written| M::read(written, responses)).collect()
    }
}

impl<C, M: Member<C>, const N: usize> Members<C> for [M; N] {
    type Output = [M::Output; N];
    type Written = [Written; N];

    fn write(self, batch: &mut OutgoingBatch) -> Self::Written {
        self.map(|member| member.write(batch))
    }
    fn read(written: Self::Written, responses: &mut RemainingResponses) -> Self::Output {
        written.map(|written| M::read(written, responses))
    }
}

/// Expands to `Written` for each member.
macro_rules! written_of {
    ($member:ident) => {
        Written
    };
}

macro_rules! tuples {
    ($($($member:ident)+;)*) => {$(
        impl<C, $($member: Member<C>),+> Members<C> for ($($member,)+) {
            type Output = ($($member::Output,)+);
            type Written = ($(written_of!($member),)+);

            #[allow(non_snake_case, reason = "a member is named as its type")]
            fn write(self, batch: &mut OutgoingBatch) -> Self::Written {
                let ($($member,)+) = self;
                ($($member.write(batch),)+)
            }
            #[allow(non_snake_case, reason = "a member is named as its type")]
            fn read(written: Self::Written, responses: &mut RemainingResponses) -> Self::Output {
                let ($($member,)+) = written;
                ($(<$member as Member<C>>::read($member, responses),)+)
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
