//! The messages of a comparison, for the formats of continuous integration, which differ in
//! syntax only.

use serde_json::Value as Json;

use super::cause_folding::fold_causes;
use super::level;
use super::model::{
    ParameterEntry, PartKind, ReasonEntry, Refusal, ResourceEntry, SecurityEntry, SourcePlace,
    SuppressionEntry, TemplateFinding, TemplateReport, ValueChange,
};
use super::{labels, short_values};
use crate::report::{SourceRange, annotations, escape};
use hotplate_diff::{
    AccessChange, EntryStatus, FileStatus, FindingSide, Impact, MachineEffectKind, Pair, Places,
    ResourceOutcome, SecurityKind, UnreadFile,
};
use source_diagnostics::Severity;

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
    pub(super) level: Severity,
    /// One line: `server is replaced`.
    pub(super) title: String,
    /// The reasons, one per line.
    pub(super) lines: Vec<String>,
    /// In the new files, and in the old ones.
    pub(super) places: Places<&'r SourceRange>,
    /// The suppressions that apply to it.
    pub(super) suppressions: Vec<&'r SuppressionEntry>,
    /// Why `--fail-on` may count the message.
    pub(super) failure_class: FailureClass,
}

/// Why `--fail-on` may count a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureClass {
    Outcome(ResourceOutcome),
    Access(AccessChange),
    /// Something was not compared, which always counts.
    NotCompared,
    /// A difference other than an impact on a resource.
    Difference,
    Nothing,
}

impl FailureClass {
    /// Heat refuses it.
    const REFUSED: Self = FailureClass::Outcome(ResourceOutcome {
        impact: Impact::Refused,
        loses_data: false,
        has_hazard: false,
        interrupts: false,
        runs_again: false,
    });
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
    let mut resources: Vec<&ResourceEntry> =
        template.resources.iter().filter(|it| !it.is_hidden()).collect();
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

fn message_places(places: &Places<SourcePlace>) -> Places<&SourceRange> {
    places.as_ref().map(|it| &it.place)
}

impl<'r> Message<'r> {
    /// A message about the template as a whole, without a place.
    fn new(rule: String, level: Severity, title: String) -> Self {
        Message {
            rule,
            subject: "",
            kind: None,
            level,
            title,
            lines: Vec::new(),
            places: Places { old: None, new: None },
            suppressions: Vec::new(),
            failure_class: FailureClass::Nothing,
        }
    }

    /// The place in the new files, or in the old ones for what is removed. Formats that show messages in the
    /// new files must not use it: lines of old files are wrong there.
    pub(super) fn best_place(&self) -> Option<&'r SourceRange> {
        self.places.new.or(self.places.old)
    }

    /// Whether it is a finding rather than a change.
    pub(super) fn is_finding(&self) -> bool {
        self.subject.is_empty() && self.failure_class == FailureClass::Nothing
    }

    /// A hash that is the same as long as the message is about the same subject in the same file,
    /// at any position.
    pub(super) fn fingerprint(&self) -> String {
        let file = self.best_place().map_or("", |place| place.path.as_str());
        annotations::fingerprint(&[file, &self.rule, self.subject, &self.title])
    }
}

fn finding_message(entry: &TemplateFinding) -> Message<'_> {
    let finding = &entry.finding;
    let place = finding.place.as_ref();
    Message {
        lines: finding.help.iter().map(|help| format!("help: {}", one_line(help))).collect(),
        places: match entry.side {
            FindingSide::New | FindingSide::Both => Places { new: place, old: None },
            FindingSide::Old => Places { new: None, old: place },
        },
        ..Message::new(
            finding.code.to_string(),
            finding.severity,
            format!("{}{}", one_line(&finding.message), labels::place_count(entry)),
        )
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
        let known = template.refusals.iter().filter(|refusal| refusal.before);
        let errors = labels::counted_noun(known.clone().count(), "error");
        let mut lines: Vec<String> =
            known.map(|it| one_line(&format!("{}: {}", it.code, it.message))).collect();
        limit_lines(&mut lines);
        Message {
            lines,
            places: Places { old: None, new: first.new_place.as_ref().map(|it| &it.place) },
            failure_class: FailureClass::REFUSED,
            ..Message::new(
                REFUSED_BEFORE.to_owned(),
                Severity::Warning,
                format!("Heat refuses this template before and after the change ({errors})"),
            )
        }
    }))
}

