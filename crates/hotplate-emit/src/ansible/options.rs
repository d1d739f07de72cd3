//! Translates the properties of a resource into options of a module.

use crate::kit::{Expressed, Inexpressible, Omission, Outdent, key_text, lost_comment};
use indexmap::IndexMap;

use super::jinja::{JinjaExpr, template};
use super::scope::TemplateScope;
use super::table::{ModuleOption, modules};
use crate::LossKind;
use crate::mapping::{PropertyMapping, TypeMapping};
use crate::tree::{DataNode, DataTree};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Pair};
use lossless_yaml::Value as Data;
use source_diagnostics::Span;

/// The module for types that the collection has no module of their own for.
pub(super) const GENERIC_MODULE: &str = "resource";

/// The options of a task, and the lookups that must run before it.
#[derive(Debug, Default)]
pub(super) struct TaskOptions {
    /// Options with their values, and comments in place of options that are lost.
    pub(super) list: Vec<(String, DataTree)>,
    /// Tasks that look up the IDs of things that the options name.
    pub(super) lookups: Vec<DataTree>,
    /// Tasks that follow: what the module does not do itself.
    pub(super) follow_ups: Vec<DataTree>,
    /// Why the resource is omitted: a lost property would make it allow more than Heat does.
    pub(super) omitted_because: Option<String>,
}

impl TaskOptions {
    pub(super) fn set(&mut self, option: &str, value: DataTree) {
        match self.list.iter_mut().find(|(name, _)| name == option) {
            Some((_, held)) => *held = value,
            None => self.list.push((option.to_owned(), value)),
        }
    }

    pub(super) fn has(&self, option: &str) -> bool {
        self.list.iter().any(|(name, value)| name == option && value.kind != DataNode::Comment)
    }

    /// Sets one key of an option that is a map.
    pub(super) fn set_key(&mut self, option: &str, key: &str, value: DataTree) {
        let held = self.list.iter_mut().find(|(name, _)| name == option).map(|(_, held)| held);
        match held.map(|held| &mut held.kind) {
            Some(DataNode::Map(pairs)) => pairs.push((key.to_owned(), value)),
            _ => self.set(option, DataTree::map([(key, value)])),
        }
    }

    /// Appends to an option that is a list.
    pub(super) fn push(&mut self, option: &str, item: DataTree) {
        let held = self.list.iter_mut().find(|(name, _)| name == option).map(|(_, held)| held);
        match held.map(|held| &mut held.kind) {
            Some(DataNode::List(items)) => items.push(item),
            _ => self.set(option, DataTree::list([item])),
        }
    }
}

/// The resource whose properties are translated.
pub(super) struct TaskSubject<'e> {
    /// The resource's name in the template.
    pub(super) name: &'e str,
    pub(super) kind: &'e str,
    pub(super) mapping: &'static TypeMapping,
    pub(super) properties: &'e [Pair],
    /// The place of the resource's definition.
    pub(super) span: Span,
}

