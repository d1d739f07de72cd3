//! The messages of a comparison, for the formats of continuous integration, which differ in
//! syntax only.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::cause_folding::fold_causes;
use super::level::{self, Level};
use super::model::{
    ParameterEntry, ParameterEntryDetail, PartKind, ReasonEntry, Refusal, ResourceEntry,
    SecurityEntry, SourcePlace, SuppressionEntry, TemplateFinding, TemplateReport, UnreadFileEntry,
    ValueChange,
};
use super::{labels, short_values};
use crate::report::{SourceRange, escape};
use hotplate_diff::{
    AccessChange, EntryStatus, FileStatus, FindingSide, Impact, ParameterAspect, SecurityKind,
};

/// The maximum number of reasons and propagated effects of a resource in one message.
const MAX_LINES: usize = 12;

/// A message about one change or finding.
pub(super) struct Message<'r> {
    /// The name of the rule: `impact/replace`, `security/rule`, `HP0105`.
    pub(super) rule: String,
    /// The full name of the subject; empty for a finding and for the template as a whole.
    pub(super) subject: &'r str,
    /// The type of the resource that is the subject.
    pub(super) kind: Option<&'r str>,
    pub(super) level: Level,
    /// One line: `server is replaced`.
    pub(super) title: String,
    /// The reasons, one per line.
    pub(super) lines: Vec<String>,
    pub(super) places: MessagePlaces<'r>,
    /// The suppressions that apply to it.
    pub(super) suppressions: Vec<&'r SuppressionEntry>,
    /// Why `--fail-on` may count the message.
    pub(super) failure_class: FailureClass,
}

/// Why `--fail-on` may count a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureClass {
    Impact {
        impact: Impact,
        loses_data: bool,
    },
    Access(AccessChange),
    /// Something was not compared, which always counts.
    NotCompared,
    /// A difference other than an impact on a resource.
    Difference,
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MessagePlaces<'r> {
    /// The place in the new files.
    pub(super) new: Option<&'r SourceRange>,
    /// The place in the old files.
    pub(super) old: Option<&'r SourceRange>,
}

/// The place where a code forge shows a message.
pub(super) struct FileAnnotation<'r> {
    pub(super) file: &'r str,
    pub(super) place: Option<&'r SourceRange>,
    /// A sentence with the old place.
    pub(super) old_place_note: Option<String>,
}

/// All messages about a template: parameters for which Heat refuses the update, the
/// resources, the worst first, then security, other differences, and findings. Findings that the old
/// side also has are omitted.
pub(super) fn messages(template: &TemplateReport) -> Vec<Message<'_>> {
    let mut messages = messages_without_deployment(template);
    if let Some(deployment) = labels::deployment(template) {
        // The file is in the place of each message; the same file may be compared with several deployments.
        messages.iter_mut().for_each(|it| it.lines.push(one_line(&deployment)));
    }
    messages
}

fn messages_without_deployment(template: &TemplateReport) -> Vec<Message<'_>> {
    let findings = labels::findings(template).map(finding_message);
    if template.file != FileStatus::Existing {
        // There is no stack to change, but whether Heat would create one matters.
        if template.file == FileStatus::Removed {
            return vec![file_message(template)];
        }
        let is_wrong = |it: &&ResourceEntry| {
            matches!(it.effective_impact, Impact::Refused | Impact::NotCompared)
        };
        let resources = template.resources.iter().filter(is_wrong);
        let resources = resources.filter_map(|resource| resource_message(template, resource));
        let wrong = refusals(template).chain(unread(template)).chain(resources);
        return wrong.chain([file_message(template)]).chain(findings).collect();
    }
    let parameters = template.parameters.iter().filter(|parameter| parameter.refused);
    let mut resources: Vec<&ResourceEntry> = template.resources.iter().collect();
    resources.sort_by_key(|resource| resource.effective_impact);
    let resources =
        resources.into_iter().filter_map(|resource| resource_message(template, resource));
    let parameters = parameters.map(parameter_message);
    let refusals = refusals(template).chain(unread(template));
    let security = template.security.iter().map(|change| security_message(template, change));
    refusals
        .chain(parameters)
        .chain(resources)
        .chain(security)
        .chain(entry_messages(template))
        .chain(findings)
        .collect()
}