fn error_message(refusal: &Refusal) -> Message<'_> {
    Message {
        lines: refusal.help.iter().map(|help| format!("help: {}", one_line(help))).collect(),
        places: Places { old: None, new: refusal.new_place.as_ref().map(|it| &it.place) },
        failure_class: FailureClass::REFUSED,
        ..Message::new(
            refusal.code.clone(),
            Severity::Error,
            format!("Heat refuses the update: {}", one_line(&refusal.message)),
        )
    }
}

/// The unreadable files, except those among the reasons of a resource.
fn unread(template: &TemplateReport) -> impl Iterator<Item = Message<'_>> {
    let is_reported =
        |file: &UnreadFile| template.resources.iter().any(|it| it.unread.contains(&file.file));
    let message = |subject, sentence: String| Message {
        subject,
        failure_class: FailureClass::NotCompared,
        ..Message::new(UNREAD_FILE.to_owned(), Severity::Error, format!("not compared: {sentence}"))
    };
    let unread = template.unread.iter().filter(move |file| !is_reported(file)).map(move |unread| {
        message(&unread.file, format!("{} could not be read", one_line(&unread.file)))
    });
    let partly = (template.counts.templates_partly_compared > 0).then(|| {
        let path = template.path();
        message(path, format!("keys or sections that Heat refuses on a side of {}", one_line(path)))
    });
    unread.chain(partly)
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
    let path = template.path();
    let known = FILES.into_iter().find(|(file, ..)| *file == template.file);
    let (_, rule, help) = known.unwrap_or(FILES[0]);
    Message {
        subject: path,
        lines: vec![match template.is_added_deployment() {
            true => "A deployment is added. There is no stack of it yet.".to_owned(),
            false => help.to_owned(),
        }],
        ..Message::new(
            rule.to_owned(),
            Severity::Note,
            format!("{} {}", one_line(path), labels::file_status(template)),
        )
    }
}

fn parameter_message(parameter: &ParameterEntry) -> Message<'_> {
    let name = one_line(&parameter.name);
    let reaches = parameter.affects.iter().map(|name| one_line(name)).collect::<Vec<_>>();
    Message {
        subject: &parameter.name,
        lines: match reaches.as_slice() {
            [] => Vec::new(),
            reaches => vec![format!("it reaches {}", labels::name_list(reaches))],
        },
        places: message_places(&parameter.places),
        failure_class: FailureClass::REFUSED,
        ..Message::new(
            IMMUTABLE_PARAMETER.to_owned(),
            Severity::Error,
            labels::immutable_parameter(&name),
        )
    }
}

/// The differences outside of resources.
fn entry_messages(template: &TemplateReport) -> Vec<Message<'_>> {
    let parameters = template.parameters.iter().filter(|it| !it.refused && it.is_difference());
    let mut messages: Vec<Message<'_>> = parameters
        .map(|it| entry_message("parameter", &it.name, &it.change, &it.affects, &it.places))
        .collect();
    for (section, entries) in [
        ("group", &template.groups),
        ("condition", &template.conditions),
        ("output", &template.outputs),
    ] {
        // What changes with a resource is said of the resource.
        let entries = entries.iter().filter(|it| it.change != EntryStatus::Affected);
        messages.extend(
            entries.map(|it| entry_message(section, &it.name, &it.change, &it.affects, &it.places)),
        );
    }
    messages.extend(
        template
            .environment
            .iter()
            .map(|it| entry_message("environment", &it.name, &it.change, &it.affects, &it.places)),
    );
    messages
}

fn entry_message<'r>(
    section: &str,
    name: &'r str,
    change: &EntryStatus,
    reaches: &[String],
    places: &'r Places<SourcePlace>,
) -> Message<'r> {
    let title = one_line(&format!("{section} {name} {}", labels::change(change)));
    let reaches =
        (!reaches.is_empty()).then(|| format!("it reaches {}", labels::name_list(reaches)));
    Message {
        subject: name,
        lines: reaches.iter().map(|line| one_line(line)).collect(),
        places: message_places(places),
        failure_class: FailureClass::Difference,
        ..Message::new(section_rule(section), Severity::Note, title)
    }
}

