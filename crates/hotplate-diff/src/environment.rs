//! Compares the environments: files, the resource registry, restricted actions and hooks, parameter values
//! and defaults.
//!
//! Heat's rule: `docs/heat.md#restricted-actions`.

use std::cell::LazyCell;
use std::collections::HashSet;

use indexmap::IndexMap;

use super::DeploymentSide;
use super::comparison::{
    DisplayValue, EntryStatus, EnvironmentChange, EnvironmentKind, Pair, Places,
};
use super::dataflow::{Dataflow, DataflowNode, ROOT};
use super::equality::{Ternary, same};
use super::input::ComparisonInput;
use super::name_order;
use super::registry_reach::{Leaves, RegistryReach};
use heat_engine::environment::registry::{ACTIONS_KEY, BASE_URL, HOOKS_KEY};
use heat_engine::environment::{
    DeclaredType, EnvironmentMap, EnvironmentNode, EnvironmentValue, Location, ParameterTypes,
};
use heat_engine::eval::parameters::coerce;
use heat_engine::eval::{EvaluatedProperties, Value};

/// All differences of the environments.
pub(super) fn compare(input: &ComparisonInput<'_>) -> Vec<EnvironmentChange> {
    let mut changes = files(input);
    changes.extend(registry(input));
    changes.extend(values(input, EnvironmentKind::Parameter));
    changes.extend(values(input, EnvironmentKind::ParameterDefault));
    changes
}

/// Environment files that only one side has. A file that stands in for another one has the URL of that one.
fn files(input: &ComparisonInput<'_>) -> Vec<EnvironmentChange> {
    let same = |one: &Location, other: &Location| {
        one.url() == other.url() || one.to_string() == other.to_string()
    };
    let has = |side: &DeploymentSide<'_>, it: &Location| {
        side.environments.iter().any(|other| same(it, other))
    };
    let alone = |location: &Location, change| EnvironmentChange {
        kind: EnvironmentKind::File,
        name: location.to_string(),
        change,
        value: Pair::default(),
        places: Places::default(),
        affects: Vec::new(),
    };
    let gone = input.old.environments.iter().filter(|it| !has(input.new, it));
    let added = input.new.environments.iter().filter(|it| !has(input.old, it));
    gone.map(|it| alone(it, EntryStatus::Removed))
        .chain(added.map(|it| alone(it, EntryStatus::Added)))
        .collect()
}

// --- the registry --------------------------------------------------------------------------------

/// The leaves of the registry by path: entries, hooks and restricted actions.
fn leaves(tree: &EnvironmentMap) -> Leaves {
    fn collect(tree: &EnvironmentMap, path: &mut Vec<String>, found: &mut Leaves) {
        for (key, node) in tree {
            path.push(key.clone());
            match &node.value {
                EnvironmentValue::Map(inner) => collect(inner, path, found),
                _ if key == BASE_URL => {}
                _ => {
                    found.insert(path.clone(), node.clone());
                }
            }
            path.pop();
        }
    }
    let mut found = IndexMap::new();
    collect(tree, &mut Vec::new(), &mut found);
    found
}

fn is_restriction(path: &[String]) -> bool {
    path.last().is_some_and(|key| key == HOOKS_KEY || key == ACTIONS_KEY)
}

