//! Servers: flavor and image by name or id, files, hints, user data.

use super::{PropertyRequest, server_networks};
use crate::identifier_kind::IdentifierKind;
use crate::openstack_provider::model::{Argument, ObjectRef, WantedType};
use crate::openstack_provider::resource_builder::{Arguments, ResourceBuilder};
use crate::openstack_provider::{Counterpart, counterpart};
use crate::render_model::{key_span, property};
use heat_engine::eval::{Value, python};
use heat_template::ir::{Expr, ExprKind};

/// `flavor` becomes `flavor_id` or `flavor_name`.
pub(super) fn flavor<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    if let Some(value) = of.given {
        id_or_name(builder, value, "flavor_id", "flavor_name");
    }
}

/// `image` becomes `image_id` or `image_name`.
pub(super) fn image<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    if let Some(value) = of.given {
        id_or_name(builder, value, "image_id", "image_name");
    }
}

/// Sets one of two arguments, which take the ID or the name.
fn id_or_name(builder: &mut ResourceBuilder<'_, '_>, value: &Expr, by_id: &str, by_name: &str) {
    let text = Argument::Expr(value.clone(), WantedType::Text);
    let mut put = |to: &str, value: Argument| builder.arguments.push((to.to_owned(), value));
    match builder.catalog.identifier_kind(value) {
        IdentifierKind::Id | IdentifierKind::LaterId => put(by_id, text),
        IdentifierKind::Name => put(by_name, text),
        IdentifierKind::Either | IdentifierKind::Mixed => {
            let one_of = |id: Argument, name: Argument| Argument::NameOrId {
                value: Box::new(text.clone()),
                id: Box::new(id),
                name: Box::new(name),
            };
            put(by_id, one_of(text.clone(), Argument::Null));
            put(by_name, one_of(Argument::Null, text.clone()));
        }
    }
}

/// `personality`: a map from paths to contents.
pub(super) fn personality<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    let Some(value) = given else { return };
    let ExprKind::Map(pairs) = &value.kind else {
        builder.report_lost_property(
            name,
            value.span,
            "the provider requires each file under a known path, but the files are computed",
        );
        return;
    };
    let blocks = pairs.iter().filter(|pair| pair.value.kind != ExprKind::Null).map(|pair| {
        vec![
            ("file".to_owned(), Argument::Expr(pair.key.clone(), WantedType::Text)),
            ("content".to_owned(), Argument::Expr(pair.value.clone(), WantedType::Text)),
        ]
    });
    let blocks: Vec<Arguments> = blocks.collect();
    if !blocks.is_empty() {
        builder.arguments.push((name.to_owned(), Argument::Blocks(blocks)));
    }
}

/// `scheduler_hints`: the provider names some hints; all others become additional properties.
pub(super) fn scheduler_hints<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    let Some(value) = given else { return };
    hints(builder, name, value);
}

/// A block of hints, with the lists and strings that the provider has for them.
pub(super) fn hints(builder: &mut ResourceBuilder<'_, '_>, name: &str, value: &Expr) {
    let Some(block) = builder.info("scheduler_hints").and_then(|info| info.block.as_ref()) else {
        return;
    };
    let ExprKind::Map(pairs) = &value.kind else {
        builder.report_lost_property(
            name,
            value.span,
            "the provider requires each hint under a known name, but the hints are computed",
        );
        return;
    };
    let mut arguments: Arguments = Vec::new();
    let mut more: Arguments = Vec::new();
    for pair in pairs {
        let Some(key) = pair.key.as_text() else { continue };
        if pair.value.kind == ExprKind::Null {
            continue;
        }
        match block.get(key).filter(|_| key != "additional_properties") {
            Some(info) => {
                let is_list = info.wanted() == WantedType::TextList;
                let value = match &pair.value.kind {
                    // The services accept a single value in place of a list of one.
                    ExprKind::Text(_) | ExprKind::Resource(_) if is_list => {
                        Argument::List(vec![Argument::Expr(pair.value.clone(), WantedType::Text)])
                    }
                    _ => Argument::Expr(pair.value.clone(), info.wanted()),
                };
                arguments.push((key.to_owned(), value));
            }
            None => {
                more.push((key.to_owned(), Argument::Expr(pair.value.clone(), WantedType::Text)))
            }
        }
    }
    if !more.is_empty() {
        arguments.push(("additional_properties".to_owned(), Argument::Map(more)));
    }
    if !arguments.is_empty() {
        builder.arguments.push(("scheduler_hints".to_owned(), Argument::Blocks(vec![arguments])));
    }
}

