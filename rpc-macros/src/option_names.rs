//! The options of `#[rpc(…)]`: one enum for each kind of item that takes options.
//!
//! The code that reads an option matches on the enum, and error messages list the same enum. An option that
//! is listed and not read does not compile.

/// The options of one kind of item.
pub(crate) trait OptionName: Copy + Eq + 'static {
    /// The kind of item, as in "unknown option on a method".
    const ITEM: &'static str;
    /// All options with their names, in the order in which errors list them.
    const ALL: &'static [(Self, &'static str)];
    /// The options that may be repeated.
    const REPEATABLE: &'static [Self];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(option, _)| *option)
    }
}

macro_rules! option_names {
    ($($item:literal: $names:ident $(repeatable $repeatable:ident)? { $($option:ident = $name:literal,)* })*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Eq)]
            pub(crate) enum $names { $($option),* }

            impl OptionName for $names {
                const ITEM: &'static str = $item;
                const ALL: &'static [(Self, &'static str)] = &[$((Self::$option, $name)),*];
                const REPEATABLE: &'static [Self] = &[$(Self::$repeatable)?];
            }
        )*

        /// Returns the kind of item that takes an option of this name.
        fn item_with(name: &str) -> Option<&'static str> {
            $(
                if $names::from_name(name).is_some() {
                    return Some($names::ITEM);
                }
            )*
            None
        }
    };
}

option_names! {
    "a trait": TraitOption {
        Namespace = "namespace",
        Separator = "separator",
        RenameAll = "rename_all",
        RenameAllParams = "rename_all_params",
        Params = "params",
        AllowUnknownParams = "allow_unknown_params",
        Client = "client",
        Server = "server",
        ClientImplementsTrait = "client_implements_trait",
        Crate = "crate",
    }
    "a method": MethodOption repeatable Alias {
        Name = "name",
        Alias = "alias",
        Notification = "notification",
        Idempotent = "idempotent",
        Params = "params",
        Exclusive = "exclusive",
        Timeout = "timeout",
        Blocking = "blocking",
        Fallible = "fallible",
        Infallible = "infallible",
    }
    "a parameter": ParamOption {
        Rename = "rename",
        Default = "default",
        Flatten = "flatten",
        Context = "context",
    }
    "an error enum": ErrorOption {
        Crate = "crate",
    }
    "a variant": VariantOption {
        Code = "code",
        Message = "message",
        Other = "other",
        Reserved = "reserved",
    }
}

/// Explains that an item has no option of this name.
pub(crate) fn explain_unknown<O: OptionName>(name: &str) -> String {
    let (item, expected) = (O::ITEM, expected::<O>());
    if let Some(other) = item_with(name) {
        return format!("`{name}` is an option of {other}, not of {item}; {expected}");
    }
    match similar::<O>(name) {
        Some(option) => format!("unknown option `{name}` on {item}; did you mean `{option}`? {expected}"),
        None => format!("unknown option `{name}` on {item}; {expected}"),
    }
}

/// Lists the options of an item.
pub(crate) fn expected<O: OptionName>() -> String {
    let names: Vec<_> = O::ALL.iter().map(|(_, name)| format!("`{name}`")).collect();
    match &names[..] {
        [only] => format!("expected {only}"),
        _ => format!("expected one of {}", names.join(", ")),
    }
}

/// Returns the option that begins with `name`, otherwise the most similar one with at most two edits.
fn similar<O: OptionName>(name: &str) -> Option<&'static str> {
    let names = || O::ALL.iter().map(|(_, option)| *option);
    names()
        .find(|option| option.starts_with(name))
        .or_else(|| names().filter(|option| distance(option, name) <= 2).min_by_key(|option| distance(option, name)))
}

/// The Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[row.len() - 1]
}
