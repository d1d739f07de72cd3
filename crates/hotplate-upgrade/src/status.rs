//! The outcome of the upgrade of a file.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::rule::RewriteEffect;
use super::{AppliedRewrite, rules};

macro_rules! statuses {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// The outcome for a file. Every file has exactly one, so that the counts add up to the number of files.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        pub enum Status {
            $($(#[$doc])* #[schemars(rename = $name)] $variant,)*
        }

        impl Status {
            /// Every status, in the order of reports.
            pub const ALL: &'static [Status] = &[$(Status::$variant),*];

            /// The name in JSON reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Status::$variant => $name,)*
                }
            }
        }
    };
}

statuses! {
    /// Upgraded; only the version differs.
    DateOnly = "date_only";
    /// Upgraded, with exact rewrites.
    Rewritten = "rewritten";
    /// Upgraded; at least one rewrite keeps the value only under a condition.
    Conditional = "conditional";
    /// The text needs no change.
    Unchanged = "unchanged";
    /// A part has no rewrite; the text is unchanged.
    Blocked = "blocked";
    /// Heat refuses the template in the declared version and in the target version; the text is unchanged.
    Invalid = "invalid";
    /// The proof failed, which is a bug in hotplate; the text is unchanged.
    Unproved = "unproved";
    /// The file cannot be read.
    Unreadable = "unreadable";
    /// The new text cannot be written; the file is unchanged.
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
