//! Whether a resource exists on both sides, if its condition depends on unknown values.
//!
//! The conditions of both sides are functions of the same unknown values: each combination of values of these says whether the
//! resource stays, goes or comes.

use std::collections::HashMap;

use super::comparison::{ChangeReason, DefinitionPart, DisplayValue, Impact, Pair, Places};
use super::equality::{ParameterRenames, Ternary, same_with};
use super::impact::{self, ResourceDefinition};
use super::update_rules::UpdateRule;
use heat_engine::eval::{Operation, Term, Value};

/// With more unknown values, each combination of the two conditions counts as possible.
const MAX_ATOMS: usize = 8;

/// What may happen to a resource because of conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Existence {
    /// It may be there before and after.
    pub(super) stays: bool,
    /// It may be there before only.
    pub(super) goes: bool,
    /// It may be there after only.
    pub(super) comes: bool,
    /// It may be on neither side.
    pub(super) is_never: bool,
}

impl Existence {
    /// The existence of a resource that at least one side declares and no known condition disables.
    pub(super) fn of(
        old: Option<&ResourceDefinition<'_>>,
        new: Option<&ResourceDefinition<'_>>,
        names: &ParameterRenames,
    ) -> Self {
        fn condition<'v>(side: Option<&ResourceDefinition<'v>>) -> Formula<'v> {
            side.map_or(Formula::known(false), |side| {
                side.condition().map_or(Formula::known(true), Formula::of)
            })
        }
        Existence::of_formulas(&condition(old), &condition(new), names)
    }

    fn of_formulas(old: &Formula<'_>, new: &Formula<'_>, names: &ParameterRenames) -> Self {
        let atoms = Pair { old: old.atoms(), new: new.atoms() };
        let anything = Existence { stays: true, goes: true, comes: true, is_never: true };
        if atoms.old.len().max(atoms.new.len()) > MAX_ATOMS {
            return anything;
        }
        // An unknown value of the new side is one of the old side, or one more.
        let mut count = atoms.old.len();
        let mut positions = Vec::new();
        for atom in &atoms.new {
            let is_same = |it: &&Value| same_with(it, atom, names) == Ternary::Yes;
            positions.push(atoms.old.iter().position(is_same).unwrap_or_else(|| {
                count += 1;
                count - 1
            }));
        }
        if count > MAX_ATOMS {
            return anything;
        }
        let mut found = Existence::default();
        for values in 0_u32..1 << count {
            let holds = |at: usize| values >> at & 1 == 1;
            let was = old.holds(|atom| position(&atoms.old, atom).is_some_and(holds));
            let is =
                new.holds(|atom| position(&atoms.new, atom).is_some_and(|at| holds(positions[at])));
            let outcome = match (was, is) {
                (true, true) => &mut found.stays,
                (true, false) => &mut found.goes,
                (false, true) => &mut found.comes,
                (false, false) => &mut found.is_never,
            };
            *outcome = true;
        }
        found
    }

    /// What a condition leaves unknown; `None` if no condition depends on unknown values, or if the resource stays for certain.
    pub(super) fn doubt(
        self,
        definitions: &Pair<Option<&ResourceDefinition<'_>>>,
    ) -> Option<Doubt> {
        let sides = [definitions.old, definitions.new];
        let conditions = sides.map(|side| side.and_then(ResourceDefinition::condition));
        let is_unknown = |it: &Value| matches!(it.unsealed(), Value::Unknown(_));
        if !conditions.into_iter().flatten().any(is_unknown) || !(self.goes || self.comes) {
            return None;
        }
        let is_certain = [self.stays, self.goes, self.comes, self.is_never]
            .into_iter()
            .filter(|holds| *holds)
            .count()
            == 1;
        let rule = UpdateRule::ConditionUnknown { is_certain };
        Some(Doubt { goes: self.goes, comes: self.comes, is_certain, rule })
    }
}

/// The uncertainty about the existence of a resource, or of all that is in a stack.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    /// Whether it may be deleted, and whether it may be created.
    goes: bool,
    comes: bool,
    /// Whether one of these certainly happens.
    is_certain: bool,
    rule: UpdateRule,
}

