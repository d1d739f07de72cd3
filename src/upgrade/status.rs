//! What can become of a file.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::rule::RewriteEffect;
use super::{AppliedRewrite, rules};

macro_rules! statuses {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// What became of a file. Every file has one, so that counts add up to the files found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        pub enum Status {
            $($(#[$doc])* #[schemars(rename = $name)] $variant,)*
        }

        impl Status {
            /// Every status, in the order of reports.
            pub const ALL: &'static [Status] = &[$(Status::$variant),*];

            /// The name in reports for programs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Status::$variant => $name,)*
                }
            }
        }
    };
}

statuses! {
    /// There is a new text; only the version differs.
    DateOnly = "date_only";
    /// There is a new text, with exact rewrites.
    Rewritten = "rewritten";
    /// There is a new text; at least one rewrite keeps the value under a condition only.
    Conditional = "conditional";
    /// The text is as the target wants it already.
    Unchanged = "unchanged";
    /// Something has no rewrite; the text stays.
    Blocked = "blocked";
    /// Heat refuses the template, in the declared version and in the target; the text stays.
    Invalid = "invalid";
    /// The proof failed, which is a bug of hotplate; the text stays.
    Unproved = "unproved";
    /// The file cannot be read.
    Unreadable = "unreadable";
    /// The new text cannot be written; the file stays.
    Unwritable = "unwritable";
    /// Not a HOT template.
    Skipped = "skipped";
}

impl Status {
    /// Whether there is a new text.
    pub fn is_upgraded(self) -> bool {
        matches!(self, Status::DateOnly | Status::Rewritten | Status::Conditional)
    }

    /// The status of a template with a new text.
    pub(super) fn upgraded(rewrites: &[AppliedRewrite]) -> Status {
        let version = rules::VERSION_RULE.name;
        if rewrites.iter().any(|applied| matches!(applied.effect, RewriteEffect::Conditional(_))) {
            Status::Conditional
        } else if rewrites
            .iter()
            .all(|applied| applied.rule == version || applied.old == applied.new)
        {
            Status::DateOnly
        } else {
            Status::Rewritten
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
