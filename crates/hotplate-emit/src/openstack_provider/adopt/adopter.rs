//! Matches the objects of each template, through nested stacks and groups, with the resources of a saved stack.

use std::collections::HashSet;

use super::adoption::{Adoption, GroupMember, ModuleObject, ModuleStep, ObjectImport};
use super::{ids, not_read, security_rules};
use crate::mapping::{PropertyMapping, TypeMapping};
use crate::openstack_provider::catalog::{ObjectCatalog, ResourceDefinition};
use crate::openstack_provider::model::{ProviderObject, ResourceObjects};
use crate::openstack_provider::table::type_mapping;
use crate::render_model::member_definition;
use crate::{Losses, Module, ModuleId, RenderModel, ResourceImplementation};
use heat_engine::eval::HeatGroup;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_template::ir::{Expr, ExprKind, Resource, Stack};
use saved_stack::{CloudLists, SavedResource, SavedStack, SavedStackFiles};
use source_diagnostics::{Diagnostic, Span};

/// Matches the objects of a deployment with a saved stack. `catalogs` has one entry for each template,
/// in the same order.
pub fn adopt(
    model: &RenderModel<'_>,
    catalogs: &[ObjectCatalog<'_>],
    saved: &SavedStackFiles,
) -> Adoption {
    let adoption = Adoption { stack: saved.name().map(str::to_owned), ..Adoption::default() };
    let lists = &saved.lists;
    let modules = model.modules.iter().collect();
    let rules = HashSet::new();
    let mut adopter = Adopter { model, modules, catalogs, lists, adoption, rules };
    let nothing = SavedStack::default();
    let stack = saved.stack.as_ref().unwrap_or(&nothing);
    adopter.template(ModuleId(0), stack, &[], Some(model.full_deployment));
    let Adopter { mut adoption, .. } = adopter;
    // What is imported for one instance of a template is written for all of them.
    let Adoption { omitted, imported, .. } = &mut adoption;
    omitted.retain(|it| !imported.contains_key(it));
    adoption
}

pub(super) struct Adopter<'a> {
    pub(super) model: &'a RenderModel<'a>,
    /// The templates that the catalogs belong to.
    pub(super) modules: Vec<&'a Module>,
    pub(super) catalogs: &'a [ObjectCatalog<'a>],
    pub(super) lists: &'a CloudLists,
    pub(super) adoption: Adoption,
    /// The IDs of the security rules that objects describe.
    pub(super) rules: HashSet<&'a str>,
}