impl Doubt {
    /// The doubt about the members of a group of unknown size, if that may differ between the sides; `size` are the properties
    /// that say it.
    pub(super) fn of_size(size: &[&str], reasons: &[ChangeReason]) -> Option<Self> {
        let decides = |it: &ChangeReason| match &it.part {
            DefinitionPart::Property(name) => {
                size.contains(&name.as_str()) || name == "removal_policies"
            }
            part => *part == DefinitionPart::Properties,
        };
        let differs = reasons.iter().any(|it| it.impact < Impact::NoopUpdate && decides(it));
        let rule = UpdateRule::SizeUnknown;
        differs.then_some(Doubt { goes: true, comes: true, is_certain: false, rule })
    }

    /// The doubt about what is in the stack that `name` represents, if this one is about that resource.
    pub(super) fn inside(self, name: &str) -> Self {
        match self.rule {
            UpdateRule::SizeUnknown => self,
            _ => Doubt { rule: UpdateRule::StackUnknown(name.to_owned()), ..self },
        }
    }

    /// Adds to the decision on a resource that it may be deleted or created, or weakens it if it is on one side only.
    pub(super) fn apply(
        &self,
        definitions: &Pair<Option<&ResourceDefinition<'_>>>,
        impact: Impact,
        reasons: &mut Vec<ChangeReason>,
        places: &Places,
    ) -> Impact {
        let outcome = match (definitions.old, definitions.new) {
            (Some(old), _) if self.goes => impact::removed_impact(old),
            (_, Some(new)) if self.comes => impact::created_impact(new),
            _ => return impact,
        };
        let outcome = if self.is_certain { outcome } else { outcome.possibly() };
        let is_on_both = definitions.old.is_some() && definitions.new.is_some();
        // What a nested stack gains or loses does not depend on whether the stack stays.
        if !is_on_both && matches!(self.rule, UpdateRule::StackUnknown(_)) {
            return impact;
        }
        if !is_on_both {
            reasons.clear();
        }
        let is_condition = matches!(self.rule, UpdateRule::ConditionUnknown { .. });
        let part = if is_condition { DefinitionPart::Condition } else { DefinitionPart::Resource };
        // The names of the conditions are only another spelling.
        reasons.retain(|it| !is_condition || it.part != part);
        let mut reason = ChangeReason::new(part, outcome, self.rule.clone(), *places);
        if is_condition {
            let sides = [definitions.old, definitions.new];
            let [old, new] = sides.map(|side| match side.and_then(ResourceDefinition::condition) {
                Some(value) => DisplayValue::Value(value.clone()),
                None => DisplayValue::Absent,
            });
            reason.value = Pair { old, new };
        }
        reasons.push(reason);
        reasons.sort_by_key(|reason| reason.impact);
        if is_on_both { outcome.min(impact) } else { outcome }
    }
}

fn position(atoms: &[&Value], atom: &Value) -> Option<usize> {
    atoms.iter().position(|it| it.digest() == atom.digest())
}

/// A condition as a function of unknown values. What conditions have in common is one node, after those that it depends on: in a tree of
/// conditions that each use the one before twice, there is a node for each and not for each path.
#[derive(Default)]
struct Formula<'v> {
    nodes: Vec<FormulaNode<'v>>,
    /// The positions of nodes by the digests of their values.
    positions: HashMap<u64, usize>,
}

enum FormulaNode<'v> {
    Known(bool),
    Atom(&'v Value),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
}

impl<'v> Formula<'v> {
    fn known(value: bool) -> Self {
        Formula { nodes: vec![FormulaNode::Known(value)], ..Formula::default() }
    }

    fn of(value: &'v Value) -> Self {
        let mut formula = Formula::default();
        formula.add(value);
        formula
    }

