//! Facts in words, for a terminal and for the hover texts of editors.

use super::{Constraint, PropertyDescription, StatusDescription, StatusIn, UpdateDescription};
use hotplate_diff::Impact;

impl UpdateDescription {
    /// The effect of an update in a word or two.
    pub fn word(&self) -> &'static str {
        match self.impact {
            Impact::Update => "in place",
            Impact::NoopUpdate => "no effect",
            Impact::Replace => "replaces",
            Impact::MayReplace => "may replace",
            Impact::Rebuild => "rebuilds",
            Impact::Refused => "refused",
            Impact::None => "never",
            // No change of a property has such an impact.
            Impact::Delete
            | Impact::NotCompared
            | Impact::MayDelete
            | Impact::MayCreate
            | Impact::Snapshot
            | Impact::Retain
            | Impact::Create
            | Impact::Adopt => self.impact.name(),
        }
    }
}

impl StatusDescription {
    /// The part of a status beyond "supported".
    pub fn facts(&self) -> Vec<String> {
        let summary = self.summary();
        let mut facts: Vec<String> = if summary.is_empty() { Vec::new() } else { vec![summary] };
        if self.status != StatusIn::Supported {
            facts.extend(self.message.as_ref().map(|message| format!("Heat says: {message}")));
            facts.extend(self.advice.clone());
        }
        facts
    }
}

impl PropertyDescription {
    /// The facts about a property besides its type, its update and its status.
    pub fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        if let Some(default) = &self.default {
            facts.push(format!("default {}", default));
        }
        facts.extend(self.constraints.iter().map(constraint_text));
        if self.resolved_by.is_some() {
            facts.push("a name or an id".to_owned());
        }
        if let Some(to) = &self.moved_to {
            facts.push(format!("an old name of `{to}`"));
        }
        if !self.old_names.is_empty() {
            facts.push(format!("also written `{}`", self.old_names.join("`, `")));
        }
        if self.allows_conversion {
            facts.push("other types are converted".to_owned());
        }
        if self.unimplemented {
            facts.push("not implemented: Heat refuses a value".to_owned());
        }
        facts
    }
}

fn constraint_text(constraint: &Constraint) -> String {
    let bounds = |min: &Option<i64>, max: &Option<i64>| match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any".to_owned(),
    };
    match constraint {
        Constraint::AllowedValues(values) => {
            let values: Vec<String> = values
                .iter()
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                .collect();
            format!("one of {}", values.join(", "))
        }
        Constraint::Range { min, max } => bounds(min, max),
        Constraint::Length { min, max } => format!("length {}", bounds(min, max)),
        Constraint::AllowedPattern(pattern) => format!("matches {pattern}"),
        Constraint::CustomConstraint(name) => format!("constraint {name}"),
    }
}
