//! The merge of Heat's server: parameters by their strategies, everything else at the top level.
//!
//! Heat's rules: `docs/heat.md#unknown-parameters-in-a-merge`, `docs/heat.md#merge-strategies`,
//! `docs/heat.md#merged-values`, `docs/heat.md#other-sections-in-a-merge`.

use std::collections::HashMap;

use super::{MergeFailure, merge_failure, merged};
use crate::environment::read::EnvironmentFile;
use crate::environment::registry::RESOURCES;
use crate::environment::sections::{
    self, ALWAYS_MERGED, DEFAULTS, PARAMETERS, REGISTRY, STRATEGIES,
};
use crate::environment::tree::{
    EarlierOutcome, EnvironmentMap, EnvironmentNode, EnvironmentValue, as_json, reread_as_yaml,
};
use crate::environment::{DeclaredType, ParameterTypes};
use heat_template::ir::ParameterType;
use lossless_yaml::{Limits, read};
use source_diagnostics::{Diagnostic, Span};

/// The merge strategy of a parameter.
#[derive(Clone, Debug, PartialEq)]
enum MergeStrategy {
    Overwrite,
    Merge,
    DeepMerge,
    /// A file's default that is not a strategy. It overwrites, but counts as different from `overwrite`.
    Other(EnvironmentValue),
}

impl MergeStrategy {
    fn name(&self) -> &str {
        match self {
            MergeStrategy::Overwrite => "overwrite",
            MergeStrategy::Merge => "merge",
            MergeStrategy::DeepMerge => "deep_merge",
            MergeStrategy::Other(_) => "another word",
        }
    }

    fn of(value: &EnvironmentValue) -> Self {
        match value {
            EnvironmentValue::Text(word) if word == "overwrite" => MergeStrategy::Overwrite,
            EnvironmentValue::Text(word) if word == "merge" => MergeStrategy::Merge,
            EnvironmentValue::Text(word) if word == "deep_merge" => MergeStrategy::DeepMerge,
            other => MergeStrategy::Other(other.clone()),
        }
    }
}

/// The strategies recorded so far, with their spans.
type RecordedStrategies = HashMap<String, (MergeStrategy, Span)>;

/// Merges files in order into the parameters of the command line, which are the oldest values.
pub(in crate::environment) fn merge_on_server(
    files: &[EnvironmentFile],
    parameters: EnvironmentMap,
    types: &dyn ParameterTypes,
    findings: &mut Vec<Diagnostic>,
) -> EnvironmentMap {
    let mut server = ServerMerge { types, recorded: RecordedStrategies::new(), findings };
    let mut merged: EnvironmentMap = ALWAYS_MERGED
        .into_iter()
        .map(|(name, is_list)| {
            let empty = if is_list {
                EnvironmentValue::List(Vec::new())
            } else {
                EnvironmentValue::Map(EnvironmentMap::new())
            };
            (name.to_owned(), EnvironmentNode::new(empty, Span::NOWHERE))
        })
        .collect();
    if let Some(section) = merged.get_mut(PARAMETERS) {
        section.value = EnvironmentValue::Map(parameters);
    }
    for file in files {
        server.file(&mut merged, file);
    }
    merged
}

struct ServerMerge<'a> {
    types: &'a dyn ParameterTypes,
    recorded: RecordedStrategies,
    findings: &'a mut Vec<Diagnostic>,
}

