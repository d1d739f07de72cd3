//! Differences of parameter groups, conditions and outputs.

use std::collections::{HashMap, HashSet, VecDeque};

use indexmap::IndexSet;

use super::comparison::{DisplayValue, EntryChange, EntryStatus, Pair, Places, ValueChange};
use super::dataflow::{Dataflow, DataflowNode, ROOT, StackId};
use super::equality::{Ternary, same};
use super::input::{ComparisonInput, TemplatePair, renames_within};
use super::name_order;
use super::parameters::differs;
use super::propagation::OutputEffects;
use super::values::{self, ValueContext};
use heat_engine::eval::{EvalResult, Value};
use heat_template::hot::{Version, raise_expr};
use heat_template::ir::{Expr, ExprKind, ParameterGroup, ParameterRef, Shared, SharedParts, Stack};
use source_diagnostics::Span;

/// An entry of a section on one side.
#[derive(Clone, Copy)]
struct EntrySide<'a> {
    value: Option<&'a EvalResult>,
    written: Option<&'a Expr>,
    span: Span,
    stack: &'a Stack,
}

/// The conditions whose values differ. A different definition with the same value is no difference.
pub(super) fn conditions(input: &ComparisonInput<'_>) -> Vec<EntryChange> {
    let mut changes = EntryCollector::default();
    for ids in input.flows.stacks() {
        let stacks =
            Pair { old: input.flows.old.stack(ids.old), new: input.flows.new.stack(ids.new) };
        let renamed =
            renames_within(&input.renamed.conditions, input.flows.new.path(ids.new), |a, b| {
                stacks.old.stack.conditions.contains_key(a)
                    && stacks.new.stack.conditions.contains_key(b)
            });
        let entry = |is_new: bool, name: &str| {
            let stack = if is_new { stacks.new } else { stacks.old };
            let condition = stack.stack.conditions.get(name)?;
            let value = stack.evaluation.conditions.get(name);
            let (written, span, stack) =
                (Some(&condition.value), condition.name_span, &*stack.stack);
            Some(EntrySide { value, written, span, stack })
        };
        let names = Pair {
            old: stacks.old.stack.conditions.keys().map(String::as_str).collect(),
            new: stacks.new.stack.conditions.keys().map(String::as_str).collect(),
        };
        let reaches = |name: Pair<Option<&str>>| {
            let of = |flow: &Dataflow<'_>, id: StackId, name: Option<&str>| {
                name.map(|name| flow.resources_under_condition(id, name)).unwrap_or_default()
            };
            let mut found = IndexSet::<String>::from_iter(of(&input.flows.new, ids.new, name.new));
            found.extend(of(&input.flows.old, ids.old, name.old));
            found.into_iter().collect()
        };
        changes.section(input, ids, &names, &renamed, &entry, &reaches);
    }
    changes.found
}

/// The outputs whose values differ. Descriptions are no difference.
pub(super) fn outputs(input: &ComparisonInput<'_>) -> Vec<EntryChange> {
    let mut changes = EntryCollector::default();
    for ids in input.flows.stacks() {
        // A group's outputs depend on which attributes other resources request.
        if input.flows.new.is_group(ids.new) || input.flows.old.is_group(ids.old) {
            continue;
        }
        let stacks =
            Pair { old: input.flows.old.stack(ids.old), new: input.flows.new.stack(ids.new) };
        let renamed =
            renames_within(&input.renamed.outputs, input.flows.new.path(ids.new), |a, b| {
                stacks.old.stack.outputs.contains_key(a) && stacks.new.stack.outputs.contains_key(b)
            });
        let entry = |is_new: bool, name: &str| {
            let stack = if is_new { stacks.new } else { stacks.old };
            let output = stack.stack.outputs.get(name)?;
            let evaluated = stack.evaluation.outputs.as_ref().and_then(|all| all.get(name));
            let value = evaluated.map(|output| &output.value);
            let (written, span, stack) = (output.value.as_ref(), output.name_span, &*stack.stack);
            Some(EntrySide { value, written, span, stack })
        };
        let names = Pair {
            old: stacks.old.stack.outputs.keys().map(String::as_str).collect(),
            new: stacks.new.stack.outputs.keys().map(String::as_str).collect(),
        };
        let reaches = |name: Pair<Option<&str>>| match name.new {
            Some(name) => {
                input.flows.new.reachable_resources([DataflowNode::Output(ids.new, name.into())])
            }
            None => Vec::new(),
        };
        changes.section(input, ids, &names, &renamed, &entry, &reaches);
    }
    changes.found
}

