//! Octavia load balancers, listeners and pools.

use super::network::{names_resource, vpcs};
use crate::cfn::plan::PlannedResource;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, ValueContext, call, reference};
use crate::cfn::value::text_of;
use crate::render_model::property;
use crate::tree::DataTree;
use heat_template::ir::Expr;

/// The resources of a type with a property that refers to one of these names.
fn resources_referring_to<'p>(
    template_builder: &TemplateBuilder<'p>,
    kind: &str,
    name: &str,
    target: &str,
) -> Vec<PlannedResource<'p>> {
    let is_one = |planned: &&PlannedResource<'_>| {
        planned.kind == kind
            && property(&planned.resource, name).and_then(names_resource) == Some(target)
    };
    template_builder.plan.values().filter(is_one).cloned().collect()
}

fn constant(
    template_builder: &TemplateBuilder<'_>,
    planned: &PlannedResource<'_>,
    name: &str,
) -> Option<String> {
    let expr = property(&planned.resource, name)?;
    template_builder.evaluator.constant(expr).as_ref().and_then(text_of)
}

/// `OS::Octavia::LoadBalancer`: an HTTP load balancer of AWS needs two subnets.
pub(super) fn load_balancer(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let here = builder.here("Subnets", builder.span()).required();
    let subnet = match builder.heat_property("vip_subnet") {
        Some(subnet) => match template_builder.expr(subnet, form("subnet"), here) {
            Ok(tree) => tree,
            Err(why) => {
                builder.lose(template_builder, &why, subnet.span);
                template_builder.missing("subnet", "the subnet cannot be expressed", here)
            }
        },
        None => template_builder.missing("subnet", "the load balancer does not name one", here),
    };
    let listeners =
        resources_referring_to(template_builder, "OS::Octavia::Listener", "loadbalancer", &owner);
    let is_http = listeners.iter().any(|listener| {
        let protocol = constant(template_builder, listener, "protocol");
        matches!(protocol.as_deref(), Some("HTTP" | "HTTPS" | "TERMINATED_HTTPS"))
    });
    let mut subnets = vec![subnet];
    if is_http {
        let here = ValueContext { argument: "SecondSubnet", ..here };
        let why = "an HTTP load balancer needs subnets in at least two zones";
        subnets.push(template_builder.missing("subnet", why, here));
    }
    builder.set("Type", DataTree::from(if is_http { "application" } else { "network" }));
    builder.set("Subnets", DataTree::list(subnets));
}

/// `OS::Octavia::Listener`: refers to the target group of its pool.
pub(super) fn listener(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let here = builder.here("TargetGroupArn", builder.span()).required();
    let pools = resources_referring_to(template_builder, "OS::Octavia::Pool", "listener", &owner);
    let group = match (builder.heat_property("default_pool"), pools.first()) {
        (Some(pool), _) => {
            template_builder.expr(pool, form("target_group"), here).unwrap_or_else(|_| {
                template_builder.missing("target_group", "the pool cannot be expressed", here)
            })
        }
        (None, Some(pool)) => reference(&pool.id),
        (None, None) => template_builder.missing("target_group", "the listener has no pool", here),
    };
    let action = [("Type", DataTree::from("forward")), ("TargetGroupArn", group)];
    builder.set("DefaultActions", DataTree::list([DataTree::map(action)]));
}

