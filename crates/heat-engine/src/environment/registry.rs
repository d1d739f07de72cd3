//! The resource registry: the implementation of each resource type, as Heat looks it up.
//!
//! Heat's rules: `docs/heat.md#order-of-registry-entries`,
//! `docs/heat.md#kinds-of-registry-entries`, `docs/heat.md#nulls-in-the-registry`,
//! `docs/heat.md#entries-for-single-resources`, `docs/heat.md#the-registry-of-a-nested-stack`.

use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use indexmap::IndexMap;

use super::fnmatch::fnmatch;
use super::location::Location;
use super::tree::{EnvironmentMap, EnvironmentNode, EnvironmentValue};
use heat_template::schema::{Plugin, ResourceType, Schema};
use source_diagnostics::{Diagnostic, Span};

/// The hooks that a resource can have.
pub const HOOKS: [&str; 6] =
    ["pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete"];
/// The actions that can be restricted for a resource.
pub const RESTRICTED_ACTIONS: [&str; 2] = ["update", "replace"];

/// The key for hooks.
pub const HOOKS_KEY: &str = "hooks";
/// The key for restricted actions.
pub const ACTIONS_KEY: &str = "restricted_actions";
/// The key for entries that apply only to resources of a given name.
pub const RESOURCES: &str = "resources";
/// The key for the folder against which files are resolved.
pub const BASE_URL: &str = "base_url";

/// The length from which a chain of types counts as endless; Python's recursion limit is higher, but no
/// real chain is that long.
const MAX_CHAIN_LENGTH: usize = 300;

/// The user's registry, on top of the built-in entries of a release of Heat. The registries of nested stacks share the
/// loaded entries, so that a deployment of many stacks has them once.
#[derive(Clone, Debug)]
pub struct Registry {
    schema: &'static Schema,
    loaded: Arc<LoadedEntries>,
    /// The keys of loaded entries that do not apply in this nested stack: those through which it was reached.
    removed: BTreeSet<String>,
    /// Entries for single resources of this nested stack, in place of what was loaded for the root.
    scoped: Option<Arc<ScopedResources>>,
}

#[derive(Debug)]
struct LoadedEntries {
    top: RegistryScope,
    /// The lengths of what is before the `*` in keys that are patterns.
    prefix_lengths: BTreeSet<usize>,
    patterns: ScopePatterns,
}

#[derive(Debug, PartialEq)]
struct ScopedResources {
    item: RegistryItem,
    patterns: ScopePatterns,
}

/// Finds the scopes of single resources whose pattern matches a name.
#[derive(Debug, PartialEq)]
struct ScopePatterns {
    /// The positions of the scopes whose key is more than a name, by the text before its first wildcard and behind its last
    /// one, with a star between.
    by_ends: HashMap<String, Vec<usize>>,
    /// The lengths of these texts.
    lengths: BTreeSet<(usize, usize)>,
}

impl ScopePatterns {
    fn new(scopes: &RegistryScope) -> Self {
        let mut patterns = ScopePatterns { by_ends: HashMap::new(), lengths: BTreeSet::new() };
        for (at, pattern) in scopes.keys().enumerate() {
            let Some((start, _)) = pattern.split_once(WILDCARDS) else { continue };
            let end = pattern.rsplit(WILDCARDS).next().unwrap_or_default();
            patterns.by_ends.entry(format!("{start}*{end}")).or_default().push(at);
            patterns.lengths.insert((start.len(), end.len()));
        }
        patterns
    }

    /// The positions of the scopes that match, in their order.
    fn fitting(&self, scopes: &RegistryScope, name: &str) -> Vec<usize> {
        let candidates = self.lengths.iter().filter_map(|&(start, end)| {
            let end = name.get(name.len().checked_sub(end)?..)?;
            self.by_ends.get(&format!("{}*{end}", name.get(..start)?))
        });
        let matches = |at: &usize| scopes.get_index(*at).is_some_and(|(it, _)| fnmatch(name, it));
        let named = scopes.get_index_of(name).filter(|_| !name.contains(WILDCARDS));
        let mut fitting: Vec<usize> = candidates.flatten().copied().filter(matches).collect();
        fitting.extend(named);
        fitting.sort_unstable();
        fitting
    }
}

