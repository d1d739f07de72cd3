//! Adoption (`--adopt`): finds the objects of a deployment that already exist, and the IDs by which the
//! provider imports them.

mod ids;
mod saved;

pub use saved::{SavedResource, SavedStack};

use std::collections::HashSet;

use super::super::mapping::{PropertyMapping, TypeMapping};
use super::super::render_model::{entry, member_definition};
use super::super::{Losses, ModuleId, RenderModel, ResourceImplementation};
use super::catalog::{ObjectCatalog, ResourceDefinition};
use super::model::{ProviderObject, ResourceObjects};
use super::table::type_mapping;
use heat_engine::eval::HeatGroup;
use heat_template::ir::{Expr, ExprKind, Resource, Stack};
use source_diagnostics::{Diagnostic, Span};

/// A step on the path to an object's template: the resource that the template implements, and which of
/// its instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleStep {
    /// The name of the resource.
    pub resource: String,
    /// The index of the member, if the resource is a group.
    pub index: Option<usize>,
}

/// An existing object to import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectImport {
    /// The path to the object's template, starting below the root template.
    pub path: Vec<ModuleStep>,
    /// The resource that the object belongs to.
    pub resource: String,
    /// The object, as an index into [`ResourceObjects::objects`](super::model::ResourceObjects::objects).
    pub object: usize,
    /// The index of the member, if the resource is a group.
    pub index: Option<usize>,
    /// The ID that the provider imports the object by.
    pub id: String,
}

/// An object that is omitted from the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OmittedObject {
    /// The template that contains the resource.
    pub unit: ModuleId,
    /// The resource, or the group.
    pub resource: String,
    /// The object, as an index into [`ResourceObjects::objects`](super::model::ResourceObjects::objects).
    pub object: usize,
}

/// The existing objects of a deployment.
#[derive(Clone, Debug, Default)]
pub struct Adoption {
    /// The objects to import, in source order.
    pub imports: Vec<ObjectImport>,
    /// Existing objects that cannot be imported and that nothing else refers to. A target omits them, also
    /// from `depends_on`, and writes them as a comment: they stay unchanged, where writing them would
    /// create them again.
    pub omitted: Vec<OmittedObject>,
    /// Findings about resources that exist and cannot be imported, or are not in the file.
    pub findings: Vec<Diagnostic>,
}

/// Matches the objects of a deployment with a saved stack. `catalogs` has one entry for each template,
/// in the same order.
pub fn adopt(
    model: &RenderModel<'_>,
    catalogs: &[ObjectCatalog<'_>],
    saved: &SavedStack,
) -> Adoption {
    let adoption = Adoption::default();
    let mut adopter = Adopter { model, catalogs, adoption, imported: HashSet::new() };
    adopter.template(ModuleId(0), saved, &[]);
    let Adopter { mut adoption, imported, .. } = adopter;
    // What is imported for one instance of a template is written for all of them.
    adoption.omitted.retain(|it| !imported.contains(it));
    adoption
}

struct Adopter<'a> {
    model: &'a RenderModel<'a>,
    catalogs: &'a [ObjectCatalog<'a>],
    adoption: Adoption,
    imported: HashSet<OmittedObject>,
}

impl Adoption {
    /// Whether a target omits an object.
    pub fn is_omitted(&self, unit: ModuleId, resource: &str, object: usize) -> bool {
        let is_it =
            |it: &OmittedObject| it.unit == unit && it.resource == resource && it.object == object;
        self.omitted.iter().any(is_it)
    }
}

