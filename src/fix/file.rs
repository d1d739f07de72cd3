//! The fixes of one file.

use std::collections::BTreeSet;
use std::path::Path;

use super::text_fixes::{self, FixOutcomes, LeftOut, TextFix, TextWithEdits, proved_together};
use super::{AddImpact, FixOptions, FixedTarget, FixedText, Target, reread};
use crate::check::{Fix, FixSafety};
use crate::codes;
use crate::upgrade::{AppliedRewrite, Modernize, RewriteEffect, Upgrade, UpgradeOptions, upgrade};
use heat_template::dialect::secrets;
use heat_template::hot::Version;
use lossless_yaml::{Document, Edits};
use source_diagnostics::{Code, Diagnostic};

/// The findings that the rules of `upgrade --modernize` resolve.
const OF_THE_RELEASE: &[Code] = &[
    codes::TYPE_WITHOUT_EFFECT,
    codes::DEPRECATED_TYPE,
    codes::DEPRECATED_PROPERTY,
    codes::TYPE_ALIAS,
];

/// Whether findings like this one can have a fix.
pub(super) fn may_have_fix(finding: &Diagnostic) -> bool {
    finding.meant().is_some()
        || OF_THE_RELEASE.contains(&finding.code)
        || text_fixes::REMOVALS.iter().any(|(code, ..)| *code == finding.code)
}

/// Fixes the findings about a file.
pub(super) struct FileFixer<'a> {
    pub(super) path: &'a Path,
    pub(super) document: &'a Document,
    pub(super) targets: &'a [Target],
    pub(super) mapped: &'a BTreeSet<String>,
    pub(super) options: &'a FixOptions,
    pub(super) add_impact: AddImpact<'a>,
}

/// A new text, with what became of the targets.
pub(super) struct FixResult {
    text: String,
    edits: Vec<Edits>,
    pub(super) outcomes: FixOutcomes,
}

