//! References to parameters, files and resources: their IDs, their attributes, outputs of modules, members of
//! groups.

use super::hcl::Hcl;
use super::literal;
use super::module::ModuleOutput;
use super::scope::{ModuleScope, Multiplicity, ResourceForm, TypedHcl, VariableRole};
use crate::kit::{Expressed, Inexpressible, ReferenceWriter};
use crate::openstack_provider::model::Argument;
use crate::openstack_provider::schema::ProviderSchema;
use heat_template::hot::{
    GroupAttribute, GroupValue, MemberCollection, MemberValue, PathStep, path_problem,
};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{AttributeRef, Expr, Lookup, ParameterRef, ParameterType};
use source_diagnostics::Span;

/// An attribute of the member of a group with an index, and a path into it.
type OfMember<'m> = dyn Fn(&ModuleScope<'_>, &str, &[Expr], &Hcl) -> Expressed<TypedHcl> + 'm;

impl ReferenceWriter for ModuleScope<'_> {
    fn parameter(&self, parameter: &ParameterRef, whole: &Expr) -> Expressed<TypedHcl> {
        let span = whole.span;
        let computed =
            || Inexpressible::function("get_param", "the name of the parameter is computed", span);
        let name = parameter.name.as_text().ok_or_else(computed)?;
        if name.starts_with("OS::") && !self.module.stack.parameters.contains_key(name) {
            return self.pseudo_parameter(name, span);
        }
        let declared = self.module.stack.parameters.get(name);
        let (Some(variable), Some(declared)) = (self.variables.get(name), declared) else {
            // A parameter that is fixed is known.
            let value = self.evaluator.constant(whole);
            let expressed = value.and_then(|value| literal::typed_literal(self, &value));
            return expressed.ok_or_else(|| {
                Inexpressible::function(
                    "get_param",
                    format!("there is no parameter `{name}`"),
                    span,
                )
            });
        };
        let value = Hcl::name(format!("var.{variable}"));
        let shape = match declared.kind {
            Some(ParameterType::Text) => TypeSet::TEXT,
            Some(ParameterType::Number) => TypeSet::NUMBER,
            Some(ParameterType::Boolean) => TypeSet::BOOLEAN,
            Some(ParameterType::TextList) => TypeSet::LIST,
            Some(ParameterType::Json) | None => TypeSet::ANY,
        };
        if parameter.path.is_empty() {
            let items = if shape == TypeSet::LIST { TypeSet::TEXT } else { TypeSet::ANY };
            return Ok(TypedHcl { items, ..TypedHcl::new(value, shape) });
        }
        let parts: Vec<&Expr> = parameter.path.iter().collect();
        self.reject_loop_placeholders("get_param", &parts, span)?;
        if shape == TypeSet::TEXT {
            // A string is a sequence of characters.
            if let [index] = parameter.path.as_slice() {
                let index = self.generate(index)?;
                return Ok(TypedHcl::text(character(value, index.hcl)));
            }
        }
        let found = self.walk(value, &parameter.path)?;
        // A missing item on the path yields the empty string.
        let hcl = Hcl::call("try", [found, Hcl::text("")]);
        let shape = if shape == TypeSet::LIST { TypeSet::TEXT } else { TypeSet::ANY };
        Ok(TypedHcl::new(hcl, shape))
    }

    fn resource(&self, name: &Expr, _span: Span) -> Expressed<TypedHcl> {
        let span = name.span;
        let none = |why: String| Err(Inexpressible::function("get_resource", why, span));
        let Some(resource) = name.as_text() else {
            return none("the name of the resource is computed".to_owned());
        };
        match self.resource_forms.get(resource) {
            None => none(format!("there is no resource `{resource}`")),
            Some(ResourceForm::Objects(Multiplicity::Many)) => {
                none(format!("the group `{resource}` has no ID of its own"))
            }
            Some(ResourceForm::Objects(_)) => match self.catalog.reference(resource) {
                Some(argument) => self.provider_value(argument, resource, None),
                None => none(format!("`{resource}` has no ID")),
            },
            Some(ResourceForm::Module { unit, copies, .. }) => {
                let child = &self.model.modules[*unit];
                match (child.stack.outputs.contains_key("OS::stack_id"), copies) {
                    (true, Multiplicity::One | Multiplicity::Optional) => {
                        self.output(resource, "OS::stack_id")
                    }
                    _ => none(format!("`{resource}` is a module, which has no ID")),
                }
            }
            Some(ResourceForm::Local { attribute: "value", .. }) => {
                none(format!("`{resource}` is a local value, which has no ID"))
            }
            Some(ResourceForm::Local { name, shape, .. }) => {
                Ok(TypedHcl::new(Hcl::name(format!("local.{name}")), *shape))
            }
            Some(ResourceForm::Message { label, copies }) => {
                Ok(self.rendered_message(label, *copies))
            }
            Some(ResourceForm::Nothing(why)) => none(format!("`{resource}` is not there: {why}")),
        }
    }

    fn attribute(&self, attribute: &AttributeRef, span: Span) -> Expressed<TypedHcl> {
        let lost = |name: &str, why: String| Err(Inexpressible::attribute(name, why, span));
        let Some(resource) = attribute.resource.as_text() else {
            return lost("", "the name of the resource is computed".to_owned());
        };
        let Some(name) = &attribute.attribute else {
            let why = format!("Terraform does not report all attributes of `{resource}` at once");
            return lost("show", why);
        };
        let Some(name) = name.as_text() else {
            return lost("", "the name of the attribute is computed".to_owned());
        };
        let parts: Vec<&Expr> = attribute.path.iter().collect();
        self.reject_loop_placeholders("get_attr", &parts, span)?;
        let path = attribute.path.as_slice();
        match self.resource_forms.get(resource) {
            None => lost(name, format!("there is no resource `{resource}`")),
            Some(ResourceForm::Objects(Multiplicity::Many)) => {
                self.of_group(resource, name, attribute, span, &|scope, name, path, index| {
                    scope.of_object(resource, name, path, span, Some(index))
                })
            }
            Some(ResourceForm::Objects(_)) => self.of_object(resource, name, path, span, None),
            Some(ResourceForm::Module { copies: Multiplicity::Many, .. }) => {
                self.of_group(resource, name, attribute, span, &|scope, name, path, index| {
                    let found = scope.member_output(resource, name, index, span)?;
                    scope.followed(found, path)
                })
            }
            Some(ResourceForm::Module { unit, .. }) => {
                let child = &self.model.modules[*unit];
                let prefixed = name.strip_prefix("outputs.").unwrap_or(name);
                if name == "outputs" && !child.stack.outputs.contains_key(name) {
                    return self.outputs(resource, path, span);
                }
                if !child.stack.outputs.contains_key(prefixed) {
                    let why = format!("the template of `{resource}` has no output `{prefixed}`");
                    return lost(name, why);
                }
                let expressed = self.output(resource, prefixed)?;
                self.followed(expressed, path)
            }
            Some(ResourceForm::Local { name: local, attribute, shape }) if *attribute == name => {
                let expressed = TypedHcl::new(Hcl::name(format!("local.{local}")), *shape);
                self.followed(expressed, path)
            }
            Some(ResourceForm::Message { label, copies }) if name == "config" => {
                self.followed(self.rendered_message(label, *copies), path)
            }
            Some(ResourceForm::Local { .. } | ResourceForm::Message { .. }) => {
                lost(name, format!("Terraform has no attribute `{name}` for `{resource}`"))
            }
            Some(ResourceForm::Nothing(why)) => {
                lost(name, format!("`{resource}` is not there: {why}"))
            }
        }
    }

    fn file(&self, name: &str, content: &str) -> TypedHcl {
        let found = self.needs.borrow_mut().files.add(name, content);
        let path = Hcl::concatenated([Hcl::name("path.module"), Hcl::text(format!("/{found}"))]);
        TypedHcl::text(Hcl::call("file", [path]))
    }

    fn facade(&self, part: &str, span: Span) -> Box<Inexpressible> {
        let why = format!("a module cannot read the {part} of the resource that it implements");
        Inexpressible::function("resource_facade", why, span)
            .suggesting("make it a parameter of the nested template")
    }

    fn zones(&self, _span: Span) -> Expressed<TypedHcl> {
        self.needs.borrow_mut().zones = true;
        let zones = Hcl::name("data.openstack_compute_availability_zones_v2.zones.names");
        Ok(TypedHcl::list(zones, TypeSet::TEXT))
    }

    /// An entry of a mapping of the template, which is inlined.
    fn lookup(&self, lookup: &Lookup, span: Span) -> Expressed<TypedHcl> {
        let table = lookup.table.as_text().and_then(|name| self.module.stack.mappings.get(name));
        let value = table.map(|table| heat_engine::eval::Value::from_expr_as_sent(&table.value));
        let Some(table) = value.as_ref().and_then(literal::plain) else {
            let why = "the mapping is computed, or does not exist";
            return Err(Inexpressible::function("Fn::FindInMap", why, span));
        };
        let (key, item) = (self.generate(&lookup.key)?, self.generate(&lookup.item)?);
        let hcl = table.index(key.hcl).index(item.hcl);
        Ok(TypedHcl { safe: false, ..TypedHcl::new(hcl, TypeSet::ANY) })
    }
}

