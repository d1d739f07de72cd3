//! The addresses of a server, which Nova lists by the names of networks.

use super::jinja::JinjaExpr;
use super::scope::{PlaybookForm, PlaybookResource, TemplateScope};
use crate::kit::{AddressPart, Expressed, Inexpressible, TargetLanguage as _};
use crate::render_model::property;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind};

impl TemplateScope<'_> {
    /// The value at a path into `addresses`. `lost` is what Heat has, and Nova has not.
    pub(super) fn server_addresses(
        &self,
        server: &str,
        listed: JinjaExpr,
        path: &[Expr],
        lost: Box<Inexpressible>,
    ) -> Expressed<JinjaExpr> {
        match AddressPart::of(path) {
            AddressPart::OfHeat => return self.given_port(server, path).ok_or(lost)?,
            AddressPart::Whole => self.report_loss(server, &lost),
            AddressPart::OfNova => {}
        }
        match path.split_first() {
            Some((network, rest)) => {
                let list = listed.item(&self.network_name(network)?.text, TypeSet::ANY);
                match rest.is_empty() {
                    true => Ok(list.filter("default(none)", TypeSet::ANY)),
                    false => self.follow(list, rest),
                }
            }
            None => Ok(listed),
        }
    }

    /// The port of a server with one network, if the path reads it and the template gives it to the server.
    fn given_port(&self, server: &str, path: &[Expr]) -> Option<Expressed<JinjaExpr>> {
        let [_, _, key] = path else { return None };
        let networks = property(self.stack().resources.get(server)?, "networks")?;
        match &networks.kind {
            ExprKind::List(networks) if networks.len() == 1 && key.as_text() == Some("port") => {
                Some(self.expression(networks[0].member("port")?))
            }
            _ => None,
        }
    }

    /// The value at a path into `networks`: the addresses without their details. `lost` is what Heat has, and Nova has
    /// not.
    pub(super) fn server_networks(
        &self,
        server: &str,
        listed: JinjaExpr,
        path: &[Expr],
        lost: &Inexpressible,
    ) -> Expressed<JinjaExpr> {
        if let Some((network, rest)) = path.split_first() {
            let list = listed.item(&self.network_name(network)?.text, TypeSet::LIST);
            return self.follow(texts(list.filter("default([])", TypeSet::LIST)), rest);
        }
        self.report_loss(server, lost);
        let (networks, values) = (&listed.text, listed.atom_values().text);
        let text = format!(
            "dict({networks}.keys() | zip({values} | map('map', attribute='addr') | map('list')))"
        );
        Ok(JinjaExpr::primary(text, TypeSet::MAP))
    }

    /// The first address in the network that Heat takes: the one whose name is the last.
    pub(super) fn first_address(&self, listed: &JinjaExpr, path: &[Expr]) -> Expressed<JinjaExpr> {
        let networks = listed.filter("dictsort(true)", TypeSet::LIST);
        let lists = networks.filter("map('last')", TypeSet::LIST).filter("select", TypeSet::LIST);
        let first = lists.filter("map('first')", TypeSet::LIST);
        let first = first.filter("map(attribute='addr')", TypeSet::LIST);
        let last = first.filter("last", TypeSet::TEXT);
        self.follow(last.filter("default('', true)", TypeSet::TEXT), path)
    }

    /// The name of a network, by which Nova lists the addresses of a server.
    fn network_name(&self, network: &Expr) -> Expressed<JinjaExpr> {
        if !self.is_id(network) {
            return self.expression(network);
        }
        let own = match &network.kind {
            ExprKind::Resource(name) => {
                self.playbook_resource(name, network.span, "get_resource").ok()
            }
            _ => None,
        };
        match own {
            Some((_, PlaybookResource { form: PlaybookForm::Object(of), variable, group, .. }))
                if of.to.as_deref() == Some("network") && group.is_none() =>
            {
                Ok(JinjaExpr::primary(variable, TypeSet::MAP).field("network.name", TypeSet::TEXT))
            }
            _ => {
                let why = "Nova lists addresses by the names of networks, not by their IDs";
                Err(Inexpressible::attribute("addresses", why, network.span))
            }
        }
    }
}

fn texts(addresses: JinjaExpr) -> JinjaExpr {
    addresses.filter("map(attribute='addr')", TypeSet::LIST).filter("list", TypeSet::LIST)
}
