//! What a user can write where Heat waited for a signal: a step that waits until the server that sends it has booted.
//!
//! No target can write it by itself: it needs a user of the image and a way to reach the server. So the loss of a wait
//! condition shows it, with the names of the deployment. `docs/leaving-heat.md#waiting-for-a-server` explains it.

use std::collections::BTreeSet;

use super::kit::TextResource;
use super::render_model::{Module, RenderModel, ResourceImplementation, property};
use super::{EmitOutput, LossKind};
use heat_template::ir::{Expr, ExprKind, Resource};
use heat_template::schema::SignalRole;

/// How a target waits for a server.
#[derive(Clone, Copy)]
pub struct BootWait {
    /// The step, with `{condition}` and `{server}` in place of the names.
    pub template: &'static str,
    /// What to do with it, with `{condition}` and `{waiting}` in place of the names.
    pub use_it: &'static str,
    /// The name of a resource in the target, in nearly all cases.
    pub name: fn(&str) -> String,
}

impl BootWait {
    fn suggestion(&self, condition: &str, awaited: &AwaitedBoot<'_>) -> Option<String> {
        let (first, others) = awaited.servers.split_first()?;
        let quoted = |names: &[&str]| {
            let names: Vec<String> =
                names.iter().map(|it| format!("`{}`", (self.name)(it))).collect();
            names.join(", ")
        };
        let filled = |text: &str, server: &str| {
            let text = text.replace("{condition}", &(self.name)(condition));
            let waiting = match awaited.waiting.is_empty() {
                true => "what waits for it".to_owned(),
                false => quoted(&awaited.waiting),
            };
            text.replace("{waiting}", &waiting).replace("{server}", &(self.name)(server))
        };
        let step = filled(self.template, first);
        let mut text = format!("{}:\n{}", filled(self.use_it, first), step.trim_end());
        if !others.is_empty() {
            text.push_str(&format!("\nand the same for {}", quoted(others)));
        }
        Some(text)
    }
}

const SERVERS: [&str; 2] = ["OS::Nova::Server", "AWS::EC2::Instance"];

/// Shows for each lost wait condition how to wait for the server instead.
pub(super) fn suggest_waiting_for_boot(
    wait: &BootWait,
    model: &RenderModel<'_>,
    emitted: &mut EmitOutput,
) {
    let lost = |loss: &&mut super::Loss| loss.kind == LossKind::ResourceType && !loss.is_note();
    for loss in emitted.losses.iter_mut().filter(lost) {
        let Some(name) = loss.owner.as_deref() else { continue };
        let in_module = |it: &&Module| it.document.source() == loss.span.source;
        let module =
            model.modules.iter().filter(in_module).find(|it| is_a(it, name, SignalRole::waits));
        let Some(module) = module else { continue };
        if let Some(text) = wait.suggestion(name, &awaited_boot(module, name)) {
            loss.suggestion = Some(text);
        }
    }
}

/// The servers whose boot a condition stands for, and the resources that wait for it.
#[derive(Default)]
struct AwaitedBoot<'m> {
    servers: Vec<&'m str>,
    waiting: Vec<&'m str>,
}

fn awaited_boot<'m>(module: &'m Module, condition: &str) -> AwaitedBoot<'m> {
    let resources = &module.stack.resources;
    let handle = resources
        .get(condition)
        .and_then(|it| property(it, "handle").or_else(|| property(it, "Handle")))
        .and_then(resource_of);
    let mut awaited = AwaitedBoot::default();
    if let Some(handle) = handle {
        let mut known = BTreeSet::from([handle]);
        // A script of its own may be between the handle and the server.
        loop {
            let of_texts = resources.iter().filter(|(name, resource)| {
                is_text(module, name)
                    && refers_to_any(resource, &known)
                    && !known.contains(name.as_str())
            });
            let found: Vec<&str> = of_texts.map(|(name, _)| name.as_str()).collect();
            if found.is_empty() {
                break;
            }
            known.extend(found);
        }
        let servers = resources.iter().filter(|(name, resource)| {
            is_a(module, name, |kind| SERVERS.contains(&kind)) && refers_to_any(resource, &known)
        });
        awaited.servers = servers.map(|(name, _)| name.as_str()).collect();
    }
    let this = BTreeSet::from([condition]);
    let waiting = resources.iter().filter(|(name, resource)| {
        let depends = resource.depends_on.iter().any(|it| it.text == condition);
        name.as_str() != condition && (depends || refers_to_any(resource, &this))
    });
    awaited.waiting = waiting.map(|(name, _)| name.as_str()).collect();
    awaited
}

fn is_a(module: &Module, name: &str, is_one: impl Fn(&str) -> bool) -> bool {
    matches!(
        module.implementations.get(name),
        Some(ResourceImplementation::ResourceType(kind)) if is_one(kind)
    )
}

fn is_text(module: &Module, name: &str) -> bool {
    matches!(
        module.implementations.get(name),
        Some(ResourceImplementation::ResourceType(kind)) if TextResource::of(kind).is_some()
    )
}

fn resource_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Resource(name) => name.as_text(),
        ExprKind::Attribute(attribute) => attribute.resource.as_text(),
        _ => None,
    }
}

fn refers_to_any(resource: &Resource, names: &BTreeSet<&str>) -> bool {
    let mut found = false;
    for expr in resource.properties.iter().chain(&resource.metadata) {
        expr.walk(&mut |part| found |= resource_of(part).is_some_and(|name| names.contains(name)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_program;
    use super::super::{EMITTERS, EmitOptions, EmitRequest, emit};

    const TEMPLATE: &str = r##"
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
  booted: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: handle}, timeout: 60}}
  script:
    type: OS::Heat::SoftwareConfig
    properties: {config: {list_join: ["", ["#!/bin/sh\n", {get_attr: [handle, curl_cli]}]]}}
  web:
    type: OS::Nova::Server
    properties: {image: a, flavor: b, user_data_format: RAW, user_data: {get_resource: script}}
  db:
    type: OS::Cinder::Volume
    depends_on: booted
    properties: {size: 1}
"##;

    #[test]
    fn the_loss_of_a_condition_shows_the_step_of_the_documentation() {
        let page = include_str!("../../../docs/leaving-heat.md");
        let mut shown = Vec::new();
        for emitter in EMITTERS.iter().filter(|it| it.boot_wait().is_some()) {
            with_program(&[("root.yaml", TEMPLATE)], &[], &[], |model, document| {
                let options = EmitOptions::default();
                let schema = model.schema();
                let request =
                    EmitRequest { schema, document, model: Some(model), options: &options };
                let emitted = emit(*emitter, &request).expect("it is rendered");
                let of = |name: &str| {
                    let all = emitted.losses.iter().filter(|it| !it.is_note());
                    let mut all = all.filter(|it| it.owner.as_deref() == Some(name));
                    all.find_map(|it| it.suggestion.clone()).unwrap_or_default()
                };
                let help = of("booted");
                let (how, step) = help.split_once(":\n").expect("a sentence and a step");
                assert!(how.contains("`db`"), "{how}");
                assert!(page.contains(step), "{}: {step}", emitter.name());
                shown.push(emitter.name());
            });
        }
        assert_eq!(shown, ["terraform", "terraform-json", "pulumi", "ansible"]);
    }
}
