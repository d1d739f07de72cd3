//! `--target ansible`: a playbook with the modules of the collection `openstack.cloud`.
//!
//! `site.yml` is the user's template, `tasks/NAME.yml` a nested one; `vars/defaults.yml` holds the defaults of
//! parameters, `vars/values.yml` the values that are given, `files/` what `get_file` reads. Expressions keep
//! their types as ansible-core 2.19 and later have it; the playbook checks that.

mod code;
mod expression;
mod functions;
mod names;
mod options;
mod order;
mod parameters;
mod references;
mod rules;
mod scope;
mod security_group;
mod table;
mod task;
#[cfg(test)]
mod tests;
mod texts;
mod unit;
mod value;
mod variables;

use std::cell::RefCell;
use std::path::PathBuf;

use indexmap::IndexMap;

use self::names::Names;
use self::scope::{World, in_unit};
use super::tree::{Branch, Tree};
use super::{Emitted, Emitter, File, Losses, Program, Request, Says, UnitId};
use heat_template::hot::Meaning;
use heat_template::ir::ReplaceKeys;
use lossless_yaml::Value as Data;
use source_diagnostics::Diagnostic;

/// `--target ansible`
pub(crate) struct Ansible;

impl Emitter for Ansible {
    fn name(&self) -> &str {
        "ansible"
    }

    fn summary(&self) -> &str {
        "an Ansible playbook with openstack.cloud modules"
    }

    fn says_type(&self, name: &str) -> (Option<String>, Says) {
        let group = match heat_engine::eval::GroupKind::of(name) {
            None => None,
            Some(heat_engine::eval::GroupKind::ResourceGroup) => Some("loop"),
            Some(heat_engine::eval::GroupKind::AutoScalingGroup) => {
                let why = "the members are made; nothing scales them";
                return (Some("loop".to_owned()), Says::Partly(why.to_owned()));
            }
            Some(heat_engine::eval::GroupKind::ResourceChain) => {
                return (None, Says::Not("the resources of a chain are computed".to_owned()));
            }
            Some(heat_engine::eval::GroupKind::DeploymentGroup { .. }) => {
                return (None, Says::Not("delivered by an agent through Heat".to_owned()));
            }
        };
        if let Some(group) = group {
            let why = "every member is made: no removal policies, no batches";
            return (Some(group.to_owned()), Says::Partly(why.to_owned()));
        }
        let Some(mapping) = table::of_type(name) else {
            return (None, Says::Not("the collection has no module for it".to_owned()));
        };
        let lost: Vec<&str> = mapping
            .properties
            .iter()
            .filter(|(_, it)| it.to.is_none() && it.rule.is_none())
            .map(|(property, _)| property.as_str())
            .collect();
        let says = match lost.as_slice() {
            [] => Says::Whole,
            lost => Says::Partly(format!("without {}", lost.join(", "))),
        };
        match (&mapping.to, &mapping.rule) {
            (Some(to), _) => {
                let module = format!("{}.{to}", table::modules().collection);
                (Some(module), says)
            }
            (None, Some(rule)) if rule == "nothing" => (Some("nothing".to_owned()), Says::Whole),
            (None, Some(rule)) if rule == "random" => (Some("set_fact".to_owned()), says),
            (None, Some(_)) => (Some("variable".to_owned()), says),
            (None, None) => (None, Says::Not(mapping.note.clone().unwrap_or_default())),
        }
    }

    fn says_function(&self, function: Meaning) -> Says {
        let partly = |why: &str| Says::Partly(why.to_owned());
        let not = |why: &str| Says::Not(why.to_owned());
        match function {
            Meaning::Yaql => not("Ansible has no yaql"),
            Meaning::Facade { .. } => not("tasks know nothing of the resource that they stand for"),
            Meaning::Zones => not("no module lists the zones of a server"),
            Meaning::MemberList => not("only where its value is known while rendering"),
            Meaning::Attribute { .. } => partly("what the modules return"),
            Meaning::Resource | Meaning::Ref => partly("nested templates have no id"),
            Meaning::Replace(_, ReplaceKeys::MayBeMissing) | Meaning::ReplaceList => {
                partly("the placeholders must be written out")
            }
            Meaning::Replace(..) => {
                partly("the check is made while rendering, where the text is known")
            }
            Meaning::Repeat { .. } => partly("the placeholders must be written out"),
            Meaning::Url => partly("its parts must be written out"),
            _ => Says::Whole,
        }
    }

    fn emit(&self, request: &Request<'_>) -> Result<Emitted, Box<Diagnostic>> {
        let Some(program) = request.program else { return Ok(Emitted::default()) };
        playbook(program)
    }
}

/// The variable of every parameter, and those that name the stack.
fn declare(program: &Program<'_>, names: &Names) -> (Vec<IndexMap<String, String>>, Vec<String>) {
    let mut parameters = Vec::new();
    let mut stack_names = Vec::new();
    for (at, unit) in program.units.iter().enumerate() {
        let id = UnitId(at);
        let own = unit.stack.parameters.keys().map(|name| {
            let wish = in_unit(program, id, &names::identifier(name));
            (name.clone(), names.give(&wish))
        });
        parameters.push(own.collect());
        if at > 0 {
            names.give(&task::result(program, id));
        }
        stack_names.push(names.give(&in_unit(program, id, "stack_name")));
    }
    (parameters, stack_names)
}

