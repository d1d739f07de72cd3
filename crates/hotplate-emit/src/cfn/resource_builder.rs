//! Builds one AWS resource, with the parts that all types share.

use std::sync::OnceLock;

use super::plan::{PlannedOutcome, PlannedResource};
use super::rules;
use super::tables::form;
use super::template_builder::{TemplateBuilder, ValueContext};
use super::value::text_of;
use crate::kit::{Expressed, Inexpressible};
use crate::mapping::{PropertyMapping, TypeMapping};
use crate::tree::{DataNode, DataTree};
use crate::{Loss, LossKind};
use heat_engine::eval::Value;
use heat_template::ir::{DeletionPolicy, Expr, ExprKind};
use source_diagnostics::Span;

/// Types for which AWS can take a snapshot on deletion.
const SNAPSHOTS: [&str; 2] = ["AWS::EC2::Volume", "AWS::RDS::DBInstance"];

/// An AWS resource while it is built.
pub(super) struct AwsResourceBuilder<'m> {
    /// The resource of the plan that it is built from.
    pub(super) planned: &'m PlannedResource<'m>,
    /// The row of its type in the mapping table.
    pub(super) mapping: &'static TypeMapping,
    /// The AWS type, such as `AWS::EC2::Instance`.
    pub(super) aws_type: String,
    /// The AWS properties, in the order in which they are written.
    pub(super) properties: Vec<(String, DataTree)>,
    /// The tags; written as the property `Tags`.
    tags: Vec<(String, DataTree)>,
    /// The logical IDs of `DependsOn`.
    pub(super) depends_on: Vec<String>,
}

impl<'m> AwsResourceBuilder<'m> {
    fn new(planned: &'m PlannedResource<'m>, to: &str, mapping: &'static TypeMapping) -> Self {
        let (properties, tags, depends_on) = (Vec::new(), Vec::new(), Vec::new());
        AwsResourceBuilder {
            planned,
            mapping,
            aws_type: to.to_owned(),
            properties,
            tags,
            depends_on,
        }
    }

    /// The context of a property's value.
    pub(super) fn here(&self, argument: &'m str, span: Span) -> ValueContext<'m> {
        let here = ValueContext::new(&self.planned.owner, &self.planned.id, argument, span);
        ValueContext { condition: self.planned.condition.as_deref(), ..here }
    }

    pub(super) fn heat_property(&self, name: &str) -> Option<&'m Expr> {
        crate::render_model::property(&self.planned.resource, name)
    }

    /// The span of the resource's name.
    pub(super) fn span(&self) -> Span {
        self.planned.resource.name_span
    }

    /// Reports why something is lost, together with the whole value that it is part of, which stays as a comment.
    pub(super) fn lose(
        &mut self,
        template_builder: &mut TemplateBuilder<'_>,
        why: &Inexpressible,
        whole: Span,
    ) {
        let lines = template_builder.lose_why(why, &self.planned.owner, whole);
        self.comment(lines);
    }

    /// Whether an AWS property is set.
    pub(super) fn has(&self, name: &str) -> bool {
        self.properties.iter().any(|(key, value)| key == name && value.kind != DataNode::Comment)
    }

    /// Sets an AWS property; a dot in the name leads into a map.
    pub(super) fn set(&mut self, name: &str, value: DataTree) {
        let Some((outer, inner)) = name.split_once('.') else {
            self.properties.push((name.to_owned(), value));
            return;
        };
        for (key, there) in &mut self.properties {
            if key == outer
                && let DataNode::Map(pairs) = &mut there.kind
            {
                pairs.push((inner.to_owned(), value));
                return;
            }
        }
        self.properties.push((outer.to_owned(), DataTree::map([(inner, value)])));
    }

