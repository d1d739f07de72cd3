//! The section `resources`: translates each resource of the flat stack.

use std::collections::{BTreeSet, HashMap};

use super::dependencies::MadeObjects;
use super::expr_generator::{ExprGenerator, loss_at};
use super::heat_only_types::{self, HeatOnlyType};
use super::names::PulumiNames;
use super::value::PulumiValue;
use crate::kit::{Expressed, Inexpressible, Omission, Outdent, lost_comment, original_lines};
use crate::openstack_provider::model::{ProviderObject, ResourceObjects as SaidObjects};
use crate::openstack_provider::schema::ProviderSchema;
use crate::openstack_provider::{Counterpart, counterpart, grants_access, is_restricting_argument};
use crate::tree::DataTree;
use crate::{Comments, Loss, LossKind, ModuleId, ResourceImplementation};
use heat_engine::eval::Value;
use heat_template::ir::{DeletionPolicy, Expr, Resource};
use source_diagnostics::Span;

/// Absent objects, by their resource and index among its objects. The value has the reason and the whole
/// definition if something that they need cannot be expressed: the program is written again without them,
/// and reports the reason again.
pub(super) type AbsentObjects = HashMap<(String, usize), Option<(Inexpressible, Span)>>;

/// A resource while it is translated.
struct ResourceInput<'s> {
    name: &'s str,
    resource: &'s Resource,
    /// The type after the registry is applied.
    kind: &'s str,
}

fn boolean(value: bool) -> DataTree {
    lossless_yaml::Value::Bool(value).into()
}

