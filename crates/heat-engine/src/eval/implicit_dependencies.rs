//! The dependencies that Heat's plugins add without a reference in the template, such as from a port to the
//! subnets of its network.
//!
//! Heat's rule: `docs/heat.md#what-makes-a-dependency`.

use std::collections::{BTreeSet, HashMap, HashSet};

use indexmap::IndexMap;
use serde::Deserialize;

use super::template_graph::{ResolvedImplementation, TemplateNode};
use super::typed_properties::{TypedProperties, of_plugin};
use super::{EvalResult, EvaluatedProperties, EvaluatedResource, Key, Value, python};
use heat_template::ir::Stack;
use heat_template::schema::{Column, columns};

/// A rule of a plugin: a resource waits for those of type `on` that `link` connects it to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ImplicitDependency {
    on: &'static str,
    link: Link,
}

/// The connection of two resources.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", bound(deserialize = "'de: 'static"))]
enum Link {
    /// A property of each, by their paths: the same value.
    SameValue(Vec<&'static str>, Vec<&'static str>),
    /// The server has a network of which nothing is known, or that of the subnet; or the network of the subnet is
    /// unknown.
    ServerOnSubnet,
    /// A port that the floating IP refers to has an address in the subnet of the router's interface.
    PortOnInterface(FixedIps),
}

/// Which addresses of a port a plugin looks at.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FixedIps {
    /// Only the first one.
    First,
    /// All; without any, the port may have an address in each subnet of its network.
    All,
}

const PORT: &str = "OS::Neutron::Port";

/// The rules by the type of the resource that waits.
static RULES: Column<Vec<ImplicitDependency>> = Column::new(columns::IMPLICIT_DEPENDENCIES);

impl TemplateNode {
    /// Whether the template has a resource whose plugin may make it wait for others without a reference.
    pub fn may_have_implicit_dependencies(&self) -> bool {
        let mut plugins = self.implementations.values().filter_map(ResolvedImplementation::plugin);
        plugins.any(|(plugin, _)| RULES.get(plugin).is_some())
    }
}

/// The resources of a stack whose plugins add dependencies, or that others then wait for, with the ports that matter; empty
/// if no rule applies.
pub(super) fn concerned_resources<'s>(
    resources: &'s IndexMap<String, EvaluatedResource>,
    node: &TemplateNode,
) -> Vec<&'s str> {
    let has = |kind: &str, by_interface: bool| {
        resources.iter().any(|(name, resource)| match by_interface {
            true => has_interface(name, resource, node, kind),
            false => plugin(name, node) == Some(kind),
        })
    };
    let rules: Vec<_> =
        RULES.each().filter(|(of, rule)| has(of, false) && has(rule.on, true)).collect();
    let concerns = |name: &str, resource: &EvaluatedResource| {
        rules.iter().any(|(of, rule)| {
            plugin(name, node) == Some(*of)
                || has_interface(name, resource, node, rule.on)
                || matches!(rule.link, Link::PortOnInterface(_))
                    && has_interface(name, resource, node, PORT)
        })
    };
    let concerned = resources.iter().filter(|(name, resource)| concerns(name, resource));
    concerned.map(|(name, _)| name.as_str()).collect()
}

