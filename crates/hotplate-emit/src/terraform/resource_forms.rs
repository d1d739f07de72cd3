//! Determines the form of every resource of a template in its module.

use super::arguments::ArgumentContext;
use super::locals::LocalResource;
use super::messages::cloudinit_message;
use super::scope::{ModuleScope, Multiplicity, ResourceForm};
use crate::kit::{Inexpressible, TextResource};
use crate::openstack_provider::{self, Counterpart, ResourceDefinition, model};
use crate::render_model::{ModuleId, ResourceImplementation, member_definition};
use crate::{Loss, LossKind, Losses};
use heat_engine::eval::HeatGroup;
use heat_template::ir::Resource;
use heat_template::ir::types::TypeSet;
use source_diagnostics::Span;

impl<'p> ModuleScope<'p> {
    /// Determines the form of every resource.
    pub(super) fn assign_resource_forms(&mut self, losses: &mut Losses) {
        let unit = self.module;
        for (name, resource) in &unit.stack.resources {
            let copies = match resource.condition {
                Some(_) => Multiplicity::Optional,
                None => Multiplicity::One,
            };
            let place = match unit.implementations.get(name) {
                None => ResourceForm::Nothing("it has no type".to_owned()),
                Some(ResourceImplementation::Unknown(why)) => {
                    self.lost(name, resource, why, None, losses)
                }
                Some(ResourceImplementation::Template(id)) => self.module(name, *id, copies),
                Some(ResourceImplementation::ResourceType(kind)) => {
                    self.typed(name, resource, kind, copies, losses)
                }
                Some(ResourceImplementation::Group { kind, member }) => {
                    self.group(name, resource, *kind, member.as_deref(), losses)
                }
            };
            self.resource_forms.insert(name.clone(), place);
        }
        self.leave_out_rules(losses);
    }

    fn module(&self, name: &str, id: ModuleId, copies: Multiplicity) -> ResourceForm {
        match self.finished_modules.contains_key(&id.0) {
            true => ResourceForm::Module { name: self.label(name), unit: id.0, copies },
            false => ResourceForm::Nothing("its template contains itself".to_owned()),
        }
    }

    fn typed(
        &self,
        name: &str,
        resource: &Resource,
        kind: &str,
        copies: Multiplicity,
        losses: &mut Losses,
    ) -> ResourceForm {
        if let Some(kept) = LocalResource::of(kind) {
            let is_message = kept == LocalResource::Text(TextResource::MultipartMime);
            if is_message && cloudinit_message(self.model, self.module, resource).is_some() {
                return ResourceForm::Message { label: self.label(name), copies };
            }
            let local = self.taken_locals.borrow_mut().allocate(name);
            let shape = match kept {
                LocalResource::Value => TypeSet::ANY,
                LocalResource::Text(_) => TypeSet::TEXT,
            };
            return ResourceForm::Local { name: local, attribute: kept.attribute(), shape };
        }
        if kind == "OS::Heat::None" {
            return ResourceForm::Nothing("it creates nothing".to_owned());
        }
        if self.catalog.resource(name).is_some() {
            return ResourceForm::Objects(copies);
        }
        match openstack_provider::counterpart(kind) {
            Counterpart::Nothing { why, suggestion } => {
                self.lost(name, resource, why, suggestion, losses)
            }
            // The catalog has reported what is missing.
            Counterpart::Object(_) | Counterpart::Part => ResourceForm::Nothing(
                "a required argument of the provider cannot be expressed".to_owned(),
            ),
        }
    }

    fn lost(
        &self,
        name: &str,
        resource: &Resource,
        why: &str,
        suggestion: Option<&str>,
        losses: &mut Losses,
    ) -> ResourceForm {
        let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
        let message = format!("`{name}` is omitted: {why}");
        let mut loss =
            Loss::new(LossKind::ResourceType, kind, message, resource.kind_span()).with_owner(name);
        if let Some(suggestion) = suggestion {
            loss = loss.suggesting(suggestion);
        }
        losses.add(loss);
        ResourceForm::Nothing(why.to_owned())
    }

