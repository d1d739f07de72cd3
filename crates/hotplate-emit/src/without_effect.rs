//! Parts of a template that have no effect on what Heat creates. Whatever a target loses inside one is a
//! note: the result is the same system without it.
//!
//! The rules are those of Heat 27: `OS::Nova::Server` and `build_userdata` of its Nova plugin, software
//! configurations and deployments, `OS::Neutron::Port`, and custom constraints.

use std::collections::HashSet;

use serde::Deserialize;

use super::render_model::{
    Module, RenderModel, ResourceImplementation, key_span, member_definition,
};
use super::unread_texts::{UNREAD, unread_texts};
use super::user_data::{self, TRACES_OF_WRAPPING};
use super::{EmitOutput, LossKind};
use heat_engine::eval::{HeatGroup, PartialEvaluator, Value};
use heat_template::ir::{ConstraintKind, Expr, ExprKind, Resource};
use heat_template::schema::{Column, SignalRole, columns};
use source_diagnostics::{Severity, Span, SpanIndex};

/// Configurations that Heat's agents apply to servers, and the parts for the agents.
static SOFTWARE: Column<SoftwareRole> = Column::new(columns::SOFTWARE_DEPLOYMENTS);

/// The role of a type for software on servers.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[serde(default)]
struct SoftwareRole {
    /// Whether it applies software to servers.
    deploys: bool,
    /// Whether Heat only stores its text, for deployments.
    is_stored: bool,
    /// The properties that only Heat's agents use.
    for_agents: Vec<&'static str>,
}

/// Whether a type applies software to servers.
fn deploys_software(kind: &str) -> bool {
    SOFTWARE.get(kind).is_some_and(|it| it.deploys)
}

/// Properties that Heat ignores: with any value, or with this one.
const IGNORED: [(&str, &str, Option<&str>, &str); 2] = [
    ("OS::Nova::Server", "admin_user", None, "Heat itself ignores it"),
    ("OS::Neutron::Port", "replacement_policy", Some("AUTO"), "Heat updates the port as usual"),
];

/// Groups of AWS's servers, which policies scale.
const SCALED_SERVERS: [&str; 2] = ["AWS::AutoScaling::AutoScalingGroup", "OS::Heat::InstanceGroup"];

/// Settings that only matter to a policy that scales the group.
const FOR_SCALING: [&str; 6] =
    ["min_size", "max_size", "cooldown", "MinSize", "MaxSize", "Cooldown"];

/// Heat's tools in a script that find their data only if Heat wraps the script.
const TRACES_OF_CFNTOOLS: [&str; 2] = ["cfn-", "heat-cfntools"];

/// The note of a target about a group that is there, but does not scale.
pub(super) const CONSTANT_NUMBER: &str = "the number of members is constant";

const NOTHING_WAITS: &str = "nothing waits for it: Heat only reports when the signals have come";
const NOT_SENT: &str = "Heat does not send it to a server with raw user data";
const NO_POLICY: &str = "no policy scales the group";
const NO_DEPLOYMENT: &str = "no deployment uses it";
/// The loss of a deployment is the loss of everything that only it uses.
const ONLY_DEPLOYMENTS: &str = "only the deployments use it, and each of them is reported";

/// The parts of a deployment without an effect.
#[derive(Debug)]
pub(super) struct InertParts {
    parts: Vec<InertPart>,
    whole: SpanIndex,
    formats: SpanIndex,
}

impl InertParts {
    pub(super) fn of(model: &RenderModel<'_>) -> Self {
        let parts: Vec<InertPart> =
            model.modules.iter().flat_map(|module| inert_parts(model, module)).collect();
        let index = |subject: Option<&'static str>| {
            let of_subject = parts.iter().enumerate().filter(move |(_, it)| it.subject == subject);
            SpanIndex::new(of_subject.map(|(at, part)| (at, part.span)))
        };
        let (whole, formats) = (index(None), index(Some(user_data::FORMAT)));
        InertParts { parts, whole, formats }
    }

    /// Why something in the template has no effect; `None` if it has one.
    pub(super) fn reason(&self, subject: &str, span: Span) -> Option<&'static str> {
        let of_format = || match subject == user_data::FORMAT {
            true => self.formats.containing(span),
            false => None,
        };
        self.whole.containing(span).or_else(of_format).map(|at| self.parts[at].why)
    }
}

/// A part without effect.
#[derive(Debug)]
struct InertPart {
    span: Span,
    /// The subject of the losses that do not matter; all of them if `None`.
    subject: Option<&'static str>,
    why: &'static str,
}

