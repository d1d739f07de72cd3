//! `--target ansible`: a playbook that uses the modules of the collection `openstack.cloud`.
//!
//! `site.yml` is the user's template and `tasks/NAME.yml` a nested template. `vars/defaults.yml` holds the
//! defaults of parameters, `vars/values.yml` the given values, and `files/` the files that `get_file` reads.
//! Expressions keep their types as in ansible-core 2.19 and later; the playbook checks that version.

mod conversion;
mod expression;
mod functions;
mod group;
mod jinja;
mod names;
mod options;
mod order;
mod parameters;
mod references;
mod rules;
mod scope;
mod security_group;
mod server_groups;
mod table;
mod task;
mod teardown;
mod template;
#[cfg(test)]
mod tests;
mod texts;
mod value;
mod variables;
mod wide_lines;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use indexmap::IndexMap;

use self::names::VariableNames;
use self::scope::{PlaybookContext, name_in_module};
use super::script_parameters::is_placeholder_parameter;
use super::tree::{DataNode, DataTree};
use super::{
    BootWait, EmitOutput, EmitRequest, EmittedFile, Emitter, Losses, ModuleId, RenderModel,
    TargetSupport,
};
use crate::kit::{AttachmentNames, Attachments, nested_templates_first};
use lossless_yaml::Value as Data;
use saved_stack::TakeOver;
use source_diagnostics::Diagnostic;

/// The width of lines, below the 160 characters that ansible-lint accepts.
const LINE_WIDTH: usize = 120;

/// `--target ansible`
pub(crate) struct Ansible;

/// How to wait for a server.
const BOOT_WAIT: BootWait = BootWait {
    template: include_str!("../../targets/ansible/boot_wait.txt"),
    use_it: "add these tasks before {waiting}, with the user of the image",
    name: names::variable_name,
};

impl Emitter for Ansible {
    fn name(&self) -> &str {
        "ansible"
    }

    fn summary(&self) -> &str {
        "an Ansible playbook with openstack.cloud modules"
    }

    fn boot_wait(&self) -> Option<BootWait> {
        Some(BOOT_WAIT)
    }

    fn replaces_heat(&self) -> bool {
        true
    }

    fn distinguishes_identifiers(&self) -> bool {
        true
    }

    fn take_over(&self) -> TakeOver {
        TakeOver::FindsByName
    }

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        let group = match heat_engine::eval::HeatGroup::of(name) {
            None => None,
            Some(heat_engine::eval::HeatGroup::ResourceGroup) => Some("loop"),
            Some(heat_engine::eval::HeatGroup::AutoScalingGroup) => {
                let why = "the members are created, but nothing scales them";
                return (Some("loop".to_owned()), TargetSupport::Partial(why.to_owned()));
            }
            Some(heat_engine::eval::HeatGroup::ResourceChain) => {
                return (
                    None,
                    TargetSupport::Unsupported(
                        "the types of the chain's resources are computed".to_owned(),
                    ),
                );
            }
            Some(heat_engine::eval::HeatGroup::DeploymentGroup { .. }) => {
                return (
                    None,
                    TargetSupport::Unsupported("an agent fetches it through Heat".to_owned()),
                );
            }
        };
        if let Some(group) = group {
            let why = "all members are created at once, without removal policies or batches";
            return (Some(group.to_owned()), TargetSupport::Partial(why.to_owned()));
        }
        let Some(mapping) = table::type_mapping(name) else {
            return (
                None,
                TargetSupport::Unsupported("the collection has no module for this type".to_owned()),
            );
        };
        let lost: Vec<&str> = mapping
            .properties
            .iter()
            .filter(|(_, it)| it.to.is_none() && it.rule.is_none())
            .map(|(property, _)| property.as_str())
            .collect();
        let says = match lost.as_slice() {
            [] => TargetSupport::Full,
            lost => TargetSupport::Partial(format!("without {}", lost.join(", "))),
        };
        match (&mapping.to, &mapping.rule) {
            (Some(to), _) => {
                let module = format!("{}.{to}", table::modules().collection);
                (Some(module), says)
            }
            (None, Some(rule)) if rule == "nothing" => {
                (Some("nothing".to_owned()), TargetSupport::Full)
            }
            (None, Some(rule)) if rule == "random" => (Some("set_fact".to_owned()), says),
            (None, Some(_)) => (Some("variable".to_owned()), says),
            (None, None) => {
                (None, TargetSupport::Unsupported(mapping.note.clone().unwrap_or_default()))
            }
        }
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let Some(model) = request.model else { return Ok(EmitOutput::default()) };
        playbook(model)
    }
}

