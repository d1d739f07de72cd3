//! Groups: `count`, with the index of a member in place of its placeholder.

use super::hcl::{BodyItem, Hcl};
use super::module::ModuleWriter;
use super::scope::{LoopPlaceholders, ModuleScope};
use crate::openstack_provider::adopt::Adoption;
use crate::render_model::{
    ModuleId, ResourceImplementation, known_size, member_definition, property,
};
use crate::without_effect::CONSTANT_NUMBER;
use crate::{Loss, LossKind};
use heat_engine::eval::HeatGroup;
use heat_template::ir::Resource;

impl ModuleScope<'_> {
    pub(super) fn group_kind(&self, name: &str) -> Option<HeatGroup> {
        match self.module.implementations.get(name) {
            Some(ResourceImplementation::Group { kind, .. }) => Some(*kind),
            _ => None,
        }
    }

    /// The number of a group's members, if it is a constant.
    pub(super) fn known_size(&self, name: &str) -> Option<i64> {
        let resource = self.module.stack.resources.get(name)?;
        known_size(self.group_kind(name)?, resource, &self.evaluator)
    }

    /// The placeholder of the index in the definition of members.
    pub(super) fn member_placeholders(&self, name: &str, resource: &Resource) -> LoopPlaceholders {
        let placeholder = match self.group_kind(name) {
            Some(HeatGroup::ResourceGroup) => match property(resource, "index_var") {
                None => "%index%".to_owned(),
                Some(value) => match value.as_text() {
                    Some(text) => text.to_owned(),
                    None => "%index%".to_owned(),
                },
            },
            _ => return LoopPlaceholders::new(),
        };
        vec![(placeholder, self.member_key(name))]
    }

    /// Takes the names of the groups' members that exist, where the template would have others now.
    pub(super) fn name_members(&mut self, adoption: Option<&Adoption>, id: ModuleId) {
        for name in self.module.stack.resources.keys() {
            if let Some(names) = adoption.and_then(|it| it.member_names(id, name)) {
                self.member_names.insert(name.clone(), names.to_vec());
            }
        }
    }

    /// The identity of a member in the definition of a group's members: its index, or its name.
    pub(super) fn member_key(&self, group: &str) -> Hcl {
        match self.member_names.contains_key(group) {
            true => Hcl::name("each.key"),
            false => Hcl::name("count.index"),
        }
    }

    /// The list of what identifies the members of a group, if they are identified by names.
    pub(super) fn member_keys(&self, group: &str) -> Option<Hcl> {
        let names = self.member_names.get(group)?;
        Some(Hcl::List(names.iter().map(Hcl::text).collect()))
    }

    /// The meta-argument that repeats a group's members.
    pub(super) fn repetition(&self, group: &str, count: Hcl) -> BodyItem {
        match self.member_keys(group) {
            Some(names) => BodyItem::argument("for_each", Hcl::call("toset", [names])),
            None => BodyItem::argument("count", count),
        }
    }
}

impl ModuleWriter<'_, '_> {
    /// The number of a group's members; reports what else the group defines.
    pub(super) fn members(&self, name: &str, resource: &Resource, above: &mut Vec<String>) -> Hcl {
        let group = self.scope.group_kind(name);
        let count = match group {
            Some(HeatGroup::AutoScalingGroup) => {
                let message = format!("{CONSTANT_NUMBER}: nothing scales the group");
                let kind = "OS::Heat::AutoScalingGroup";
                let mut loss = Loss::new(LossKind::ResourceType, kind, message, resource.name_span);
                loss.severity = source_diagnostics::Severity::Warning;
                self.report_loss(loss.with_owner(name));
                for key in ["max_size", "cooldown", "rolling_updates"] {
                    self.report_lost_property(
                        name,
                        resource,
                        key,
                        "nothing scales the group",
                        above,
                    );
                }
                match property(resource, "desired_capacity") {
                    Some(count) => {
                        self.report_lost_property(
                            name,
                            resource,
                            "min_size",
                            "nothing scales the group",
                            above,
                        );
                        Some(count)
                    }
                    None => property(resource, "min_size"),
                }
            }
            _ => {
                for key in ["removal_policies", "removal_policies_mode"] {
                    let why = "Terraform always removes the last members first";
                    self.report_lost_property(name, resource, key, why, above);
                }
                property(resource, "count")
            }
        };
        let expressed = match count {
            None => Hcl::int(1),
            Some(count) => match self.scope.generate(count) {
                Ok(expressed) if self.is_tainted(count) => {
                    Hcl::call("nonsensitive", [expressed.hcl])
                }
                Ok(expressed) => match expressed.hcl {
                    Hcl::Text(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                        Hcl::Number(digits)
                    }
                    hcl => hcl,
                },
                Err(why) => {
                    above.extend(self.report_inexpressible(name, "count", &why, count.span));
                    let role = super::scope::VariableRole::Fallback;
                    let wording = format!("The number of members of {name}");
                    let wanted = format!("{name}_count");
                    let variable = self.scope.extra(role, &wanted, wording, "number", false);
                    Hcl::name(format!("var.{variable}"))
                }
            },
        };
        match &resource.condition {
            None => expressed,
            Some(condition) => self.with_count(name, condition, expressed, above),
        }
    }

    fn report_lost_property(
        &self,
        name: &str,
        resource: &Resource,
        key: &str,
        why: &str,
        above: &mut Vec<String>,
    ) {
        if let Some(value) = property(resource, key) {
            above.extend(self.snippet(key, value.span));
            let message = format!("the property `{key}` of `{name}`: {why}");
            self.report_loss(
                Loss::new(LossKind::Property, key, message, value.span).with_owner(name),
            );
        }
    }

    /// A group whose members are objects of the provider.
    pub(super) fn group_of_objects(
        &self,
        name: &str,
        resource: &Resource,
        mut above: Vec<String>,
    ) -> Vec<BodyItem> {
        let count = self.members(name, resource, &mut above);
        let Some(expressed) = self.scope.members.get(name) else { return Vec::new() };
        if let Some(ResourceImplementation::Group { kind, .. }) =
            self.scope.module.implementations.get(name)
            && let Some(metadata) =
                member_definition(*kind, resource).and_then(|it| it.member("metadata"))
        {
            above.extend(self.snippet("metadata", metadata.span));
            let message = "the metadata of a resource exist only in Heat";
            self.report_loss(
                Loss::new(LossKind::Section, "metadata", message, metadata.span).with_owner(name),
            );
        }
        let layer = self.scope.member_placeholders(name, resource);
        self.scope.within(layer, || self.objects(name, resource, expressed, Some(count), above))
    }
}
