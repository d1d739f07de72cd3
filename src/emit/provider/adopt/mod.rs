//! Adoption (`--adopt`): which objects of a deployment exist already, and by which ids the provider
//! imports them.

mod ids;
mod saved;

pub use saved::{Saved, SavedResource};

use super::super::mapping::{PropertyMapping, TypeMapping};
use super::super::program::{entry, property};
use super::super::{Losses, Program, UnitId, Use};
use super::catalog::{Catalog, Definition};
use super::model::{Object, Said};
use super::table::of_type;
use crate::diagnostics::{Code, Diagnostic, Span};
use crate::eval::GroupKind;
use crate::ir::Resource;

/// A step to the template that an object is of: the resource that stands for the template, and which of
/// its instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The resource.
    pub resource: String,
    /// Which member, where the resource is a group.
    pub index: Option<usize>,
}

/// An object that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The templates on the way to the object, the user's own left out.
    pub path: Vec<Instance>,
    /// The resource.
    pub resource: String,
    /// Its object, by its place in [`Said::objects`].
    pub object: usize,
    /// Which member, where the resource is a group.
    pub index: Option<usize>,
    /// What the provider imports it by.
    pub id: String,
}

/// What exists of a deployment.
#[derive(Clone, Debug, Default)]
pub struct Adoption {
    /// The objects to import, in source order.
    pub imports: Vec<Import>,
    /// What exists and cannot be imported, or is not in the file.
    pub findings: Vec<Diagnostic>,
}

/// Finds the objects of a program in what a user has saved. `catalogs` are those of the program's units,
/// in the same order.
pub fn adopt(program: &Program<'_>, catalogs: &[Catalog<'_>], saved: &Saved) -> Adoption {
    let mut adopter = Adopter { program, catalogs, adoption: Adoption::default() };
    adopter.template(UnitId(0), saved, &[]);
    adopter.adoption
}

struct Adopter<'a> {
    program: &'a Program<'a>,
    catalogs: &'a [Catalog<'a>],
    adoption: Adoption,
}

