//! Rules of plugins about other parts of a resource, or about other resources of the stack.

use super::view::{PropertyView, Set, text_of};
use super::{RuleContext, Violation};
use heat_engine::eval::typed_properties::{TypedProperties, of_plugin};
use heat_engine::eval::{Dependency, EvaluatedProperties, Key, Term, Value, python};

/// A server whose software is configured keeps its deployments in the metadata itself.
pub(super) fn deployments_in_metadata(
    context: &RuleContext<'_>,
    view: &PropertyView<'_>,
) -> Option<Violation> {
    let metadata = context.resource.evaluated.metadata.as_ref()?.as_ref().ok()?;
    let Value::Map(metadata) = metadata.unsealed() else { return None };
    let has_deployments = metadata.get("deployments").is_some();
    (has_deployments && view.is("user_data_format", "SOFTWARE_CONFIG")).then(|| Violation {
        property: "user_data_format",
        message: "with `SOFTWARE_CONFIG`, the metadata must not have the key `deployments`"
            .to_owned(),
    })
}

/// The name of the resource in this stack that a property refers to.
pub(super) fn referenced<'v>(view: &PropertyView<'v>, name: &str) -> Option<&'v str> {
    match view.value(name)? {
        Value::Text(name) => Some(name),
        Value::Unknown(unknown) => match unknown.term() {
            Term::Leaf { of: Dependency::Resource(name), .. } => Some(name),
            Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => None,
        },
        _ => None,
    }
}

/// A value that goes with that of the resource that `link` names.
pub(super) fn linked(
    (context, view): (&RuleContext<'_>, &PropertyView<'_>),
    (link, other, value): (&str, &str, &str),
    own: &'static str,
    allowed: &[&str],
) -> Option<Violation> {
    let name = referenced(view, link)?;
    let resource = context.stack.resource(name)?;
    let (_, info) = resource.implementation?.plugin()?;
    let TypedProperties::Each(values) = of_plugin(&resource.evaluated.properties, info, None)
    else {
        return None;
    };
    let is_linked = PropertyView::top(&values).text(other) == Some(value);
    let given = view.text(own).filter(|given| is_linked && !allowed.contains(given))?;
    let message = format!(
        "`{given}` does not go with the {link} `{name}`, whose `{other}` is `{value}`: use {}",
        allowed.join(", ")
    );
    Some(Violation { property: own, message })
}

/// Software is deployed to a server that is made for it.
pub(super) fn server_of_a_deployment(
    context: &RuleContext<'_>,
    view: &PropertyView<'_>,
) -> Option<Violation> {
    let server = referenced(view, "server")?;
    let resource = context.stack.resource(server)?;
    let (_, info) = resource.implementation?.plugin()?;
    let TypedProperties::Each(values) = of_plugin(&resource.evaluated.properties, info, None)
    else {
        return None;
    };
    let format = PropertyView::top(&values).text("user_data_format")?;
    (!format.is_empty() && format != "SOFTWARE_CONFIG").then(|| Violation {
        property: "server",
        message: format!(
            "the server `{server}` needs `user_data_format: SOFTWARE_CONFIG`, because software is deployed to it"
        ),
    })
}

/// A policy names resources of its own stack.
pub(super) fn allowed_resources(
    context: &RuleContext<'_>,
    view: &PropertyView<'_>,
) -> Option<Violation> {
    let Some(Value::List(names)) = view.value("AllowedResources") else { return None };
    let known = |name: &str| context.stack.resource(name).is_some();
    let unknown = names.iter().filter_map(text_of).find(|name| !known(name))?;
    Some(Violation {
        property: "AllowedResources",
        message: format!("`{unknown}` is not a resource of the stack"),
    })
}

/// A group refers to its configuration.
pub(super) fn launch_configuration(
    context: &RuleContext<'_>,
    view: &PropertyView<'_>,
) -> Option<Violation> {
    let name = view.text("LaunchConfigurationName").filter(|name| !name.is_empty())?;
    let message = match context.stack.resource(name).is_some() {
        false => format!("`{name}` is not a launch configuration of the stack"),
        true => {
            let requires = context.resource.evaluated.requires.as_ref().ok()?;
            if requires.iter().any(|it| it == name) {
                return None;
            }
            format!("the name `{name}` is not a reference: write `get_resource` or `Ref`")
        }
    };
    Some(Violation { property: "LaunchConfigurationName", message })
}

/// The agents of a router are given in one way.
pub(super) fn agents_given_twice(
    context: &RuleContext<'_>,
    _: &PropertyView<'_>,
) -> Option<Violation> {
    let EvaluatedProperties::Each(given) = &context.resource.evaluated.properties else {
        return None;
    };
    let is_given = |name: &str| {
        let value = given.get(&Key::from(name)).and_then(|value| value.as_ref().ok());
        value.is_some_and(|value| {
            !matches!(value.unsealed(), Value::Unknown(_)) && python::truthy(value)
        })
    };
    (is_given("l3_agent_id") && is_given("l3_agent_ids")).then(|| Violation {
        property: "l3_agent_id",
        message: "`l3_agent_id` and `l3_agent_ids` exclude each other".to_owned(),
    })
}

/// What has a property of its own is not set in another way.
pub(super) fn value_specs(context: &RuleContext<'_>, view: &PropertyView<'_>) -> Option<Violation> {
    context.info.property("value_specs")?;
    if view.get("value_specs") != Set::Yes {
        return None;
    }
    let Some(Value::Map(specs)) = view.value("value_specs") else { return None };
    let is_banned = |name: &&str| {
        matches!(*name, "shared" | "tenant_id") || context.info.property(name).is_some()
    };
    let banned = specs.keys().filter_map(|key| key.as_text()).find(is_banned)?;
    Some(Violation {
        property: "value_specs",
        message: format!("`value_specs` must not contain `{banned}`"),
    })
}