    /// Adds the node of a value, and returns its position.
    fn add(&mut self, value: &'v Value) -> usize {
        let digest = value.digest();
        if let Some(at) = self.positions.get(&digest) {
            return *at;
        }
        let node = match value.unsealed() {
            Value::Bool(known) => FormulaNode::Known(*known),
            Value::Unknown(unknown) => match unknown.term() {
                Term::Call { operation: Operation::Not, arguments } if arguments.len() == 1 => {
                    FormulaNode::Not(self.add(&arguments[0]))
                }
                Term::Call { operation: Operation::And, arguments } => {
                    FormulaNode::All(arguments.iter().map(|it| self.add(it)).collect())
                }
                Term::Call { operation: Operation::Or, arguments } => {
                    FormulaNode::Any(arguments.iter().map(|it| self.add(it)).collect())
                }
                Term::Call { .. } | Term::Leaf { .. } | Term::Opaque => FormulaNode::Atom(value),
            },
            _ => FormulaNode::Atom(value),
        };
        self.nodes.push(node);
        self.positions.insert(digest, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The unknown values, each once.
    fn atoms(&self) -> Vec<&'v Value> {
        let atom = |node: &FormulaNode<'v>| match node {
            FormulaNode::Atom(value) => Some(*value),
            _ => None,
        };
        self.nodes.iter().filter_map(atom).collect()
    }

    fn holds(&self, mut value: impl FnMut(&Value) -> bool) -> bool {
        let mut known: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            known.push(match node {
                FormulaNode::Known(it) => *it,
                FormulaNode::Atom(atom) => value(atom),
                FormulaNode::Not(inner) => !known[*inner],
                FormulaNode::All(members) => members.iter().all(|it| known[*it]),
                FormulaNode::Any(members) => members.iter().any(|it| known[*it]),
            });
        }
        known.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{TestDeployment, compared, deployed, pair};
    use crate::{Impact, UpdateRule};
    use source_diagnostics::SourceMap;

    /// The impact on a volume with these conditions, and the rules.
    fn decided(old: &str, new: &str) -> (Impact, Vec<&'static str>) {
        let text = |condition: &str| {
            format!(
                "parameters: {{p: {{type: boolean}}, q: {{type: boolean}}, e: {{type: string}}}}
conditions:
  p: {{get_param: p}}
  q: {{get_param: q}}
  never: {{and: [p, {{not: p}}]}}
  always: {{or: [p, {{not: p}}]}}
resources:
  r: {{type: OS::Cinder::Volume, properties: {{size: 1}}{condition}}}
"
            )
        };
        let (old, new) = pair(&text(old), &text(new));
        let comparison = compared(&old.side(), &new.side());
        let resource = &comparison.resources[0];
        let rules = resource.reasons.iter().map(|it| it.rule.id());
        (resource.effective_impact, rules.filter(|id| *id != "data-lost").collect())
    }

    #[test]
    fn each_combination_of_unknown_values_decides() {
        let condition = |text: &str| match text {
            "" => String::new(),
            text => format!(", condition: {text}"),
        };
        let table = [
            ("", "p", Impact::MayDelete),
            ("p", "", Impact::MayCreate),
            ("p", "p", Impact::None),
            ("p", "{not: {not: p}}", Impact::NoopUpdate),
            ("p", "q", Impact::MayDelete),
            ("p", "{not: p}", Impact::MayDelete),
            ("p", "{and: [p, q]}", Impact::MayDelete),
            ("p", "{or: [q, p]}", Impact::MayCreate),
            ("{and: [p, q]}", "{and: [q, p]}", Impact::NoopUpdate),
            ("{equals: [{get_param: e}, a]}", "{equals: [{get_param: e}, b]}", Impact::MayDelete),
            // The same for both values.
            ("", "never", Impact::Delete),
            ("never", "", Impact::Create),
            ("", "always", Impact::NoopUpdate),
        ];
        for (old, new, impact) in table {
            let found = decided(&condition(old), &condition(new));
            let rules = match impact {
                Impact::None => vec![],
                Impact::NoopUpdate => vec!["spelling"],
                _ => vec!["condition-unknown"],
            };
            assert_eq!(found, (impact, rules), "{old} → {new}");
        }
    }

