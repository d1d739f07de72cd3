//! `--target pulumi`: a Pulumi YAML program for the OpenStack provider.
//!
//! - The result is one program, since Pulumi YAML has neither loops nor components: nested templates and
//!   groups are expanded (`emit/flatten/`).
//! - Parameters become `config`, given values the configuration of a stack, `Pulumi.dev.yaml`.
//! - Objects and arguments are those of the provider model (`emit/openstack_provider/`), with the names in
//!   `targets/pulumi/names.yaml`.
//! - What is known while rendering is written as data; of the rest Pulumi YAML can express strings,
//!   splits, joins and digests.

mod argument;
mod config;
mod conversion;
mod dependencies;
mod expr_generator;
mod functions;
mod heat_only_types;
mod name_scope;
mod names;
mod resources;
#[cfg(test)]
mod tests;
mod value;

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use indexmap::IndexMap;

use self::expr_generator::ExprGenerator;
use self::name_scope::NameScope;
use self::resources::AbsentObjects;
use super::flatten::flatten;
use super::openstack_provider::adopt::adopt_flat;
use super::openstack_provider::{self, ObjectCatalog};
use super::tree::{DataNode, DataTree};
use super::{
    BootWait, Comments, EmitOutput, EmitRequest, EmittedFile, Emitter, Loss, LossKind, Losses,
    ModuleId, TargetSupport,
};
use heat_engine::eval::{KnownStack, PartialEvaluator, Value};
use heat_template::ir::{Expr, Stack};
use saved_stack::TakeOver;
use source_diagnostics::{Diagnostic, Span};

/// The stack name that Pulumi itself suggests; one that is adopted keeps its name.
const STACK: &str = "dev";

/// `--target pulumi`
pub(super) struct Pulumi;

/// How to wait for a server.
const BOOT_WAIT: BootWait = BootWait {
    template: include_str!("../../targets/pulumi/boot_wait.txt"),
    use_it: "add this resource of the provider `command`, with the user of the image and their `privateKey`, and \
             `dependsOn` of `${{condition}}` to {waiting}",
    name: |name| super::kit::identifier(name, "-", "_"),
};

impl Emitter for Pulumi {
    fn name(&self) -> &str {
        "pulumi"
    }

    fn summary(&self) -> &str {
        "a Pulumi YAML program for the OpenStack provider"
    }

    fn boot_wait(&self) -> Option<BootWait> {
        Some(BOOT_WAIT)
    }

    fn replaces_heat(&self) -> bool {
        true
    }

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        if let Some(says) = heat_only_types::type_support(name) {
            return says;
        }
        let (to, says) = openstack_provider::type_support(name);
        let to = to.map(|to| match names::PulumiNames::get().resources.get(&to) {
            Some(kind) => kind.token.clone(),
            None => to,
        });
        (to, says)
    }

    fn take_over(&self) -> TakeOver {
        TakeOver::Imports
    }

    fn distinguishes_identifiers(&self) -> bool {
        true
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let Some(model) = request.model else {
            let message = "the target `pulumi` requires a deployment".to_owned();
            return Err(Box::new(Diagnostic::new(heat_template::codes::NOT_A_TEMPLATE, message)));
        };
        let flat = flatten(model);
        let mut losses = flat.losses.clone();
        let mut catalog = ObjectCatalog::new(model, &flat.module, &mut losses);
        let folding = model.evaluator(&flat.module);
        let intended = intended(model, &flat);
        let base = Some(flat.module.base.clone());
        let intended = Arc::new(KnownStack::new(
            &flat.module.stack,
            model.schema(),
            &intended,
            Arc::clone(&model.budget),
        ));
        let intended =
            PartialEvaluator::new(&flat.module.stack, model.files, base, intended, model.yaql);
        let saved = request.options.adopted_stack.as_deref();
        let adoption = saved.map(|saved| adopt_flat(model, &flat, &catalog, saved));
        if let Some(adoption) = &adoption {
            adoption.name_objects(ModuleId(0), &mut catalog);
        }
        let mut dead = AbsentObjects::new();
        loop {
            let before = dead.len();
            let generator = ExprGenerator {
                model,
                flat_stack: &flat,
                catalog: &catalog,
                adoption: adoption.as_ref(),
                evaluator: &folding,
                full_evaluator: &intended,
                scope: NameScope::new(),
                absent: RefCell::default(),
                variables: RefCell::default(),
                values: RefCell::default(),
                files: RefCell::default(),
                losses: RefCell::new(losses.clone()),
                current_span: Cell::new(Span::NOWHERE),
                expressions_by_span: OnceCell::new(),
                parameters_by_span: RefCell::default(),
                wanted_types: config::wanted_of_parameters(&catalog),
                used_parameters: RefCell::default(),
                identifiers: RefCell::default(),
                wanted_values: RefCell::default(),
            };
            let mut emitted = write(&generator, &mut dead)?;
            // Objects that turned out to be impossible are absent, and references to them have to know that.
            if dead.len() == before {
                emitted.findings.extend(adoption.into_iter().flat_map(|it| it.findings));
                return Ok(emitted);
            }
        }
    }
}

