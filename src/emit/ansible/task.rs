//! Resources as tasks.

use super::super::tree::{Branch, Tree};
use super::super::{LossKind, Use};
use super::code::{Code, Part, quoted, template};
use super::options::{ANY_THING, Options, Subject};
use super::scope::{Index, Lost, Made, Scope, What};
use super::table::modules;
use crate::emit::program::{entry, property};
use heat_engine::eval::GroupKind;
use heat_template::ir::types::Shape;
use heat_template::ir::{Expr, ExprKind, Pair, Resource};
use lossless_yaml::Value as Data;

/// What the tasks of a resource have around their module.
struct Around {
    name: String,
    above: Vec<String>,
    beside: Option<String>,
    when: Option<Code>,
    /// The list that is gone through, and the variable of its items.
    each: Option<(Code, String)>,
}

fn pairs(properties: Option<&Expr>) -> Option<&[Pair]> {
    match properties.map(|it| &it.kind) {
        None => Some(&[]),
        Some(ExprKind::Map(pairs)) => Some(pairs),
        Some(_) => None,
    }
}

impl Scope<'_> {
    /// The tasks of a resource.
    pub(super) fn tasks(&self, name: &str, resource: &Resource, parts: &[&str]) -> Vec<Tree> {
        let made = self.resources.borrow().get(name).cloned();
        let Some(made) = made else { return Vec::new() };
        self.secret.set(false);
        let above = self.comments.above(resource.name_span);
        let mut around = Around {
            name: name.to_owned(),
            above,
            beside: self.comments.beside(resource.name_span),
            when: None,
            each: None,
        };
        if let Some(text) = resource.description.as_ref().and_then(Expr::as_text) {
            around.above.push(text.trim_end().to_owned());
        }
        self.sections(name, resource, &made);
        if let Some(condition) = &resource.condition {
            match self.condition(condition) {
                Ok(when) => around.when = when,
                Err(lost) => {
                    around.above.extend(self.remark(&lost, condition.span));
                    self.lose(name, lost);
                }
            }
        }
        let mut tasks = match &made.what {
            What::Nothing(why) => return self.nothing(name, resource, why, around),
            What::Part => {
                let mut left = around.above;
                left.extend(
                    resource.properties.iter().flat_map(|it| self.comments.inside(it.span)),
                );
                return match left.is_empty() {
                    true => Vec::new(),
                    false => vec![Tree::remark(left)],
                };
            }
            What::Variable(_) => {
                let mut above = around.above;
                above.extend(around.beside);
                return self.variable(name, resource, &made, above);
            }
            What::Object(mapping) if made.group.is_none() => {
                let Some(properties) = pairs(resource.properties.as_ref()) else {
                    return self.computed(name, resource, around);
                };
                let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
                let span = resource.name_span;
                let subject = Subject { name, kind, mapping, properties, span };
                self.object(&subject, &made, around, parts)
            }
            What::Nested(unit) if made.group.is_none() => {
                let Some(properties) = pairs(resource.properties.as_ref()) else {
                    return self.computed(name, resource, around);
                };
                let into = vec![Part::Text(made.variable.clone())];
                self.include(name, *unit, properties, into, around)
            }
            What::Object(_) | What::Nested(_) => self.group(name, resource, &made, around),
        };
        *self.index.borrow_mut() = None;
        let left: Vec<String> =
            resource.properties.iter().flat_map(|it| self.comments.inside(it.span)).collect();
        if let Some(first) = tasks.first_mut() {
            first.above.extend(left);
        }
        tasks
    }

    /// What is said of a resource besides its properties.
    fn sections(&self, name: &str, resource: &Resource, made: &Made) {
        use heat_template::ir::DeletionPolicy;
        let lose = |subject: &str, message: String, span| {
            let kind = LossKind::Section;
            self.lose(name, Lost::of(kind, subject, message, span));
        };
        if matches!(made.what, What::Nothing(_)) {
            return;
        }
        if let (Some(policy), Some(span)) =
            (&resource.deletion_policy, resource.deletion_policy_span)
            && *policy != DeletionPolicy::Delete
        {
            let message =
                format!("nothing deletes what the playbook makes: the deletion policy of `{name}`");
            lose("deletion_policy", message, span);
        }
        if let Some(metadata) = &resource.metadata {
            lose("metadata", format!("only Heat keeps the metadata of `{name}`"), metadata.span);
        }
        if let Some(policy) = &resource.update_policy {
            lose("update_policy", format!("the update policy of `{name}` is Heat's"), policy.span);
        }
        if let Some(id) = &resource.external_id {
            let message = format!(
                "the module finds things by their names, not by the id that `{name}` adopts"
            );
            lose("external_id", message, id.span);
        }
    }

    fn nothing(&self, name: &str, resource: &Resource, why: &str, around: Around) -> Vec<Tree> {
        let mut lines = around.above;
        lines.extend(around.beside);
        let whole = source_diagnostics::Span {
            end: resource.properties.as_ref().map_or(resource.name_span.end, |it| it.span.end),
            ..resource.name_span
        };
        if !why.is_empty() {
            let kind = resource.kind.as_ref();
            let subject = kind.map_or("", |kind| kind.text.as_str());
            let span = kind.map_or(resource.name_span, |kind| kind.span);
            let message = format!("`{name}` is not made: {why}");
            let mut lost = Lost::of(LossKind::ResourceType, subject, message, span);
            lost.way_out =
                super::table::of_type(subject).and_then(|it| it.way_out.clone()).or_else(|| {
                    Some(
                        "make it with `openstack.cloud.stack` from a template of its own"
                            .to_owned(),
                    )
                });
            lines.extend(self.remark(&lost, whole));
            self.lose(name, lost);
            // What is in there is shown with the rest.
            if let Some(properties) = &resource.properties {
                self.comments.inside(properties.span);
            }
        }
        match lines.is_empty() {
            true => Vec::new(),
            false => vec![Tree::remark(lines)],
        }
    }

    fn computed(&self, name: &str, resource: &Resource, around: Around) -> Vec<Tree> {
        if let Some(made) = self.resources.borrow_mut().get_mut(name) {
            made.what = What::Nothing("its properties are computed as a whole".to_owned());
        }
        self.nothing(name, resource, "its properties are computed as a whole", around)
    }

    /// A task with a module of the collection.
    fn object(
        &self,
        subject: &Subject<'_>,
        made: &Made,
        around: Around,
        parts: &[&str],
    ) -> Vec<Tree> {
        if subject.mapping.rule.as_deref() == Some("roles") {
            return self.roles(subject, made, around);
        }
        let mut options = self.options(subject);
        if let Some(why) = options.left_out.take() {
            return self.left_out(subject, &why, options, around);
        }
        if subject.mapping.to.as_deref() == Some("server") && !options.has("auto_ip") {
            // The module would give every server a floating IP.
            options.set("auto_ip", Data::Bool(false).into());
        }
        let mut more = Vec::new();
        for part in parts {
            let Some(resource) = self.stack().resources.get(*part) else { continue };
            let Some(properties) = pairs(resource.properties.as_ref()) else { continue };
            if let Err(lost) = self.router_part(part, properties, &mut options) {
                more.extend(self.remark(&lost, resource.name_span));
                self.lose(part, lost);
            }
        }
        let mut around = around;
        around.above.extend(more);
        self.assemble(subject, made, options, around)
    }

    /// A comment in the place of a task that would allow more than Heat does.
    fn left_out(
        &self,
        subject: &Subject<'_>,
        why: &str,
        options: Options,
        around: Around,
    ) -> Vec<Tree> {
        self.lose_rule(subject.name, why, subject.span);
        if let Some(made) = self.resources.borrow_mut().get_mut(subject.name) {
            made.what = What::Nothing(why.to_owned());
        }
        let mut lines = around.above;
        lines.push(format!("{} is left out:", subject.name));
        for (_, option) in options.list {
            lines.extend(option.above);
        }
        vec![Tree::remark(lines)]
    }

    fn roles(&self, subject: &Subject<'_>, made: &Made, mut around: Around) -> Vec<Tree> {
        match self.role_options(subject) {
            Ok(all) => {
                let mut tasks = Vec::new();
                for options in all {
                    let copy = Around {
                        name: around.name.clone(),
                        above: std::mem::take(&mut around.above),
                        beside: around.beside.take(),
                        when: around.when.clone(),
                        each: around.each.clone(),
                    };
                    tasks.extend(self.assemble(subject, made, options, copy));
                }
                tasks
            }
            Err(lost) => {
                let mut lines = around.above;
                lines.extend(self.remark(&lost, lost.span));
                self.lose(subject.name, lost);
                vec![Tree::remark(lines)]
            }
        }
    }

    fn assemble(
        &self,
        subject: &Subject<'_>,
        made: &Made,
        options: Options,
        around: Around,
    ) -> Vec<Tree> {
        let module = subject.mapping.to.as_deref().unwrap_or(ANY_THING);
        let mut tasks: Vec<Tree> = options.lookups;
        let when = around.when.clone();
        for task in &mut tasks {
            if let (Branch::Map(keys), Some(when)) = (&mut task.kind, &when) {
                keys.push(("when".to_owned(), Data::Text(when.text.clone()).into()));
            }
        }
        let body = Tree::new(Branch::Map(options.list));
        let mut keys = vec![
            ("name".to_owned(), Tree::from(super::code::plain(&around.name).as_str())),
            (format!("{}.{module}", modules().collection), body),
            ("register".to_owned(), Tree::from(made.variable.as_str())),
        ];
        self.end(&mut keys, &around);
        tasks.push(Tree::new(Branch::Map(keys)).above(around.above).beside(around.beside));
        tasks
    }

    /// What every task may have at its end.
    fn end(&self, keys: &mut Vec<(String, Tree)>, around: &Around) {
        if let Some((list, variable)) = &around.each {
            keys.push(("loop".to_owned(), Data::Text(list.template()).into()));
            let control = Tree::map([("loop_var", Tree::from(variable.as_str()))]);
            keys.push(("loop_control".to_owned(), control));
        }
        if let Some(when) = &around.when {
            keys.push(("when".to_owned(), Data::Text(when.text.clone()).into()));
        }
        if self.secret.get() {
            if let Some(made) = self.resources.borrow_mut().get_mut(&around.name) {
                made.is_secret = true;
            }
            keys.push(("no_log".to_owned(), Data::Bool(true).into()));
        }
    }

    /// The tasks of another template.
    fn include(
        &self,
        name: &str,
        unit: super::super::UnitId,
        properties: &[Pair],
        into: Vec<Part>,
        around: Around,
    ) -> Vec<Tree> {
        let program = self.world.program;
        let inner = program.unit(unit);
        let mut vars: Vec<(String, Tree)> = Vec::new();
        let mut above = around.above.clone();
        for pair in properties {
            let Some(property) = super::expression::key_text(&pair.key) else { continue };
            above.extend(self.comments.above(pair.key.span));
            let Some(variable) = self.world.parameters[unit.0].get(&property) else { continue };
            if pair.value.kind == ExprKind::Null {
                continue;
            }
            let kind = inner.stack.parameters.get(&property).and_then(|it| it.kind);
            match self.passed(&pair.value, kind) {
                Ok(value) => {
                    let beside = self.comments.beside(pair.key.span);
                    vars.push((variable.clone(), value.beside(beside)));
                }
                Err(lost) => {
                    let lines = self.lost_property(name, &property, lost, pair);
                    vars.push((format!("# {property}"), Tree::remark(lines)));
                }
            }
        }
        let stack_name = template(&self.made_name(name));
        vars.push((self.world.stack_names[unit.0].clone(), Data::Text(stack_name).into()));
        vars.push((result(program, unit), Data::Text(template(&into)).into()));
        // Tasks in a folder name files beside them.
        let folder = if self.id.0 == 0 { "tasks/" } else { "" };
        let file = format!("{folder}{}.yml", inner.name);
        let mut keys = vec![
            ("name".to_owned(), Tree::from(super::code::plain(name).as_str())),
            (
                "ansible.builtin.include_tasks".to_owned(),
                Tree::map([("file", Tree::from(file.as_str()))]),
            ),
            ("vars".to_owned(), Tree::new(Branch::Map(vars))),
        ];
        let is_secret = self.secret.replace(false);
        self.end(&mut keys, &around);
        if is_secret && let Some(made) = self.resources.borrow_mut().get_mut(name) {
            made.is_secret = true;
        }
        vec![Tree::new(Branch::Map(keys)).above(above).beside(around.beside)]
    }

    /// Many resources, or the tasks of a template many times.
    fn group(&self, name: &str, resource: &Resource, made: &Made, mut around: Around) -> Vec<Tree> {
        let is_scaling = made.group == Some(GroupKind::AutoScalingGroup);
        let (member, count) = match is_scaling {
            false => ("resource_def", property(resource, "count").cloned()),
            true => (
                "resource",
                property(resource, "desired_capacity").or(property(resource, "min_size")).cloned(),
            ),
        };
        for pair in pairs(resource.properties.as_ref()).unwrap_or_default() {
            let key = super::expression::key_text(&pair.key).unwrap_or_default();
            around.above.extend(self.comments.above(pair.key.span));
            let said = match is_scaling {
                false => ["count", "index_var", "resource_def"].contains(&key.as_str()),
                true => ["desired_capacity", "resource"].contains(&key.as_str()),
            };
            let is_min =
                is_scaling && key == "min_size" && property(resource, "desired_capacity").is_none();
            if !said && !is_min {
                let message = match is_scaling {
                    true => format!("a playbook does not scale: `{key}` of `{name}`"),
                    false => format!("a playbook makes every member: `{key}` of `{name}`"),
                };
                let lost = Lost::of(LossKind::Property, &key, message, pair.key.span);
                let whole = source_diagnostics::Span { end: pair.value.span.end, ..pair.key.span };
                around.above.extend(self.remark(&lost, whole));
                self.lose(name, lost);
            }
        }
        let count = match count.as_ref().filter(|it| it.kind != ExprKind::Null) {
            None => Ok(Code::atom("1", Shape::NUMBER)),
            Some(count) => self.code(count),
        };
        let count = match count {
            Ok(code) if code.shape == Shape::NUMBER => code,
            Ok(code) => code.filter("int", Shape::NUMBER),
            Err(lost) => {
                around.above.extend(self.remark(&lost, lost.span));
                self.lose(name, lost);
                return self.nothing(
                    name,
                    resource,
                    "the number of its members cannot be expressed",
                    around,
                );
            }
        };
        let definition = property(resource, member);
        let properties = pairs(definition.and_then(|it| entry(it, "properties")));
        let Some(properties) = properties else { return self.computed(name, resource, around) };
        if let Some(metadata) = definition.and_then(|it| entry(it, "metadata")) {
            let message = format!("only Heat keeps the metadata of the members of `{name}`");
            self.lose(name, Lost::of(LossKind::Section, "metadata", message, metadata.span));
        }
        let list =
            Code::atom(format!("range({})", count.text), Shape::LIST).filter("list", Shape::LIST);
        let variable = self.name(&format!("{}_index", super::names::identifier(name)));
        let placeholder = match (is_scaling, property(resource, "index_var").map(Expr::as_text)) {
            (true, _) => String::new(),
            (false, Some(Some(text))) => text.to_owned(),
            (false, _) => "%index%".to_owned(),
        };
        *self.index.borrow_mut() = Some(Index { placeholder, variable: variable.clone() });
        around.each = Some((list.clone(), variable.clone()));
        match &made.what {
            What::Object(mapping) => {
                let kind = definition.and_then(|it| entry(it, "type")).and_then(Expr::as_text);
                let span = resource.name_span;
                let kind = kind.unwrap_or_default();
                let subject = Subject { name, kind, mapping, properties, span };
                self.object(&subject, made, around, &[])
            }
            What::Nested(unit) => {
                let prefix = format!("{}_", made.variable);
                let into = vec![
                    Part::Text(prefix.clone()),
                    Part::Code(Code::atom(variable, Shape::NUMBER)),
                ];
                let when = around.when.clone();
                let mut tasks = self.include(name, *unit, properties, into, around);
                let names = list.filter(
                    &format!("map('regex_replace', '^', {})", quoted(&prefix).text),
                    Shape::LIST,
                );
                let all =
                    format!("{{{{ query('ansible.builtin.vars', *({} | list)) }}}}", names.text);
                let mut keys = vec![
                    (
                        "name".to_owned(),
                        Tree::from(
                            format!("{}: outputs of all", super::code::plain(name)).as_str(),
                        ),
                    ),
                    (
                        "ansible.builtin.set_fact".to_owned(),
                        Tree::map([(made.variable.as_str(), Data::Text(all).into())]),
                    ),
                ];
                if let Some(when) = when {
                    keys.push(("when".to_owned(), Data::Text(when.text).into()));
                }
                tasks.push(Tree::new(Branch::Map(keys)));
                tasks
            }
            What::Variable(_) | What::Part | What::Nothing(_) => Vec::new(),
        }
    }
}