impl<'r> MessagePlaces<'r> {
    fn of(old: Option<&'r SourcePlace>, new: Option<&'r SourcePlace>) -> Self {
        MessagePlaces { new: new.map(|it| &it.place), old: old.map(|it| &it.place) }
    }

    /// The place in the new files, or in the old ones for what is removed. Formats that show messages in the
    /// new files must not use it: lines of old files are wrong there.
    pub(super) fn best(&self) -> Option<&'r SourceRange> {
        self.new.or(self.old)
    }
}

impl<'r> Message<'r> {
    /// The place where a code forge shows the message: in a file of the new side. What is
    /// only in the old files is shown at the template, with a line that names the old place, since a line of
    /// an old file would be wrong.
    pub(super) fn annotated(&self, template: &'r TemplateReport) -> FileAnnotation<'r> {
        match (self.places.new, self.places.old) {
            (Some(place), _) => {
                FileAnnotation { file: &place.path, place: Some(place), old_place_note: None }
            }
            (None, Some(old)) => FileAnnotation {
                file: template.new.as_deref().unwrap_or(&old.path),
                place: None,
                old_place_note: Some(format!(
                    "it was in {}:{}",
                    one_line(&old.path),
                    old.start.line
                )),
            },
            (None, None) => {
                let file = template.new.as_deref().or(template.old.as_deref());
                FileAnnotation { file: file.unwrap_or_default(), place: None, old_place_note: None }
            }
        }
    }

    /// Whether it is a finding rather than a change.
    pub(super) fn is_finding(&self) -> bool {
        self.subject.is_empty() && self.failure_class == FailureClass::Nothing
    }

    /// A hash that is the same as long as the message is about the same subject in the same file,
    /// at any position.
    pub(super) fn fingerprint(&self) -> String {
        let file = self.places.best().map_or("", |place| place.path.as_str());
        let mut hash = Sha256::new();
        for part in [file, &self.rule, self.subject, &self.title] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The title, and the reasons below it.
    pub(super) fn text(&self, was: Option<&String>) -> String {
        let mut text = self.title.clone();
        for line in self.lines.iter().chain(was) {
            text.push('\n');
            text.push_str(line);
        }
        text
    }
}

fn finding_message(entry: &TemplateFinding) -> Message<'_> {
    let finding = &entry.finding;
    let place = finding.place.as_ref();
    Message {
        rule: finding.code.to_string(),
        subject: "",
        kind: None,
        level: level::severity_level(finding.severity),
        title: format!("{}{}", one_line(&finding.message), labels::place_count(entry)),
        lines: finding.help.iter().map(|help| format!("help: {}", one_line(help))).collect(),
        places: match entry.side {
            FindingSide::New | FindingSide::Both => MessagePlaces { new: place, old: None },
            FindingSide::Old => MessagePlaces { new: None, old: place },
        },
        suppressions: Vec::new(),
        failure_class: FailureClass::Nothing,
    }
}

/// The rule of errors that both sides have.
pub(super) const REFUSED_BEFORE: &str = "heat/refused-before";

/// The rule of unreadable files that no resource refers to.
pub(super) const UNREAD_FILE: &str = "file/not-read";

/// Why Heat refuses the template as a whole: one message for each new error, and a count of those that the
/// old side has too. Errors that belong to a resource are among its reasons.
fn refusals(template: &TemplateReport) -> impl Iterator<Item = Message<'_>> {
    let before = template.refusals.iter().find(|refusal| refusal.before);
    labels::refusals(template).map(error_message).chain(before.map(|first| {
        let count = template.counts.refused_before;
        let errors = labels::counted_noun(count, "error");
        let known = template.refusals.iter().filter(|refusal| refusal.before);
        let mut lines: Vec<String> =
            known.map(|it| one_line(&format!("{}: {}", it.code, it.message))).collect();
        limit_lines(&mut lines);
        Message {
            rule: REFUSED_BEFORE.to_owned(),
            subject: "",
            kind: None,
            level: Level::Warning,
            title: format!("Heat refuses this template before and after the change ({errors})"),
            lines,
            places: MessagePlaces::of(None, first.new_place.as_ref()),
            suppressions: Vec::new(),
            failure_class: FailureClass::Impact { impact: Impact::Refused, loses_data: false },
        }
    }))
}