    /// Appends the items of a list to a property that another Heat property set; returns a value that is
    /// not a list.
    fn join(&mut self, name: &str, value: DataTree) -> Result<(), DataTree> {
        let there = self.properties.iter_mut().find(|(key, _)| key == name).map(|(_, it)| it);
        match (there.map(|there| &mut there.kind), value) {
            (Some(DataNode::List(items)), DataTree { kind: DataNode::List(more), .. }) => {
                items.extend(more);
                Ok(())
            }
            (_, value) => Err(value),
        }
    }

    /// Adds a tag; AWS allows each key once, so the first one stays.
    pub(super) fn tag(&mut self, key: &str, value: DataTree) {
        if !self.tags.iter().any(|(there, _)| there == key) {
            self.tags.push((key.to_owned(), value));
        }
    }

    /// Adds a comment in place of a property.
    pub(super) fn comment(&mut self, lines: Vec<String>) {
        self.properties.push((String::new(), DataTree::comment(lines)));
    }

    fn finish(mut self) -> (String, Vec<(String, DataTree)>, Vec<String>) {
        if !self.tags.is_empty() {
            let tags = self.tags.drain(..).map(|(key, value)| {
                DataTree::map([("Key", DataTree::from(key.as_str())), ("Value", value)])
            });
            let tags = DataTree::list(tags.collect::<Vec<_>>());
            self.properties.push(("Tags".to_owned(), tags));
        }
        (self.aws_type, self.properties, self.depends_on)
    }
}

