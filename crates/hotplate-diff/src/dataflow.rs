//! Data flow of a deployment: from parameters, references and attributes into definitions, from
//! there into nested stacks and groups, and through outputs back out.
//!
//! A [`DataflowNode`] is a value that may change; [`Dataflow::successors`] returns the values that change with it. This module
//! does not decide what such a change does to a resource.

mod pass_through;
mod uses;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use smol_str::SmolStr;

pub(super) use self::pass_through::PassThrough;
use self::pass_through::{NestedValue, reads_nested};
use self::uses::{UseIndex, UseSite, UsedValue};
use super::comparison::{DefinitionPart, Pair};
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::{Evaluation, Value};
use source_diagnostics::Span;

/// A stack of a deployment, by its position in [`Dataflow`].
pub(super) type StackId = usize;

/// The stack of the deployment itself.
pub(super) const ROOT: StackId = 0;

/// A value that may change: a node of the data flow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum DataflowNode {
    Parameter(StackId, SmolStr),
    Condition(StackId, SmolStr),
    Output(StackId, SmolStr),
    /// The kind of value that a reference to a resource yields.
    Reference(StackId, SmolStr),
    /// An attribute of a resource; any attribute if `None`.
    Attribute(StackId, SmolStr, Option<SmolStr>),
    /// The set of members of a group.
    Members(StackId, SmolStr),
    /// A part of a resource's definition, and the keys of literal maps that lead to the position inside it.
    Part(StackId, SmolStr, DefinitionPart, Vec<SmolStr>),
}

/// An edge of the data flow: a value that changes with another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DataflowEdge {
    pub(super) target: DataflowNode,
    /// The span of the reference to the other value.
    pub(super) span: Option<Span>,
    /// Whether the other value is only used in a condition that selects between values.
    pub(super) is_control: bool,
}

/// A use of an attribute.
pub(super) struct AttributeRead<'a> {
    /// The name; `None` for the map of all, or if it is unknown.
    pub(super) attribute: Option<&'a SmolStr>,
    /// The path into the attribute; unknown steps are `None`.
    pub(super) path: &'a [Option<SmolStr>],
    pub(super) edge: DataflowEdge,
}

/// The data flow of a deployment. Uses are collected lazily, stack by stack.
pub(super) struct Dataflow<'a> {
    stacks: Vec<StackNode<'a>>,
    by_path: HashMap<String, StackId>,
}

/// A stack of the deployment.
struct StackNode<'a> {
    /// The prefix of its resources' names: empty, or ending with `/`.
    path: String,
    deployed: &'a Deployed,
    /// The enclosing stack, and the resource there that represents this stack.
    outer: Option<(StackId, SmolStr)>,
    inner: HashMap<&'a str, StackId>,
    /// The positions of the resources that lead here, for ordering by the deployment.
    order: Vec<usize>,
    uses: OnceCell<UseIndex>,
    /// The resources under each condition that was asked for, by position.
    under_conditions: RefCell<HashMap<SmolStr, Rc<BTreeSet<usize>>>>,
}

/// The data flow of both deployments.
pub(super) struct DataflowPair<'a> {
    pub(super) old: Dataflow<'a>,
    pub(super) new: Dataflow<'a>,
}

impl<'a> DataflowPair<'a> {
    pub(super) fn new(old: &'a Deployed, new: &'a Deployed) -> Self {
        DataflowPair { old: Dataflow::new(old), new: Dataflow::new(new) }
    }

    /// The stacks that both sides have at the same path, in the order of the new side, the root first.
    pub(super) fn stacks(&self) -> impl Iterator<Item = Pair<StackId>> {
        self.new
            .ids()
            .filter_map(|new| Some(Pair { old: self.old.stack_at(self.new.path(new))?, new }))
    }
}

impl<'a> Dataflow<'a> {
    pub(super) fn new(root: &'a Deployed) -> Self {
        let mut flow = Dataflow { stacks: Vec::new(), by_path: HashMap::new() };
        flow.add(String::new(), root, None, Vec::new());
        flow
    }

