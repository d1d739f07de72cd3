//! The security groups of a server: the module removes all that its option does not name, also those of ports.

use super::jinja::JinjaExpr;
use super::options::{TaskOptions, TaskSubject};
use super::scope::{PlaybookForm, TemplateScope};
use crate::LossKind;
use crate::kit::{Expressed, Inexpressible, TargetLanguage as _};
use crate::render_model::property;
use crate::tree::DataTree;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Shared};
use lossless_yaml::Value as Data;

const OPTION: &str = "security_groups";

impl TemplateScope<'_> {
    /// The server whose only port an expression reads from its addresses, which Nova does not report there.
    pub(super) fn server_of_port(&self, expr: &Expr) -> Expressed<Option<Expr>> {
        let ExprKind::Attribute(attribute) = &expr.kind else { return Ok(None) };
        let wanted = attribute.attribute.as_ref().and_then(Expr::as_text);
        let is_port =
            matches!(attribute.path.as_slice(), [_, _, key] if key.as_text() == Some("port"));
        let server = attribute.resource.as_text().and_then(|name| self.stack().resources.get(name));
        let is_server = server
            .is_some_and(|it| it.kind.as_ref().is_some_and(|kind| kind.text == "OS::Nova::Server"));
        if wanted != Some("addresses") || !is_port || !is_server {
            return Ok(None);
        }
        let networks = server.and_then(|server| property(server, "networks"));
        match networks.map(|it| &it.kind) {
            Some(ExprKind::List(networks)) if networks.len() == 1 => {
                let server = ExprKind::Resource(Shared::new(attribute.resource.clone()));
                Ok(Some(Expr::new(server, expr.span)))
            }
            _ => {
                let message = "the server has several ports, and Nova does not report which one belongs to a network";
                Err(Inexpressible::attribute("addresses", message, expr.span))
            }
        }
    }

    /// Names the groups that the ports of a server have, and those of the ports that Nova creates.
    pub(super) fn name_security_groups(&self, subject: &TaskSubject<'_>, out: &mut TaskOptions) {
        let property = |name: &str| {
            let pair = subject.properties.iter().rev().find(|it| it.key.as_text() == Some(name));
            pair.map(|pair| &pair.value).filter(|value| value.kind != ExprKind::Null)
        };
        let networks = match property("networks").map(|it| &it.kind) {
            Some(ExprKind::List(networks)) => networks.as_slice(),
            Some(_) => return,
            None => &[],
        };
        let ports = networks.iter().map(|network| network.member("port"));
        let ports = ports.map(|port| port.filter(|it| it.kind != ExprKind::Null));
        let (ports, others): (Vec<_>, Vec<_>) = ports.partition(Option::is_some);
        let ports: Vec<&Expr> = ports.into_iter().flatten().collect();
        let groups = property(OPTION)
            .filter(|groups| !matches!(&groups.kind, ExprKind::List(it) if it.is_empty()));
        match (ports.is_empty(), groups) {
            (true, Some(_)) => {}
            (true, None) => out.set(OPTION, DataTree::list([DataTree::from("default")])),
            (false, groups) => {
                let of_nova = (!others.is_empty()).then_some(groups);
                match self.groups_of_ports(subject, &ports, of_nova, out) {
                    Ok(groups) => out.set(OPTION, Data::Text(groups.template()).into()),
                    Err(lost) => self.report_lost_groups(subject, &lost, out),
                }
            }
        }
    }

    /// The groups of ports; `of_nova` are the groups of the ports that Nova creates, if it creates any.
    fn groups_of_ports(
        &self,
        subject: &TaskSubject<'_>,
        ports: &[&Expr],
        of_nova: Option<Option<&Expr>>,
        out: &mut TaskOptions,
    ) -> Expressed<JinjaExpr> {
        let mut groups = Vec::new();
        for port in ports {
            groups.push(self.groups_of_port(subject, port, out)?);
        }
        if let Some(of_nova) = of_nova {
            groups.push(match of_nova {
                Some(groups) => self.expression(groups)?,
                None => JinjaExpr::primary("['default']", TypeSet::LIST),
            });
        }
        if let [one] = groups.as_slice() {
            return Ok(one.clone());
        }
        let operands: Vec<String> = groups.iter().map(JinjaExpr::operand).collect();
        Ok(JinjaExpr::operation(operands.join(" + "), TypeSet::LIST)
            .filter("unique", TypeSet::LIST))
    }

    /// The IDs of the groups of a port: its task returns them, and a task before this one looks another port up.
    fn groups_of_port(
        &self,
        subject: &TaskSubject<'_>,
        port: &Expr,
        out: &mut TaskOptions,
    ) -> Expressed<JinjaExpr> {
        const IDS: &str = "security_group_ids";
        let own = match &port.kind {
            ExprKind::Resource(name) => {
                self.playbook_resource(name, port.span, "get_resource").ok()
            }
            _ => None,
        };
        let is_task = |form: &PlaybookForm| matches!(form, PlaybookForm::Object(mapping) if mapping.to.as_deref() == Some("port"));
        let found = match own {
            Some((_, port)) if is_task(&port.form) && port.group.is_none() => {
                JinjaExpr::primary(format!("{}.port", port.variable), TypeSet::MAP)
            }
            _ => self.look_up(subject, "port", ("port_info.ports", None), port, out)?,
        };
        Ok(found.field(IDS, TypeSet::LIST))
    }

    fn report_lost_groups(
        &self,
        subject: &TaskSubject<'_>,
        lost: &Inexpressible,
        out: &mut TaskOptions,
    ) {
        let message = "the groups of the server's ports are unknown, and a second run removes those that the option does not name";
        let lost = Inexpressible::new(LossKind::Property, OPTION, message, lost.span)
            .suggesting("set the option in the task");
        let lines = self.loss_comment(&lost, lost.span);
        self.report_loss(subject.name, &lost);
        out.set(OPTION, DataTree::comment(lines));
    }
}
