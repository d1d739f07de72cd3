//! Writes a template as a module: its files.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use crate::kit::{Inexpressible, lost_value};
use indexmap::IndexMap;

use super::arguments::ArgumentContext;
use super::hcl::{Body, BodyItem, Hcl, HclBlock};
use super::locals::LocalResource;
use super::order::ModuleWaits;
use super::scope::{ExtraVariable, ModuleScope, Multiplicity, ResourceForm};
use crate::openstack_provider::adopt::Adoption;
use crate::openstack_provider::model;
use crate::render_model::{ModuleId, ResourceImplementation};
use crate::{Comments, Loss, LossKind, Losses};
use heat_engine::eval::Value;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{DeletionPolicy, Expr, Resource};
use source_diagnostics::Span;

/// The sections whose comments are in `variables.tf`, in lower case.
pub(super) const VARIABLES: [&str; 3] = ["parameters", "parameter_groups", "parametergroups"];

/// The maximum number of lines of the template in a comment.
const MAX_SNIPPET_LINES: usize = 20;

/// A finished module, for those that use it.
#[derive(Debug)]
pub(super) struct FinishedModule {
    /// The outputs that are expressed.
    pub(super) outputs: IndexMap<String, ModuleOutput>,
    /// Variables that are not parameters of the template.
    pub(super) extra_variables: Vec<ExtraVariable>,
    /// The names of variables, by parameter.
    pub(super) variables: IndexMap<String, String>,
    /// The variables that are maps of strings, though their parameters can be any JSON.
    pub(super) text_maps: HashSet<String>,
    /// Whether it contains sensitive values.
    pub(super) holds_secrets: bool,
    /// Whether it contains objects of the provider.
    pub(super) needs_provider: bool,
    /// The addresses of resources, by their names in the template.
    pub(super) addresses: IndexMap<String, ResourceAddress>,
    /// The nodes that its blocks wait for.
    pub(super) waits: ModuleWaits,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ModuleOutput {
    /// Its name in the module.
    pub(super) label: String,
    /// The types that its value can have.
    pub(super) shape: TypeSet,
    /// If it is a list, the types that its items can have.
    pub(super) items: TypeSet,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ResourceAddress {
    pub(super) copies: Multiplicity,
    /// The label of the module call, with the index of its template.
    pub(super) module: Option<(String, usize)>,
    pub(super) objects: Vec<String>,
}

pub(super) struct ModuleWriter<'s, 'p> {
    pub(super) scope: &'s ModuleScope<'p>,
    pub(super) comments: Comments<'p>,
    pub(super) losses: &'s RefCell<Losses>,
    /// Resources that hold, or may hold, sensitive values.
    pub(super) tainted: HashSet<String>,
    /// The existing objects to import.
    pub(super) adoption: Option<&'s Adoption>,
    /// The template of the module.
    pub(super) module_id: ModuleId,
}

impl ModuleWriter<'_, '_> {
    pub(super) fn report_loss(&self, loss: Loss) {
        self.losses.borrow_mut().add(loss);
    }

    /// Adds the comments inside a span that no construct has taken.
    pub(super) fn take_inside(&self, body: &mut Body, span: Span) {
        let lines = self.comments.take_inside(span);
        if !lines.is_empty() {
            body.push(BodyItem::Remark(lines));
        }
    }

    /// A comment that shows what is omitted: a message and the original.
    pub(super) fn snippet(&self, what: &str, span: Span) -> Vec<String> {
        let original = self.scope.model.snippet(span).unwrap_or_default();
        let omission = self.scope.model.omission(what, span);
        lost_value(omission, what, original, MAX_SNIPPET_LINES)
    }

    /// Reports a loss, and returns the comment that shows it.
    pub(super) fn report_inexpressible(
        &self,
        owner: &str,
        what: &str,
        why: &Inexpressible,
        span: Span,
    ) -> Vec<String> {
        let mut loss = why.loss(owner).dropping_whole_value();
        if loss.span == Span::NOWHERE {
            loss.span = span;
        }
        self.report_loss(loss);
        let mut lines = self.snippet(what, span);
        lines.insert(0, why.message.clone());
        lines
    }

    /// `main.tf`
    pub(super) fn main(&self) -> Body {
        let stack = &self.scope.module.stack;
        let mut body = Body::new();
        let mut head = self.head();
        if let Some(description) = stack.description.as_ref().and_then(Expr::as_text) {
            head.extend(description.trim_end().lines().map(str::to_owned));
        }
        head.extend(
            self.comments
                .take_sections(|section| !VARIABLES.contains(&section) && section != "outputs"),
        );
        if !head.is_empty() {
            body.push(BodyItem::Remark(head));
        }
        let mut locals = self.locals();
        let mut resources = Body::new();
        for (name, resource) in &stack.resources {
            resources.extend(self.resource(name, resource));
        }
        let wants = self.scope.needs.borrow();
        locals.extend(
            wants.locals.iter().map(|(name, value)| BodyItem::argument(name, value.clone())),
        );
        if !locals.is_empty() {
            body.push(BodyItem::block("locals", &[], locals));
        }
        if wants.project {
            let name = BodyItem::argument("name", Hcl::text("scope"));
            body.push(BodyItem::block(
                "data",
                &["openstack_identity_auth_scope_v3", "scope"],
                vec![name],
            ));
        }
        if wants.zones {
            let kind = "openstack_compute_availability_zones_v2";
            body.push(BodyItem::block("data", &[kind, "zones"], vec![]));
        }
        body.extend(self.scope.data.borrow().items());
        body.extend(resources);
        body
    }

    /// The comments before everything else.
    fn head(&self) -> Vec<String> {
        let document = &self.scope.module.document;
        let span = Span::new(document.source(), 0, self.scope.module.stack.format.span.start);
        let mut head = self.comments.take_inside(span);
        head.extend(self.comments.take_above(self.scope.module.stack.format.span));
        if let Some(description) = &self.scope.module.stack.description {
            head.extend(self.comments.take_above(description.span));
        }
        head
    }

    fn locals(&self) -> Body {
        let scope = self.scope;
        let stack = &scope.module.stack;
        let mut body = Body::new();
        for (name, condition) in &stack.conditions {
            let Some(local) = scope.conditions.get(name) else { continue };
            let (mut above, beside) = self.comments.take_around(condition.name_span);
            above.extend(self.comments.take_item(condition.name_span));
            let value = scope.generate_condition(&condition.value).unwrap_or_else(|why| {
                above.extend(self.report_inexpressible(name, name, &why, condition.value.span));
                let wording = format!("The condition {name}");
                let role = super::scope::VariableRole::Fallback;
                let variable = scope.extra(role, name, wording, "bool", false);
                Hcl::name(format!("var.{variable}"))
            });
            body.push(BodyItem::commented(above, local.clone(), value, beside));
        }
        for (name, resource) in &stack.resources {
            let Some(ResourceForm::Local { name: local, .. }) = scope.resource_forms.get(name)
            else {
                continue;
            };
            let Some(ResourceImplementation::ResourceType(kind)) =
                scope.module.implementations.get(name)
            else {
                continue;
            };
            let Some(kept) = LocalResource::of(kind) else { continue };
            let mut above = self.comments.take_lines(resource.name_span);
            above.extend(self.about(resource));
            self.lose_other_properties(name, resource, kept);
            let mut lost = Vec::new();
            let value = match scope.local_value(kept, resource, &mut lost) {
                Ok(expressed) => expressed.hcl,
                Err(why) => {
                    let span =
                        resource.properties.as_ref().map_or(resource.name_span, |it| it.span);
                    above.extend(self.report_inexpressible(name, name, &why, span));
                    let kind = match kept {
                        LocalResource::Text(_) => "string",
                        LocalResource::Value => "any",
                    };
                    let description = format!("The value of {name}");
                    let variable = scope.fallback(name, &description, kind);
                    Hcl::name(format!("var.{variable}"))
                }
            };
            for part in lost {
                self.report_loss(part.loss(name));
                above.push(part.message.clone());
                above.extend(self.snippet(&part.subject, part.span));
            }
            let value = match &resource.condition {
                None => value,
                Some(condition) => match scope.generate_condition(condition) {
                    Ok(condition) => Hcl::choice(condition, value, Hcl::Null),
                    Err(why) => {
                        above.extend(self.report_inexpressible(
                            name,
                            "condition",
                            &why,
                            condition.span,
                        ));
                        value
                    }
                },
            };
            body.push(BodyItem::commented(above, local.clone(), value, None));
        }
        body
    }

    /// Reports the properties of software configurations that only Heat's agents use.
    pub(super) fn lose_other_properties(
        &self,
        name: &str,
        resource: &Resource,
        kept: LocalResource,
    ) {
        let Some(properties) = &resource.properties else { return };
        let heat_template::ir::ExprKind::Map(pairs) = &properties.kind else { return };
        for pair in pairs {
            let Some(key) = pair.key.as_text() else { continue };
            if kept.reads(key) {
                continue;
            }
            let message = format!("a local value has no `{key}`, which only Heat's agents use");
            self.report_loss(
                Loss::new(LossKind::Property, key, message, pair.value.span).with_owner(name),
            );
        }
    }

    /// The description of a resource, as comment lines.
    pub(super) fn about(&self, resource: &Resource) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(text) = resource.description.as_ref().and_then(Expr::as_text) {
            lines.extend(text.trim_end().lines().map(str::to_owned));
        }
        lines.extend(self.comments.take_item(resource.name_span));
        lines
    }

    fn resource(&self, name: &str, resource: &Resource) -> Vec<BodyItem> {
        let place = match self.scope.resource_forms.get(name) {
            None | Some(ResourceForm::Local { .. }) => return Vec::new(),
            Some(place) => place,
        };
        let mut above = self.comments.take_lines(resource.name_span);
        if let Some(kind) = &resource.kind {
            above.extend(self.comments.take_lines(kind.span));
        }
        above.extend(self.about(resource));
        match place {
            ResourceForm::Local { .. } => Vec::new(),
            ResourceForm::Message { label, .. } => self.message(name, resource, label, above),
            ResourceForm::Nothing(why) => {
                above.push(format!("{name}: {why}"));
                above.extend(self.whole(resource));
                vec![BodyItem::Remark(above)]
            }
            ResourceForm::Module { unit, copies, .. } => {
                self.nested(name, resource, *unit, *copies, above)
            }
            ResourceForm::Objects(Multiplicity::Many) => {
                self.group_of_objects(name, resource, above)
            }
            ResourceForm::Objects(_) => match self.scope.catalog.resource(name) {
                Some(expressed) => {
                    let count = resource
                        .condition
                        .as_ref()
                        .map(|condition| self.with_count(name, condition, Hcl::int(1), &mut above));
                    self.objects(name, resource, expressed, count, above)
                }
                None => Vec::new(),
            },
        }
    }

    /// The source text of a lost resource, as comment lines.
    fn whole(&self, resource: &Resource) -> Vec<String> {
        let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
        let model = self.scope.model;
        let omission = model.omission(kind, resource.kind_span());
        let mut lines = lost_value(omission, "type", kind, 0);
        if let Some(properties) = &resource.properties {
            let original = model.snippet(properties.span).unwrap_or_default();
            lines.extend(lost_value(omission, "properties", original, MAX_SNIPPET_LINES));
        }
        lines
    }

    /// The `count` of a block with a condition: 0 if the condition is false.
    pub(super) fn with_count(
        &self,
        name: &str,
        condition: &Expr,
        count: Hcl,
        above: &mut Vec<String>,
    ) -> Hcl {
        match self.scope.generate_condition(condition) {
            Ok(expressed) => {
                // `count` must not depend on sensitive values.
                let expressed = match self.is_tainted(condition) {
                    true => Hcl::call("nonsensitive", [expressed]),
                    false => expressed,
                };
                Hcl::choice(expressed, count, Hcl::int(0))
            }
            Err(why) => {
                above.extend(self.report_inexpressible(name, "condition", &why, condition.span));
                count
            }
        }
    }

    /// The blocks of the objects of a resource, or of a group's members.
    pub(super) fn objects(
        &self,
        name: &str,
        resource: &Resource,
        expressed: &model::ResourceObjects,
        count: Option<Hcl>,
        mut above: Vec<String>,
    ) -> Vec<BodyItem> {
        let scope = self.scope;
        let mut items = Vec::new();
        let (meta, remarks) = self.meta_arguments(name, resource);
        above.extend(remarks);
        if expressed.objects.is_empty() && !above.is_empty() {
            items.push(BodyItem::Remark(std::mem::take(&mut above)));
        }
        for (number, object) in expressed.objects.iter().enumerate() {
            let label = scope.object_label(name, &object.suffix);
            if let Some(why) = scope.dropped_rules.get(&(name.to_owned(), number)) {
                let remark = BodyItem::Remark(self.report_inexpressible(
                    name,
                    &object.kind,
                    why,
                    object.span,
                ));
                // Two objects of a rule have the same definition in the template.
                if items.last() != Some(&remark) {
                    items.push(remark);
                }
                self.report_loss(Loss::dropped_security_rule(name, &why.message, object.span));
                continue;
            }
            if scope.is_never_created(name, object) {
                continue;
            }
            if self.is_left_out(name, number) {
                above
                    .push(format!("{}.{label} already exists and cannot be imported", object.kind));
                above.extend(self.snippet("", object.span));
                items.push(BodyItem::Remark(std::mem::take(&mut above)));
                continue;
            }
            let count = match self.presence(name, object, &mut above) {
                None => count.clone(),
                Some(there) => {
                    Some(Hcl::choice(there, count.clone().unwrap_or(Hcl::int(1)), Hcl::int(0)))
                }
            };
            let mut context = ArgumentContext::for_attribute(name, None);
            context.count.clone_from(&count);
            let block = scope.object(object, &label, &mut context, &mut |argument, why| {
                // The value that the argument is written from; a value that only a rule of the provider
                // adds has no source text.
                let written = object.arguments.iter().find_map(|(key, value)| match value {
                    model::Argument::Expr(value, _) if key == argument => Some(value.span),
                    _ => None,
                });
                let written = written.or((why.span != Span::NOWHERE).then_some(why.span));
                self.report_inexpressible(name, argument, &why, written.unwrap_or(object.span))
            });
            let block = match block {
                Ok(block) => block,
                Err(why) => {
                    items.push(BodyItem::Remark(self.report_inexpressible(
                        name,
                        &object.kind,
                        &why,
                        object.span,
                    )));
                    continue;
                }
            };
            let mut body = block.body;
            match (body.first_mut(), &count, &object.each) {
                (Some(BodyItem::Argument(first)), Some(count), Some(_)) => {
                    first.value = Hcl::operation("*", first.value.clone(), count.clone());
                }
                (_, Some(count), _) => {
                    body.insert(0, scope.repetition(name, count.clone()));
                }
                (_, None, _) => {}
            }
            let mut meta = meta.clone();
            meta.ignores.extend(object.ignores.iter().cloned());
            let after = object.after.iter().filter_map(|other| {
                if self.is_left_out(&other.resource, other.index) {
                    return None;
                }
                let expressed = scope.catalog.resource(&other.resource)?;
                let object = expressed.objects.get(other.index)?;
                let label = scope.object_label(&other.resource, &object.suffix);
                Some(format!("{}.{label}", object.kind))
            });
            for address in after {
                if !meta.depends_on.contains(&address) {
                    meta.depends_on.push(address);
                }
            }
            if let Some(ignored) =
                self.adoption.and_then(|it| it.ignored(self.module_id, name, number))
            {
                meta.prevents_destroy = true;
                meta.ignores.extend(ignored.iter().cloned());
            }
            body.extend(meta.items());
            let block = HclBlock { body, ..block };
            items.push(BodyItem::Block(block.above(std::mem::take(&mut above))));
        }
        if let (Some(id), Some(object)) = (&resource.external_id, expressed.objects.first()) {
            items.extend(self.import(name, id, object));
        }
        items
    }

    /// An `import` block for the existing object that a resource adopts.
    fn import(&self, name: &str, id: &Expr, object: &model::ProviderObject) -> Option<BodyItem> {
        let label = self.scope.object_label(name, &object.suffix);
        let expressed = self.scope.generate(id);
        match expressed {
            Ok(expressed) if self.scope.is_root && expressed.hcl.is_constant() => {
                let to = Hcl::Verbatim(format!("{}.{label}", object.kind));
                let body =
                    vec![BodyItem::argument("to", to), BodyItem::argument("id", expressed.hcl)];
                Some(BodyItem::block("import", &[], body))
            }
            Ok(_) => {
                let why = match self.scope.is_root {
                    true => "the ID to import must be a literal",
                    false => "only the root module can import",
                };
                let why = Inexpressible::new(LossKind::Section, "external_id", why, id.span);
                Some(BodyItem::Remark(self.report_inexpressible(
                    name,
                    "external_id",
                    &why,
                    id.span,
                )))
            }
            Err(why) => Some(BodyItem::Remark(self.report_inexpressible(
                name,
                "external_id",
                &why,
                id.span,
            ))),
        }
    }

    /// The meta-arguments of a resource's blocks, and the comments for what is lost.
    pub(super) fn meta_arguments(
        &self,
        name: &str,
        resource: &Resource,
    ) -> (MetaArguments, Vec<String>) {
        let mut meta = MetaArguments::default();
        let mut above = Vec::new();
        let lose = |subject: &str, message: String, span: Span| {
            self.report_loss(Loss::new(LossKind::Section, subject, message, span).with_owner(name));
        };
        let span = resource.deletion_policy_span.unwrap_or(resource.name_span);
        let policy = match &resource.deletion_policy {
            Some(DeletionPolicy::Other(expr)) => match self.scope.evaluator.constant(expr) {
                Some(Value::Text(text)) => Some(text.to_lowercase()),
                _ => Some("computed".to_owned()),
            },
            Some(DeletionPolicy::Retain) => Some("retain".to_owned()),
            Some(DeletionPolicy::Snapshot) => Some("snapshot".to_owned()),
            Some(DeletionPolicy::Delete) | None => None,
        };
        match policy.as_deref() {
            None | Some("delete") => {}
            Some("retain") => {
                meta.prevents_destroy = true;
                let message =
                    "Terraform refuses to destroy the resource, where Heat leaves it in place";
                above.push(format!("deletion_policy: Retain: {message}"));
                lose("deletion_policy", message.to_owned(), span);
            }
            Some(other) => {
                above.extend(self.snippet("deletion_policy", span));
                let message = format!("Terraform has no equivalent of the deletion policy {other}");
                lose("deletion_policy", message, span);
            }
        }
        if let Some(metadata) = &resource.metadata {
            above.extend(self.snippet("metadata", metadata.span));
            let message = "the metadata of a resource exist only in Heat".to_owned();
            lose("metadata", message, metadata.span);
        }
        if let Some(policy) = &resource.update_policy {
            above.extend(self.snippet("update_policy", policy.span));
            let message = "Terraform has no update policy for members".to_owned();
            lose("update_policy", message, policy.span);
        }
        (meta, above)
    }

    /// The condition of one object of a resource.
    fn presence(
        &self,
        name: &str,
        object: &model::ProviderObject,
        above: &mut Vec<String>,
    ) -> Option<Hcl> {
        let only_if = object.only_if.as_ref().filter(|_| object.each.is_none())?;
        match self.scope.argument_value(only_if, &ArgumentContext::for_attribute(name, None)) {
            // `count` must not depend on sensitive values.
            Ok(Some(expressed)) => match only_if {
                model::Argument::Conditional { condition, .. } if self.is_tainted(condition) => {
                    Some(Hcl::call("nonsensitive", [expressed]))
                }
                _ => Some(expressed),
            },
            Ok(None) => None,
            Err(why) => {
                above.extend(self.report_inexpressible(name, &object.kind, &why, object.span));
                Some(Hcl::Bool(false))
            }
        }
    }

    /// Whether an object is omitted: it exists and cannot be imported, or it is a security rule that is
    /// dropped.
    fn is_left_out(&self, name: &str, object: usize) -> bool {
        let objects = self.scope.catalog.resource(name).map(|it| it.objects.as_slice());
        objects
            .and_then(|it| it.get(object))
            .is_some_and(|it| self.scope.is_never_created(name, it))
            || self.scope.dropped_rules.contains_key(&(name.to_owned(), object))
            || self
                .adoption
                .is_some_and(|adoption| adoption.is_omitted(self.module_id, name, object))
    }

    pub(super) fn resource_addresses(&self) -> IndexMap<String, ResourceAddress> {
        let scope = self.scope;
        let places = scope.resource_forms.iter().filter_map(|(name, place)| {
            let address = match place {
                ResourceForm::Module { name: label, unit, copies } => ResourceAddress {
                    copies: *copies,
                    module: Some((format!("module.{label}"), *unit)),
                    objects: Vec::new(),
                },
                ResourceForm::Objects(copies) => {
                    let expressed =
                        scope.catalog.resource(name).or_else(|| scope.members.get(name))?;
                    let address = |object: &model::ProviderObject| {
                        format!("{}.{}", object.kind, scope.object_label(name, &object.suffix))
                    };
                    let objects = expressed.objects.iter().map(address).collect();
                    ResourceAddress { copies: *copies, module: None, objects }
                }
                ResourceForm::Local { .. }
                | ResourceForm::Message { .. }
                | ResourceForm::Nothing(_) => return None,
            };
            Some((name.clone(), address))
        });
        places.collect()
    }

    /// The addresses of what a resource becomes.
    pub(super) fn addresses(&self, name: &str) -> Vec<String> {
        let scope = self.scope;
        match scope.resource_forms.get(name) {
            Some(ResourceForm::Module { name, .. }) => vec![format!("module.{name}")],
            Some(ResourceForm::Objects(_)) => {
                let expressed = scope.catalog.resource(name).or_else(|| scope.members.get(name));
                let objects = expressed.map_or(&[][..], |expressed| expressed.objects.as_slice());
                let address = |object: &model::ProviderObject| {
                    format!("{}.{}", object.kind, scope.object_label(name, &object.suffix))
                };
                let objects = objects.iter().enumerate();
                objects
                    .filter(|(number, _)| !self.is_left_out(name, *number))
                    .map(|(_, object)| address(object))
                    .collect()
            }
            Some(
                ResourceForm::Local { .. }
                | ResourceForm::Message { .. }
                | ResourceForm::Nothing(_),
            )
            | None => Vec::new(),
        }
    }

    /// Whether an expression contains sensitive values.
    pub(super) fn is_tainted(&self, expr: &Expr) -> bool {
        super::secrets::is_tainted(self.scope, &self.tainted, expr)
    }
}

/// The meta-arguments at the end of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct MetaArguments {
    pub(super) depends_on: Vec<String>,
    pub(super) prevents_destroy: bool,
    /// The arguments whose changes are ignored.
    pub(super) ignores: BTreeSet<String>,
}

impl MetaArguments {
    pub(super) fn items(self) -> Vec<BodyItem> {
        let mut items = Vec::new();
        if !self.depends_on.is_empty() {
            let words = self.depends_on.into_iter().map(Hcl::Verbatim).collect();
            items.push(BodyItem::argument("depends_on", Hcl::List(words)));
        }
        let mut body = Vec::new();
        if !self.ignores.is_empty() {
            let names = self.ignores.into_iter().map(Hcl::Verbatim).collect();
            body.push(BodyItem::argument("ignore_changes", Hcl::List(names)));
        }
        if self.prevents_destroy {
            body.push(BodyItem::argument("prevent_destroy", Hcl::Bool(true)));
        }
        if !body.is_empty() {
            items.push(BodyItem::block("lifecycle", &[], body));
        }
        items
    }
}
