//! Data sources that look up resources by name, each written once.

use indexmap::IndexMap;

use super::hcl::{Body, BodyItem, Hcl};
use super::names::NamePool;

/// A data source that looks up a resource by its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DataSource {
    pub(super) kind: String,
    /// The argument that takes the name.
    pub(super) by: String,
    pub(super) name: Hcl,
    /// The condition under which there is a name.
    pub(super) guard: Option<Hcl>,
    /// The loop that the name comes from: its variable, and the list it iterates over.
    pub(super) each: Option<(String, Hcl)>,
    /// Whether the positions in the loop are the keys, not the names.
    pub(super) is_by_position: bool,
}

impl DataSource {
    /// The names in a loop.
    pub(super) fn names(&self, (item, list): &(String, Hcl)) -> Hcl {
        let renamed = |hcl: &Hcl| hcl.clone().replace_name(item, &Hcl::name("entry"));
        let guard = self.guard.as_ref().map(renamed);
        Hcl::each_if("entry", list.clone(), renamed(&self.name), guard)
    }
}

/// The data sources of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct DataSources {
    by_label: IndexMap<(String, String), Body>,
    names: IndexMap<String, NamePool>,
}

impl DataSources {
    /// The label of a data source, which is added unless it exists.
    pub(super) fn label(&mut self, data: &DataSource, owner: &str) -> String {
        let body = body(data);
        let same =
            |((kind, _), other): &(&(String, String), &Body)| *kind == data.kind && **other == body;
        if let Some(((_, label), _)) = self.by_label.iter().find(same) {
            return label.clone();
        }
        let wanted = match &data.name {
            Hcl::Text(text) => text.clone(),
            Hcl::Name(name) => name.rsplit('.').next().unwrap_or(owner).to_owned(),
            _ => owner.to_owned(),
        };
        let label = self.names.entry(data.kind.clone()).or_default().allocate(&wanted);
        self.by_label.insert((data.kind.clone(), label.clone()), body);
        label
    }

    /// The blocks of all data sources.
    pub(super) fn items(&self) -> impl Iterator<Item = BodyItem> {
        let blocks = self.by_label.iter();
        blocks.map(|((kind, label), body)| BodyItem::block("data", &[kind, label], body.clone()))
    }
}

fn body(data: &DataSource) -> Body {
    let mut body = Body::new();
    let name = match &data.each {
        None => {
            if let Some(guard) = &data.guard {
                let count = match guard {
                    Hcl::Not(guard) => Hcl::choice((**guard).clone(), Hcl::int(0), Hcl::int(1)),
                    guard => Hcl::choice(guard.clone(), Hcl::int(1), Hcl::int(0)),
                };
                body.push(BodyItem::argument("count", count));
            }
            data.name.clone()
        }
        Some(each) => {
            let names = data.names(each);
            let (at, name) = (Hcl::name("at"), Hcl::name("name"));
            let all = match data.is_by_position {
                true => Hcl::map_of("at", "name", names, at, name),
                false => Hcl::call("toset", [names]),
            };
            body.push(BodyItem::argument("for_each", all));
            Hcl::name("each.value")
        }
    };
    body.push(BodyItem::argument(data.by.clone(), name));
    body
}
