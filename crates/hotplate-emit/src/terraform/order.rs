//! The order in which Heat creates resources, where the references in the result do not imply it: `depends_on`.
//!
//! Every block of a resource waits for every block of each resource that it waits for in Heat. A resource without
//! blocks stands for what it waits for itself. A reference to an output of a module waits for a part of the
//! module, and an argument of a module delays only what uses it inside.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use indexmap::IndexMap;

use super::hcl::{Body, BodyItem, Hcl, HclBlock, for_each_name};
use super::module::ModuleWriter;
use super::scope::ResourceForm;
use crate::kit::{ResourceDependencies, WaitGraph, awaited_objects, resource_dependencies};
use crate::{Loss, LossKind};
use source_diagnostics::Span;

/// The nodes that the blocks of a finished module wait for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ModuleWaits {
    /// The variables that a block waits for, for each block; without the sets that contain another one.
    variables: BTreeSet<BTreeSet<String>>,
    /// Whether every output waits for every block.
    pub(super) is_whole: bool,
}

/// Which block, data source or local value refers to which.
#[derive(Debug, Default)]
struct BlockGraph {
    waits: WaitGraph,
    /// The objects that the arguments of module calls refer to.
    calls: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl BlockGraph {
    /// The nodes that a node waits for once the nodes `others` are awaited.
    fn awaited<'n>(&'n self, others: &'n BTreeSet<String>) -> BTreeSet<&'n str> {
        let mut found = self.waits.reached(others.iter().map(String::as_str));
        found.extend(others.iter().map(String::as_str));
        found
    }

    /// The nodes that each block of a module waits for because of its arguments.
    fn inner(&self, call: &str, waits: &ModuleWaits) -> Vec<BTreeSet<String>> {
        let arguments = self.calls.get(call);
        let of_blocks = waits.variables.iter().map(|variables| {
            let always = ["count"].into_iter();
            let names = always.chain(variables.iter().map(String::as_str));
            let used = names.filter_map(|name| arguments?.get(name)).flatten().cloned();
            let used: BTreeSet<String> = used.collect();
            self.awaited(&used).into_iter().map(str::to_owned).collect()
        });
        of_blocks.collect()
    }
}

/// The node that a name in an expression refers to.
fn node(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let length = match parts.as_slice() {
        ["data", _, _, ..] => 3,
        ["count" | "each" | "path" | "self" | "terraform", ..] | [_] | [] => return None,
        [..] => 2,
    };
    Some(parts[..length].join("."))
}

fn nodes(body: &Body) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for_each_name(body, &mut |name| found.extend(node(name)));
    found
}

/// The address of a block that is created or read.
fn address(block: &HclBlock) -> Option<String> {
    match (block.kind.as_str(), block.labels.as_slice()) {
        ("resource", [kind, label]) => Some(format!("{kind}.{label}")),
        ("data", [kind, label]) => Some(format!("data.{kind}.{label}")),
        ("module", [label]) => Some(format!("module.{label}")),
        _ => None,
    }
}

/// The addresses under `depends_on` of a block.
fn awaited_by(block: &HclBlock) -> impl Iterator<Item = &String> {
    let lists = block.body.iter().filter_map(|item| match item {
        BodyItem::Argument(argument) if argument.name == "depends_on" => match &argument.value {
            Hcl::List(items) => Some(items),
            _ => None,
        },
        _ => None,
    });
    lists.flatten().filter_map(|item| match item {
        Hcl::Verbatim(address) => Some(address),
        _ => None,
    })
}

impl ModuleWriter<'_, '_> {
    /// Adds `depends_on` to blocks, and returns what the blocks of the module wait for.
    pub(super) fn order(&self, main: &mut Body, outputs: &Body) -> ModuleWaits {
        let mut graph = self.block_graph(main);
        let mut added: IndexMap<String, Vec<String>> = IndexMap::new();
        let mut ordered = BTreeSet::new();
        let dependencies = resource_dependencies(self.scope.module);
        for name in self.scope.module.stack.resources.keys() {
            self.order_resource(name, &dependencies, &mut graph, &mut added, &mut ordered);
        }
        for item in main.iter_mut() {
            if let BodyItem::Block(block) = item
                && let Some(more) = address(block).and_then(|it| added.get(&it))
            {
                add_depends_on(block, more);
            }
        }
        self.module_waits(&graph, outputs)
    }

    fn block_graph(&self, main: &Body) -> BlockGraph {
        let mut graph = BlockGraph::default();
        for item in main {
            let BodyItem::Block(block) = item else { continue };
            if block.kind == "locals" {
                for item in &block.body {
                    let BodyItem::Argument(argument) = item else { continue };
                    let referred = self.awaiting(nodes(&vec![item.clone()]));
                    graph.waits.add(format!("local.{}", argument.name), referred);
                }
            }
            let Some(address) = address(block) else { continue };
            let explicit = awaited_by(block).cloned();
            if block.kind == "module" {
                let arguments = block.body.iter().filter_map(|item| match item {
                    BodyItem::Argument(argument) => {
                        let referred = self.awaiting(nodes(&vec![item.clone()]));
                        Some((argument.name.clone(), referred))
                    }
                    BodyItem::Remark(_) | BodyItem::Block(_) => None,
                });
                graph.calls.insert(address.clone(), arguments.collect());
                graph.waits.add(address, explicit);
            } else {
                let mut referred = self.awaiting(nodes(&block.body));
                referred.extend(explicit);
                graph.waits.add(address, referred);
            }
        }
        graph
    }