/// The dependencies that plugins add, by resource. `properties` has those of the
/// [`concerned_resources`], evaluated as before the creation of the stack: a reference is what the plugin returns then, an
/// attribute null.
pub(super) fn implicit_dependencies(
    stack: &Stack,
    resources: &IndexMap<String, EvaluatedResource>,
    node: &TemplateNode,
    properties: &IndexMap<&str, EvaluatedProperties>,
) -> IndexMap<String, Vec<String>> {
    let read = |name: &str| -> Option<Properties> {
        Some(Properties::read(properties.get(name)?, &node.implementations[name]))
    };
    let read: IndexMap<&str, Properties> =
        properties.keys().filter_map(|name| Some((*name, read(name)?))).collect();
    let graph = Graph { stack, resources, node, properties: read };
    let mut found: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (kind, rule) in RULES.each() {
        let of = || graph.properties.keys().filter(|name| plugin(name, node) == Some(kind));
        if of().next().is_none() {
            continue;
        }
        let targets = Targets::new(&graph, rule);
        let mut of_ports: HashMap<&str, Vec<usize>> = HashMap::new();
        for name in of() {
            let own = &graph.properties[name];
            let linked = found.entry(name).or_default();
            match &rule.link {
                Link::SameValue(path, _) => {
                    linked.extend(own.at(path).iter().flat_map(|value| targets.with(value)));
                }
                Link::ServerOnSubnet => linked.extend(targets.of_server(own)),
                Link::PortOnInterface(fixed_ips) => {
                    for port in graph.references(name) {
                        let of_port = of_ports.entry(port);
                        linked.extend(
                            &*of_port.or_insert_with(|| graph.of_port(port, *fixed_ips, &targets)),
                        );
                    }
                }
            }
        }
    }
    let named = graph.properties.keys().filter_map(|name| {
        // What the definition refers to is no dependency of its own.
        let references: HashSet<&String> = graph.references(name).iter().collect();
        let linked = found.remove(name)?.into_iter();
        let others = linked.filter_map(|at| Some(resources.get_index(at)?.0));
        let others = others.filter(|other| other != name && !references.contains(other));
        let others: Vec<String> = others.cloned().collect();
        (!others.is_empty()).then(|| ((*name).to_owned(), others))
    });
    named.collect()
}

/// The resources of a stack with their properties before its creation.
struct Graph<'a> {
    stack: &'a Stack,
    resources: &'a IndexMap<String, EvaluatedResource>,
    node: &'a TemplateNode,
    properties: IndexMap<&'a str, Properties>,
}

impl Graph<'_> {
    fn references(&self, name: &str) -> &[String] {
        self.resources[name].requires.as_deref().unwrap_or_default()
    }

    /// The interfaces of routers in whose subnets a port may have an address, as far as a plugin looks.
    fn of_port(&self, port: &str, fixed_ips: FixedIps, interfaces: &Targets) -> Vec<usize> {
        let resource = self.resources.get(port);
        let is_port = resource.is_some_and(|it| has_interface(port, it, self.node, PORT));
        let Some(properties) = self.properties.get(port).filter(|_| is_port) else {
            return Vec::new();
        };
        let addresses = match properties.at(&["fixed_ips"]) {
            Some(Value::List(items)) => items,
            // The addresses are known to Heat, only not here.
            Some(Value::Unknown(_)) => return interfaces.all.clone(),
            _ => Vec::new().into(),
        };
        let looked_at = match fixed_ips {
            FixedIps::First => 1,
            FixedIps::All => usize::MAX,
        };
        let subnet = |address: &Value| subnet_in_validation(member(address, "subnet"));
        let subnets = addresses.iter().take(looked_at).map(subnet);
        let mut found: Vec<usize> = subnets.flat_map(|it| interfaces.with(&it)).copied().collect();
        if fixed_ips == FixedIps::All && addresses.is_empty() {
            found.extend(&interfaces.with_empty);
            // Heat asks the cloud for the subnets of the network, which must exist already.
            if self.may_exist(&properties.at(&["network"]).unwrap_or(Value::Null)) {
                found.extend(&interfaces.with_existing);
            }
        }
        found
    }

    /// Whether something with this name or id can exist before the stack does.
    fn may_exist(&self, value: &Value) -> bool {
        match value.unsealed() {
            Value::Text(text) => {
                !text.is_empty() && !self.stack.resources.contains_key(text.as_str())
            }
            Value::Unknown(_) => true,
            _ => false,
        }
    }
}

/// The resources that a rule makes others wait for, by their positions in the template.
#[derive(Default)]
struct Targets {
    all: Vec<usize>,
    /// Those with a value where the link of the rule looks.
    with_any: Vec<usize>,
    with_empty: Vec<usize>,
    /// Those whose value may name something that exists before the stack does.
    with_existing: Vec<usize>,
    by_value: HashMap<u64, Vec<usize>>,
}