    /// Finds the security rules that cannot be expressed with all their restrictions.
    fn leave_out_rules(&mut self, losses: &mut Losses) {
        // Whether a rule can be expressed is only known by translating it; what that allocates is
        // allocated again later.
        let data = self.data.clone();
        let mut lost = Vec::new();
        for (name, place) in &self.resource_forms {
            let (ResourceForm::Objects(_), Some(resource)) =
                (place, self.module.stack.resources.get(name))
            else {
                continue;
            };
            let expressed = self.catalog.resource(name).or_else(|| self.members.get(name));
            for (number, object) in
                expressed.iter().flat_map(|expressed| &expressed.objects).enumerate()
            {
                let why = self.within(self.member_placeholders(name, resource), || {
                    self.lost_of_rule(name, object)
                });
                lost.extend(why.map(|why| (name.clone(), number, object.span, why)));
            }
        }
        self.data = data;
        for (name, number, span, why) in lost {
            // Others may refer to the first object, and must know that it is absent.
            if number == 0 {
                let mut loss = why.loss(&name).dropping_whole_value();
                if loss.span == Span::NOWHERE {
                    loss.span = span;
                }
                losses.add(loss);
                losses.add(Loss::dropped_security_rule(&name, &why.message, span));
                self.resource_forms.insert(name, ResourceForm::Nothing(why.message));
            } else {
                self.dropped_rules.insert((name, number), why);
            }
        }
    }

    /// Why a security rule cannot be expressed without allowing more.
    fn lost_of_rule(
        &self,
        name: &str,
        object: &model::ProviderObject,
    ) -> Option<Box<Inexpressible>> {
        if !openstack_provider::grants_access(&object.kind) {
            return None;
        }
        let restricting = object
            .arguments
            .iter()
            .filter(|(argument, _)| {
                openstack_provider::is_restricting_argument(&object.kind, argument)
            })
            .map(|(_, value)| value);
        let context = ArgumentContext::for_attribute(name, None);
        let context = match self.listed(object, &context) {
            Ok(list) => context.for_items(list),
            Err(why) => return Some(why),
        };
        let alone = object.only_if.iter().filter(|_| object.each.is_none());
        restricting.chain(alone).find_map(|value| self.argument_value(value, &context).err())
    }

    fn group(
        &mut self,
        name: &str,
        resource: &Resource,
        group: HeatGroup,
        member: Option<&ResourceImplementation>,
        losses: &mut Losses,
    ) -> ResourceForm {
        match group {
            HeatGroup::ResourceGroup | HeatGroup::AutoScalingGroup => {}
            HeatGroup::ResourceChain => {
                let why = "the types of the chain's members are computed";
                return self.lost(
                    name,
                    resource,
                    why,
                    Some("write the list of members as a literal"),
                    losses,
                );
            }
            HeatGroup::DeploymentGroup { .. } => {
                let why = "an agent on the server fetches the software from Heat";
                let suggestion = "move it to user_data, or use Ansible";
                return self.lost(name, resource, why, Some(suggestion), losses);
            }
        }
        match member {
            Some(ResourceImplementation::Template(id)) => {
                self.module(name, *id, Multiplicity::Many)
            }
            Some(ResourceImplementation::ResourceType(kind)) => {
                let definition = ResourceDefinition {
                    owner: name,
                    kind,
                    properties: member_definition(group, resource)
                        .and_then(|it| it.member("properties")),
                    description: None,
                    span: resource.name_span,
                    is_member: true,
                };
                match self.catalog.definition(&definition, losses) {
                    Some(expressed) => {
                        self.members.insert(name.to_owned(), expressed);
                        self.member_kinds.insert(name.to_owned(), kind.to_string());
                        ResourceForm::Objects(Multiplicity::Many)
                    }
                    None => match kind.as_str() {
                        "OS::Heat::None" => ResourceForm::Nothing("it creates nothing".to_owned()),
                        _ => {
                            let (note, suggestion) = match openstack_provider::counterpart(kind) {
                                Counterpart::Nothing { why, suggestion } => (why, suggestion),
                                Counterpart::Object(_) | Counterpart::Part => (
                                    "a required argument of the provider cannot be expressed",
                                    None,
                                ),
                            };
                            self.lost(name, resource, note, suggestion, losses)
                        }
                    },
                }
            }
            Some(ResourceImplementation::Group { .. }) => {
                self.lost(name, resource, "its members are groups", None, losses)
            }
            Some(ResourceImplementation::Unknown(why)) => {
                self.lost(name, resource, why, None, losses)
            }
            None => {
                let why = "the definition of its members is computed";
                self.lost(name, resource, why, None, losses)
            }
        }
    }
}