/// Characters that end or begin a wildcard in a shell pattern.
const WILDCARDS: [char; 4] = ['*', '?', '[', ']'];

/// Registries are equal if they belong to the same deployment and have the same entries.
impl PartialEq for Registry {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded)
            && self.removed == other.removed
            && self.scoped == other.scoped
    }
}

impl Eq for Registry {}

impl Hash for Registry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.removed.hash(state);
    }
}

type RegistryScope = IndexMap<String, RegistryItem>;

#[derive(Clone, Debug, PartialEq)]
enum RegistryItem {
    Scope(RegistryScope),
    Entry(RegistryEntry),
    /// Hooks or restricted actions.
    Actions(EnvironmentNode),
}

/// An entry that maps a type to its target.
#[derive(Clone, Debug, PartialEq)]
pub struct RegistryEntry {
    /// The keys of its path; the last one is the type or a pattern of types.
    pub path: Vec<String>,
    /// The target of the type.
    pub target: EntryTarget,
    /// The value as it is written.
    pub node: EnvironmentNode,
}

/// The target of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryTarget {
    /// Another type; if it ends with `*` in an entry with a pattern, the rest of the name is kept.
    Type(String),
    /// A template, whose stack implements the resource.
    Template(NestedTemplate),
    /// Candidates of which none could be selected.
    Candidates(Vec<EnvironmentNode>),
}

/// Where the template of a nested stack comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum NestedTemplate {
    /// A template in a file.
    File(Location),
    /// A template under this key of Heat's `files`: the URL that the client derives from the type in a template.
    Key(String),
    /// A template that is shipped with Heat.
    Shipped(&'static str),
}

/// The implementation of a resource.
#[derive(Clone, Debug)]
pub enum Implementation<'r> {
    /// A class of Heat, by the name of the type under which it is registered.
    Plugin(&'static str, &'static ResourceType),
    /// A nested template, and the user's entry that leads to it, if one does.
    Template(NestedTemplate, Option<&'r RegistryEntry>),
    /// Candidates of which none could be selected, which is reported elsewhere.
    Candidates(&'r RegistryEntry),
}

/// Why a type has no implementation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// Neither the registry nor Heat has the type.
    #[error("The Resource Type ({0}) could not be found.")]
    NotFound(String),
    /// The entries form a cycle or an endless chain.
    #[error("the entries of the resource registry for `{0}` form an endless chain")]
    Endless(String),
}

/// The ends of names that refer to templates.
pub(super) const TEMPLATE_SUFFIXES: [&str; 2] = [".yaml", ".template"];

