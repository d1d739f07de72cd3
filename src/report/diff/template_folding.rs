//! Templates in which the same happens are one entry with the list of files: one change of an image often concerns dozens.

use serde_json::Value as Json;

use super::group_folding::fold_alike;
use super::labels;
use super::model::TemplateReport;
use hotplate_diff::FileStatus;

/// The keys of a report that say which template it is about, or follow from the rest.
const OF_FILE: [&str; 7] =
    ["old", "new", "deployment", "deployment_evidence", "sources", "inputs", "verdict"];

/// The templates, those in which the same happens behind the first of them.
pub(super) fn fold_templates<'r>(
    templates: &[&'r TemplateReport],
) -> Vec<(&'r TemplateReport, Vec<&'r TemplateReport>)> {
    fold_alike(templates, fold_key)
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

/// The end of a title: the other templates in which the same happens. `name` writes a name in the format of
/// the report.
pub(super) fn with_others(others: &[&TemplateReport], name: impl Fn(&str) -> String) -> String {
    let names: Vec<_> = others.iter().map(|it| name(&labels::names(it))).collect();
    format!("the same in {} others: {}", others.len(), labels::first_names(&names, 50))
}
