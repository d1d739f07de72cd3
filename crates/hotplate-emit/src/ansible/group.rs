//! Groups of resources: tasks that loop over the numbers of the members.

use super::jinja::{JinjaExpr, TextPart, quoted};
use super::options::TaskSubject;
use super::scope::{MemberIndex, PlaybookForm, PlaybookResource, TemplateScope};
use super::task::{TaskContext, pairs, title};
use crate::kit::{Inexpressible, TargetLanguage as _, key_text};
use crate::render_model::property;
use crate::tree::{DataNode, DataTree};
use crate::{LossKind, ResourceImplementation};
use heat_engine::eval::HeatGroup;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Resource};
use lossless_yaml::Value as Data;

/// The only type of variables of which there are groups.
const RANDOM_STRING: &str = "OS::Heat::RandomString";

/// Whether the members of a group are random strings.
pub(super) fn is_random_string(member: &ResourceImplementation) -> bool {
    matches!(member, ResourceImplementation::ResourceType(kind) if kind == RANDOM_STRING)
}

impl TemplateScope<'_> {
    /// The tasks of a group.
    /// A group: the task, or the included tasks, in a loop.
    pub(super) fn group(
        &self,
        name: &str,
        resource: &Resource,
        made: &PlaybookResource,
        mut around: TaskContext,
    ) -> Vec<DataTree> {
        let is_scaling = made.group == Some(HeatGroup::AutoScalingGroup);
        let (member, count) = match is_scaling {
            false => ("resource_def", property(resource, "count").cloned()),
            true => (
                "resource",
                property(resource, "desired_capacity").or(property(resource, "min_size")).cloned(),
            ),
        };
        for pair in pairs(resource.properties.as_ref()).unwrap_or_default() {
            let key = key_text(&pair.key).unwrap_or_default();
            around.comments.extend(self.comments.take_above(pair.key.span));
            let expressed = match is_scaling {
                false => ["count", "index_var", "resource_def"].contains(&key.as_str()),
                true => ["desired_capacity", "resource"].contains(&key.as_str()),
            };
            let is_min =
                is_scaling && key == "min_size" && property(resource, "desired_capacity").is_none();
            if !expressed && !is_min {
                let message = match is_scaling {
                    true => format!(
                        "a playbook does not scale a group: `{key}` of `{name}` has no effect"
                    ),
                    false => format!(
                        "a playbook creates every member: `{key}` of `{name}` has no effect"
                    ),
                };
                let lost = Inexpressible::new(LossKind::Property, &key, message, pair.key.span);
                let whole = source_diagnostics::Span { end: pair.value.span.end, ..pair.key.span };
                around.comments.extend(self.loss_comment(&lost, whole));
                self.report_loss(name, &lost);
            }
        }
        let count = match count.as_ref().filter(|it| it.kind != ExprKind::Null) {
            None => Ok(JinjaExpr::primary("1", TypeSet::NUMBER)),
            Some(count) => self.expression(count),
        };
        let count = match count {
            Ok(code) if code.shape == TypeSet::NUMBER => code,
            Ok(code) => code.filter("int", TypeSet::NUMBER),
            Err(lost) => {
                around.comments.extend(self.loss_comment(&lost, lost.span));
                self.report_loss(name, &lost);
                return self.omitted_resource(
                    name,
                    resource,
                    "the number of its members cannot be expressed",
                    around,
                );
            }
        };
        let definition = property(resource, member);
        let properties = pairs(definition.and_then(|it| it.member("properties")));
        let Some(properties) = properties else { return self.computed(name, resource, around) };
        if let Some(metadata) = definition.and_then(|it| it.member("metadata")) {
            let message = format!("the metadata of the members of `{name}` exist only in Heat");
            self.report_loss(
                name,
                &Inexpressible::new(LossKind::Section, "metadata", message, metadata.span),
            );
        }
        let list = JinjaExpr::primary(format!("range({})", count.text), TypeSet::LIST)
            .filter("list", TypeSet::LIST);
        let variable = self.name(&format!("{}_index", super::names::identifier(name)));
        let placeholder = match (is_scaling, property(resource, "index_var").map(Expr::as_text)) {
            (true, _) => String::new(),
            (false, Some(Some(text))) => text.to_owned(),
            (false, _) => "%index%".to_owned(),
        };
        *self.index.borrow_mut() = Some(MemberIndex { placeholder, variable: variable.clone() });
        around.loop_over = Some((list.clone(), variable.clone()));
        match &made.form {
            PlaybookForm::Object(mapping) => {
                let kind = definition.and_then(|it| it.member("type")).and_then(Expr::as_text);
                let span = resource.name_span;
                let kind = kind.unwrap_or_default();
                let subject = TaskSubject { name, kind, mapping, properties, span };
                self.object(&subject, made, around, &[])
            }
            PlaybookForm::Nested(unit) => {
                let prefix = format!("{}_", made.variable);
                let into = vec![
                    TextPart::Text(prefix.clone()),
                    TextPart::Code(JinjaExpr::primary(variable, TypeSet::NUMBER)),
                ];
                let when = around.when.clone();
                let mut tasks = self.include(name, *unit, properties, into, around);
                let names = list.filter(
                    &format!("map('regex_replace', '^', {})", quoted(&prefix).text),
                    TypeSet::LIST,
                );
                let all =
                    format!("{{{{ query('ansible.builtin.vars', *({} | list)) }}}}", names.text);
                let mut keys = vec![
                    ("name".to_owned(), title("Collect the outputs of", "stacks", name)),
                    (
                        "ansible.builtin.set_fact".to_owned(),
                        DataTree::map([(made.variable.as_str(), Data::Text(all).into())]),
                    ),
                ];
                if let Some(when) = when {
                    keys.push(("when".to_owned(), Data::Text(when.text).into()));
                }
                tasks.push(DataTree::new(DataNode::Map(keys)));
                tasks
            }
            PlaybookForm::Variable(_) => {
                let member = Resource {
                    properties: definition.and_then(|it| it.member("properties")).cloned(),
                    ..resource.clone()
                };
                let mut above = around.lines();
                self.unsupported_properties(name, RANDOM_STRING, properties, &mut above);
                self.random(name, &member, made, above, Some((list, variable)))
            }
            PlaybookForm::Part | PlaybookForm::Nothing(_) => Vec::new(),
        }
    }
}