impl Targets {
    fn new(graph: &Graph<'_>, rule: &ImplicitDependency) -> Self {
        let mut targets = Targets::default();
        for (at, (name, resource)) in graph.resources.iter().enumerate() {
            let properties = graph.properties.get(name.as_str());
            let is_one = has_interface(name, resource, graph.node, rule.on);
            let Some(properties) = properties.filter(|_| is_one) else { continue };
            targets.all.push(at);
            let value = match &rule.link {
                Link::SameValue(_, path) => properties.at(path),
                Link::ServerOnSubnet => properties.at(&["network"]),
                Link::PortOnInterface(_) => Some(subnet_in_validation(properties.at(&["subnet"]))),
            };
            let Some(value) = value else { continue };
            targets.with_any.push(at);
            if !python::truthy(&value) {
                targets.with_empty.push(at);
            }
            if graph.may_exist(&value) {
                targets.with_existing.push(at);
            }
            targets.by_value.entry(value.digest()).or_default().push(at);
        }
        targets
    }

    /// Those whose value is equal, or unknown in the same way.
    fn with(&self, value: &Value) -> &[usize] {
        self.by_value.get(&value.digest()).map(Vec::as_slice).unwrap_or_default()
    }

    /// The subnets that a server waits for.
    fn of_server(&self, server: &Properties) -> BTreeSet<usize> {
        let networks = match server.at(&["networks"]) {
            Some(Value::List(networks)) if !networks.is_empty() => networks,
            // The networks are known to Heat, only not here.
            Some(Value::Unknown(_)) => return self.all.iter().copied().collect(),
            _ => return BTreeSet::new(),
        };
        let networks = networks.iter().map(|it| member(it, "network").unwrap_or(Value::Null));
        let fitting = networks.map(|network| match python::truthy(&network) {
            true => self.with(&network),
            false => &self.with_any,
        });
        fitting.flatten().chain(&self.with_empty).copied().collect()
    }
}

/// The properties of a resource, in the form that plugins read.
struct Properties {
    values: IndexMap<String, EvalResult>,
    /// Whether a property that is not in `values` is null; otherwise reading it fails.
    absent_is_null: bool,
}

impl Properties {
    fn read(given: &EvaluatedProperties, implementation: &ResolvedImplementation) -> Self {
        let Some((_, info)) = implementation.plugin() else {
            // A nested template in place of the type: the properties are its parameters.
            let values = match given {
                EvaluatedProperties::Each(each) => each
                    .iter()
                    .filter_map(|(key, value)| Some((key.as_text()?.to_owned(), value.clone())))
                    .collect(),
                EvaluatedProperties::Whole(_) => IndexMap::new(),
            };
            return Properties { values, absent_is_null: true };
        };
        let mut values = match of_plugin(given, info, None) {
            TypedProperties::Each(values) => values,
            TypedProperties::Unknown(_) | TypedProperties::Failed(_) => IndexMap::new(),
        };
        // Heat fails to read a required property without a value.
        values.retain(|name, value| {
            let property = info.properties.get(name.as_str());
            !(property.is_some_and(|property| property.required) && *value == Ok(Value::Null))
        });
        Properties { values, absent_is_null: false }
    }

    /// The value at a path; `None` if reading it fails, or if what contains it is absent.
    fn at(&self, path: &[&str]) -> Option<Value> {
        let [name, rest @ ..] = path else { return None };
        let value = match self.values.get(*name) {
            Some(value) => value.as_ref().ok()?.unsealed().clone(),
            None if self.absent_is_null => Value::Null,
            None => return None,
        };
        rest.iter().try_fold(value, |value, key| match python::truthy(&value) {
            true => Some(member(&value, key).unwrap_or(Value::Null)),
            false => None,
        })
    }
}

/// The subnet that a plugin compares. No subnet, an empty one and a reference of Neutron, which is null in validation, are the same to it.
fn subnet_in_validation(value: Option<Value>) -> Value {
    value.filter(python::truthy).unwrap_or(Value::Null)
}

/// The member of a map.
fn member(value: &Value, key: &str) -> Option<Value> {
    let Value::Map(map) = value.unsealed() else { return None };
    map.get(&Key::from(key)).map(|value| value.unsealed().clone())
}

/// The class of Heat that a resource is, by the type under which it is registered.
fn plugin(name: &str, node: &TemplateNode) -> Option<&'static str> {
    node.implementations.get(name)?.plugin().map(|(plugin, _)| plugin)
}

/// Whether a resource is of a type, as written or as the registry resolves it.
fn has_interface(
    name: &str,
    resource: &EvaluatedResource,
    node: &TemplateNode,
    kind: &str,
) -> bool {
    resource.kind == kind || plugin(name, node) == Some(kind)
}
