//! The two CFN formats of Heat.
//!
//! Heat's rule: `docs/heat.md#the-two-cfn-formats`.

/// One of Heat's CFN formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CfnFormat {
    /// Heat's own format, without conditions.
    Heat,
    /// CloudFormation's format, with conditions.
    Aws,
}

impl CfnFormat {
    /// Both formats.
    pub const ALL: [CfnFormat; 2] = [CfnFormat::Heat, CfnFormat::Aws];

    /// The key that declares the format.
    pub fn key(self) -> &'static str {
        match self {
            CfnFormat::Heat => "HeatTemplateFormatVersion",
            CfnFormat::Aws => "AWSTemplateFormatVersion",
        }
    }

    /// The only date that Heat accepts as its version.
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

    /// Whether the format has conditions.
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