/// True for names that refer to templates.
pub fn is_template_name(name: &str) -> bool {
    TEMPLATE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

impl Registry {
    /// Loads the section as a release of Heat does.
    pub fn load(schema: &'static Schema, section: &EnvironmentMap) -> (Self, Vec<Diagnostic>) {
        let mut top = RegistryScope::from([(
            RESOURCES.to_owned(),
            RegistryItem::Scope(RegistryScope::new()),
        )]);
        let mut findings = Vec::new();
        load_scope(&mut top, &mut Vec::new(), section, &mut findings);
        (Registry::new(schema, top), findings)
    }

    fn new(schema: &'static Schema, top: RegistryScope) -> Self {
        let prefixes = top.keys().filter_map(|key| key.strip_suffix('*'));
        let prefix_lengths = prefixes.map(str::len).collect();
        let patterns = match top.get(RESOURCES) {
            Some(RegistryItem::Scope(resources)) => ScopePatterns::new(resources),
            _ => ScopePatterns::new(&RegistryScope::new()),
        };
        let loaded = Arc::new(LoadedEntries { top, prefix_lengths, patterns });
        Registry { schema, loaded, removed: BTreeSet::new(), scoped: None }
    }

    /// The resource types of the release whose built-in entries apply.
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// The item under a key, as far as it applies in this stack.
    fn get(&self, key: &str) -> Option<&RegistryItem> {
        if key == RESOURCES
            && let Some(scoped) = &self.scoped
        {
            return Some(&scoped.item);
        }
        self.loaded.top.get(key).filter(|_| !self.removed.contains(key))
    }

    fn items(&self) -> impl Iterator<Item = (&String, &RegistryItem)> {
        self.loaded.top.keys().filter_map(|key| Some((key, self.get(key)?)))
    }

    fn resources(&self) -> Option<&RegistryScope> {
        match self.get(RESOURCES)? {
            RegistryItem::Scope(scope) => Some(scope),
            _ => None,
        }
    }

    /// The implementation of a type for a resource of a given name. A file in a template is identified by its URL.
    pub fn lookup(
        &self,
        resource_type: &str,
        resource: Option<&str>,
    ) -> Result<Implementation<'_>, LookupError> {
        self.find(resource_type, resource, 0).map_err(|error| match error {
            LookupError::Endless(_) => LookupError::Endless(resource_type.to_owned()),
            error => error,
        })
    }

    fn find<'r>(
        &'r self,
        resource_type: &str,
        resource: Option<&str>,
        depth: usize,
    ) -> Result<Implementation<'r>, LookupError> {
        if depth > MAX_CHAIN_LENGTH {
            return Err(LookupError::Endless(resource_type.to_owned()));
        }
        for found in self.candidates(resource_type, resource) {
            let outcome = match found.step {
                LookupStep::Done(implementation) => return Ok(implementation),
                LookupStep::Type(next) => self.find(&next, resource, depth + 1),
                // The targets of Heat's own entries are looked up only in Heat's registry.
                LookupStep::Shipped(next) => find_shipped(self.schema, &next, depth + 1),
            };
            match outcome {
                Err(LookupError::NotFound(_)) => {}
                outcome => return outcome,
            }
        }
        Err(LookupError::NotFound(resource_type.to_owned()))
    }

    /// The types that the user's entries lead to from a type, itself first, in the order in which Heat tries them.
    pub fn leads_to(&self, resource_type: &str, resource: Option<&str>) -> Vec<String> {
        let mut found = vec![resource_type.to_owned()];
        let mut at = 0;
        while let Some(from) = found.get(at).filter(|_| at <= MAX_CHAIN_LENGTH).cloned() {
            for candidate in self.candidates(&from, resource) {
                if let LookupStep::Type(next) = candidate.step
                    && !found.contains(&next)
                {
                    found.push(next);
                }
            }
            at += 1;
        }
        found
    }

    /// Every matching entry, in the order in which Heat tries them: the user's first, then those
    /// with longer paths, then in the alphabetical order of the paths.
    fn candidates<'r>(
        &'r self,
        resource_type: &str,
        resource: Option<&str>,
    ) -> Vec<LookupCandidate<'r>> {
        let mut found = Vec::new();
        let exact = self.get(resource_type).and_then(RegistryItem::as_entry);
        if is_template_name(resource_type) && exact.is_none() {
            let template = NestedTemplate::Key(resource_type.to_owned());
            found.push(LookupCandidate {
                order: (false, 0, vec![resource_type.to_owned()]),
                step: LookupStep::Done(Implementation::Template(template, None)),
            });
        }
        let scoped = || match self.resources()?.get(resource?)? {
            RegistryItem::Scope(scope) => scope.get(resource_type)?.as_entry(),
            _ => None,
        };
        let globs = self.loaded.prefix_lengths.iter().filter_map(|length| {
            let pattern = format!("{}*", resource_type.get(..*length)?);
            let entry = self.get(&pattern)?.as_entry()?;
            // A pattern with a template as its target never matches.
            let EntryTarget::Type(target) = &entry.target else { return None };
            (resource_type != target).then_some(entry)
        });
        let entries = scoped().into_iter().chain(exact).chain(globs);
        found.extend(entries.map(|entry| LookupCandidate::of_user(entry, resource_type)));
        found.extend(shipped(self.schema, resource_type));
        found.sort_by(|one, other| one.order.cmp(&other.order));
        found
    }

    /// The registry of the nested stack of a resource of this name. The entry that led to its
    /// template is removed: within a template that implements a type, the type has its previous meaning.
    #[must_use]
    pub fn of_child(&self, resource: Option<&str>, through: Option<&RegistryEntry>) -> Registry {
        let mut child = self.clone();
        let through = through.filter(|entry| matches!(entry.target, EntryTarget::Template(_)));
        // An entry for single resources is left out below. Other scopes are never looked up.
        if let Some([name]) = through.map(|entry| entry.path.as_slice()) {
            child.removed.insert(name.clone());
        }
        if let Some(resource) = resource
            && self.is_scoped()
        {
            let named = self.resources().and_then(|all| all.get_key_value(resource));
            let mut resources = RegistryScope::new();
            for (pattern, item) in self.fitting_scopes(resource).chain(named) {
                let RegistryItem::Scope(scope) = item else { continue };
                for (key, item) in scope {
                    if through.is_none_or(|entry| *entry.path != [RESOURCES, pattern, key]) {
                        resources.insert(key.clone(), item.clone().below(&[RESOURCES, key]));
                    }
                }
            }
            let patterns = ScopePatterns::new(&resources);
            let item = RegistryItem::Scope(resources);
            child.scoped = Some(Arc::new(ScopedResources { item, patterns }));
        }
        child
    }

    /// The scopes whose pattern matches a resource.
    fn fitting_scopes<'r>(
        &'r self,
        resource: &str,
    ) -> impl Iterator<Item = (&'r String, &'r RegistryItem)> {
        let patterns = self.scoped.as_ref().map_or(&self.loaded.patterns, |it| &it.patterns);
        let fitting = self.resources().map(|scopes| patterns.fitting(scopes, resource));
        fitting.into_iter().flatten().filter_map(|at| self.resources()?.get_index(at))
    }

    /// Whether any entry applies only to resources of certain names.
    pub fn is_scoped(&self) -> bool {
        self.resources().is_some_and(|resources| !resources.is_empty())
    }

    /// The span of a hook of a resource; `None` if it has no such hook.
    pub fn hook(&self, resource: &str, hook: &str) -> Option<Span> {
        let mut words = self.words(resource, HOOKS_KEY);
        words.find(|(word, _)| *word == hook).map(|(_, span)| span)
    }

    /// The restricted actions of a resource with their spans.
    pub fn restricted_actions(&self, resource: &str) -> IndexMap<&str, Span> {
        self.words(resource, ACTIONS_KEY).collect()
    }

    /// The words under a key in every scope whose pattern matches a resource.
    fn words(&self, resource: &str, key: &'static str) -> impl Iterator<Item = (&str, Span)> {
        let nodes = self.fitting_scopes(resource).filter_map(move |(_, item)| match item {
            RegistryItem::Scope(scope) => match scope.get(key)? {
                RegistryItem::Actions(node) => Some(node),
                _ => None,
            },
            _ => None,
        });
        nodes.flat_map(|node| {
            let items = match &node.value {
                EnvironmentValue::List(items) => items.as_slice(),
                _ => std::slice::from_ref(node),
            };
            items.iter().filter_map(|item| match &item.value {
                EnvironmentValue::Text(word) => Some((word.as_str(), item.span)),
                _ => None,
            })
        })
    }

    /// Every entry, including those of single resources.
    pub fn entries(&self) -> Vec<&RegistryEntry> {
        let mut entries = Vec::new();
        self.items().for_each(|(_, item)| collect_entries(item, &mut entries));
        entries
    }

    /// The registry as Heat stores it: without entries that a null removed.
    pub fn to_tree(&self) -> EnvironmentMap {
        self.items().map(|(key, item)| (key.clone(), to_node(item))).collect()
    }
}

