//! Parts that a comparison could not examine: unreadable files, and templates whose content is
//! unknown.
//!
//! A local file may differ between the sides although its name is the same, so what depends
//! on it is not compared. What a network URL returns is not part of the change: the same URL counts as
//! the same content.

use std::collections::BTreeSet;

use super::DeploymentSide;
use super::comparison::{
    ChangeReason, DefinitionPart, DisplayValue, Impact, Pair, Places, Propagation, UnreadFile,
};
use super::impact::{ResourceDefinition, UpdateDecision};
use super::update_rules::UpdateRule;
use heat_engine::environment::Environment;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::{Dependency, EvalResult, EvaluatedProperties, Unknown, Value};

/// Whether a URL refers to a local file.
pub(super) fn is_local(url: &str) -> bool {
    url.starts_with("file:")
}

/// Whether an unknown value depends on a local file, which may differ between the
/// sides.
pub(super) fn depends_on_file(unknown: &Unknown) -> bool {
    let is_file = |it: &Dependency| matches!(it, Dependency::File(url) if is_local(url));
    unknown.depends_on.iter().any(is_file)
}

/// Whether a value, or a part of it, depends on an unreadable local file.
pub(super) fn holds_file(value: &Value) -> bool {
    value.any(&mut |part| matches!(part, Value::Unknown(unknown) if depends_on_file(unknown)))
}

/// The local files that could not be read.
pub(super) fn files(sides: &Pair<&DeploymentSide<'_>>) -> Vec<UnreadFile> {
    named(sides, true)
}

/// The network URLs that templates refer to; they are not fetched.
pub(super) fn urls(sides: &Pair<&DeploymentSide<'_>>) -> Vec<String> {
    named(sides, false).into_iter().map(|unread| unread.file).collect()
}

fn named(sides: &Pair<&DeploymentSide<'_>>, local: bool) -> Vec<UnreadFile> {
    let mut found: Vec<UnreadFile> = Vec::new();
    for (side, is_new) in [(sides.old, false), (sides.new, true)] {
        for (location, _) in side.environment.files.unread() {
            if is_local(location.url()) != local {
                continue;
            }
            let file = location.to_string();
            let at = found.iter().position(|unread| unread.file == file).unwrap_or_else(|| {
                found.push(UnreadFile { file, old: false, new: false });
                found.len() - 1
            });
            let unread = &mut found[at];
            *(if is_new { &mut unread.new } else { &mut unread.old }) = true;
        }
    }
    found
}

/// The content of a resource that may represent a stack.
pub(super) enum NestedStack<'d> {
    /// It represents no stack, as far as is known.
    Nothing,
    /// The stack of its template, which was read and evaluated.
    Stack(&'d Deployed),
    /// Unknown: it depends on unknown values.
    Unknown,
    /// Unknown: its template is a local file that could not be read.
    Unread(String),
    /// Heat's client does not find the file.
    Missing(String),
    /// The template is invalid.
    Broken(String),
    /// Unknown: its template is at this URL, which is not fetched.
    Remote(String),
}

impl<'d> NestedStack<'d> {
    pub(super) fn of(
        definition: Option<&ResourceDefinition<'d>>,
        environment: &Environment,
    ) -> Self {
        let Some(definition) = definition else { return NestedStack::Nothing };
        let url = definition.template();
        let name = |url: Option<&str>| match url {
            Some(url) => environment.files.display_name(url),
            None => definition.written_type().to_owned(),
        };
        match definition.child() {
            None => NestedStack::Nothing,
            Some(ChildStack::Unknown(_)) => NestedStack::Unknown,
            Some(ChildStack::Stack(stack)) if stack.evaluation.resources.is_some() => {
                NestedStack::Stack(stack)
            }
            Some(ChildStack::Stack(_)) => NestedStack::Broken(name(url.as_deref())),
            Some(ChildStack::Failed(_)) => {
                let name = name(url.as_deref());
                let Some(url) = url else { return NestedStack::Broken(name) };
                let files = &environment.files;
                if files.get(&url).is_some() {
                    return NestedStack::Broken(name);
                }
                let code = files.unread().find(|(location, _)| location.url() == url);
                match code {
                    _ if !is_local(&url) => NestedStack::Remote(name),
                    Some((_, source_files::codes::FILE_NOT_FOUND)) => NestedStack::Missing(name),
                    Some(_) | None => NestedStack::Unread(name),
                }
            }
        }
    }