/// Compares the registries after merging. Type mappings come before restrictions.
fn registry(input: &ComparisonInput<'_>) -> Vec<EnvironmentChange> {
    let of = |side: &DeploymentSide<'_>| leaves(&side.environment.registry.to_tree());
    let (old, new) = (of(input.old), of(input.new));
    let of_old = LazyCell::new(|| RegistryReach::new(&input.flows.old, &old));
    let of_new = LazyCell::new(|| RegistryReach::new(&input.flows.new, &new));
    let mut changes = Vec::new();
    for path in name_order::merge_names(old.keys(), new.keys()) {
        let (one, other) = (old.get(path), new.get(path));
        let is_same = match (one, other) {
            (Some(one), Some(other)) if is_restriction(path) => word_set(one) == word_set(other),
            (Some(one), Some(other)) => same(&one.into(), &other.into()) == Ternary::Yes,
            _ => false,
        };
        if is_same {
            continue;
        }
        let reach: &RegistryReach<'_> = if other.is_some() { &of_new } else { &of_old };
        let (kind, affects) = if is_restriction(path) {
            (EnvironmentKind::Restriction, reach.restricted_resources(path))
        } else {
            (EnvironmentKind::Registry, reach.resources_of_type(path))
        };
        let shown = |node: Option<&EnvironmentNode>| {
            node.map_or(DisplayValue::Absent, |it| DisplayValue::Value(display_node(it)))
        };
        changes.push(EnvironmentChange {
            kind,
            name: path.join("/"),
            change: entry_status(one, other),
            value: Pair { old: shown(one), new: shown(other) },
            places: Places { old: one.map(|it| it.span), new: other.map(|it| it.span) },
            affects,
        });
    }
    changes.sort_by_key(|change| change.kind);
    changes
}

fn entry_status<T>(old: Option<T>, new: Option<T>) -> EntryStatus {
    match (old, new) {
        (None, _) => EntryStatus::Added,
        (Some(_), None) => EntryStatus::Removed,
        (Some(_), Some(_)) => EntryStatus::Changed,
    }
}

/// A value in which files have the names that the user knows.
fn display_node(node: &EnvironmentNode) -> Value {
    match &node.value {
        EnvironmentValue::File(location) => Value::text(location.to_string()),
        EnvironmentValue::List(items) => Value::list(items.iter().map(display_node).collect()),
        _ => node.into(),
    }
}

/// One word or a list of words, as a set.
fn word_set(node: &EnvironmentNode) -> HashSet<String> {
    let items = match &node.value {
        EnvironmentValue::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    items.iter().filter_map(|item| item.as_text()).map(|word| word.into_owned()).collect()
}

// --- parameters ----------------------------------------------------------------------------------

/// Compares parameter values or defaults. Values that are equal after conversion to the parameter's type are equal.
fn values(input: &ComparisonInput<'_>, kind: EnvironmentKind) -> Vec<EnvironmentChange> {
    fn of<'s>(
        side: &DeploymentSide<'s>,
        kind: EnvironmentKind,
    ) -> IndexMap<&'s str, &'s EnvironmentNode> {
        let given: IndexMap<_, _> = match kind {
            EnvironmentKind::ParameterDefault => side.environment.parameter_defaults().collect(),
            _ => side.environment.parameters().collect(),
        };
        given.into_iter().filter(|(_, node)| !node.is_null()).collect()
    }
    let (old, new) = (of(input.old, kind), of(input.new, kind));
    let (of_old, of_new) = (input.old.environment.secrecy(), input.new.environment.secrecy());
    let is_secret = |name: &str| {
        of_old.is_hidden(name)
            || of_new.is_hidden(name)
            || of_old.is_secret(name) && of_new.is_secret(name)
    };
    let mut changes = Vec::new();
    for name in name_order::merge_names(old.keys().copied(), new.keys().copied()) {
        let (one, other) = (old.get(name).copied(), new.get(name).copied());
        let typed = |side: &DeploymentSide<'_>, node: &EnvironmentNode| {
            let value = Value::from(node);
            match side.environment.declarations.declared(name) {
                DeclaredType::Type(kind) => coerce(&value, kind).unwrap_or(value),
                DeclaredType::Undeclared | DeclaredType::NoTemplate => value,
            }
        };
        if let (Some(one), Some(other)) = (one, other)
            && same(&typed(input.old, one), &typed(input.new, other)) == Ternary::Yes
        {
            continue;
        }
        let is_configured = input.old.is_configured(name) || input.new.is_configured(name);
        let is_sealed = is_secret(name) || is_configured;
        let shown = |node: Option<&EnvironmentNode>| match node {
            Some(node) => DisplayValue::Value(Value::from(node).sealed(is_sealed)),
            None => DisplayValue::Absent,
        };
        let (flow, side) = match other {
            Some(_) => (&input.flows.new, input.new),
            None => (&input.flows.old, input.old),
        };
        let spots = match kind {
            EnvironmentKind::ParameterDefault => default_users(flow, side, name),
            _ => vec![DataflowNode::Parameter(ROOT, name.into())],
        };
        changes.push(EnvironmentChange {
            kind,
            name: name.to_owned(),
            change: entry_status(one, other),
            value: Pair { old: shown(one), new: shown(other) },
            places: Places { old: one.map(|it| it.span), new: other.map(|it| it.span) },
            affects: flow.reachable_resources(spots),
        });
    }
    changes
}

