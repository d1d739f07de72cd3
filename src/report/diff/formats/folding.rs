//! One annotation for each cause: what happens because of another resource, and equal members of a group, are counted at the
//! first one.

use std::collections::HashMap;

use crate::report::diff::causes::Causes;
use crate::report::diff::labels;
use crate::report::diff::messages::{FailureClass, Message, impact_rule, messages, security_rule};
use crate::report::diff::model::TemplateReport;
use hotplate_diff::SecurityKind;
use source_diagnostics::Severity;

/// The maximum number of causes of causes.
const MAX_STEPS: usize = 16;

/// The messages about a template, one for each cause.
pub(super) fn folded_messages(template: &TemplateReport) -> Vec<Message<'_>> {
    let causes = Causes::new(template);
    let resource = |message: &Message<'_>| {
        let resource = causes.resource(message.subject)?;
        (message.rule == impact_rule(resource.effective_impact)).then_some(resource)
    };
    let mut all = messages(template);
    let scripts = security_rule(SecurityKind::UserData);
    // That a script changes is among the reasons of its resource.
    all.retain(|message| {
        let is_known = causes
            .resource(message.subject)
            .is_some_and(|it| labels::is_difference(it.effective_impact));
        message.rule != scripts || message.failure_class != FailureClass::Nothing || !is_known
    });
    let of_resources: HashMap<&str, usize> = all
        .iter()
        .enumerate()
        .filter_map(|(at, message)| Some((resource(message)?.name.as_str(), at)))
        .collect();
    let mut first_at: HashMap<String, usize> = HashMap::new();
    // The message that each one is counted at, often itself.
    let mut counted_at: Vec<usize> = (0..all.len()).collect();
    for (at, message) in all.iter().enumerate() {
        let Some(resource) = resource(message) else { continue };
        let root = of_resources.get(causes.root(resource).name.as_str()).copied();
        counted_at[at] = match root {
            Some(root) if root != at => root,
            // Members of a group differ in their names only.
            _ => *first_at.entry(place_key(message)).or_insert(at),
        };
    }
    // A cause may have a cause of its own; in a circle everything is counted at itself.
    let first = |at: usize| {
        let steps = std::iter::successors(Some(at), |at| Some(counted_at[*at])).take(MAX_STEPS);
        steps.into_iter().find(|at| counted_at[*at] == *at).unwrap_or(at)
    };
    let first_of: Vec<usize> = (0..all.len()).map(first).collect();
    let mut followers: Vec<Vec<(String, Severity)>> = vec![Vec::new(); all.len()];
    for (at, message) in all.iter().enumerate().filter(|(at, _)| first_of[*at] != *at) {
        followers[first_of[at]].push((message.title.clone(), message.level));
    }
    let mut folded = Vec::new();
    for (at, mut message) in all.into_iter().enumerate() {
        if first_of[at] == at {
            add_followers(&mut message, &followers[at]);
            folded.push(message);
        }
    }
    folded
}

/// The common part of two messages about members of one group: the place, the reasons and what happens. Messages without a
/// place are never equal.
fn place_key(message: &Message<'_>) -> String {
    match message.places.new {
        Some(place) => format!("{place:?} {} {:?}", message.rule, message.lines),
        None => message.subject.to_owned(),
    }
}

/// Counts what else happens because of a message's cause. The worst of it gives the level.
fn add_followers(message: &mut Message<'_>, followers: &[(String, Severity)]) {
    let Some((worst, level)) = followers.iter().max_by_key(|(_, level)| *level) else { return };
    let mut more = followers.len();
    if *level > message.level {
        message.title = format!("{worst} because {}", message.title);
        message.level = *level;
        more -= 1;
    }
    if more > 0 {
        message.title.push_str(&format!(", and {more} more because of it"));
    }
    let names: Vec<String> = followers.iter().map(|(title, _)| title.clone()).collect();
    message.lines.push(format!("because of it: {}", labels::name_list(&names)));
}
