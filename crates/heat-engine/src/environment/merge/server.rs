//! The merge of Heat's server: parameters by their strategies, everything else at its top.
//!
//! Heat's rules: `docs/heat.md#unknown-parameters-in-a-merge`, `docs/heat.md#merge-strategies`,
//! `docs/heat.md#merged-values`, `docs/heat.md#other-sections-in-a-merge`.

use std::collections::HashMap;

use super::super::read::EnvironmentFile;
use super::super::registry::RESOURCES;
use super::super::sections::{self, DEFAULTS, MERGED, PARAMETERS, REGISTRY, STRATEGIES};
use super::super::tree::{Fate, Map, Node, Tree, as_json, read_again};
use super::super::{Declared, ParameterTypes};
use super::{Crash, crash, merged};
use heat_template::ir::ParameterType;
use lossless_yaml::{Limits, read};
use source_diagnostics::{Diagnostic, Span};

/// How the values of one parameter come together.
#[derive(Clone, Debug, PartialEq)]
enum Strategy {
    Overwrite,
    Merge,
    DeepMerge,
    /// A file's default that is not a strategy. It overwrites, and is another one than `overwrite`.
    Other(Tree),
}

impl Strategy {
    fn name(&self) -> &str {
        match self {
            Strategy::Overwrite => "overwrite",
            Strategy::Merge => "merge",
            Strategy::DeepMerge => "deep_merge",
            Strategy::Other(_) => "another word",
        }
    }

    fn of(value: &Tree) -> Self {
        match value {
            Tree::Text(word) if word == "overwrite" => Strategy::Overwrite,
            Tree::Text(word) if word == "merge" => Strategy::Merge,
            Tree::Text(word) if word == "deep_merge" => Strategy::DeepMerge,
            other => Strategy::Other(other.clone()),
        }
    }
}

/// The strategies that were recorded, and where.
type Recorded = HashMap<String, (Strategy, Span)>;

/// Merges files in their order into the parameters of the command line, the oldest values.
pub(in super::super) fn merge_on_server(
    files: &[EnvironmentFile],
    parameters: Map,
    types: &dyn ParameterTypes,
    findings: &mut Vec<Diagnostic>,
) -> Map {
    let mut server = Server { types, recorded: Recorded::new(), findings };
    let mut merged: Map = MERGED
        .into_iter()
        .map(|(name, is_list)| {
            let empty = if is_list { Tree::List(Vec::new()) } else { Tree::Map(Map::new()) };
            (name.to_owned(), Node::new(empty, Span::NOWHERE))
        })
        .collect();
    if let Some(section) = merged.get_mut(PARAMETERS) {
        section.value = Tree::Map(parameters);
    }
    for file in files {
        server.file(&mut merged, file);
    }
    merged
}

struct Server<'a> {
    types: &'a dyn ParameterTypes,
    recorded: Recorded,
    findings: &'a mut Vec<Diagnostic>,
}