/// `user_data`, passed on unchanged. By default Heat wraps it in a message with its own tools.
pub(super) fn user_data<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    const WAY_OUT: &str =
        "set `user_data_format: RAW`, and write the text in a form that cloud-init accepts";
    let format = builder.properties.get("user_data_format").copied();
    let known = match format {
        Some(expr) => builder.catalog.evaluator.constant(expr).map(|value| value.reveal().0),
        None => Some(Value::Text("HEAT_CFNTOOLS".into())),
    };
    // The text itself is kept, so a format by default is reported at its name.
    let key = || {
        let span = given?.span;
        Some(builder.definition.properties.and_then(|it| key_span(it, "user_data")).unwrap_or(span))
    };
    let span = format.map(|expr| expr.span).or_else(key);
    if let Some(span) = span {
        let how = match &known {
            Some(Value::Text(text)) if text == "RAW" => None,
            Some(Value::Text(text)) if text == "SOFTWARE_CONFIG" => Some(
                "Heat adds what its agent needs to run software deployments, but the provider does \
                 not",
            ),
            Some(_) => Some(
                "Heat wraps the text in a message with its own boot scripts, but the provider \
                 passes it on unchanged",
            ),
            None => Some(
                "its format is not known while rendering, and the provider passes it on unchanged",
            ),
        };
        if let Some(how) = how {
            builder.report_difference("user_data_format", span, how, WAY_OUT);
        }
    }
    if let Some(value) = given {
        builder.arguments.push((name.to_owned(), Argument::Expr(value.clone(), WantedType::Text)));
    }
}

/// `user_data_update_policy`: with IGNORE, a change of the user data does nothing.
pub(super) fn user_data_update_policy<'c>(
    builder: &mut ResourceBuilder<'c, '_>,
    of: PropertyRequest<'c>,
) {
    let Some(value) = of.given else { return };
    match builder.catalog.evaluator.constant(value).map(|value| value.reveal().0) {
        Some(Value::Text(policy)) if policy == "IGNORE" => {
            builder.ignores.push("user_data".to_owned());
        }
        Some(_) | None => {
            let why = "it is unknown while rendering, and the provider replaces the server";
            builder.report_lost_property(of.name, value.span, why);
        }
    }
}

/// `tenants` of a flavor: a private flavor without any is for the project of the stack.
pub(super) fn flavor_tenants<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, property, given } = of;
    let is_empty = |it: &Expr| matches!(&it.kind, ExprKind::List(items) if items.is_empty());
    if let Some(value) = given.filter(|it| !is_empty(it)) {
        return builder.add_property(name, property, value);
    }
    let Some(is_public) = builder.properties.get("is_public") else { return };
    let Some(value) = builder.catalog.evaluator.constant(is_public) else {
        let how =
            "if it is false, Heat gives the project of the stack access, the provider does not";
        return builder.report_difference("is_public", is_public.span, how, "set `tenants`");
    };
    let is_private = python::strict_bool(&value.reveal().0) == Ok(false);
    if let (true, Some(kind)) = (is_private, &property.object) {
        let project = Expr::parameter("OS::project_id", Vec::new(), is_public.span);
        let projects = Expr::new(ExprKind::List([project].into()), is_public.span);
        builder.objects_of(name, kind, property, &projects);
    }
}

/// The first port of a server, for floating IPs that Nova associated with servers.
pub(super) fn first_port<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    let Some(value) = given else { return };
    let catalog = builder.catalog;
    let server = catalog.referenced_resource(value).filter(|resource| {
        let kind = catalog.type_of(resource).map(counterpart);
        kind == Some(Counterpart::Object("openstack_compute_instance_v2"))
    });
    let Some(server) = server else {
        let why = "the provider requires a port, but the server is not in this template";
        builder.report_lost_value(name, value.span, why, "use OS::Neutron::FloatingIPAssociation");
        return;
    };
    let object = ObjectRef { resource: server.to_owned(), index: 0 };
    let networks = catalog.module.stack.resources.get(server);
    let networks = networks.and_then(|server| property(server, "networks"));
    match server_networks::port_of(object, networks, 0) {
        Some(port) => builder.arguments.push(("port_id".to_owned(), port)),
        None => {
            let (why, suggestion) = (server_networks::UNKNOWN_PORT, server_networks::OWN_PORT);
            builder.report_lost_value(name, value.span, why, suggestion);
        }
    }
}

/// The value of a key in a map literal, unless it is null.
pub(super) fn under<'e>(map: &'e Expr, key: &str) -> Option<&'e Expr> {
    map.member(key).filter(|value| value.kind != ExprKind::Null)
}