    #[test]
    fn a_policy_keeps_what_may_go_and_a_known_condition_is_certain() {
        let keeps = ", deletion_policy: Retain";
        let (impact, _) = decided(keeps, &format!("{keeps}, condition: p"));
        assert_eq!(impact, Impact::Retain);
        let rule = UpdateRule::ConditionFails.id();
        assert_eq!(decided("", ", condition: false"), (Impact::Delete, vec![rule]));
    }

    /// The names and impacts of all resources.
    fn impacts(old: &TestDeployment, new: &TestDeployment) -> Vec<(String, &'static str)> {
        let resources = compared(&old.side(), &new.side()).resources;
        resources.into_iter().map(|it| (it.name, it.effective_impact.name())).collect()
    }

    fn named(expected: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
        expected.iter().map(|(name, impact)| ((*name).to_owned(), *impact)).collect()
    }

    #[test]
    fn a_member_stands_for_each_of_a_group_of_unknown_size() {
        let text = |count: &str, name: &str| {
            format!(
                "parameters: {{n: {{type: number}}, m: {{type: number}}}}
resources:
  g: {{type: OS::Heat::ResourceGroup, properties: {{count: {count}, resource_def: {{type: OS::Nova::KeyPair, properties: {{name: {name}}}}}}}}}
"
            )
        };
        for (old, new, expected) in [
            (
                ("{get_param: n}", "a"),
                ("{get_param: n}", "b"),
                &[("g", "update"), ("g/0", "replace")][..],
            ),
            (("{get_param: n}", "a"), ("{get_param: n}", "a"), &[("g", "none"), ("g/0", "none")]),
            (
                ("{get_param: n}", "a"),
                ("{get_param: m}", "a"),
                &[("g", "update"), ("g/0", "may-delete")],
            ),
            (
                ("2", "a"),
                ("{get_param: n}", "a"),
                &[("g", "update"), ("g/0", "may-delete"), ("g/1", "may-delete")],
            ),
            (
                ("{get_param: n}", "a"),
                ("2", "a"),
                &[("g", "update"), ("g/0", "may-delete"), ("g/1", "may-create")],
            ),
        ] {
            let (one, other) = pair(&text(old.0, old.1), &text(new.0, new.1));
            assert_eq!(impacts(&one, &other), named(expected), "{old:?} {new:?}");
        }
    }

    #[test]
    fn members_of_instance_groups_get_the_new_configuration() {
        let text = |image: &str, size: &str, policy: &str| {
            format!(
                "resources:
  lc: {{type: AWS::AutoScaling::LaunchConfiguration, properties: {{ImageId: {image}, InstanceType: m}}}}
  ig:
    type: OS::Heat::InstanceGroup
    update_policy: {{{policy}}}
    properties: {{AvailabilityZones: [nova], LaunchConfigurationName: {{get_resource: lc}}, Size: {size}}}
"
            )
        };
        for (policy, member) in
            [("", "may-replace"), ("RollingUpdate: {MaxBatchSize: 1}", "replace")]
        {
            let (old, new) = pair(&text("a", "2", policy), &text("b", "1", policy));
            let expected =
                named(&[("lc", "replace"), ("ig", "update"), ("ig/0", member), ("ig/1", "delete")]);
            assert_eq!(impacts(&old, &new), expected, "{policy}");
        }
    }

    #[test]
    fn a_type_that_nothing_known_implements_is_the_same_on_both_sides_or_replaced() {
        let root = ("root.yaml", "resources: {a: {type: 'My::Child'}}\n");
        let child = ("child.yaml", "resources: {r: {type: OS::Neutron::Net}}\n");
        let row = ("env.yaml", "resource_registry: {'My::Child': child.yaml}\n");
        let mut sources = SourceMap::default();
        let mut one = |files: &[(&str, &str)]| deployed(files, &mut sources);
        let (unknown, known) = (one(&[root]), one(&[root, child, row]));
        // As the content of a URL; a note says that it is not compared.
        assert_eq!(impacts(&unknown, &unknown), named(&[("a", "none")]));
        assert_eq!(impacts(&known, &known), named(&[("a", "none"), ("a/r", "none")]));
        let replaced = named(&[("a", "replace"), ("a/r", "replace")]);
        assert_eq!(impacts(&unknown, &known), replaced);
    }
}