    /// Without modules of which a reference awaits only a part.
    fn awaiting(&self, mut nodes: BTreeSet<String>) -> BTreeSet<String> {
        nodes.retain(|node| {
            let Some(label) = node.strip_prefix("module.") else { return true };
            self.waits_of(label).is_some_and(|waits| waits.is_whole)
        });
        nodes
    }

    /// The nodes that the blocks of a called module wait for.
    fn waits_of(&self, label: &str) -> Option<&ModuleWaits> {
        let scope = self.scope;
        let called = scope.resource_forms.values().find_map(|form| match form {
            ResourceForm::Module { name, unit, .. } if name == label => Some(unit),
            _ => None,
        })?;
        scope.finished_modules.get(called).map(|done| &done.waits)
    }

    /// Orders a resource after those that it waits for.
    fn order_resource(
        &self,
        name: &str,
        dependencies: &ResourceDependencies<'_>,
        graph: &mut BlockGraph,
        added: &mut IndexMap<String, Vec<String>>,
        ordered: &mut BTreeSet<String>,
    ) {
        if !ordered.insert(name.to_owned()) {
            return;
        }
        for other in dependencies.get(name).into_iter().flatten() {
            self.order_resource(other, dependencies, graph, added, ordered);
        }
        let blocks = self.addresses(name);
        // Nothing that is not written waits.
        if blocks.is_empty() {
            return;
        }
        let addresses = |other: &str| self.addresses(other).into_iter().collect();
        let wanted = awaited_objects(dependencies, name, &addresses);
        for block in blocks {
            if let Some(waits) = block.strip_prefix("module.").and_then(|it| self.waits_of(it)) {
                let inner = graph.inner(&block, waits);
                let mut inner = inner.into_iter();
                // A module without blocks has nothing to wait.
                let Some(first) = inner.next() else { continue };
                let implied = inner.fold(first, |all, one| &all & &one);
                graph.waits.add(block.clone(), implied);
            }
            let missing = graph.waits.wait(&block, wanted.iter().cloned());
            for other in missing.circular {
                self.report_circular(name, &other);
            }
            if !missing.needed.is_empty() {
                added.insert(block, missing.needed);
            }
        }
    }

    fn report_circular(&self, name: &str, other: &str) {
        let resource = self.scope.module.stack.resources.get(name);
        let span = resource.map_or(Span::NOWHERE, |it| it.name_span);
        let message = format!("`{name}` does not wait for {other}, which contains a part of it");
        let loss = Loss::new(LossKind::Section, "depends_on", message, span);
        self.report_loss(loss.with_owner(name).as_note());
    }

    fn module_waits(&self, graph: &BlockGraph, outputs: &Body) -> ModuleWaits {
        let variables = |reached: &mut dyn Iterator<Item = &str>| -> BTreeSet<String> {
            reached.filter_map(|it| it.strip_prefix("var.")).map(str::to_owned).collect()
        };
        let reached = graph.waits.reached_with_prefix("var.");
        let mut all: BTreeSet<BTreeSet<String>> = BTreeSet::new();
        let blocks = graph.waits.nodes();
        let blocks: Vec<&String> =
            blocks.filter(|it| !it.starts_with("local.") && !it.starts_with("data.")).collect();
        for block in &blocks {
            let own = reached.get(block.as_str()).into_iter().flatten().copied();
            let own = variables(&mut { own });
            let called = block.strip_prefix("module.").and_then(|label| self.waits_of(label));
            match called {
                None => {
                    all.insert(own);
                }
                Some(waits) => all.extend(graph.inner(block, waits).iter().map(|inner| {
                    let inner = variables(&mut inner.iter().map(String::as_str));
                    &inner | &own
                })),
            }
        }
        // Those of them with one of the variables, each at its rarest one: where a set that contains it is found.
        let mut uses: HashMap<&String, usize> = HashMap::new();
        all.iter().flatten().for_each(|variable| *uses.entry(variable).or_default() += 1);
        let mut at_rarest: HashMap<&String, Vec<&BTreeSet<String>>> = HashMap::new();
        for set in &all {
            if let Some(rarest) = set.iter().min_by_key(|variable| uses[variable]) {
                at_rarest.entry(rarest).or_default().push(set);
            }
        }
        let has_empty = all.contains(&BTreeSet::new());
        let is_least = |one: &&BTreeSet<String>| {
            let mut others = one.iter().filter_map(|it| at_rarest.get(it)).flatten();
            let contains = |other: &&BTreeSet<String>| *other != *one && other.is_subset(one);
            !(others.any(contains) || has_empty && !one.is_empty())
        };
        let is_whole = outputs.iter().all(|item| match item {
            BodyItem::Block(output) => {
                let referred = self.awaiting(nodes(&output.body));
                let awaited = graph.awaited(&referred);
                blocks.iter().all(|block| awaited.contains(block.as_str()))
            }
            BodyItem::Remark(_) | BodyItem::Argument(_) => true,
        });
        ModuleWaits { variables: all.iter().filter(is_least).cloned().collect(), is_whole }
    }
}

/// Adds addresses to `depends_on`, which is at the end of a block, before `lifecycle`.
fn add_depends_on(block: &mut HclBlock, more: &[String]) {
    let more = more.iter().cloned().map(Hcl::Verbatim);
    for item in &mut block.body {
        if let BodyItem::Argument(argument) = item
            && argument.name == "depends_on"
            && let Hcl::List(items) = &mut argument.value
        {
            items.extend(more);
            return;
        }
    }
    let is_lifecycle =
        |item: &BodyItem| matches!(item, BodyItem::Block(it) if it.kind == "lifecycle");
    let at = block.body.iter().position(is_lifecycle).unwrap_or(block.body.len());
    block.body.insert(at, BodyItem::argument("depends_on", Hcl::List(more.collect())));
}
