//! The faults of a message.

use std::fmt;

/// The fault of an invalid message. Its `Display` describes it.
///
/// ```
/// use rpc_core::wire::Reason;
///
/// assert_eq!(Reason::NotJson.to_error().code, -32700);
/// assert!(Reason::ResultAndError.is_about_response());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the `Display` of each variant describes it")]
pub enum Reason {
    NotUtf8,
    NotJson,
    TooDeep,
    TooLarge,
    BatchTooLong,
    BatchEmpty,
    NotAnObject,
    MemberRepeated,
    Version,
    NoMethod,
    MethodNotString,
    MethodUnreadable,
    ParamsNotStructured,
    IdNotAllowed,
    IdNull,
    ResultBesideMethod,
    ResponseMemberRepeated,
    ResponseWithoutId,
    ResponseIdNotAllowed,
    ResultAndError,
    NeitherResultNorError,
    ErrorNotObject,
    ErrorCodeNotInteger,
    ErrorMessageUnreadable,
}

impl Reason {
    /// Returns `true` if the message has the shape of a response. Such a message gets no response itself.
    #[must_use]
    pub fn is_about_response(self) -> bool {
        matches!(
            self,
            Reason::ResponseMemberRepeated
                | Reason::ResponseWithoutId
                | Reason::ResponseIdNotAllowed
                | Reason::ResultAndError
                | Reason::NeitherResultNorError
                | Reason::ErrorNotObject
                | Reason::ErrorCodeNotInteger
                | Reason::ErrorMessageUnreadable
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A server sends these texts as the `data` of -32600 and -32700. A method that decodes an
        // `ErrorObject` from its params sends those about error objects in its -32602.
        f.write_str(match self {
            Reason::NotUtf8 => "the message is not UTF-8",
            Reason::NotJson => "the message is not JSON",
            Reason::TooDeep => "the message is nested too deeply",
            Reason::TooLarge => "the message is too large",
            Reason::BatchTooLong => "the batch has too many members",
            Reason::BatchEmpty => "a batch must have at least one member",
            Reason::NotAnObject => "a message must be an object",
            Reason::MemberRepeated => "`jsonrpc`, `method`, `params` and `id` may each come once",
            Reason::Version => "`jsonrpc` must be exactly \"2.0\"",
            Reason::NoMethod => "`method` is missing, and so are `result` and `error`",
            Reason::MethodNotString => "`method` must be a string",
            Reason::MethodUnreadable => "`method` holds a lone surrogate",
            Reason::ParamsNotStructured => "`params` must be an array or an object",
            Reason::IdNotAllowed => "`id` must be a string, a number or null",
            Reason::IdNull => "`id` must not be null in this protocol",
            Reason::ResultBesideMethod => "`method` cannot stand beside `result` or `error`",
            Reason::ResponseMemberRepeated => "a member of the reply is repeated",
            Reason::ResponseWithoutId => "the response has no `id`",
            Reason::ResponseIdNotAllowed => "the `id` of the response is not a string, a number or null",
            Reason::ResultAndError => "the response has both `result` and `error`",
            Reason::NeitherResultNorError => "the response has neither `result` nor `error`",
            Reason::ErrorNotObject => "the `error` of the reply is no object",
            Reason::ErrorCodeNotInteger => "the error's `code` is no integer",
            Reason::ErrorMessageUnreadable => "the error's `message` is no string",
        })
    }
}
impl std::error::Error for Reason {}