impl Adopter<'_> {
    fn template(&mut self, id: ModuleId, saved: &SavedStack, path: &[ModuleStep]) {
        let (Some(unit), Some(catalog)) = (self.model.modules.get(id.0), self.catalogs.get(id.0))
        else {
            return;
        };
        for (name, resource) in &unit.stack.resources {
            let Some(used) = unit.implementations.get(name) else { continue };
            let found = saved.resources.get(name);
            match (used, found) {
                (ResourceImplementation::ResourceType(kind), Some(found)) => {
                    if let (Some(said), Some(mapping)) =
                        (catalog.resource(name), type_mapping(kind))
                    {
                        let at = ResourcePosition { id, path, resource: name, index: None };
                        self.objects(&at, mapping, said, &found.id, saved);
                    }
                }
                (ResourceImplementation::Template(child), Some(found)) => match &found.nested {
                    Some(nested) => {
                        let step = ModuleStep { resource: name.clone(), index: None };
                        self.template(*child, nested, &[path, &[step]].concat());
                    }
                    None => self.missing(name, resource.name_span, NO_NESTED),
                },
                (ResourceImplementation::Group { kind, member }, Some(found)) => {
                    match &found.nested {
                        Some(nested) => {
                            self.group(
                                id,
                                path,
                                name,
                                resource,
                                (*kind, member.as_deref()),
                                nested,
                            );
                        }
                        None => self.missing(name, resource.name_span, NO_NESTED),
                    }
                }
                (ResourceImplementation::Unknown(_), _) => {}
                (ResourceImplementation::ResourceType(_), None) => {
                    // A resource with a condition may not exist.
                    if catalog.resource(name).is_some() && resource.condition.is_none() {
                        self.missing(name, resource.name_span, "it is not in the file");
                    }
                }
                (
                    ResourceImplementation::Template(_) | ResourceImplementation::Group { .. },
                    None,
                ) => {
                    if resource.condition.is_none() {
                        self.missing(name, resource.name_span, "it is not in the file");
                    }
                }
            }
        }
    }

    /// Matches the members of a group, in numerical order if their names are numbers.
    fn group(
        &mut self,
        id: ModuleId,
        path: &[ModuleStep],
        name: &str,
        resource: &Resource,
        (group, member): (HeatGroup, Option<&ResourceImplementation>),
        nested: &SavedStack,
    ) {
        let mut members: Vec<(&String, &SavedResource)> = nested.resources.iter().collect();
        members.sort_by_key(|(name, _)| name.parse::<u64>().unwrap_or(u64::MAX));
        let definition = member_definition(group, resource);
        match member {
            Some(ResourceImplementation::Template(child)) => {
                for (index, (_, found)) in members.into_iter().enumerate() {
                    let step = ModuleStep { resource: name.to_owned(), index: Some(index) };
                    match &found.nested {
                        Some(nested) => self.template(*child, nested, &[path, &[step]].concat()),
                        None => self.missing(name, resource.name_span, NO_NESTED),
                    }
                }
            }
            Some(ResourceImplementation::ResourceType(kind)) => {
                let Some(catalog) = self.catalogs.get(id.0) else { return };
                let properties = definition.and_then(|it| entry(it, "properties"));
                let definition = ResourceDefinition {
                    owner: name,
                    kind,
                    properties,
                    description: None,
                    span: resource.name_span,
                    is_member: true,
                };
                let said = catalog.definition(&definition, &mut Losses::default());
                let (Some(said), Some(mapping)) = (said, type_mapping(kind)) else { return };
                for (index, (_, found)) in members.into_iter().enumerate() {
                    let index = Some(index);
                    let at = ResourcePosition { id, path, resource: name, index };
                    self.objects(&at, mapping, &said, &found.id, nested);
                }
            }
            Some(ResourceImplementation::Group { .. } | ResourceImplementation::Unknown(_))
            | None => {
                self.missing(name, resource.name_span, "the definition of its members is unknown");
            }
        }
    }

    fn objects(
        &mut self,
        at: &ResourcePosition<'_>,
        mapping: &TypeMapping,
        said: &ResourceObjects,
        physical: &str,
        saved: &SavedStack,
    ) {
        let Some(unit) = self.model.modules.get(at.id.0) else { return };
        let folding = self.model.evaluator(unit);
        // The values of a nested template's parameters come from the templates around it.
        let model = (at.id == ModuleId(0)).then_some(self.model);
        let known = ids::ImportContext { saved, model, folding: &folding };
        for (place, object) in said.objects.iter().enumerate() {
            let form = match place {
                0 => Some(mapping.adopt.as_deref().unwrap_or("{id}")),
                _ => form_of(mapping, object),
            };
            let form = form.filter(|_| object.each.is_none());
            let id = form.and_then(|form| ids::import_id(form, physical, object, &known));
            let can_be = mapping.not_adopted.is_none() || mapping.adopt.is_some();
            let it = OmittedObject { unit: at.id, resource: at.resource.to_owned(), object: place };
            match id.filter(|_| can_be || place > 0) {
                Some(id) => {
                    let (path, resource) = (at.path.to_vec(), it.resource.clone());
                    let import =
                        ObjectImport { path, resource, object: place, index: at.index, id };
                    self.adoption.imports.push(import);
                    self.imported.insert(it);
                }
                None => {
                    let why = match (&mapping.not_adopted, place) {
                        (Some(why), 0) => why.clone(),
                        _ => format!("the ID of its `{}` is not in the file", object.kind),
                    };
                    let is_wanted = is_referred(&unit.stack, at.resource, said, place);
                    if !is_wanted && !self.adoption.omitted.contains(&it) {
                        self.adoption.omitted.push(it);
                    }
                    self.report_not_imported(at.resource, object.span, &why, is_wanted);
                }
            }
        }
    }

    /// Reports an existing object that is not imported.
    fn report_not_imported(&mut self, resource: &str, span: Span, why: &str, is_written: bool) {
        if is_written {
            return self.missing(resource, span, why);
        }
        let message = format!("a part of `{resource}` is not imported and stays unchanged: {why}");
        let finding = Diagnostic::new(crate::codes::ADOPTION_INCOMPLETE, message)
            .at(span)
            .help("it is written as a comment; import it by hand if it should be managed");
        if !self.adoption.findings.contains(&finding) {
            self.adoption.findings.push(finding);
        }
    }

    fn missing(&mut self, resource: &str, span: Span, why: &str) {
        let message = format!("`{resource}` is not adopted completely: {why}");
        let finding = Diagnostic::new(crate::codes::ADOPTION_INCOMPLETE, message).at(span).help(
            "import it by hand before the first `apply`, which would otherwise create it again",
        );
        if !self.adoption.findings.contains(&finding) {
            self.adoption.findings.push(finding);
        }
    }
}