impl RegistryItem {
    fn as_entry(&self) -> Option<&RegistryEntry> {
        match self {
            RegistryItem::Entry(entry) => Some(entry),
            _ => None,
        }
    }

    /// The item with another path.
    fn below(self, path: &[&str]) -> Self {
        match self {
            RegistryItem::Entry(entry) => {
                let path = path.iter().map(|&key| key.to_owned()).collect();
                RegistryItem::Entry(RegistryEntry { path, ..entry })
            }
            RegistryItem::Scope(scope) => {
                let items = scope.into_iter().map(|(key, item)| {
                    let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
                    let item = item.below(&path);
                    (key, item)
                });
                RegistryItem::Scope(items.collect())
            }
            words @ RegistryItem::Actions(_) => words,
        }
    }
}

/// The sort key of entries: Heat's own last, longer paths first, then the path.
type LookupOrder = (bool, isize, Vec<String>);

struct LookupCandidate<'r> {
    order: LookupOrder,
    step: LookupStep<'r>,
}

enum LookupStep<'r> {
    Done(Implementation<'r>),
    Type(String),
    Shipped(String),
}

impl<'r> LookupCandidate<'r> {
    fn of_user(entry: &'r RegistryEntry, resource_type: &str) -> Self {
        // The paths of all other entries have a single key.
        let order = (false, 1 - entry.path.len() as isize, entry.path.clone());
        let step = match &entry.target {
            EntryTarget::Type(target) => {
                let pattern = entry.path.last().map_or("", String::as_str);
                LookupStep::Type(rewritten(pattern, target, resource_type))
            }
            EntryTarget::Template(template) => {
                LookupStep::Done(Implementation::Template(template.clone(), Some(entry)))
            }
            EntryTarget::Candidates(_) => LookupStep::Done(Implementation::Candidates(entry)),
        };
        LookupCandidate { order, step }
    }
}

