//! The order of resources in Heat: in each template as written, and in the stacks that are deployed from it.

use std::collections::{BTreeSet, HashMap};

use indexmap::{IndexMap, IndexSet};

use super::{Module, ModuleId, RenderModel, ResourceImplementation, member_definition};
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_template::ir::{Expr, Stack, graph};

impl RenderModel<'_> {
    /// Adds what Heat's plugins make resources wait for: with any values, and with those of each stack of the template.
    pub(super) fn add_implicit_dependencies(&mut self) {
        let mut by_url: HashMap<String, Vec<(String, Vec<String>)>> = HashMap::new();
        for deployment in [self.partial_deployment, self.full_deployment] {
            self.collect_implicit_dependencies(deployment, &mut by_url);
        }
        for at in 0..self.modules.len() {
            let unit = &self.modules[at];
            if !unit.node.may_have_implicit_dependencies() {
                continue;
            }
            let of_any_values = self.evaluator(unit).implicit_dependencies(&unit.node);
            let of_stacks = by_url.get(unit.url()).into_iter().flatten().cloned();
            let mut found: IndexMap<String, IndexSet<String>> = IndexMap::new();
            for (name, others) in of_any_values.into_iter().chain(of_stacks) {
                found.entry(name).or_default().extend(others);
            }
            let found = found.into_iter().map(|(name, others)| (name, Vec::from_iter(others)));
            self.modules[at].implicit_dependencies = found.collect();
        }
    }

    fn collect_implicit_dependencies(
        &self,
        deployed: &Deployed,
        by_url: &mut HashMap<String, Vec<(String, Vec<String>)>>,
    ) {
        let url = match deployed.level {
            0 => Some(self.root().url()),
            _ => deployed.node.url(),
        };
        let resources = deployed.evaluation.resources.iter().flatten();
        let found = resources.filter(|(_, resource)| !resource.implicit_dependencies.is_empty());
        let found = found.map(|(name, it)| (name.clone(), it.implicit_dependencies.clone()));
        if let Some(url) = url {
            by_url.entry(url.to_owned()).or_default().extend(found);
        }
        for child in deployed.children.values() {
            if let ChildStack::Stack(child) = child {
                self.collect_implicit_dependencies(child, by_url);
            }
        }
    }
}

impl RenderModel<'_> {
    /// The resources that a template implements, each with the index of the template that has it.
    pub(crate) fn users(&self, of: ModuleId) -> impl Iterator<Item = (usize, &str)> {
        self.modules.iter().enumerate().flat_map(move |(at, module)| {
            let all = module.implementations.iter().filter(move |(_, it)| it.uses_template(of));
            all.map(move |(name, _)| (at, name.as_str()))
        })
    }
}

impl Module {
    /// The type of a resource, after the registry is applied; `None` if a template implements it.
    pub(crate) fn type_of(&self, resource: &str) -> Option<&str> {
        match self.implementations.get(resource)? {
            ResourceImplementation::ResourceType(kind) => Some(kind),
            ResourceImplementation::Template(_)
            | ResourceImplementation::Group { .. }
            | ResourceImplementation::Unknown(_) => None,
        }
    }

    /// The properties that a resource, or each member of a group, passes to its template.
    pub(crate) fn properties_for(&self, name: &str) -> Option<&Expr> {
        let resource = self.stack.resources.get(name)?;
        match self.implementations.get(name)? {
            ResourceImplementation::Group { kind, .. } => {
                member_definition(*kind, resource)?.member("properties")
            }
            _ => resource.properties.as_ref(),
        }
    }

    /// The resources that a resource waits for in Heat: under `depends_on`, by a reference, and since its plugin does.
    pub fn dependencies(&self, resource: &str) -> BTreeSet<&str> {
        let own = self.stack.resources.get(resource).map(graph::dependencies).unwrap_or_default();
        own.into_iter()
            .chain(self.implicit_dependencies(resource).iter().map(String::as_str))
            .collect()
    }

    /// The resources that a resource waits for only since its plugin does.
    pub fn implicit_dependencies(&self, resource: &str) -> &[String] {
        self.implicit_dependencies.get(resource).map(Vec::as_slice).unwrap_or_default()
    }

    /// The implicit dependencies, and those whose references another form of the template lacks.
    pub(super) fn dependencies_without_reference(
        &self,
        stack: &Stack,
    ) -> IndexMap<String, Vec<String>> {
        let mut found = self.implicit_dependencies.clone();
        for (name, resource) in &self.stack.resources {
            let kept = stack.resources.get(name).map(graph::dependencies).unwrap_or_default();
            let lost = graph::dependencies(resource).into_iter().filter(|on| !kept.contains(on));
            for on in lost.filter(|on| self.stack.resources.contains_key(*on)) {
                let known = found.entry(name.clone()).or_default();
                if !known.iter().any(|it| it == on) {
                    known.push(on.to_owned());
                }
            }
        }
        found
    }
}