impl TemplateBuilder<'_> {
    /// Builds every resource of the plan.
    pub(super) fn make_resources(&mut self) {
        let keys: Vec<String> = self.plan.keys().cloned().collect();
        for key in &keys {
            let Some(planned) = self.plan.get(key).cloned() else { continue };
            let here = ValueContext::new(
                &planned.owner,
                &planned.id,
                "condition",
                planned.resource.name_span,
            );
            let (condition, lines) =
                self.condition_or_comment(planned.resource.condition.as_ref(), here);
            if let Some(planned) = self.plan.get_mut(key) {
                planned.condition = condition;
            }
            if !lines.is_empty() {
                self.resources.push((String::new(), DataTree::comment(lines)));
            }
        }
        for key in &keys {
            let Some(planned) = self.plan.get(key).cloned() else { continue };
            let is_member = planned.owner != *key;
            let resource = &planned.resource;
            let mut above = Vec::new();
            if !is_member {
                above = self.comments.take_lines(resource.name_span);
            }
            if let (Some(description), false) = (&resource.description, is_member)
                && let Some(text) = description.as_text()
            {
                above.extend(text.lines().map(str::to_owned));
            }
            match &planned.outcome {
                PlannedOutcome::Object(to, mapping) => {
                    self.object(&planned, to, mapping, above, is_member)
                }
                PlannedOutcome::Nested(id) => self.nested(&planned, *id, above),
                PlannedOutcome::Lost(why, suggestion) => {
                    let kind = &planned.kind;
                    let mut loss =
                        Loss::new(LossKind::ResourceType, kind, why.as_str(), resource.kind_span());
                    loss.suggestion.clone_from(suggestion);
                    // The snippet in the comment already contains the comments inside.
                    self.comments.take_inside(resource.definition_span());
                    let lines = self
                        .report_loss(loss.with_owner(&planned.owner), resource.definition_span());
                    above.extend(lines);
                    above.extend(self.comments.take_item(resource.name_span));
                    self.resource_comment(above);
                }
                PlannedOutcome::InstanceType => {
                    let parameter = self.instance_type_of(&planned);
                    let message = format!(
                        "AWS defines the instance types: the parameter `{parameter}` takes the place of the flavor \
                         `{}`",
                        planned.owner
                    );
                    let (kind, span) = (&planned.kind, resource.kind_span());
                    let loss = Loss::new(LossKind::ResourceType, kind, message, span);
                    self.losses.add(loss.with_owner(&planned.owner).as_note());
                    above.extend(self.comments.take_item(resource.name_span));
                    self.resource_comment(above);
                }
                PlannedOutcome::Members(_)
                | PlannedOutcome::Value
                | PlannedOutcome::Text
                | PlannedOutcome::Part
                | PlannedOutcome::Nothing => {
                    above.extend(self.comments.take_item(resource.name_span));
                    self.resource_comment(above);
                }
            }
        }
        self.replace_unsignaled_conditions();
        rules::wait_for_gateways(&mut self.resources);
        self.add_dependencies();
    }

    fn resource_comment(&mut self, lines: Vec<String>) {
        if !lines.is_empty() {
            self.resources.push((String::new(), DataTree::comment(lines)));
        }
    }

    fn object(
        &mut self,
        planned: &PlannedResource<'_>,
        to: &str,
        mapping: &'static TypeMapping,
        mut above: Vec<String>,
        is_member: bool,
    ) {
        let mut builder = AwsResourceBuilder::new(planned, to, mapping);
        self.properties(&mut builder, is_member);
        if let Some(rule) = &mapping.rule {
            rules::apply(rule, self, &mut builder);
        }
        rules::required(self, &mut builder);
        let (to, properties, depends_on) = builder.finish();
        let parts = self.common(planned, &to, &depends_on, &mut above);
        if !is_member {
            above.extend(self.comments.take_item(planned.resource.name_span));
        }
        self.finished(planned, &to, properties, parts, above);
    }

    /// The properties of something that is not a resource of its own, such as a launch template's instance.
    pub(super) fn object_inside(
        &mut self,
        planned: &PlannedResource<'_>,
        to: &str,
        mapping: &'static TypeMapping,
    ) -> Vec<(String, DataTree)> {
        let mut builder = AwsResourceBuilder::new(planned, to, mapping);
        self.properties(&mut builder, true);
        if let Some(rule) = &mapping.rule {
            rules::apply(rule, self, &mut builder);
        }
        builder.finish().1
    }

    /// Adds a finished resource.
    pub(super) fn finished(
        &mut self,
        planned: &PlannedResource<'_>,
        to: &str,
        properties: Vec<(String, DataTree)>,
        parts: Vec<(String, DataTree)>,
        above: Vec<String>,
    ) {
        let mut pairs = vec![("Type".to_owned(), DataTree::from(to))];
        pairs.extend(parts);
        if !properties.is_empty() {
            pairs.push(("Properties".to_owned(), DataTree::map(properties)));
        }
        self.resources.push((planned.id.clone(), DataTree::map(pairs).above(above)));
    }

    /// Adds a resource that belongs to another one.
    pub(super) fn add_helper_resource(
        &mut self,
        planned: &PlannedResource<'_>,
        suffix: &str,
        to: &str,
        properties: Vec<(&str, DataTree)>,
        depends_on: Option<&str>,
    ) -> String {
        let id = self.names.allocate(&format!("{}{suffix}", planned.id));
        let mut pairs = vec![("Type", DataTree::from(to))];
        if let Some(condition) = &planned.condition {
            pairs.push(("Condition", DataTree::from(condition.as_str())));
        }
        if let Some(depends_on) = depends_on {
            pairs.push(("DependsOn", DataTree::from(depends_on)));
        }
        if !properties.is_empty() {
            pairs.push(("Properties", DataTree::map(properties)));
        }
        self.resources.push((id.clone(), DataTree::map(pairs)));
        self.helpers.entry(planned.id.clone()).or_default().push(id.clone());
        id
    }

    /// Translates the sections that resources of every type have.
    pub(super) fn common(
        &mut self,
        planned: &PlannedResource<'_>,
        to: &str,
        also: &[String],
        above: &mut Vec<String>,
    ) -> Vec<(String, DataTree)> {
        let resource = &planned.resource;
        let owner = planned.owner.as_str();
        let mut parts = Vec::new();
        if let Some(condition) = &planned.condition {
            parts.push(("Condition".to_owned(), DataTree::from(condition.as_str())));
        }
        match also {
            [] => {}
            [one] => parts.push(("DependsOn".to_owned(), DataTree::from(one.as_str()))),
            many => {
                let items = many.iter().map(|id| DataTree::from(id.as_str()));
                parts.push(("DependsOn".to_owned(), DataTree::list(items)));
            }
        }
        let policy = match &resource.deletion_policy {
            None => None,
            Some(DeletionPolicy::Delete) => Some("Delete".to_owned()),
            Some(DeletionPolicy::Retain) => Some("Retain".to_owned()),
            Some(DeletionPolicy::Snapshot) => Some("Snapshot".to_owned()),
            Some(DeletionPolicy::Other(expr)) => match self.evaluator.constant(expr) {
                Some(Value::Text(text)) => Some(text.to_string()),
                _ => Some(String::new()),
            },
        };
        if let Some(policy) = policy {
            let is_expressed = match policy.as_str() {
                "Delete" | "Retain" => true,
                "Snapshot" => SNAPSHOTS.contains(&to),
                _ => false,
            };
            if is_expressed {
                parts.push(("DeletionPolicy".to_owned(), DataTree::from(policy.as_str())));
            } else {
                let span = resource.deletion_policy_span.unwrap_or(resource.name_span);
                let message =
                    format!("the deletion policy of `{owner}` has no counterpart for `{to}`");
                above.extend(self.report_section("deletion_policy", message, span, owner));
            }
        }
        if let Some(metadata) = &resource.metadata {
            let here = ValueContext::new(owner, &planned.id, "metadata", metadata.span);
            match self.expr(metadata, form("data"), here) {
                Ok(tree) if matches!(tree.kind, DataNode::Map(_)) => {
                    parts.push(("Metadata".to_owned(), tree));
                }
                Ok(_) => {
                    let message = format!(
                        "the metadata of `{owner}` are not a map that is known while rendering"
                    );
                    above.extend(self.report_section("metadata", message, metadata.span, owner));
                }
                Err(why) => above.extend(self.lose_why(&why, owner, metadata.span)),
            }
        }
        if let Some(policy) = &resource.update_policy {
            let message = format!("the update policy of `{owner}` has no counterpart");
            above.extend(self.report_section("update_policy", message, policy.span, owner));
        }
        parts
    }

    /// Reports a section, or a key of one, that CloudFormation does not support.
    pub(super) fn report_section(
        &mut self,
        name: &str,
        message: String,
        span: Span,
        owner: &str,
    ) -> Vec<String> {
        let loss = Loss::new(LossKind::Section, name, message, span).with_owner(owner);
        self.report_loss(loss, span)
    }

    /// Translates the properties that have a row in the table.
    fn properties(&mut self, builder: &mut AwsResourceBuilder<'_>, is_member: bool) {
        let Some(properties) = &builder.planned.resource.properties else { return };
        let ExprKind::Map(pairs) = &properties.kind else {
            let message = format!("the properties of `{}` are computed", builder.planned.owner);
            let lines = self.report_lost_item(
                "properties",
                message,
                properties.span,
                &builder.planned.owner,
            );
            builder.comment(lines);
            return;
        };
        for pair in pairs {
            let Some(name) = pair.key.as_text() else { continue };
            let mut above = Vec::new();
            let mut beside = None;
            if !is_member {
                (above, beside) = self.comments.take_around(pair.key.span);
            }
            let before = builder.properties.len();
            self.property(
                builder,
                name,
                &pair.value,
                Span { end: pair.value.span.end.max(pair.key.span.end), ..pair.key.span },
            );
            match builder.properties.get_mut(before) {
                Some((_, tree)) => {
                    let old = std::mem::replace(tree, DataTree::new(DataNode::Comment));
                    let is_expressed = old.kind != DataNode::Comment;
                    let mut tree_above = above;
                    if !is_expressed {
                        tree_above.extend(beside.take());
                    }
                    *tree = old.above(tree_above).beside(beside);
                }
                None => {
                    above.extend(beside);
                    if !above.is_empty() {
                        builder.comment(above);
                    }
                }
            }
        }
    }

    fn property(
        &mut self,
        builder: &mut AwsResourceBuilder<'_>,
        name: &str,
        value: &Expr,
        whole: Span,
    ) {
        let planned = builder.planned;
        let owner = planned.owner.as_str();
        let row = builder.mapping.properties.get(name).unwrap_or_else(|| no_row());
        if let Some(rule) = &row.rule {
            rules::property(rule, self, builder, name, value, whole);
            return;
        }
        let Some(to) = &row.to else {
            if self.evaluator.constant(value) == Some(Value::Null) {
                return;
            }
            if let Some(why) = self.why_without_effect(&planned.kind, name, row, value) {
                let message = format!("`{name}` of `{owner}` is omitted: {why}");
                return self.report_note(name, message, whole, owner);
            }
            let note = row.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
            let message =
                format!("`{name}` of `{owner}` has no counterpart in `{}`{note}", builder.aws_type);
            let lines = self.report_lost_item(name, message, whole, owner);
            builder.comment(lines);
            return;
        };
        let mut here = builder.here(to, value.span);
        if row.required {
            here = here.required();
        }
        match self.mapped(value, row, here) {
            Ok(Some(tree)) => {
                if let Err(tree) = builder.join(to, tree) {
                    if builder.has(to) {
                        let message = format!(
                            "`{name}` of `{owner}`: `{to}` is already set by another property"
                        );
                        let lines = self.report_lost_item(name, message, whole, owner);
                        return builder.comment(lines);
                    }
                    builder.set(to, tree);
                }
            }
            Ok(None) => {}
            Err(why) => {
                let lines = self.lose_why(&why, owner, whole);
                builder.comment(lines);
            }
        }
    }

    /// Why the result is the same without a property, if it is: the table says so of the value, the value is
    /// empty, or it is Heat's default, so that the template is the same without it.
    fn why_without_effect(
        &self,
        kind: &str,
        name: &str,
        row: &PropertyMapping,
        value: &Expr,
    ) -> Option<String> {
        let constant = self.evaluator.constant(value);
        let text = constant.as_ref().and_then(text_of);
        let listed = text.as_ref().and_then(|text| row.no_effect.get(text.as_str()));
        if let Some(why) = row.no_effect.get("any").or(listed) {
            return Some(why.clone());
        }
        let is_empty = match constant?.unsealed() {
            Value::List(items) => items.is_empty(),
            Value::Map(map) => map.is_empty(),
            Value::Text(text) => text.is_empty(),
            _ => false,
        };
        if is_empty {
            return Some("it is empty".to_owned());
        }
        let property = self.model.schema().type_info(kind)?.properties.get(name)?;
        let default = match property.default.as_ref()? {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        default.eq_ignore_ascii_case(&text?).then(|| "it is Heat's default".to_owned())
    }

    /// Reports a difference that takes nothing away.
    pub(super) fn report_note(&mut self, name: &str, message: String, span: Span, owner: &str) {
        let loss = Loss::new(LossKind::Property, name, message, span).with_owner(owner);
        self.losses.add(loss.as_note());
    }

    /// Translates a value by its row in the table; `None` for null.
    pub(super) fn mapped(
        &mut self,
        value: &Expr,
        row: &PropertyMapping,
        here: ValueContext<'_>,
    ) -> Expressed<Option<DataTree>> {
        let value = self.fold(value, here.argument)?;
        let value = match value.unsealed() {
            Value::Null | Value::Elided => return Ok(None),
            Value::Text(text) => match row.values.get(text.as_str()) {
                Some(mapped) => Value::text(mapped.as_str()),
                None => value,
            },
            _ => value,
        };
        let wanted = form(row.holds.as_deref().unwrap_or("text"));
        self.value(&value, wanted, here).map(Some)
    }
}

/// The row of a property that the table does not have.
fn no_row() -> &'static PropertyMapping {
    static NONE: OnceLock<PropertyMapping> = OnceLock::new();
    NONE.get_or_init(PropertyMapping::default)
}