/// Turns losses into notes if what is lost has no effect on what Heat creates.
pub(super) fn note_losses_without_effect(model: &RenderModel<'_>, emitted: &mut EmitOutput) {
    for loss in &mut emitted.losses {
        // An error says that the result allows more.
        if matches!(loss.severity, Severity::Note | Severity::Error) {
            continue;
        }
        if loss.kind == LossKind::Section && loss.subject == "parameter_groups" {
            loss.severity = Severity::Note;
            continue;
        }
        let Some(why) = model.inert_parts().reason(&loss.subject, loss.span) else { continue };
        // That a target has no such group, or not this one, is a loss all the same.
        let is_whole = why == NO_POLICY && loss.kind == LossKind::ResourceType;
        if is_whole && !loss.message.contains(CONSTANT_NUMBER) {
            continue;
        }
        loss.severity = Severity::Note;
        if !loss.message.contains(why) {
            loss.message = format!("{}; {why}", loss.message);
        }
    }
}

fn inert_parts(model: &RenderModel<'_>, module: &Module) -> Vec<InertPart> {
    let inert = |span, why| InertPart { span, subject: None, why };
    let constraints = module.stack.parameters.values().flat_map(|it| &it.constraints);
    let custom = constraints.filter(|it| matches!(it.kind, ConstraintKind::Custom(_)));
    let mut parts: Vec<InertPart> = custom
        .map(|it| inert(it.span, "the cloud checks the value when it creates what uses it"))
        .collect();
    let evaluator = model.evaluator(module);
    let deployed = used_by(model, module, &may_deploy);
    let mentioned = mentioned_by(module, &|name| !deploys(module, name));
    let scaled = used_by(model, module, &may_scale);
    let (unneeded, unread) = (unneeded_waits(module), unread_texts(module));
    for (name, resource) in &module.stack.resources {
        let (kind, properties) = match module.implementations.get(name) {
            Some(ResourceImplementation::ResourceType(kind))
                if SCALED_SERVERS.contains(&kind.as_str()) && !scaled.contain(name) =>
            {
                parts.extend(unscaled(resource));
                continue;
            }
            Some(ResourceImplementation::ResourceType(kind)) => {
                (kind.as_str(), resource.properties.as_ref())
            }
            Some(ResourceImplementation::Group { kind: HeatGroup::AutoScalingGroup, .. })
                if !scaled.contain(name) =>
            {
                parts.extend(unscaled(resource));
                continue;
            }
            Some(ResourceImplementation::Group { kind, member: Some(member) }) => {
                let ResourceImplementation::ResourceType(member) = &**member else { continue };
                let definition = member_definition(*kind, resource);
                (member.as_str(), definition.and_then(|it| it.member("properties")))
            }
            Some(ResourceImplementation::Unknown(why)) if why == UNREAD => {
                parts.extend(unread_text(resource));
                continue;
            }
            Some(
                ResourceImplementation::Template(_)
                | ResourceImplementation::Group { member: None, .. }
                | ResourceImplementation::Unknown(_),
            )
            | None => continue,
        };
        let for_deployments = match deployed.contain(name) {
            true => ONLY_DEPLOYMENTS,
            false => NO_DEPLOYMENT,
        };
        let software = SOFTWARE.get(kind);
        if software.is_some_and(|it| it.is_stored) && !mentioned.contain(name) {
            parts.push(inert(resource.name_span, for_deployments));
            parts.push(inert(resource.kind_span(), for_deployments));
        }
        if unread.contains(name.as_str()) {
            parts.extend(unread_text(resource));
        }
        if unneeded.contains(&name.as_str()) {
            parts.push(inert(resource.name_span, NOTHING_WAITS));
            parts.push(inert(resource.kind_span(), NOTHING_WAITS));
        }
        let Some(Expr { kind: ExprKind::Map(pairs), .. }) = properties else { continue };
        for pair in pairs.iter() {
            let Some(property) = pair.key.as_text() else { continue };
            let whole = Span { end: pair.value.span.end, ..pair.key.span };
            if software.is_some_and(|it| it.for_agents.contains(&property)) {
                parts.push(inert(whole, for_deployments));
            }
            let value = || evaluator.constant(&pair.value).map(|value| value.reveal().0);
            let ignored = IGNORED.iter().find(|(of, name, ..)| *of == kind && *name == property);
            if let Some((.., only, why)) = ignored
                && only.is_none_or(|only| value() == Some(Value::text(only)))
            {
                parts.push(inert(whole, why));
            }
        }
        if kind == "OS::Nova::Server"
            && let Some(properties) = properties
        {
            let format = properties.member(user_data::FORMAT);
            let format = format.and_then(|it| evaluator.constant(it));
            if let Some(metadata) = &resource.metadata
                && format.is_some_and(|it| it.reveal().0 == Value::text("RAW"))
            {
                parts.push(inert(metadata.span, NOT_SENT));
            }
            parts.extend(user_data_format(resource, properties, &evaluator, for_deployments));
        }
    }
    parts
}

