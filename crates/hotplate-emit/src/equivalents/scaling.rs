//! Groups of AWS's servers, as Heat makes them: servers by a launch configuration, as many as the group starts with.
//!
//! The facts are those of `heat/engine/resources/aws/autoscaling` and `heat/engine/resources/openstack/heat/instance_group.py`
//! of Heat 27. The members also have the tag `metering.groupname`, by which only alarms for Heat's policies find them.

use super::table::row;
use super::{Translation, list, map, rules, translate_properties};
use heat_template::ir::{Expr, ExprKind, Pair};

const INSTANCE: &str = "AWS::EC2::Instance";
const CONFIGURATION: &str = "AWS::AutoScaling::LaunchConfiguration";
/// The type of the members.
pub(super) const MEMBER: &str = "OS::Nova::Server";

/// The definition of a group's members.
pub(super) fn members(to: &mut Translation<'_>) -> Option<()> {
    let (name, configuration) =
        to.resource_of(to.given("LaunchConfigurationName")?, CONFIGURATION)?;
    let row = row(INSTANCE)?;
    let mut member = Translation {
        name,
        resource: configuration,
        properties: Vec::new(),
        others: Vec::new(),
        module: to.module,
        external_network: None,
    };
    translate_properties(&mut member, configuration.properties.as_ref()?, row)?;
    if let Some(subnets) = to.given("VPCZoneIdentifier") {
        let [subnet] = rules::items(subnets)? else { return None };
        let network = map([("subnet", subnet.clone())], subnet.span);
        member.set("networks", list(vec![network], subnet.span));
    }
    if let Some(tags) = to.given("Tags") {
        member.set("metadata", rules::tags(tags)?);
    }
    let span = configuration.properties.as_ref()?.span;
    let properties = Expr::new(ExprKind::Map(member.properties.into()), span);
    let kind = Expr::text(MEMBER, configuration.kind_span());
    let mut definition = vec![("type", kind), ("properties", properties)];
    definition.extend(configuration.metadata.clone().map(|metadata| ("metadata", metadata)));
    let definition = map(definition, span);
    to.properties.push(Pair { key: Expr::text("resource", span), value: definition });
    Some(())
}