    /// The stack, if it is known.
    pub(super) fn stack(&self) -> Option<&'d Deployed> {
        match self {
            NestedStack::Stack(stack) => Some(stack),
            _ => None,
        }
    }

    /// Whether the content is known: a stack, or nothing.
    pub(super) fn is_known(&self) -> bool {
        matches!(self, NestedStack::Nothing | NestedStack::Stack(_))
    }

    /// The local template file that could not be examined.
    fn unreadable_template(&self) -> Option<&str> {
        match self {
            NestedStack::Unread(name) | NestedStack::Missing(name) | NestedStack::Broken(name) => {
                Some(name)
            }
            NestedStack::Nothing
            | NestedStack::Stack(_)
            | NestedStack::Unknown
            | NestedStack::Remote(_) => None,
        }
    }

    /// The template at a URL.
    fn remote_template(&self) -> Option<&str> {
        match self {
            NestedStack::Remote(name) => Some(name),
            _ => None,
        }
    }
}

/// Weakens a decision that depends on unreadable files, and lists these
/// files.
pub(super) fn limit_certainty(
    judgement: &mut UpdateDecision,
    definitions: &Pair<&ResourceDefinition<'_>>,
    inside: &Pair<NestedStack<'_>>,
    environments: &Pair<&Environment>,
) -> Vec<String> {
    let mut unread = Vec::new();
    for reason in &mut judgement.reasons {
        if let UpdateRule::InsideUnknown { template } = &mut reason.rule {
            *template = environments.new.files.display_name(template);
        }
        if reason.impact == Impact::None {
            continue;
        }
        let mut files = part_files(definitions.old, &reason.part, environments.old);
        files.extend(part_files(definitions.new, &reason.part, environments.new));
        let Some(file) = files.first().cloned() else { continue };
        unread.extend(files);
        if reason.impact.when_partly_read() == Impact::NotCompared {
            reason.rule = UpdateRule::NotRead { file, if_different: reason.impact };
            reason.impact = Impact::NotCompared;
        }
    }
    let nested = nested_reasons(definitions, inside, &judgement.reasons, &mut unread);
    judgement.reasons.extend(nested);
    judgement.reasons.sort_by_key(|reason| reason.impact);
    judgement.impact = certain_impact(Impact::None, &judgement.reasons, &[]).0;
    unread.sort();
    unread.dedup();
    unread
}

/// The worst of what is known of a resource, unless what was not compared may be worse than that; then its effect if it differs and Heat
/// accepts it, if that is known. `own` is a decision that no reason gives.
pub(super) fn certain_impact(
    own: Impact,
    reasons: &[ChangeReason],
    propagations: &[Propagation],
) -> (Impact, Option<Impact>) {
    let is_open = |it: &Impact| *it == Impact::NotCompared;
    // Heat may refuse what is in a file, but no value that it makes itself.
    let may_be_refused = reasons.iter().any(|it| is_open(&it.impact));
    let each = reasons.iter().map(|it| (it.impact, it.if_different()));
    let each = each.chain(propagations.iter().map(|it| (it.impact, it.if_different)));
    let (open, known): (Vec<_>, Vec<_>) =
        each.chain([(own, Impact::None)]).partition(|(it, _)| is_open(it));
    let known = known.iter().map(|(impact, _)| *impact).min().unwrap_or(Impact::None);
    match open.iter().map(|(_, if_different)| *if_different).min() {
        Some(worst) if known > worst || may_be_refused && known > Impact::MayReplace => {
            (Impact::NotCompared, Some(worst).filter(|it| !is_open(it)))
        }
        _ => (known, None),
    }
}

