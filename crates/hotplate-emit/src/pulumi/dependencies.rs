//! The order of a program: what a resource waits for in Heat and refers to nowhere becomes `dependsOn`.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::expr_generator::ExprGenerator;
use super::value::PulumiValue;
use crate::kit::{WaitGraph, awaited_objects, resource_dependencies};
use crate::tree::{DataNode, DataTree};
use crate::{Loss, LossKind};
use indexmap::IndexMap;
use lossless_yaml::Value as Data;

/// The objects that were written for each resource of the flat stack.
#[derive(Debug, Default)]
pub(super) struct MadeObjects(IndexMap<String, Vec<String>>);

impl MadeObjects {
    pub(super) fn extend(&mut self, resource: &str, pairs: &[(String, DataTree)]) {
        let objects = pairs.iter().filter(|(_, tree)| tree.kind != DataNode::Comment);
        let objects = objects.map(|(name, _)| name.clone());
        self.0.entry(resource.to_owned()).or_default().extend(objects);
    }
}

impl ExprGenerator<'_> {
    /// Adds the options for dependencies that references do not imply.
    pub(super) fn add_dependencies(&self, made: &MadeObjects, objects: &mut [(String, DataTree)]) {
        let mut graph = self.references(objects);
        let dependencies = resource_dependencies(&self.flat_stack.module);
        let objects_of =
            |name: &str| made.0.get(name).into_iter().flatten().cloned().collect::<BTreeSet<_>>();
        let written =
            objects.iter().enumerate().filter(|(_, (_, tree))| tree.kind != DataNode::Comment);
        let places: HashMap<String, usize> =
            written.map(|(at, (name, _))| (name.clone(), at)).collect();
        for (resource, own) in made.0.iter().filter(|(_, own)| !own.is_empty()) {
            let awaited = awaited_objects(&dependencies, resource, &objects_of);
            for (index, object) in own.iter().enumerate() {
                let mut wanted = awaited.clone();
                wanted.extend(self.objects_after_parts(resource, index));
                wanted.retain(|it| graph.has(it));
                let missing = graph.wait(object, wanted);
                for other in missing.circular {
                    self.report_circular(resource, &other);
                }
                let found = places.get(object).filter(|_| !missing.needed.is_empty());
                if let Some((_, tree)) = found.and_then(|at| objects.get_mut(*at)) {
                    let names = missing.needed.into_iter();
                    let names = names.map(|name| PulumiValue::Reference(name).into_tree());
                    add_option(tree, DataTree::list(names));
                }
            }
        }
    }

    fn report_circular(&self, owner: &str, other: &str) {
        let resource = self.flat_stack.module.stack.resources.get(owner);
        let span = resource.map_or(self.current_span.get(), |resource| resource.name_span);
        let message = format!("`{owner}` cannot wait for `{other}`, which refers to it here");
        let loss = Loss::new(LossKind::Section, "depends_on", message, span);
        self.losses.borrow_mut().add(loss.with_owner(owner));
    }

    /// The objects that the provider requires to exist before another one.
    fn objects_after_parts(&self, resource: &str, index: usize) -> Vec<String> {
        let object =
            self.catalog.resource(resource).and_then(|expressed| expressed.objects.get(index));
        let after = object.into_iter().flat_map(|object| &object.after);
        after.filter_map(|after| self.scope.object(&after.resource, after.index)).collect()
    }

    /// The objects that each object refers to, through variables too.
    fn references(&self, objects: &[(String, DataTree)]) -> WaitGraph {
        let mut direct: HashMap<String, HashSet<String>> = HashMap::new();
        let variables = self.variables.borrow();
        let trees = objects.iter().map(|(name, tree)| (name, tree)).chain(variables.iter());
        for (name, tree) in trees.filter(|(_, tree)| tree.kind != DataNode::Comment) {
            names_in(tree, direct.entry(name.clone()).or_default());
        }
        let is_object = |name: &str| direct.contains_key(name) && !variables.contains_key(name);
        let mut graph = WaitGraph::default();
        for (name, found) in direct.iter().filter(|(name, _)| is_object(name)) {
            let mut names = BTreeSet::new();
            let mut open: Vec<&String> = found.iter().collect();
            let mut seen = HashSet::new();
            while let Some(next) = open.pop() {
                if !seen.insert(next) {
                    continue;
                }
                if is_object(next) {
                    names.insert(next.clone());
                } else if let Some(found) = direct.get(next) {
                    open.extend(found);
                }
            }
            graph.add(name.clone(), names);
        }
        graph
    }
}

/// Adds the first names of all references in a tree.
fn names_in(tree: &DataTree, found: &mut HashSet<String>) {
    match &tree.kind {
        DataNode::Leaf(data) => names_in_data(data, found),
        DataNode::List(items) => items.iter().for_each(|item| names_in(item, found)),
        DataNode::Map(pairs) => {
            for (key, value) in pairs {
                names_in_text(key, found);
                names_in(value, found);
            }
        }
        DataNode::Comment => {}
    }
}

fn names_in_data(data: &Data, found: &mut HashSet<String>) {
    match data {
        Data::Text(text) => names_in_text(text, found),
        Data::List(items) | Data::Set(items) => {
            items.iter().for_each(|item| names_in_data(item, found));
        }
        Data::Map(pairs) | Data::Pairs(pairs) => {
            for (key, value) in pairs {
                names_in_data(key, found);
                names_in_data(value, found);
            }
        }
        Data::Null
        | Data::Bool(_)
        | Data::Int(_)
        | Data::Float(_)
        | Data::Date(_)
        | Data::Bytes(_) => {}
    }
}

/// The names of references in a string, in which `$$` is a dollar.
fn names_in_text(text: &str, found: &mut HashSet<String>) {
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            rest = after;
        } else if let Some(path) = rest.strip_prefix('{') {
            let end = path.find(['.', '[', '}']).unwrap_or(path.len());
            found.insert(path[..end].to_owned());
        }
    }
}

/// Sets the option of an object, before its other options.
fn add_option(object: &mut DataTree, names: DataTree) {
    let DataNode::Map(pairs) = &mut object.kind else { return };
    let option = ("dependsOn".to_owned(), names);
    match pairs.iter_mut().find(|(key, _)| key == "options") {
        Some((_, DataTree { kind: DataNode::Map(options), .. })) => options.insert(0, option),
        Some(_) | None => {
            pairs.push(("options".to_owned(), DataTree::new(DataNode::Map(vec![option]))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_dollars_are_no_references() {
        let mut found = HashSet::new();
        names_in_text("$$${a.b} $${c} ${d} $x ${e[\"f\"]}", &mut found);
        let mut found: Vec<String> = found.into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["a", "d", "e"]);
    }
}