/// The value of every parameter of the flat stack, with all given values.
fn intended(
    model: &super::RenderModel<'_>,
    flat: &super::flatten::FlatStack,
) -> IndexMap<String, Value> {
    let mut known = IndexMap::new();
    for (name, parameter) in &flat.module.stack.parameters {
        let of_root = model.root().stack.parameters.contains_key(name);
        let value = match model.full_deployment.evaluation.parameters.get(name) {
            Some(Ok(value)) if of_root => Some(value.clone()),
            _ => {
                let given = flat.parameter_values.get(name).map(|given| given.value.clone());
                given.or_else(|| parameter.default.as_ref().map(Value::from_expr_as_sent))
            }
        };
        known.extend(value.map(|value| (name.clone(), value)));
    }
    known
}

fn write(
    generator: &ExprGenerator<'_>,
    dead: &mut AbsentObjects,
) -> Result<EmitOutput, Box<Diagnostic>> {
    let model = generator.model;
    let comments: Vec<Comments<'_>> = model.modules.iter().map(Comments::of_template).collect();
    let root = &comments[0];
    let stack: &Stack = &generator.flat_stack.module.stack;
    let project = model.root().name.clone();
    let mut head = vec![("name", DataTree::from(project.as_str())), ("runtime", "yaml".into())];
    if let Some(description) = stack.description.as_ref().and_then(Expr::as_text) {
        head.push(("description", description.into()));
    }
    if let Some((_, tree)) = head.first_mut() {
        *tree = tree.clone().above(root.take_head());
    }
    generator.name_parameters();
    generator.name_resources(dead);
    let resources = generator.resources(&comments, dead);
    let outputs = generator.outputs(root);
    let config = generator.config(root);
    for group in stack.groups.iter().take(1) {
        let message = "Pulumi configuration has no groups, which only clients show".to_owned();
        let loss = Loss::new(LossKind::Section, "parameter_groups", message, group.value.span);
        generator.losses.borrow_mut().add(loss.as_note());
    }
    let variables = DataTree::map(generator.variables.take());
    let sections = [
        ("config", config),
        ("variables", variables),
        ("resources", resources),
        ("outputs", outputs),
    ];
    let sections = sections.into_iter().filter(|(_, tree)| !is_empty(tree)).map(|(name, tree)| {
        let of_heat = if name == "config" { "parameters" } else { name };
        (name, tree.above(root.take_sections(|section| section == of_heat)))
    });
    let mut tree = DataTree::map(head.into_iter().chain(sections));
    // What stands at the conditions and at the parameters of nested templates is part of nothing in the program.
    for (module, comments) in model.modules.iter().zip(&comments) {
        let mut rest: Vec<String> = comments.take_rest();
        if !rest.is_empty()
            && let DataNode::Map(pairs) = &mut tree.kind
        {
            rest.insert(0, format!("further comments of {}:", module.name));
            pairs.push(("comments".to_owned(), DataTree::comment(rest)));
        }
    }
    let mut losses: Losses = generator.losses.take();
    let mut files = vec![EmittedFile { path: Some("Pulumi.yaml".into()), text: tree.to_yaml()? }];
    if let Some(values) = generator.stack_file(&project) {
        let stack = generator.adoption.and_then(|it| it.stack.as_deref()).unwrap_or(STACK);
        let path = format!("Pulumi.{stack}.yaml");
        files.push(EmittedFile { path: Some(path.into()), text: values.to_yaml()? });
    }
    // Values that the configuration file of the stack cannot hold.
    for loss in generator.losses.take().into_sorted() {
        losses.add(loss);
    }
    files.extend(generator.files.take().into_files());
    let wanted_values = generator.wanted_values.take();
    Ok(EmitOutput { files, losses: losses.into_sorted(), wanted_values, ..EmitOutput::default() })
}

fn is_empty(tree: &DataTree) -> bool {
    matches!(&tree.kind, DataNode::Map(pairs) if pairs.is_empty())
}
