//! The identity of a finding: a stable code with its severity and explanation.

use serde::{Serialize, Serializer};

use super::{Consequence, Severity};

/// A row of a table of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeInfo<'a> {
    /// The stable identifier shown to users, for example `HP0101`. No other code has it.
    pub id: &'a str,
    /// A short title in lower case, without a full stop.
    pub title: &'a str,
    /// The default severity; a single finding may override it.
    pub severity: Severity,
    /// What Heat does about such a finding, if it has that severity.
    pub consequence: Consequence,
    /// What the finding means and what to do about it.
    pub explanation: &'a str,
    /// For a rule of a user's own, the folder of its policy; `None` for the codes of the program.
    pub policy: Option<&'a str>,
}

/// The stable code of a finding. Codes are never reused.
///
/// A crate declares the codes that it reports with [`codes!`](crate::codes!); the program that combines
/// crates combines their tables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(&'static CodeInfo<'static>);

impl Code {
    /// The code of a row, for [`codes!`](crate::codes!).
    pub const fn new(info: &'static CodeInfo<'static>) -> Self {
        Code(info)
    }

    /// The code of a rule that a user wrote. The row stays in memory until the process ends, so that such a code is like any
    /// other one; a policy is read once.
    pub fn of_policy(info: CodeInfo<'_>) -> Self {
        fn keep(text: &str) -> &'static str {
            Box::leak(text.into())
        }
        let kept = CodeInfo {
            id: keep(info.id),
            title: keep(info.title),
            severity: info.severity,
            consequence: info.consequence,
            explanation: keep(info.explanation),
            policy: info.policy.map(keep),
        };
        Code(Box::leak(Box::new(kept)))
    }

    /// The table row of this code.
    pub const fn info(self) -> &'static CodeInfo<'static> {
        self.0
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.id)
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.id)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.id)
    }
}

/// Declares a table of codes: a constant for each row, and `ALL` with all of them in the order of the table. Heat refuses the
/// stack because of an error, unless the row has another [`Consequence`] in parentheses after the severity.
///
/// ```
/// mod codes {
///     source_diagnostics::codes! {
///         EMPTY_FILE = "X0001" Error "file is empty"
///             "There is nothing to read.";
///     }
/// }
///
/// assert_eq!(codes::EMPTY_FILE.info().title, "file is empty");
/// assert_eq!(codes::ALL, [codes::EMPTY_FILE]);
/// ```
#[macro_export]
macro_rules! codes {
    (@consequence Error) => { $crate::Consequence::StackRefused };
    (@consequence $severity:ident) => { $crate::Consequence::Accepted };
    (@consequence $severity:ident $other:ident) => { $crate::Consequence::$other };
    ($($name:ident = $id:literal $severity:ident $(($consequence:ident))? $title:literal $explanation:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: $crate::Code = $crate::Code::new(&$crate::CodeInfo {
                id: $id,
                title: $title,
                severity: $crate::Severity::$severity,
                consequence: $crate::codes!(@consequence $severity $($consequence)?),
                explanation: $explanation,
                policy: None,
            });
        )*

        /// Every code of this table, in its order.
        pub const ALL: &[$crate::Code] = &[$($name),*];
    };
}
