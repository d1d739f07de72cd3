//! SARIF 2.1.0, for code scanning.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use super::level::{self, Level};
use super::messages::{
    EntryCategory, FILES, FailureClass, IMMUTABLE_PARAMETER, Message, REFUSED_BEFORE, UNREAD_FILE,
    impact_rule, messages,
};
use super::model::{Report, SuppressionEntry, TemplateReport};
use super::{inputs_summary, labels};
use crate::report::json::to_text;
use crate::report::sarif::{SCHEMA, physical};
use hotplate_diff::Impact;

/// A log with one run: a result for every message.
pub fn to_sarif(report: &Report) -> serde_json::Result<String> {
    let mut rules = rules();
    let mut results = Vec::new();
    for template in report.templates() {
        for message in messages(template) {
            results.push(result(template, &message, &mut rules));
        }
    }
    let compared = report.templates().iter().all(|template| template.compared);
    let notifications = inputs_summary::search_findings(report).map(|(level, code, message)| {
        json!({"level": spelled(level), "descriptor": {"id": code}, "message": {"text": message}})
    });
    let notifications: Vec<Json> = notifications.collect();
    let mut invocation = json!({"executionSuccessful": compared});
    if !notifications.is_empty() {
        invocation["toolExecutionNotifications"] = notifications.into();
    }
    let mut log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "hotplate",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules.into_values().collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
        }],
    });
    if let Some(inputs) = report.inputs() {
        let compared = inputs_summary::compared(report);
        log["runs"][0]["properties"] = json!({"inputs": inputs, "compared": compared});
    }
    to_text(&log)
}

/// The rules of impacts, parameters and security, by id.
fn rules() -> IndexMap<String, Json> {
    let mut rules = IndexMap::new();
    for impact in Impact::ALL {
        let Some(level) = level::impact_level(impact) else { continue };
        let id = impact_rule(impact);
        let short = format!("A resource {}", labels::impact_phrase(impact));
        rules.insert(id.clone(), rule(&id, &short, level::impact_help(impact), level, "impact"));
    }
    let help = "Heat refuses to update a stack if the value of an immutable parameter changes. Pass the old value.";
    let short = "The value of an immutable parameter changes";
    rules.insert(
        IMMUTABLE_PARAMETER.to_owned(),
        rule(IMMUTABLE_PARAMETER, short, help, Level::Error, "impact"),
    );
    for (id, short, help, level) in [
        (
            REFUSED_BEFORE,
            "Heat refuses the template before and after the change",
            "Heat refuses the new template for errors that the old one also has. Fix them first: until then, the effect of an update is unknown.",
            Level::Warning,
        ),
        (
            UNREAD_FILE,
            "A file could not be read",
            "A template refers to a file that could not be read, so its content is not compared.",
            Level::Error,
        ),
    ] {
        rules.insert(id.to_owned(), rule(id, short, help, level, "impact"));
    }
    for kind in level::SECURITY {
        let id = format!("security/{}", level::security_name(kind));
        let help = level::security_help(kind);
        rules.insert(id.clone(), rule(&id, help, help, Level::Warning, "security"));
    }
    for (_, id, help) in FILES {
        rules.insert(id.to_owned(), rule(id, help, help, Level::Notice, "template"));
    }
    for other in EntryCategory::ALL {
        let (id, help) = (other.rule(), other.help());
        rules.insert(id.clone(), rule(&id, help, help, Level::Notice, "section"));
    }
    rules
}

fn rule(id: &str, short: &str, help: &str, level: Level, tag: &str) -> Json {
    json!({
        "id": id,
        "shortDescription": {"text": short},
        "fullDescription": {"text": help},
        "help": {"text": help, "markdown": help},
        "defaultConfiguration": {"level": spelled(level)},
        "properties": {"tags": [tag]},
    })
}

