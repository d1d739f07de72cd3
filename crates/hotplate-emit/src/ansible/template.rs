//! Translates a template into tasks: variables, checks, resources in order, outputs.

use std::cell::{Cell, RefCell};

use crate::kit::{Expressed, Inexpressible, TargetLanguage as _};
use indexmap::IndexMap;

use super::names::identifier;
use super::order::{order, would_create_cycle};
use super::scope::{PlaybookContext, PlaybookForm, PlaybookResource, TemplateScope};
use super::task::playbook_form;
use super::teardown::names;
use crate::render_model::property;
use crate::tree::{DataNode, DataTree};
use crate::{Comments, LossKind, ModuleId, ResourceImplementation};
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::Value as Data;

/// A template as variables and tasks.
pub(super) struct TemplateTasks {
    /// Defaults of its parameters.
    pub(super) defaults: Vec<(String, DataTree)>,
    /// Variables that its expressions need.
    pub(super) vars: Vec<(String, DataTree)>,
    pub(super) checks: Vec<DataTree>,
    pub(super) tasks: Vec<DataTree>,
    /// The tasks that delete what the tasks create.
    pub(super) teardown: Vec<DataTree>,
    /// The comment at the head of its file.
    pub(super) header: Vec<String>,
}

pub(super) fn template_tasks(world: &PlaybookContext<'_>, id: ModuleId) -> TemplateTasks {
    let unit = world.model.module(id);
    let comments = Comments::of_template(unit);
    let mut scope = TemplateScope {
        playbook: world,
        id,
        module: unit,
        evaluator: world.model.evaluator(unit),
        comments,
        conditions: IndexMap::new(),
        resources: RefCell::new(IndexMap::new()),
        helpers: RefCell::new(Vec::new()),
        value_variables: RefCell::new(Vec::new()),
        mentions_secret: Cell::new(false),
        index: RefCell::new(None),
        mappings: RefCell::new(IndexMap::new()),
        teardown: RefCell::default(),
    };
    for name in unit.stack.conditions.keys() {
        let variable = scope.name(name);
        scope.conditions.insert(name.clone(), variable);
    }
    let parts = scope.declare();
    let mut about = scope.comments.take_head();
    if let Some(description) = &unit.stack.description {
        about.extend(description.as_text().map(|text| text.trim_end().to_owned()));
    }
    scope.conditions();
    let mut tasks = Vec::new();
    for (name, resource) in order(unit, &parts) {
        let own = parts.iter().filter(|(_, owner)| *owner == name);
        let own: Vec<&str> = own.map(|(part, _)| part.as_str()).collect();
        tasks.extend(scope.tasks(name, resource, &own));
    }
    let about_resources = scope.comments.take_sections(|section| section == "resources");
    prepend(&mut tasks, about_resources);
    tasks.extend(scope.outputs());
    scope.report_unsupported_sections();
    let helpers = std::mem::take(&mut *scope.helpers.borrow_mut());
    let mut vars = std::mem::take(&mut *scope.value_variables.borrow_mut());
    vars.extend(helpers.into_iter().map(|(name, text)| (name, Data::Text(text).into())));
    let teardown = scope.teardown.take().into_tasks();
    let trees = tasks.iter().chain(&teardown).chain(vars.iter().map(|(_, value)| value));
    let used = scope.used_parameters(&trees.flat_map(names).collect());
    let mut checks = scope.assertions(&used);
    let defaults = scope.defaults(&used);
    world.used_parameters.borrow_mut().insert(id.0, used);
    prepend(&mut checks, scope.comments.take_rest());
    TemplateTasks { defaults, vars, checks, tasks, teardown, header: about }
}

/// Writes comments above a list.
fn prepend(tasks: &mut Vec<DataTree>, lines: Vec<String>) {
    if !lines.is_empty() {
        tasks.insert(0, DataTree::comment(lines));
    }
}