/// Allocates the variable of every parameter and the variable that holds the stack name, for each template.
fn declare_variables(
    model: &RenderModel<'_>,
    names: &VariableNames,
) -> (Vec<IndexMap<String, String>>, Vec<String>) {
    let mut parameters = Vec::new();
    let mut stack_names = Vec::new();
    for (at, unit) in model.modules.iter().enumerate() {
        let id = ModuleId(at);
        let own = unit.stack.parameters.keys().map(|name| {
            let wish = name_in_module(model, id, &names::identifier(name));
            (name.clone(), names.allocate(&wish))
        });
        parameters.push(own.collect());
        if at > 0 {
            names.allocate(&task::result(model, id));
        }
        stack_names.push(names.allocate(&name_in_module(model, id, "stack_name")));
    }
    (parameters, stack_names)
}

fn playbook(model: &RenderModel<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
    let names = VariableNames::default();
    let (parameters, stack_names) = declare_variables(model, &names);
    let world = PlaybookContext {
        model,
        names,
        losses: RefCell::new(Losses::default()),
        files: RefCell::new(Attachments::new(AttachmentNames::AsWritten)),
        required_variables: RefCell::new(IndexMap::new()),
        used_parameters: RefCell::default(),
        parameters,
        stack_names,
    };
    let templates: BTreeMap<usize, template::TemplateTasks> = nested_templates_first(model)
        .into_iter()
        .map(|id| (id.0, template::template_tasks(&world, id)))
        .collect();
    let values = parameters::parameter_values(&world);
    for loss in values.losses {
        world.losses.borrow_mut().add(loss);
    }
    let has_values = !values.pairs.is_empty() || !values.comments.is_empty();

    let mut files = Vec::new();
    let mut defaults: Vec<(String, DataTree)> = Vec::new();
    let mut nested = Vec::new();
    let needed = teardown::needed_names(templates.values());
    for (at, mut template) in templates {
        let name = &model.modules[at].name;
        if at > 0
            && let Some((_, first)) = template.defaults.first_mut()
        {
            first.above.insert(0, format!("Of {name}"));
        }
        defaults.append(&mut template.defaults);
        let teardown_vars = teardown::needed_variables(&template.vars, &template.teardown);
        let mut creation = template.checks;
        creation.extend(template.tasks);
        if at > 0 {
            let block = block(name, "Create", template.vars, creation, template.header);
            nested.push(yaml(&format!("tasks/{name}.yml"), &block)?);
            let about = vec![format!("Deletes what tasks/{name}.yml creates.")];
            let block = block_of_deletions(name, teardown_vars, template.teardown, about);
            nested.push(yaml(&format!("tasks/teardown/{name}.yml"), &block)?);
            continue;
        }
        let mut required = required_variables(&world);
        required.extend(required_script_parts(&world));
        let play = play(name, template.vars, &required, creation, template.header, has_values);
        files.push(yaml("site.yml", &play)?);
        let required: Vec<_> = required.into_iter().filter(|(it, _)| needed.contains(it)).collect();
        let about = vec!["Deletes what site.yml creates, by name.".to_owned()];
        let title = format!("Delete {name}");
        let deletions = template.teardown;
        let play = self::play(&title, teardown_vars, &required, deletions, about, has_values);
        files.push(yaml("teardown.yml", &play)?);
    }
    if has_values {
        let head = "The values from the environment.".to_owned();
        let tree = match values.pairs.is_empty() {
            true => DataTree::from(Data::Map(Vec::new())),
            false => DataTree::new(DataNode::Map(values.pairs)),
        };
        let tree = tree.above(std::iter::once(head).chain(values.comments));
        files.push(yaml("vars/values.yml", &tree)?);
    }
    let head = "The defaults of the parameters.".to_owned();
    let is_empty = !defaults.iter().any(|(_, it)| it.kind != DataNode::Comment);
    let mut tree = DataTree::new(DataNode::Map(defaults)).above([head]);
    if is_empty && let DataNode::Map(pairs) = &tree.kind {
        let remarks: Vec<String> = pairs.iter().flat_map(|(_, it)| it.above.clone()).collect();
        let above = tree.above.clone();
        tree = DataTree::from(Data::Map(Vec::new())).above(remarks).above(above);
    }
    files.push(yaml("vars/defaults.yml", &tree)?);
    files.extend(nested);
    files.extend(world.files.take().into_files());
    let losses = world.losses.into_inner().into_sorted();
    Ok(EmitOutput { files, losses, ..EmitOutput::default() })
}