impl Server<'_> {
    fn file(&mut self, merged: &mut Map, file: &EnvironmentFile) {
        let mut sections = file.sections.clone();
        for (name, node) in &mut sections {
            if node.is_null() {
                let message = format!("environment has empty section `{name}`");
                let finding = Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message);
                self.findings.push(finding.at(node.span));
            }
            read_again(node, self.findings);
        }
        let strategies = sections.shift_remove(STRATEGIES).filter(|node| !node.is_null());
        for (name, node) in sections {
            if !node.is_truthy() {
                continue;
            }
            let nothing = Node::new(Tree::Null, node.span);
            let slot = merged.entry(name.clone()).or_insert_with(|| nothing.clone());
            let old = std::mem::replace(slot, nothing);
            *slot = match name.as_str() {
                PARAMETERS | DEFAULTS => self.parameters(&name, old, node, strategies.as_ref()),
                _ => self.other(&name, old, node),
            };
        }
    }

    /// `parameters` and `parameter_defaults`.
    fn parameters(
        &mut self,
        section: &str,
        old: Node,
        new: Node,
        strategies: Option<&Node>,
    ) -> Node {
        let Tree::Map(values) = &new.value else {
            let message = format!("`{section}` must be a map, this is {}", new.kind());
            let finding = Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message);
            self.findings.push(finding.at(new.span));
            return old;
        };
        self.record(values, strategies);
        let Tree::Map(mut all) = old.value else { return new };
        if all.is_empty() {
            return new;
        }
        for (name, value) in values.clone() {
            if value.is_null() || self.types.declared(&name) == Declared::Nowhere {
                self.dropped(&name, &value);
                continue;
            }
            let strategy = self.recorded.get(&name).map_or(&Strategy::Overwrite, |(it, _)| it);
            let older = all.get(&name).cloned();
            let value = match strategy {
                Strategy::Overwrite | Strategy::Other(_) => value.after(older, Fate::Overridden),
                Strategy::Merge | Strategy::DeepMerge => {
                    let deep = *strategy == Strategy::DeepMerge;
                    match self.merge(&name, older.clone(), value.clone(), deep) {
                        Ok(merged) => merged,
                        Err(crash) => {
                            self.findings.push(*crash);
                            value.after(older, Fate::Overridden)
                        }
                    }
                }
            };
            all.insert(name, value);
        }
        let (span, key) = (new.span, new.key);
        Node { value: Tree::Map(all), span, key, earlier: Vec::new() }
    }

    /// A value that Heat does not take over, silently.
    fn dropped(&mut self, name: &str, value: &Node) {
        let reason = if value.is_null() { "it is null" } else { "no template declares it" };
        let message = format!("`{name}` has no effect: {reason}, and this is not the first source");
        self.findings.push(Diagnostic::new(crate::codes::DROPPED_ON_MERGE, message).at(value.key));
    }

    /// Remembers how each parameter is merged, and compares with what is remembered.
    fn record(&mut self, values: &Map, strategies: Option<&Node>) {
        let words = strategies.and_then(Node::as_map);
        if let (Some(node), None) = (strategies, words) {
            let message = format!("`{STRATEGIES}` must be a map, this is {}", node.kind());
            let finding =
                Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message).at(node.span);
            let used = |(name, value): (&String, &Node)| {
                !value.is_null() && self.types.declared(name) != Declared::Nowhere
            };
            if values.iter().any(used) {
                self.findings.push(finding);
            }
            return;
        }
        let by_default = words.and_then(|words| words.get("default"));
        for (name, value) in values {
            if value.is_null() || self.types.declared(name) == Declared::Nowhere {
                continue;
            }
            let default = || by_default.map_or(Strategy::Overwrite, |it| Strategy::of(&it.value));
            let named = words.and_then(|words| words.get(name));
            let recorded = self.recorded.get(name);
            // Without the section a file asks for `overwrite`, whatever was recorded.
            let strategy = match (named, recorded) {
                (Some(word), _) => Strategy::of(&word.value),
                (None, Some((recorded, _))) => recorded.clone(),
                (None, None) => default(),
            };
            let strategy = match strategy {
                Strategy::Other(_) => {
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
                    if let (Strategy::Other(_), Some(word)) = (&strategy, by_default) {
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
                            .related(*span, "the earlier one")
                            .help(format!(
                                "name the strategy of `{name}` in the first file that gives it"
                            )),
                    );
                }
                Some(_) => {}
            }
        }
    }

    /// A value merged with the one that stands there.
    fn merge(
        &mut self,
        name: &str,
        older: Option<Node>,
        value: Node,
        deep: bool,
    ) -> Result<Node, Crash> {
        let kind = match self.types.declared(name) {
            Declared::As(kind) => kind,
            Declared::Nowhere | Declared::Unasked => {
                let kind = kind_of(&value);
                let message =
                    format!("`{name}` is merged by the kind of its value, {}", value.kind());
                self.findings.push(
                    Diagnostic::new(crate::codes::MERGE_WITHOUT_TEMPLATE, message).at(value.key),
                );
                kind
            }
        };
        let value = parsed(kind, value)?;
        match kind {
            ParameterType::Json => {
                // What is not there is an empty map, which is replaced as a whole.
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

    /// Any other section: what is new at its top is put into what is there.
    fn other(&mut self, section: &str, old: Node, new: Node) -> Node {
        if section == sections::REQUIRES {
            let Tree::Map(all) = &old.value else { return new };
            let mut all = all.clone();
            for (key, value) in new.as_map().cloned().unwrap_or_default() {
                let older = all.get(&key).cloned();
                all.insert(key, value.after(older, Fate::Overridden));
            }
            return Node { value: Tree::Map(all), ..new };
        }
        let resources = |node: &Node| {
            let scope = node.as_map().and_then(|map| map.get(RESOURCES))?;
            scope.is_truthy().then_some(scope.key)
        };
        if section == REGISTRY
            && let (Some(earlier), Some(later)) = (resources(&old), resources(&new))
        {
            let message = "this `resources` takes the place of the one in an earlier file";
            self.findings.push(
                Diagnostic::new(crate::codes::REGISTRY_REPLACED, message)
                    .at(later)
                    .related(earlier, "nothing of this is left"),
            );
        }
        let (span, key) = (new.span, new.key);
        match merge_map(old.clone(), new, false) {
            Ok(mut node) => {
                // The past is told at the entries.
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

fn unknown_strategy(word: &Node) -> Diagnostic {
    let message = "Heat knows no such merge strategy and takes the file's default";
    Diagnostic::new(crate::codes::UNKNOWN_MERGE_STRATEGY, message)
        .at(word.span)
        .help("the strategies are `overwrite`, `merge` and `deep_merge`")
}

/// The type that a value is likely to be for.
fn kind_of(value: &Node) -> ParameterType {
    match &value.value {
        Tree::Map(_) => ParameterType::Json,
        Tree::List(_) => ParameterType::TextList,
        Tree::Bool(_) => ParameterType::Boolean,
        Tree::Int(_) | Tree::Float(_) => ParameterType::Number,
        Tree::Text(_) | Tree::File(_) | Tree::Null => ParameterType::Text,
    }
}

/// The value as it is merged: JSON in a text is parsed, and what is neither text nor list is refused
/// for all other types.
fn parsed(kind: ParameterType, value: Node) -> Result<Node, Crash> {
    let refuse = |value: &Node, why: String| {
        let message = format!("invalid parameter in environment: {why}");
        Err(Box::new(Diagnostic::new(crate::codes::MERGE_IMPOSSIBLE, message).at(value.span)))
    };
    match (kind, &value.value) {
        (ParameterType::Json, Tree::Text(text)) if !text.is_empty() => {
            let document = json(text, value.span);
            match document {
                Ok(tree) => Ok(Node { value: tree, ..value }),
                Err(why) => refuse(&value, why),
            }
        }
        (ParameterType::Json, _) | (_, Tree::Text(_) | Tree::List(_)) => Ok(value),
        _ => refuse(&value, format!("{} cannot be merged, only a text or a list", value.kind())),
    }
}

/// The value of a JSON text, all of it at one place.
fn json(text: &str, span: Span) -> Result<Tree, String> {
    let document = read(span.source, text.into(), &Limits::default()).map_err(|f| f.message)?;
    let root = match (document.syntax(), document.root()) {
        (lossless_yaml::Syntax::Json, Some(root)) => root,
        _ => return Err("the text is not JSON".to_owned()),
    };
    let mut node = as_json(&document, root).map_err(|finding| finding.message)?;
    node.visit(&mut |node| (node.span, node.key) = (span, span));
    Ok(node.value)
}

/// Heat's `merge_map`: what is falsy is replaced, nulls are passed over.
fn merge_map(old: Node, new: Node, deep: bool) -> Result<Node, Crash> {
    if !old.is_truthy() {
        // An empty section that Heat itself made has no past.
        let past = (old.span != Span::NOWHERE).then_some(old);
        return Ok(new.after(past, Fate::Overridden));
    }
    let Tree::Map(items) = &new.value else {
        return Err(crash(&old, &new, "Heat merges only maps with what stands there"));
    };
    let mut items = items.iter().filter(|(_, value)| !value.is_null()).peekable();
    let Tree::Map(map) = &old.value else {
        return match items.peek() {
            None => Ok(old),
            Some(_) => Err(crash(&old, &new, "Heat merges a map only with a map")),
        };
    };
    let mut map = map.clone();
    for (key, value) in items {
        let older = map.get(key).cloned();
        let value = value.clone();
        let value = match (&value.value, older) {
            (Tree::Map(_), Some(older)) if deep => merge_map(older, value, true)?,
            (Tree::List(_), Some(older)) if deep => merge_list(older, value)?,
            (Tree::Text(_) | Tree::File(_), older) if deep => joined(older, value, "")?,
            (_, older) => value.after(older, Fate::Overridden),
        };
        map.insert(key.clone(), value);
    }
    Ok(merged(old, &new, map))
}

/// Heat's `merge_list`: lists are put together, texts with a comma.
fn merge_list(old: Node, new: Node) -> Result<Node, Crash> {
    if !old.is_truthy() {
        return Ok(new.after(Some(old), Fate::Overridden));
    }
    match (&old.value, &new.value) {
        (Tree::List(one), Tree::List(two)) => {
            let items = one.iter().chain(two).cloned().collect();
            let node = Node { value: Tree::List(items), earlier: Vec::new(), ..new };
            Ok(node.after(Some(old), Fate::Merged))
        }
        (_, Tree::List(_)) => Err(crash(&old, &new, "Heat appends a list only to a list")),
        _ => joined(Some(old), new, ","),
    }
}

/// Two texts in one.
fn joined(old: Option<Node>, new: Node, between: &str) -> Result<Node, Crash> {
    let text = |node: &Node| node.as_text().map(std::borrow::Cow::into_owned);
    let Some(old) = old else {
        return match text(&new) {
            Some(_) => Ok(new),
            None => Err(crash(&new, &new, "Heat joins only texts")),
        };
    };
    let (Some(one), Some(two)) = (text(&old), text(&new)) else {
        return Err(crash(&old, &new, "Heat joins only texts"));
    };
    let node = Node { value: Tree::Text(one + between + &two), earlier: Vec::new(), ..new };
    Ok(node.after(Some(old), Fate::Merged))
}

/// What `+` makes of two values that a number parameter is given: texts and lists, since numbers are
/// refused before.
fn added(old: Option<Node>, new: Node) -> Result<Node, Crash> {
    match (&old, &new.value) {
        (Some(Node { value: Tree::Text(_), .. }), Tree::Text(_)) => joined(old, new, ""),
        (Some(Node { value: Tree::List(one), .. }), Tree::List(two)) => {
            let items = one.iter().chain(two).cloned().collect();
            let node = Node { value: Tree::List(items), earlier: Vec::new(), ..new };
            Ok(node.after(old, Fate::Merged))
        }
        _ => {
            let old = old.as_ref().unwrap_or(&new);
            Err(crash(old, &new, "Heat cannot add these"))
        }
    }
}
