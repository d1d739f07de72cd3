//! The deployment as a tree of stacks, up to the target's limit of resources.

use std::collections::{HashMap, VecDeque};

use super::build::{made_by, needs, template_of, type_row};
use super::{GraphEdge, GraphNode, StackInstance};
use crate::render_model::{Module, ModuleId, RenderModel, ResourceImplementation};
use crate::template_pack::TemplatePack;
use crate::template_pack::data;

use heat_template::ir::{self, DeletionPolicy};

/// The root stack with its nested stacks. Those closest to the root are shown first, until the target's limit
/// of resources is reached; the others stay closed.
pub(super) fn instances(target: &TemplatePack, model: &RenderModel<'_>) -> StackInstance {
    let plan = StackSelection::new(model, target.manifest.limits.instances);
    let mut builder = InstanceBuilder { target, model, plan: &plan, nodes: 0 };
    builder.instance(0)
}

/// A stack of the tree, before IDs are assigned.
struct StackPlace {
    unit: ModuleId,
    path: Vec<String>,
    /// The nested stacks that are shown, by resource, as indices.
    shown: HashMap<String, usize>,
}

struct StackSelection {
    places: Vec<StackPlace>,
    sizes: HashMap<ModuleId, usize>,
}

impl StackSelection {
    fn new(model: &RenderModel<'_>, most: usize) -> Self {
        let root = StackPlace { unit: ModuleId(0), path: Vec::new(), shown: HashMap::new() };
        let mut plan = StackSelection { places: vec![root], sizes: HashMap::new() };
        let mut shown = model.root().stack.resources.len();
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            let unit = model.module(plan.places[at].unit);
            for (name, made_by) in &unit.implementations {
                let Some(inner) = template_of(made_by) else { continue };
                let size = model.module(inner).stack.resources.len();
                if shown + size > most {
                    continue;
                }
                shown += size.max(1);
                let mut path = plan.places[at].path.clone();
                path.push(name.clone());
                let place = plan.places.len();
                plan.places.push(StackPlace { unit: inner, path, shown: HashMap::new() });
                plan.places[at].shown.insert(name.clone(), place);
                queue.push_back(place);
            }
        }
        for id in (0..model.modules.len()).rev() {
            plan.size(model, ModuleId(id), 0);
        }
        plan
    }

    /// The number of resources of a stack of this template, including nested stacks.
    fn size(&mut self, model: &RenderModel<'_>, id: ModuleId, depth: usize) -> usize {
        if let Some(size) = self.sizes.get(&id) {
            return *size;
        }
        let unit = model.module(id);
        let mut size = unit.stack.resources.len();
        // Templates that contain each other have no finite size; the render model limits their depth.
        if depth < model.modules.len() {
            for inner in unit.implementations.values().filter_map(template_of) {
                size = size.saturating_add(self.size(model, inner, depth + 1));
            }
        }
        self.sizes.insert(id, size);
        size
    }
}

struct InstanceBuilder<'a> {
    target: &'a TemplatePack,
    model: &'a RenderModel<'a>,
    plan: &'a StackSelection,
    nodes: usize,
}

