//! The results of an adoption: the objects to import, and what must be expressed about the others.

use std::collections::{BTreeSet, HashMap};

use crate::ModuleId;
use crate::openstack_provider::catalog::ObjectCatalog;
use source_diagnostics::Diagnostic;

/// A step on the path to an object's template: the resource that the template implements, and which of
/// its instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleStep {
    /// The name of the resource.
    pub resource: String,
    /// The member, if the resource is a group.
    pub member: Option<GroupMember>,
}

/// A member of a group that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// The index among the members that exist.
    pub index: usize,
    /// The name that Heat gave it: a number in a resource group, random letters in one that scales.
    pub name: String,
}

/// An existing object to import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectImport {
    /// The path to the object's template, starting below the root template.
    pub path: Vec<ModuleStep>,
    /// The resource that the object belongs to.
    pub resource: String,
    /// The object, as an index into [`ResourceObjects::objects`](crate::openstack_provider::model::ResourceObjects::objects).
    pub object: usize,
    /// The member, if the resource is a group.
    pub member: Option<GroupMember>,
    /// The ID that the provider imports the object by.
    pub id: String,
}

/// An object of a template, of whatever instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModuleObject {
    /// The template that contains the resource.
    pub unit: ModuleId,
    /// The resource, or the group.
    pub resource: String,
    /// The object, as an index into [`ResourceObjects::objects`](crate::openstack_provider::model::ResourceObjects::objects).
    pub object: usize,
}

/// The name that an object has in the cloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealName {
    /// The argument that sets it.
    pub argument: String,
    /// The object's name in the cloud, in place of the name that Heat made up in the template.
    pub name: String,
}

/// The existing objects of a deployment.
#[derive(Clone, Debug, Default)]
pub struct Adoption {
    /// The name of the stack, if it was saved.
    pub stack: Option<String>,
    /// The objects to import, in source order.
    pub imports: Vec<ObjectImport>,
    /// Existing objects that cannot be imported and that nothing else refers to. A target omits them, also
    /// from `depends_on`, and writes them as a comment: they stay unchanged, where writing them would
    /// create them again.
    pub omitted: Vec<ModuleObject>,
    /// The imported objects, with the arguments that must not be compared after the import: the provider cannot read them, or Heat made
    /// them up.
    pub imported: HashMap<ModuleObject, BTreeSet<String>>,
    /// The real names of imported objects whose names Heat made up. `None` if one of the instances has another name, or an unknown one.
    pub names: HashMap<ModuleObject, Option<RealName>>,
    /// The names of the members of groups, by template and group, where they are not those that the template would have now: members were removed,
    /// or the group was scaled. `None` if instances of a template have members with different names.
    pub members: HashMap<(ModuleId, String), Option<Vec<String>>>,
    /// Findings about resources that exist and cannot be imported, or are not in the file.
    pub findings: Vec<Diagnostic>,
}

impl Adoption {
    /// Keeps the real name of an instance of an object, or ignores the argument if the instances have different names.
    pub(super) fn keep_name(
        &mut self,
        object: &ModuleObject,
        argument: String,
        name: Option<&str>,
    ) {
        let real = name.map(|name| RealName { argument: argument.clone(), name: name.to_owned() });
        let kept = self.names.entry(object.clone()).or_insert_with(|| real.clone());
        if *kept != real || real.is_none() {
            *kept = None;
            self.imported.entry(object.clone()).or_default().insert(argument);
        }
    }

    /// Writes the real names in place of those that Heat made up.
    pub fn name_objects(&self, unit: ModuleId, catalog: &mut ObjectCatalog<'_>) {
        for (object, real) in self.names.iter().filter(|(object, _)| object.unit == unit) {
            if let Some(RealName { argument, name }) = real {
                catalog.set_text(&object.resource, object.object, argument, name);
            }
        }
    }

    /// Whether a target omits an object.
    pub fn is_omitted(&self, unit: ModuleId, resource: &str, object: usize) -> bool {
        let is_it =
            |it: &ModuleObject| it.unit == unit && it.resource == resource && it.object == object;
        self.omitted.iter().any(is_it)
    }

    /// The names of the members of a group, if they are not those that the template would have now.
    pub fn member_names(&self, unit: ModuleId, group: &str) -> Option<&[String]> {
        self.members.get(&(unit, group.to_owned()))?.as_deref()
    }

    /// The import ID of an object of a flat stack.
    pub fn flat_import(&self, resource: &str, object: usize) -> Option<&str> {
        let mut imports = self.imports.iter();
        let import = imports.find(|it| it.resource == resource && it.object == object);
        import.map(|it| it.id.as_str())
    }

    /// The arguments of an imported object that must not be compared; `None` if it is not imported.
    pub fn ignored(
        &self,
        unit: ModuleId,
        resource: &str,
        object: usize,
    ) -> Option<&BTreeSet<String>> {
        self.imported.get(&ModuleObject { unit, resource: resource.to_owned(), object })
    }
}
