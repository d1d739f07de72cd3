//! References to parameters, files and resources: their IDs and attributes in the results that tasks register.

use super::jinja::{JinjaExpr, literal_data, quoted};
use super::scope::{PlaybookForm, PlaybookResource, TemplateScope, unsupported_function};
use crate::kit::{Expressed, Inexpressible, ReferenceWriter, TargetLanguage as _};
use crate::mapping::TypeMapping;
use crate::render_model::known_size;
use heat_engine::eval::{HeatGroup, Value};
use heat_template::hot::{GroupAttribute, GroupValue, MemberCollection, MemberValue, path_problem};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{AttributeRef, Expr, Lookup, ParameterRef, ParameterType};
use source_diagnostics::Span;

/// The output by which a nested template sets its own reference ID.
const STACK_ID: &str = "OS::stack_id";

impl ReferenceWriter for TemplateScope<'_> {
    /// A parameter and a path into it; a missing item yields the empty string.
    fn parameter(&self, reference: &ParameterRef, whole: &Expr) -> Expressed<JinjaExpr> {
        let span = whole.span;
        let Some(name) = reference.name.as_text() else {
            return Err(unsupported_function(
                "get_param",
                "the name of the parameter is computed",
                span,
            ));
        };
        let declared = self.stack().parameters.get(name);
        let code = match (self.playbook.parameters[self.id.0].get(name), name) {
            (Some(variable), _) => JinjaExpr::primary(variable.clone(), TypeSet::ANY),
            (None, "OS::stack_name") => self.stack_name(),
            (None, "OS::project_id") => {
                self.require("project_id", "the id of the project");
                JinjaExpr::primary("project_id", TypeSet::TEXT)
            }
            (None, "OS::stack_id") => {
                let message =
                    "the stack ID is one made of the stack's name, which Heat's API does not know";
                let note = Inexpressible::function("get_param", message, span).without_effect();
                self.report_loss("OS::stack_id", &note);
                self.stack_name().filter("to_uuid", TypeSet::TEXT)
            }
            (None, _) => {
                let message = format!("there is no parameter `{name}`");
                return Err(unsupported_function("get_param", message, span));
            }
        };
        if declared.is_some_and(heat_template::ir::Parameter::is_hidden) {
            self.mentions_secret.set(true);
        }
        let mut code =
            JinjaExpr { shape: declared.map_or(code.shape, |it| kind_shape(it.kind)), ..code };
        let mut is_list = declared.is_some_and(|it| {
            matches!(it.kind, Some(ParameterType::TextList | ParameterType::Text))
        });
        for step in &reference.path {
            code = self.step(code, step, is_list)?;
            is_list = false;
        }
        match reference.path.is_empty() {
            true => Ok(code),
            false => {
                let is_text = declared.is_some_and(|it| it.kind != Some(ParameterType::Json));
                let shape = if is_text { TypeSet::TEXT } else { TypeSet::ANY };
                Ok(code.filter("default('')", shape))
            }
        }
    }

    /// The reference ID of a resource.
    fn resource(&self, name: &Expr, span: Span) -> Expressed<JinjaExpr> {
        let (name, made) = self.playbook_resource(name, span, "get_resource")?;
        let lost = |why: String| Err(Inexpressible::function("get_resource", why, span));
        if made.group.is_some() {
            return lost(format!("the group `{name}` is not a stack here and has no ID"));
        }
        let variable = JinjaExpr::primary(made.variable.clone(), TypeSet::ANY);
        match &made.form {
            PlaybookForm::Object(mapping) => match &mapping.reference {
                Some(path) => Ok(variable.field(path, TypeSet::TEXT)),
                None => lost(format!("the module of `{name}` returns no ID")),
            },
            PlaybookForm::Variable(shape) => Ok(JinjaExpr { shape: *shape, ..variable }),
            PlaybookForm::Nested(id) => {
                let stack = &self.playbook.model.module(*id).stack;
                match stack.outputs.contains_key(STACK_ID) {
                    true => Ok(variable.item(&quoted(STACK_ID).text, TypeSet::TEXT)),
                    false => lost(format!("`{name}` is not a stack here and has no ID")),
                }
            }
            PlaybookForm::Part => lost(format!("`{name}` is part of another task and has no ID")),
            PlaybookForm::Nothing(why) => lost(format!("`{name}` is not made: {why}")),
        }
    }

    /// An attribute of a resource; a missing item on the path yields null.
    fn attribute(&self, attribute: &AttributeRef, span: Span) -> Expressed<JinjaExpr> {
        let (name, made) = self.playbook_resource(&attribute.resource, span, "get_attr")?;
        let lost = |subject: &str, why: String| Inexpressible::attribute(subject, why, span);
        let Some(wanted) = attribute.attribute.as_ref() else {
            return Err(lost(
                "",
                format!("a playbook cannot return all attributes of `{name}` as a map"),
            ));
        };
        let Some(wanted) = wanted.as_text() else {
            let message = "the name of the attribute is computed";
            return Err(unsupported_function("get_attr", message, span));
        };
        match made.group {
            Some(kind) => self.group_attribute(&name, &made, kind, wanted, attribute, span),
            None => {
                let base = JinjaExpr::primary(made.variable.clone(), TypeSet::ANY);
                self.single(&name, &made.form, base, wanted, &attribute.path, span)
            }
        }
    }

    fn file(&self, name: &str, content: &str) -> JinjaExpr {
        let file = self.add_file(name, content.to_owned());
        let path = quoted(&format!("files/{file}")).text;
        let text =
            format!("lookup('ansible.builtin.file', playbook_dir ~ '/' ~ {path}, rstrip=false)");
        JinjaExpr::primary(text, TypeSet::TEXT)
    }

    fn facade(&self, part: &str, span: Span) -> Box<Inexpressible> {
        let message =
            format!("tasks cannot read the {part} of the resource that their template implements");
        unsupported_function("resource_facade", message, span)
    }

    /// An entry of a mapping of the template, which is a variable.
    fn lookup(&self, lookup: &Lookup, span: Span) -> Expressed<JinjaExpr> {
        let name = lookup.table.as_text();
        let table = name.and_then(|name| self.stack().mappings.get(name));
        let data = table.and_then(|it| literal_data(&Value::from_expr_as_sent(&it.value)));
        let (Some(name), Some(data)) = (name, data) else {
            let why = "the mapping is computed, or does not exist";
            return Err(unsupported_function("Fn::FindInMap", why, span));
        };
        let (key, item) = (self.expression(&lookup.key)?, self.expression(&lookup.item)?);
        let table = self.mapping_variable(name, data);
        Ok(table.item(&key.text, TypeSet::ANY).item(&item.text, TypeSet::ANY))
    }

    fn zones(&self, span: Span) -> Expressed<JinjaExpr> {
        Err(unsupported_function("Fn::GetAZs", "no module lists the zones of a server", span))
    }
}

