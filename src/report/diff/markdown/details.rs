//! The details of a resource, collapsed: reasons, consequences, what allows them.

use super::escape::{at, code, cut, entities, name, sentence};
use super::limits::{LONGEST_NAME, MOST_REASONS};
use super::table::symbol;
use super::values::{changes, difference};
use crate::report::diff::fold::Folded;
use crate::report::diff::model::{PartKind, Reason, Template, ValueChange};
use crate::report::diff::{Options, words};

/// Everything about a resource, collapsed.
pub(super) fn details(folded: &Folded<'_>, template: &Template, options: &Options) -> String {
    let Folded { name: shown, resource, count } = folded;
    let impact = resource.effective_impact;
    let mut text = format!(
        "<details><summary>{} <code>{}</code> {}</summary>\n\n",
        symbol(impact),
        entities(&cut(&words::counted(shown, *count), LONGEST_NAME)),
        words::happens(impact)
    );
    let places = at(resource.old_place.as_ref(), resource.new_place.as_ref());
    text.push_str(&format!("- {}{places}\n", name(&words::kind(resource))));
    if let Some((old, new)) = words::rename_names(resource) {
        text.push_str(&format!(
            "- renamed: Heat deletes {} and creates {}\n",
            name(old),
            name(new)
        ));
        if let Some(by) = resource.rename_matched.as_ref().filter(|_| options.explain_match) {
            text.push_str(&format!("  - {}\n", code(&words::matched(by))));
        }
    }
    for excuse in resource.excused.iter().filter_map(|at| template.excuses.get(*at)) {
        text.push_str(&format!("- allowed by {}\n", code(&words::excuse(excuse))));
    }
    for reason in resource.reasons.iter().take(MOST_REASONS) {
        text.push_str(&told(reason, options));
    }
    for ripple in resource.ripple.iter().take(MOST_REASONS) {
        let chain: Vec<_> = ripple.chain.iter().take(MOST_REASONS).map(|it| name(it)).collect();
        text.push_str(&format!(
            "- because {} {}: {} (by {})\n",
            name(&ripple.because),
            words::happens(ripple.cause),
            chain.join(" → "),
            name(&words::property(ripple.part, &ripple.property))
        ));
    }
    let more = resource.reasons.len().saturating_sub(MOST_REASONS)
        + resource.ripple.len().saturating_sub(MOST_REASONS);
    if more > 0 {
        text.push_str(&format!("- and {}\n", words::number(more, "more reason")));
    }
    text.push_str("\n</details>\n");
    text
}

fn told(reason: &Reason, options: &Options) -> String {
    let places = at(reason.old_place.as_ref(), reason.new_place.as_ref());
    let label = words::label(reason);
    let part = match reason.part {
        PartKind::Resource => String::new(),
        _ => format!("{}: ", name(&label)),
    };
    let mut text =
        format!("- {part}**{}**, {}{places}\n", reason.impact.name(), sentence(&reason.why));
    if reason.changes.is_empty() {
        text.push_str(&difference(1, "", (reason.old.as_ref(), reason.new.as_ref()), options));
    } else {
        // What the line above names already is not named again.
        let at = |change: &ValueChange| {
            let at = words::property(reason.part, &change.path);
            if at == label { String::new() } else { at }
        };
        text.push_str(&changes(&reason.changes, at, options));
    }
    text
}