    fn add(
        &mut self,
        path: String,
        deployed: &'a Deployed,
        outer: Option<(StackId, SmolStr)>,
        order: Vec<usize>,
    ) -> StackId {
        let id = self.stacks.len();
        self.by_path.insert(path.clone(), id);
        let (inner, uses) = (HashMap::new(), OnceCell::new());
        let under_conditions = RefCell::default();
        self.stacks.push(StackNode {
            path: path.clone(),
            deployed,
            outer,
            inner,
            order: order.clone(),
            uses,
            under_conditions,
        });
        for (name, child) in &deployed.children {
            let ChildStack::Stack(child) = child else { continue };
            let at = deployed.stack.resources.get_index_of(name).unwrap_or(usize::MAX);
            let order = order.iter().copied().chain([at]).collect();
            let inner = self.add(format!("{path}{name}/"), child, Some((id, name.into())), order);
            self.stacks[id].inner.insert(name, inner);
        }
        id
    }

    /// Every stack, enclosing stacks first.
    pub(super) fn ids(&self) -> std::ops::Range<StackId> {
        0..self.stacks.len()
    }

    /// Every resource; resources of nested stacks follow the one that represents their stack.
    pub(super) fn resources(&self) -> impl Iterator<Item = (StackId, &'a str)> {
        let mut all: Vec<(Vec<usize>, StackId, &'a str)> = Vec::new();
        for (id, place) in self.stacks.iter().enumerate() {
            let names = place.deployed.evaluation.resources.iter().flatten();
            for (name, _) in names {
                let at = place.deployed.stack.resources.get_index_of(name);
                let order = place.order.iter().copied().chain(at).collect();
                all.push((order, id, name.as_str()));
            }
        }
        all.sort();
        all.into_iter().map(|(_, id, name)| (id, name))
    }

    pub(super) fn stack(&self, id: StackId) -> &'a Deployed {
        self.stacks[id].deployed
    }

    /// The prefix of the names of a stack's resources: empty, or ending with `/`.
    pub(super) fn path(&self, id: StackId) -> &str {
        &self.stacks[id].path
    }

    /// The stack at a path, which is empty or ends with `/`.
    pub(super) fn stack_at(&self, path: &str) -> Option<StackId> {
        self.by_path.get(path).copied()
    }

