//! Tests of security changes on whole templates.

mod grants;
mod partly_unknown;
mod properties;
mod rules;

use super::*;
use crate::SuppressionOptions;
use crate::testing::{TestDeployment, deployed, pair};
use heat_template::schema::Schema;
use source_diagnostics::SourceMap;

/// The security changes between two deployments.
fn changes(old: &TestDeployment, new: &TestDeployment) -> Vec<SecurityChange> {
    crate::compare(&old.side(), &new.side(), &SuppressionOptions::default(), None)
        .comparison
        .sections
        .security
}

/// The changes, one per line: `+` more access, `?` perhaps more, `-` less, `~` neither, each with its resource.
fn reported(old: &str, new: &str) -> Vec<String> {
    let (old, new) = pair(old, new);
    changes(&old, &new).iter().map(line).collect()
}

fn line(change: &SecurityChange) -> String {
    let sign = match change.access {
        AccessChange::Widened => '+',
        AccessChange::MayWiden => '?',
        AccessChange::Initial => '*',
        AccessChange::Changed => '~',
        AccessChange::Narrowed => '-',
    };
    format!("{sign} {}: {}", change.resource, change.message)
}

/// A security group with these rules, each a map in braces.
fn group(rules: &[&str]) -> String {
    let rules: Vec<String> = rules.iter().map(|rule| format!("{{{rule}}}")).collect();
    format!(
        "resources: {{g: {{type: OS::Neutron::SecurityGroup, properties: {{rules: [{}]}}}}}}",
        rules.join(", ")
    )
}

/// The changes between two lists of rules.
fn rules(old: &[&str], new: &[&str]) -> Vec<String> {
    reported(&group(old), &group(new))
}

const SSH: &str = "protocol: tcp, port_range_min: 22, port_range_max: 22";

fn ssh(from: &str) -> String {
    format!("{SSH}, remote_ip_prefix: {from}")
}
