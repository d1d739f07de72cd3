//! How loudly the formats for continuous integration speak of what, and what they say about it in
//! general: the one table for all of them.

use crate::diff::{AccessChange, Impact, SecurityKind};
use source_diagnostics::Severity;

/// How loud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Worth knowing.
    Notice,
    /// Look at it.
    Warning,
    /// Something is lost, or the update fails.
    Error,
}

/// How loudly an impact is told; `None` where there is nothing to tell.
pub(super) fn impact_level(impact: Impact) -> Option<Level> {
    match impact {
        Impact::Refused | Impact::Delete | Impact::Replace | Impact::NotCompared => {
            Some(Level::Error)
        }
        Impact::MayReplace | Impact::Snapshot | Impact::Retain => Some(Level::Warning),
        Impact::Create | Impact::Adopt | Impact::Update => Some(Level::Notice),
        Impact::NoopUpdate | Impact::None => None,
    }
}

/// How loudly a change of what is possible is told.
pub(super) fn access_level(verdict: AccessChange) -> Level {
    match verdict {
        AccessChange::Widened => Level::Warning,
        AccessChange::Changed | AccessChange::Narrowed => Level::Notice,
    }
}

/// How loudly a finding is told.
pub(super) fn severity_level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Note => Level::Notice,
    }
}

/// What the impact means for a running stack, and what to do if it is not wanted.
pub(super) fn impact_help(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => {
            "Heat refuses this change and the update fails. Take the change back, or give the resource another name so that a new one is created."
        }
        Impact::Delete => {
            "Heat deletes the resource with everything it holds. `deletion_policy: retain` in the stack as it is deployed keeps it."
        }
        Impact::Replace => {
            "Heat creates a new resource and deletes the old one; its id, its addresses and what it holds are new. Take back the change of the property that is named, or allow the replacement."
        }
        Impact::NotCompared => {
            "The resource depends on a file that could not be read, so that nobody knows what happens to it. Make the file readable; `--allow-path` allows files outside of the folders that are read."
        }
        Impact::MayReplace => {
            "Heat replaces the resource if a value that is not known before the cloud runs changes. Give the value with -P, -e or --attrs to know it."
        }
        Impact::Snapshot => {
            "Heat takes a snapshot and deletes the resource. It can be recreated from the snapshot."
        }
        Impact::Retain => {
            "The resource leaves the stack and stays in the cloud. Nobody but you deletes it."
        }
        Impact::Create => "Heat creates the resource.",
        Impact::Adopt => {
            "The stack takes over a resource that exists already, and never changes it."
        }
        Impact::Update => "Heat updates the resource in place.",
        Impact::NoopUpdate => "Heat runs an update that changes nothing.",
        Impact::None => "Nothing happens to the resource.",
    }
}

/// What a kind of security change is about.
pub(super) fn security_help(kind: SecurityKind) -> &'static str {
    match kind {
        SecurityKind::Rule => "A rule of a security group or firewall lets other traffic through.",
        SecurityKind::PublicAddress => "A public address comes, goes or changes.",
        SecurityKind::PortSecurity => {
            "Port security, or the security groups of a port or server, differ."
        }
        SecurityKind::Key => "The key pair that opens servers differs.",
        SecurityKind::Password => "A password or another credential differs.",
        SecurityKind::UserData => "What a server runs when it starts differs.",
        SecurityKind::Image => "What a server is made of differs.",
        SecurityKind::Sharing => {
            "With whom a thing is shared, or who may read or write it, differs."
        }
        SecurityKind::Role => "What a user or a group may do differs.",
    }
}

/// The name of a kind of security change in rule ids.
pub(super) fn security_name(kind: SecurityKind) -> &'static str {
    match kind {
        SecurityKind::Rule => "rule",
        SecurityKind::PublicAddress => "public-address",
        SecurityKind::PortSecurity => "port-security",
        SecurityKind::Key => "key",
        SecurityKind::Password => "password",
        SecurityKind::UserData => "user-data",
        SecurityKind::Image => "image",
        SecurityKind::Sharing => "sharing",
        SecurityKind::Role => "role",
    }
}

/// Every kind of security change.
pub(super) const SECURITY: [SecurityKind; 9] = [
    SecurityKind::Rule,
    SecurityKind::PublicAddress,
    SecurityKind::PortSecurity,
    SecurityKind::Key,
    SecurityKind::Password,
    SecurityKind::UserData,
    SecurityKind::Image,
    SecurityKind::Sharing,
    SecurityKind::Role,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_louder_than_what_comes() {
        let levels: Vec<_> = Impact::ALL.into_iter().map(impact_level).collect();
        assert!(levels.is_sorted_by(|one, other| one >= other), "{levels:?}");
    }

    #[test]
    fn names_are_those_of_the_data() {
        for kind in SECURITY {
            assert_eq!(serde_json::json!(kind), security_name(kind));
        }
    }
}