impl ServerMerge<'_> {
    fn file(&mut self, merged: &mut EnvironmentMap, file: &EnvironmentFile) {
        let mut sections = file.sections.clone();
        for (name, node) in &mut sections {
            if node.is_null() {
                let message = format!("environment has empty section `{name}`");
                let finding = Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message);
                self.findings.push(finding.at(node.span));
            }
            reread_as_yaml(node, self.findings);
        }
        let strategies = sections.shift_remove(STRATEGIES).filter(|node| !node.is_null());
        for (name, node) in sections {
            if !node.is_truthy() {
                continue;
            }
            let nothing = EnvironmentNode::new(EnvironmentValue::Null, node.span);
            let slot = merged.entry(name.clone()).or_insert_with(|| nothing.clone());
            let old = std::mem::replace(slot, nothing);
            *slot = match name.as_str() {
                PARAMETERS | DEFAULTS => self.parameters(&name, old, node, strategies.as_ref()),
                _ => self.other(&name, old, node),
            };
        }
    }

    /// Merges `parameters` and `parameter_defaults`.
    fn parameters(
        &mut self,
        section: &str,
        old: EnvironmentNode,
        new: EnvironmentNode,
        strategies: Option<&EnvironmentNode>,
    ) -> EnvironmentNode {
        let EnvironmentValue::Map(values) = &new.value else {
            let message = format!("`{section}` must be a map, but this is {}", new.kind());
            let finding = Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message);
            self.findings.push(finding.at(new.span));
            return old;
        };
        self.record(values, strategies);
        let EnvironmentValue::Map(mut all) = old.value else { return new };
        if all.is_empty() {
            return new;
        }
        for (name, value) in values.clone() {
            if value.is_null() || self.types.declared(&name) == DeclaredType::Undeclared {
                self.dropped(&name, &value);
                continue;
            }
            let strategy = self.recorded.get(&name).map_or(&MergeStrategy::Overwrite, |(it, _)| it);
            let older = all.get(&name).cloned();
            let value = match strategy {
                MergeStrategy::Overwrite | MergeStrategy::Other(_) => {
                    value.after(older, EarlierOutcome::Overridden)
                }
                MergeStrategy::Merge | MergeStrategy::DeepMerge => {
                    let deep = *strategy == MergeStrategy::DeepMerge;
                    match self.merge(&name, older.clone(), value.clone(), deep) {
                        Ok(merged) => merged,
                        Err(crash) => {
                            self.findings.push(*crash);
                            value.after(older, EarlierOutcome::Overridden)
                        }
                    }
                }
            };
            all.insert(name, value);
        }
        let (span, key) = (new.span, new.key);
        EnvironmentNode { value: EnvironmentValue::Map(all), span, key, earlier: Vec::new() }
    }

    /// Reports a value that Heat silently drops.
    fn dropped(&mut self, name: &str, value: &EnvironmentNode) {
        let reason = if value.is_null() { "it is null" } else { "no template declares it" };
        let message = format!("`{name}` has no effect: {reason}, and this is not the first source");
        self.findings.push(Diagnostic::new(crate::codes::DROPPED_ON_MERGE, message).at(value.key));
    }

    /// Records the strategy of each parameter, and compares it with the recorded one.
    fn record(&mut self, values: &EnvironmentMap, strategies: Option<&EnvironmentNode>) {
        let words = strategies.and_then(EnvironmentNode::as_map);
        if let (Some(node), None) = (strategies, words) {
            let message = format!("`{STRATEGIES}` must be a map, but this is {}", node.kind());
            let finding =
                Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message).at(node.span);
            let used = |(name, value): (&String, &EnvironmentNode)| {
                !value.is_null() && self.types.declared(name) != DeclaredType::Undeclared
            };
            if values.iter().any(used) {
                self.findings.push(finding);
            }
            return;
        }
        let by_default = words.and_then(|words| words.get("default"));
        for (name, value) in values {
            if value.is_null() || self.types.declared(name) == DeclaredType::Undeclared {
                continue;
            }
            let default =
                || by_default.map_or(MergeStrategy::Overwrite, |it| MergeStrategy::of(&it.value));
            let named = words.and_then(|words| words.get(name));
            let recorded = self.recorded.get(name);
            // Without the section, a file requests `overwrite`, whatever was recorded.
            let strategy = match (named, recorded) {
                (Some(word), _) => MergeStrategy::of(&word.value),
                (None, Some((recorded, _))) => recorded.clone(),
                (None, None) => default(),
            };
            let strategy = match strategy {
                MergeStrategy::Other(_) => {
                    if let Some(word) = named {
                        self.findings.push(unknown_strategy(word));
                    }
                    default()
                }
                strategy => strategy,
            };
            let place = named.or(by_default).map_or(value.key, |word| word.span);
            match recorded {
                None => {
                    if let (MergeStrategy::Other(_), Some(word)) = (&strategy, by_default) {
                        self.findings.push(unknown_strategy(word));
                    }
                    self.recorded.insert(name.clone(), (strategy, place));
                }
                Some((earlier, span)) if *earlier != strategy => {
                    let message = format!(
                        "`{name}` is merged by `{}` here and by `{}` in an earlier file",
                        strategy.name(),
                        earlier.name()
                    );
                    self.findings.push(
                        Diagnostic::new(crate::codes::MERGE_CONFLICT, message)
                            .at(place)
                            .related(*span, "earlier strategy")
                            .help(format!(
                                "set the strategy of `{name}` in the first file that has a value for it"
                            )),
                    );
                }
                Some(_) => {}
            }
        }
    }

    /// Merges a value with the older one.
    fn merge(
        &mut self,
        name: &str,
        older: Option<EnvironmentNode>,
        value: EnvironmentNode,
        deep: bool,
    ) -> Result<EnvironmentNode, MergeFailure> {
        let kind = match self.types.declared(name) {
            DeclaredType::Type(kind) => kind,
            DeclaredType::Undeclared | DeclaredType::NoTemplate => {
                let kind = kind_of(&value);
                let message =
                    format!("`{name}` is merged by the type of its value, {}", value.kind());
                self.findings.push(
                    Diagnostic::new(crate::codes::MERGE_WITHOUT_TEMPLATE, message).at(value.key),
                );
                kind
            }
        };
        let value = parsed(kind, value)?;
        match kind {
            ParameterType::Json => {
                // A missing value counts as an empty map, which is replaced as a whole.
                match older {
                    Some(older) => merge_map(older, value, deep),
                    None => Ok(value),
                }
            }
            ParameterType::TextList => match older {
                Some(older) => merge_list(older, value),
                None => Ok(value),
            },
            ParameterType::Text => joined(older, value, ""),
            ParameterType::Number => added(older, value),
            ParameterType::Boolean => {
                let message =
                    format!("invalid merge strategy `merge` for the boolean parameter `{name}`");
                Err(Box::new(
                    Diagnostic::new(crate::codes::MERGE_IMPOSSIBLE, message).at(value.span),
                ))
            }
        }
    }

    /// Merges any other section: the new top-level entries are added to the old ones.
    fn other(
        &mut self,
        section: &str,
        old: EnvironmentNode,
        new: EnvironmentNode,
    ) -> EnvironmentNode {
        if section == sections::REQUIRES {
            let EnvironmentValue::Map(all) = &old.value else { return new };
            let mut all = all.clone();
            for (key, value) in new.as_map().cloned().unwrap_or_default() {
                let older = all.get(&key).cloned();
                all.insert(key, value.after(older, EarlierOutcome::Overridden));
            }
            return EnvironmentNode { value: EnvironmentValue::Map(all), ..new };
        }
        let resources = |node: &EnvironmentNode| {
            let scope = node.as_map().and_then(|map| map.get(RESOURCES))?;
            scope.is_truthy().then_some(scope.key)
        };
        if section == REGISTRY
            && let (Some(earlier), Some(later)) = (resources(&old), resources(&new))
        {
            let message = "this `resources` replaces the one in an earlier file";
            self.findings.push(
                Diagnostic::new(crate::codes::REGISTRY_REPLACED, message)
                    .at(later)
                    .related(earlier, "this is replaced as a whole"),
            );
        }
        let (span, key) = (new.span, new.key);
        match merge_map(old.clone(), new, false) {
            Ok(mut node) => {
                // The history is kept at the entries.
                node.earlier.clear();
                (node.span, node.key) = (span, key);
                node
            }
            Err(crash) => {
                self.findings.push(*crash);
                old
            }
        }
    }
}

