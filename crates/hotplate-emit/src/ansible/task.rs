//! Translates resources into tasks.

use super::jinja::{JinjaExpr, TextPart, template};
use super::options::{GENERIC_MODULE, TaskOptions, TaskSubject};
use super::scope::{PlaybookForm, PlaybookResource, TemplateScope};
use super::table::modules;
use super::teardown::{type_words, why_kept, words};
use crate::kit::{Inexpressible, key_text};
use crate::tree::{DataNode, DataTree};
use crate::{LossKind, ResourceImplementation};
use heat_engine::eval::HeatGroup;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Pair, Resource};
use lossless_yaml::Value as Data;

/// The comments, condition and loop that surround the module of a resource's tasks.
pub(super) struct TaskContext {
    pub(super) name: String,
    pub(super) comments: Vec<String>,
    pub(super) beside: Option<String>,
    pub(super) when: Option<JinjaExpr>,
    /// The list that the task loops over, and the loop variable.
    pub(super) loop_over: Option<(JinjaExpr, String)>,
}

impl TaskContext {
    /// The comments of a resource that becomes no task.
    pub(super) fn lines(self) -> Vec<String> {
        self.comments.into_iter().chain(self.beside).collect()
    }
}

/// The properties of a resource; `None` if they are computed as a whole.
pub(super) fn pairs(properties: Option<&Expr>) -> Option<&[Pair]> {
    match properties.map(|it| &it.kind) {
        None | Some(ExprKind::Null) => Some(&[]),
        Some(ExprKind::Map(pairs)) => Some(pairs),
        Some(_) => None,
    }
}