/// The variable that tells the tasks of a template where to put their outputs.
pub(super) fn result(program: &super::super::Program<'_>, unit: super::super::UnitId) -> String {
    super::scope::in_unit(program, unit, "outputs_into")
}

/// What a resource becomes, before its tasks are written.
pub(super) fn what(made_by: &Use) -> (What, Option<GroupKind>) {
    let nothing = |why: &str| What::Nothing(why.to_owned());
    match made_by {
        Use::Type(kind) => (of_type(kind), None),
        Use::Template(unit) => (What::Nested(*unit), None),
        Use::Unknown(why) => (What::Nothing(why.clone()), None),
        Use::Group { kind: GroupKind::ResourceChain, .. } => {
            (nothing("the resources of a chain are computed"), None)
        }
        Use::Group { member: None, .. } => (nothing("what its members are is computed"), None),
        Use::Group { kind, member: Some(member) } => match what(member) {
            (What::Object(mapping), None) if mapping.rule.as_deref() != Some("roles") => {
                (What::Object(mapping), Some(*kind))
            }
            (What::Nested(unit), None) => (What::Nested(unit), Some(*kind)),
            (What::Nothing(why), _) => (What::Nothing(why), None),
            _ => (nothing("its members are not tasks"), None),
        },
    }
}

fn of_type(kind: &str) -> What {
    let Some(mapping) = super::table::of_type(kind) else {
        return What::Nothing(format!("the collection has no module for {kind}"));
    };
    match (mapping.to.as_deref(), mapping.rule.as_deref()) {
        (Some("router"), Some("interface" | "gateway")) => What::Part,
        (Some(_), _) => What::Object(mapping),
        (None, Some("nothing")) => What::Nothing(String::new()),
        (None, Some("value" | "config")) => What::Variable(Shape::ANY),
        (None, Some(_)) => What::Variable(Shape::TEXT),
        (None, None) => {
            let note = mapping.note.clone().unwrap_or_default();
            What::Nothing(format!("{kind} has no counterpart: {note}"))
        }
    }
}