fn error_message(refusal: &Refusal) -> Message<'_> {
    Message {
        rule: refusal.code.clone(),
        subject: "",
        kind: None,
        level: Level::Error,
        title: format!("Heat refuses the update: {}", one_line(&refusal.message)),
        lines: refusal.help.iter().map(|help| format!("help: {}", one_line(help))).collect(),
        places: MessagePlaces::of(None, refusal.new_place.as_ref()),
        suppressions: Vec::new(),
        failure_class: FailureClass::Impact { impact: Impact::Refused, loses_data: false },
    }
}

/// The unreadable files, except those among the reasons of a resource.
fn unread(template: &TemplateReport) -> impl Iterator<Item = Message<'_>> {
    let is_reported =
        |file: &UnreadFileEntry| template.resources.iter().any(|it| it.unread.contains(&file.file));
    template.unread.iter().filter(move |file| !is_reported(file)).map(|unread| Message {
        rule: UNREAD_FILE.to_owned(),
        subject: &unread.file,
        kind: None,
        level: Level::Error,
        title: format!("not compared: {} could not be read", one_line(&unread.file)),
        lines: Vec::new(),
        places: MessagePlaces { new: None, old: None },
        suppressions: Vec::new(),
        failure_class: FailureClass::NotCompared,
    })
}

/// The rules for added and deleted template files, with their meaning.
pub(super) const FILES: [(FileStatus, &str, &str); 2] = [
    (FileStatus::Added, "template/added", "A template file is added. There is no stack of it yet."),
    (
        FileStatus::Removed,
        "template/removed",
        "A template file is deleted. No stack is touched by that: to delete its resources, delete the stack.",
    ),
];

fn file_message(template: &TemplateReport) -> Message<'_> {
    let path = template.new.as_deref().or(template.old.as_deref()).unwrap_or_default();
    let known = FILES.into_iter().find(|(file, ..)| *file == template.file);
    let (_, rule, help) = known.unwrap_or(FILES[0]);
    Message {
        rule: rule.to_owned(),
        subject: path,
        kind: None,
        level: Level::Notice,
        title: format!("{} {}", one_line(path), labels::file_status(template)),
        lines: vec![help.to_owned()],
        places: MessagePlaces { new: None, old: None },
        suppressions: Vec::new(),
        failure_class: FailureClass::Nothing,
    }
}

fn parameter_message(parameter: &ParameterEntry) -> Message<'_> {
    let name = one_line(&parameter.name);
    let reaches = parameter.reaches.iter().map(|name| one_line(name)).collect::<Vec<_>>();
    Message {
        rule: IMMUTABLE_PARAMETER.to_owned(),
        subject: &parameter.name,
        kind: None,
        level: Level::Error,
        title: labels::immutable_parameter(&name),
        lines: match reaches.as_slice() {
            [] => Vec::new(),
            reaches => vec![format!("it reaches {}", labels::name_list(reaches))],
        },
        places: MessagePlaces::of(parameter.old_place.as_ref(), parameter.new_place.as_ref()),
        suppressions: Vec::new(),
        failure_class: FailureClass::Impact { impact: Impact::Refused, loses_data: false },
    }
}