/// Adds what changes the outputs of the deployment's own stack, and the outputs that differ only by that.
pub(super) fn add_effects(
    outputs: &mut Vec<EntryChange>,
    input: &ComparisonInput<'_>,
    effects: Vec<OutputEffects>,
) {
    let place = |flow: &Dataflow<'_>, name: &str| {
        flow.stack(ROOT).stack.outputs.get(name).map(|output| output.name_span)
    };
    let differing: HashMap<String, usize> =
        outputs.iter().enumerate().map(|(at, it)| (it.name.clone(), at)).collect();
    for OutputEffects { name, propagations } in effects {
        match differing.get(name.as_str()) {
            // Its definition says already that the value differs.
            Some(&at) => outputs[at].propagations = propagations,
            None => outputs.push(EntryChange {
                name: name.to_string(),
                change: EntryStatus::Affected,
                value: Pair { old: DisplayValue::Absent, new: DisplayValue::Absent },
                places: Places {
                    old: place(&input.flows.old, &name),
                    new: place(&input.flows.new, &name),
                },
                changes: Vec::new(),
                affects: Vec::new(),
                propagations,
            }),
        }
    }
}

/// Collects the changes. A change that is the same in all nested stacks of the same two templates is kept
/// once.
#[derive(Default)]
struct EntryCollector {
    found: Vec<EntryChange>,
    nested: HashMap<(TemplatePair, String), Vec<usize>>,
}

impl EntryCollector {
    fn section<'a>(
        &mut self,
        input: &ComparisonInput<'_>,
        ids: Pair<StackId>,
        names: &Pair<Vec<&'a str>>,
        renamed: &HashMap<&str, &str>,
        entry: &dyn Fn(bool, &str) -> Option<EntrySide<'a>>,
        reaches: &dyn Fn(Pair<Option<&str>>) -> Vec<String>,
    ) {
        let was: HashSet<&str> = renamed.values().copied().collect();
        let path = input.flows.new.path(ids.new);
        for name in name_order::merge_names(names.old.iter().copied(), names.new.iter().copied()) {
            let in_old = entry(false, name).filter(|_| !was.contains(name));
            let (old, new, change) = match (in_old, entry(true, name)) {
                (Some(old), Some(new)) => {
                    (Some((name, old)), Some((name, new)), EntryStatus::Changed)
                }
                (None, Some(new)) => {
                    let from = renamed.get(name);
                    let old = from.and_then(|from| Some((*from, entry(false, from)?)));
                    let change = match old {
                        Some((from, _)) => EntryStatus::Renamed { from: from.to_owned() },
                        None => EntryStatus::Added,
                    };
                    (old, Some((name, new)), change)
                }
                (Some(old), None) => (Some((name, old)), None, EntryStatus::Removed),
                (None, None) => continue,
            };
            let entries = Pair { old: old.map(|(_, it)| it), new: new.map(|(_, it)| it) };
            let values = Pair {
                old: entries.old.and_then(|it| it.value),
                new: entries.new.and_then(|it| it.value),
            };
            let old_names = renames_within(&input.renamed.parameters, path, |_, _| true);
            let differs_as_written = || rewritten_if_failed(&entries, &old_names).is_some();
            if change == EntryStatus::Changed
                && !differs(values, input.parameter_renames)
                && !differs_as_written()
            {
                continue;
            }
            let found = EntryChange {
                name: input.flows.new.full_name(ids.new, name),
                change,
                value: Pair {
                    old: DisplayValue::of_outcome(values.old),
                    new: DisplayValue::of_outcome(values.new),
                },
                places: Places {
                    old: entries.old.map(|it| it.span),
                    new: entries.new.map(|it| it.span),
                },
                changes: nested_changes(input, &entries, &old_names),
                affects: reaches(Pair {
                    old: old.map(|(name, _)| name),
                    new: new.map(|(name, _)| name),
                }),
                propagations: Vec::new(),
            };
            self.push(input.templates(ids), name, found);
        }
    }

    fn push(&mut self, templates: TemplatePair, name: &str, change: EntryChange) {
        let before = self.nested.entry((templates, name.to_owned())).or_default();
        for &at in before.iter() {
            let existing = &mut self.found[at];
            if existing.change == change.change && existing.value == change.value {
                existing.affects.extend(change.affects);
                return;
            }
        }
        before.push(self.found.len());
        self.found.push(change);
    }
}