/// The format of user data, if cloud-init does the same with the text alone.
fn user_data_format(
    resource: &Resource,
    properties: &Expr,
    evaluator: &PartialEvaluator<'_>,
    for_deployments: &'static str,
) -> Option<InertPart> {
    let text = properties.member("user_data");
    let format = properties.member(user_data::FORMAT);
    let known = user_data::format(properties, evaluator)?;
    let why = match known.as_str() {
        // Heat adds an empty list of deployments, and the metadata.
        "SOFTWARE_CONFIG" if resource.metadata.is_none() => for_deployments,
        "HEAT_CFNTOOLS" if resource.metadata.is_none() && is_plain_script(text?, evaluator) => {
            "cloud-init runs the script either way, and it uses none of Heat's own tools"
        }
        _ => return None,
    };
    let whole = || Some(Span { end: text?.span.end, ..key_span(properties, "user_data")? });
    let span = format.map(|it| it.span).or_else(whole)?;
    Some(InertPart { span, subject: Some(user_data::FORMAT), why })
}

/// Whether user data is a script that does not use what Heat adds for its own tools.
fn is_plain_script(text: &Expr, evaluator: &PartialEvaluator<'_>) -> bool {
    user_data::is_script_without(text, &TRACES_OF_WRAPPING, evaluator)
        && !user_data::may_contain(text, &TRACES_OF_CFNTOOLS, evaluator)
}

/// A script that nothing but deployments reads.
fn unread_text(resource: &Resource) -> [InertPart; 2] {
    [resource.name_span, resource.kind_span()].map(|span| InertPart {
        span,
        subject: None,
        why: UNREAD,
    })
}

/// The properties of a group that only matter if something scales it, and its type.
fn unscaled(resource: &Resource) -> Vec<InertPart> {
    let inert = |span| InertPart { span, subject: None, why: NO_POLICY };
    let mut parts = vec![inert(resource.kind_span()), inert(resource.name_span)];
    let Some(Expr { kind: ExprKind::Map(pairs), .. }) = &resource.properties else { return parts };
    for pair in pairs.iter() {
        if pair.key.as_text().is_some_and(|key| FOR_SCALING.contains(&key)) {
            parts.push(inert(Span { end: pair.value.span.end, ..pair.key.span }));
        }
    }
    parts
}

/// The conditions that nothing waits for, and their handles.
fn unneeded_waits(module: &Module) -> Vec<&str> {
    let of = |is_handle: bool| {
        let all = module.implementations.iter().filter(move |(_, it)| match it {
            ResourceImplementation::ResourceType(kind) => {
                SignalRole::of(kind).is_some_and(|role| is_handle == (role == SignalRole::Handle))
            }
            ResourceImplementation::Template(_)
            | ResourceImplementation::Group { .. }
            | ResourceImplementation::Unknown(_) => false,
        });
        all.map(|(name, _)| name.as_str())
    };
    let mut awaited = References::default();
    for resource in module.stack.resources.values() {
        resource.properties.iter().chain(&resource.metadata).for_each(|it| awaited.add(it));
        awaited.names.extend(resource.depends_on.iter().map(|it| it.text.as_str()));
    }
    let is_needed = |name: &&str| awaited.contain(name);
    let (needed, mut unneeded): (Vec<&str>, Vec<&str>) = of(false).partition(is_needed);
    let mut used = References::default();
    for name in needed {
        let properties = module.stack.resources.get(name).and_then(|it| it.properties.as_ref());
        properties.into_iter().for_each(|it| used.add(it));
    }
    if !unneeded.is_empty() {
        unneeded.extend(of(true).filter(|name| !used.contain(name)));
    }
    unneeded
}