impl InstanceBuilder<'_> {
    fn instance(&mut self, at: usize) -> StackInstance {
        let (model, plan) = (self.model, self.plan);
        let place = &plan.places[at];
        let unit = model.module(place.unit);
        let first = self.nodes;
        self.nodes += unit.stack.resources.len();
        let id = |name: &str| {
            let index = unit.stack.resources.get_index_of(name)?;
            Some(format!("n{}", first + index))
        };
        let inner = |name: &str| place.shown.get(name).map(|at| format!("c{at}"));
        let mut edges = Vec::new();
        for (name, resource) in &unit.stack.resources {
            for need in needs(unit, resource, name) {
                let (Some(from), Some(to)) = (id(name), id(need.name)) else { continue };
                let is_used = need.reference || !need.attributes.is_empty();
                edges.push(GraphEdge {
                    from,
                    to,
                    from_instance: inner(name),
                    to_instance: inner(need.name),
                    is_explicit_only: need.explicit && !is_used,
                    is_implicit_only: !need.explicit && !is_used,
                    attributes: need.attributes,
                });
            }
        }
        let mut nodes = Vec::new();
        for (index, (name, resource)) in unit.stack.resources.iter().enumerate() {
            let id = format!("n{}", first + index);
            nodes.push(self.node(unit, place, id, name, resource));
        }
        let inner = || nodes.iter().filter_map(|node| node.instance.as_ref());
        let all_nodes = nodes.len() + inner().map(|it| it.all_nodes).sum::<usize>();
        let all_edges = edges.len() + inner().map(|it| it.all_edges).sum::<usize>();
        StackInstance {
            all_nodes,
            all_edges,
            id: format!("c{at}"),
            unit: unit.name.clone(),
            file: unit.path.rsplit(['/', '\\']).next().unwrap_or(&unit.path).to_owned(),
            path: place.path.clone(),
            nodes,
            edges,
        }
    }

    fn node(
        &mut self,
        unit: &Module,
        place: &StackPlace,
        id: String,
        name: &str,
        resource: &ir::Resource,
    ) -> GraphNode {
        let nowhere = ResourceImplementation::Unknown("the resource has no type".to_owned());
        let what = unit.implementations.get(name).unwrap_or(&nowhere);
        let made_by = made_by(self.model, unit, what, resource);
        let type_name = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
        let real = match what {
            ResourceImplementation::ResourceType(real) => real.as_str(),
            ResourceImplementation::Group { member, .. } => match member.as_deref() {
                Some(ResourceImplementation::ResourceType(member)) => member.as_str(),
                _ => type_name,
            },
            ResourceImplementation::Template(_) | ResourceImplementation::Unknown(_) => type_name,
        };
        let short = match what {
            ResourceImplementation::Group { .. } => short_type(real),
            ResourceImplementation::ResourceType(_)
            | ResourceImplementation::Template(_)
            | ResourceImplementation::Unknown(_) => short_type(type_name),
        };
        let instance = place.shown.get(name).map(|at| self.instance(*at));
        let closed = match (&instance, template_of(what)) {
            (None, Some(inner)) => self.plan.sizes.get(&inner).copied(),
            _ => None,
        };
        GraphNode {
            id,
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            short,
            service: service(real),
            kind: match what {
                ResourceImplementation::ResourceType(_) => "resource",
                ResourceImplementation::Template(_) => "stack",
                ResourceImplementation::Group { .. } => "group",
                ResourceImplementation::Unknown(_) => "unknown",
            },
            count: made_by.count,
            condition: resource.condition.as_ref().map(data::short),
            is_external: resource.external_id.is_some(),
            deletion_policy: match &resource.deletion_policy {
                None | Some(DeletionPolicy::Other(_)) => None,
                Some(DeletionPolicy::Delete) => Some("delete"),
                Some(DeletionPolicy::Retain) => Some("retain"),
                Some(DeletionPolicy::Snapshot) => Some("snapshot"),
            },
            is_lost: is_lost(self.target, what),
            reason: made_by.reason,
            instance,
            closed,
        }
    }
}

fn is_lost(target: &TemplatePack, made_by: &crate::ResourceImplementation) -> bool {
    let is_template = matches!(made_by, ResourceImplementation::Template(_));
    let row = type_row(target, made_by);
    row.is_some_and(|row| !is_template && row.is_none_or(|it| it.to.is_none() && it.rule.is_none()))
}

/// A shorter type: `Nova::Server` for `OS::Nova::Server`, `server.yaml` for `../server.yaml`.
fn short_type(name: &str) -> String {
    match name.strip_prefix("OS::") {
        Some(rest) => rest.to_owned(),
        None if name.ends_with(".yaml") || name.ends_with(".template") => {
            name.rsplit('/').next().unwrap_or(name).to_owned()
        }
        None => name.to_owned(),
    }
}

fn service(name: &str) -> String {
    let mut parts = name.split("::");
    match (parts.next(), parts.next()) {
        (Some("OS"), Some(service)) => service.to_lowercase(),
        _ => String::new(),
    }
}
