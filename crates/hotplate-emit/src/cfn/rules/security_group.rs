//! Security groups and their rules.

use std::collections::HashSet;

use super::network::vpcs;
use super::server::non_null;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, ValueContext, attribute_of, call, reference};
use crate::cfn::value::text_of;
use crate::kit::{Expressed, Inexpressible};
use crate::security_group::{self, DefaultEgress};
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::{Map, Value};
use heat_engine::security_rule::{
    AddressFamily, Direction, Protocol, ReadValue, RemoteEnd, SecurityRule, Undecoded, cidr,
};
use heat_template::ir::ExprKind;
use source_diagnostics::Span;

/// The protocols that AWS requires by name, since only named ones have ports there.
const NAMES: [(u8, &str); 4] = [(1, "icmp"), (6, "tcp"), (17, "udp"), (58, "icmpv6")];

/// A rule with the arguments of AWS.
struct AwsRule {
    is_egress: bool,
    /// The remote end is the group itself.
    is_own: bool,
    arguments: Vec<(&'static str, DataTree)>,
}

/// `OS::Neutron::SecurityGroup`: with its rules inline, except rules that refer to the group itself.
pub(super) fn security_group(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let here = builder.here("VpcId", builder.span());
    if !builder.has("GroupDescription") {
        // Heat generates a name in the same form.
        let text = DataTree::from("${AWS::StackName} ");
        let name: String =
            owner.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let text = match text.kind {
            crate::tree::DataNode::Leaf(lossless_yaml::Value::Text(text)) => text + &name,
            _ => name,
        };
        let tree = DataTree::map([("Fn::Sub", DataTree::from(text.as_str()))]);
        builder.set("GroupDescription", tree.above(["AWS requires a description".to_owned()]));
    }
    let mut ingress = Vec::new();
    let mut egress = Vec::new();
    // Rules that are identical in CloudFormation are written once.
    let mut written = HashSet::new();
    let mut outgoing = DefaultEgress::Kept;
    if let Some(rules) = builder.heat_property("rules") {
        outgoing = security_group::egress(&template_builder.evaluator, rules);
        let here = here.at("rules", rules.span);
        let value = template_builder.fold(rules, "rules");
        let items = match value.as_ref().map(Value::unsealed) {
            Ok(Value::List(items)) => std::sync::Arc::clone(items),
            Ok(Value::Null) => std::sync::Arc::default(),
            Ok(_) => {
                let message =
                    format!("the rules of `{owner}` must be a list that is known while rendering");
                let why = Inexpressible::new(LossKind::Property, "rules", message, rules.span);
                let lines = report_dropped_rule(template_builder, &why, &owner, rules.span);
                builder.comment(lines);
                std::sync::Arc::default()
            }
            Err(why) => {
                let lines = report_dropped_rule(template_builder, why, &owner, rules.span);
                builder.comment(lines);
                std::sync::Arc::default()
            }
        };
        // The span of each rule, if the list is a literal.
        let spans: Vec<_> = match &rules.kind {
            ExprKind::List(exprs) => exprs.iter().map(|expr| expr.span).collect(),
            _ => Vec::new(),
        };
        for (at, item) in items.iter().enumerate() {
            let here = here.at("rules", spans.get(at).copied().unwrap_or(rules.span));
            let expressed = match item.unsealed() {
                Value::Map(map) => {
                    let rule = SecurityRule::in_group(|name| ReadValue::of(map.get(name)));
                    aws_rule(template_builder, map, &rule, here)
                }
                Value::Null | Value::Elided => continue,
                _ => {
                    let message = format!("a rule of `{owner}` is not known while rendering");
                    Err(Inexpressible::new(LossKind::Property, "rules", message, here.span))
                }
            };
            match expressed {
                Ok(mut rule) if rule.is_own => {
                    let id = builder.planned.id.clone();
                    let (to, name) = remote(rule.is_egress);
                    rule.arguments.push((name, attribute_of(&id, "GroupId")));
                    rule.arguments.push(("GroupId", attribute_of(&id, "GroupId")));
                    let suffix = if rule.is_egress { "Egress" } else { "Ingress" };
                    template_builder.add_helper_resource(
                        builder.planned,
                        suffix,
                        to,
                        rule.arguments,
                        None,
                    );
                }
                Ok(rule) => {
                    let list = if rule.is_egress { &mut egress } else { &mut ingress };
                    let tree = DataTree::map(rule.arguments);
                    if written.insert((rule.is_egress, format!("{tree:?}"))) {
                        list.push(tree);
                    }
                }
                Err(why) => {
                    let lines = report_dropped_rule(template_builder, &why, &owner, here.span);
                    builder.comment(lines);
                }
            }
        }
    }
    if outgoing != DefaultEgress::Kept && egress.is_empty() {
        // Only an egress rule of the group itself removes the default one.
        let nobody =
            [("IpProtocol", DataTree::from("-1")), ("CidrIp", DataTree::from("127.0.0.1/32"))];
        let why =
            "a rule that matches nothing: without egress rules AWS allows all outgoing traffic"
                .to_owned();
        egress.push(DataTree::map(nobody).above([why]));
    }
    let vpcs = vpcs(template_builder);
    match vpcs.as_slice() {
        [] if egress.is_empty() => {}
        [vpc] if vpc.condition.is_none() || vpc.condition == builder.planned.condition => {
            builder.set("VpcId", reference(&vpc.id));
        }
        found => {
            let why = "a Neutron security group does not belong to a network";
            let tree = match found {
                [] => template_builder.needed("vpc", why, here.required()),
                _ => template_builder.missing("vpc", why, here.required()),
            };
            builder.set("VpcId", tree);
        }
    }
    for (name, rules) in [("SecurityGroupIngress", ingress), ("SecurityGroupEgress", egress)] {
        if !rules.is_empty() {
            builder.set(name, DataTree::list(rules));
        }
    }
}

/// `OS::Neutron::SecurityGroupRule`: an ingress or egress rule as a resource of its own.
pub(super) fn rule(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let here = builder.here("GroupId", builder.span()).required();
    let value = builder
        .planned
        .resource
        .properties
        .as_ref()
        .map(|it| template_builder.fold(it, "properties"));
    let expressed = match value {
        Some(Ok(Value::Map(map))) => {
            let decoded = SecurityRule::of_resource(|name| ReadValue::of(map.get(name)));
            let decoded = decoded.map_err(|why| {
                let message = format!("Neutron refuses the rule `{owner}`: {why}");
                Inexpressible::new(LossKind::Property, "remote_group", message, here.span)
            });
            let rule = decoded.and_then(|it| aws_rule(template_builder, &map, &it, here));
            rule.and_then(|mut rule| {
                let group = match non_null(&map, "security_group") {
                    Some(group) => template_builder.value(group, form("group"), here)?,
                    None => {
                        template_builder.missing("group", "the rule does not name a group", here)
                    }
                };
                if rule.is_own {
                    rule.arguments.push((remote(rule.is_egress).1, group.clone()));
                }
                rule.arguments.push(("GroupId", group));
                Ok(rule)
            })
        }
        Some(Err(why)) => Err(why),
        Some(Ok(_)) | None => {
            let message = format!("the rule `{owner}` is not known while rendering");
            Err(Inexpressible::new(LossKind::Property, "properties", message, here.span))
        }
    };
    match expressed {
        Ok(rule) => {
            builder.aws_type = remote(rule.is_egress).0.to_owned();
            rule.arguments.into_iter().for_each(|(name, tree)| builder.set(name, tree));
        }
        Err(why) => {
            let lines = report_dropped_rule(template_builder, &why, &owner, here.span);
            builder.comment(lines);
            let group = template_builder.missing("group", "the rule cannot be expressed", here);
            builder.set("GroupId", group);
            // Others may refer to the rule, so it exists but matches nothing.
            builder.set("IpProtocol", DataTree::from("icmp"));
            builder.set("CidrIp", DataTree::from("127.0.0.1/32"));
        }
    }
}

/// The AWS type of a rule that is a resource, and the argument that names the remote group.
fn remote(is_egress: bool) -> (&'static str, &'static str) {
    match is_egress {
        true => ("AWS::EC2::SecurityGroupEgress", "DestinationSecurityGroupId"),
        false => ("AWS::EC2::SecurityGroupIngress", "SourceSecurityGroupId"),
    }
}

/// Reports a security rule that is dropped.
fn report_dropped_rule(
    template_builder: &mut TemplateBuilder<'_>,
    why: &Inexpressible,
    owner: &str,
    span: Span,
) -> Vec<String> {
    template_builder.losses.add(Loss::dropped_security_rule(owner, &why.message, span));
    template_builder.lose_why(why, owner, span)
}

fn aws_rule(
    template_builder: &mut TemplateBuilder<'_>,
    map: &Map,
    rule: &SecurityRule<'_, &Value>,
    here: ValueContext<'_>,
) -> Expressed<AwsRule> {
    let unknown = |name: &str, shown: &str| {
        let message = format!("the {shown} of a rule must be known while rendering");
        Inexpressible::new(LossKind::Property, name, message, here.span)
    };
    if let RemoteEnd::ByMode(_) = rule.remote {
        return Err(unknown("remote_mode", "`remote_mode`"));
    }
    let is_egress =
        rule.direction().map_err(|_| unknown("direction", "direction"))? == Direction::Egress;
    let family = rule.family().map_err(|_| unknown("ethertype", "ethertype"))?;
    let mut arguments = Vec::new();
    let written = rule.written_protocol().value();
    let protocol_is_secret = written.is_some_and(Value::holds_secret);
    let protocol = match rule.protocol(family) {
        Ok(Protocol::Any) => DataTree::from("-1"),
        Ok(Protocol::Number(number)) => match NAMES.iter().find(|(named, _)| *named == number) {
            Some((_, name)) => DataTree::from(*name),
            None => DataTree::from(number.to_string().as_str()),
        },
        Err(Undecoded::Opaque(value)) => template_builder.value(
            value,
            form("text"),
            ValueContext { argument: "IpProtocol", ..here }.required(),
        )?,
        Err(Undecoded::Refused(_)) => {
            let message = match written.and_then(text_of).filter(|_| !protocol_is_secret) {
                None => "AWS has no such protocol".to_owned(),
                Some(text) => format!("AWS has no protocol `{text}`"),
            };
            let kind = LossKind::Property;
            return Err(Inexpressible::new(kind, "protocol", message, here.span));
        }
    };
    let name = match &protocol.kind {
        crate::tree::DataNode::Leaf(lossless_yaml::Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    arguments.push(("IpProtocol", protocol));
    let [first, last] = rule.written_ports();
    let numbers = [first.value(), last.value()];
    let is_icmp = matches!(name.as_deref(), Some("icmp" | "icmpv6"));
    let has_ports = match name.as_deref() {
        Some("tcp" | "udp") | None => true,
        _ => is_icmp,
    };
    let are_all = rule.ports() == Ok([Some(0), Some(u16::MAX)]);
    let says_ports = numbers.iter().any(Option::is_some) && !are_all;
    if says_ports && (!has_ports || name.is_none()) {
        // Without ports, AWS would apply the rule to all of them.
        let message = match name.as_deref() {
            Some(_) if protocol_is_secret => "AWS has no ports for this protocol".to_owned(),
            Some(name) => format!("AWS has no ports for the protocol `{name}`"),
            None => "the protocol of a rule with ports must be known while rendering".to_owned(),
        };
        return Err(Inexpressible::new(LossKind::Property, "protocol", message, here.span));
    }
    // Absent means all: ports, or types and codes.
    let all = if is_icmp { [-1, -1] } else { [0, 65535] };
    if has_ports {
        for (at, argument) in ["FromPort", "ToPort"].into_iter().enumerate() {
            let here = ValueContext { argument, ..here }.required();
            let tree = match numbers[at].or(if is_icmp { None } else { numbers[1 - at] }) {
                Some(value) => template_builder.value(value, form("integer"), here)?,
                None => {
                    lossless_yaml::Value::Int(python_semantics::number::Integer::Small(all[at]))
                        .into()
                }
            };
            arguments.push((argument, tree));
        }
    }
    let is_own = rule.remote == RemoteEnd::OwnGroup;
    if let RemoteEnd::Group(_, group) = &rule.remote
        && let Some(group) = group.value()
    {
        let argument = remote(is_egress).1;
        let tree = template_builder.value(
            group,
            form("group"),
            ValueContext { argument, ..here }.required(),
        )?;
        // A group cannot refer to itself, so such rules are resources after it.
        let own = call("Fn::GetAtt", [DataTree::from(here.id), DataTree::from("GroupId")]);
        if tree == own {
            return Ok(AwsRule { is_egress, is_own: true, arguments });
        }
        arguments.push((argument, tree));
    } else if let RemoteEnd::Prefix(prefix) = &rule.remote {
        let (argument, holds, any) = match family {
            AddressFamily::V6 => ("CidrIpv6", "any_cidr6", "::/0"),
            AddressFamily::V4 => ("CidrIp", "any_cidr", "0.0.0.0/0"),
        };
        let tree = match prefix.value().filter(|_| !prefix.is_empty()) {
            Some(prefix) => {
                // A single address becomes a CIDR range.
                let cidr = text_of(prefix).and_then(|text| cidr(&text));
                let prefix = cidr.map_or_else(
                    || prefix.clone(),
                    |cidr| Value::text(cidr).sealed(prefix.holds_secret()),
                );
                template_builder.value(
                    &prefix,
                    form(holds),
                    ValueContext { argument, ..here }.required(),
                )?
            }
            None => DataTree::from(any),
        };
        arguments.push((argument, tree));
    }
    if let Some(description) =
        non_null(map, "description").filter(|it| text_of(it).is_none_or(|it| !it.is_empty()))
    {
        let here = ValueContext { argument: "Description", ..here };
        let tree = template_builder.value(description, form("group_description"), here)?;
        arguments.push(("Description", tree));
    }
    Ok(AwsRule { is_egress, is_own, arguments })
}