/// The differences inside two values.
fn nested_changes(
    input: &ComparisonInput<'_>,
    entries: &Pair<Option<EntrySide<'_>>>,
    old_names: &HashMap<&str, &str>,
) -> Vec<ValueChange> {
    let Pair { old: Some(old), new: Some(new) } = entries else { return Vec::new() };
    let written = Pair { old: old.written, new: new.written };
    let context = ValueContext {
        resource_type: None,
        name: None,
        written,
        parameter_renames: Some(input.parameter_renames),
    };
    if let Some(Pair { old, new }) = written_if_failed(entries, old_names) {
        return values::changes(&old, &new, &context);
    }
    let (Some(Ok(one)), Some(Ok(other))) = (old.value, new.value) else {
        // A value that fails on one side differs as a whole.
        return vec![ValueChange {
            value: Pair {
                old: DisplayValue::of_outcome(old.value),
                new: DisplayValue::of_outcome(new.value),
            },
            places: Places {
                old: written.old.map(|expr| expr.span),
                new: written.new.map(|expr| expr.span),
            },
            ..ValueChange::default()
        }];
    };
    values::changes(one, other, &context)
}

/// The definitions of an entry whose value fails on both sides, if they differ: nothing else shows that something is changed. Parameters have
/// their old names, but in a definition that is too large to copy it.
fn rewritten_if_failed(
    entries: &Pair<Option<EntrySide<'_>>>,
    old_names: &HashMap<&str, &str>,
) -> Option<Pair<lossless_yaml::Value>> {
    let Pair { old: Some(old), new: Some(new) } = entries else { return None };
    let (Some(Err(_)), Some(Err(_))) = (old.value, new.value) else { return None };
    let as_data = |side: &EntrySide<'_>| {
        let expr = side.written?;
        let renamed = (!is_large(expr)).then(|| with_old_names(expr, old_names));
        Some(raise_expr(renamed.as_ref().unwrap_or(expr), Version::LATEST).0)
    };
    let written = Pair { old: as_data(old)?, new: as_data(new)? };
    (written.old != written.new).then_some(written)
}

/// What is shown of [`rewritten_if_failed`]: nothing with a secret, and nothing that is too large.
fn written_if_failed(
    entries: &Pair<Option<EntrySide<'_>>>,
    old_names: &HashMap<&str, &str>,
) -> Option<Pair<Value>> {
    let written = rewritten_if_failed(entries, old_names)?;
    let is_open = |side: &EntrySide<'_>| {
        let mut holds_secret = false;
        side.written?
            .walk(&mut |it| holds_secret |= side.stack.given_secrets.contains_key(&it.span));
        (!holds_secret && !is_large(side.written?)).then_some(())
    };
    [entries.old?, entries.new?].iter().try_for_each(is_open)?;
    Some(Pair { old: Value::from(&written.old), new: Value::from(&written.new) })
}

/// The maximum number of parts of a definition that is copied; aliases can make a short one very large.
const MAX_PARTS: usize = 50_000;

/// Whether an expression has too many parts to copy it.
fn is_large(expr: &Expr) -> bool {
    fn parts(expr: &Expr, known: &mut HashMap<SharedParts, usize>) -> usize {
        let shared = expr.kind.shared_parts();
        if let Some(parts) = shared.and_then(|it| known.get(&it)) {
            return *parts;
        }
        let mut all = 1_usize;
        expr.for_each_child(|child| all = all.saturating_add(parts(child, known)));
        known.extend(shared.map(|it| (it, all)));
        all
    }
    parts(expr, &mut HashMap::new()) > MAX_PARTS
}