    /// Splits a full name into the stack and the name in that stack.
    pub(super) fn find<'n>(&self, whole: &'n str) -> Option<(StackId, &'n str)> {
        let start = whole.rfind('/').map_or(0, |slash| slash + 1);
        Some((self.stack_at(&whole[..start])?, &whole[start..]))
    }

    /// The full name of a resource.
    pub(super) fn full_name(&self, id: StackId, name: &str) -> String {
        format!("{}{name}", self.stacks[id].path)
    }

    /// The stack that a resource represents.
    pub(super) fn inner(&self, id: StackId, name: &str) -> Option<StackId> {
        self.stacks[id].inner.get(name).copied()
    }

    /// The resource that represents a stack, and the stack that contains it.
    pub(super) fn outer(&self, id: StackId) -> Option<(StackId, &SmolStr)> {
        self.stacks[id].outer.as_ref().map(|(id, name)| (*id, name))
    }

    /// Whether a stack is the inner stack of a group.
    pub(super) fn is_group(&self, id: StackId) -> bool {
        let outer = self.outer(id);
        outer.is_some_and(|(id, name)| {
            matches!(self.pass_through(id, name), Some(PassThrough::Group(_)))
        })
    }

    fn evaluation(&self, id: StackId) -> &'a Evaluation {
        &self.stacks[id].deployed.evaluation
    }

    /// The values that change with this one.
    pub(super) fn successors(&self, spot: &DataflowNode) -> Vec<DataflowEdge> {
        let mut steps = Vec::new();
        match spot {
            DataflowNode::Parameter(id, name) => {
                self.push_uses(*id, self.uses(*id).parameters.get(name), &mut steps);
            }
            DataflowNode::Condition(id, name) => {
                self.push_uses(*id, self.uses(*id).conditions.get(name), &mut steps);
            }
            DataflowNode::Output(id, name) => self.push_output(*id, name, &mut steps),
            DataflowNode::Reference(id, name) => {
                self.push_resource_uses(
                    *id,
                    name,
                    |of| matches!(of, UsedValue::Reference),
                    &mut steps,
                );
                self.push_outer_uses(*id, name, NestedValue::Reference, &mut steps);
            }
            DataflowNode::Attribute(id, name, attribute) => {
                let fits = |of: &UsedValue| match (of, attribute) {
                    (UsedValue::Attribute(Some(one), _), Some(other)) => one == other,
                    (UsedValue::Attribute(..), _) => true,
                    (UsedValue::Reference, _) => false,
                };
                self.push_resource_uses(*id, name, fits, &mut steps);
                self.push_outer_uses(
                    *id,
                    name,
                    NestedValue::Attribute(attribute.as_deref()),
                    &mut steps,
                );
            }
            DataflowNode::Members(id, name) => {
                if let Some(PassThrough::Group(kind)) = self.pass_through(*id, name) {
                    let fits =
                        |of: &UsedValue| reads_nested(of, Some(kind), "", NestedValue::Members);
                    self.push_resource_uses(*id, name, fits, &mut steps);
                }
            }
            DataflowNode::Part(id, name, part, path) => {
                self.passed_to(*id, name, part, path, &mut steps)
            }
        }
        steps
    }

    /// Adds edges to the uses of a value.
    fn push_uses(&self, id: StackId, uses: Option<&Vec<UseSite>>, steps: &mut Vec<DataflowEdge>) {
        steps.extend(uses.into_iter().flatten().map(|found| found.edge(id)));
    }

    /// Adds edges to the uses of a resource that match.
    fn push_resource_uses(
        &self,
        id: StackId,
        name: &str,
        fits: impl Fn(&UsedValue) -> bool,
        steps: &mut Vec<DataflowEdge>,
    ) {
        let uses = self.uses(id).resources.get(name).into_iter().flatten();
        steps.extend(uses.filter(|(of, _)| fits(of)).map(|(_, found)| found.edge(id)));
    }

    /// The uses of a resource's attributes in its own stack.
    pub(super) fn attribute_reads(
        &self,
        id: StackId,
        name: &str,
    ) -> impl Iterator<Item = AttributeRead<'_>> {
        let uses = self.uses(id).resources.get(name).into_iter().flatten();
        uses.filter_map(move |(of, found)| match of {
            UsedValue::Attribute(attribute, path) => {
                Some(AttributeRead { attribute: attribute.as_ref(), path, edge: found.edge(id) })
            }
            UsedValue::Reference => None,
        })
    }

    /// The uses of a resource's attribute, or of any of them, through the resource that represents its stack.
    pub(super) fn outer_reads(
        &self,
        id: StackId,
        name: &str,
        attribute: Option<&str>,
    ) -> Vec<DataflowEdge> {
        let mut steps = Vec::new();
        self.push_outer_uses(id, name, NestedValue::Attribute(attribute), &mut steps);
        steps
    }

    /// Every value that changes with these, including themselves.
    pub(super) fn reachable_nodes(
        &self,
        from: impl IntoIterator<Item = DataflowNode>,
    ) -> HashSet<DataflowNode> {
        let mut open: VecDeque<DataflowNode> = from.into_iter().collect();
        let mut seen: HashSet<DataflowNode> = open.iter().cloned().collect();
        while let Some(spot) = open.pop_front() {
            for step in self.successors(&spot) {
                if seen.insert(step.target.clone()) {
                    open.push_back(step.target);
                }
            }
        }
        seen
    }

    /// Every part of a resource that depends on a value, including resources of nested stacks, in the
    /// order of the deployment; resources by full name.
    pub(super) fn reachable_parts(
        &self,
        from: impl IntoIterator<Item = DataflowNode>,
    ) -> Vec<(String, DefinitionPart)> {
        let mut found = BTreeMap::new();
        for spot in self.reachable_nodes(from) {
            if let DataflowNode::Part(id, name, part, _) = spot {
                let place = &self.stacks[id];
                let at = place.deployed.stack.resources.get_index_of(name.as_str());
                if !place.deployed.evaluation.disabled_resources.iter().any(|it| name == it) {
                    let order: Vec<usize> = place.order.iter().copied().chain(at).collect();
                    let whole = self.full_name(id, &name);
                    found.insert((order, part), whole);
                }
            }
        }
        found.into_iter().map(|((_, part), name)| (name, part)).collect()
    }

    /// The full names of the resources that depend on a value, without duplicates, in order.
    pub(super) fn reachable_resources(
        &self,
        from: impl IntoIterator<Item = DataflowNode>,
    ) -> Vec<String> {
        let mut names: Vec<String> =
            self.reachable_parts(from).into_iter().map(|(name, _)| name).collect();
        names.dedup();
        names
    }

    /// The full names of the resources that the condition adds or removes, including those inside them.
    pub(super) fn resources_under_condition(&self, id: StackId, condition: &str) -> Vec<String> {
        let resources = &self.stack(id).stack.resources;
        let names = resources.keys().enumerate();
        let under = self.under_condition(id, condition);
        names
            .filter(|(at, _)| under.contains(at))
            .map(|(_, name)| self.full_name(id, name))
            .collect()
    }

    /// The positions of the resources that use a condition, or a condition that uses it. Each condition is followed once, the
    /// conditions that use it first.
    fn under_condition(&self, id: StackId, condition: &str) -> Rc<BTreeSet<usize>> {
        let mut known = self.stacks[id].under_conditions.borrow_mut();
        let mut open: Vec<SmolStr> = vec![condition.into()];
        let mut entered = HashSet::new();
        while let Some(name) = open.last().cloned() {
            if known.contains_key(&name) {
                open.pop();
                continue;
            }
            let (mut resources, mut users) = (BTreeSet::new(), Vec::new());
            for step in self.successors(&DataflowNode::Condition(id, name.clone())) {
                match step.target {
                    DataflowNode::Part(_, name, DefinitionPart::Condition, _) => {
                        resources.extend(self.stack(id).stack.resources.get_index_of(name.as_str()))
                    }
                    DataflowNode::Condition(_, user) => users.push(user),
                    _ => {}
                }
            }
            if entered.insert(name.clone()) {
                open.extend(users.into_iter().filter(|user| !entered.contains(user)));
                continue;
            }
            open.pop();
            let mut of_users: Vec<_> = users.iter().filter_map(|user| known.get(user)).collect();
            of_users.sort_by_key(|under| std::cmp::Reverse(under.len()));
            let largest = of_users.first().filter(|under| resources.is_subset(under));
            let under = match largest {
                Some(largest) if of_users.iter().all(|under| under.is_subset(largest)) => {
                    Rc::clone(largest)
                }
                _ => {
                    resources.extend(of_users.iter().flat_map(|under| under.iter()));
                    Rc::new(resources)
                }
            };
            known.insert(name, under);
        }
        known.get(condition).cloned().unwrap_or_default()
    }

    fn uses(&self, id: StackId) -> &UseIndex {
        self.stacks[id].uses.get_or_init(|| UseIndex::of(self.stacks[id].deployed))
    }

    /// Whether the value of a named condition is known.
    pub(super) fn is_known_condition(&self, id: StackId, condition: &str) -> bool {
        let value = self.evaluation(id).conditions.get(condition);
        matches!(value, Some(Ok(value)) if matches!(value.unsealed(), Value::Bool(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::deployed;
    use source_diagnostics::SourceMap;

    fn reach(files: &[(&str, &str)], from: DataflowNode) -> Vec<String> {
        let deployment = deployed(files, &mut SourceMap::default());
        let flow = Dataflow::new(deployment.side().deployed);
        let found = flow.reachable_parts([from]);
        found.into_iter().map(|(name, part)| format!("{name}: {part:?}")).collect()
    }

    fn parameter(name: &str) -> DataflowNode {
        DataflowNode::Parameter(ROOT, name.into())
    }

    #[test]
    fn a_parameter_gets_through_functions_and_taken_branches() {
        let text = "
parameters: {p: {type: string}, q: {type: boolean, default: true}}
conditions: {c: {get_param: q}}
resources:
  a:
    type: OS::Nova::Server
    properties: {name: {list_join: ['-', [x, {get_param: p}]]}, image: x}
    metadata: {k: {if: [c, {get_param: p}, no]}}
  b: {type: OS::Nova::Server, properties: {name: {if: [c, no, {get_param: p}]}}}
  d: {type: OS::Nova::Server, condition: c}
";
        let name = "a: Property(\"name\")";
        assert_eq!(reach(&[("root.yaml", text)], parameter("p")), [name, "a: Metadata"]);
        let decided = ["a: Metadata", "b: Property(\"name\")", "d: Condition"];
        assert_eq!(reach(&[("root.yaml", text)], parameter("q")), decided);
    }

    #[test]
    fn a_parameter_gets_into_nested_stacks_and_out_of_them() {
        let files = [
            (
                "root.yaml",
                "
parameters: {p: {type: string}}
resources:
  n: {type: inner.yaml, properties: {a: {get_param: p}, b: x}}
  after: {type: OS::Nova::Server, properties: {name: {get_attr: [n, o]}}}
  other: {type: OS::Nova::Server, properties: {name: {get_attr: [n, q]}}}
",
            ),
            (
                "inner.yaml",
                "
parameters: {a: {type: string}, b: {type: string}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {get_param: a}}}
  s: {type: OS::Nova::Server, properties: {name: {get_attr: [v, value]}}}
  t: {type: OS::Nova::Server, properties: {name: {get_param: b}}}
outputs: {o: {value: {get_param: a}}, q: {value: {get_param: b}}}
",
            ),
        ];
        assert_eq!(
            reach(&files, parameter("p")),
            [
                "n: Property(\"a\")",
                "n/v: Property(\"value\")",
                "n/s: Property(\"name\")",
                "after: Property(\"name\")"
            ]
        );
    }

    #[test]
    fn a_parameter_gets_into_the_members_of_groups() {
        let files = [
            (
                "root.yaml",
                "
parameters: {p: {type: string}, j: {type: json}}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def: {type: inner.yaml, properties: {a: {get_param: p}, b: x}}
  c:
    type: OS::Heat::ResourceChain
    properties: {resources: [My::Inner], resource_properties: {b: {get_param: p}}}
  d:
    type: OS::Heat::SoftwareDeploymentGroup
    properties: {config: {get_param: p}, servers: {one: x, two: {get_param: p}}}
",
            ),
            (
                "inner.yaml",
                "
parameters: {a: {type: string, default: a}, b: {type: string}}
resources:
  s: {type: OS::Nova::Server, properties: {name: {get_param: a}, image: {get_param: b}}}
",
            ),
            ("env.yaml", "resource_registry: {My::Inner: inner.yaml}"),
        ];
        let found = reach(&files, parameter("p"));
        assert_eq!(
            found,
            [
                "g: Property(\"resource_def\")",
                "g/0: Property(\"a\")",
                "g/0/s: Property(\"name\")",
                "g/1: Property(\"a\")",
                "g/1/s: Property(\"name\")",
                "c: Property(\"resource_properties\")",
                "c/0: Property(\"b\")",
                "c/0/s: Property(\"image\")",
                "d: Property(\"config\")",
                "d: Property(\"servers\")",
                "d/one: Property(\"config\")",
                "d/two: Property(\"config\")",
                "d/two: Property(\"server\")",
            ]
        );
    }

    #[test]
    fn attributes_of_groups_show_their_members() {
        let text = "
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::Nova::Server}}
  refs: {type: OS::Heat::Value, properties: {value: {get_attr: [g, refs]}}}
  second: {type: OS::Heat::Value, properties: {value: {get_attr: [g, resource.1]}}}
  names: {type: OS::Heat::Value, properties: {value: {get_attr: [g, name]}}}
  shows: {type: OS::Heat::Value, properties: {value: {get_attr: [g, attributes, show]}}}
";
        let deployment = deployed(&[("root.yaml", text)], &mut SourceMap::default());
        let flow = Dataflow::new(deployment.side().deployed);
        let (id, name) = flow.find("g/1").expect("a member");
        assert_eq!(
            flow.reachable_resources([DataflowNode::Reference(id, name.into())]),
            ["refs", "second"]
        );
        let attribute =
            |name: Option<&str>| DataflowNode::Attribute(id, "1".into(), name.map(Into::into));
        assert_eq!(flow.reachable_resources([attribute(None)]), ["names", "shows"]);
        assert_eq!(flow.reachable_resources([attribute(Some("name"))]), ["names"]);
        assert_eq!(
            flow.reachable_resources([DataflowNode::Members(ROOT, "g".into())]),
            ["refs", "names", "shows"]
        );
    }

    #[test]
    fn conditions_made_of_a_condition_take_resources_away_with_it() {
        let text = "
conditions: {a: true, b: {not: a}, c: {equals: [1, 2]}}
resources:
  one: {type: OS::Heat::None, condition: a}
  two: {type: OS::Heat::None, condition: b}
  three: {type: OS::Heat::None, condition: c}
  four: {type: OS::Heat::None, condition: {or: [a, c]}}
";
        let deployment = deployed(&[("root.yaml", text)], &mut SourceMap::default());
        let flow = Dataflow::new(deployment.side().deployed);
        assert_eq!(flow.resources_under_condition(ROOT, "a"), ["one", "two", "four"]);
    }
}