impl TemplateScope<'_> {
    /// Decides the form of every resource; returns the resources that are part of another one's task.
    fn declare(&self) -> IndexMap<String, String> {
        let stack = self.stack();
        let parts = self.router_parts();
        for name in stack.resources.keys() {
            let made_by = self.module.implementations.get(name);
            let (mut what, group) = match made_by {
                Some(made_by) => playbook_form(made_by),
                None => (PlaybookForm::Nothing("it has no type".to_owned()), None),
            };
            if matches!(what, PlaybookForm::Part) && !parts.contains_key(name) {
                let why = "its router is not created here, or depends on it";
                what = PlaybookForm::Nothing(why.to_owned());
            }
            let variable = self.name(&identifier(name));
            let made = PlaybookResource { variable, form: what, group, is_secret: false };
            self.resources.borrow_mut().insert(name.clone(), made);
        }
        parts
    }

    /// The interfaces and gateways that are part of the task of a router, with the router. A gateway waits for the
    /// interfaces of its router, so that it can be a part only once these are.
    fn router_parts(&self) -> IndexMap<String, String> {
        let names = self.stack().resources.keys();
        let is_part = |name: &String| {
            let made_by = self.module.implementations.get(name);
            made_by.is_some_and(|it| matches!(playbook_form(it).0, PlaybookForm::Part))
        };
        let mut open: Vec<&String> = names.filter(|name| is_part(name)).collect();
        let mut parts: IndexMap<String, String> = IndexMap::new();
        loop {
            let before = open.len();
            open.retain(|name| match self.owner(name, &parts) {
                Some(owner) => {
                    parts.insert((*name).clone(), owner);
                    false
                }
                None => true,
            });
            if open.len() == before {
                return parts;
            }
        }
    }

    /// The router that an interface or a gateway belongs to.
    fn owner(&self, name: &str, parts: &IndexMap<String, String>) -> Option<String> {
        let stack = self.stack();
        let resource = stack.resources.get(name)?;
        let router = property(resource, "router").or_else(|| property(resource, "router_id"))?;
        let ExprKind::Resource(owner) = &router.kind else { return None };
        let owner = owner.as_text()?;
        let is_router = matches!(
            self.module.implementations.get(owner),
            Some(ResourceImplementation::ResourceType(kind)) if kind == "OS::Neutron::Router"
        );
        let names = ["subnet", "subnet_id", "network", "network_id"];
        let is_expressed = names.iter().any(|it| property(resource, it).is_some())
            && property(resource, "port").or(property(resource, "port_id")).is_none();
        let fits =
            is_router && is_expressed && !would_create_cycle(self.module, parts, name, owner);
        fits.then(|| owner.to_owned())
    }

    /// Defines conditions as variables.
    fn conditions(&self) {
        let mut about = self.comments.take_sections(|section| section == "conditions");
        for (name, condition) in &self.stack().conditions {
            let Some(variable) = self.conditions.get(name) else { continue };
            let (mut above, beside) = self.comments.take_around(condition.name_span);
            above.splice(0..0, about.drain(..));
            let value = self.tree(&condition.value);
            let shown = value.as_ref().err().map(|_| condition.value.span);
            above.extend(self.item_comments(condition.name_span, shown));
            let tree = match value {
                Ok(tree) => tree.above(above).beside(beside),
                Err(lost) => {
                    above.extend(self.loss_comment(&lost, condition.value.span));
                    self.require(variable, &format!("whether the condition `{name}` holds"));
                    self.report_loss(name, &lost);
                    DataTree::comment(above)
                }
            };
            self.value_variables.borrow_mut().push((variable.clone(), tree));
        }
    }

    /// The outputs: facts, which the play of the root template prints.
    fn outputs(&self) -> Vec<DataTree> {
        let mut outputs: Vec<(String, DataTree)> = Vec::new();
        let mut is_secret = false;
        for (name, output) in &self.stack().outputs {
            self.mentions_secret.set(false);
            let (mut above, beside) = self.comments.take_around(output.name_span);
            if let Some(text) = output.description.as_ref().and_then(Expr::as_text) {
                above.push(text.trim_end().to_owned());
            }
            let value = match (&output.value, &output.condition) {
                (None, _) => Ok(Data::Null.into()),
                (Some(value), None) => self.tree(value),
                (Some(value), Some(condition)) => self.output_if(value, condition),
            };
            let span = output.value.as_ref().map_or(output.name_span, |it| it.span);
            above.extend(self.item_comments(output.name_span, value.as_ref().err().map(|_| span)));
            match value {
                Ok(value) => outputs.push((name.clone(), value.above(above).beside(beside))),
                Err(lost) => {
                    above.extend(self.loss_comment(&lost, span));
                    self.report_loss(name, &lost);
                    outputs.push((name.clone(), DataTree::comment(above)));
                }
            }
            is_secret |= self.mentions_secret.get();
        }
        if self.id == ModuleId(0) && self.stack().outputs.is_empty() {
            return Vec::new();
        }
        let about = self.comments.take_sections(|section| section == "outputs");
        let variable = match self.id {
            ModuleId(0) => self.name("outputs"),
            id => format!("{{{{ {} }}}}", super::task::result(self.playbook.model, id)),
        };
        let mut keys = vec![
            ("name".to_owned(), DataTree::from("Outputs")),
            (
                "ansible.builtin.set_fact".to_owned(),
                DataTree::map([(variable.as_str(), DataTree::new(DataNode::Map(outputs)))]),
            ),
        ];
        if is_secret {
            keys.push(("no_log".to_owned(), Data::Bool(true).into()));
        }
        let mut tasks = vec![DataTree::new(DataNode::Map(keys)).above(about)];
        if self.id == ModuleId(0) && !is_secret {
            tasks.push(DataTree::map([
                ("name", DataTree::from("Show the outputs")),
                (
                    "ansible.builtin.debug",
                    DataTree::map([("var", DataTree::from(variable.as_str()))]),
                ),
            ]));
        }
        tasks
    }

    /// An output that is null unless its condition holds.
    fn output_if(&self, value: &Expr, condition: &Expr) -> Expressed<DataTree> {
        match self.condition(condition)? {
            None => self.tree(value),
            Some(condition) => {
                let value = self.expression(value)?.operand();
                let text = format!("{{{{ {value} if {} else none }}}}", condition.operand());
                Ok(Data::Text(text).into())
            }
        }
    }

    /// Reports the sections that have no meaning in Ansible.
    fn report_unsupported_sections(&self) {
        let stack = self.stack();
        if let Some(group) = stack.groups.first() {
            let message = "a playbook has no parameter groups (`parameter_groups`)";
            let lost = Inexpressible::new(
                LossKind::Section,
                "parameter_groups",
                message,
                group.value.span,
            );
            self.report_loss("parameter_groups", &lost);
        }
        if let Some((name, capability)) = stack.capabilities.first() {
            let message = "a playbook has no `capabilities`";
            self.report_loss(
                name,
                &Inexpressible::new(
                    LossKind::Section,
                    "capabilities",
                    message,
                    capability.value.span,
                ),
            );
        }
        for extension in &stack.extensions {
            let name = extension.name.text.as_str();
            let message = format!("the section `{name}` is unknown");
            self.report_loss(
                name,
                &Inexpressible::new(LossKind::Section, name, message, extension.name.span),
            );
        }
    }
}