impl FileFixer<'_> {
    /// The text with the fixes of a safety and safer ones, perhaps none; `None` if it cannot be read again.
    pub(super) fn fixed(&self, safety: FixSafety) -> Option<FixResult> {
        let (text, edits, mut outcomes) = self.rewritten(safety);
        let text = match text {
            Some(text) => text,
            None => self.document.text().to_owned(),
        };
        let mut result = TextWithEdits { text, edits: vec![edits] };
        // Pairs are removed last: a scalar and a pair are proved in different ways.
        for removes_pairs in [false, true] {
            let document = reread(&result.text, &self.options.limits)?;
            let mut wanted = Vec::new();
            for (at, target) in self.targets.iter().enumerate() {
                let moved = |span, edits| text_fixes::moved(span?, edits);
                let Some(span) = result.edits.iter().fold(Some(target.span), moved) else {
                    // Another fix changed this part.
                    outcomes.leave_out(at, || self.text_fix_alone(target, removes_pairs, safety));
                    continue;
                };
                let fix = TextFix::of(target.code, target.meant.as_deref(), span, &document);
                let fix = fix.filter(|it| it.removes_pair() == removes_pairs);
                wanted.extend(fix.filter(|it| it.safety() <= safety).map(|fix| (at, fix)));
            }
            let FixOutcomes { fixed, left_out } =
                text_fixes::apply(&document, &mut result, wanted, self.options);
            outcomes.fixed.extend(fixed);
            outcomes.left_out.extend(left_out);
        }
        Some(FixResult { text: result.text, edits: result.edits, outcomes })
    }

    /// How safe the fix of the text is that a finding would have if it were alone; `None` without one.
    fn text_fix_alone(
        &self,
        target: &Target,
        removes_pair: bool,
        safety: FixSafety,
    ) -> Option<FixSafety> {
        let span = target.span;
        TextFix::of(target.code, target.meant.as_deref(), span, self.document)
            .filter(|fix| fix.removes_pair() == removes_pair)
            .map(|fix| fix.safety())
            .filter(|it| *it <= safety)
    }

    /// The text with the names of the release, the edits that lead to it, and what they fix.
    fn rewritten(&self, safety: FixSafety) -> (Option<String>, Edits, FixOutcomes) {
        let is_ours = |target: &&Target| OF_THE_RELEASE.contains(&target.code);
        let places: BTreeSet<u32> =
            self.targets.iter().filter(is_ours).map(|target| target.span.start).collect();
        if places.is_empty() {
            return (None, Edits::new(), FixOutcomes::default());
        }
        let all = self.upgraded(&places, safety);
        let mut upgraded = all.clone();
        if all.text.is_none() && !all.rewrites.is_empty() && places.len() > 1 {
            // The engine proves all of its rewrites at once.
            let places: Vec<u32> = places.into_iter().collect();
            let (proved, _) = proved_together(&places, &mut |some| {
                let some = self.upgraded(&some.iter().copied().collect(), safety);
                some.text.is_some() || some.rewrites.is_empty()
            });
            upgraded = self.upgraded(&proved.into_iter().collect(), safety);
        }
        if upgraded.rewrites.iter().any(|it| it.resource.is_some()) {
            (self.add_impact)(self.path, self.document.text(), &mut upgraded);
        }
        let mut outcomes = FixOutcomes::default();
        let is_proved = upgraded.text.is_some();
        for (at, target) in self.targets.iter().enumerate().filter(|(_, it)| is_ours(it)) {
            let of = |upgrade: &Upgrade| {
                upgrade.rewrites.iter().find(|it| it.span.start == target.span.start).map(fix_of)
            };
            match of(&upgraded).filter(|_| is_proved) {
                Some(fix) => outcomes.fixed.push((at, fix)),
                None => {
                    let why = if is_proved { LeftOut::Together } else { LeftOut::Unproved };
                    outcomes.left_out.extend(of(&all).map(|fix| (at, fix.safety, why)));
                }
            }
        }
        let edits = if is_proved { upgraded.edits().clone() } else { Edits::new() };
        (upgraded.text, edits, outcomes)
    }

    /// The upgrade of what the release deprecates at some places.
    fn upgraded(&self, places: &BTreeSet<u32>, safety: FixSafety) -> Upgrade {
        let modernize = Modernize {
            heat: self.options.heat,
            mapped: self.mapped.clone(),
            places: Some(places.clone()),
        };
        let options = UpgradeOptions {
            exact_only: safety == FixSafety::Safe,
            keep_version: true,
            modernize: Some(modernize),
            ..UpgradeOptions::new(self.options.schema, Version::LATEST)
        };
        upgrade(self.document, &options, &self.options.limits)
    }

    /// The result for reports.
    pub(super) fn with_findings(&self, result: FixResult) -> FixedText {
        let fixed = result.outcomes.fixed.into_iter().map(|(at, fix)| {
            let Target { code, message, span, .. } = &self.targets[at];
            FixedTarget { code: *code, message: message.clone(), span: *span, fix }
        });
        let fixed = fixed.collect();
        let document = reread(&result.text, &self.options.limits);
        let secrets = document.as_ref().map(secrets).unwrap_or_default();
        FixedText { text: result.text, secrets, fixed, edits: result.edits }
    }
}

fn fix_of(rewrite: &AppliedRewrite) -> Fix {
    let new = rewrite.new.lines().next().unwrap_or_default();
    let more = if rewrite.new.lines().count() > 1 { " …" } else { "" };
    match &rewrite.effect {
        RewriteEffect::Exact => {
            Fix { safety: FixSafety::Safe, change: format!("writes `{new}{more}`") }
        }
        RewriteEffect::Conditional(condition) => {
            let update = rewrite.update.iter().map(|it| format!("; {}", it.sentence));
            let update: String = update.collect();
            Fix {
                safety: FixSafety::Unsafe,
                change: format!(
                    "writes `{new}{more}`, which is the same only if {condition}{update}"
                ),
            }
        }
    }
}