/// Heat's built-in entries for a type: its plugins and its global environment.
fn shipped<'r>(schema: &'static Schema, resource_type: &str) -> Vec<LookupCandidate<'r>> {
    let found =
        |name: &str, step| LookupCandidate { order: (true, 0, vec![name.to_owned()]), step };
    let plugin = schema.types.get_key_value(resource_type).map(|(name, info)| {
        let implementation = match info.plugin {
            Plugin::Class(_) => Implementation::Plugin(name, info),
            Plugin::Template(file) => Implementation::Template(NestedTemplate::Shipped(file), None),
        };
        found(name, LookupStep::Done(implementation))
    });
    let aliases = schema.aliases.iter().filter_map(|(&alias, &target)| {
        let fits = match alias.strip_suffix('*') {
            Some(prefix) => resource_type != target && resource_type.starts_with(prefix),
            None => resource_type == alias,
        };
        fits.then(|| found(alias, LookupStep::Shipped(rewritten(alias, target, resource_type))))
    });
    plugin.into_iter().chain(aliases).collect()
}

/// The implementation of a type without a user's entry.
fn find_shipped<'r>(
    schema: &'static Schema,
    resource_type: &str,
    depth: usize,
) -> Result<Implementation<'r>, LookupError> {
    if depth > MAX_CHAIN_LENGTH {
        return Err(LookupError::Endless(resource_type.to_owned()));
    }
    let mut candidates = shipped(schema, resource_type);
    candidates.sort_by(|one, other| one.order.cmp(&other.order));
    for found in candidates {
        let outcome = match found.step {
            LookupStep::Done(implementation) => return Ok(implementation),
            LookupStep::Type(next) | LookupStep::Shipped(next) => {
                find_shipped(schema, &next, depth + 1)
            }
        };
        match outcome {
            Err(LookupError::NotFound(_)) => {}
            outcome => return outcome,
        }
    }
    Err(LookupError::NotFound(resource_type.to_owned()))
}

/// The type that an entry maps a type to.
pub fn rewritten(pattern: &str, target: &str, resource_type: &str) -> String {
    match (pattern.strip_suffix('*'), target.strip_suffix('*')) {
        (Some(prefix), Some(start)) => {
            format!("{start}{}", resource_type.strip_prefix(prefix).unwrap_or_default())
        }
        _ => target.to_owned(),
    }
}

/// The target of an entry; `None` for a value on which Heat fails.
fn target(key: &str, value: &EnvironmentValue) -> Option<EntryTarget> {
    if is_template_name(key) {
        return Some(EntryTarget::Template(NestedTemplate::Key(key.to_owned())));
    }
    match value {
        EnvironmentValue::File(location) if is_template_name(location.url()) => {
            Some(EntryTarget::Template(NestedTemplate::File(location.clone())))
        }
        EnvironmentValue::File(location) => Some(EntryTarget::Type(location.url().to_owned())),
        EnvironmentValue::Text(text) if is_template_name(text) => {
            Some(EntryTarget::Template(NestedTemplate::Key(text.clone())))
        }
        EnvironmentValue::Text(text) => Some(EntryTarget::Type(text.clone())),
        EnvironmentValue::List(items) => {
            let texts = items.iter().all(|item| item.as_text().is_some());
            texts.then(|| EntryTarget::Candidates(items.clone()))
        }
        EnvironmentValue::Null
        | EnvironmentValue::Bool(_)
        | EnvironmentValue::Int(_)
        | EnvironmentValue::Float(_)
        | EnvironmentValue::Map(_) => None,
    }
}