impl TemplateScope<'_> {
    pub(super) fn tasks(&self, name: &str, resource: &Resource, parts: &[&str]) -> Vec<DataTree> {
        let made = self.resources.borrow().get(name).cloned();
        let Some(made) = made else { return Vec::new() };
        self.mentions_secret.set(false);
        let (comments, beside) = self.comments.take_around(resource.name_span);
        let mut around =
            TaskContext { name: name.to_owned(), comments, beside, when: None, loop_over: None };
        if let Some(text) = resource.description.as_ref().and_then(Expr::as_text) {
            around.comments.push(text.trim_end().to_owned());
        }
        self.sections(name, resource, &made);
        if let Some(condition) = &resource.condition {
            match self.condition(condition) {
                Ok(when) => around.when = when,
                Err(lost) => {
                    around.comments.extend(self.loss_comment(&lost, condition.span));
                    self.report_loss(name, &lost);
                }
            }
        }
        let mut tasks = match &made.form {
            PlaybookForm::Nothing(why) => self.omitted_resource(name, resource, why, around),
            PlaybookForm::Part => vec![DataTree::comment(around.lines())],
            PlaybookForm::Variable(_) | PlaybookForm::Object(_) | PlaybookForm::Nested(_)
                if made.group.is_some() =>
            {
                self.group(name, resource, &made, around)
            }
            PlaybookForm::Variable(_) => self.variable(name, resource, &made, around.lines()),
            PlaybookForm::Object(mapping) => match pairs(resource.properties.as_ref()) {
                None => self.computed(name, resource, around),
                Some(properties) => {
                    let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
                    let span = resource.name_span;
                    let subject = TaskSubject { name, kind, mapping, properties, span };
                    self.object(&subject, &made, around, parts)
                }
            },
            PlaybookForm::Nested(unit) => match pairs(resource.properties.as_ref()) {
                None => self.computed(name, resource, around),
                Some(properties) => {
                    let into = vec![TextPart::Text(made.variable.clone())];
                    self.include(name, *unit, properties, into, around)
                }
            },
        };
        *self.index.borrow_mut() = None;
        let left = self.comments.take_item(resource.name_span);
        match tasks.first_mut() {
            Some(first) => first.above.extend(left),
            None => tasks.push(DataTree::comment(left)),
        }
        tasks.retain(|task| task.kind != DataNode::Comment || !task.above.is_empty());
        tasks
    }

    /// Reports the sections of a resource, besides its properties, that are lost.
    fn sections(&self, name: &str, resource: &Resource, made: &PlaybookResource) {
        use heat_template::ir::DeletionPolicy;
        let lose = |subject: &str, message: String, span| {
            let kind = LossKind::Section;
            self.report_loss(name, &Inexpressible::new(kind, subject, message, span));
        };
        if matches!(made.form, PlaybookForm::Nothing(_)) {
            return;
        }
        if let (Some(DeletionPolicy::Snapshot | DeletionPolicy::Other(_)), Some(span)) =
            (&resource.deletion_policy, resource.deletion_policy_span)
            && let Some(why) = why_kept(resource)
        {
            lose("deletion_policy", format!("teardown.yml keeps `{name}`: {why}"), span);
        }
        if let Some(metadata) = &resource.metadata {
            lose("metadata", format!("the metadata of `{name}` exist only in Heat"), metadata.span);
        }
        if let Some(policy) = &resource.update_policy {
            lose(
                "update_policy",
                format!("the update policy of `{name}` applies only to Heat"),
                policy.span,
            );
        }
        if let Some(id) = &resource.external_id {
            let message =
                format!("the module finds resources by name, not by the ID that `{name}` adopts");
            lose("external_id", message, id.span);
        }
    }

    pub(super) fn omitted_resource(
        &self,
        name: &str,
        resource: &Resource,
        why: &str,
        around: TaskContext,
    ) -> Vec<DataTree> {
        let mut lines = around.lines();
        let whole = source_diagnostics::Span {
            end: resource.properties.as_ref().map_or(resource.name_span.end, |it| it.span.end),
            ..resource.name_span
        };
        if !why.is_empty() {
            let kind = resource.kind.as_ref();
            let subject = kind.map_or("", |kind| kind.text.as_str());
            let span = kind.map_or(resource.name_span, |kind| kind.span);
            let message = format!("`{name}` is not created: {why}");
            let mut lost = Inexpressible::new(LossKind::ResourceType, subject, message, span);
            lost.suggestion = super::table::type_mapping(&self.schema().real_name(subject))
                .and_then(|it| it.suggestion.clone())
                .or_else(|| {
                    Some(
                        "create it with `openstack.cloud.stack` from a separate template"
                            .to_owned(),
                    )
                });
            lines.extend(self.loss_comment(&lost, whole));
            self.report_loss(name, &lost);
            // The comment shows the original with everything inside it.
            if let Some(properties) = &resource.properties {
                self.comments.take_inside(properties.span);
            }
        }
        vec![DataTree::comment(lines)]
    }

    pub(super) fn computed(
        &self,
        name: &str,
        resource: &Resource,
        around: TaskContext,
    ) -> Vec<DataTree> {
        if let Some(made) = self.resources.borrow_mut().get_mut(name) {
            made.form = PlaybookForm::Nothing("its properties are computed as a whole".to_owned());
        }
        self.omitted_resource(name, resource, "its properties are computed as a whole", around)
    }

    /// A task that calls a module of the collection.
    pub(super) fn object(
        &self,
        subject: &TaskSubject<'_>,
        made: &PlaybookResource,
        around: TaskContext,
        parts: &[&str],
    ) -> Vec<DataTree> {
        if subject.mapping.rule.as_deref() == Some("roles") {
            return self.roles(subject, made, around);
        }
        let mut options = self.options(subject);
        if let Some(why) = options.omitted_because.take() {
            return self.omitted_task(subject, &why, options, around);
        }
        if subject.mapping.to.as_deref() == Some("server") {
            self.name_security_groups(subject, &mut options);
            // By default the module gives every server a floating IP.
            options.set("auto_ip", Data::Bool(false).into());
        }
        let mut more = Vec::new();
        for part in parts {
            let Some(resource) = self.stack().resources.get(*part) else { continue };
            let Some(properties) = pairs(resource.properties.as_ref()) else { continue };
            if let Err(lost) = self.router_part(part, properties, &mut options) {
                more.extend(self.loss_comment(&lost, resource.name_span));
                self.report_loss(part, &lost);
            }
        }
        let mut around = around;
        around.comments.extend(more);
        self.assemble(subject, made, options, around)
    }

    /// A comment in place of a task that would allow more than Heat does.
    fn omitted_task(
        &self,
        subject: &TaskSubject<'_>,
        why: &str,
        options: TaskOptions,
        around: TaskContext,
    ) -> Vec<DataTree> {
        self.report_dropped_rule(subject.name, why, subject.span);
        if let Some(made) = self.resources.borrow_mut().get_mut(subject.name) {
            made.form = PlaybookForm::Nothing(why.to_owned());
        }
        let mut lines = around.comments;
        lines.push(format!("{} is left out:", subject.name));
        for (_, option) in options.list {
            lines.extend(option.above);
        }
        vec![DataTree::comment(lines)]
    }

    fn roles(
        &self,
        subject: &TaskSubject<'_>,
        made: &PlaybookResource,
        mut around: TaskContext,
    ) -> Vec<DataTree> {
        match self.role_options(subject) {
            Ok(all) => {
                let mut tasks = Vec::new();
                for options in all {
                    let copy = TaskContext {
                        name: around.name.clone(),
                        comments: std::mem::take(&mut around.comments),
                        beside: around.beside.take(),
                        when: around.when.clone(),
                        loop_over: around.loop_over.clone(),
                    };
                    tasks.extend(self.assemble(subject, made, options, copy));
                }
                tasks
            }
            Err(lost) => {
                let mut lines = around.comments;
                lines.extend(self.loss_comment(&lost, lost.span));
                self.report_loss(subject.name, &lost);
                vec![DataTree::comment(lines)]
            }
        }
    }

    fn assemble(
        &self,
        subject: &TaskSubject<'_>,
        made: &PlaybookResource,
        options: TaskOptions,
        around: TaskContext,
    ) -> Vec<DataTree> {
        let module = subject.mapping.to.as_deref().unwrap_or(GENERIC_MODULE);
        let mut tasks: Vec<DataTree> = options.lookups;
        let mut follow_ups: Vec<DataTree> = options.follow_ups;
        let when = around.when.clone();
        for task in tasks.iter_mut().chain(&mut follow_ups) {
            if let (DataNode::Map(keys), Some(when)) = (&mut task.kind, &when) {
                keys.push(("when".to_owned(), Data::Text(when.text.clone()).into()));
            }
        }
        let mut keywords = Vec::new();
        self.push_task_keywords(&mut keywords, &around);
        let deletion = TaskOptions { list: options.list.clone(), ..TaskOptions::default() };
        self.add_deletion(subject, made, &deletion, &keywords);
        let kind = match module {
            GENERIC_MODULE => type_words(subject.kind),
            module => words(module),
        };
        let mut keys = vec![
            ("name".to_owned(), title("Create", &kind, &around.name)),
            (
                format!("{}.{module}", modules().collection),
                DataTree::new(DataNode::Map(options.list)),
            ),
            ("register".to_owned(), DataTree::from(made.variable.as_str())),
        ];
        keys.extend(keywords);
        tasks.push(DataTree::new(DataNode::Map(keys)).above(around.comments).beside(around.beside));
        tasks.extend(follow_ups);
        tasks
    }

    /// The keywords that end every task: condition, loop, `no_log`.
    fn push_task_keywords(&self, keys: &mut Vec<(String, DataTree)>, around: &TaskContext) {
        if let Some((list, variable)) = &around.loop_over {
            keys.push(("loop".to_owned(), Data::Text(list.template()).into()));
            let control = DataTree::map([("loop_var", DataTree::from(variable.as_str()))]);
            keys.push(("loop_control".to_owned(), control));
        }
        if let Some(when) = &around.when {
            keys.push(("when".to_owned(), Data::Text(when.text.clone()).into()));
        }
        if self.mentions_secret.get() {
            if let Some(made) = self.resources.borrow_mut().get_mut(&around.name) {
                made.is_secret = true;
            }
            keys.push(("no_log".to_owned(), Data::Bool(true).into()));
        }
    }

    /// Includes the tasks of another template.
    pub(super) fn include(
        &self,
        name: &str,
        unit: crate::ModuleId,
        properties: &[Pair],
        into: Vec<TextPart>,
        around: TaskContext,
    ) -> Vec<DataTree> {
        let model = self.playbook.model;
        let inner = model.module(unit);
        let mut vars: Vec<(String, DataTree)> = Vec::new();
        let mut above = around.comments.clone();
        for pair in properties {
            let Some(property) = key_text(&pair.key) else { continue };
            above.extend(self.comments.take_above(pair.key.span));
            let Some(variable) = self.playbook.parameter_variable(unit, &property) else {
                continue;
            };
            if pair.value.kind == ExprKind::Null {
                continue;
            }
            let kind = inner.stack.parameters.get(&property).and_then(|it| it.kind);
            match self.nested_argument(&pair.value, kind) {
                Ok(value) => {
                    let beside = self.comments.take_beside(pair.key.span);
                    vars.push((variable.to_owned(), value.beside(beside)));
                }
                Err(lost) => {
                    let lines = self.lost_property(name, &property, &lost, pair);
                    vars.push((format!("# {property}"), DataTree::comment(lines)));
                }
            }
        }
        let stack_name = template(&self.generated_name(name));
        vars.push((self.playbook.stack_names[unit.0].clone(), Data::Text(stack_name).into()));
        vars.push((result(model, unit), Data::Text(template(&into)).into()));
        // Included task files resolve file names relative to their own folder.
        let folder = if self.id.0 == 0 { "tasks/" } else { "" };
        let include = |verb: &str, file: String, vars: Vec<(String, DataTree)>| {
            vec![
                ("name".to_owned(), title(verb, "stack", name)),
                (
                    "ansible.builtin.include_tasks".to_owned(),
                    DataTree::map([("file", DataTree::from(file.as_str()))]),
                ),
                ("vars".to_owned(), DataTree::new(DataNode::Map(vars))),
            ]
        };
        let is_secret = self.mentions_secret.replace(false);
        let mut keywords = Vec::new();
        self.push_task_keywords(&mut keywords, &around);
        if is_secret && let Some(made) = self.resources.borrow_mut().get_mut(name) {
            made.is_secret = true;
        }
        let deletion = match self.stack().resources.get(name).and_then(why_kept) {
            Some(why) => DataTree::comment([format!("{name} is kept: {why}.")]),
            None => {
                let folder = if self.id.0 == 0 { "tasks/teardown/" } else { "" };
                let file = format!("{folder}{}.yml", inner.name);
                let result = result(model, unit);
                let vars = vars.iter().filter(|(variable, _)| *variable != result).cloned();
                let mut keys = include("Delete", file, vars.collect());
                keys.extend(keywords.iter().cloned());
                DataTree::new(DataNode::Map(keys))
            }
        };
        self.teardown.borrow_mut().deletions.push(deletion);
        let mut keys = include("Create", format!("{folder}{}.yml", inner.name), vars);
        keys.extend(keywords);
        vec![DataTree::new(DataNode::Map(keys)).above(above).beside(around.beside)]
    }
}