/// `OS::Octavia::Pool`, with its members and its health monitor.
pub(super) fn pool(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let span = builder.span();
    let members =
        resources_referring_to(template_builder, "OS::Octavia::PoolMember", "pool", &owner);
    let protocol = constant(template_builder, builder.planned, "protocol");
    let protocol = match protocol.as_deref() {
        Some(name @ ("HTTP" | "HTTPS" | "TCP" | "UDP")) => name.to_owned(),
        Some("TERMINATED_HTTPS") => "HTTPS".to_owned(),
        other => {
            let here = builder.here("Protocol", span);
            let other = other.unwrap_or("an unknown protocol").to_owned();
            let lines = template_builder.report_lost_value(
                format!("the protocol of `{owner}` is {other}, which becomes TCP in AWS"),
                here,
            );
            builder.comment(lines);
            "TCP".to_owned()
        }
    };
    builder.set("Protocol", DataTree::from(protocol.as_str()));
    let port =
        |planned: &PlannedResource<'_>, name: &str| property(&planned.resource, name).cloned();
    let listener = builder.heat_property("listener").and_then(names_resource).map(str::to_owned);
    let listener = listener.and_then(|name| template_builder.plan.get(&name).cloned());
    let expr: Option<Expr> = members
        .first()
        .and_then(|member| port(member, "protocol_port"))
        .or_else(|| listener.as_ref().and_then(|it| port(it, "protocol_port")));
    let here = builder.here("Port", span).required();
    let tree = match expr.map(|expr| template_builder.expr(&expr, form("integer"), here)) {
        Some(Ok(tree)) => tree,
        Some(Err(_)) | None => {
            template_builder.missing("integer", "no member of the pool sets it", here)
        }
    };
    builder.set("Port", tree);
    let here = builder.here("VpcId", span).required();
    let tree = match vpcs(template_builder).as_slice() {
        [vpc] => reference(&vpc.id),
        _ => template_builder.missing("vpc", "an Octavia pool does not belong to a network", here),
    };
    builder.set("VpcId", tree);
    builder.set("TargetType", DataTree::from("ip"));
    let mut targets = Vec::new();
    for member in &members {
        let here =
            ValueContext::new(&member.owner, &member.id, "Targets", member.resource.name_span);
        let Some(address) = property(&member.resource, "address") else { continue };
        let expressed = template_builder.expr(address, form("text"), here).and_then(|id| {
            let mut pairs = vec![("Id", id)];
            if let Some(port) = property(&member.resource, "protocol_port") {
                pairs.push(("Port", template_builder.expr(port, form("integer"), here)?));
            }
            Ok(DataTree::map(pairs))
        });
        match expressed {
            Ok(tree) => targets.push(match &member.condition {
                Some(condition) => {
                    let absent = crate::cfn::template_builder::no_value();
                    call("Fn::If", [DataTree::from(condition.as_str()), tree, absent])
                }
                None => tree,
            }),
            Err(why) => {
                let lines = template_builder.lose_why(&why, &member.owner, address.span);
                builder.comment(lines);
            }
        }
    }
    if !targets.is_empty() {
        builder.set("Targets", DataTree::list(targets));
    }
    if let Some(monitor) =
        resources_referring_to(template_builder, "OS::Octavia::HealthMonitor", "pool", &owner)
            .first()
    {
        check(template_builder, builder, monitor);
    }
    for name in ["session_persistence", "lb_algorithm"] {
        if let Some(expr) = builder.heat_property(name)
            && !(name == "lb_algorithm"
                && constant(template_builder, builder.planned, name).as_deref()
                    == Some("ROUND_ROBIN"))
        {
            let message = format!("`{name}` of `{owner}` has no counterpart in AWS");
            let lines = template_builder.report_lost_item(name, message, expr.span, &owner);
            builder.comment(lines);
        }
    }
}

/// The health check of a target group.
fn check(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    monitor: &PlannedResource<'_>,
) {
    let owner = monitor.owner.clone();
    for (name, argument, holds) in [
        ("delay", "HealthCheckIntervalSeconds", "interval"),
        ("timeout", "HealthCheckTimeoutSeconds", "timeout"),
        ("max_retries", "HealthyThresholdCount", "threshold"),
        ("max_retries_down", "UnhealthyThresholdCount", "threshold"),
        ("url_path", "HealthCheckPath", "text"),
    ] {
        let Some(expr) = property(&monitor.resource, name) else { continue };
        let here = ValueContext::new(&owner, &monitor.id, argument, expr.span);
        match template_builder.expr(expr, form(holds), here) {
            Ok(tree) => builder.set(argument, tree),
            Err(why) => {
                let lines = template_builder.lose_why(&why, &owner, expr.span);
                builder.comment(lines);
            }
        }
    }
    if let Some(kind) = constant(template_builder, monitor, "type") {
        match kind.as_str() {
            "HTTP" | "HTTPS" | "TCP" => {
                builder.set("HealthCheckProtocol", DataTree::from(kind.as_str()))
            }
            other => {
                let here = ValueContext::new(
                    &owner,
                    &monitor.id,
                    "HealthCheckProtocol",
                    monitor.resource.name_span,
                );
                let lines = template_builder
                    .report_lost_value(format!("AWS has no health check of type {other}"), here);
                builder.comment(lines);
            }
        }
    }
}

/// `AWS::ElasticLoadBalancing::LoadBalancer`: its listeners are maps, which no parameter can hold.
pub(super) fn classic(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    if builder.has("Listeners") {
        return;
    }
    let arguments =
        [("InstancePort", "digits"), ("LoadBalancerPort", "digits"), ("Protocol", "text")];
    let listener = arguments.map(|(argument, holds)| {
        let here = builder.here(argument, builder.span()).required();
        (argument, template_builder.missing(holds, "the listeners cannot be expressed", here))
    });
    builder.set("Listeners", DataTree::list([DataTree::map(listener)]));
}
