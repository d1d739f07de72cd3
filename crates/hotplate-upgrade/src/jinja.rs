//! Upgrades of Jinja2 templates, which become YAML only when they are rendered.
//!
//! Each view of the text (see `lossless_yaml::Jinja`) is upgraded and proved separately. The changes of all views are
//! applied to the text if none of them touches masked text and if all views that show a part change it alike: then
//! each view of the new text is what was proved. The output of the tags remains unknown, which the result reports.

use std::collections::BTreeMap;

use super::repository::stopped;
use super::{AppliedRewrite, Status, TemplateExtent, Upgrade, UpgradeOptions};
use heat_template::dialect::{secrets, unread_secrets};
use lossless_yaml::{
    Edit, Edits, Jinja, JinjaView, JinjaViews, Limits, ViewDocument, jinja_skipped, read_all,
    read_views,
};
use source_diagnostics::{Diagnostic, SourceId, Span};

/// Upgrades a text with Jinja2 tags; `None` if it has none, or if it is another text that cannot be read.
///
/// `named` says that the file has the name of a Jinja2 template. `limits` apply to reading, `of_result` to the new text.
pub(super) fn upgrade(
    source: SourceId,
    text: &str,
    named: bool,
    options: &UpgradeOptions,
    limits: &Limits,
    of_result: &Limits,
) -> Option<Upgrade> {
    let JinjaViews { views, note } = match read_views(source, text, limits) {
        Ok(views) => views?,
        Err(finding) if named && finding.code == lossless_yaml::codes::JINJA_SKIPPED => {
            let secrets = unread_secrets(source, text);
            return Some(Upgrade { secrets, ..stopped(options, Status::Skipped, *finding) });
        }
        Err(_) => return None,
    };
    let upgrades: Vec<(Upgrade, JinjaView)> = views
        .into_iter()
        .map(|ViewDocument { document, view }| {
            let mut upgrade =
                super::upgrade_part(&document, TemplateExtent::View, options, of_result);
            upgrade.secrets = secrets(&document);
            (upgrade, view)
        })
        .collect();
    let first = upgrades.first().map(|(upgrade, _)| upgrade)?;
    if first.status == Status::Skipped {
        return upgrades.into_iter().next().map(|(upgrade, _)| upgrade);
    }
    let mut upgrade = merge(source, text, &upgrades, options).unwrap_or_else(
        |SkippedTemplate { reason, cause }| {
            let finding = jinja_skipped(reason, cause.as_deref());
            stopped(options, Status::Skipped, finding)
        },
    );
    if upgrade.status.is_upgraded() || upgrade.status == Status::Blocked {
        upgrade.findings.push(note);
    }
    upgrade.from = first.from;
    upgrade.secrets = upgrades.into_iter().flat_map(|(upgrade, _)| upgrade.secrets).collect();
    if let Some(new) = upgrade.text.as_deref().filter(|_| !upgrade.secrets.is_empty()) {
        let views = read_all(source, new, of_result);
        upgrade.new_secrets = views.iter().flat_map(secrets).collect();
    }
    Some(upgrade)
}

/// Why a template is skipped.
struct SkippedTemplate {
    reason: &'static str,
    cause: Option<Box<Diagnostic>>,
}

impl SkippedTemplate {
    fn because(reason: &'static str, cause: Option<&Diagnostic>) -> Self {
        SkippedTemplate { reason, cause: cause.cloned().map(Box::new) }
    }

    /// A skip because of a change at `span`.
    fn at(reason: &'static str, span: Span) -> Self {
        let cause =
            Diagnostic::new(lossless_yaml::codes::JINJA_SKIPPED, "this part would change").at(span);
        SkippedTemplate { reason, cause: Some(Box::new(cause)) }
    }
}

