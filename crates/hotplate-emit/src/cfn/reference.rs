//! References to resources, and their attributes.

use super::inexpressible::unsupported_function;
use super::operation::UnknownSite;
use super::plan::{PlannedOutcome, PlannedResource};
use super::signal::signal_command;
use super::tables::{ArgumentForm, DataType, form};
use super::template_builder::{
    TemplateBuilder, ValueContext, attribute_of, call, no_value, reference,
};
use super::value::{form_name, position};
use crate::kit::{Expressed, Inexpressible};
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::{Dependency, Operation, Term, Unknown, Value};
use heat_template::hot::{
    GroupAttribute, GroupValue, MemberCollection, MemberName, MemberValue, PathStep,
};
use heat_template::schema::HeatGroup;
use source_diagnostics::Span;

/// Attributes with the value of the property of the same name, if that is set.
const SAME_AS_PROPERTY: [&str; 4] = ["name", "cidr", "public_key", "size"];

impl TemplateBuilder<'_> {
    /// Translates `get_resource`.
    pub(super) fn reference_to(
        &mut self,
        name: &str,
        span: Span,
        wanted: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let Some(planned) = self.plan.get(name).cloned() else {
            let message = format!("there is no resource `{name}`");
            return Err(unsupported_function("get_resource", message, span));
        };
        let is_list = wanted.shape == DataType::Texts;
        match &planned.outcome {
            PlannedOutcome::Object(to, mapping) => {
                if !wanted.of.is_empty() && !wanted.of.iter().any(|of| of == to) {
                    let why = format!("`{name}` is an `{to}`");
                    return Ok(self.missing(form_name(wanted), &why, here.at(here.argument, span)));
                }
                let tree = match &mapping.reference {
                    None => reference(&planned.id),
                    Some(attribute) => attribute_of(&planned.id, attribute),
                };
                let tree = self.if_present(tree, &planned, here);
                Ok(if is_list { DataTree::list([tree]) } else { tree })
            }
            PlannedOutcome::Nested(_) if wanted.of.is_empty() => {
                Ok(self.if_present(reference(&planned.id), &planned, here))
            }
            PlannedOutcome::Text => self.config_text(&planned, span, here),
            PlannedOutcome::InstanceType => Ok(reference(&self.instance_type_of(&planned))),
            PlannedOutcome::Nested(_)
            | PlannedOutcome::Members(_)
            | PlannedOutcome::Value
            | PlannedOutcome::Part
            | PlannedOutcome::Nothing
            | PlannedOutcome::Lost(..) => {
                let what = match &planned.outcome {
                    PlannedOutcome::Members(_) => "is a group, which has no ID",
                    PlannedOutcome::Nested(_) => "is a nested stack",
                    _ => "has no counterpart in AWS",
                };
                // If AWS can refer to such a resource by name, the user can supply it.
                if wanted.heat.is_some() || !wanted.of.is_empty() {
                    let why = format!("`{name}` {what}");
                    let tree = self.missing(form_name(wanted), &why, here.at(here.argument, span));
                    return Ok(if is_list { DataTree::list([tree]) } else { tree });
                }
                let message = format!("`{name}` {what}");
                Err(Inexpressible::function("get_resource", message, span))
            }
        }
    }

    /// A reference to a conditional resource: null if the resource does not exist.
    fn if_present(
        &self,
        tree: DataTree,
        planned: &PlannedResource<'_>,
        here: ValueContext<'_>,
    ) -> DataTree {
        match &planned.condition {
            Some(condition) if here.condition != Some(condition) && !here.required => {
                let absent = if here.absent_is_text { DataTree::from("") } else { no_value() };
                call("Fn::If", [DataTree::from(condition.as_str()), tree, absent])
            }
            _ => tree,
        }
    }

    /// Translates `get_attr`.
    pub(super) fn attribute(
        &mut self,
        name: &str,
        attribute: &str,
        path: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let UnknownSite { unknown, form: wanted, here, .. } = site;
        let span = unknown.expr.span;
        let no = |message: String| Err(Inexpressible::attribute(attribute, message, span));
        let Some(planned) = self.plan.get(name).cloned() else {
            return no(format!("there is no resource `{name}`"));
        };
        match &planned.outcome {
            PlannedOutcome::Object(to, mapping) => {
                if self.is_replaced_condition(&planned.id, to) {
                    return no(format!("`{name}` gets no signals, so it has no `{attribute}`"));
                }
                let row = mapping.attributes.get(attribute).or_else(|| {
                    let (start, _) = attribute.split_once('.')?;
                    mapping.attributes.get(format!("{start}.*").as_str())
                });
                let Some(row) = row else {
                    // The attribute is what the property of the same name sets.
                    if SAME_AS_PROPERTY.contains(&attribute)
                        && path.is_empty()
                        && let Some(value) =
                            crate::render_model::property(&planned.resource, attribute)
                    {
                        return self.expr(value, wanted, here);
                    }
                    if attribute == "name" && planned.kind == "OS::Nova::Server" && path.is_empty()
                    {
                        return Ok(made_up_name(&planned));
                    }
                    return no(format!(
                        "`{attribute}` of `{}` has no counterpart in `{to}`",
                        planned.kind
                    ));
                };
                let fits = match row.rule.as_deref() {
                    None => path.is_empty(),
                    Some(rule) => fits(rule, path),
                };
                if row.rule.as_deref() == Some("signal_command") && path.is_empty() {
                    if !here.in_text {
                        let message = format!(
                            "the data that `curl_cli` of `{name}` sends has other keys in AWS"
                        );
                        let loss = Loss::new(LossKind::Attribute, attribute, message, span);
                        self.losses.add(loss.with_owner(here.owner).as_note());
                    }
                    return Ok(signal_command(&planned.id));
                }
                if row.rule.as_deref() == Some("secret_text") && path.is_empty() {
                    return self.secret_text(&planned, span, here);
                }
                let (true, Some(attribute_name)) = (fits, &row.to) else {
                    let what = "AWS returns one address of it, not lists or maps";
                    return no(format!("{what} (`{attribute}` of `{name}`)"));
                };
                if wanted.is_narrow()
                    && wanted.heat.is_some()
                    && !wanted.of.is_empty()
                    && !wanted.of.iter().any(|of| of == to)
                {
                    let why = format!("`{name}` is an `{to}`");
                    return Ok(self.missing(form_name(wanted), &why, here.at(here.argument, span)));
                }
                // For most types, `Ref` returns the ID.
                let tree = match attribute_name.as_str() {
                    "Ref" => reference(&planned.id),
                    "*" => attribute_of(&planned.id, attribute),
                    other => attribute_of(&planned.id, other),
                };
                let tree = self.if_present(tree, &planned, here);
                Ok(if wanted.shape == DataType::Texts { DataTree::list([tree]) } else { tree })
            }
            PlannedOutcome::Nested(_) => {
                self.nested_attribute(&planned, attribute, path, span, wanted, here)
            }
            PlannedOutcome::Members(keys) => self.group_attribute(keys, attribute, path, site),
            PlannedOutcome::Value if attribute == "value" => {
                self.value_of(name, &planned, path, site)
            }
            PlannedOutcome::Text if attribute == "config" && path.is_empty() => {
                self.config_text(&planned, span, here)
            }
            PlannedOutcome::Value | PlannedOutcome::Text => {
                no(format!("`{attribute}` of `{name}` has no counterpart in AWS"))
            }
            PlannedOutcome::InstanceType
            | PlannedOutcome::Part
            | PlannedOutcome::Nothing
            | PlannedOutcome::Lost(..) => no(format!(
                "`{name}` has no counterpart in AWS, so `{attribute}` of it has none either"
            )),
        }
    }

    /// The value of an `OS::Heat::Value`, inlined where it is used.
    fn value_of(
        &mut self,
        name: &str,
        planned: &PlannedResource<'_>,
        path: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let UnknownSite { unknown, form: wanted, here, .. } = site;
        let span = unknown.expr.span;
        let value = crate::render_model::property(&planned.resource, "value").cloned();
        let Some(value) = value else {
            let message = format!("`{name}` has no value");
            return Err(Inexpressible::attribute("value", message, span));
        };
        let refused = |why: &str| {
            Inexpressible::attribute("value", format!("the value of `{name}` {why}"), span)
        };
        self.inlined(name, refused, |it| {
            let mut value = it.fold(&value, "value")?;
            if !path.is_empty() {
                let arguments = std::iter::once(value).chain(path.iter().cloned()).collect();
                let expr = std::sync::Arc::clone(&unknown.expr);
                let call = Unknown::call(expr, Operation::Path, arguments);
                value = Value::Unknown(std::sync::Arc::new(call));
            }
            if matches!(value.unsealed(), Value::Null) && here.in_text {
                return Ok(DataTree::from(""));
            }
            it.value(&value, wanted, here)
        })
    }

    /// An attribute of a group: of one member, or of all.
    fn group_attribute(
        &mut self,
        keys: &[String],
        attribute: &str,
        path: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let UnknownSite { unknown, form: wanted, passed, .. } = site;
        let span = unknown.expr.span;
        let lost = |why: &str| Err(Inexpressible::attribute(attribute, why, span));
        let passed = passed.min(path.len());
        let requested =
            GroupAttribute::of_passed(HeatGroup::ResourceGroup, attribute, path, passed);
        if let Some(why) = requested.inexpressible(PathStep::type_set) {
            return lost(why);
        }
        let numbers: Vec<String> = (0..keys.len()).map(|number| number.to_string()).collect();
        let numbers = || numbers.iter().map(String::as_str);
        let (member, value, rest) = match (&requested.value, requested.path) {
            (GroupValue::Members(MemberCollection::List, value), []) => {
                if !matches!(wanted.shape, DataType::Texts | DataType::Data) {
                    return lost(
                        "an attribute of a group is a list, which AWS does not accept here",
                    );
                }
                let item =
                    if wanted.shape == DataType::Texts { wanted.item() } else { form("text") };
                let site = UnknownSite { form: item, ..site };
                let items = keys.iter().map(|key| self.value_of_member(key, value, &[], site));
                return Ok(DataTree::list(items.collect::<Expressed<Vec<DataTree>>>()?));
            }
            (GroupValue::Members(MemberCollection::List, value), [index, rest @ ..]) => {
                (index.as_index().map(MemberName::Position), value, rest)
            }
            (GroupValue::Members(_, value), [name, rest @ ..]) => {
                (name.as_name().map(MemberName::Name), value, rest)
            }
            (GroupValue::Member(member, value), path) => (Some(*member), value, path),
            (GroupValue::Members(..), []) => {
                return lost("an attribute of a group is a map, which AWS does not accept here");
            }
            (GroupValue::Size | GroupValue::RemovedNames | GroupValue::Refused, _) => {
                return lost("the group has no such attribute");
            }
        };
        match member.and_then(|member| member.position(numbers())).and_then(|at| keys.get(at)) {
            Some(key) => self.value_of_member(key, value, rest, site),
            None => lost("the group has no such member"),
        }
    }

    /// A value of a group's member, or the value at a path in it.
    fn value_of_member(
        &mut self,
        key: &str,
        value: &MemberValue<'_, Value>,
        rest: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        match value {
            MemberValue::Reference => {
                self.reference_to(key, site.unknown.expr.span, site.form, site.here)
            }
            MemberValue::Attribute { name, path } => {
                let passed = path.len();
                let path = [path, rest].concat();
                self.attribute(key, name.unwrap_or_default(), &path, UnknownSite { passed, ..site })
            }
        }
    }

    /// A dynamic reference to the text of an AWS secret, which CloudFormation resolves in resource
    /// properties.
    fn secret_text(
        &mut self,
        planned: &PlannedResource<'_>,
        span: Span,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        if !here.reads_secrets {
            let message = format!(
                "CloudFormation cannot resolve secrets here (`value` of `{}`)",
                planned.owner
            );
            let why = Inexpressible::attribute("value", message, span);
            return Err(why.suggesting("read the secret where it is used, with its ARN"));
        }
        let text = format!("{{{{resolve:secretsmanager:${{{}}}::SecretString}}}}", planned.id);
        Ok(DataTree::map([("Fn::Sub", DataTree::from(text.as_str()))]))
    }

    /// The name of the resource that a value refers to, if it is nothing but a reference.
    pub(super) fn resource_named(&self, value: &Value) -> Option<String> {
        let Value::Unknown(unknown) = value.unsealed() else { return None };
        match unknown.term() {
            Term::Leaf { of: Dependency::Resource(name), .. } => Some(name.clone()),
            _ => None,
        }
    }

    /// Reports an item of a property that AWS does not support.
    pub(super) fn report_lost_item(
        &mut self,
        subject: &str,
        message: String,
        span: Span,
        owner: &str,
    ) -> Vec<String> {
        let loss = Loss::new(LossKind::Property, subject, message, span).with_owner(owner);
        self.report_loss(loss, span)
    }
}