fn unknown_strategy(word: &EnvironmentNode) -> Diagnostic {
    let message = "Heat does not know this merge strategy and uses the default of the file";
    Diagnostic::new(crate::codes::UNKNOWN_MERGE_STRATEGY, message)
        .at(word.span)
        .help("the strategies are `overwrite`, `merge` and `deep_merge`")
}

/// The parameter type that a value is probably for.
fn kind_of(value: &EnvironmentNode) -> ParameterType {
    match &value.value {
        EnvironmentValue::Map(_) => ParameterType::Json,
        EnvironmentValue::List(_) => ParameterType::TextList,
        EnvironmentValue::Bool(_) => ParameterType::Boolean,
        EnvironmentValue::Int(_) | EnvironmentValue::Float(_) => ParameterType::Number,
        EnvironmentValue::Text(_) | EnvironmentValue::File(_) | EnvironmentValue::Null => {
            ParameterType::Text
        }
    }
}

/// The value to merge: JSON in a text is parsed; a value that is neither text nor list is an error
/// for all other types.
fn parsed(kind: ParameterType, value: EnvironmentNode) -> Result<EnvironmentNode, MergeFailure> {
    let refuse = |value: &EnvironmentNode, why: String| {
        let message = format!("invalid parameter in environment: {why}");
        Err(Box::new(Diagnostic::new(crate::codes::MERGE_IMPOSSIBLE, message).at(value.span)))
    };
    match (kind, &value.value) {
        (ParameterType::Json, EnvironmentValue::Text(text)) if !text.is_empty() => {
            let document = json(text, value.span);
            match document {
                Ok(tree) => Ok(EnvironmentNode { value: tree, ..value }),
                Err(why) => refuse(&value, why),
            }
        }
        (ParameterType::Json, _) | (_, EnvironmentValue::Text(_) | EnvironmentValue::List(_)) => {
            Ok(value)
        }
        _ => refuse(
            &value,
            format!("{} cannot be merged; only a string or a list can", value.kind()),
        ),
    }
}

