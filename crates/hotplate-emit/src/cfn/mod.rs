//! `--target cfn`: AWS CloudFormation, with AWS types.
//!
//! The root template, each nested template and the given values are one file each. The counterparts of
//! types are in `targets/cfn/mapping.yaml`, the forms of arguments in `targets/cfn/forms.yaml`, and what
//! neither can express in `rules/`. Values come from the evaluator: a value that is known while rendering is
//! data, any other is a term that [`operation`] translates into CloudFormation functions.

mod condition;
mod constraints;
mod dependencies;
mod full_pattern;
mod inexpressible;
mod json_parameter;
mod mappings;
mod names;
mod nested;
mod operation;
mod output;
mod parameter;
mod parameter_values;
mod plan;
mod reference;
mod resource_builder;
mod rules;
mod signal;
mod support;
mod tables;
mod template_builder;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod wanted_values;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use indexmap::IndexMap;

use super::kit::nested_templates_first;
use super::tree::DataTree;
use super::{
    Comments, EmitOutput, EmitRequest, EmittedFile, Emitter, Loss, Losses, Module, ModuleId,
    OutputSyntax, RenderModel, TargetSupport,
};
use nested::FinishedTemplate;
use plan::PlannedOutcome;
use source_diagnostics::Diagnostic;
use template_builder::TemplateBuilder;
use text::TO_JSON;

/// `--target cfn`
pub(crate) struct Cfn;

/// The maximum length of a template's description, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 1024;

impl Emitter for Cfn {
    fn name(&self) -> &str {
        "cfn"
    }

    fn summary(&self) -> &str {
        "AWS CloudFormation with AWS resource types"
    }

    fn syntaxes(&self) -> &[OutputSyntax] {
        &[OutputSyntax::Yaml, OutputSyntax::Json]
    }

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        support::type_support(name)
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let Some(model) = request.model else {
            let message = "the target `cfn` needs a template that Heat accepts";
            return Err(Box::new(Diagnostic::new(heat_template::codes::NOT_A_TEMPLATE, message)));
        };
        let syntax = request.options.syntax.unwrap_or_default();
        let mut made = BTreeMap::new();
        let mut done = HashMap::new();
        for ModuleId(id) in nested_templates_first(model) {
            let unit = &model.modules[id];
            let mut losses = Losses::default();
            let (template, found) = template(model, unit, &done, &mut losses, syntax);
            made.insert(id, (template, losses));
            done.insert(id, found);
        }
        files(model, made, syntax)
    }
}

/// The result of one template.
struct BuiltTemplate {
    tree: DataTree,
    given: Option<DataTree>,
    uses: BTreeSet<usize>,
    wanted_values: BTreeSet<String>,
}