impl TemplateScope<'_> {
    pub(super) fn playbook_resource(
        &self,
        name: &Expr,
        span: Span,
        subject: &str,
    ) -> Expressed<(String, PlaybookResource)> {
        let Some(name) = name.as_text() else {
            let message = "the name of the resource is computed";
            return Err(unsupported_function(subject, message, span));
        };
        let made = self.resources.borrow().get(name).cloned();
        let Some(made) = made else {
            let message = format!("there is no resource `{name}`");
            return Err(Inexpressible::function(subject, message, span));
        };
        if made.is_secret {
            self.mentions_secret.set(true);
        }
        Ok((name.to_owned(), made))
    }

    /// An attribute of one resource. `base` is the result that its task registers, or its outputs.
    fn single(
        &self,
        name: &str,
        what: &PlaybookForm,
        base: JinjaExpr,
        wanted: &str,
        path: &[Expr],
        span: Span,
    ) -> Expressed<JinjaExpr> {
        let lost = |why: String| Inexpressible::attribute(wanted, why, span);
        match what {
            PlaybookForm::Object(mapping) => self.returned(name, mapping, base, wanted, path, span),
            PlaybookForm::Variable(shape) => match wanted {
                "value" | "config" => self.follow(JinjaExpr { shape: *shape, ..base }, path),
                _ => Err(lost(format!("`{name}` is a variable and has no `{wanted}`"))),
            },
            PlaybookForm::Nested(id) => {
                let stack = &self.playbook.model.module(*id).stack;
                if !stack.outputs.contains_key(wanted) {
                    let why = match wanted.strip_prefix("resource.") {
                        Some(_) => {
                            format!("resources inside `{name}` are not visible from outside")
                        }
                        None => format!("`{name}` has no output `{wanted}`"),
                    };
                    return Err(lost(why));
                }
                let output = base.item(&quoted(wanted).text, TypeSet::ANY);
                self.follow(output, path)
            }
            PlaybookForm::Part => Err(lost(format!("`{name}` is part of another task"))),
            PlaybookForm::Nothing(why) => Err(lost(format!("`{name}` is not made: {why}"))),
        }
    }

    fn returned(
        &self,
        name: &str,
        mapping: &TypeMapping,
        base: JinjaExpr,
        wanted: &str,
        path: &[Expr],
        span: Span,
    ) -> Expressed<JinjaExpr> {
        let lost = |why: String| Inexpressible::attribute(wanted, why, span);
        let Some(expressed) = mapping.attributes.get(wanted) else {
            return Err(lost(format!("the task of `{name}` returns no `{wanted}`")));
        };
        let Some(to) = &expressed.to else {
            let why = expressed
                .note
                .clone()
                .unwrap_or_else(|| "the module does not return it".to_owned());
            return Err(lost(format!("`{wanted}` of `{name}`: {why}")));
        };
        let field = base.field(to, TypeSet::ANY);
        let addresses = |list: JinjaExpr| {
            let list = list.filter("map(attribute='addr')", TypeSet::LIST);
            list.filter("list", TypeSet::LIST)
        };
        match expressed.rule.as_deref() {
            None => {
                let mut rows = super::table::mapping().types.iter();
                let known = rows
                    .find(|(_, row)| std::ptr::eq(*row, mapping))
                    .and_then(|(kind, _)| self.schema().type_info(kind)?.attribute(wanted));
                let shape = match known.and_then(|it| it.value_type) {
                    Some(heat_template::schema::ValueType::String) => {
                        TypeSet::TEXT.union(TypeSet::NULL)
                    }
                    _ => TypeSet::ANY,
                };
                self.follow(JinjaExpr { shape, ..field }, path)
            }
            Some("first_address") => {
                let all = field.atom_values();
                let all = all
                    .filter("flatten", TypeSet::LIST)
                    .filter("map(attribute='addr')", TypeSet::LIST);
                let all = all.filter("first", TypeSet::TEXT);
                self.follow(all.filter("default('', true)", TypeSet::TEXT), path)
            }
            Some("networks") => match path.split_first() {
                Some((network, rest)) => {
                    let key = self.expression(network)?;
                    let list = field.item(&key.text, TypeSet::LIST);
                    let list = addresses(list.filter("default([])", TypeSet::LIST));
                    self.follow(list, rest)
                }
                None => {
                    let values = field.atom_values().text;
                    let text = format!(
                        "dict({}.keys() | zip({values} | map('map', attribute='addr') | map('list')))",
                        field.text
                    );
                    Ok(JinjaExpr::primary(text, TypeSet::MAP))
                }
            },
            Some(rule) => Err(lost(format!(
                "`{wanted}` of `{name}` needs the rule `{rule}`, which does not exist"
            ))),
        }
    }

    /// A path into a value; a missing item yields null.
    fn follow(&self, base: JinjaExpr, path: &[Expr]) -> Expressed<JinjaExpr> {
        if path.is_empty() {
            return Ok(base);
        }
        let type_set = |step: &Expr| self.expression(step).map_or(TypeSet::ANY, |it| it.shape);
        if let Some(why) = path_problem(base.shape, TypeSet::ANY, path, type_set) {
            return Err(unsupported_function("get_attr", why, path[0].span));
        }
        let mut code = base;
        for step in path {
            // In Heat, a string of digits finds nothing in a list here.
            let index = self.expression(step)?;
            code = code.item(&index.text, TypeSet::ANY);
        }
        Ok(code.filter("default(none)", TypeSet::ANY))
    }

    /// An attribute of a group: of all members, of one member, or of the group itself.
    fn group_attribute(
        &self,
        name: &str,
        made: &PlaybookResource,
        kind: HeatGroup,
        wanted: &str,
        attribute: &AttributeRef,
        span: Span,
    ) -> Expressed<JinjaExpr> {
        let lost = |why: String| Inexpressible::attribute(wanted, why, span);
        let requested = GroupAttribute::of(kind, wanted, &attribute.path, attribute.fetch);
        let type_set = |step: &Expr| self.expression(step).map_or(TypeSet::ANY, |it| it.shape);
        if let Some(why) = requested.inexpressible(type_set) {
            return Err(lost(format!("{why} (`{name}`)")));
        }
        let variable = JinjaExpr::primary(made.variable.clone(), TypeSet::LIST);
        let members = match &made.form {
            PlaybookForm::Object(_) => variable.field("results", TypeSet::LIST),
            PlaybookForm::Nested(_) | PlaybookForm::Variable(_) => variable,
            PlaybookForm::Nothing(why) => return Err(lost(format!("`{name}` is not made: {why}"))),
            PlaybookForm::Part => {
                return Err(lost(format!("the members of `{name}` are not created by tasks")));
            }
        };
        let id = |base: JinjaExpr| -> Expressed<JinjaExpr> {
            match &made.form {
                PlaybookForm::Object(mapping) if mapping.reference.is_some() => {
                    Ok(base.field(mapping.reference.as_deref().unwrap_or_default(), TypeSet::TEXT))
                }
                PlaybookForm::Nested(unit)
                    if self.playbook.model.module(*unit).stack.outputs.contains_key(STACK_ID) =>
                {
                    Ok(base.item(&quoted(STACK_ID).text, TypeSet::TEXT))
                }
                PlaybookForm::Variable(shape) => Ok(JinjaExpr { shape: *shape, ..base }),
                _ => Err(lost(format!("the members of `{name}` have no IDs"))),
            }
        };
        let each = JinjaExpr::primary("member", TypeSet::ANY);
        let of_members = |code: JinjaExpr| {
            let text = format!(
                "{{% set made = namespace(list=[]) %}}{{% for member in {} %}}{{% set made.list = \
                 made.list + [{}] %}}{{% endfor %}}{{{{ made.list }}}}",
                members.text, code.text
            );
            self.helper("members", text, TypeSet::LIST)
        };
        let numbers = || {
            let length = members.filter("length", TypeSet::NUMBER);
            format!("range({}) | map('string')", length.text)
        };
        let value_of = |value: &MemberValue<'_, Expr>, base: JinjaExpr| match value {
            MemberValue::Reference => id(base),
            MemberValue::Attribute { name: inner, path } => {
                self.single(name, &made.form, base, inner.unwrap_or_default(), path, span)
            }
        };
        let found = match &requested.value {
            GroupValue::Members(collection, value) => {
                let list = of_members(value_of(value, each)?);
                match collection {
                    MemberCollection::List => list,
                    MemberCollection::MapByName | MemberCollection::MapByRandomName => {
                        let text = format!("dict({} | zip({}))", numbers(), list.text);
                        JinjaExpr::primary(text, TypeSet::MAP)
                    }
                }
            }
            GroupValue::Member(member, value) => {
                let resource = self.stack().resources.get(name);
                let size = resource.and_then(|it| known_size(kind, it, &self.evaluator));
                let Some(number) = member.number(size) else {
                    return Err(lost(format!("`{name}` has no such member")));
                };
                value_of(value, members.item(&number.to_string(), TypeSet::ANY))?
            }
            GroupValue::Size => members.filter("length", TypeSet::NUMBER),
            GroupValue::RemovedNames | GroupValue::Refused => {
                return Err(lost(format!("`{name}` has no such attribute")));
            }
        };
        self.follow(found, requested.path)
    }
}

fn kind_shape(kind: Option<ParameterType>) -> TypeSet {
    kind.map_or(TypeSet::ANY, heat_template::ir::types::parameter_type_set)
}

impl JinjaExpr {
    /// The values of a map, as a list.
    fn atom_values(&self) -> JinjaExpr {
        JinjaExpr::primary(format!("{}.values()", self.operand()), TypeSet::LIST)
    }
}