/// The name of a server without one, in place of that which Heat makes up; its `Name` tag as well.
pub(super) fn made_up_name(planned: &PlannedResource<'_>) -> DataTree {
    let text = format!("${{AWS::StackName}}-{}", planned.id);
    DataTree::map([("Fn::Sub", DataTree::from(text.as_str()))])
}

/// Whether a path leads to the one address that AWS returns.
fn fits(rule: &str, path: &[Value]) -> bool {
    let is_first = |value: &Value| position(value) == Some(0);
    let is_text =
        |value: &Value, text: &str| matches!(value.unsealed(), Value::Text(found) if found == text);
    match (rule, path) {
        ("address_of_network", [_, index]) => is_first(index),
        ("entry_of_network", [_, index, key]) => is_first(index) && is_text(key, "addr"),
        ("fixed_ip", [index, key]) => is_first(index) && is_text(key, "ip_address"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_address_has_a_counterpart() {
        let net = Value::text("private");
        assert!(fits("address_of_network", &[net.clone(), Value::int(0)]));
        assert!(!fits("address_of_network", &[net.clone(), Value::int(1)]));
        assert!(fits("entry_of_network", &[net.clone(), Value::int(0), Value::text("addr")]));
        assert!(!fits("entry_of_network", &[net, Value::int(0)]));
        assert!(fits("fixed_ip", &[Value::int(0), Value::text("ip_address")]));
    }
}
