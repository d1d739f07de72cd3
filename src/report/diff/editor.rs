//! Hints beside the lines that change something: a short title, and the reasons.

use std::collections::{BTreeMap, HashMap};

use super::cause_folding::fold_causes;
use super::causes::own_reasons;
use super::labels;
use super::level;
use super::markdown::sentence;
use super::messages::{Message, messages};
use super::model::{PropagationEntry, ReasonEntry, ResourceEntry, TemplateReport};
use crate::report::{SourceRange, escape};
use hotplate_diff::{FileStatus, Impact};
use source_diagnostics::Severity;
use source_diagnostics::cancellation::checkpoint;

/// What an edit does, at one place of a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorNote {
    /// The place; `None` for what no place of a new file shows, such as a deleted resource.
    pub place: Option<SourceRange>,
    /// A few words: `replaces server and 2 more`.
    pub title: String,
    /// The title and the reasons, as Markdown.
    pub markdown: String,
}

/// The effect of a template's edits: at each resource that changes, at each part of its definition that is a reason, and at everything
/// else that differs. Nothing for a template that is new: there is no stack that changes.
pub fn editor_notes(template: &TemplateReport) -> Vec<EditorNote> {
    if !template.compared {
        let errors = labels::findings(template).map(|it| &it.finding);
        let errors = errors.filter(|it| it.severity == Severity::Error);
        let reasons: Vec<String> = errors.take(MAX_OTHERS).map(|it| it.message.clone()).collect();
        return vec![note(None, NOT_COMPARED, &reasons)];
    }
    if template.file != FileStatus::Existing {
        return Vec::new();
    }
    let resources = LoudResources::new(template);
    let mut notes: Vec<EditorNote> = Vec::new();
    for (resource, members) in resources.folded() {
        let name = display_name(resource, members);
        let own = resource_note(resource, &name, &resources);
        // The note of the resource has what follows from it.
        let loud: Vec<_> = own_reasons(resource).filter(|reason| is_loud(reason.impact)).collect();
        // A single reason decides everything about the resource.
        let whole = |reason: &ReasonEntry| match loud.as_slice() {
            [_] => own.title.clone(),
            _ => does(reason.impact, &name),
        };
        let of_reasons = loud.iter().filter_map(|it| reason_note(resource, it, &whole(it)));
        let of_reasons: Vec<EditorNote> = of_reasons.collect();
        notes.push(own);
        notes.extend(of_reasons);
    }
    // The definition of a nested stack may be the same while its template changes.
    let stacks =
        template.resources.iter().filter(|it| it.is_stack && !is_loud(it.effective_impact));
    notes.extend(stacks.filter_map(|stack| {
        let inside = resources.with(stack);
        let title = of_all(&inside)?;
        let reasons: Vec<String> = named(&inside).collect();
        Some(note(stack.places.new.as_ref().map(|it| &it.place), &title, &reasons))
    }));
    // Resources have notes of their own, with places at each part.
    let others = messages(template).into_iter().filter(|message| {
        let is_resource =
            message.rule.starts_with(IMPACT) && resources.named(message.subject).is_some();
        !message.is_finding() && !is_resource
    });
    notes.extend(others.map(|message| {
        let reached = resources.reached_from(&message);
        let mut reasons = message.lines;
        let title = match of_all(&reached) {
            Some(title) => {
                reasons.insert(0, message.title);
                title
            }
            None => message.title,
        };
        note(message.places.new, &title, &reasons)
    }));
    notes
}

/// The sentence about a template that cannot be compared.
const NOT_COMPARED: &str = "impact unknown: the template cannot be compared";

/// How the rules of impacts begin.
const IMPACT: &str = "impact/";

/// Whether an editor says something about an impact.
fn is_loud(impact: Impact) -> bool {
    level::impact_level(impact).is_some()
}

/// The resources that change.
struct LoudResources<'r> {
    all: Vec<&'r ResourceEntry>,
    /// The resources that change because another one does, by the first cause.
    followers: BTreeMap<&'r str, Vec<&'r ResourceEntry>>,
    by_name: HashMap<&'r str, &'r ResourceEntry>,
    /// The names of the resources that a change of a parameter or of an environment reaches, by its name.
    reaches: HashMap<&'r str, Vec<&'r str>>,
}

