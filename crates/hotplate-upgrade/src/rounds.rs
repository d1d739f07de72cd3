//! Rewrites of the rewritten text, until there are none: a rewrite for the release may be possible only after one for the version.
//! Each round is proved; the result is as if all rewrites were of one round.

use std::sync::Arc;

use super::{AppliedRewrite, Status, Upgrade};
use crate::codes;
use lossless_yaml::{Document, Edits, Limits, read};
use source_diagnostics::{Diagnostic, Span};

/// The number of rounds after which rewrites are left for another run: a rule that undoes another one would never end.
const MAX_ROUNDS: usize = 8;

/// Adds the rewrites of further rounds to an upgrade of a document.
pub(super) fn to_fixed_point(
    document: &Document,
    limits: &Limits,
    mut result: Upgrade,
    again: impl Fn(&Document) -> Upgrade,
) -> Upgrade {
    for round in 1.. {
        let Some(text) = result.text.clone() else { break };
        let Ok(middle) = read(document.source(), Arc::from(text), limits) else { break };
        let next = again(&middle);
        let Some(new) = next.text.clone().filter(|new| new != middle.text()) else { break };
        if round == MAX_ROUNDS {
            let message = format!("more rewrites are possible after {MAX_ROUNDS} rounds");
            let first = next.rewrites.first().map(|it| result.edits.before(it.span));
            let finding = Diagnostic::new(codes::FIXES_UNFINISHED, message)
                .help("run the command again; if that does not help, correct this by hand");
            result.findings.push(finding.at(first.unwrap_or(Span::NOWHERE)));
            break;
        }
        result = merged(document, middle.text(), result, next, new);
    }
    result
}

/// One upgrade that does what two do, one after the other.
fn merged(
    document: &Document,
    middle: &str,
    first: Upgrade,
    second: Upgrade,
    text: String,
) -> Upgrade {
    let edits = first.edits.then(middle, &second.edits);
    let new = |span: Span| text.get(edits.after(span).range()).unwrap_or_default().to_owned();
    let mut rewrites = Vec::new();
    for rewrite in first.rewrites {
        let at = first.edits.after(rewrite.span);
        let is_changed = second.edits.sorted().iter().any(|edit| touches(edit.span, at));
        let new = if is_changed { new(rewrite.span) } else { rewrite.new };
        rewrites.push(AppliedRewrite { new, ..rewrite });
    }
    for rewrite in second.rewrites {
        let span = first.edits.before(rewrite.span);
        let old = document.slice(span).to_owned();
        let is_whole = first.edits.after(span).range() == rewrite.span.range();
        let new = if is_whole { rewrite.new } else { new(span) };
        rewrites.push(AppliedRewrite { span, old, new, ..rewrite });
    }
    rewrites.sort_by_key(|rewrite| (rewrite.span.start, std::cmp::Reverse(rewrite.span.end)));
    // What was left to do by hand may be done now.
    let is_left = |finding: &Diagnostic| {
        matches!(finding.code, codes::MODERNIZE_BY_HAND | codes::MODERNIZE_UNSEEN)
    };
    let is_of_upgrade = |finding: &Diagnostic| finding.code.info().id.starts_with("HP04");
    let mut findings = first.findings;
    findings.retain(|finding| !is_left(finding));
    let later = second.findings.into_iter().filter(is_of_upgrade);
    findings.extend(later.map(|finding| before(finding, &first.edits)));
    Upgrade {
        status: Status::upgraded(&rewrites),
        text: Some(text),
        rewrites,
        findings,
        new_secrets: second.new_secrets,
        edits,
        from: first.from,
        to: first.to,
        blockers: first.blockers,
        secrets: first.secrets,
    }
}

fn touches(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end || one.is_empty() && other.contains(one)
}

/// A finding about the text after edits, at its places before them.
fn before(mut finding: Diagnostic, edits: &Edits) -> Diagnostic {
    for label in finding.primary.iter_mut().chain(&mut finding.related) {
        label.span = edits.before(label.span);
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{UpgradeOptions, upgrade};
    use heat_template::hot::Version;
    use heat_template::schema::Schema;
    use source_diagnostics::SourceId;

    /// No two rules are known that undo each other: rewrites that add a comment in each round stand for them.
    #[test]
    fn rewrites_without_end_stop_with_a_finding_and_the_text_of_the_last_round() {
        let (text, limits) =
            ("heat_template_version: 2013-05-23\nresources: {}\n", Limits::default());
        let document = read(SourceId(0), text.into(), &limits).expect("YAML");
        let options = UpgradeOptions::new(Schema::heat(), Version::LATEST);
        let first = upgrade(&document, &options, &limits);
        let upgraded = first.text.clone().expect("a text");
        let result = |rounds: usize| {
            let again = |middle: &Document| {
                let end = middle.text().len() as u32;
                let mut edits = Edits::new();
                if middle.text().matches('#').count() < rounds {
                    edits.insert(Span::new(SourceId(0), end, end), "#\n");
                }
                let text = edits.apply(middle).ok();
                Upgrade { text, edits, rewrites: Vec::new(), ..first.clone() }
            };
            to_fixed_point(&document, &limits, first.clone(), again)
        };
        let ended = result(MAX_ROUNDS - 1);
        assert_eq!(ended.text, Some(upgraded.clone() + &"#\n".repeat(MAX_ROUNDS - 1)));
        assert!(ended.findings.iter().all(|it| it.code != codes::FIXES_UNFINISHED));
        let endless = result(usize::MAX);
        assert_eq!(endless.text, Some(upgraded + &"#\n".repeat(MAX_ROUNDS - 1)));
        let last = endless.findings.last().expect("a finding");
        assert_eq!(last.code, codes::FIXES_UNFINISHED);
        assert!(last.help.iter().any(|it| it.starts_with("run the command again")));
        let edited = endless.edits.apply(&document).ok();
        assert_eq!(edited, endless.text, "the edits lead to the text");
    }
}