impl ModuleScope<'_> {
    fn pseudo_parameter(&self, name: &str, span: Span) -> Expressed<TypedHcl> {
        match name {
            "OS::stack_name" => {
                let wording = "Name of the stack".to_owned();
                let name =
                    self.extra(VariableRole::StackName, "stack_name", wording, "string", false);
                Ok(TypedHcl::text(Hcl::name(format!("var.{name}"))))
            }
            "OS::stack_id" => {
                let wording = "ID of the stack, which only Heat has".to_owned();
                let name = self.extra(VariableRole::StackId, "stack_id", wording, "string", false);
                Ok(TypedHcl::text(Hcl::name(format!("var.{name}"))))
            }
            "OS::project_id" => {
                self.needs.borrow_mut().project = true;
                let scope = "data.openstack_identity_auth_scope_v3.scope.project_id";
                Ok(TypedHcl::text(Hcl::name(scope)))
            }
            _ => {
                let why = format!("there is no parameter `{name}`");
                Err(Inexpressible::function("get_param", why, span))
            }
        }
    }

    /// The value at a path in an attribute; a missing item yields null.
    fn followed(&self, expressed: TypedHcl, path: &[Expr]) -> Expressed<TypedHcl> {
        if path.is_empty() {
            return Ok(expressed);
        }
        let type_set = |step: &Expr| self.generate(step).map_or(TypeSet::ANY, |it| it.shape);
        if let Some(why) = path_problem(expressed.shape, expressed.items, path, type_set) {
            return Err(Inexpressible::function("get_attr", why, path[0].span));
        }
        let found = self.walk(expressed.hcl, path)?;
        Ok(TypedHcl::new(Hcl::call("try", [found, Hcl::Null]), TypeSet::ANY))
    }

    /// An attribute of an object of the provider; of a group's member by its index.
    fn of_object(
        &self,
        resource: &str,
        name: &str,
        path: &[Expr],
        span: Span,
        member: Option<&Hcl>,
    ) -> Expressed<TypedHcl> {
        let found = match member {
            None => self.catalog.attribute(resource, name, path, span),
            Some(_) => {
                let kind = self.member_kinds.get(resource).map_or("", String::as_str);
                let expressed = self.members.get(resource);
                self.catalog.attribute_of(kind, resource, expressed, name, path, span)
            }
        };
        let found = found.map_err(|loss| {
            let mut lost = Inexpressible::new(loss.kind, &loss.subject, &loss.message, span);
            lost.suggestion.clone_from(&loss.suggestion);
            lost
        })?;
        let expressed = self.provider_value(&found.value, resource, member)?;
        self.followed(expressed, path.get(found.steps_followed..).unwrap_or_default())
    }

    /// An attribute value of the provider model, as an expression.
    pub(super) fn provider_value(
        &self,
        value: &Argument,
        owner: &str,
        member: Option<&Hcl>,
    ) -> Expressed<TypedHcl> {
        let context = super::arguments::ArgumentContext::for_attribute(owner, member);
        let hcl = self.argument_value(value, &context)?.unwrap_or(Hcl::Null);
        let perhaps = matches!(
            self.resource_forms.get(owner),
            Some(ResourceForm::Objects(Multiplicity::Optional))
        );
        Ok(match value {
            Argument::Attribute { object, path } => {
                let name = object.resource.as_str();
                let made = self.catalog.resource(name).or_else(|| self.members.get(name));
                let kind = made.and_then(|made| made.objects.get(object.index));
                let kind = kind.map_or("", |object| object.kind.as_str());
                let (shape, items) = ProviderSchema::get().attribute_types(kind, path);
                let shape = if perhaps { shape.union(TypeSet::NULL) } else { shape };
                TypedHcl { items, ..TypedHcl::new(hcl, shape) }
            }
            Argument::Lookup { read, .. } if read == "id" => TypedHcl::text(hcl),
            _ => TypedHcl { safe: false, ..TypedHcl::new(hcl, TypeSet::ANY) },
        })
    }

    fn output(&self, resource: &str, output: &str) -> Expressed<TypedHcl> {
        let Some(ResourceForm::Module { name, unit, copies }) = self.resource_forms.get(resource)
        else {
            return Err(Inexpressible::attribute(
                output,
                "the resource is not a module",
                Span::NOWHERE,
            ));
        };
        let ModuleOutput { label, shape, items } = self.module_output(*unit, output)?;
        let module = Hcl::name(format!("module.{name}"));
        let (hcl, shape) = match copies {
            Multiplicity::Optional => {
                (Hcl::call("one", [module.splat().at(label)]), shape.union(TypeSet::NULL))
            }
            Multiplicity::One | Multiplicity::Many => (module.at(label), shape),
        };
        Ok(TypedHcl { items, ..TypedHcl::new(hcl, shape) })
    }

    /// An output of a module, unless it is lost there.
    fn module_output(&self, unit: usize, output: &str) -> Expressed<ModuleOutput> {
        let label = self.finished_modules.get(&unit).and_then(|done| done.outputs.get(output));
        label.cloned().ok_or_else(|| {
            let why = format!("the output `{output}` of the nested template is lost");
            Inexpressible::attribute(output, why, Span::NOWHERE)
        })
    }

    /// All outputs of a nested stack, or one that a path names.
    fn outputs(&self, resource: &str, path: &[Expr], span: Span) -> Expressed<TypedHcl> {
        match path {
            [first, rest @ ..] => match first.as_text() {
                Some(name) => {
                    let expressed = self.output(resource, name)?;
                    self.followed(expressed, rest)
                }
                None => Err(Inexpressible::attribute(
                    "outputs",
                    "the name of the output is computed",
                    span,
                )),
            },
            [] => {
                let why = "a module does not report all its outputs at once";
                Err(Inexpressible::attribute("outputs", why, span))
            }
        }
    }

    fn member_output(
        &self,
        resource: &str,
        output: &str,
        index: &Hcl,
        span: Span,
    ) -> Expressed<TypedHcl> {
        let Some(ResourceForm::Module { name, unit, .. }) = self.resource_forms.get(resource)
        else {
            return Err(Inexpressible::attribute(output, "the resource is not a module", span));
        };
        let child = &self.model.modules[*unit];
        if !child.stack.outputs.contains_key(output) {
            let why =
                format!("the template of the members of `{resource}` has no output `{output}`");
            return Err(Inexpressible::attribute(output, why, span));
        }
        let ModuleOutput { label, shape, items } = self.module_output(*unit, output)?;
        let member = Hcl::name(format!("module.{name}")).index(index.clone());
        Ok(TypedHcl { items, ..TypedHcl::new(member.at(label), shape) })
    }

    /// An attribute of a group: of its members as a list, or of one member.
    fn of_group(
        &self,
        resource: &str,
        name: &str,
        attribute: &AttributeRef,
        span: Span,
        member: &OfMember<'_>,
    ) -> Expressed<TypedHcl> {
        let label = self.label(resource);
        let all = || match self.resource_forms.get(resource) {
            Some(ResourceForm::Module { name, .. }) => Hcl::name(format!("module.{name}")),
            _ => {
                let kind =
                    self.members.get(resource).and_then(|expressed| expressed.objects.first());
                let kind = kind.map_or("", |object| object.kind.as_str());
                Hcl::name(format!("{kind}.{label}"))
            }
        };
        let indices = || {
            let names = self.member_keys(resource);
            names.unwrap_or_else(|| Hcl::call("range", [Hcl::call("length", [all()])]))
        };
        let member_reference = |index: &Hcl| -> Expressed<TypedHcl> {
            match self.resource_forms.get(resource) {
                Some(ResourceForm::Module { .. }) => {
                    self.member_output(resource, "OS::stack_id", index, span)
                }
                _ => match self.members.get(resource) {
                    Some(expressed) => {
                        self.provider_value(&expressed.reference, resource, Some(index))
                    }
                    None => Err(Inexpressible::attribute(name, "the members have no IDs", span)),
                },
            }
        };
        let lost = |why: &str| Err(Inexpressible::attribute(name, why, span));
        let type_set = |step: &Expr| self.generate(step).map_or(TypeSet::ANY, |it| it.shape);
        let Some(kind) = self.group_kind(resource) else { return lost("it is not a group") };
        let requested = GroupAttribute::of(kind, name, &attribute.path, attribute.fetch);
        if let Some(why) = requested.inexpressible(type_set) {
            return lost(why);
        }
        let value_of = |value: &MemberValue<'_, Expr>, index: &Hcl| match value {
            MemberValue::Reference => member_reference(index),
            MemberValue::Attribute { name, path } => {
                member(self, name.unwrap_or_default(), path, index)
            }
        };
        let index_of = |number: i64| match number < 0 {
            true => {
                Hcl::operation("-", Hcl::call("length", [all()]), Hcl::int(number.saturating_neg()))
            }
            false => Hcl::int(number),
        };
        let found = match &requested.value {
            // An index selects the member: in `group[*].name[0]` it would select from each name.
            GroupValue::Members(MemberCollection::List, value)
                if let [index, rest @ ..] = requested.path =>
            {
                let at = index.as_index().map(|number| Ok(index_of(number)));
                let at = at.unwrap_or_else(|| self.generate(index).map(|index| index.hcl))?;
                let at = match self.member_keys(resource) {
                    Some(names) => names.index(at),
                    None => at,
                };
                let item = self.followed(value_of(value, &at)?, rest)?;
                let shape = item.shape.union(TypeSet::NULL);
                let found = match &item.hcl {
                    Hcl::Call { function: "try", .. } => item.hcl,
                    _ => Hcl::call("try", [item.hcl, Hcl::Null]),
                };
                return Ok(TypedHcl { items: item.items, ..TypedHcl::new(found, shape) });
            }
            GroupValue::Members(collection, value) => {
                let value = value_of(value, &Hcl::name("index"))?;
                match collection {
                    MemberCollection::List => {
                        TypedHcl::list(Hcl::each("index", indices(), value.hcl), value.shape)
                    }
                    MemberCollection::MapByName | MemberCollection::MapByRandomName => {
                        let key = Hcl::call("tostring", [Hcl::name("index")]);
                        let map = Hcl::map_of("at", "index", indices(), key, value.hcl);
                        TypedHcl::new(map, TypeSet::MAP)
                    }
                }
            }
            GroupValue::Member(member, value) => {
                let at = match self.member_names.get(resource) {
                    Some(names) => {
                        let position = member.position(names.iter().map(String::as_str));
                        position.and_then(|at| names.get(at)).map(Hcl::text)
                    }
                    None => member.number(self.known_size(resource)).map(index_of),
                };
                match at {
                    Some(at) => value_of(value, &at)?,
                    None => return lost("the group has no such member"),
                }
            }
            GroupValue::Size => TypedHcl::new(Hcl::call("length", [all()]), TypeSet::NUMBER),
            GroupValue::RemovedNames | GroupValue::Refused => {
                return lost("the group has no such attribute");
            }
        };
        self.followed(found, requested.path)
    }
}

/// A character of a string; the empty string if there is none.
fn character(text: Hcl, index: Hcl) -> Hcl {
    let index = match &index {
        Hcl::Null => return Hcl::text(""),
        Hcl::Text(digits) => match digits.trim().parse::<i64>() {
            Ok(number) => Hcl::int(number),
            Err(_) => return Hcl::text(""),
        },
        _ => index,
    };
    let is_plain = matches!(&index, Hcl::Number(digits) if !digits.starts_with('-'));
    let found = Hcl::call("substr", [text, index, Hcl::int(1)]);
    if is_plain { found } else { Hcl::call("try", [found, Hcl::text("")]) }
}