impl<'r> LoudResources<'r> {
    fn new(template: &'r TemplateReport) -> Self {
        let mut followers: BTreeMap<&str, Vec<&ResourceEntry>> = BTreeMap::new();
        let all: Vec<&ResourceEntry> =
            template.resources.iter().filter(|it| is_loud(it.effective_impact)).collect();
        for resource in &all {
            let first = |it: &'r PropagationEntry| it.chain.names.first().map(String::as_str);
            let loud = resource.propagations.iter().filter(|it| is_loud(it.impact));
            let mut causes: Vec<&str> = loud.filter_map(first).collect();
            causes.sort_unstable();
            causes.dedup();
            for cause in causes.into_iter().filter(|cause| *cause != resource.name) {
                followers.entry(cause).or_default().push(resource);
            }
        }
        let mut by_name = HashMap::new();
        for &resource in &all {
            by_name.entry(resource.name.as_str()).or_insert(resource);
        }
        let mut reaches: HashMap<&str, Vec<&str>> = HashMap::new();
        let parameters = template.parameters.iter().map(|it| (&it.name, &it.affects));
        let environment = template.environment.iter().map(|it| (&it.name, &it.affects));
        for (name, names) in parameters.chain(environment) {
            reaches.entry(name).or_default().extend(names.iter().map(String::as_str));
        }
        LoudResources { all, followers, by_name, reaches }
    }

    /// The resources, each with the number of members that it stands for: members of one group that change in the same way are one.
    fn folded(&self) -> Vec<(&'r ResourceEntry, usize)> {
        let mut folded: Vec<(&ResourceEntry, usize)> = Vec::new();
        for &resource in &self.all {
            checkpoint();
            let Some(group) = group_of(resource) else {
                folded.push((resource, 1));
                continue;
            };
            let is_same = |it: &ResourceEntry| {
                group_of(it) == Some(group) && it.effective_impact == resource.effective_impact
            };
            match folded.iter_mut().find(|(it, _)| is_same(it)) {
                Some((_, members)) => *members += 1,
                None => folded.push((resource, 1)),
            }
        }
        folded
    }

    fn named(&self, name: &str) -> Option<&'r ResourceEntry> {
        self.by_name.get(name).copied()
    }

    /// The other resources that change with one: those that follow it, and those of the stack that it is.
    fn with(&self, resource: &ResourceEntry) -> Vec<&'r ResourceEntry> {
        let inside = format!("{}/", resource.name);
        let is_inside = |it: &&&ResourceEntry| {
            resource.is_stack && it.name.starts_with(&inside) && !it.is_stack
        };
        let mut all = self.followers.get(resource.name.as_str()).cloned().unwrap_or_default();
        for child in self.all.iter().filter(is_inside) {
            if !all.iter().any(|it| it.name == child.name) {
                all.push(child);
            }
        }
        all
    }

    /// The resources that a change of a parameter or of an environment reaches, the worst first.
    fn reached_from(&self, message: &Message<'_>) -> Vec<&'r ResourceEntry> {
        let names = self.reaches.get(message.subject).into_iter().flatten();
        let mut reached: Vec<&ResourceEntry> = names.filter_map(|name| self.named(name)).collect();
        reached.sort_by_key(|it| it.effective_impact);
        reached.dedup_by_key(|it| &it.name);
        reached
    }
}

fn resource_note(
    resource: &ResourceEntry,
    name: &str,
    resources: &LoudResources<'_>,
) -> EditorNote {
    let impact = resource.effective_impact;
    let others = resources.with(resource);
    let title = with_others(does(impact, name), impact, &others);
    let mut reasons: Vec<String> = labels::rename(resource).into_iter().collect();
    reasons.extend(resource.reasons.iter().map(super::messages::reason));
    reasons.extend(fold_causes(&resource.propagations, false).iter().map(|cause| {
        format!("{} ({})", labels::propagation(cause.worst), cause.parts(str::to_owned))
    }));
    reasons.extend(resource.unread.iter().map(|file| format!("{file} could not be read")));
    reasons.extend(named(&others));
    note(resource.places.new.as_ref().map(|it| &it.place), &title, &reasons)
}

/// The most resources that are named beside one.
const MAX_OTHERS: usize = 12;