/// An expression with the old names of parameters in place of the new ones.
fn with_old_names(expr: &Expr, old_names: &HashMap<&str, &str>) -> Expr {
    let mut expr = expr.with_parts(&mut |part| with_old_names(part, old_names));
    if let ExprKind::Parameter(reference) = &expr.kind
        && let Some(old) = reference.name.as_text().and_then(|name| old_names.get(name))
    {
        let name = Expr::text(*old, reference.name.span);
        let renamed = ParameterRef { name, ..(**reference).clone() };
        expr.kind = ExprKind::Parameter(Shared::new(renamed));
    }
    expr
}

// --- groups --------------------------------------------------------------------------------------

/// The parameter groups that contain different parameters. Two groups are the same if they
/// have the same label or the same parameters: a label is documentation.
pub(super) fn groups(input: &ComparisonInput<'_>) -> Vec<EntryChange> {
    let mut changes = Vec::new();
    let mut compared: HashSet<TemplatePair> = HashSet::new();
    for ids in input.flows.stacks() {
        if !compared.insert(input.templates(ids)) {
            continue;
        }
        let path = input.flows.new.path(ids.new);
        let renamed: HashMap<&str, &str> =
            renames_within(&input.renamed.parameters, path, |_, _| true)
                .into_iter()
                .map(|(new, old)| (old, new))
                .collect();
        let stacks = Pair {
            old: &input.flows.old.stack(ids.old).stack,
            new: &input.flows.new.stack(ids.new).stack,
        };
        let old = GroupDefinition::all(stacks.old, &renamed);
        let new = GroupDefinition::all(stacks.new, &HashMap::new());
        changes.extend(compare_groups(path, &old, &new));
    }
    changes
}

/// A group of parameters.
struct GroupDefinition {
    /// The label, or a name made from the position.
    name: String,
    has_label: bool,
    parameters: Value,
    place: Span,
}

impl GroupDefinition {
    /// The groups of a stack, with the new names of parameters.
    fn all(stack: &Stack, renamed: &HashMap<&str, &str>) -> Vec<Self> {
        let groups = stack.groups.iter().enumerate();
        groups.map(|(at, group)| GroupDefinition::of(at, group, renamed)).collect()
    }

    fn of(at: usize, group: &ParameterGroup, renamed: &HashMap<&str, &str>) -> Self {
        let value = Value::from_expr_as_sent(&group.value);
        let get = |key: &str| match &value {
            Value::Map(map) => map.get(key),
            _ => None,
        };
        let label = match get("label") {
            Some(Value::Text(label)) => Some(label.to_string()),
            _ => None,
        };
        let parameters = match get("parameters") {
            Some(Value::List(names)) => {
                let name = |name: &Value| match name {
                    Value::Text(text) => {
                        Value::text(renamed.get(text.as_str()).copied().unwrap_or(text))
                    }
                    other => other.clone(),
                };
                Value::list(names.iter().map(name).collect())
            }
            Some(other) => other.clone(),
            None => Value::Null,
        };
        GroupDefinition {
            has_label: label.is_some(),
            name: label.unwrap_or_else(|| format!("parameter_groups[{at}]")),
            parameters,
            place: group.value.span,
        }
    }
}