/// The kinds of differences outside of resources, with the meaning of such a difference.
pub(super) const SECTIONS: [(&str, &str); 5] = [
    ("parameter", "A parameter differs. Its effects are listed with the resources."),
    ("group", "A parameter group differs. Groups are documentation only."),
    ("condition", "A condition differs. Its effects are listed with the resources."),
    ("output", "An output differs. Other stacks and tools may read it."),
    ("environment", "The environment differs. Its effects are listed with the resources."),
];

/// The name of the rule of a kind of differences outside of resources.
pub(super) fn section_rule(section: &str) -> String {
    format!("section/{section}")
}

/// The rule of immutable parameters.
pub(super) const IMMUTABLE_PARAMETER: &str = "parameter/immutable";

/// The name of an impact's rule.
pub(super) fn impact_rule(impact: Impact) -> String {
    format!("impact/{}", impact.name())
}

/// The name of the rule of a kind of security changes.
pub(super) fn security_rule(kind: SecurityKind) -> String {
    format!("security/{}", kind.name())
}

fn resource_message<'r>(
    template: &'r TemplateReport,
    resource: &'r ResourceEntry,
) -> Option<Message<'r>> {
    let impact = resource.effective_impact;
    let has = |kind| resource.machine_effects.iter().any(|it| it.kind == kind);
    let is_quiet = resource.hazards.is_empty() && !has(MachineEffectKind::Interruption);
    let loud = match (level::impact_level(impact), is_quiet) {
        (level, true) => level?,
        // A leftover of an update is never only a note.
        (level, false) => level.unwrap_or(Severity::Note).max(Severity::Warning),
    };
    let if_different = labels::if_different(resource);
    let title =
        format!("{} {}{if_different}", one_line(&resource.name), labels::impact_phrase(impact));
    let mut lines: Vec<String> = labels::rename(resource).into_iter().collect();
    lines.extend(resource.reasons.iter().map(reason));
    lines.extend(fold_causes(&resource.propagations, false).iter().map(|cause| {
        format!("{} ({})", labels::propagation(cause.worst), cause.parts(str::to_owned))
    }));
    limit_lines(&mut lines);
    let counted = match resource.unread.is_empty() && impact != Impact::NotCompared {
        true => FailureClass::Outcome(ResourceOutcome {
            impact,
            loses_data: labels::loses_data(resource),
            has_hazard: !resource.hazards.is_empty(),
            interrupts: has(MachineEffectKind::Interruption),
            runs_again: has(MachineEffectKind::RunsAgain),
        }),
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
    let new = worst.and_then(|it| it.places.new.as_ref());
    let old = worst.and_then(|it| it.places.old.as_ref());
    // A change that was not compared cannot be suppressed.
    if counted == FailureClass::NotCompared {
        suppressions.clear();
    }
    let level = if suppressions.is_empty() { loud } else { Severity::Note };
    Some(Message {
        subject: &resource.name,
        kind: resource.kind.as_deref(),
        lines,
        places: Places {
            old: nearer(old, resource.places.old.as_ref()),
            new: nearer(new, resource.places.new.as_ref()),
        }
        .map(|it| &it.place),
        suppressions,
        failure_class: counted,
        ..Message::new(impact_rule(impact), level, title)
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
        [ValueChange { value: Pair { old: Some(old), new: Some(new) }, .. }]
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
        subject: &change.resource,
        kind: resource.and_then(|resource| resource.kind.as_deref()),
        places: message_places(&change.places),
        // A suppression of any impact covers security changes too.
        suppressions: resource
            .map_or(&[][..], |resource| &resource.suppressions)
            .iter()
            .filter_map(|at| template.suppressions.get(*at))
            .filter(|suppression| suppression.impact.is_none())
            .collect(),
        failure_class: match change.access {
            AccessChange::Widened | AccessChange::MayWiden => FailureClass::Access(change.access),
            AccessChange::Initial | AccessChange::Changed | AccessChange::Narrowed => {
                FailureClass::Nothing
            }
        },
        ..Message::new(
            security_rule(change.kind),
            level::access_level(change.access),
            format!("{}: {}", one_line(&change.resource), one_line(&change.message)),
        )
    }
}

pub(super) fn one_line(text: &str) -> String {
    escape::on_one_line(text).into_owned()
}

fn limit_lines(lines: &mut Vec<String>) {
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES + 1;
        lines.truncate(MAX_LINES - 1);
        lines.push(format!("and {more} more reasons"));
    }
}
