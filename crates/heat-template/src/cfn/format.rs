//! The two formats.
//!
//! Heat's rule: `docs/heat.md#the-two-cfn-formats`.

/// A CFN format of Heat's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Heat's own, without conditions.
    Heat,
    /// That of CloudFormation, with conditions.
    Aws,
}

impl Format {
    /// Both.
    pub const ALL: [Format; 2] = [Format::Heat, Format::Aws];

    /// The key that declares it.
    pub fn key(self) -> &'static str {
        match self {
            Format::Heat => "HeatTemplateFormatVersion",
            Format::Aws => "AWSTemplateFormatVersion",
        }
    }

    /// The one date that Heat takes as its version.
    pub fn date(self) -> &'static str {
        match self {
            Format::Heat => "2012-12-12",
            Format::Aws => "2010-09-09",
        }
    }

    /// The format with this date.
    pub fn of_date(date: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.date() == date)
    }

    /// Whether it has conditions.
    pub fn has_conditions(self) -> bool {
        match self {
            Format::Heat => false,
            Format::Aws => true,
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.key(), self.date())
    }
}