impl Adopter<'_> {
    fn template(
        &mut self,
        id: ModuleId,
        saved: &SavedStack,
        path: &[ModuleStep],
        deployed: Option<&Deployed>,
    ) {
        let (Some(unit), Some(catalog)) =
            (self.modules.get(id.0).copied(), self.catalogs.get(id.0))
        else {
            return;
        };
        for (name, resource) in &unit.stack.resources {
            let Some(used) = unit.implementations.get(name) else { continue };
            let found = saved.resources.get(name);
            match (used, found) {
                (ResourceImplementation::ResourceType(kind), Some(found)) => {
                    if let (Some(expressed), Some(mapping)) =
                        (catalog.resource(name), type_mapping(kind))
                    {
                        let properties = resource.properties.as_ref();
                        let at = ResourcePosition {
                            id,
                            path,
                            resource: name,
                            member: None,
                            properties,
                            deployed,
                        };
                        self.objects(&at, mapping, expressed, &found.id, saved);
                    }
                }
                (ResourceImplementation::Template(child), Some(found)) => match &found.nested {
                    Some(nested) => {
                        let step = ModuleStep { resource: name.clone(), member: None };
                        let below = below(deployed, name);
                        self.template(*child, nested, &[path, &[step]].concat(), below);
                    }
                    None => self.missing(name, resource.name_span, NO_NESTED),
                },
                (ResourceImplementation::Group { kind, member }, Some(found)) => {
                    match &found.nested {
                        Some(nested) => {
                            let at = ResourcePosition {
                                id,
                                path,
                                resource: name,
                                member: None,
                                properties: None,
                                deployed: below(deployed, name),
                            };
                            self.group(&at, resource, (*kind, member.as_deref()), nested);
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
        at: &ResourcePosition<'_>,
        resource: &Resource,
        (group, member): (HeatGroup, Option<&ResourceImplementation>),
        nested: &SavedStack,
    ) {
        let mut members: Vec<(&String, &SavedResource)> = nested.resources.iter().collect();
        members.sort_by_key(|(name, _)| name.parse::<u64>().unwrap_or(u64::MAX));
        let ResourcePosition { id, path, resource: name, deployed, .. } = *at;
        self.name_members(at, &members);
        let definition = member_definition(group, resource);
        match member {
            Some(ResourceImplementation::Template(child)) => {
                for (index, (member, found)) in members.into_iter().enumerate() {
                    let is_member = GroupMember { index, name: member.clone() };
                    let step = ModuleStep { resource: name.to_owned(), member: Some(is_member) };
                    let below = below(deployed, member);
                    match &found.nested {
                        Some(nested) => {
                            self.template(*child, nested, &[path, &[step]].concat(), below);
                        }
                        None => self.missing(name, resource.name_span, NO_NESTED),
                    }
                }
            }
            Some(ResourceImplementation::ResourceType(kind)) => {
                let Some(catalog) = self.catalogs.get(id.0) else { return };
                let properties = definition.and_then(|it| it.member("properties"));
                let definition = ResourceDefinition {
                    owner: name,
                    kind,
                    properties,
                    description: None,
                    span: resource.name_span,
                    is_member: true,
                };
                let expressed = catalog.definition(&definition, &mut Losses::default());
                let (Some(expressed), Some(mapping)) = (expressed, type_mapping(kind)) else {
                    return;
                };
                for (index, (member, found)) in members.into_iter().enumerate() {
                    let member = GroupMember { index, name: member.clone() };
                    let at = ResourcePosition { member: Some(&member), properties, ..*at };
                    self.objects(&at, mapping, &expressed, &found.id, nested);
                }
            }
            Some(ResourceImplementation::Group { .. } | ResourceImplementation::Unknown(_))
            | None => {
                self.missing(name, resource.name_span, "the definition of its members is unknown");
            }
        }
    }

    /// Keeps the names of a group's members if the template would have others now.
    fn name_members(&mut self, at: &ResourcePosition<'_>, members: &[(&String, &SavedResource)]) {
        let names: Vec<String> = members.iter().map(|(name, _)| (*name).clone()).collect();
        let expected = at.deployed.and_then(|it| it.evaluation.resources.as_ref());
        let is_expected = expected.is_some_and(|it| {
            it.len() == names.len() && names.iter().all(|name| it.contains_key(name.as_str()))
        });
        let key = (at.id, at.resource.to_owned());
        match self.adoption.members.get_mut(&key) {
            None if is_expected => {
                self.adoption.members.insert(key, None);
            }
            None => {
                self.adoption.members.insert(key, Some(names));
            }
            Some(known) if known.as_ref() == Some(&names) => {}
            Some(known) => *known = None,
        }
    }

    pub(super) fn objects(
        &mut self,
        at: &ResourcePosition<'_>,
        mapping: &TypeMapping,
        expressed: &ResourceObjects,
        physical: &str,
        saved: &SavedStack,
    ) {
        let Some(unit) = self.modules.get(at.id.0).copied() else { return };
        let folding = self.model.evaluator(unit);
        let known = ids::ImportContext { saved, deployed: at.deployed, folding: &folding };
        for (place, object) in expressed.objects.iter().enumerate() {
            let form = match place {
                0 => Some(mapping.adopt.as_deref().unwrap_or("{id}")),
                _ => form_of(mapping, object),
            };
            let form = form.filter(|_| object.each.is_none());
            let id = form.and_then(|form| ids::import_id(form, physical, object, &known));
            let id = id.or_else(|| self.listed_id(physical, object, &known));
            let can_be = mapping.not_adopted.is_none() || mapping.adopt.is_some();
            let it = ModuleObject { unit: at.id, resource: at.resource.to_owned(), object: place };
            match id.filter(|_| can_be || place > 0) {
                Some(id) => {
                    let (path, resource) = (at.path.to_vec(), it.resource.clone());
                    let import = ObjectImport {
                        path,
                        resource,
                        object: place,
                        member: at.member.cloned(),
                        id,
                    };
                    self.adoption.imports.push(import);
                    let ignored = not_read::not_read(object);
                    self.adoption.imported.entry(it.clone()).or_default().extend(ignored);
                    let is_there =
                        |name: &String| object.arguments.iter().any(|(it, _)| it == name);
                    let generated = generated_name(at, mapping, place).filter(is_there);
                    if let Some(argument) = generated {
                        // The members of a group have one definition.
                        let real = self.lists.name(physical).filter(|_| at.member.is_none());
                        self.adoption.keep_name(&it, argument, real);
                    }
                }
                None => {
                    let why = match (&mapping.not_adopted, place) {
                        (Some(why), 0) => why.clone(),
                        _ => format!("the ID of its `{}` is not in the file", object.kind),
                    };
                    let is_wanted = is_referred(&unit.stack, at.resource, expressed, place);
                    if !is_wanted && !self.adoption.omitted.contains(&it) {
                        self.adoption.omitted.push(it);
                    }
                    self.report_not_imported(at.resource, object.span, &why, is_wanted);
                }
            }
        }
        if let Some(group) = expressed.objects.first().filter(|it| it.kind == SECURITY_GROUP) {
            self.report_other_rules(at, physical, group.span);
        }
    }

    /// The ID of an object that Heat does not list, from the lists of the cloud.
    fn listed_id(
        &mut self,
        physical: &str,
        object: &ProviderObject,
        known: &ids::ImportContext<'_>,
    ) -> Option<String> {
        match object.kind.as_str() {
            "openstack_networking_router_interface_v2" => {
                let (router, subnet) = physical.split_once(":subnet_id=")?;
                Some(self.lists.router_port(router, subnet)?.id.clone())
            }
            "openstack_networking_secgroup_rule_v2" if object.each.is_none() => {
                let rule = security_rules::rule_id(self.lists, physical, object, known)?;
                self.rules.insert(&rule.id);
                Some(rule.id.clone())
            }
            _ => None,
        }
    }

    /// Reports the rules of a security group that no object describes.
    fn report_other_rules(&mut self, at: &ResourcePosition<'_>, group: &str, span: Span) {
        let lists = self.lists;
        let others = lists.rules.iter().flatten().filter(|rule| {
            rule.group == group
                && !self.rules.contains(rule.id.as_str())
                && !security_rules::is_default(rule)
        });
        let others: Vec<&str> = others.map(|rule| rule.id.as_str()).collect();
        if others.is_empty() {
            return;
        }
        let message = format!(
            "the security group `{}` has rules that its template does not have: {}",
            at.resource,
            others.join(", ")
        );
        let finding = Diagnostic::new(saved_stack::codes::SAVED_STACK_DIFFERS, message).at(span);
        self.adoption.findings.push(finding.help("the result does not manage them"));
    }

    /// Reports an existing object that is not imported.
    fn report_not_imported(&mut self, resource: &str, span: Span, why: &str, is_written: bool) {
        if is_written {
            return self.missing(resource, span, why);
        }
        let message = format!("a part of `{resource}` is not imported and stays unchanged: {why}");
        let finding = Diagnostic::new(saved_stack::codes::ADOPTION_INCOMPLETE, message)
            .at(span)
            .help("it is written as a comment; import it by hand if it should be managed");
        if !self.adoption.findings.contains(&finding) {
            self.adoption.findings.push(finding);
        }
    }

    pub(super) fn missing(&mut self, resource: &str, span: Span, why: &str) {
        let message = format!("`{resource}` is not adopted completely: {why}");
        let finding =
            Diagnostic::new(saved_stack::codes::ADOPTION_INCOMPLETE, message).at(span).help(
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
pub(super) struct ResourcePosition<'a> {
    pub(super) id: ModuleId,
    pub(super) path: &'a [ModuleStep],
    pub(super) resource: &'a str,
    pub(super) member: Option<&'a GroupMember>,
    /// The definition of its properties.
    pub(super) properties: Option<&'a Expr>,
    /// The evaluation of its stack.
    pub(super) deployed: Option<&'a Deployed>,
}

const SECURITY_GROUP: &str = "openstack_networking_secgroup_v2";

/// The evaluation of a nested stack.
fn below<'d>(deployed: Option<&'d Deployed>, resource: &str) -> Option<&'d Deployed> {
    match deployed?.children.get(resource)? {
        ChildStack::Stack(child) => Some(child),
        ChildStack::Unknown(_) | ChildStack::Failed(_) => None,
    }
}

/// The argument with a name that Heat made up, or that a result cannot compute: Heat's names end with random letters, also those of nested
/// stacks.
fn generated_name(
    at: &ResourcePosition<'_>,
    mapping: &TypeMapping,
    place: usize,
) -> Option<String> {
    if place > 0 {
        return None;
    }
    let is_name = |property: &PropertyMapping| property.to.as_deref() == Some("name");
    let made = mapping.properties.iter().find(|(_, property)| property.made);
    let Some((name, property)) = made else {
        // Without a property for it, every name is made up.
        return (!mapping.properties.values().any(is_name)).then(|| "name".to_owned());
    };
    let given = at.properties.and_then(|it| it.member(name));
    let is_computable = given.is_some_and(|given| {
        let mut is_computable = given.kind != ExprKind::Null;
        given.walk(&mut |part| match &part.kind {
            ExprKind::Resource(_) | ExprKind::Attribute(_) => is_computable = false,
            ExprKind::Parameter(parameter) => {
                let is_stack_name = parameter.name.as_text() == Some("OS::stack_name");
                is_computable &= at.path.is_empty() || !is_stack_name;
            }
            _ => {}
        });
        is_computable
    });
    property.to.clone().filter(|_| !is_computable)
}

/// Whether anything refers to an object: to the main object by the resource's name, to another one from
/// the other objects of the resource.
fn is_referred(stack: &Stack, resource: &str, expressed: &ResourceObjects, place: usize) -> bool {
    if place > 0 {
        let arguments = expressed.objects.iter().flat_map(|object| &object.arguments);
        return arguments.into_iter().any(|(_, value)| value.names(resource, place));
    }
    let mut found = expressed.objects.len() > 1;
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
