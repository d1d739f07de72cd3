//! What an upgrade of names does to a running stack, by the comparison of both texts.

use std::collections::BTreeSet;

use super::diff::impact_phrase;
use heat_engine::environment::registry::is_template_name;
use hotplate_diff::{Comparison, Impact, ResourceChange};
use hotplate_upgrade::{ResourceUpdate, Status, Upgrade};
use source_diagnostics::{Diagnostic, SourceId, Span};

/// The number of resources that a sentence names.
const NAMED: usize = 5;

/// Adds what the comparison of the old text with the new one says about the resources whose types change, and about all
/// that an exact rewrite changes.
pub fn add(upgrade: &mut Upgrade, comparison: &Comparison) {
    let mut advice: Vec<(Span, String)> = Vec::new();
    for rewrite in &mut upgrade.rewrites {
        let changed = |it: &&ResourceChange| Some(&it.name) == rewrite.resource.as_ref();
        let Some(change) = comparison.resources.iter().find(changed) else { continue };
        let others = affected(comparison, &change.name);
        let sentence = sentence(change, &others);
        advice.push((rewrite.span, sentence.clone()));
        rewrite.update = Some(ResourceUpdate {
            resource: change.name.clone(),
            impact: change.effective_impact.name(),
            others,
            sentence,
        });
    }
    for (span, sentence) in advice {
        let is_about = |finding: &&mut Diagnostic| {
            finding.code == hotplate_upgrade::codes::UPGRADE_CONDITIONAL
                && finding.primary.iter().chain(&finding.related).any(|label| label.span == span)
        };
        if let Some(finding) = upgrade.findings.iter_mut().find(is_about) {
            finding.help.insert(0, sentence);
        }
    }
    // What a conditional rewrite changes is in its condition.
    if upgrade.status == Status::Rewritten {
        upgrade.findings.extend(of_exact_rewrites(comparison));
    }
}

/// The resources of the stack itself that an update changes although every rewrite is exact: groups, whose definitions of members
/// Heat compares as they are written.
fn of_exact_rewrites(comparison: &Comparison) -> impl Iterator<Item = Diagnostic> {
    let is_own = |it: &&ResourceChange| {
        let is_file = it.kind.new.as_deref().is_some_and(is_template_name);
        !is_file && !it.name.contains('/')
    };
    let resources = comparison.resources.iter().filter(is_own);
    let changed = resources.filter(|it| is_change(it.effective_impact));
    changed.map(|it| {
        let phrase = impact_phrase(it.effective_impact);
        let kind = it.kind.new.as_deref().unwrap_or_default();
        let message = format!("an update of a running stack: `{}` (`{kind}`) {phrase}", it.name);
        let finding = Diagnostic::new(hotplate_upgrade::codes::MODERNIZE_UPDATE, message);
        match it.places.old {
            Some(span) => finding.at(Span { source: SourceId(0), ..span }),
            None => finding,
        }
    })
}

/// Whether a resource certainly changes. What Heat refuses in the new text it refuses in the old one, too, as the proof says, and
/// what depends on a file that is not there says nothing about the names.
fn is_change(impact: Impact) -> bool {
    matches!(impact, Impact::Rebuild | Impact::Update) || !impact.keeps_resource()
}

/// The resources that change because one does, in order.
fn affected(comparison: &Comparison, cause: &str) -> Vec<String> {
    let mut sources = BTreeSet::from([cause]);
    loop {
        let because = |it: &&ResourceChange| {
            let mut propagations = it.propagations.iter();
            !sources.contains(it.name.as_str())
                && propagations
                    .any(|it| is_change(it.impact) && sources.contains(it.source.as_str()))
        };
        let more: Vec<&str> =
            comparison.resources.iter().filter(because).map(|it| it.name.as_str()).collect();
        if more.is_empty() {
            break;
        }
        sources.extend(more);
    }
    sources.remove(cause);
    let names = comparison.resources.iter().map(|it| &it.name);
    names.filter(|name| sources.contains(name.as_str())).cloned().collect()
}

fn sentence(change: &ResourceChange, others: &[String]) -> String {
    let phrase = impact_phrase(change.effective_impact);
    let start = format!("an update of a running stack: `{}` {phrase}", change.name);
    let names: Vec<String> = others.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = if others.len() > NAMED { ", …" } else { "" };
    match others.len() {
        0 => start,
        count => format!("{start}, and {count} more with it: {}{more}", names.join(", ")),
    }
}
