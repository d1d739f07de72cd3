//! Templates in which the same happens are one entry with the list of files: one change of an image often concerns dozens.

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::labels;
use super::model::TemplateReport;
use hotplate_diff::FileStatus;

/// The maximum number of templates with the same changes that are shown one by one.
const MAX_UNFOLDED: usize = 2;

/// The keys of a report that say which template it is about, or follow from the rest.
const OF_FILE: [&str; 7] =
    ["old", "new", "deployment", "deployment_evidence", "sources", "inputs", "verdict"];

/// The templates, those in which the same happens behind the first of them.
pub(super) fn fold_templates<'r>(
    templates: &[&'r TemplateReport],
) -> Vec<(&'r TemplateReport, Vec<&'r TemplateReport>)> {
    if templates.len() <= MAX_UNFOLDED {
        return templates.iter().map(|it| (*it, Vec::new())).collect();
    }
    let mut alike: IndexMap<String, Vec<&'r TemplateReport>> = IndexMap::new();
    for (at, template) in templates.iter().enumerate() {
        let key = fold_key(template).unwrap_or_else(|| at.to_string());
        alike.entry(key).or_default().push(template);
    }
    let mut folded = Vec::new();
    for group in alike.into_values() {
        match group.split_first() {
            Some((first, others)) if others.len() >= MAX_UNFOLDED => {
                folded.push((*first, others.to_vec()));
            }
            _ => folded.extend(group.into_iter().map(|it| (it, Vec::new()))),
        }
    }
    folded
}

/// Everything about the changes of a stack but where they are; `None` if it stands for itself.
fn fold_key(template: &TemplateReport) -> Option<String> {
    if template.file != FileStatus::Existing || !template.compared {
        return None;
    }
    let Json::Object(mut report) = serde_json::to_value(template).ok()? else { return None };
    for key in OF_FILE {
        report.remove(key);
    }
    let mut report = Json::Object(report);
    remove_places(&mut report);
    serde_json::to_string(&report).ok()
}

/// Removes places at any depth. `old` and `new` are somebody's values, with any keys.
fn remove_places(value: &mut Json) {
    match value {
        Json::Object(fields) => {
            fields.retain(|key, _| !key.ends_with("place") && key != "places" && key != "related");
            let inner = fields.iter_mut().filter(|(key, _)| !matches!(key.as_str(), "old" | "new"));
            inner.for_each(|(_, value)| remove_places(value));
        }
        Json::Array(items) => items.iter_mut().for_each(remove_places),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// The end of a title: the other templates in which the same happens; empty if there are none. `name` writes a name in the format of
/// the report.
pub(super) fn with_others(others: &[&TemplateReport], name: impl Fn(&str) -> String) -> String {
    const MOST: usize = 50;
    if others.is_empty() {
        return String::new();
    }
    let names: Vec<_> = others.iter().take(MOST).map(|it| name(&labels::names(it))).collect();
    let more = match others.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("the same in {} others: {}{more}", others.len(), names.join(", "))
}