/// The resources that such resources may use: those of the template, and those that it is passed on to.
fn used_by<'m>(
    model: &RenderModel<'_>,
    module: &'m Module,
    is_user: &dyn Fn(&ResourceImplementation) -> bool,
) -> References<'m> {
    let mut found = References::default();
    if !model.modules.iter().any(|module| module.implementations.values().any(is_user)) {
        return found;
    }
    for (name, resource) in &module.stack.resources {
        let uses = module.implementations.get(name);
        if uses.is_some_and(|it| is_user(it) || passes_on(it)) {
            resource.properties.iter().for_each(|it| found.add(it));
        }
    }
    let is_root = std::ptr::eq(module, model.root());
    let outputs = module.stack.outputs.values().filter(|_| !is_root);
    outputs.filter_map(|output| output.value.as_ref()).for_each(|it| found.add(it));
    found
}

/// Whether a resource applies software to servers.
pub(super) fn is_deployment(implementation: &ResourceImplementation) -> bool {
    match implementation {
        ResourceImplementation::ResourceType(kind) => deploys_software(kind),
        ResourceImplementation::Group { kind: HeatGroup::DeploymentGroup { .. }, .. } => true,
        ResourceImplementation::Group { member, .. } => {
            member.as_deref().is_some_and(is_deployment)
        }
        ResourceImplementation::Template(_) | ResourceImplementation::Unknown(_) => false,
    }
}

/// Whether a resource applies software to servers, or might do so.
fn may_deploy(implementation: &ResourceImplementation) -> bool {
    match implementation {
        ResourceImplementation::Group { member: None, .. } | ResourceImplementation::Unknown(_) => {
            true
        }
        ResourceImplementation::Group { member: Some(member), .. } if may_deploy(member) => true,
        other => is_deployment(other),
    }
}

/// Whether a resource scales groups, or might do so.
fn may_scale(implementation: &ResourceImplementation) -> bool {
    match implementation {
        ResourceImplementation::ResourceType(kind) => kind.ends_with("::ScalingPolicy"),
        ResourceImplementation::Unknown(_) => true,
        ResourceImplementation::Template(_) | ResourceImplementation::Group { .. } => false,
    }
}

/// Whether a resource is a nested stack, or a group of them.
fn passes_on(implementation: &ResourceImplementation) -> bool {
    match implementation {
        ResourceImplementation::Template(_) => true,
        ResourceImplementation::Group { member, .. } => member.as_deref().is_some_and(passes_on),
        ResourceImplementation::ResourceType(_) | ResourceImplementation::Unknown(_) => false,
    }
}

/// Whether a resource is known to apply software to servers.
fn deploys(module: &Module, name: &str) -> bool {
    match module.implementations.get(name) {
        Some(ResourceImplementation::ResourceType(kind)) => deploys_software(kind),
        Some(ResourceImplementation::Group { kind, .. }) => {
            matches!(kind, HeatGroup::DeploymentGroup { .. })
        }
        Some(ResourceImplementation::Template(_) | ResourceImplementation::Unknown(_)) | None => {
            false
        }
    }
}

/// The resources that anything in a template refers to.
pub(super) fn mentioned(module: &Module) -> References<'_> {
    mentioned_by(module, &|_| true)
}

/// The resources that outputs or some of the resources refer to.
fn mentioned_by<'m>(module: &'m Module, counts: &dyn Fn(&str) -> bool) -> References<'m> {
    let mut found = References::default();
    for (_, resource) in module.stack.resources.iter().filter(|(name, _)| counts(name)) {
        resource.properties.iter().chain(&resource.metadata).for_each(|it| found.add(it));
    }
    let outputs = module.stack.outputs.values();
    outputs.filter_map(|output| output.value.as_ref()).for_each(|it| found.add(it));
    found
}

/// The names of resources that expressions refer to.
#[derive(Default)]
pub(super) struct References<'m> {
    names: HashSet<&'m str>,
    /// Whether a name is computed, which may be any.
    is_open: bool,
}

impl<'m> References<'m> {
    pub(super) fn add(&mut self, expr: &'m Expr) {
        expr.walk(&mut |part| {
            let resource = match &part.kind {
                ExprKind::Resource(resource) => &**resource,
                ExprKind::Attribute(attribute) => &attribute.resource,
                _ => return,
            };
            match resource.as_text() {
                Some(name) => drop(self.names.insert(name)),
                None => self.is_open = true,
            }
        });
    }