fn template(
    model: &RenderModel<'_>,
    unit: &Module,
    done: &HashMap<usize, FinishedTemplate>,
    losses: &mut Losses,
    syntax: OutputSyntax,
) -> (BuiltTemplate, FinishedTemplate) {
    let mut template_builder = TemplateBuilder {
        model,
        module: unit,
        evaluator: model.evaluator(unit),
        comments: Comments::of_template(unit),
        losses,
        finished: done,
        parameters: IndexMap::new(),
        parameter_forms: IndexMap::new(),
        json_parts: IndexMap::new(),
        extra_parameters: IndexMap::new(),
        extra_parameters_by_description: HashMap::new(),
        names: names::LogicalIds::default(),
        plan: IndexMap::new(),
        helpers: HashMap::new(),
        subnets: OnceCell::new(),
        read_names: OnceCell::new(),
        mappings: IndexMap::new(),
        conditions: IndexMap::new(),
        condition_ids: HashMap::new(),
        indexed_conditions: 0,
        condition_names: names::LogicalIds::default(),
        condition_by_digest: HashMap::new(),
        condition_by_name: HashMap::new(),
        resources: Vec::new(),
        replaced_conditions: BTreeSet::new(),
        wanted_values: BTreeSet::new(),
        in_progress: BTreeSet::new(),
        inlined_nodes: 0,
    };
    let mut found = FinishedTemplate::default();
    let stack = &unit.stack;
    let mut root = vec![("AWSTemplateFormatVersion".to_owned(), DataTree::from("2010-09-09"))];
    if let Some(text) = stack.description.as_ref().and_then(|it| it.as_text())
        && !text.is_empty()
    {
        root.push((
            "Description".into(),
            DataTree::from(output::shortened(text, MAX_DESCRIPTION_BYTES).as_str()),
        ));
        if text.len() > MAX_DESCRIPTION_BYTES {
            let message =
                "CloudFormation limits the description of a template to 1024 bytes".to_owned();
            let span = stack.description.as_ref().map_or(stack.format.span, |it| it.span);
            let lines =
                template_builder.report_section("description", message, span, "description");
            root.push((String::new(), DataTree::comment(lines)));
        }
    }
    template_builder.name_parameters();
    template_builder.named_conditions();
    template_builder.make_plan();
    template_builder.make_resources();
    let outputs = template_builder.make_outputs(&mut found);
    let used = used_names(&[&template_builder.resources, &outputs], &template_builder.conditions);
    let parameters = template_builder.make_parameters(&used, &mut found);
    if let Some(interface) = template_builder.interface() {
        root.push(("Metadata".into(), interface));
    }
    let mut resources = std::mem::take(&mut template_builder.resources);
    let is_empty = resources.iter().all(|(name, _)| name.is_empty());
    if is_empty {
        let handle =
            DataTree::map([("Type", DataTree::from("AWS::CloudFormation::WaitConditionHandle"))]);
        let why = "CloudFormation requires a resource; this one creates nothing";
        let name = template_builder.names.allocate("Nothing");
        resources.push((name, handle.above([why.to_owned()])));
    }
    let conditions: Vec<(String, DataTree)> =
        template_builder.conditions.clone().into_iter().collect();
    if resources.iter().chain(&outputs).any(|(_, tree)| tree.calls(TO_JSON)) {
        let why = "deploy the stack with the capability CAPABILITY_AUTO_EXPAND, which this needs";
        let transform = DataTree::from("AWS::LanguageExtensions").above([why.to_owned()]);
        root.insert(1, ("Transform".to_owned(), transform));
    }
    for (name, pairs) in [
        ("Parameters", parameters),
        ("Mappings", template_builder.mappings.clone().into_iter().collect()),
        ("Conditions", conditions),
        ("Resources", resources),
        ("Outputs", outputs),
    ] {
        if pairs.iter().any(|(name, _)| !name.is_empty()) {
            let is_it = |section: &str| section == name.to_lowercase();
            let about = template_builder.comments.take_sections(is_it);
            root.push((name.to_owned(), DataTree::map(pairs).above(about)));
        } else {
            let remarks = pairs.into_iter().map(|(_, tree)| (String::new(), tree));
            root.extend(remarks);
        }
    }
    for extension in &stack.extensions {
        let message = format!("the section `{}` has no counterpart", extension.name.text);
        let lines = template_builder.report_section(
            &extension.name.text,
            message,
            extension.name.span,
            "template",
        );
        root.push((String::new(), DataTree::comment(lines)));
    }
    let (_, first) = &mut root[0];
    first.above.extend(template_builder.comments.take_sections(|_| true));
    match syntax {
        OutputSyntax::Yaml => {
            let rest = template_builder.comments.take_rest();
            if !rest.is_empty() {
                root.push((String::new(), DataTree::comment(rest)));
            }
        }
        OutputSyntax::Json => {
            // JSON has no comments, so none is lost in particular.
            Comments::new(Some(&unit.document)).report_remaining(template_builder.losses, "JSON");
        }
    }
    let given =
        if std::ptr::eq(unit, model.root()) { template_builder.parameter_values() } else { None };
    let uses = template_builder.plan.values().filter_map(|planned| match planned.outcome {
        PlannedOutcome::Nested(id) => Some(id.0),
        _ => None,
    });
    let made = BuiltTemplate {
        tree: DataTree::map(root),
        given,
        uses: uses.collect(),
        wanted_values: template_builder.wanted_values.clone(),
    };
    (made, found)
}