fn compare_groups(
    path: &str,
    old: &[GroupDefinition],
    new: &[GroupDefinition],
) -> Vec<EntryChange> {
    // Maps old positions to new ones.
    let mut partner: HashMap<usize, usize> = HashMap::new();
    let mut taken: HashSet<usize> = HashSet::new();
    // The common key of groups that belong together; the first of the old ones that are left counts.
    type Common = fn(&GroupDefinition) -> Option<String>;
    let label: Common = |it| it.has_label.then(|| it.name.clone());
    let parameters: Common = |it| {
        (same(&it.parameters, &it.parameters) == Ternary::Yes)
            .then(|| format!("{:?}", it.parameters))
    };
    let position: Common = |it| (!it.has_label).then(|| it.name.clone());
    for common in [label, parameters, position] {
        let mut left: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (it, group) in old.iter().enumerate().filter(|(it, _)| !taken.contains(it)) {
            if let Some(common) = common(group) {
                left.entry(common).or_default().push_back(it);
            }
        }
        for (at, group) in new.iter().enumerate() {
            if partner.contains_key(&at) {
                continue;
            }
            let alike = common(group).and_then(|common| left.get_mut(&common)?.pop_front());
            if let Some(it) = alike {
                taken.insert(it);
                partner.insert(at, it);
            }
        }
    }
    let mut changes = Vec::new();
    let mut tell = |old: Option<&GroupDefinition>, new: Option<&GroupDefinition>, change| {
        let Some(group) = new.or(old) else { return };
        let shown = |group: Option<&GroupDefinition>| {
            group
                .map_or(DisplayValue::Absent, |group| DisplayValue::Value(group.parameters.clone()))
        };
        let place = |group: Option<&GroupDefinition>| group.map(|group| group.place);
        let inside = match (old, new) {
            (Some(old), Some(new)) => {
                values::changes(&old.parameters, &new.parameters, &ValueContext::default())
            }
            _ => Vec::new(),
        };
        changes.push(EntryChange {
            name: format!("{path}{}", group.name),
            change,
            value: Pair { old: shown(old), new: shown(new) },
            places: Places { old: place(old), new: place(new) },
            changes: inside,
            affects: Vec::new(),
            propagations: Vec::new(),
        });
    };
    for (at, group) in new.iter().enumerate() {
        match partner.get(&at).map(|it| &old[*it]) {
            Some(before) if same(&before.parameters, &group.parameters) == Ternary::Yes => {}
            Some(before) => tell(Some(before), Some(group), EntryStatus::Changed),
            None => tell(None, Some(group), EntryStatus::Added),
        }
    }
    for (_, group) in old.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        tell(Some(group), None, EntryStatus::Removed);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataflow::DataflowPair;
    use crate::equality::ParameterRenames;
    use crate::input::RenamedEntries;
    use crate::testing::{TestDeployment, deployed, pair};
    use source_diagnostics::SourceMap;

    type Compare = fn(&ComparisonInput<'_>) -> Vec<EntryChange>;

    fn of(
        compare: Compare,
        (old, new): (&TestDeployment, &TestDeployment),
        renamed: RenamedEntries,
    ) -> Vec<EntryChange> {
        let (old, new) = (old.side(), new.side());
        let flows = DataflowPair::new(old.deployed, new.deployed);
        let (renamed, names) = (&renamed, &ParameterRenames::default());
        compare(&ComparisonInput {
            old: &old,
            new: &new,
            flows: &flows,
            renamed,
            parameter_renames: names,
        })
    }

    fn roots(compare: Compare, old: &str, new: &str) -> Vec<EntryChange> {
        let (old, new) = pair(old, new);
        of(compare, (&old, &new), RenamedEntries::default())
    }

    fn summaries(changes: &[EntryChange]) -> Vec<(&str, &EntryStatus)> {
        changes.iter().map(|change| (change.name.as_str(), &change.change)).collect()
    }

    #[test]
    fn conditions_differ_in_what_they_are_worth() {
        let old = "
conditions: {a: true, b: {equals: [1, 1]}, gone: false}
resources: {r: {type: OS::Heat::None, condition: a}}
";
        let new = "
conditions: {a: {equals: [1, 2]}, b: {not: {equals: [1, 2]}}, c: true}
resources: {r: {type: OS::Heat::None, condition: a}}
";
        let changes = roots(conditions, old, new);
        assert_eq!(
            summaries(&changes),
            [
                ("a", &EntryStatus::Changed),
                ("gone", &EntryStatus::Removed),
                ("c", &EntryStatus::Added)
            ]
        );
        assert_eq!(changes[0].affects, ["r"]);
        assert_eq!(changes[0].value.new, DisplayValue::Value(Value::Bool(false)));
    }

    #[test]
    fn an_output_that_fails_before_and_after_shows_how_its_definition_changes() {
        let of = |item: &str| {
            format!(
                "outputs:\n  o:\n    value:\n      bad: {{make_url: {{host: h, port: ''}}}}\n      list: {{list_concat: [[a], [{item}]]}}\n"
            )
        };
        let changes = roots(outputs, &of("b"), &of("c"));
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].change, EntryStatus::Changed);
        let paths: Vec<_> = changes[0].changes.iter().map(|it| it.path.len()).collect();
        assert_eq!(paths, [4], "{:?}", changes[0].changes);
        assert!(roots(outputs, &of("b"), &of("b")).is_empty());
    }

    #[test]
    fn outputs_differ_in_their_values_not_in_what_is_said_of_them() {
        let old = "
resources: {r: {type: OS::Heat::None}}
outputs:
  same: {description: old, value: {list_join: [',', [a, b]]}}
  other: {value: [1, {k: v}]}
  unknown: {value: {get_resource: r}}
";
        let new = "
resources: {r: {type: OS::Heat::None}}
outputs:
  same: {description: new, value: 'a,b'}
  other: {value: [1, {k: w}]}
  unknown: {value: {get_resource: r}}
";
        let changes = roots(outputs, old, new);
        assert_eq!(summaries(&changes), [("other", &EntryStatus::Changed)]);
        assert_eq!(changes[0].changes.len(), 1);
        assert_eq!(changes[0].changes[0].path.len(), 2);
    }

    #[test]
    fn another_name_is_told_as_such() {
        let (old, new) = pair("outputs: {a: {value: 1}}", "outputs: {b: {value: 1}}");
        let renamed = RenamedEntries {
            outputs: vec![("a".to_owned(), "b".to_owned())],
            ..RenamedEntries::default()
        };
        let changes = of(outputs, (&old, &new), renamed);
        assert_eq!(summaries(&changes), [("b", &EntryStatus::Renamed { from: "a".to_owned() })]);
    }

    #[test]
    fn what_is_the_same_in_all_stacks_of_a_template_is_told_once() {
        let root = "
resources:
  one: {type: inner.yaml}
  two: {type: inner.yaml}
  reader: {type: OS::Heat::Value, properties: {value: {get_attr: [two, o]}}}
";
        let inner = |value: &str| format!("outputs: {{o: {{value: {value}}}}}");
        let one = |value: &str| {
            let inner = inner(value);
            let files = [("root.yaml", root), ("inner.yaml", inner.as_str())];
            deployed(&files, &mut SourceMap::default())
        };
        let changes = of(outputs, (&one("x"), &one("y")), RenamedEntries::default());
        assert_eq!(summaries(&changes), [("one/o", &EntryStatus::Changed)]);
        assert_eq!(changes[0].affects, ["reader"]);
    }

    #[test]
    fn groups_are_known_by_their_labels_or_parameters() {
        let parameters = "parameters: {a: {type: string}, b: {type: string}, c: {type: string}}";
        let text = |groups: &str| format!("{parameters}\nparameter_groups: {groups}\n");
        let old = text("[{label: l, parameters: [a]}, {label: m, parameters: [b]}]");
        let other =
            text("[{label: n, description: d, parameters: [b]}, {label: l, parameters: [a]}]");
        assert_eq!(summaries(&roots(groups, &old, &other)), []);
        let new =
            text("[{label: l, parameters: [a, c]}, {parameters: [b]}, {label: x, parameters: []}]");
        assert_eq!(
            summaries(&roots(groups, &old, &new)),
            [("l", &EntryStatus::Changed), ("x", &EntryStatus::Added)]
        );
        let (one, two) = (
            text("[{parameters: [a]}]"),
            "parameters: {z: {type: string}}\nparameter_groups: [{parameters: [z]}]",
        );
        let (one, two) = pair(&one, two);
        let renamed = RenamedEntries {
            parameters: vec![("a".to_owned(), "z".to_owned())],
            ..RenamedEntries::default()
        };
        assert_eq!(summaries(&of(groups, (&one, &two), renamed)), []);
    }

    #[test]
    fn a_group_that_is_no_map_has_no_parameters() {
        let changes = roots(groups, "parameter_groups: [x]", "parameter_groups: [y]");
        assert_eq!(summaries(&changes), []);
    }
}