impl ExprGenerator<'_> {
    fn place_of<'s>(&'s self, name: &'s str, resource: &'s Resource) -> Option<ResourceInput<'s>> {
        match self.flat_stack.module.implementations.get(name)? {
            ResourceImplementation::ResourceType(kind) => {
                Some(ResourceInput { name, resource, kind })
            }
            ResourceImplementation::Template(_)
            | ResourceImplementation::Group { .. }
            | ResourceImplementation::Unknown(_) => None,
        }
    }

    /// Allocates all names, and finds out which objects are absent.
    pub(super) fn name_resources(&self, dead: &AbsentObjects) {
        for (name, resource) in &self.flat_stack.module.stack.resources {
            if let Some(condition) = &resource.condition {
                match self.decided(condition, condition.span) {
                    Ok(true) => {}
                    Ok(false) => {
                        self.absent.borrow_mut().insert(name.clone());
                        continue;
                    }
                    Err(lost) => self.report_loss(&lost, name, condition.span),
                }
            }
            let Some(place) = self.place_of(name, resource) else { continue };
            let is_dead = |index: usize| dead.contains_key(&(name.clone(), index));
            if is_dead(0) {
                continue;
            }
            match heat_only_types::heat_only_type(place.kind) {
                Some(HeatOnlyType::Variable) => {
                    let variable = self.scope.allocate(name);
                    self.values.borrow_mut().insert(name.clone(), variable);
                }
                Some(HeatOnlyType::Nothing) => {}
                None => {
                    let objects = self.catalog.resource(name).map(|expressed| &expressed.objects);
                    let objects = objects.into_iter().flatten().enumerate();
                    for (index, object) in objects.filter(|(index, _)| !is_dead(*index)) {
                        self.scope.name_object(name, index, &object.suffix);
                    }
                }
            }
        }
    }

    /// The section; objects that turn out to be impossible are added to `dead`.
    pub(super) fn resources(
        &self,
        comments: &[Comments<'_>],
        dead: &mut AbsentObjects,
    ) -> DataTree {
        let mut pairs = Vec::new();
        let mut made = MadeObjects::default();
        for (name, resource) in &self.flat_stack.module.stack.resources {
            let origin = self.flat_stack.origins.get(name);
            let comments = origin.and_then(|origin| comments.get(origin.module.0));
            let (mut above, beside) =
                comments.map(|it| it.take_around(resource.name_span)).unwrap_or_default();
            let mut expressed = self.resource(name, resource, dead);
            above.extend(comments.into_iter().flat_map(|it| it.take_item(resource.name_span)));
            match expressed.first_mut() {
                Some((_, tree)) => *tree = tree.clone().above(above).beside(beside),
                None => {
                    above.extend(beside);
                    if !above.is_empty() {
                        expressed.push((name.clone(), DataTree::comment(above)));
                    }
                }
            }
            made.extend(name, &expressed);
            pairs.extend(expressed);
        }
        self.add_dependencies(&made, &mut pairs);
        DataTree::map(pairs)
    }

    fn resource(
        &self,
        name: &str,
        resource: &Resource,
        dead: &mut AbsentObjects,
    ) -> Vec<(String, DataTree)> {
        self.current_span.set(resource.name_span);
        if self.absent.borrow().contains(name) {
            return vec![self.loss_comment(name, resource, "its condition is false")];
        }
        if let Some(Some((lost, whole))) = dead.get(&(name.to_owned(), 0)) {
            self.losses.borrow_mut().add(loss_at(lost, name, *whole).dropping_whole_value());
            if let Some(object) = self.catalog.resource(name).and_then(|it| it.objects.first()) {
                self.report_dropped_rule(&object.kind, lost, name, *whole);
            }
            return vec![self.loss_comment(name, resource, &lost.message)];
        }
        let kind = match self.flat_stack.module.implementations.get(name) {
            Some(ResourceImplementation::ResourceType(kind)) => kind.as_str(),
            Some(ResourceImplementation::Group { kind, .. }) => {
                let kind = format!("{kind:?}");
                let why = match kind.starts_with("DeploymentGroup") {
                    true => "Pulumi does not apply software deployments to servers".to_owned(),
                    false => {
                        "Pulumi YAML has no loops, and the number of members is not known while \
                         rendering"
                            .to_owned()
                    }
                };
                return vec![self.lost_resource(name, resource, &why, self.count_of(resource))];
            }
            Some(ResourceImplementation::Unknown(why)) => {
                return vec![self.lost_resource(name, resource, why, None)];
            }
            Some(ResourceImplementation::Template(_)) | None => {
                return vec![self.lost_resource(
                    name,
                    resource,
                    "its implementation is unknown",
                    None,
                )];
            }
        };
        let place = ResourceInput { name, resource, kind };
        match heat_only_types::heat_only_type(kind) {
            Some(HeatOnlyType::Variable) => return self.variable_of(&place, dead),
            Some(HeatOnlyType::Nothing) => return Vec::new(),
            None => {}
        }
        let Some(expressed) = self.catalog.resource(name) else {
            return vec![match counterpart(kind) {
                Counterpart::Nothing { why, suggestion } => {
                    self.lost_resource(name, resource, why, suggestion.map(str::to_owned))
                }
                // The catalog has reported the reason.
                Counterpart::Object(_) | Counterpart::Part => self.loss_comment(
                    name,
                    resource,
                    "a required argument of the provider cannot be expressed",
                ),
            }];
        };
        self.report_ignored_sections(&place);
        if let Some(id) = &resource.external_id {
            return self.adopted(&place, expressed, id);
        }
        let mut pairs = Vec::new();
        for (index, object) in expressed.objects.iter().enumerate() {
            let key = (name.to_owned(), index);
            if self.adoption.is_some_and(|it| it.is_omitted(ModuleId(0), name, index)) {
                let exists = format!("{name}: it already exists and cannot be imported");
                let lines = [vec![exists], self.original(self.closed(object.span))].concat();
                pairs.push((name.to_owned(), DataTree::comment(lines)));
                continue;
            }
            let made = match dead.get(&key) {
                None => self.object(&place, index, object),
                Some(None) => continue,
                Some(Some((lost, _))) => Err(lost.clone().into()),
            };
            match made {
                Ok(Some(objects)) => pairs.extend(objects),
                Ok(None) => {
                    dead.insert(key, None);
                }
                Err(lost) => {
                    self.report_loss(&lost, name, object.span);
                    self.report_dropped_rule(&object.kind, &lost, name, object.span);
                    dead.insert(key, Some((Inexpressible::clone(&lost), object.span)));
                    if index == 0 {
                        pairs.push(self.loss_comment(name, resource, &lost.message));
                        continue;
                    }
                    let mut lines = vec![format!("{name}: {}", lost.message)];
                    lines.extend(self.original(self.closed(object.span)));
                    let remark = (name.to_owned(), DataTree::comment(lines));
                    // Two objects of one resource have the same definition in the template.
                    if pairs.last() != Some(&remark) {
                        pairs.push(remark);
                    }
                }
            }
        }
        pairs
    }

    /// Reports an omitted object that would allow access.
    fn report_dropped_rule(&self, kind: &str, lost: &Inexpressible, owner: &str, span: Span) {
        if grants_access(kind) {
            self.losses.borrow_mut().add(Loss::dropped_security_rule(owner, &lost.message, span));
        }
    }

    /// An object; several if there is one for each item of a list, and none if its condition is
    /// false.
    fn object(
        &self,
        place: &ResourceInput<'_>,
        index: usize,
        object: &ProviderObject,
    ) -> Expressed<Option<Vec<(String, DataTree)>>> {
        let is_there = |items: &[Value]| -> Expressed<bool> {
            let Some(only_if) = &object.only_if else { return Ok(true) };
            Ok(self.argument(only_if, items)?
                == Some(PulumiValue::Data(lossless_yaml::Value::Bool(true))))
        };
        let name = self.scope.object(place.name, index).unwrap_or_default();
        let Some(list) = &object.each else {
            return match is_there(&[])? {
                true => Ok(Some(vec![(name, self.object_tree(place, Some(index), object, &[])?)])),
                false => Ok(None),
            };
        };
        let mut pairs = Vec::new();
        for (number, item) in self.items(list, &[])?.iter().enumerate() {
            let items = std::slice::from_ref(item);
            if *item.unsealed() == Value::Null || !is_there(items)? {
                continue;
            }
            let name = match number {
                0 => name.clone(),
                _ => self.scope.allocate(&format!("{name}_{number}")),
            };
            pairs.push((name, self.object_tree(place, None, object, items)?));
        }
        Ok(Some(pairs))
    }

    fn object_tree(
        &self,
        place: &ResourceInput<'_>,
        index: Option<usize>,
        object: &ProviderObject,
        items: &[Value],
    ) -> Expressed<DataTree> {
        let Some(kind) = PulumiNames::get().resources.get(&object.kind) else {
            let why = "Pulumi's provider has no equivalent";
            return Err(Inexpressible::value(&object.kind, why, object.span));
        };
        let schema = ProviderSchema::get().resources.get(&object.kind);
        let is_required = |name: &str| {
            is_restricting_argument(&object.kind, name)
                || name != "name"
                    && schema
                        .and_then(|kind| kind.arguments.get(name))
                        .is_some_and(|argument| argument.required)
        };
        let mut needed = None;
        let mut remarks = Vec::new();
        let arguments = self.arguments(&object.arguments, &kind.shape, items, &mut |name, lost| {
            if is_required(name) && needed.is_none() {
                needed = Some(lost.clone());
            }
            let loss = loss_at(&lost, place.name, object.span).dropping_whole_value();
            remarks.push(format!("{}: {}", kind.shape.name(name), lost.message));
            remarks.extend(self.original(loss.span));
            self.losses.borrow_mut().add(loss);
        });
        if let Some(lost) = needed {
            return Err(lost);
        }
        let mut pairs = vec![("type", DataTree::from(kind.token.as_str()))];
        let mut properties: Vec<(String, DataTree)> =
            arguments.into_iter().map(|(name, form)| (name, form.into_tree())).collect();
        if !remarks.is_empty() {
            properties.push(("lost".to_owned(), DataTree::comment(remarks)));
        }
        if !properties.is_empty() {
            pairs.push(("properties", DataTree::map(properties)));
        }
        let mut options = self.options(place);
        let mut ignores: BTreeSet<&String> = object.ignores.iter().collect();
        if let (Some(index), Some(adoption)) = (index, self.adoption)
            && let Some(id) = adoption.flat_import(place.name, index)
        {
            options.extend([("import", DataTree::from(id)), ("protect", boolean(true))]);
            ignores.extend(adoption.ignored(ModuleId(0), place.name, index).into_iter().flatten());
        }
        if !ignores.is_empty() {
            let names = ignores.into_iter().map(|it| DataTree::from(kind.shape.name(it).as_str()));
            options.push(("ignoreChanges", DataTree::list(names)));
        }
        if !options.is_empty() {
            pairs.push(("options", DataTree::map(options)));
        }
        Ok(DataTree::map(pairs))
    }

    /// An existing resource that is read, not managed.
    fn adopted(
        &self,
        place: &ResourceInput<'_>,
        expressed: &SaidObjects,
        id: &Expr,
    ) -> Vec<(String, DataTree)> {
        let object = expressed.objects.first();
        let kind = object.and_then(|object| PulumiNames::get().resources.get(&object.kind));
        let name = self.scope.object(place.name, 0);
        match (self.expr(id), kind, name) {
            (Ok(id), Some(kind), Some(name)) => {
                let tree = DataTree::map([
                    ("type", DataTree::from(kind.token.as_str())),
                    ("get", DataTree::map([("id", id.into_tree())])),
                ]);
                vec![(name, tree)]
            }
            (Err(lost), ..) => {
                self.report_loss(&lost, place.name, id.span);
                vec![self.loss_comment(place.name, place.resource, &lost.message)]
            }
            _ => vec![self.lost_resource(place.name, place.resource, "it is omitted", None)],
        }
    }

    fn options(&self, place: &ResourceInput<'_>) -> Vec<(&'static str, DataTree)> {
        let mut options = Vec::new();
        if self.is_kept(place) {
            options.push(("retainOnDelete", boolean(true)));
        }
        options
    }

    fn is_kept(&self, place: &ResourceInput<'_>) -> bool {
        let lose = |why: &str| {
            let span = place.resource.deletion_policy_span.unwrap_or(place.resource.name_span);
            let message = format!("`{}`: {why}", place.name);
            let loss = Loss::new(LossKind::Section, "deletion_policy", message, span);
            self.losses.borrow_mut().add(loss.with_owner(place.name));
        };
        match &place.resource.deletion_policy {
            None | Some(DeletionPolicy::Delete) => false,
            Some(DeletionPolicy::Retain) => true,
            Some(DeletionPolicy::Snapshot) => {
                lose("Pulumi takes no snapshot before it deletes a resource");
                false
            }
            Some(DeletionPolicy::Other(policy)) => match self.evaluator.constant(policy) {
                Some(value) if *value.unsealed() == Value::text("Retain") => true,
                Some(value) if *value.unsealed() == Value::text("Delete") => false,
                Some(_) => {
                    lose("Pulumi takes no snapshot before it deletes a resource");
                    false
                }
                None => {
                    lose("Pulumi YAML requires a value that is known while rendering");
                    false
                }
            },
        }
    }

    /// Reports the sections of a resource that have no counterpart in Pulumi.
    fn report_ignored_sections(&self, place: &ResourceInput<'_>) {
        let sections = [
            ("metadata", &place.resource.metadata, "Pulumi resources have no metadata"),
            ("update_policy", &place.resource.update_policy, "Pulumi has no rolling updates"),
        ];
        for (section, value, why) in sections {
            if let Some(value) = value {
                let message = format!("`{}`: {why}", place.name);
                let loss = Loss::new(LossKind::Section, section, message, value.span);
                self.losses.borrow_mut().add(loss.with_owner(place.name));
            }
        }
    }

    /// A resource that becomes a variable.
    fn variable_of(
        &self,
        place: &ResourceInput<'_>,
        dead: &mut AbsentObjects,
    ) -> Vec<(String, DataTree)> {
        let Some(variable) = self.values.borrow().get(place.name).cloned() else {
            return vec![self.loss_comment(
                place.name,
                place.resource,
                "its value cannot be expressed",
            )];
        };
        let mut lost = Vec::new();
        match heat_only_types::value(self, place.kind, place.resource, &mut lost) {
            Ok(form) => {
                let mut comment = Vec::new();
                for part in lost {
                    self.report_loss(&part, place.name, part.span);
                    let original = self.model.snippet(part.span).unwrap_or_default();
                    comment.extend(lost_comment(
                        Omission::Lost,
                        &part.message,
                        original,
                        Outdent::Common,
                    ));
                }
                heat_only_types::lost_properties(self, place.name, place.kind, place.resource);
                self.variables.borrow_mut().insert(variable, form.into_tree().above(comment));
                Vec::new()
            }
            Err(lost) => {
                let whole = place.resource.definition_span();
                self.losses
                    .borrow_mut()
                    .add(loss_at(&lost, place.name, whole).dropping_whole_value());
                dead.insert((place.name.to_owned(), 0), Some((Inexpressible::clone(&lost), whole)));
                vec![self.loss_comment(place.name, place.resource, &lost.message)]
            }
        }
    }

    fn count_of(&self, resource: &Resource) -> Option<String> {
        let counts = ["count", "desired_capacity", "min_size", "resources"];
        let counts = counts.iter().filter_map(|name| crate::render_model::property(resource, name));
        let names: Vec<String> = counts.flat_map(|expr| self.deciding_parameters(expr)).collect();
        names.into_iter().next().map(|name| format!("--bake={name}"))
    }

    fn lost_resource(
        &self,
        name: &str,
        resource: &Resource,
        why: &str,
        suggestion: Option<String>,
    ) -> (String, DataTree) {
        let kind = resource.kind.as_ref();
        let subject = kind.map_or("resource", |kind| kind.text.as_str());
        let span = kind.map_or(resource.name_span, |kind| kind.span);
        let message = format!("`{name}` ({subject}): {why}");
        let mut loss = Loss::new(LossKind::ResourceType, subject, message, span).with_owner(name);
        loss.suggestion = suggestion;
        self.losses.borrow_mut().add(loss);
        self.loss_comment(name, resource, why)
    }

    /// A comment in place of a resource, with the original.
    fn loss_comment(&self, name: &str, resource: &Resource, why: &str) -> (String, DataTree) {
        let mut lines = vec![format!("{name}: {why}")];
        lines.extend(self.original(self.closed(resource.definition_span())));
        (name.to_owned(), DataTree::comment(lines))
    }

    /// A span extended by the closing brackets of what starts inside it.
    fn closed(&self, place: Span) -> Span {
        let mut longer = place;
        loop {
            let snippet = self.model.snippet(longer).unwrap_or_default();
            let count = |letter: char| snippet.matches(letter).count();
            let open = count('{') > count('}') || count('[') > count(']');
            if !open {
                return if snippet.is_empty() { place } else { longer };
            }
            let text = self.model.modules.iter().map(|unit| &unit.document);
            let text = text.into_iter().find(|document| document.source() == place.source);
            let rest = text.and_then(|document| document.text().get(longer.end as usize..));
            let next = rest.and_then(|rest| rest.find(['}', ']']));
            match next.and_then(|next| u32::try_from(next + 1).ok()) {
                Some(next) => longer.end += next,
                // The brackets may be inside quotes.
                None => return place,
            }
        }
    }

    /// The source text of a span, as lines of a comment.
    pub(super) fn original(&self, span: Span) -> Vec<String> {
        let snippet = self.model.snippet(span).unwrap_or_default();
        original_lines(snippet, Outdent::Common).take(MAX_SNIPPET_LINES).collect()
    }

    pub(super) fn outputs(&self, comments: &Comments<'_>) -> DataTree {
        let mut pairs = Vec::new();
        for (name, output) in &self.flat_stack.module.stack.outputs {
            self.current_span.set(output.name_span);
            let (mut above, beside) = comments.take_around(output.name_span);
            let description = output.description.as_ref().and_then(Expr::as_text);
            above.extend(description.into_iter().flat_map(|it| it.lines().map(str::to_owned)));
            let is_told = match &output.condition {
                None => Ok(true),
                Some(condition) => self.decided(condition, condition.span),
            };
            let value = match (is_told, &output.value) {
                (Ok(true), Some(value)) => self.expr(value),
                (Ok(true), None) => Ok(PulumiValue::NULL),
                (Ok(false), _) => {
                    above.extend(comments.take_item(output.name_span));
                    above.push(format!("{name}: its condition is false"));
                    pairs.push((name.clone(), DataTree::comment(above)));
                    continue;
                }
                (Err(lost), _) => Err(lost),
            };
            match value {
                Ok(form) => {
                    let inner = comments.take_item(output.name_span);
                    let above = above.into_iter().chain(inner);
                    pairs.push((name.clone(), form.into_tree().above(above).beside(beside)));
                }
                Err(lost) => {
                    let span = output.value.as_ref().map_or(output.name_span, |value| value.span);
                    self.report_loss(&lost, name, span);
                    let original: Vec<String> = self.original(span);
                    if original.len() < MAX_SNIPPET_LINES {
                        // The original contains the comments inside.
                        comments.take_inside(span);
                    }
                    above.extend(comments.take_item(output.name_span));
                    above.push(format!("{name}: {}", lost.message));
                    above.extend(original);
                    pairs.push((name.clone(), DataTree::comment(above)));
                }
            }
        }
        DataTree::map(pairs)
    }
}

/// The maximum number of lines of the original in a comment.
const MAX_SNIPPET_LINES: usize = 40;