/// The tasks of a nested template.
fn block(
    name: &str,
    verb: &str,
    vars: Vec<(String, DataTree)>,
    tasks: Vec<DataTree>,
    about: Vec<String>,
) -> DataTree {
    let mut keys = vec![("name".to_owned(), task::title(verb, "the resources of", name))];
    if !vars.is_empty() {
        keys.push(("vars".to_owned(), DataTree::new(DataNode::Map(vars))));
    }
    keys.push(("block".to_owned(), DataTree::list(tasks)));
    DataTree::list([DataTree::new(DataNode::Map(keys)).above(about)])
}

/// The deletions of a nested template. A block must not be empty.
fn block_of_deletions(
    name: &str,
    vars: Vec<(String, DataTree)>,
    tasks: Vec<DataTree>,
    mut about: Vec<String>,
) -> DataTree {
    if tasks.iter().any(|task| task.kind != DataNode::Comment) {
        return block(name, "Delete", vars, tasks, about);
    }
    about.extend(tasks.into_iter().flat_map(|task| task.above));
    DataTree::from(Data::List(Vec::new())).above(about)
}

/// The variables that a user must supply, each with a description or the empty string.
fn required_variables(world: &PlaybookContext<'_>) -> Vec<(String, String)> {
    let unset = world.model.root().stack.parameters.iter().filter(|(_, parameter)| {
        parameter.default.as_ref().is_none_or(|it| it.kind == heat_template::ir::ExprKind::Null)
    });
    let unset = unset.filter_map(|(name, _)| world.parameter_variable(ModuleId(0), name));
    let unset = unset.map(|name| (name.to_owned(), String::new()));
    let others = world.required_variables.borrow();
    unset.chain(others.iter().map(|(name, what)| (name.clone(), what.clone()))).collect()
}

/// The variables in place of parts of scripts in nested templates, to which no template passes a value.
fn required_script_parts(world: &PlaybookContext<'_>) -> Vec<(String, String)> {
    let nested = world.model.modules.iter().enumerate().skip(1);
    let parameters = nested.flat_map(|(at, module)| {
        let parts = module.stack.parameters.iter();
        parts.filter(|(_, it)| is_placeholder_parameter(it)).map(move |(name, _)| (at, name))
    });
    let variables =
        parameters.filter_map(|(at, name)| world.parameter_variable(ModuleId(at), name));
    variables.map(|name| (name.to_owned(), String::new())).collect()
}

/// A play of the user's template: checks, then `tasks`.
fn play(
    name: &str,
    vars: Vec<(String, DataTree)>,
    required: &[(String, String)],
    tasks: Vec<DataTree>,
    about: Vec<String>,
    has_values: bool,
) -> DataTree {
    let version = DataTree::map([
        ("name", DataTree::from("Check the version of Ansible")),
        (
            "ansible.builtin.assert",
            DataTree::map([
                (
                    "that",
                    DataTree::list([DataTree::from(
                        "ansible_version.full is version('2.19', '>=')",
                    )]),
                ),
                (
                    "fail_msg",
                    DataTree::from("Expressions keep their types from ansible-core 2.19 on."),
                ),
                ("quiet", Data::Bool(true).into()),
            ]),
        ),
    ]);
    let mut all = vec![version];
    let names = required.iter().map(|(name, what)| (name.as_str(), what.as_str()));
    all.extend(parameters::required_variables_task(names));
    all.extend(tasks);
    let mut files = vec![DataTree::from("vars/defaults.yml")];
    if has_values {
        files.push(DataTree::from("vars/values.yml"));
    }
    let mut keys = vec![
        ("name".to_owned(), capitalized(name)),
        ("hosts".to_owned(), DataTree::from("localhost")),
        ("connection".to_owned(), DataTree::from("local")),
        ("gather_facts".to_owned(), Data::Bool(false).into()),
        ("vars_files".to_owned(), DataTree::list(files)),
    ];
    if !vars.is_empty() {
        keys.push(("vars".to_owned(), DataTree::new(DataNode::Map(vars))));
    }
    keys.push(("tasks".to_owned(), DataTree::list(all)));
    DataTree::list([DataTree::new(DataNode::Map(keys)).above(about)])
}

/// The name of a play, which starts with a capital letter.
fn capitalized(name: &str) -> DataTree {
    let mut letters = name.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    DataTree::from(format!("{first}{}", letters.as_str()).as_str())
}

fn yaml(path: &str, tree: &DataTree) -> Result<EmittedFile, Box<Diagnostic>> {
    let tree = wide_lines::with_broken_lines(tree.clone());
    let text = format!("---\n{}", tree.to_yaml_within(LINE_WIDTH)?);
    Ok(EmittedFile { path: Some(PathBuf::from(path)), text })
}