/// The differences outside of resources.
fn entry_messages(template: &TemplateReport) -> Vec<Message<'_>> {
    let is_reported = |parameter: &&ParameterEntry| {
        let is_relevant =
            |detail: &ParameterEntryDetail| detail.aspect != ParameterAspect::Documentation;
        !parameter.refused
            && (parameter.change != EntryStatus::Changed
                || parameter.details.iter().any(is_relevant))
    };
    let mut messages = Vec::new();
    for it in template.parameters.iter().filter(is_reported) {
        let spot = MessagePlaces::of(it.old_place.as_ref(), it.new_place.as_ref());
        messages.push(entry_message(
            EntryCategory::Parameter,
            &it.name,
            &it.change,
            &it.reaches,
            spot,
        ));
    }
    for (other, entries) in [
        (EntryCategory::Group, &template.groups),
        (EntryCategory::Condition, &template.conditions),
        (EntryCategory::Output, &template.outputs),
    ] {
        // What changes with a resource is said of the resource.
        for it in entries.iter().filter(|it| it.change != EntryStatus::Affected) {
            let spot = MessagePlaces::of(it.old_place.as_ref(), it.new_place.as_ref());
            messages.push(entry_message(other, &it.name, &it.change, &it.reaches, spot));
        }
    }
    for it in &template.environment {
        let spot = MessagePlaces::of(it.old_place.as_ref(), it.new_place.as_ref());
        messages.push(entry_message(
            EntryCategory::Environment,
            &it.name,
            &it.change,
            &it.reaches,
            spot,
        ));
    }
    messages
}

fn entry_message<'r>(
    other: EntryCategory,
    name: &'r str,
    change: &EntryStatus,
    reaches: &[String],
    spot: MessagePlaces<'r>,
) -> Message<'r> {
    let title = format!("{} {name} {}", other.name(), labels::change(change));
    let reaches =
        (!reaches.is_empty()).then(|| format!("it reaches {}", labels::name_list(reaches)));
    Message {
        rule: other.rule(),
        subject: name,
        kind: None,
        level: Level::Notice,
        title: one_line(&title),
        lines: reaches.iter().map(|line| one_line(line)).collect(),
        places: spot,
        suppressions: Vec::new(),
        failure_class: FailureClass::Difference,
    }
}

/// The kinds of differences outside of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryCategory {
    Parameter,
    Group,
    Condition,
    Output,
    Environment,
}

impl EntryCategory {
    pub(super) const ALL: [EntryCategory; 5] = [
        EntryCategory::Parameter,
        EntryCategory::Group,
        EntryCategory::Condition,
        EntryCategory::Output,
        EntryCategory::Environment,
    ];

    /// The word for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            EntryCategory::Parameter => "parameter",
            EntryCategory::Group => "group",
            EntryCategory::Condition => "condition",
            EntryCategory::Output => "output",
            EntryCategory::Environment => "environment",
        }
    }

    /// The name of its rule.
    pub(super) fn rule(self) -> String {
        format!("section/{}", self.name())
    }

    /// The meaning of such a difference.
    pub(super) fn help(self) -> &'static str {
        match self {
            EntryCategory::Parameter => {
                "A parameter differs. Its effects are listed with the resources."
            }
            EntryCategory::Group => "A parameter group differs. Groups are documentation only.",
            EntryCategory::Condition => {
                "A condition differs. Its effects are listed with the resources."
            }
            EntryCategory::Output => "An output differs. Other stacks and tools may read it.",
            EntryCategory::Environment => {
                "The environment differs. Its effects are listed with the resources."
            }
        }
    }
}

/// The rule of immutable parameters.
pub(super) const IMMUTABLE_PARAMETER: &str = "parameter/immutable";

/// The name of an impact's rule.
pub(super) fn impact_rule(impact: Impact) -> String {
    format!("impact/{}", impact.name())
}

/// The name of the rule of a kind of security changes.
pub(super) fn security_rule(kind: SecurityKind) -> String {
    format!("security/{}", level::security_name(kind))
}