/// The reasons that follow from unknown content.
fn nested_reasons(
    definitions: &Pair<&ResourceDefinition<'_>>,
    inside: &Pair<NestedStack<'_>>,
    reasons: &[ChangeReason],
    unread: &mut Vec<String>,
) -> Option<ChangeReason> {
    let reason = |impact, why| ChangeReason {
        part: DefinitionPart::Resource,
        impact,
        rule: why,
        value: Pair { old: DisplayValue::Absent, new: DisplayValue::Absent },
        places: Places {
            old: Some(definitions.old.name_span()),
            new: Some(definitions.new.name_span()),
        },
        changes: Vec::new(),
    };
    // What Heat refuses is reported with its error; the content is still not compared.
    if let NestedStack::Broken(name) = &inside.new {
        unread.push(name.clone());
    }
    let closed = match (&inside.old, &inside.new) {
        (_, NestedStack::Unread(name) | NestedStack::Missing(name)) => Some(name.as_str()),
        (NestedStack::Broken(_), NestedStack::Broken(_)) => None,
        (old, _) => old.unreadable_template(),
    };
    if let Some(template) = closed {
        let template = template.to_owned();
        unread.push(template.clone());
        return Some(reason(Impact::NotCompared, UpdateRule::InsideUnknown { template }));
    }
    if let (old, Some(new)) | (Some(new), old) =
        (inside.old.remote_template(), inside.new.remote_template())
    {
        let template = new.to_owned();
        let differs = old != Some(new);
        return differs.then(|| reason(Impact::MayReplace, UpdateRule::InsideUnknown { template }));
    }
    match (&inside.old, &inside.new) {
        (NestedStack::Unknown, NestedStack::Stack(_))
        | (NestedStack::Stack(_), NestedStack::Unknown) => {
            Some(reason(Impact::MayReplace, UpdateRule::Unresolved))
        }
        _ => {
            let different =
                reasons.iter().map(|it| it.impact).filter(|it| *it < Impact::NoopUpdate);
            let impact = match different.max()? {
                Impact::NotCompared => Impact::NotCompared,
                _ => Impact::MayReplace,
            };
            let is_closed = definitions.new.is_never_opened();
            is_closed.then(|| reason(impact, UpdateRule::NotOpened))
        }
    }
}

/// The unreadable files that a part of a definition depends on.
fn part_files(
    definition: &ResourceDefinition<'_>,
    part: &DefinitionPart,
    environment: &Environment,
) -> Vec<String> {
    let resource = definition.resource;
    let mut found = BTreeSet::new();
    let mut add = |outcome: &EvalResult| {
        if let Ok(value) = outcome {
            value.collect_dependencies(&mut found);
        }
    };
    match part {
        // A property may get its value from another one, or the plugin may combine all of them.
        DefinitionPart::Property(_) | DefinitionPart::Properties => {
            match (&resource.properties, part) {
                (EvaluatedProperties::Each(each), DefinitionPart::Property(name)) => {
                    let own = each.iter().find(|(key, _)| key.as_text() == Some(name));
                    match own {
                        Some((_, value)) => add(value),
                        None => each.values().for_each(add),
                    }
                }
                (EvaluatedProperties::Each(each), _) => each.values().for_each(add),
                (EvaluatedProperties::Whole(whole), _) => add(whole),
            }
        }
        DefinitionPart::Metadata => resource.metadata.iter().for_each(add),
        DefinitionPart::UpdatePolicy => resource.update_policy.iter().for_each(add),
        DefinitionPart::ExternalId => resource.external_id.iter().for_each(add),
        DefinitionPart::Condition => resource.condition.iter().for_each(add),
        DefinitionPart::DeletionPolicy => add(&Ok(resource.deletion_policy.clone())),
        DefinitionPart::Resource
        | DefinitionPart::Type
        | DefinitionPart::DependsOn
        | DefinitionPart::Description => {}
    }
    names(&found, environment)
}

/// The unreadable files that a definition depends on.
pub(super) fn definition_files(
    definition: &ResourceDefinition<'_>,
    inside: &NestedStack<'_>,
    environment: &Environment,
) -> Vec<String> {
    let parts = [
        DefinitionPart::Properties,
        DefinitionPart::Metadata,
        DefinitionPart::UpdatePolicy,
        DefinitionPart::ExternalId,
        DefinitionPart::Condition,
        DefinitionPart::DeletionPolicy,
    ];
    let mut all: Vec<String> =
        parts.iter().flat_map(|part| part_files(definition, part, environment)).collect();
    all.extend(inside.unreadable_template().map(str::to_owned));
    all.sort();
    all.dedup();
    all
}

fn names(depends_on: &BTreeSet<Dependency>, environment: &Environment) -> Vec<String> {
    let local = depends_on.iter().filter_map(|it| match it {
        Dependency::File(url) if is_local(url) => Some(url),
        _ => None,
    });
    local.map(|url| environment.files.display_name(url)).collect()
}