/// The parameters, in every stack, that use a default of the environment because no value is given.
fn default_users(flow: &Dataflow<'_>, side: &DeploymentSide<'_>, name: &str) -> Vec<DataflowNode> {
    let is_given = |id| match flow.outer(id) {
        None => side.environment.parameters().any(|(it, node)| it == name && !node.is_null()),
        Some((outer, resource)) => {
            let resources = flow.stack(outer).evaluation.resources.as_ref();
            match resources.and_then(|all| all.get(resource.as_str())).map(|it| &it.properties) {
                Some(EvaluatedProperties::Each(each)) => {
                    each.get(name).is_some_and(|it| !matches!(it, Ok(Value::Elided | Value::Null)))
                }
                Some(EvaluatedProperties::Whole(_)) | None => true,
            }
        }
    };
    let declares = |id| flow.stack(id).stack.parameters.contains_key(name);
    let ids = flow.ids().filter(|id| declares(*id) && !is_given(*id));
    ids.map(|id| DataflowNode::Parameter(id, name.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataflow::DataflowPair;
    use crate::equality::ParameterRenames;
    use crate::input::RenamedEntries;
    use crate::testing::{TestDeployment, deployed};
    use source_diagnostics::SourceMap;

    const ROOT_YAML: &str = "
parameters: {p: {type: number, default: 1}, s: {type: string, hidden: true, default: s}}
resources:
  one: {type: My::One, properties: {a: x}}
  two: {type: My::Two}
  plain: {type: OS::Nova::Server, properties: {name: {get_param: p}, key_name: {get_param: s}}}
";
    const INNER: &str = "
parameters: {a: {type: string}, d: {type: string, default: d}}
resources: {s: {type: OS::Nova::Server, properties: {name: {get_param: d}}}}
";

    fn of(env: Option<(&str, &str)>) -> TestDeployment {
        let registry = "resource_registry: {'My::*': 'Our::*', 'Our::One': inner.yaml, \
                        'Our::Two': OS::Heat::None}";
        let mut files =
            vec![("root.yaml", ROOT_YAML), ("inner.yaml", INNER), ("env-registry.yaml", registry)];
        files.extend(env);
        deployed(&files, &mut SourceMap::default())
    }

    fn differ(old: &TestDeployment, new: &TestDeployment) -> Vec<EnvironmentChange> {
        let (old, new) = (old.side(), new.side());
        let flows = DataflowPair::new(old.deployed, new.deployed);
        let (renamed, names) = (&RenamedEntries::default(), &ParameterRenames::default());
        compare(&ComparisonInput {
            old: &old,
            new: &new,
            flows: &flows,
            renamed,
            parameter_renames: names,
        })
    }

    fn summaries(changes: &[EnvironmentChange]) -> Vec<(EnvironmentKind, &str, &EntryStatus)> {
        changes.iter().map(|it| (it.kind, it.name.as_str(), &it.change)).collect()
    }

    use EnvironmentKind::{File, Parameter, ParameterDefault, Registry, Restriction};

    #[test]
    fn the_same_in_another_spelling_is_no_difference() {
        let old = of(Some(("env.yaml", "parameters: {p: '1.0'}")));
        let new = of(Some(("env.yaml", "parameters: {p: 1.0}")));
        assert_eq!(summaries(&differ(&old, &new)), []);
        let list = "resource_registry: {resources: {one: {restricted_actions: [update, replace]}}}";
        let turned =
            "resource_registry: {resources: {one: {restricted_actions: [replace, update]}}}";
        let (old, new) = (of(Some(("env.yaml", list))), of(Some(("env.yaml", turned))));
        assert_eq!(summaries(&differ(&old, &new)), []);
    }

    #[test]
    fn a_file_on_one_side_and_what_it_says() {
        let text = "parameters: {p: 2, s: secret}\nparameter_defaults: {d: other, a: b}\n";
        let changes = differ(&of(None), &of(Some(("env.yaml", text))));
        assert_eq!(
            summaries(&changes),
            [
                (File, "env.yaml", &EntryStatus::Added),
                (Parameter, "p", &EntryStatus::Added),
                (Parameter, "s", &EntryStatus::Added),
                (ParameterDefault, "d", &EntryStatus::Added),
                (ParameterDefault, "a", &EntryStatus::Added),
            ]
        );
        let reaches: Vec<_> = changes[1..].iter().map(|it| it.affects.join(" ")).collect();
        assert_eq!(reaches, ["plain", "plain", "one/s", ""], "`a` is given");
        assert!(matches!(changes[2].value.new, DisplayValue::Value(Value::Secret(_))));
    }

    #[test]
    fn a_changed_entry_reaches_what_stands_for_it_in_every_stack() {
        let entry = |text: &str| of(Some(("env.yaml", text)));
        let changes = differ(&of(None), &entry("resource_registry: {'Our::One': OS::Heat::None}"));
        assert_eq!(summaries(&changes)[1..], [(Registry, "Our::One", &EntryStatus::Changed)]);
        assert_eq!(changes[1].affects, ["one"]);
        let text = "resource_registry: {'OS::Nova::Server': OS::Heat::None}";
        let changes = differ(&of(None), &entry(text));
        assert_eq!(changes[1].affects, ["one/s", "plain"]);
        let text =
            "resource_registry: {resources: {one: {s: {'OS::Nova::Server': OS::Heat::None}}}}";
        let changes = differ(&of(None), &entry(text));
        assert_eq!(summaries(&changes)[1].1, "resources/one/s/OS::Nova::Server");
        assert_eq!(changes[1].affects, ["one/s"]);
    }

    #[test]
    fn a_changed_entry_reaches_through_patterns_and_chains() {
        let changed = |kind: &str, root: &str, registry: &str| {
            let of = |target: &str| {
                let registry = format!("resource_registry: {{{}}}", registry.replace("@", target));
                let files = [("root.yaml", root), ("env.yaml", registry.as_str())];
                deployed(&files, &mut SourceMap::default())
            };
            let changes = differ(&of("OS::Heat::None"), &of("OS::Heat::Value"));
            let found = changes.iter().find(|it| it.name == kind);
            found.map(|it| it.affects.join(" "))
        };
        let root = "resources: {b: {type: 'A::Two'}, a: {type: 'A::One'}, ab: {type: 'B::One'}}";
        for (name, registry, expected) in [
            ("A::*", "'A::*': '@'", "b a"),
            ("*", "'*': '@', 'A::One': 'B::One'", "b a ab"),
            ("B::One", "'A::*': 'B::*', 'B::One': '@'", "a ab"),
            ("C::D", "'A::Two': 'B::One', 'B::*': 'C::D', 'C::D': '@'", "b ab"),
            ("A::One*", "'A::One*': '@'", "a"),
            ("resources/a*/A::One", "resources: {'a*': {'A::One': '@'}}", "a"),
            ("resources/[ab]/A::One", "resources: {'[ab]': {'A::One': '@'}}", "a"),
            ("resources/?b/B::One", "resources: {'?b': {'B::One': '@'}}", "ab"),
            ("resources/*b/B::One", "resources: {'*b': {'B::One': '@'}}", "ab"),
            ("resources/a/B::One", "resources: {a: {'B::One': '@'}}", ""),
        ] {
            assert_eq!(changed(name, root, registry).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn forbidden_actions_are_for_names_that_fit() {
        let text = "resource_registry: {resources: {'t*': {restricted_actions: update}}}";
        let changes = differ(&of(Some(("env.yaml", text))), &of(None));
        assert_eq!(
            summaries(&changes)[1..],
            [(Restriction, "resources/t*/restricted_actions", &EntryStatus::Removed)]
        );
        assert_eq!(changes[1].affects, ["two"]);
    }
}