fn resource_message<'r>(
    template: &'r TemplateReport,
    resource: &'r ResourceEntry,
) -> Option<Message<'r>> {
    let impact = resource.effective_impact;
    let loud = level::impact_level(impact)?;
    let title = format!("{} {}", one_line(&resource.name), labels::impact_phrase(impact));
    let mut lines: Vec<String> = labels::rename(resource).into_iter().collect();
    lines.extend(resource.reasons.iter().map(reason));
    lines.extend(fold_causes(&resource.propagations, false).iter().map(|cause| {
        format!("{} ({})", labels::propagation(cause.worst), cause.parts(str::to_owned))
    }));
    limit_lines(&mut lines);
    let counted = match resource.unread.is_empty() && impact != Impact::NotCompared {
        true => FailureClass::Impact { impact, loses_data: labels::loses_data(resource) },
        false => FailureClass::NotCompared,
    };
    let mut suppressions: Vec<_> =
        resource.suppressions.iter().filter_map(|at| template.suppressions.get(*at)).collect();
    lines.extend(
        suppressions
            .iter()
            .map(|suppression| format!("allowed by {}", labels::suppression(suppression))),
    );
    let lines = lines.iter().map(|line| one_line(line)).collect();
    // The place of the worst reason is more precise than that of the name, if it is in the same file.
    let worst = resource.reasons.iter().find(|it| it.impact == impact);
    let nearer = |part: Option<&'r SourcePlace>, name: Option<&'r SourcePlace>| match (part, name) {
        (Some(part), Some(name)) if part.source == name.source => Some(part),
        (part, name) => name.or(part),
    };
    let new = worst.and_then(|it| it.new_place.as_ref());
    let old = worst.and_then(|it| it.old_place.as_ref());
    // A change that was not compared cannot be suppressed.
    if counted == FailureClass::NotCompared {
        suppressions.clear();
    }
    Some(Message {
        rule: impact_rule(impact),
        subject: &resource.name,
        kind: resource.kind.as_deref(),
        level: if suppressions.is_empty() { loud } else { Level::Notice },
        title,
        lines,
        places: MessagePlaces::of(
            nearer(old, resource.old_place.as_ref()),
            nearer(new, resource.new_place.as_ref()),
        ),
        suppressions,
        failure_class: counted,
    })
}

pub(super) fn reason(reason: &ReasonEntry) -> String {
    let mut label = labels::label(reason);
    if let [change] = reason.changes.as_slice() {
        label = labels::change_name(label, change);
    }
    let values = match reason.changes.as_slice() {
        [change] if labels::equal_texts(change).is_some() => {
            format!(": {}", labels::equal_texts(change).unwrap_or_default())
        }
        [ValueChange { old: Some(old), new: Some(new), .. }]
            if old != new && !is_long(old, new) =>
        {
            let (old, new) = short_values::short_pair(old, new);
            format!(": {old} → {new}")
        }
        _ => String::new(),
    };
    match reason.part {
        PartKind::Resource => reason.why.clone(),
        _ => format!("{label}{values}: {}", reason.why),
    }
}

/// Texts of several lines are not useful on one line.
fn is_long(old: &Json, new: &Json) -> bool {
    [old, new].iter().any(|value| value.as_str().is_some_and(|text| text.trim_end().contains('\n')))
}

fn security_message<'r>(template: &'r TemplateReport, change: &'r SecurityEntry) -> Message<'r> {
    let resource = template.resources.iter().find(|resource| resource.name == change.resource);
    Message {
        rule: security_rule(change.kind),
        subject: &change.resource,
        kind: resource.and_then(|resource| resource.kind.as_deref()),
        level: level::access_level(change.verdict),
        title: format!("{}: {}", one_line(&change.resource), one_line(&change.message)),
        lines: Vec::new(),
        places: MessagePlaces::of(change.old_place.as_ref(), change.new_place.as_ref()),
        // A suppression of any impact covers security changes too.
        suppressions: resource
            .map_or(&[][..], |resource| &resource.suppressions)
            .iter()
            .filter_map(|at| template.suppressions.get(*at))
            .filter(|suppression| suppression.impact.is_none())
            .collect(),
        failure_class: match change.verdict {
            AccessChange::Widened | AccessChange::MayWiden => FailureClass::Access(change.verdict),
            AccessChange::Initial | AccessChange::Changed | AccessChange::Narrowed => {
                FailureClass::Nothing
            }
        },
    }
}

fn one_line(text: &str) -> String {
    escape::on_one_line(text).into_owned()
}

fn limit_lines(lines: &mut Vec<String>) {
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES + 1;
        lines.truncate(MAX_LINES - 1);
        lines.push(format!("and {more} more reasons"));
    }
}