/// What happens to each of some resources, as far as there is room.
fn named(resources: &[&ResourceEntry]) -> impl Iterator<Item = String> {
    let more = resources.len().saturating_sub(MAX_OTHERS);
    let each = resources.iter().take(MAX_OTHERS);
    let each = each.map(|it| format!("{} {}", it.name, labels::impact_phrase(it.effective_impact)));
    each.chain((more > 0).then(|| format!("and {more} more"))).collect::<Vec<_>>().into_iter()
}

/// What happens to some resources, the worst first; `None` for none.
fn of_all(resources: &[&ResourceEntry]) -> Option<String> {
    let worst = resources.iter().min_by_key(|it| it.effective_impact)?;
    let title = does(worst.effective_impact, last_name(&worst.name));
    let more = resources.len() - 1;
    Some(if more > 0 { format!("{title} and {more} more") } else { title })
}

/// A title, and what happens to other resources: how many there are, and the worst, if it is worse.
fn with_others(mut title: String, impact: Impact, others: &[&ResourceEntry]) -> String {
    let mut count = others.len();
    let worst = others.iter().min_by_key(|it| it.effective_impact);
    if let Some(worst) = worst.filter(|it| it.effective_impact < impact) {
        title.push_str(&format!(", {}", does(worst.effective_impact, last_name(&worst.name))));
        count -= 1;
    }
    if count > 0 {
        title.push_str(&format!(" and {count} more"));
    }
    title
}

/// The note at a part of a definition; `None` if it has no line of its own.
fn reason_note(resource: &ResourceEntry, reason: &ReasonEntry, title: &str) -> Option<EditorNote> {
    let place = reason.changes.first().and_then(|it| it.places.new.as_ref());
    let place = place.or(reason.places.new.as_ref())?;
    let is_of_resource = resource.places.new.as_ref().is_some_and(|it| {
        it.source == place.source && it.place.start.line == place.place.start.line
    });
    let reasons = [super::messages::reason(reason)];
    (!is_of_resource).then(|| note(Some(&place.place), title, &reasons))
}

fn note(place: Option<&SourceRange>, title: &str, reasons: &[String]) -> EditorNote {
    let title = escape::on_one_line(title).into_owned();
    let mut markdown = format!("**{}**\n", sentence(&title));
    for reason in reasons {
        markdown.push_str(&format!("\n- {}", sentence(reason)));
    }
    EditorNote { place: place.cloned(), title, markdown }
}

/// The group that a resource is a member of: its name, for members are numbered.
fn group_of(resource: &ResourceEntry) -> Option<&str> {
    let (group, member) = resource.name.rsplit_once('/')?;
    member.bytes().all(|it| it.is_ascii_digit()).then_some(group)
}

/// The name for one resource, or for several members of a group.
fn display_name(resource: &ResourceEntry, members: usize) -> String {
    match group_of(resource) {
        Some(group) if members > 1 => format!("{members} members of {}", last_name(group)),
        Some(_) | None => last_name(&resource.name).to_owned(),
    }
}

/// The name of a resource in its own stack; that of a member with its group.
fn last_name(full: &str) -> &str {
    let from = |at: usize| full.get(at + 1..).unwrap_or(full);
    let Some(last) = full.rfind('/') else { return full };
    if from(last).bytes().all(|it| it.is_ascii_digit()) {
        let before = full.get(..last).and_then(|before| before.rfind('/'));
        return before.map_or(full, from);
    }
    from(last)
}

/// What an update does to a resource, in the active voice.
fn does(impact: Impact, name: &str) -> String {
    match impact {
        Impact::Refused => format!("Heat refuses the update of {name}"),
        Impact::Delete => format!("deletes {name}"),
        Impact::Replace => format!("replaces {name}"),
        Impact::NotCompared => format!("{name} is not compared"),
        Impact::MayDelete => format!("may delete {name}"),
        Impact::MayReplace => format!("may replace {name}"),
        Impact::Rebuild => format!("rebuilds {name}"),
        Impact::Snapshot => format!("deletes {name} after a snapshot"),
        Impact::Retain => format!("removes {name} from the stack and keeps it"),
        Impact::Create => format!("creates {name}"),
        Impact::Adopt => format!("adopts {name}"),
        Impact::MayCreate => format!("may create {name}"),
        Impact::Update => format!("updates {name} in place"),
        Impact::NoopUpdate => format!("updates {name} without effect"),
        Impact::None => format!("does not change {name}"),
    }
}