/// The value of a JSON text; all its parts have the same span.
fn json(text: &str, span: Span) -> Result<EnvironmentValue, String> {
    let document = read(span.source, text.into(), &Limits::default()).map_err(|f| f.message)?;
    let root = match (document.syntax(), document.root()) {
        (lossless_yaml::Syntax::Json, Some(root)) => root,
        _ => return Err("the string is not JSON".to_owned()),
    };
    let mut node = as_json(&document, root).map_err(|finding| finding.message)?;
    node.visit(&mut |node| (node.span, node.key) = (span, span));
    Ok(node.value)
}

/// Heat's `merge_map`: falsy values are replaced, nulls are ignored.
fn merge_map(
    old: EnvironmentNode,
    new: EnvironmentNode,
    deep: bool,
) -> Result<EnvironmentNode, MergeFailure> {
    if !old.is_truthy() {
        // An empty section that Heat itself creates has no history.
        let past = (old.span != Span::NOWHERE).then_some(old);
        return Ok(new.after(past, EarlierOutcome::Overridden));
    }
    let EnvironmentValue::Map(items) = &new.value else {
        return Err(merge_failure(&old, &new, "Heat can merge only a map into this value"));
    };
    let mut items = items.iter().filter(|(_, value)| !value.is_null()).peekable();
    let EnvironmentValue::Map(map) = &old.value else {
        return match items.peek() {
            None => Ok(old),
            Some(_) => Err(merge_failure(&old, &new, "Heat can merge a map only into a map")),
        };
    };
    let mut map = map.clone();
    for (key, value) in items {
        let older = map.get(key).cloned();
        let value = value.clone();
        let value = match (&value.value, older) {
            (EnvironmentValue::Map(_), Some(older)) if deep => merge_map(older, value, true)?,
            (EnvironmentValue::List(_), Some(older)) if deep => merge_list(older, value)?,
            (EnvironmentValue::Text(_) | EnvironmentValue::File(_), older) if deep => {
                joined(older, value, "")?
            }
            (_, older) => value.after(older, EarlierOutcome::Overridden),
        };
        map.insert(key.clone(), value);
    }
    Ok(merged(old, &new, map))
}

/// Heat's `merge_list`: lists are concatenated, texts are joined with a comma.
fn merge_list(old: EnvironmentNode, new: EnvironmentNode) -> Result<EnvironmentNode, MergeFailure> {
    if !old.is_truthy() {
        return Ok(new.after(Some(old), EarlierOutcome::Overridden));
    }
    match (&old.value, &new.value) {
        (EnvironmentValue::List(one), EnvironmentValue::List(two)) => {
            let items = one.iter().chain(two).cloned().collect();
            let node = EnvironmentNode {
                value: EnvironmentValue::List(items),
                earlier: Vec::new(),
                ..new
            };
            Ok(node.after(Some(old), EarlierOutcome::Merged))
        }
        (_, EnvironmentValue::List(_)) => {
            Err(merge_failure(&old, &new, "Heat appends a list only to a list"))
        }
        _ => joined(Some(old), new, ","),
    }
}

fn joined(
    old: Option<EnvironmentNode>,
    new: EnvironmentNode,
    between: &str,
) -> Result<EnvironmentNode, MergeFailure> {
    let text = |node: &EnvironmentNode| node.as_text().map(std::borrow::Cow::into_owned);
    let Some(old) = old else {
        return match text(&new) {
            Some(_) => Ok(new),
            None => Err(merge_failure(&new, &new, "Heat joins only strings")),
        };
    };
    let (Some(one), Some(two)) = (text(&old), text(&new)) else {
        return Err(merge_failure(&old, &new, "Heat joins only strings"));
    };
    let node = EnvironmentNode {
        value: EnvironmentValue::Text(one + between + &two),
        earlier: Vec::new(),
        ..new
    };
    Ok(node.after(Some(old), EarlierOutcome::Merged))
}

/// Python's `+` for two values of a number parameter: texts and lists, since numbers are
/// rejected before.
fn added(
    old: Option<EnvironmentNode>,
    new: EnvironmentNode,
) -> Result<EnvironmentNode, MergeFailure> {
    match (&old, &new.value) {
        (
            Some(EnvironmentNode { value: EnvironmentValue::Text(_), .. }),
            EnvironmentValue::Text(_),
        ) => joined(old, new, ""),
        (
            Some(EnvironmentNode { value: EnvironmentValue::List(one), .. }),
            EnvironmentValue::List(two),
        ) => {
            let items = one.iter().chain(two).cloned().collect();
            let node = EnvironmentNode {
                value: EnvironmentValue::List(items),
                earlier: Vec::new(),
                ..new
            };
            Ok(node.after(old, EarlierOutcome::Merged))
        }
        _ => {
            let old = old.as_ref().unwrap_or(&new);
            Err(merge_failure(old, &new, "Heat cannot add these"))
        }
    }
}