    pub(super) fn contain(&self, name: &str) -> bool {
        self.is_open || self.names.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_program;
    use super::super::{EmitOptions, EmitRequest, LossKind, emit, terraform};
    use source_diagnostics::Severity;

    /// The subjects of what Terraform loses, and of what only is a note.
    fn lost_and_noted(template: &str) -> (Vec<String>, Vec<String>) {
        with_program(&[("root.yaml", template)], &[], &[], |model, document| {
            let options = EmitOptions::default();
            let schema = model.schema();
            let request = EmitRequest { schema, document, model: Some(model), options: &options };
            let emitted = emit(&terraform::HCL, &request).expect("it is rendered");
            let losses = emitted.losses.iter().filter(|loss| loss.kind != LossKind::Comment);
            let (noted, lost): (Vec<_>, Vec<_>) =
                losses.partition(|loss| loss.severity == Severity::Note);
            let subjects = |losses: Vec<&super::super::Loss>| {
                losses.into_iter().map(|loss| loss.subject.clone()).collect()
            };
            (subjects(lost), subjects(noted))
        })
    }

    const SERVER: &str = r#"
parameters:
  key: {type: string, constraints: [{custom_constraint: nova.keypair}]}
resources:
  config:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, inputs: [{name: x}], config: "echo"}
  server:
    type: OS::Nova::Server
    properties:
      flavor: small
      image: cirros
      key_name: {get_param: key}
      admin_user: me
      software_config_transport: POLL_SERVER_CFN
      user_data_format: SOFTWARE_CONFIG
      user_data: {get_resource: config}
"#;

    #[test]
    fn texts_that_only_deployments_read_are_omitted_with_what_only_they_use() {
        let resources = "
parameters:
  url: {type: string}
resources:
  inner: {type: OS::Heat::SoftwareConfig, properties: {config: echo}}
  outer: {type: OS::Heat::MultipartMime, properties: {parts: [{config: {get_resource: inner}}]}}
  script:
    type: OS::Heat::SoftwareConfig
    properties: {config: {list_join: ['', [curl, {get_param: url}]]}}
  read: {type: OS::Heat::SoftwareConfig, properties: {config: echo}}
  deployment:
    type: OS::Heat::SoftwareDeployment
    properties: {server: s, config: {get_resource: outer}, input_values: {x: {get_resource: script}}}
outputs:
  config: {value: {get_attr: [read, config]}}
";
        let (lost, noted) = lost_and_noted(resources);
        assert_eq!(lost, ["OS::Heat::SoftwareDeployment"]);
        assert_eq!(
            noted,
            [
                "url",
                "OS::Heat::SoftwareConfig",
                "OS::Heat::MultipartMime",
                "OS::Heat::SoftwareConfig"
            ]
        );
    }

    #[test]
    fn what_only_deployments_use_is_a_note_without_one() {
        let (lost, noted) = lost_and_noted(SERVER);
        assert_eq!(lost, Vec::<String>::new());
        assert_eq!(
            noted,
            [
                "custom_constraint",
                "group",
                "inputs",
                "admin_user",
                "software_config_transport",
                "user_data_format",
            ]
        );
    }

    #[test]
    fn the_loss_of_a_deployment_stands_for_what_only_it_uses() {
        let deployment = r#"
  deployment:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: config}, server: {get_resource: server}}
"#;
        let (lost, noted) = lost_and_noted(&format!("{SERVER}{deployment}"));
        assert_eq!(lost, ["OS::Heat::SoftwareDeployment"]);
        assert_eq!(noted.len(), 6, "{noted:?}");
    }

    #[test]
    fn a_script_needs_no_wrapping_unless_it_uses_the_tools_of_heat() {
        let server = |user_data: &str| {
            let properties = format!("{{flavor: small, image: cirros, user_data: {user_data}}}");
            lost_and_noted(&format!(
                "\nresources:\n  server:\n    type: OS::Nova::Server\n    properties: {properties}\n"
            ))
        };
        let note = (vec![], vec!["user_data_format".to_owned()]);
        let loss = (vec!["user_data_format".to_owned()], vec![]);
        assert_eq!(server(r##""#!/bin/sh\necho""##), note);
        assert_eq!(server(r##""#!/bin/sh\ncat /var/log/heat-provision.log""##), loss);
        assert_eq!(server(r##""#cloud-config""##), loss);
    }

    #[test]
    fn a_policy_that_replaces_ports_has_an_effect() {
        let port = |policy: &str| {
            lost_and_noted(&format!(
                "\nresources:\n  port:\n    type: OS::Neutron::Port\n    properties: \
                 {{network: net, replacement_policy: {policy}}}\n"
            ))
        };
        let subject = || vec!["replacement_policy".to_owned()];
        assert_eq!(port("AUTO"), (vec![], subject()));
        assert_eq!(port("REPLACE_ALWAYS"), (subject(), vec![]));
    }
}