fn are_words(node: &EnvironmentNode, words: &[&str]) -> bool {
    let is_word = |node: &EnvironmentNode| matches!(&node.value, EnvironmentValue::Text(text) if words.contains(&text.as_str()));
    match &node.value {
        EnvironmentValue::List(items) => items.iter().all(is_word),
        _ => is_word(node),
    }
}

/// Loads a section, whose keys are below a path.
fn load_scope(
    top: &mut RegistryScope,
    path: &mut Vec<String>,
    section: &EnvironmentMap,
    found: &mut Vec<Diagnostic>,
) {
    for (key, node) in section {
        let mut refuse = |message: String| {
            found.push(Diagnostic::new(crate::codes::REGISTRY_ENTRY, message).at(node.span));
        };
        let item = match (key.as_str(), &node.value) {
            (_, EnvironmentValue::Null) => {
                remove(top, path, key);
                continue;
            }
            (HOOKS_KEY, _) | (ACTIONS_KEY, _) => {
                let words = if key == HOOKS_KEY { &HOOKS[..] } else { &RESTRICTED_ACTIONS };
                if !are_words(node, words) {
                    refuse(format!("`{key}` must be one or a list of {}", words.join(", ")));
                    continue;
                }
                RegistryItem::Actions(node.clone())
            }
            (RESOURCES, value) if path.is_empty() && !matches!(value, EnvironmentValue::Map(_)) => {
                refuse(format!("`{RESOURCES}` must be a map, but this is {}", node.kind()));
                continue;
            }
            (_, EnvironmentValue::Map(map)) => {
                path.push(key.clone());
                load_scope(top, path, map, found);
                path.pop();
                continue;
            }
            (_, value) => {
                let Some(target) = target(key, value) else {
                    refuse(format!(
                        "`{key}` is mapped to {} instead of a type or a file",
                        node.kind()
                    ));
                    continue;
                };
                let path = path.iter().chain([key]).cloned().collect();
                RegistryItem::Entry(RegistryEntry { path, target, node: node.clone() })
            }
        };
        scope(top, path).insert(key.clone(), item);
    }
}

/// The scope at a path, created if it is missing.
fn scope<'t>(top: &'t mut RegistryScope, path: &[String]) -> &'t mut RegistryScope {
    let mut scope = top;
    for key in path {
        let item =
            scope.entry(key.clone()).or_insert_with(|| RegistryItem::Scope(RegistryScope::new()));
        if !matches!(item, RegistryItem::Scope(_)) {
            *item = RegistryItem::Scope(RegistryScope::new());
        }
        let RegistryItem::Scope(inner) = item else { unreachable!("made a scope just now") };
        scope = inner;
    }
    scope
}

/// Removes an entry, as a null does; Heat's built-in entries stay.
fn remove(top: &mut RegistryScope, path: &[String], key: &str) {
    let scope = scope(top, path);
    match key.strip_suffix('*') {
        Some(prefix) => {
            scope.retain(|name, item| {
                !(matches!(item, RegistryItem::Entry(_)) && name.starts_with(prefix))
            });
        }
        None => {
            scope.shift_remove(key);
        }
    }
}

fn collect_entries<'r>(item: &'r RegistryItem, entries: &mut Vec<&'r RegistryEntry>) {
    match item {
        RegistryItem::Scope(scope) => {
            scope.values().for_each(|item| collect_entries(item, entries));
        }
        RegistryItem::Entry(entry) => entries.push(entry),
        RegistryItem::Actions(_) => {}
    }
}

fn to_node(item: &RegistryItem) -> EnvironmentNode {
    match item {
        RegistryItem::Scope(scope) => {
            let pairs = scope.iter().map(|(key, item)| (key.clone(), to_node(item)));
            EnvironmentNode::new(EnvironmentValue::Map(pairs.collect()), Span::NOWHERE)
        }
        RegistryItem::Actions(node) => node.clone(),
        RegistryItem::Entry(entry) => {
            let mut node = entry.node.clone();
            if let EntryTarget::Template(NestedTemplate::Key(name)) = &entry.target {
                node.value = EnvironmentValue::Text(name.clone());
            }
            node
        }
    }
}

#[cfg(test)]
mod tests;
