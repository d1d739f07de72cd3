//! Ports without addresses: the provider does not report such a network of a server, and would replace the server.

use crate::identifier_kind::MAX_TEMPLATE_DEPTH;
use crate::openstack_provider::catalog::ObjectCatalog;
use crate::render_model::{Module, ModuleId, RenderModel, property};
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind, graph};

const SUBNET: &str = "OS::Neutron::Subnet";

/// Whether a port of the template gets no address: it wants none, or its network has no subnet.
pub(super) fn has_no_address(catalog: &ObjectCatalog<'_>, port: &Expr) -> bool {
    let name = catalog.referenced_resource(port);
    let Some(name) = name.filter(|it| catalog.type_of(it) == Some("OS::Neutron::Port")) else {
        return false;
    };
    let Some(port) = catalog.module.stack.resources.get(name) else { return false };
    let known = |it: &Expr| catalog.evaluator.constant(it).map(|it| it.reveal().0);
    let wants_none = property(port, "no_fixed_ips").and_then(known) == Some(Value::Bool(true));
    let network = property(port, "network").or_else(|| property(port, "network_id"));
    wants_none || network.is_some_and(|it| has_no_subnet(catalog.model, catalog.module, it, 0))
}

/// Whether a network is one of the deployment's templates, and none of them gives it a subnet.
fn has_no_subnet(model: &RenderModel<'_>, module: &Module, network: &Expr, depth: usize) -> bool {
    if depth > MAX_TEMPLATE_DEPTH {
        return false;
    }
    match &network.kind {
        ExprKind::Resource(name) => {
            let name = name.as_text().unwrap_or_default();
            let mut users = module.stack.resources.iter();
            module.type_of(name) == Some("OS::Neutron::Net")
                && !users.any(|(user, it)| {
                    may_have_subnet(model, module, user) && graph::dependencies(it).contains(name)
                })
        }
        ExprKind::Parameter(parameter) if parameter.path.is_empty() => {
            let name = parameter.name.as_text().unwrap_or_default();
            let id = model.modules.iter().position(|it| std::ptr::eq(it, module));
            let mut users = model.users(ModuleId(id.unwrap_or_default())).peekable();
            users.peek().is_some()
                && users.all(|(user, resource)| {
                    let user = &model.modules[user];
                    let given = user.properties_for(resource).and_then(|it| it.member(name));
                    given.is_some_and(|given| has_no_subnet(model, user, given, depth + 1))
                })
        }
        _ => false,
    }
}

/// Whether a resource is a subnet, or its template may have one.
fn may_have_subnet(model: &RenderModel<'_>, module: &Module, resource: &str) -> bool {
    let is_subnet = |module: &Module, name: &String| module.type_of(name) == Some(SUBNET);
    match module.type_of(resource) {
        Some(kind) => kind == SUBNET,
        None => {
            model.modules.iter().any(|it| it.stack.resources.keys().any(|name| is_subnet(it, name)))
        }
    }
}
