//! The two formats.
//!
//! Heat's rule: `docs/heat.md#the-two-cfn-formats`.

/// A CFN format of Heat's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CfnFormat {
    /// Heat's own, without conditions.
    Heat,
    /// That of CloudFormation, with conditions.
    Aws,
}

impl CfnFormat {
    /// Both.
    pub const ALL: [CfnFormat; 2] = [CfnFormat::Heat, CfnFormat::Aws];

    /// The key that declares it.
    pub fn key(self) -> &'static str {
        match self {
            CfnFormat::Heat => "HeatTemplateFormatVersion",
            CfnFormat::Aws => "AWSTemplateFormatVersion",
        }
    }

    /// The one date that Heat takes as its version.
    pub fn date(self) -> &'static str {
        match self {
            CfnFormat::Heat => "2012-12-12",
            CfnFormat::Aws => "2010-09-09",
        }
    }

    /// The format with this date.
    pub fn of_date(date: &str) -> Option<CfnFormat> {
        CfnFormat::ALL.into_iter().find(|format| format.date() == date)
    }

    /// Whether it has conditions.
    pub fn has_conditions(self) -> bool {
        match self {
            CfnFormat::Heat => false,
            CfnFormat::Aws => true,
        }
    }
}

impl std::fmt::Display for CfnFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.key(), self.date())
    }
}
