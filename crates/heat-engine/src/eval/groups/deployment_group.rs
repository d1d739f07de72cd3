//! `OS::Heat::SoftwareDeploymentGroup` and the structured variant: one deployment per server.
//!
//! Source: `heat.engine.resources.openstack.heat.software_deployment`, Heat 27.0.1.
//!
//! Heat's rule: `docs/heat.md#softwaredeploymentgroup`.

use smol_str::SmolStr;

use super::group_template::{GroupTemplateBuilder, MemberDefinition};
use super::{AttributePath, GroupMembers, HeatGroup, member_count, unknown_members};
use crate::eval::properties::PropertyValues;
use crate::eval::typed_properties::given_properties_of_plugin;
use crate::eval::{Failure, Value, python};
use heat_template::schema::Schema;
use source_diagnostics::Span;

const SERVERS: &str = "servers";

pub(super) fn members(
    structured: bool,
    schema: &'static Schema,
    properties: &PropertyValues,
    references: &[AttributePath],
    span: Span,
) -> Result<GroupMembers, Failure> {
    let (group, member) = if structured {
        ("OS::Heat::StructuredDeploymentGroup", "OS::Heat::StructuredDeployment")
    } else {
        ("OS::Heat::SoftwareDeploymentGroup", "OS::Heat::SoftwareDeployment")
    };
    let failed = |raised: python::PythonException| raised.at(span);
    let mut builder = GroupTemplateBuilder::new(span);
    let (mut shared, mut servers) = (Vec::new(), Value::Null);
    let info = schema.types.get(group);
    for (name, value) in
        info.map(|info| given_properties_of_plugin(properties, info, span)).into_iter().flatten()
    {
        let value = value?;
        if name == SERVERS {
            servers = value;
        } else {
            shared.push((SmolStr::from(name), builder.embed(&value).map_err(failed)?));
        }
    }
    // The keys of a secret map would be the names of members.
    let Value::Map(servers) = &servers else { return Ok(unknown_members(&servers)) };
    member_count(&Value::int(i64::try_from(servers.len()).unwrap_or(i64::MAX)), span)?;
    for (name, server) in servers.iter() {
        let server = builder.embed(server).map_err(failed)?;
        let of_member = shared.iter().cloned().chain([("server".into(), server)]);
        let definition = MemberDefinition {
            kind: member.into(),
            properties: Some(builder.map(of_member.collect::<Vec<_>>())),
            ..MemberDefinition::default()
        };
        builder.member(&python::str(&name.to_value()).map_err(failed)?, definition);
    }
    builder.outputs(HeatGroup::DeploymentGroup { structured }, references)?;
    Ok(GroupMembers::Known(Box::new(builder.finish())))
}

#[cfg(test)]
mod tests {
    use super::super::HeatGroup;
    use super::super::tests::{made, of};
    use super::*;
    use heat_template::ir::ExprKind;

    #[test]
    fn every_server_has_a_deployment() {
        let kind = HeatGroup::DeploymentGroup { structured: false };
        let references = [vec![Value::text("deploy_stdouts"), Value::text("a")]];
        let inner = of(kind, "{servers: {a: id-a, b: id-b}, config: c}", &references);
        assert_eq!(inner.stack.resources.keys().collect::<Vec<_>>(), ["a", "b"]);
        let Some(ExprKind::Map(pairs)) =
            inner.stack.resources["b"].properties.as_ref().map(|expr| &expr.kind)
        else {
            panic!("no map")
        };
        let value = |name: &str| {
            let found = pairs.iter().find(|pair| pair.key.as_text() == Some(name));
            found.map(|pair| pair.value.kind.clone())
        };
        assert_eq!(value("server"), Some(ExprKind::Text("id-b".into())));
        // Properties without a value are present as null.
        assert_eq!(value("name"), Some(ExprKind::Null));
        assert_eq!(value("servers"), None);
        let outputs: Vec<_> = inner.stack.outputs.keys().collect();
        assert_eq!(outputs, ["attributes, deploy_stdout"]);
        let failure = made(kind, "{config: c}", &[]).expect_err("no servers");
        assert_eq!(failure.message, "Property servers not assigned");
    }
}