impl TemplateScope<'_> {
    /// Translates all properties into options.
    pub(super) fn options(&self, subject: &TaskSubject<'_>) -> TaskOptions {
        let mut out = TaskOptions::default();
        let module = subject.mapping.to.as_deref().and_then(|it| modules().modules.get(it));
        let is_any = subject.mapping.to.as_deref() == Some(GENERIC_MODULE);
        for pair in subject.properties {
            let Some(name) = key_text(&pair.key) else { continue };
            let above = self.comments.take_above(pair.key.span);
            let before = out.list.len();
            let expressed = subject.mapping.properties.get(&name);
            let result = match expressed {
                None => Err(self.no_option(subject, &name, None, pair)),
                Some(expressed) => {
                    self.property(subject, &name, expressed, pair, module, is_any, &mut out)
                }
            };
            let mut comments = above;
            if let Err(lost) = result {
                if expressed.is_some_and(|it| it.restricts) {
                    out.omitted_because.get_or_insert_with(|| lost.message.clone());
                }
                comments.extend(self.lost_property(subject.name, &name, &lost, pair));
                // The original in the comment contains the comments inside.
                self.comments.take_inside(pair.value.span);
            }
            let mut beside = self.comments.take_beside(pair.key.span);
            let inside = self.comments.take_inside(pair.value.span);
            comments.extend(inside);
            match out.list.get_mut(before) {
                Some((_, tree)) => {
                    *tree = std::mem::replace(tree, DataTree::comment([]))
                        .above(comments)
                        .beside(beside.take());
                }
                None => {
                    comments.extend(beside);
                    if !comments.is_empty() {
                        out.list.push((format!("# {name}"), DataTree::comment(comments)));
                    }
                }
            }
        }
        self.set_heat_defaults(subject, &mut out);
        self.report_default_user_data_format(subject);
        self.drop_exclusive_options(
            subject,
            module.map_or(&[], |it| &it.mutually_exclusive),
            &mut out,
        );
        self.required(subject, module.map(|it| &it.options), is_any, &mut out);
        out
    }

    /// Writes Heat's defaults where the module's defaults differ.
    fn set_heat_defaults(&self, subject: &TaskSubject<'_>, out: &mut TaskOptions) {
        let explicit =
            subject.mapping.properties.iter().filter(|(_, expressed)| expressed.explicit);
        for (name, expressed) in explicit {
            let is_given = subject
                .properties
                .iter()
                .any(|pair| pair.key.as_text() == Some(name) && pair.value.kind != ExprKind::Null);
            let heat = self.schema().type_info(subject.kind).and_then(|it| it.property(name));
            let default = heat.and_then(|it| it.default.as_ref()).and_then(|it| it.as_str());
            if let (false, Some(to), Some(default)) = (is_given, &expressed.to, default) {
                out.set(to, DataTree::from(default));
            }
        }
    }

    /// Reports that Heat wraps the user data of a server that does not say how.
    fn report_default_user_data_format(&self, subject: &TaskSubject<'_>) {
        let given = |name: &str| {
            let pair = subject.properties.iter().find(|pair| pair.key.as_text() == Some(name));
            pair.filter(|pair| pair.value.kind != ExprKind::Null)
        };
        let format = subject.mapping.properties.get("user_data_format");
        if let (Some(format), Some(text), None) =
            (format, given("user_data"), given("user_data_format"))
        {
            let message = format.note.as_deref().unwrap_or("the user data is not wrapped");
            // The text itself is kept.
            let span = text.key.span;
            let lost = Inexpressible::new(LossKind::Property, "user_data_format", message, span);
            self.report_loss(subject.name, &lost);
        }
    }

    /// Keeps the first of options that exclude each other. Options that restrict a security rule are all
    /// kept: a rule without one of them would allow more.
    fn drop_exclusive_options(
        &self,
        subject: &TaskSubject<'_>,
        groups: &[Vec<String>],
        out: &mut TaskOptions,
    ) {
        let restricts = |option: &String| {
            let mut properties = subject.mapping.properties.values();
            properties.any(|it| it.restricts && it.to.as_ref() == Some(option))
        };
        for group in groups.iter().filter(|group| !group.iter().any(restricts)) {
            let mut given = group.iter().filter(|option| out.has(option));
            let Some(first) = given.next() else { continue };
            let others: Vec<&String> = given.collect();
            for option in others {
                let message = format!(
                    "`{option}` is omitted: the module does not accept it together with `{first}`"
                );
                let lost = Inexpressible::new(LossKind::Property, option, message, subject.span);
                let lines = lost_comment(Omission::Lost, &lost.message, "", Outdent::Common);
                out.set(option, DataTree::comment(lines));
                self.report_loss(subject.name, &lost);
            }
        }
    }

    /// Reports a lost property, and leaves a comment that shows the original.
    pub(super) fn lost_property(
        &self,
        owner: &str,
        name: &str,
        lost: &Inexpressible,
        pair: &Pair,
    ) -> Vec<String> {
        let whole = Span { end: pair.value.span.end, ..pair.key.span };
        let lines = self.loss_comment(lost, whole);
        if lost.kind != LossKind::Property {
            // A part of the value cannot be expressed, so the whole option is omitted.
            let message = format!("the property `{name}` is omitted: {}", lost.message);
            let mut whole = Inexpressible::new(LossKind::Property, name, message, pair.key.span);
            whole.suggestion.clone_from(&lost.suggestion);
            self.report_loss(owner, &whole);
        }
        self.report_omitted_value(owner, lost);
        lines
    }

    fn no_option(
        &self,
        subject: &TaskSubject<'_>,
        name: &str,
        note: Option<&str>,
        pair: &Pair,
    ) -> Box<Inexpressible> {
        let kind = subject.kind;
        let message = match note {
            Some(note) => format!("`{name}` of {kind}: {note}"),
            None => format!("`{name}` of {kind} has no equivalent option"),
        };
        Inexpressible::new(LossKind::Property, name, message, pair.key.span)
            .suggesting("set it in a task of your own after this one")
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a property")]
    fn property(
        &self,
        subject: &TaskSubject<'_>,
        name: &str,
        expressed: &PropertyMapping,
        pair: &Pair,
        module: Option<&super::table::AnsibleModule>,
        is_any: bool,
        out: &mut TaskOptions,
    ) -> Expressed<()> {
        // Heat treats null as the default.
        if pair.value.kind == ExprKind::Null && expressed.rule.as_deref() != Some("gateway_ip") {
            return Ok(());
        }
        let option = match (&expressed.to, is_any) {
            (Some(to), false) => module.and_then(|it| it.options.get(to)),
            _ => None,
        };
        if let Some(rule) = &expressed.rule {
            if rule == "no_effect" {
                let lost = self.no_option(subject, name, expressed.note.as_deref(), pair);
                self.report_loss(subject.name, &lost.without_effect());
                return Ok(());
            }
            if rule == "security_group_rules" {
                let remarks =
                    self.security_group_rules(subject, expressed, option, &pair.value, out);
                if let Some((_, tree)) = out.list.last_mut() {
                    *tree = std::mem::replace(tree, DataTree::comment([])).above(remarks);
                }
                return Ok(());
            }
            if rule == "options" {
                return self.members_as_options(subject, (name, expressed), pair, module, out);
            }
            if matches!(rule.as_str(), "role_assignment" | "group_assignment") {
                return self.assignments(subject, rule, pair, out);
            }
            return self.apply_rule(name, expressed, rule, pair, out);
        }
        let Some(to) = &expressed.to else {
            return Err(self.no_option(subject, name, expressed.note.as_deref(), pair));
        };
        if option.is_some_and(|it| it.no_log) {
            self.mentions_secret.set(true);
        }
        let value = match &expressed.lookup {
            Some(lookup) => self.lookup_id(subject, name, (lookup, expressed), &pair.value, out)?,
            None => self.converted_value(&pair.value, expressed, option, subject, out)?,
        };
        match is_any {
            true => out.set_key("attributes", to, value),
            false => out.set(to, value),
        }
        Ok(())
    }

    /// The ID of a named thing: an ID is used as it is, and a task before this one looks up what is or may be a
    /// name, which it also finds by an ID. With `by`, the thing is found by what belongs to it, such as the port of
    /// a server.
    pub(super) fn lookup_id(
        &self,
        subject: &TaskSubject<'_>,
        property: &str,
        (lookup, expressed): (&str, &PropertyMapping),
        expr: &Expr,
        out: &mut TaskOptions,
    ) -> Expressed<DataTree> {
        let server = self.server_of_port(expr)?;
        if server.is_none() && expressed.by.is_none() && self.is_id(expr) {
            return self.tree(expr);
        }
        let by = server.as_ref().map_or(expressed.by.as_deref(), |_| Some("device_id"));
        let expr = server.as_ref().unwrap_or(expr);
        let found = self.look_up(subject, property, (lookup, by), expr, out)?;
        Ok(Data::Text(found.field("id", TypeSet::TEXT).template()).into())
    }

    /// What a task before this one finds by a name or an ID, or `by` what belongs to it.
    pub(super) fn look_up(
        &self,
        subject: &TaskSubject<'_>,
        property: &str,
        (lookup, by): (&str, Option<&str>),
        expr: &Expr,
        out: &mut TaskOptions,
    ) -> Expressed<JinjaExpr> {
        if self.index.borrow().as_ref().is_some_and(|index| index.is_in(expr)) {
            let message = "the name of a group's member would have to be looked up in a loop";
            return Err(Inexpressible::new(LossKind::Property, property, message, expr.span));
        }
        let (module, list) = lookup.split_once('.').unwrap_or((lookup, lookup));
        let wanted = self.tree(expr)?;
        let wanted = match by {
            Some(key) => ("filters", DataTree::map([(key, wanted)])),
            None => ("name", wanted),
        };
        let variable = self.name(&format!("{}_{property}", subject.name));
        out.lookups.push(DataTree::map([
            ("name", super::task::title("Look up", &format!("{property} of"), subject.name)),
            (format!("{}.{module}", modules().collection).as_str(), DataTree::map([wanted])),
            ("register", DataTree::from(variable.as_str())),
        ]));
        Ok(JinjaExpr::primary(format!("{variable}.{list}[0]"), TypeSet::MAP))
    }

    /// Sets the options that the module requires and no property sets: the name that Heat generates, or a
    /// variable that the user must supply.
    fn required(
        &self,
        subject: &TaskSubject<'_>,
        module: Option<&IndexMap<String, ModuleOption>>,
        is_any: bool,
        out: &mut TaskOptions,
    ) {
        if is_any {
            let held: Vec<String> = match out.list.iter().find(|(name, _)| name == "attributes") {
                Some((_, DataTree { kind: DataNode::Map(pairs), .. })) => {
                    pairs.iter().map(|(name, _)| name.clone()).collect()
                }
                _ => Vec::new(),
            };
            let wanted = subject.mapping.properties.values().filter(|it| it.required);
            for to in wanted.filter_map(|it| it.to.as_ref()).filter(|it| !held.contains(it)) {
                let value = self.missing(subject, to);
                out.set_key("attributes", to, value);
            }
            let is_found_by_id =
                subject.mapping.properties.values().any(|it| it.to.as_deref() == Some("id"));
            if subject.mapping.rule.as_deref() == Some("network/ip") && !is_found_by_id {
                let made = template(&self.generated_name(subject.name));
                out.set_key("attributes", "description", Data::Text(made).into());
            }
            let (service, kind) = subject
                .mapping
                .rule
                .as_deref()
                .and_then(|it| it.split_once('/'))
                .unwrap_or_default();
            out.list.insert(0, ("service".to_owned(), service.into()));
            out.list.insert(1, ("type".to_owned(), kind.into()));
            return;
        }
        let Some(options) = module else { return };
        let missing: Vec<&String> = options
            .iter()
            .filter(|(name, option)| option.required && !out.has(name))
            .map(|(name, _)| name)
            .collect();
        for option in missing {
            let value = self.missing(subject, option);
            match option.as_str() {
                "name" => out.list.insert(0, (option.clone(), value)),
                _ => out.set(option, value),
            }
        }
    }

    fn missing(&self, subject: &TaskSubject<'_>, option: &str) -> DataTree {
        // If the name must be that of a project, Heat generates none.
        let is_made = option == "name"
            && subject
                .mapping
                .properties
                .get("project")
                .is_none_or(|it| it.to.as_deref() != Some("name"));
        if is_made {
            return Data::Text(template(&self.generated_name(subject.name))).into();
        }
        let variable = self.name(&format!("{}_{option}", super::names::identifier(subject.name)));
        self.require(&variable, &format!("`{option}` of `{}`", subject.name));
        let message = format!("the module requires `{option}`: set the variable `{variable}`");
        self.report_loss(subject.name, &Inexpressible::value(option, message, subject.span));
        Data::Text(JinjaExpr::primary(variable, TypeSet::ANY).template()).into()
    }
}