/// The name of a task: what it does, and the resource that it is about.
pub(super) fn title(verb: &str, kind: &str, resource: &str) -> DataTree {
    DataTree::from(format!("{verb} {kind} {}", super::jinja::literal_text(resource)).as_str())
}

/// The variable in which the tasks of a template store its outputs.
pub(super) fn result(model: &crate::RenderModel<'_>, unit: crate::ModuleId) -> String {
    super::scope::name_in_module(model, unit, "outputs_into")
}

/// The form that a resource takes, before its tasks are written.
pub(super) fn playbook_form(made_by: &ResourceImplementation) -> (PlaybookForm, Option<HeatGroup>) {
    let nothing = |why: &str| PlaybookForm::Nothing(why.to_owned());
    match made_by {
        ResourceImplementation::ResourceType(kind) => (form_of_type(kind), None),
        ResourceImplementation::Template(unit) => (PlaybookForm::Nested(*unit), None),
        ResourceImplementation::Unknown(why) => (PlaybookForm::Nothing(why.clone()), None),
        ResourceImplementation::Group { kind: HeatGroup::ResourceChain, .. } => {
            (nothing("the types of the chain's resources are computed"), None)
        }
        ResourceImplementation::Group { member: None, .. } => {
            (nothing("the definition of its members is computed"), None)
        }
        ResourceImplementation::Group { kind, member: Some(member) } => match playbook_form(member)
        {
            (PlaybookForm::Object(mapping), None) if mapping.rule.as_deref() != Some("roles") => {
                (PlaybookForm::Object(mapping), Some(*kind))
            }
            (PlaybookForm::Nested(unit), None) => (PlaybookForm::Nested(unit), Some(*kind)),
            (PlaybookForm::Variable(shape), None) if super::group::is_random_string(member) => {
                (PlaybookForm::Variable(shape), Some(*kind))
            }
            (PlaybookForm::Nothing(why), _) => (PlaybookForm::Nothing(why), None),
            _ => (nothing("its members are not created by tasks"), None),
        },
    }
}

fn form_of_type(kind: &str) -> PlaybookForm {
    let Some(mapping) = super::table::type_mapping(kind) else {
        return PlaybookForm::Nothing(format!(
            "the collection `openstack.cloud` has no module for {kind}"
        ));
    };
    match (mapping.to.as_deref(), mapping.rule.as_deref()) {
        (Some("router"), Some("interface" | "gateway")) => PlaybookForm::Part,
        (Some(_), _) => PlaybookForm::Object(mapping),
        (None, Some("nothing")) => PlaybookForm::Nothing(String::new()),
        (None, Some("value" | "config")) => PlaybookForm::Variable(TypeSet::ANY),
        (None, Some(_)) => PlaybookForm::Variable(TypeSet::TEXT),
        (None, None) => {
            let note = mapping.note.clone().unwrap_or_default();
            PlaybookForm::Nothing(format!("{kind} has no counterpart: {note}"))
        }
    }
}