/// Merges the upgrades of all views into one.
fn merge(
    source: SourceId,
    text: &str,
    upgrades: &[(Upgrade, JinjaView)],
    options: &UpgradeOptions,
) -> Result<Upgrade, SkippedTemplate> {
    for (upgrade, _) in upgrades {
        let error = upgrade.findings.iter().find(|finding| finding.is_error());
        if error.is_some()
            || matches!(upgrade.status, Status::Invalid | Status::Unproved | Status::Skipped)
        {
            return Err(SkippedTemplate::because(
                "Heat refuses the text outside of its tags",
                error,
            ));
        }
    }
    let mut merged = Upgrade {
        from: None,
        to: options.to,
        status: Status::Unchanged,
        text: None,
        rewrites: Vec::new(),
        blockers: Vec::new(),
        findings: Vec::new(),
        secrets: Vec::new(),
        new_secrets: Vec::new(),
        edits: Edits::new(),
    };
    for (upgrade, view) in upgrades {
        merged.blockers.extend(upgrade.blockers.iter().cloned());
        merged.rewrites.extend(upgrade.rewrites.iter().cloned());
        let ours = |finding: &&Diagnostic| {
            let of_the_upgrade = matches!(
                finding.code,
                crate::codes::UPGRADE_CONDITIONAL
                    | crate::codes::DEPENDENCY_LOST
                    | heat_template::codes::HIDDEN_DEFAULT
            );
            of_the_upgrade && finding.span().is_some_and(|span| !view.is_masked(span.range()))
        };
        merged.findings.extend(upgrade.findings.iter().filter(ours).cloned());
    }
    merged.findings.sort_by_key(Diagnostic::span);
    merged.findings.dedup();
    merged.blockers.sort_by_key(|blocker| (blocker.finding.span(), blocker.rule));
    merged.blockers.dedup();
    let place = |rewrite: &AppliedRewrite| {
        (rewrite.span.start, std::cmp::Reverse(rewrite.span.end), rewrite.rule)
    };
    merged.rewrites.sort_by_key(place);
    merged.rewrites.dedup();
    if !merged.blockers.is_empty() {
        let masked = |span: &Span| upgrades.iter().all(|(_, view)| view.is_masked(span.range()));
        let mut spans = merged.blockers.iter().filter_map(|blocker| blocker.finding.span());
        if let Some(span) = spans.find(masked) {
            return Err(SkippedTemplate::at("a change would touch its tags", span));
        }
        merged.status = Status::Blocked;
        return Ok(merged);
    }
    let edits = common_edits(upgrades)?;
    if edits.is_empty() {
        return Ok(merged);
    }
    if options.exact_only {
        return Err(SkippedTemplate::because(
            "`--exact-only` is set, but the output of its tags is unknown",
            None,
        ));
    }
    let new = edits.apply_to(source, text);
    let new = new.map_err(|finding| {
        SkippedTemplate::because("its branches need different changes", Some(&finding))
    })?;
    let tags = |text| Some(Jinja::parse(text).ok()??.tags().map(str::to_owned).collect::<Vec<_>>());
    if tags(&new) != tags(text) {
        return Err(SkippedTemplate::because("a change would create or destroy a tag", None));
    }
    merged.status = Status::upgraded(&merged.rewrites);
    merged.text = Some(new);
    merged.edits = edits;
    Ok(merged)
}

/// The combined edits of all views; an error if one touches masked text or the views differ.
fn common_edits(upgrades: &[(Upgrade, JinjaView)]) -> Result<Edits, SkippedTemplate> {
    // Keyed by their bytes: the same change in two views is one edit.
    let edits_of = |upgrade: &Upgrade| -> BTreeMap<(u32, u32), Edit> {
        let edits = upgrade.edits.sorted().into_iter().cloned();
        edits.map(|edit| ((edit.span.start, edit.span.end), edit)).collect()
    };
    let edits: Vec<_> = upgrades.iter().map(|(upgrade, _)| edits_of(upgrade)).collect();
    let mut all: BTreeMap<(u32, u32), &Edit> = BTreeMap::new();
    for (edits, (_, view)) in edits.iter().zip(upgrades) {
        for (place, edit) in edits {
            // An insertion between two edits could be before or behind a tag.
            if edit.span.is_empty() || view.is_masked(edit.span.range()) {
                return Err(SkippedTemplate::at("a change would touch its tags", edit.span));
            }
            all.insert(*place, edit);
        }
    }
    let mut common = Edits::new();
    for (place, edit) in all {
        let alike = edits.iter().zip(upgrades).all(|(edits, (_, view))| {
            view.is_masked(edit.span.range()) || edits.get(&place) == Some(edit)
        });
        if !alike {
            return Err(SkippedTemplate::at("its branches need different changes", edit.span));
        }
        common.replace(edit.span, edit.text.clone());
    }
    Ok(common)
}
