//! The level of each message in the formats for continuous integration, and their general help texts:
//! one table for all formats.

use hotplate_diff::{AccessChange, Impact, SecurityKind};
use source_diagnostics::Severity;

/// The level of an impact; `None` if it is not reported.
pub(super) fn impact_level(impact: Impact) -> Option<Severity> {
    match impact {
        Impact::Refused | Impact::Delete | Impact::Replace | Impact::NotCompared => {
            Some(Severity::Error)
        }
        Impact::MayDelete
        | Impact::MayReplace
        | Impact::Rebuild
        | Impact::Snapshot
        | Impact::Retain => Some(Severity::Warning),
        Impact::Create | Impact::Adopt | Impact::MayCreate | Impact::Update => Some(Severity::Note),
        Impact::NoopUpdate | Impact::None => None,
    }
}

/// The level of a security change.
pub(super) fn access_level(verdict: AccessChange) -> Severity {
    match verdict {
        AccessChange::Widened | AccessChange::MayWiden => Severity::Warning,
        AccessChange::Initial | AccessChange::Changed | AccessChange::Narrowed => Severity::Note,
    }
}

/// What the impact means for a running stack, and how to avoid it.
pub(super) fn impact_help(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => {
            "Heat refuses this change and the update fails. Revert the change, or rename the resource so that a new one is created."
        }
        Impact::Delete => {
            "Heat deletes the resource with its data. To keep it, deploy `deletion_policy: retain` first."
        }
        Impact::Replace => {
            "Heat creates a new resource and deletes the old one; it has a new id and new addresses, and what is on the old one is lost unless its `deletion_policy` keeps it. Revert the change of the property, or allow the replacement."
        }
        Impact::NotCompared => {
            "The resource depends on a file that could not be read, so its impact is unknown. Make the file readable; `--allow-path` allows files outside of the folders that are read."
        }
        Impact::MayDelete => {
            "Heat deletes the resource if a condition or the size of its group, which are unknown before deployment, says so. Pass the values with -P or -e to find out."
        }
        Impact::MayReplace => {
            "Heat replaces the resource if a value changes that is unknown before deployment. Pass the value with -P, -e or --attrs to find out."
        }
        Impact::Rebuild => {
            "Heat rebuilds the server: its root disk is rewritten from the image, and what is on it is lost; its id and addresses stay. Revert the change, or save what is on the disk before."
        }
        Impact::Snapshot => {
            "Heat takes a snapshot and deletes the resource. It can be recreated from the snapshot."
        }
        Impact::Retain => {
            "The resource leaves the stack but remains in the cloud until you delete it."
        }
        Impact::Create => "Heat creates the resource.",
        Impact::Adopt => "The stack adopts an existing resource and never changes it.",
        Impact::MayCreate => {
            "Heat creates the resource if a condition or the size of its group, which are unknown before deployment, says so. Pass the values with -P or -e to find out."
        }
        Impact::Update => "Heat updates the resource in place.",
        Impact::NoopUpdate => "Heat runs an update without effect.",
        Impact::None => "The resource is unchanged.",
    }
}

/// The subject of a kind of security change.
pub(super) fn security_help(kind: SecurityKind) -> &'static str {
    match kind {
        SecurityKind::Rule => "A rule of a security group or firewall matches different traffic.",
        SecurityKind::PublicAddress => "A public address is added, removed or changed.",
        SecurityKind::PortSecurity => {
            "Port security, or the security groups of a port or server, differ."
        }
        SecurityKind::Key => "A key pair for logging in to servers differs.",
        SecurityKind::Password => "A password or another credential differs.",
        SecurityKind::UserData => "What a server runs when it boots differs.",
        SecurityKind::Image => "The image of a server differs.",
        SecurityKind::Sharing => {
            "The users that a resource is shared with, or that may read or write it, differ."
        }
        SecurityKind::Role => "The roles of a user or a group differ.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_louder_than_what_comes() {
        let levels: Vec<_> = Impact::ALL.into_iter().map(impact_level).collect();
        assert!(levels.is_sorted_by(|one, other| one >= other), "{levels:?}");
    }
}