const NO_NESTED: &str =
    "the resources of its nested stack are not in the file; list them with `-n 5`";

/// The position of a resource whose objects are matched.
struct ResourcePosition<'a> {
    id: ModuleId,
    path: &'a [ModuleStep],
    resource: &'a str,
    index: Option<usize>,
}

/// Whether anything refers to an object: to the main object by the resource's name, to another one from
/// the other objects of the resource.
fn is_referred(stack: &Stack, resource: &str, said: &ResourceObjects, place: usize) -> bool {
    if place > 0 {
        let arguments = said.objects.iter().flat_map(|object| &object.arguments);
        return arguments.into_iter().any(|(_, value)| value.names(resource, place));
    }
    let mut found = said.objects.len() > 1;
    let mut look = |expr: &Expr| {
        expr.walk(&mut |part| {
            let name = match &part.kind {
                ExprKind::Resource(name) => name.as_text(),
                ExprKind::Attribute(reference) => reference.resource.as_text(),
                _ => None,
            };
            found |= name == Some(resource);
        });
    };
    for (_, other) in stack.resources.iter().filter(|(name, _)| *name != resource) {
        other.properties.iter().chain(&other.metadata).for_each(&mut look);
    }
    stack.outputs.values().filter_map(|output| output.value.as_ref()).for_each(&mut look);
    found
}

/// The form of the import ID of an object other than the main one.
fn form_of<'m>(mapping: &'m TypeMapping, object: &ProviderObject) -> Option<&'m str> {
    let makes = |it: &&PropertyMapping| it.object.as_deref() == Some(object.kind.as_str());
    let all = mapping.properties.values();
    if mapping.rule.as_deref() == Some("spread") {
        return mapping.adopt.as_deref();
    }
    all.filter(|it| it.adopt.is_some()).find(makes)?.adopt.as_deref()
}