/// The names that the finished parts of a template refer to with `Ref` and `Fn::Sub`.
fn used_names(
    parts: &[&Vec<(String, DataTree)>],
    conditions: &IndexMap<String, DataTree>,
) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let trees = parts.iter().flat_map(|part| part.iter().map(|(_, tree)| tree));
    trees.chain(conditions.values()).for_each(|tree| tree.collect_references(&mut used));
    used
}

/// The files of all templates that are used, and their losses.
fn files(
    model: &RenderModel<'_>,
    mut made: BTreeMap<usize, (BuiltTemplate, Losses)>,
    syntax: OutputSyntax,
) -> Result<EmitOutput, Box<Diagnostic>> {
    let extension = match syntax {
        OutputSyntax::Yaml => "yaml",
        OutputSyntax::Json => "json",
    };
    let mut emitted = EmitOutput::default();
    let mut losses = Losses::default();
    let mut wanted = vec![0];
    let mut seen = BTreeSet::new();
    let mut given = None;
    while let Some(id) = wanted.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some((template, found)) = made.remove(&id) else { continue };
        wanted.extend(template.uses.iter().rev());
        emitted.wanted_values.extend(template.wanted_values);
        let text = match syntax {
            OutputSyntax::Yaml => template.tree.to_yaml()?,
            OutputSyntax::Json => template.tree.to_json()?,
        };
        let path = PathBuf::from(format!("{}.{extension}", model.modules[id].name));
        emitted.files.push(EmittedFile { path: Some(path), text });
        found.as_slice().iter().for_each(|loss: &Loss| losses.add(loss.clone()));
        given = given.or(template.given);
    }
    if let Some(given) = given {
        let text = given.to_json()?;
        emitted.files.push(EmittedFile { path: Some("parameters.json".into()), text });
    }
    if let [file] = emitted.files.as_mut_slice() {
        file.path = None;
    }
    emitted.losses = losses.into_sorted();
    Ok(emitted)
}

impl TemplateBuilder<'_> {
    /// `AWS::CloudFormation::Interface`: labels and groups of parameters, which the AWS console displays.
    fn interface(&mut self) -> Option<DataTree> {
        let stack = std::sync::Arc::clone(&self.module.stack);
        let mut pairs = Vec::new();
        let mut groups = Vec::new();
        for group in &stack.groups {
            let label = group.value.member("label").and_then(|it| it.as_text());
            let names = match group.value.member("parameters").map(|it| &it.kind) {
                Some(heat_template::ir::ExprKind::List(items)) => items
                    .iter()
                    .filter_map(|item| self.parameters.get(item.as_text()?))
                    .map(|id| DataTree::from(id.as_str()))
                    .collect(),
                _ => Vec::new(),
            };
            if names.is_empty() {
                continue;
            }
            let mut group = Vec::new();
            if let Some(label) = label {
                group.push(("Label", DataTree::map([("default", DataTree::from(label))])));
            }
            group.push(("Parameters", DataTree::list(names)));
            groups.push(DataTree::map(group));
        }
        if !groups.is_empty() {
            pairs.push(("ParameterGroups", DataTree::list(groups)));
        }
        let mut labels = Vec::new();
        for (name, parameter) in &stack.parameters {
            let label = parameter.label.as_ref().and_then(|it| it.as_text());
            if let (Some(label), Some(id)) = (label, self.parameters.get(name)) {
                labels.push((id.clone(), DataTree::map([("default", DataTree::from(label))])));
            }
        }
        if !labels.is_empty() {
            pairs.push(("ParameterLabels", DataTree::map(labels)));
        }
        let interface = DataTree::map(pairs);
        let is_empty =
            matches!(&interface.kind, super::tree::DataNode::Map(pairs) if pairs.is_empty());
        (!is_empty).then(|| DataTree::map([("AWS::CloudFormation::Interface", interface)]))
    }
}
