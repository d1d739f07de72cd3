//! The fixes of one file.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::text_fixes::{
    self, FixOutcomes, FixablePlaces, LeftOut, Moves, TextFix, TextWithEdits, proved_together,
};
use super::{AddImpact, FixOptions, FixedTarget, FixedText, OfRun, Target, reread};
use heat_template::dialect::secrets;
use heat_template::hot::Version;
use hotplate_check::{Fix, FixSafety};
use hotplate_upgrade::{
    AppliedRewrite, Modernize, RewriteEffect, Upgrade, UpgradeOptions, upgrade,
};
use lossless_yaml::{Document, Edits};
use source_diagnostics::{Code, Diagnostic, Span};

/// The findings that the rules of `upgrade --modernize` resolve.
const OF_THE_RELEASE: &[Code] = &[
    hotplate_check::codes::TYPE_WITHOUT_EFFECT,
    hotplate_check::codes::DEPRECATED_TYPE,
    hotplate_check::codes::DEPRECATED_PROPERTY,
    hotplate_check::codes::TYPE_ALIAS,
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
    pub(super) url: &'a str,
    pub(super) of_run: OfRun<'a>,
    pub(super) options: &'a FixOptions,
    pub(super) add_impact: AddImpact<'a>,
    /// The parts of the text that reports must not show.
    pub(super) secrets: &'a [Span],
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
        // Only what another fix has changed is looked up in the text before all fixes.
        let places_before = OnceCell::new();
        // Pairs are removed last: a scalar and a pair are proved in different ways.
        for removes_pairs in [false, true] {
            let document = reread(&result.text, &self.options.limits)?;
            let places = FixablePlaces::of(&document);
            let moves: Vec<Moves> = result.edits.iter().map(Moves::of).collect();
            let fixed: HashSet<usize> = outcomes.fixed.iter().map(|(at, _)| *at).collect();
            let mut wanted = Vec::new();
            for (at, target) in self.targets.iter().enumerate() {
                let moved = |span: Option<_>, moves: &Moves| moves.moved(span?);
                let Some(span) = moves.iter().fold(Some(target.span), moved) else {
                    // Another fix changed this part.
                    let before = places_before.get_or_init(|| FixablePlaces::of(self.document));
                    let fix =
                        TextFix::of(target.code, target.meant.as_deref(), target.span, before);
                    let is_ours =
                        |it: &TextFix| it.removes_pair() == removes_pairs && it.safety() <= safety;
                    if let Some(fix) = fix.filter(is_ours).filter(|_| !fixed.contains(&at)) {
                        outcomes.left_out.push((at, fix.safety(), LeftOut::Together));
                    }
                    continue;
                };
                let fix = TextFix::of(target.code, target.meant.as_deref(), span, &places);
                let is_ours =
                    |it: &TextFix| it.removes_pair() == removes_pairs && it.safety() <= safety;
                let Some(fix) = fix.filter(is_ours) else { continue };
                let name = fix.parameter(&document, &places);
                match name.and_then(|name| self.of_run.references.to(self.url, name)) {
                    Some(place) => {
                        let why = LeftOut::Referenced(place.into());
                        outcomes.left_out.push((at, fix.safety(), why));
                    }
                    None => wanted.push((at, fix)),
                }
            }
            let FixOutcomes { fixed, left_out } =
                text_fixes::apply(&document, &mut result, wanted, self.options);
            outcomes.fixed.extend(fixed);
            outcomes.left_out.extend(left_out);
        }
        Some(FixResult { text: result.text, edits: result.edits, outcomes })
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
            let bytes = self.document.text().len();
            let split = proved_together(&places, bytes, &mut |some| {
                let some = self.upgraded(&some.iter().copied().collect(), safety);
                some.text.is_some() || some.rewrites.is_empty()
            });
            upgraded = self.upgraded(&split.accepted.into_iter().collect(), safety);
        }
        if upgraded.rewrites.iter().any(|it| it.resource.is_some()) {
            (self.add_impact)(self.path, self.document.text(), &mut upgraded);
        }
        let mut outcomes = FixOutcomes::default();
        let is_proved = upgraded.text.is_some();
        let (done, planned) = (by_start(&upgraded), by_start(&all));
        for (at, target) in self.targets.iter().enumerate().filter(|(_, it)| is_ours(it)) {
            let fix = |rewrites: &HashMap<u32, &AppliedRewrite>| {
                rewrites.get(&target.span.start).map(|rewrite| fix_of(rewrite))
            };
            match fix(&done).filter(|_| is_proved) {
                Some(fix) => outcomes.fixed.push((at, fix)),
                None => {
                    let why = if is_proved { LeftOut::Together } else { LeftOut::Unproved };
                    outcomes.left_out.extend(fix(&planned).map(|fix| (at, fix.safety, why)));
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
            mapped: self.of_run.mapped.clone(),
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
        let mut secrets = document.as_ref().map(secrets).unwrap_or_default();
        // Hidden values stay hidden in their new place.
        let moved = |spans: Vec<Span>, edits| text_fixes::moved_all(spans, edits);
        secrets.extend(result.edits.iter().fold(self.secrets.to_vec(), moved));
        FixedText { text: result.text, secrets, fixed, edits: result.edits }
    }
}

/// The first rewrite at each place where one starts.
fn by_start(upgrade: &Upgrade) -> HashMap<u32, &AppliedRewrite> {
    let mut rewrites = HashMap::new();
    for rewrite in &upgrade.rewrites {
        rewrites.entry(rewrite.span.start).or_insert(rewrite);
    }
    rewrites
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