fn result(
    template: &TemplateReport,
    message: &Message<'_>,
    rules: &mut IndexMap<String, Json>,
) -> Json {
    let at = match rules.get_index_of(&message.rule) {
        Some(at) => at,
        None => {
            let rule = finding_rule(message);
            rules.insert_full(message.rule.clone(), rule).0
        }
    };
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), json!(message.rule));
    result.insert("ruleIndex".to_owned(), json!(at));
    result.insert("level".to_owned(), json!(spelled(message.level)));
    let at = message.annotated(template);
    result.insert("message".to_owned(), json!({"text": message.text(at.old_place_note.as_ref())}));
    let mut location = Map::new();
    if !at.file.is_empty() {
        location.insert("physicalLocation".to_owned(), physical(at.file, at.place));
    }
    if !message.subject.is_empty() {
        let kind = match message.failure_class {
            _ if message.rule == IMMUTABLE_PARAMETER => "parameter",
            _ if FILES.iter().any(|(_, rule, _)| *rule == message.rule) => "template",
            FailureClass::Difference => message.rule.trim_start_matches("section/"),
            FailureClass::NotCompared if message.rule == UNREAD_FILE => "file",
            FailureClass::Impact { .. }
            | FailureClass::Access(_)
            | FailureClass::NotCompared
            | FailureClass::Nothing => "resource",
        };
        let name = json!([{"fullyQualifiedName": message.subject, "kind": kind}]);
        location.insert("logicalLocations".to_owned(), name);
    }
    if !location.is_empty() {
        result.insert("locations".to_owned(), json!([location]));
    }
    if let (Some(_), Some(old)) = (message.places.new, message.places.old) {
        let related = json!([{
            "id": 1,
            "physicalLocation": physical(&old.path, Some(old)),
            "message": {"text": "before the change"},
        }]);
        result.insert("relatedLocations".to_owned(), related);
    }
    let fingerprint = json!({"hotplateDiff/v1": message.fingerprint()});
    result.insert("partialFingerprints".to_owned(), fingerprint);
    if !message.suppressions.is_empty() {
        let suppressions: Vec<_> =
            message.suppressions.iter().map(|entry| suppression(entry)).collect();
        result.insert("suppressions".to_owned(), json!(suppressions));
    }
    if let Some(kind) = message.kind {
        result.insert("properties".to_owned(), json!({"resourceType": kind}));
    }
    Json::Object(result)
}

/// The rule of a finding, which its code explains.
fn finding_rule(message: &Message<'_>) -> Json {
    let code = crate::codes::from_id(&message.rule);
    let (short, help) = match code {
        Some(code) => (code.info().title, code.info().explanation),
        None => (message.rule.as_str(), message.rule.as_str()),
    };
    rule(&message.rule, short, help, message.level, "template")
}

fn suppression(entry: &SuppressionEntry) -> Json {
    let kind = if entry.place.is_some() { "inSource" } else { "external" };
    let mut suppression = json!({"kind": kind, "status": "accepted"});
    if let Some(reason) = &entry.reason {
        suppression["justification"] = json!(reason);
    }
    suppression
}

fn spelled(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DiffReportOptions, sample::sample};
    use super::*;

    fn log() -> Json {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        serde_json::from_str(&to_sarif(&report).expect("JSON")).expect("JSON")
    }

    #[test]
    fn results() {
        insta::assert_snapshot!("sarif", serde_json::to_string_pretty(&log()).expect("JSON"));
    }

    #[test]
    fn every_result_has_its_rule_and_a_place_that_exists() {
        let log = log();
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        let results = run["results"].as_array().expect("results");
        assert!(results.len() > 8);
        for result in results {
            let at = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[at]["id"], result["ruleId"]);
            for location in result["locations"].as_array().into_iter().flatten() {
                let Some(region) = location["physicalLocation"]["region"].as_object() else {
                    continue;
                };
                assert!(region.values().all(|value| value.as_u64().is_some_and(|value| value > 0)));
            }
        }
        for rule in rules {
            assert!(
                rule["help"]["text"].as_str().is_some_and(|text| text.ends_with('.')),
                "{rule}"
            );
        }
        let suppressed = results.iter().filter(|result| result.get("suppressions").is_some());
        assert_eq!(suppressed.count(), 1);
    }
}
