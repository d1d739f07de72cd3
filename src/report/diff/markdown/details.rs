//! The collapsed details of a resource: reasons, propagated effects, suppressions.

use super::escape::{at, code, cut, html_code, name, sentence};
use super::limits::{MAX_NAME, MAX_REASONS};
use super::table::symbol;
use super::values::{changes, difference};
use crate::report::diff::cause_folding::fold_causes;
use crate::report::diff::group_folding::{Folded, FoldedResource};
use crate::report::diff::model::{PartKind, ReasonEntry, TemplateReport, ValueChange};
use crate::report::diff::{DiffReportOptions, labels};

/// Everything about a resource, collapsed.
pub(super) fn resource_details(
    folded: &FoldedResource<'_>,
    template: &TemplateReport,
    options: &DiffReportOptions,
) -> String {
    let Folded { name: shown, entry: resource, count } = folded;
    let impact = resource.effective_impact;
    let mut text = format!(
        "<details><summary>{} {} {}</summary>\n\n",
        symbol(impact),
        html_code(&cut(&labels::name_with_count(shown, *count), MAX_NAME)),
        labels::impact_phrase(impact)
    );
    let places = at(resource.places.as_ref());
    text.push_str(&format!(
        "- {}{}{places}\n",
        name(&labels::kind(resource)),
        labels::if_different(resource)
    ));
    if let Some((old, new)) = labels::rename_names(resource) {
        text.push_str(&format!(
            "- {}: Heat deletes {} and creates {}\n",
            labels::rename_word(old, new),
            name(old),
            name(new)
        ));
        if let Some(by) = resource.rename_matched.as_ref().filter(|_| options.explain_match) {
            text.push_str(&format!("  - {}\n", code(&labels::match_reason(by))));
        }
    }
    for suppression in resource.suppressions.iter().filter_map(|at| template.suppressions.get(*at))
    {
        text.push_str(&format!("- allowed by {}\n", code(&labels::suppression(suppression))));
    }
    for reason in resource.reasons.iter().take(MAX_REASONS) {
        text.push_str(&reason_item(reason, options));
    }
    let causes = fold_causes(&resource.propagations, options.verbose);
    for cause in causes.iter().take(MAX_REASONS) {
        text.push_str(&format!(
            "- because {} {}: {} ({})\n",
            name(&cause.worst.source),
            labels::propagation_phrase(cause.worst, name),
            labels::chain(&cause.worst.chain, name),
            cause.parts(name)
        ));
    }
    let more = resource.reasons.len().saturating_sub(MAX_REASONS)
        + causes.len().saturating_sub(MAX_REASONS);
    if more > 0 {
        text.push_str(&format!("- and {}\n", labels::counted_noun(more, "more reason")));
    }
    text.push_str("\n</details>\n");
    text
}

fn reason_item(reason: &ReasonEntry, options: &DiffReportOptions) -> String {
    let places = at(reason.places.as_ref());
    let label = labels::label(reason);
    let part = match reason.part {
        PartKind::Resource => String::new(),
        _ => format!("{}: ", name(&label)),
    };
    let mut text =
        format!("- {part}**{}**, {}{places}\n", reason.impact.name(), sentence(&reason.why));
    if reason.changes.is_empty() {
        text.push_str(&difference(1, "", &reason.value, options));
    } else {
        // A name that the preceding line contains is not repeated.
        let at = |change: &ValueChange| {
            let at = labels::property(reason.part, &change.path);
            if at == label { String::new() } else { at }
        };
        text.push_str(&changes(&reason.changes, at, options));
    }
    text
}