impl Adopter<'_> {
    fn template(&mut self, id: UnitId, saved: &Saved, path: &[Instance]) {
        let (Some(unit), Some(catalog)) = (self.program.units.get(id.0), self.catalogs.get(id.0))
        else {
            return;
        };
        for (name, resource) in &unit.stack.resources {
            let Some(used) = unit.uses.get(name) else { continue };
            let found = saved.resources.get(name);
            match (used, found) {
                (Use::Type(kind), Some(found)) => {
                    if let (Some(said), Some(mapping)) = (catalog.resource(name), of_type(kind)) {
                        let at = At { id, path, resource: name, index: None };
                        self.objects(&at, mapping, said, &found.id, saved);
                    }
                }
                (Use::Template(child), Some(found)) => match &found.nested {
                    Some(nested) => {
                        let step = Instance { resource: name.clone(), index: None };
                        self.template(*child, nested, &[path, &[step]].concat());
                    }
                    None => self.missing(name, resource.name_span, NO_NESTED),
                },
                (Use::Group { kind, member }, Some(found)) => match &found.nested {
                    Some(nested) => {
                        self.group(id, path, name, resource, (*kind, member.as_deref()), nested);
                    }
                    None => self.missing(name, resource.name_span, NO_NESTED),
                },
                (Use::Unknown(_), _) => {}
                (Use::Type(_), None) => {
                    // A resource with a condition may not exist.
                    if catalog.resource(name).is_some() && resource.condition.is_none() {
                        self.missing(name, resource.name_span, "it is not in the file");
                    }
                }
                (Use::Template(_) | Use::Group { .. }, None) => {
                    if resource.condition.is_none() {
                        self.missing(name, resource.name_span, "it is not in the file");
                    }
                }
            }
        }
    }

    /// The members of a group, in the order of their names where these are numbers.
    fn group(
        &mut self,
        id: UnitId,
        path: &[Instance],
        name: &str,
        resource: &Resource,
        (group, member): (GroupKind, Option<&Use>),
        nested: &Saved,
    ) {
        let mut members: Vec<(&String, &SavedResource)> = nested.resources.iter().collect();
        members.sort_by_key(|(name, _)| name.parse::<u64>().unwrap_or(u64::MAX));
        let definition = match group {
            GroupKind::ResourceGroup => property(resource, "resource_def"),
            GroupKind::AutoScalingGroup => property(resource, "resource"),
            GroupKind::ResourceChain | GroupKind::DeploymentGroup { .. } => None,
        };
        match member {
            Some(Use::Template(child)) => {
                for (index, (_, found)) in members.into_iter().enumerate() {
                    let step = Instance { resource: name.to_owned(), index: Some(index) };
                    match &found.nested {
                        Some(nested) => self.template(*child, nested, &[path, &[step]].concat()),
                        None => self.missing(name, resource.name_span, NO_NESTED),
                    }
                }
            }
            Some(Use::Type(kind)) => {
                let Some(catalog) = self.catalogs.get(id.0) else { return };
                let properties = definition.and_then(|it| entry(it, "properties"));
                let definition = Definition {
                    owner: name,
                    kind,
                    properties,
                    description: None,
                    span: resource.name_span,
                    is_member: true,
                };
                let said = catalog.definition(&definition, &mut Losses::default());
                let (Some(said), Some(mapping)) = (said, of_type(kind)) else { return };
                for (index, (_, found)) in members.into_iter().enumerate() {
                    let index = Some(index);
                    let at = At { id, path, resource: name, index };
                    self.objects(&at, mapping, &said, &found.id, nested);
                }
            }
            Some(Use::Group { .. } | Use::Unknown(_)) | None => {
                self.missing(name, resource.name_span, "what its members are made of is not known");
            }
        }
    }

    fn objects(
        &mut self,
        at: &At<'_>,
        mapping: &TypeMapping,
        said: &Said,
        physical: &str,
        saved: &Saved,
    ) {
        let Some(unit) = self.program.units.get(at.id.0) else { return };
        let folding = self.program.folding(unit);
        // What parameters of nested templates get is told by the templates around them.
        let program = (at.id == UnitId(0)).then_some(self.program);
        let known = ids::Known { saved, program, folding: &folding };
        for (place, object) in said.objects.iter().enumerate() {
            let form = match place {
                0 => Some(mapping.adopt.as_deref().unwrap_or("{id}")),
                _ => form_of(mapping, object),
            };
            let form = form.filter(|_| object.each.is_none());
            let id = form.and_then(|form| ids::fill(form, physical, object, &known));
            let can_be = mapping.not_adopted.is_none() || mapping.adopt.is_some();
            match id.filter(|_| can_be || place > 0) {
                Some(id) => self.adoption.imports.push(Import {
                    path: at.path.to_vec(),
                    resource: at.resource.to_owned(),
                    object: place,
                    index: at.index,
                    id,
                }),
                None => {
                    let why = match (&mapping.not_adopted, place) {
                        (Some(why), 0) => why.clone(),
                        _ => format!("the id of its `{}` is not in the file", object.kind),
                    };
                    self.missing(at.resource, object.span, &why);
                }
            }
        }
    }

    fn missing(&mut self, resource: &str, span: Span, why: &str) {
        let message = format!("`{resource}` is not adopted as a whole: {why}");
        let finding = Diagnostic::new(Code::AdoptionIncomplete, message).at(span).help(
            "import it by hand before the first `apply`, which would make it once more otherwise",
        );
        if !self.adoption.findings.contains(&finding) {
            self.adoption.findings.push(finding);
        }
    }
}

const NO_NESTED: &str =
    "the resources of its nested stack are not in the file; list them with `-n 5`";

/// The place of a resource whose objects are looked for.
struct At<'a> {
    id: UnitId,
    path: &'a [Instance],
    resource: &'a str,
    index: Option<usize>,
}

/// The form of the ids of objects beside the one that stands for the resource.
fn form_of<'m>(mapping: &'m TypeMapping, object: &Object) -> Option<&'m str> {
    let makes = |it: &&PropertyMapping| it.object.as_deref() == Some(object.kind.as_str());
    let all = mapping.properties.values();
    if mapping.rule.as_deref() == Some("spread") {
        return mapping.adopt.as_deref();
    }
    all.filter(|it| it.adopt.is_some()).find(makes)?.adopt.as_deref()
}