fn playbook(program: &Program<'_>) -> Result<Emitted, Box<Diagnostic>> {
    let names = Names::default();
    let (parameters, stack_names) = declare(program, &names);
    let world = World {
        program,
        names,
        losses: RefCell::new(Losses::default()),
        files: RefCell::new(IndexMap::new()),
        required: RefCell::new(IndexMap::new()),
        parameters,
        stack_names,
    };
    // Templates that others need are said first: what they ask for is known then.
    let said: Vec<unit::Said> =
        (0..program.units.len()).map(|at| unit::say(&world, UnitId(at))).collect();

    let mut files = Vec::new();
    let mut defaults: Vec<(String, Tree)> = Vec::new();
    let mut nested = Vec::new();
    for (at, said) in said.into_iter().enumerate() {
        let mut own = said.defaults;
        if at > 0 {
            if let Some((_, first)) = own.first_mut() {
                first.above.insert(0, format!("Of {}", program.units[at].name));
            }
            defaults.extend(own);
            nested.push((at, said.vars, said.checks, said.tasks, said.about));
            continue;
        }
        defaults.extend(own);
        let values = parameters::values(&world);
        for loss in values.losses {
            world.losses.borrow_mut().add(loss);
        }
        let has_values = !values.pairs.is_empty() || !values.remarks.is_empty();
        let play = root(&world, said.vars, said.checks, said.tasks, said.about, has_values);
        files.push(yaml("site.yml", &play)?);
        if has_values {
            let head = "The values that the environment gives.".to_owned();
            let tree = match values.pairs.is_empty() {
                true => Tree::from(Data::Map(Vec::new())),
                false => Tree::new(Branch::Map(values.pairs)),
            };
            let tree = tree.above(std::iter::once(head).chain(values.remarks));
            files.push(yaml("vars/values.yml", &tree)?);
        }
    }
    let head = "The defaults of the parameters.".to_owned();
    let is_empty = !defaults.iter().any(|(_, it)| it.kind != Branch::Remark);
    let mut tree = Tree::new(Branch::Map(defaults)).above([head]);
    if is_empty && let Branch::Map(pairs) = &tree.kind {
        let remarks: Vec<String> = pairs.iter().flat_map(|(_, it)| it.above.clone()).collect();
        let above = tree.above.clone();
        tree = Tree::from(Data::Map(Vec::new())).above(remarks).above(above);
    }
    files.push(yaml("vars/defaults.yml", &tree)?);
    for (at, vars, checks, tasks, about) in nested {
        let name = &program.units[at].name;
        let mut all = checks;
        all.extend(tasks);
        let mut keys = vec![("name".to_owned(), Tree::from(name.as_str()))];
        if !vars.is_empty() {
            keys.push(("vars".to_owned(), Tree::new(Branch::Map(vars))));
        }
        keys.push(("block".to_owned(), Tree::list(all)));
        let tree = Tree::list([Tree::new(Branch::Map(keys)).above(about)]);
        files.push(yaml(&format!("tasks/{name}.yml"), &tree)?);
    }
    for (name, text) in world.files.take() {
        files.push(File { path: Some(PathBuf::from(format!("files/{name}"))), text });
    }
    let losses = world.losses.into_inner().into_sorted();
    Ok(Emitted { files, losses, findings: Vec::new() })
}

/// The play of the user's template.
fn root(
    world: &World<'_>,
    vars: Vec<(String, Tree)>,
    checks: Vec<Tree>,
    tasks: Vec<Tree>,
    about: Vec<String>,
    has_values: bool,
) -> Tree {
    let mut own = vec![(
        "ansible.builtin.assert".to_owned(),
        Tree::map([
            ("that", Tree::list([Tree::from("ansible_version.full is version('2.19', '>=')")])),
            ("fail_msg", Tree::from("Expressions keep their types from ansible-core 2.19 on.")),
            ("quiet", Data::Bool(true).into()),
        ]),
    )];
    own.insert(0, ("name".to_owned(), Tree::from("Check the version of Ansible")));
    let mut all = vec![Tree::new(Branch::Map(own))];
    let required = world.required.borrow();
    let unset = world.program.root().stack.parameters.iter().filter(|(_, parameter)| {
        parameter.default.as_ref().is_none_or(|it| it.kind == heat_template::ir::ExprKind::Null)
    });
    let unset = unset.filter_map(|(name, _)| world.parameters[0].get(name));
    let names = unset.map(|name| (name.as_str(), ""));
    let names = names.chain(required.iter().map(|(name, what)| (name.as_str(), what.as_str())));
    all.extend(parameters::given(names));
    all.extend(checks);
    all.extend(tasks);
    let mut files = vec![Tree::from("vars/defaults.yml")];
    if has_values {
        files.push(Tree::from("vars/values.yml"));
    }
    let mut keys = vec![
        ("name".to_owned(), Tree::from(world.program.root().name.as_str())),
        ("hosts".to_owned(), Tree::from("localhost")),
        ("connection".to_owned(), Tree::from("local")),
        ("gather_facts".to_owned(), Data::Bool(false).into()),
        ("vars_files".to_owned(), Tree::list(files)),
    ];
    if !vars.is_empty() {
        keys.push(("vars".to_owned(), Tree::new(Branch::Map(vars))));
    }
    keys.push(("tasks".to_owned(), Tree::list(all)));
    Tree::list([Tree::new(Branch::Map(keys)).above(about)])
}

fn yaml(path: &str, tree: &Tree) -> Result<File, Box<Diagnostic>> {
    let text = format!("---\n{}", tree.to_yaml()?);
    Ok(File { path: Some(PathBuf::from(path)), text })
}
