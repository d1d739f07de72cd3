//! Properties that no table row can express: the rules that `mapping.yaml` names.

use super::jinja::JinjaExpr;
use super::names::identifier;
use super::options::{TaskOptions, TaskSubject};
use super::scope::{TemplateScope, unsupported_function};
use super::table::{AnsibleModule, modules};
use super::task::title;
use super::teardown::words;
use crate::LossKind;
use crate::identifier_kind::{IdentifierKind, identifier_kind};
use crate::kit::{Expressed, Inexpressible, TargetLanguage as _, key_text};
use crate::mapping::PropertyMapping;
use crate::tree::{DataNode, DataTree};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Pair};
use lossless_yaml::Value as Data;

impl TemplateScope<'_> {
    /// Applies the rule of a property.
    pub(super) fn apply_rule(
        &self,
        name: &str,
        expressed: &PropertyMapping,
        rule: &str,
        pair: &Pair,
        out: &mut TaskOptions,
    ) -> Expressed<()> {
        let to = expressed.to.as_deref().unwrap_or_default();
        match rule {
            "nics" => {
                let nics = self.nics(&pair.value)?;
                out.set(to, nics);
            }
            "block_devices" => self.block_devices(&pair.value, out)?,
            "user_data_format" => match pair.value.as_text() {
                Some("RAW") => {}
                _ => {
                    let message = "only `RAW` user data reaches the server unchanged";
                    return Err(Inexpressible::new(
                        LossKind::Property,
                        name,
                        message,
                        pair.value.span,
                    ));
                }
            },
            "gateway_ip" => match &pair.value.kind {
                ExprKind::Null => out.set("disable_gateway_ip", Data::Bool(true).into()),
                ExprKind::Text(text) if text.is_empty() => {
                    out.set("disable_gateway_ip", Data::Bool(true).into());
                }
                _ => {
                    let value = self.tree(&pair.value)?;
                    out.set(to, value);
                }
            },
            "lower" => {
                let value = match pair.value.as_text() {
                    Some(text) => Data::Text(text.to_lowercase()),
                    None => {
                        let code = self.expression(&pair.value)?;
                        Data::Text(code.filter("lower", TypeSet::TEXT).template())
                    }
                };
                out.set(to, value.into());
            }
            "first" => {
                let value = match &pair.value.kind {
                    ExprKind::List(items) if items.len() == 1 => self.tree(&items[0])?,
                    ExprKind::List(_) => {
                        let message = "the module accepts only one";
                        return Err(Inexpressible::new(
                            LossKind::Property,
                            name,
                            message,
                            pair.value.span,
                        ));
                    }
                    _ => {
                        let code = self.expression(&pair.value)?.filter("first", TypeSet::TEXT);
                        Data::Text(code.template()).into()
                    }
                };
                out.set(to, value);
            }
            "key" => {
                let value = self.tree(&pair.value)?;
                out.set_key(to, name, value);
            }
            // Another rule translates it, or it has no effect.
            "roles" | "interface" | "implied" => {}
            _ => {
                let message = format!("there is no rule `{rule}`");
                return Err(Inexpressible::new(LossKind::Property, name, message, pair.key.span));
            }
        }
        Ok(())
    }

    /// The networks of a server.
    fn nics(&self, networks: &Expr) -> Expressed<DataTree> {
        let ExprKind::List(networks) = &networks.kind else {
            let message =
                "the networks are computed, and their keys have other names in the module";
            return Err(unsupported_function("computed", message, networks.span));
        };
        let mut nics = Vec::new();
        for network in networks {
            let ExprKind::Map(pairs) = &network.kind else {
                let message = "a network is computed, and its keys have other names in the module";
                return Err(unsupported_function("computed", message, network.span));
            };
            let has_port = pairs.iter().any(|pair| {
                pair.key.as_text() == Some("port") && pair.value.kind != ExprKind::Null
            });
            let mut nic = Vec::new();
            for pair in pairs.iter().filter(|pair| pair.value.kind != ExprKind::Null) {
                let name = key_text(&pair.key).unwrap_or_default();
                let key = match name.as_str() {
                    "port" if self.is_id(&pair.value) => "port-id",
                    "port" => "port-name",
                    "network" | "uuid" if has_port => continue,
                    "network" if self.is_id(&pair.value) => "net-id",
                    "uuid" => "net-id",
                    "network" => "net-name",
                    "fixed_ip" => "fixed_ip",
                    "tag" => "tag",
                    _ => {
                        let message = format!("the module has no `{name}` for a network");
                        return Err(Inexpressible::new(
                            LossKind::Property,
                            &name,
                            message,
                            pair.key.span,
                        ));
                    }
                };
                nic.push((key, self.pair(pair)?));
            }
            let above = self.comments.take_above(network.span);
            nics.push(DataTree::map(nic).above(above));
        }
        Ok(DataTree::list(nics))
    }

    /// Whether an expression is an ID in every case.
    pub(super) fn is_id(&self, expr: &Expr) -> bool {
        let kind = identifier_kind(self.playbook.model, self.module, expr);
        matches!(kind, IdentifierKind::Id | IdentifierKind::LaterId)
    }

    /// The disks of a server: the boot disk, and existing volumes.
    fn block_devices(&self, devices: &Expr, out: &mut TaskOptions) -> Expressed<()> {
        let computed = |span| {
            unsupported_function(
                "computed",
                "the disks are computed, and the module has different options for them",
                span,
            )
        };
        let ExprKind::List(devices) = &devices.kind else { return Err(computed(devices.span)) };
        let mut options: Vec<(&str, DataTree)> = Vec::new();
        let mut volumes = Vec::new();
        for (at, device) in devices.iter().enumerate() {
            let ExprKind::Map(pairs) = &device.kind else { return Err(computed(device.span)) };
            let find = |name: &str| {
                let pair = pairs.iter().find(|pair| pair.key.as_text() == Some(name))?;
                (pair.value.kind != ExprKind::Null).then_some(&pair.value)
            };
            let is_boot = match find("boot_index").map(|it| it.as_text().map(str::to_owned)) {
                None => at == 0,
                Some(Some(text)) => text == "0",
                Some(None) => find("boot_index").is_some_and(|it| {
                    it.kind == ExprKind::Int(python_semantics::number::Integer::Small(0))
                }),
            };
            for pair in pairs {
                let name = key_text(&pair.key).unwrap_or_default();
                let is_expressed = match name.as_str() {
                    "boot_index" | "volume_id" | "device_name" => true,
                    "image" | "image_id" | "volume_size" | "delete_on_termination" => is_boot,
                    _ => false,
                };
                if !is_expressed {
                    let message = format!("the module has no `{name}` for such a disk");
                    return Err(Inexpressible::new(
                        LossKind::Property,
                        &name,
                        message,
                        pair.key.span,
                    ));
                }
            }
            match (find("volume_id"), find("image").or(find("image_id"))) {
                (Some(volume), _) if is_boot => options.push(("boot_volume", self.tree(volume)?)),
                (Some(volume), _) => volumes.push(self.tree(volume)?),
                (None, Some(image)) if is_boot => {
                    options.push(("boot_from_volume", Data::Bool(true).into()));
                    options.push(("image", self.tree(image)?));
                }
                _ => return Err(computed(device.span)),
            }
            if is_boot {
                if let Some(size) = find("volume_size") {
                    options.push(("volume_size", self.tree(size)?));
                }
                if let Some(end) = find("delete_on_termination") {
                    options.push(("terminate_volume", self.tree(end)?));
                }
            }
        }
        for (option, value) in options {
            out.set(option, value);
        }
        if !volumes.is_empty() {
            out.set("volumes", DataTree::list(volumes));
        }
        Ok(())
    }

    /// The options of the tasks that assign roles, one task for each role.
    pub(super) fn role_options(&self, subject: &TaskSubject<'_>) -> Expressed<Vec<TaskOptions>> {
        let find =
            |name: &str| subject.properties.iter().find(|pair| pair.key.as_text() == Some(name));
        let Some(roles) = find("roles") else { return Ok(Vec::new()) };
        let ExprKind::List(roles) = &roles.value.kind else {
            return Err(unsupported_function(
                "computed",
                "the roles are computed",
                roles.value.span,
            ));
        };
        let mut out = Vec::new();
        for role in roles {
            let ExprKind::Map(pairs) = &role.kind else {
                return Err(unsupported_function("computed", "a role is computed", role.span));
            };
            let mut options = TaskOptions::default();
            for who in ["user", "group"] {
                if let Some(pair) = find(who) {
                    options.set(who, self.pair(pair)?);
                }
            }
            for pair in pairs.iter().filter(|pair| !pair.value.is_optional_item()) {
                options.set(&key_text(&pair.key).unwrap_or_default(), self.pair(pair)?);
            }
            out.push(options);
        }
        Ok(out)
    }

    /// The members of a map that are options of their own; a member that is none is lost, and the others are kept.
    pub(super) fn members_as_options(
        &self,
        subject: &TaskSubject<'_>,
        (name, expressed): (&str, &PropertyMapping),
        pair: &Pair,
        module: Option<&AnsibleModule>,
        out: &mut TaskOptions,
    ) -> Expressed<()> {
        let ExprKind::Map(members) = &pair.value.kind else {
            let message = "its members are computed, and are options of the module";
            return Err(unsupported_function("computed", message, pair.value.span));
        };
        let mut lost = None;
        for member in members.iter().filter(|it| it.value.kind != ExprKind::Null) {
            let key = key_text(&member.key).unwrap_or_default();
            let mapping = expressed.members.get(&key);
            let Some((mapping, to)) = mapping.and_then(|it| Some((it, it.to.as_ref()?))) else {
                let message = format!("the module has no option for `{key}` of `{name}`");
                lost.get_or_insert_with(|| {
                    Inexpressible::new(LossKind::Property, name, message, member.key.span)
                });
                continue;
            };
            let option = module.and_then(|it| it.options.get(to));
            let (above, beside) = self.comments.take_around(member.key.span);
            let value = self.converted_value(&member.value, mapping, option, subject, out)?;
            out.set(to, value.above(above).beside(beside));
        }
        lost.map_or(Ok(()), Err)
    }

    /// Tasks that assign roles to a user or a group, or a user to groups, once the task has created it. `module` is
    /// the one for such an assignment.
    pub(super) fn assignments(
        &self,
        subject: &TaskSubject<'_>,
        module: &str,
        pair: &Pair,
        out: &mut TaskOptions,
    ) -> Expressed<()> {
        let span = pair.value.span;
        let computed = |what: &str| unsupported_function("computed", what, span);
        let made = self.resources.borrow().get(subject.name).cloned();
        let (Some(made), Some(path)) = (made, &subject.mapping.reference) else { return Ok(()) };
        if made.group.is_some() {
            return Err(computed("the members of a group have no assignments"));
        }
        let id = JinjaExpr::primary(made.variable, TypeSet::ANY).field(path, TypeSet::TEXT);
        let (who, _) = path.split_once('.').unwrap_or((path, ""));
        let who = (who.to_owned(), DataTree::from(id.template().as_str()));
        let task = |options: Vec<(String, DataTree)>| {
            vec![
                ("name".to_owned(), title("Make the", &words(module), subject.name)),
                (
                    format!("{}.{module}", modules().collection),
                    DataTree::new(DataNode::Map(options)),
                ),
            ]
        };
        let ExprKind::List(items) = &pair.value.kind else {
            if module != "group_assignment" {
                return Err(computed("the assignments are computed"));
            }
            let variable = self.name(&format!("{}_group", identifier(subject.name)));
            let item = JinjaExpr::primary(variable.clone(), TypeSet::TEXT);
            let list = self.expression(&pair.value)?;
            let mut keys =
                task(vec![who, ("group".to_owned(), Data::Text(item.template()).into())]);
            keys.push(("loop".to_owned(), Data::Text(list.template()).into()));
            let control = DataTree::map([("loop_var", DataTree::from(variable.as_str()))]);
            keys.push(("loop_control".to_owned(), control));
            out.follow_ups.push(DataTree::new(DataNode::Map(keys)));
            return Ok(());
        };
        let mut tasks = Vec::new();
        for item in items {
            let (above, beside) = self.comments.take_around(item.span);
            let mut options = vec![who.clone()];
            match &item.kind {
                ExprKind::Map(pairs) => {
                    for part in pairs.iter().filter(|part| !part.value.is_optional_item()) {
                        options.push((key_text(&part.key).unwrap_or_default(), self.pair(part)?));
                    }
                }
                _ if module == "group_assignment" => {
                    options.push(("group".to_owned(), self.tree(item)?));
                }
                _ => return Err(computed("an assignment is computed")),
            }
            let keys = task(options);
            tasks.push(DataTree::new(DataNode::Map(keys)).above(above).beside(beside));
        }
        out.follow_ups.extend(tasks);
        Ok(())
    }

    /// The options that a router's interface or gateway adds to the router's task.
    pub(super) fn router_part(
        &self,
        part: &str,
        properties: &[Pair],
        out: &mut TaskOptions,
    ) -> Expressed<()> {
        let resource = self.stack().resources.get(part);
        let condition = resource.and_then(|it| it.condition.as_ref());
        let condition = condition.map(|it| self.condition(it)).transpose()?.flatten();
        for pair in properties {
            let Some(name) = key_text(&pair.key) else { continue };
            let option = match name.as_str() {
                "subnet" | "subnet_id" => "interfaces",
                "network" | "network_id" => "network",
                _ => continue,
            };
            let mut value = self.pair(pair)?;
            if let Some(condition) = &condition {
                let code = self.expression(&pair.value)?.operand();
                let text = format!("{{{{ {code} if {} else omit }}}}", condition.operand());
                value.kind = DataNode::Leaf(Data::Text(text));
            }
            match option {
                "interfaces" => out.push(option, value),
                _ => out.set(option, value),
            }
        }
        Ok(())
    }

    /// Translates a condition; `None` where it always holds.
    pub(super) fn condition(&self, expr: &Expr) -> Expressed<Option<JinjaExpr>> {
        if let Some(heat_engine::eval::Value::Bool(true)) = self.evaluator.constant(expr) {
            return Ok(None);
        }
        // A string is the name of a condition of the template.
        match &expr.kind {
            ExprKind::Text(name) => match self.conditions.get(name.as_str()) {
                Some(variable) => Ok(Some(JinjaExpr::primary(variable.clone(), TypeSet::BOOLEAN))),
                None => Ok(Some(self.expression(expr)?)),
            },
            _ => Ok(Some(self.expression(expr)?)),
        }
    }
}
