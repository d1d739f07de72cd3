//! The fixes of one file.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::text_fixes::{self, FixOutcomes, FixablePlaces, LeftOut, Moves, TextFix, TextWithEdits};
use super::{AddImpact, FixOptions, FixedText, Target, reread};
use crate::check::{Fix, FixSafety, FixedFinding};
use crate::codes;
use crate::upgrade::{AppliedRewrite, Modernize, RewriteEffect, UpgradeOptions, upgrade};
use heat_template::dialect::secrets;
use heat_template::hot::Version;
use lossless_yaml::{Document, Edits};
use source_diagnostics::{Code, Diagnostic, SourceLocator, SourceMap, Span};
use source_files::display_name;

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
                    if !fixed.contains(&at) && fix.as_ref().is_some_and(is_ours) {
                        outcomes.left_out.push((at, LeftOut::Together));
                    }
                    continue;
                };
                let fix = TextFix::of(target.code, target.meant.as_deref(), span, &places);
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

    /// The text with the names of the release, the edits that lead to it, and what they fix.
    fn rewritten(&self, safety: FixSafety) -> (Option<String>, Edits, FixOutcomes) {
        let is_ours = |target: &&Target| OF_THE_RELEASE.contains(&target.code);
        let places: BTreeSet<u32> =
            self.targets.iter().filter(is_ours).map(|target| target.span.start).collect();
        if places.is_empty() {
            return (None, Edits::new(), FixOutcomes::default());
        }
        let modernize = Modernize {
            heat: self.options.heat,
            mapped: self.mapped.clone(),
            places: Some(places),
        };
        let options = UpgradeOptions {
            exact_only: safety == FixSafety::Safe,
            keep_version: true,
            modernize: Some(modernize),
            ..UpgradeOptions::new(self.options.schema, Version::LATEST)
        };
        let mut upgraded = upgrade(self.document, &options, &self.options.limits);
        if upgraded.rewrites.iter().any(|it| it.resource.is_some()) {
            (self.add_impact)(self.path, self.document.text(), &mut upgraded);
        }
        let mut rewrites: HashMap<u32, &AppliedRewrite> = HashMap::new();
        for rewrite in &upgraded.rewrites {
            rewrites.entry(rewrite.span.start).or_insert(rewrite);
        }
        let targets = self.targets.iter().enumerate().filter(|(_, it)| is_ours(it));
        let fixed = targets
            .filter_map(|(at, target)| Some((at, fix_of(rewrites.get(&target.span.start)?))));
        let fixed: Vec<(usize, Fix)> = fixed.collect();
        let mut outcomes = FixOutcomes::default();
        let Some(text) = upgraded.text.clone() else {
            // The engine proves all of its rewrites at once.
            let why = if fixed.len() > 1 { LeftOut::Together } else { LeftOut::Unproved };
            outcomes.left_out = fixed.into_iter().map(|(at, _)| (at, why)).collect();
            return (None, Edits::new(), outcomes);
        };
        outcomes.fixed = fixed;
        (Some(text), upgraded.edits().clone(), outcomes)
    }

    /// The result for reports.
    pub(super) fn with_findings(&self, result: FixResult) -> FixedText {
        let mut sources = SourceMap::default();
        sources.add(display_name(self.path), self.document.text().into());
        let sources = sources.masked(self.secrets);
        let mut places = SourceLocator::new(&sources);
        let fixed = result.outcomes.fixed.into_iter().map(|(at, fix)| {
            let Target { code, message, span, .. } = &self.targets[at];
            let place = places.locate(*span);
            FixedFinding { code: *code, message: message.clone(), place, fix }
        });
        let fixed = fixed.collect();
        let document = reread(&result.text, &self.options.limits);
        let mut secrets = document.as_ref().map(secrets).unwrap_or_default();
        // What was hidden stays hidden where it is now.
        let moved = |spans: Vec<Span>, edits| text_fixes::moved_all(spans, edits);
        secrets.extend(result.edits.iter().fold(self.secrets.to_vec(), moved));
        FixedText { text: result.text, secrets, fixed }
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
