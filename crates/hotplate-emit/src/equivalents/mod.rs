//! Resources that Heat makes of those of another type: what OpenStack then has is an object of this other
//! type, so a target that replaces Heat sees that one. AWS's servers are Nova's, its groups Neutron's.
//!
//! A step of the render model before a target that wants it ([`Emitter::replaces_heat`]): resources get their
//! equivalent's type and properties, and references to them follow. `table.yaml` has the types. What cannot be translated stays
//! as it is, and the target reports it. Servers that boot with Heat's tools boot without Heat ([`cfntools`]).
//!
//! [`Emitter::replaces_heat`]: super::Emitter::replaces_heat

mod cfntools;
mod networks;
mod rules;
mod scaling;
mod table;

use std::collections::HashSet;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::kit::UniqueNames;
use super::mapping::AttributeMapping;
use super::render_model::{Module, RenderModel, ResourceImplementation};
use super::without_effect::mentioned;
use super::{Loss, LossKind};
use heat_engine::eval::HeatGroup;
use heat_template::ir::{
    AttributeFetch, AttributeRef, Expr, ExprKind, Join, JoinPolicy, Pair, Parameter, ParameterType,
    Resource, Shared, SpannedName, Stack,
};
use python_semantics::number::Integer;
use source_diagnostics::{Severity, Span};
use table::{GATEWAY_ATTACHMENT, Row, SAME_PROPERTIES, property_rule, row, type_rule};

/// The type of the objects that Heat makes of resources of this type.
pub(super) fn equivalent(kind: &str) -> Option<&'static str> {
    row(kind).map(|row| row.to).filter(|to| *to != kind)
}

/// Whether a resource of this type has an attribute that Heat only has for a type of which it is the equivalent.
#[cfg(test)]
pub(super) fn has_attribute(kind: &str, attribute: &str) -> bool {
    let of_kind = table::table().types.values().filter(|row| row.to.as_deref() == Some(kind));
    of_kind
        .flat_map(|row| row.attributes.values())
        .any(|it| it.rule.is_none() && it.to.as_deref() == Some(attribute))
}

/// The deployment with equivalents in place of the resources that have one, and what the user should know of
/// them; `None` if there is none.
pub(super) fn with_equivalents<'a>(
    model: &RenderModel<'a>,
) -> Option<(RenderModel<'a>, Vec<Loss>)> {
    let mut stacks = IndexMap::new();
    let mut kinds: IndexMap<usize, IndexMap<String, &'static str>> = IndexMap::new();
    let mut notes = Vec::new();
    for (at, module) in model.modules.iter().enumerate() {
        let mut translator = Translator::new(module, at == 0);
        translator.find_rows();
        translator.follow_references();
        translator.translate();
        translator.write_files_of_tools(&model.evaluator(module));
        if translator.kinds.is_empty() {
            continue;
        }
        stacks.insert(at, translator.stack);
        kinds.insert(at, translator.kinds);
        notes.extend(translator.notes);
    }
    if stacks.is_empty() {
        return None;
    }
    let mut model = model.with_stacks(stacks);
    for (at, kinds) in kinds {
        let implementations = &mut model.modules[at].implementations;
        implementations.extend(kinds.into_iter().map(|(name, kind)| (name, implementation(kind))));
    }
    Some((model, notes))
}

fn implementation(kind: &'static str) -> ResourceImplementation {
    let plain = |kind| ResourceImplementation::ResourceType(SmolStr::new_static(kind));
    match HeatGroup::of(kind) {
        // The only groups among the equivalents.
        Some(group) => ResourceImplementation::Group {
            kind: group,
            member: Some(Box::new(plain(scaling::MEMBER))),
        },
        None => plain(kind),
    }
}

const FLOATING_IP: &str = "OS::Neutron::FloatingIP";
/// The parameter that the external network becomes.
const EXTERNAL_NETWORK: &str = "external_network";
const HANDLE: &str = "OS::Heat::WaitConditionHandle";

impl Row {
    /// Whether the equivalent needs the external network, which becomes a parameter.
    fn is_external(&self) -> bool {
        self.to == FLOATING_IP || self.kind == GATEWAY_ATTACHMENT
    }
}

/// The translation of one template.
struct Translator<'m> {
    module: &'m Module,
    is_root: bool,
    stack: Stack,
    /// The rows of the resources that are translated.
    rows: IndexMap<String, Row>,
    /// The types of translated and added resources.
    kinds: IndexMap<String, &'static str>,
    notes: Vec<Loss>,
}

/// The translation of one resource.
struct Translation<'r> {
    name: &'r str,
    resource: &'r Resource,
    /// The properties of the equivalent.
    properties: Vec<Pair>,
    /// Further resources: the ending of the name, the type and the properties.
    others: Vec<(String, &'static str, Expr)>,
    module: &'r Module,
    /// The external network, for what needs it.
    external_network: Option<Expr>,
}

impl Translation<'_> {
    fn given(&self, name: &str) -> Option<&Expr> {
        self.resource.properties.as_ref()?.member(name)
    }

    /// Sets a property, whose name is where its value is.
    fn set(&mut self, name: &str, value: Expr) {
        self.properties.push(Pair { key: Expr::text(name, value.span), value });
    }

    /// Adds items to a list.
    fn extend(&mut self, name: &str, mut items: Vec<Expr>, span: Span) {
        let at = self.properties.iter().position(|pair| pair.key.as_text() == Some(name));
        if let Some(at) = at {
            let before = self.properties.remove(at).value;
            items.splice(0..0, rules::items(&before).unwrap_or_default().iter().cloned());
        }
        self.set(name, list(items, span));
    }

    /// Adds another resource.
    fn add(&mut self, ending: &str, kind: &'static str, properties: Expr) {
        self.others.push((ending.to_owned(), kind, properties));
    }
}

impl<'m> Translator<'m> {
    fn new(module: &'m Module, is_root: bool) -> Self {
        Translator {
            module,
            is_root,
            stack: (*module.stack).clone(),
            rows: IndexMap::new(),
            kinds: IndexMap::new(),
            notes: Vec::new(),
        }
    }

    /// Finds the resources that can be translated.
    fn find_rows(&mut self) {
        for (name, resource) in &self.module.stack.resources {
            let Some(ResourceImplementation::ResourceType(kind)) =
                self.module.implementations.get(name)
            else {
                continue;
            };
            let Some(row) = row(kind) else { continue };
            // The network of addresses becomes a parameter, which nothing passes to a nested template.
            let is_possible = self.is_root || !row.is_external();
            let network = row.is_external().then(|| Expr::text(EXTERNAL_NETWORK, Span::NOWHERE));
            if is_possible && translated(self.module, name, resource, row, network).is_some() {
                self.rows.insert(name.clone(), row);
            }
        }
    }

    /// Translates the resources, whose references are those to the equivalents already.
    fn translate(&mut self) {
        let mentioned = mentioned(self.module);
        let mut names: UniqueNames = self.stack.resources.keys().collect();
        for (name, row) in self.rows.clone() {
            let Some(resource) = self.stack.resources.get(&name).cloned() else { continue };
            let network = row.is_external().then(|| self.external_network(&name, row, &resource));
            let translation = translated(self.module, &name, &resource, row, network);
            let Some(mut translation) = translation else { continue };
            if row.to == FLOATING_IP
                && let Some(network) = translation.external_network.take()
            {
                translation.set("floating_network", network);
            }
            let Translation { properties, others, .. } = translation;
            // What a group has from another resource still refers to what is translated.
            let is_group = HeatGroup::of(row.to).is_some();
            let follow = |value: Expr| match is_group {
                true => followed(&value, &self.rows).unwrap_or(value),
                false => value,
            };
            let properties: Vec<Pair> = properties
                .into_iter()
                .map(|pair| Pair { value: follow(pair.value), ..pair })
                .collect();
            let is_used = row.to != HANDLE || mentioned.contain(&name);
            if let Some(note) = row.mapping.note.as_ref().filter(|_| is_used) {
                let message = format!("`{name}`: {note}");
                self.note(&name, row.kind, resource.kind_span(), message, None);
            }
            self.kinds.insert(name.clone(), row.to);
            for (ending, kind, properties) in others {
                let other = names.allocate_numbered(&format!("{name}_{ending}"));
                self.add_resource(other, kind, &resource, properties);
            }
            if let Some(translated) = self.stack.resources.get_mut(&name) {
                let span = resource.properties.as_ref().map_or(resource.name_span, |it| it.span);
                translated.properties = match properties.is_empty() {
                    true => None,
                    false => Some(Expr::new(ExprKind::Map(properties.into()), span)),
                };
            }
        }
    }

    /// Adds a resource that exists because of another one, under the same condition.
    fn add_resource(&mut self, name: String, kind: &'static str, of: &Resource, properties: Expr) {
        let mut added = Resource::new(of.name_span);
        added.kind = of.kind.clone().map(|of| SpannedName { text: kind.into(), ..of });
        added.condition.clone_from(&of.condition);
        added.properties = Some(properties);
        self.kinds.insert(name.clone(), kind);
        self.stack.resources.insert(name, added);
    }

    /// Adds such a resource at the place of one that uses it.
    fn add_resource_before(
        &mut self,
        user: &str,
        name: String,
        kind: &'static str,
        of: &Resource,
        properties: Expr,
    ) {
        self.add_resource(name, kind, of, properties);
        let last = self.stack.resources.len() - 1;
        if let Some(place) = self.stack.resources.get_index_of(user) {
            self.stack.resources.move_index(last, place);
        }
    }

    fn note(
        &mut self,
        name: &str,
        subject: &str,
        span: Span,
        message: String,
        suggestion: Option<&str>,
    ) {
        let mut note = Loss::new(LossKind::ResourceType, subject, message, span).with_owner(name);
        note.severity = Severity::Note;
        note.suggestion = suggestion.map(str::to_owned);
        self.notes.push(note);
    }

    /// The external network: Heat takes the only one.
    fn external_network(&mut self, name: &str, row: Row, resource: &Resource) -> Expr {
        let span = resource.kind_span();
        self.stack.parameters.entry(EXTERNAL_NETWORK.to_owned()).or_insert_with(|| Parameter {
            description: Some(Expr::text(
                "The external network, which Heat finds by itself",
                Span::NOWHERE,
            )),
            ..Parameter::new(Span::NOWHERE, Some(ParameterType::Text))
        });
        let message = format!("`{name}`: Heat finds the external network by itself");
        let suggestion = format!("set the parameter `{EXTERNAL_NETWORK}` to its name");
        self.note(name, row.kind, span, message, Some(&suggestion));
        Expr::parameter(EXTERNAL_NETWORK, Vec::new(), span)
    }

    /// Rewrites what refers to the translated resources.
    fn follow_references(&mut self) {
        let rows = &self.rows;
        let follow = |expr: &mut Expr| {
            if let Some(followed) = followed(expr, rows) {
                *expr = followed;
            }
        };
        for resource in self.stack.resources.values_mut() {
            resource.properties.iter_mut().for_each(follow);
            resource.metadata.iter_mut().for_each(follow);
        }
        for output in self.stack.outputs.values_mut() {
            output.value.iter_mut().for_each(follow);
        }
    }
}

/// The translation of a resource; `None` if a property cannot be translated.
fn translated<'r>(
    module: &'r Module,
    name: &'r str,
    resource: &'r Resource,
    row: Row,
    external_network: Option<Expr>,
) -> Option<Translation<'r>> {
    let (properties, others) = (Vec::new(), Vec::new());
    let mut to = Translation { name, resource, properties, others, module, external_network };
    if let Some(properties) = &resource.properties {
        translate_properties(&mut to, properties, row)?;
    }
    match row.mapping.rule.as_deref() {
        None | Some(SAME_PROPERTIES) => Some(to),
        Some(rule) => type_rule(rule)?(&mut to).map(|()| to),
    }
}

fn translate_properties(to: &mut Translation<'_>, properties: &Expr, row: Row) -> Option<()> {
    let ExprKind::Map(pairs) = &properties.kind else { return None };
    if row.mapping.rule.as_deref() == Some(SAME_PROPERTIES) {
        to.properties.extend(pairs.iter().cloned());
        return Some(());
    }
    for pair in pairs.iter().filter(|pair| pair.value.kind != ExprKind::Null) {
        let key = pair.key.as_text()?;
        let expressed = row.mapping.properties.get(key)?;
        let renamed =
            |name: &str, value: Expr| Pair { key: Expr::text(name, pair.key.span), value };
        match (expressed.rule.as_deref(), &expressed.to) {
            // Heat itself ignores it.
            (None, None) => {}
            (None, Some(name)) => to.properties.push(renamed(name, pair.value.clone())),
            (Some("adds_to"), Some(name)) => match rules::items(&pair.value) {
                Some(items) => to.extend(name, items.to_vec(), pair.value.span),
                None if to.properties.iter().any(|it| it.key.as_text() == Some(name)) => {
                    return None;
                }
                None => to.properties.push(renamed(name, pair.value.clone())),
            },
            (Some("tags"), Some(name)) => {
                to.properties.push(renamed(name, rules::tags(&pair.value)?));
            }
            (Some(rule), _) => property_rule(rule)?(to, &pair.value)?,
        }
    }
    Some(())
}

/// An expression whose references to translated resources follow them; `None` if it has none.
fn followed(expr: &Expr, rows: &IndexMap<String, Row>) -> Option<Expr> {
    let mut names = HashSet::new();
    expr.walk(&mut |part| {
        let resource = match &part.kind {
            ExprKind::Resource(resource) => &**resource,
            ExprKind::Attribute(attribute) => &attribute.resource,
            _ => return,
        };
        names.extend(resource.as_text());
    });
    names.iter().any(|name| rows.contains_key(*name)).then(|| followed_parts(expr, rows))
}

fn followed_parts(expr: &Expr, rows: &IndexMap<String, Row>) -> Expr {
    let span = expr.span;
    let of = |name: &Expr, rule: &AttributeMapping, path: &[Expr]| match (
        rule.rule.as_deref(),
        rule.to.as_deref(),
    ) {
        (Some("text"), Some(constant)) => Expr::text(constant, span),
        (Some("member_addresses"), _) => {
            let path = vec![Expr::text("first_address", span)];
            let join = Join {
                delimiter: Expr::text(",", span),
                lists: vec![attribute_of(name, "outputs_list", path, span)],
                policy: JoinPolicy::TextItems,
            };
            Expr::new(ExprKind::Join(Shared::new(join)), span)
        }
        (Some("port_address"), _) => {
            let first = Expr::new(ExprKind::Int(Integer::Small(0)), span);
            attribute_of(name, "fixed_ips", vec![first, Expr::text("ip_address", span)], span)
        }
        (None, Some(attribute)) => attribute_of(name, attribute, path.to_vec(), span),
        (_, _) => Expr::new(ExprKind::Resource(Shared::new(name.clone())), span),
    };
    let mapping = |name: &Expr| Some(rows.get(name.as_text()?)?.mapping);
    match &expr.kind {
        ExprKind::Resource(name) => {
            let mapping = mapping(name);
            match mapping.and_then(|mapping| mapping.reference.as_ref()) {
                None => expr.clone(),
                // One of the attributes of the type, else of its equivalent.
                Some(to) => match mapping.and_then(|mapping| mapping.attributes.get(to)) {
                    Some(rule) => of(name, rule, &[]),
                    None => attribute_of(name, to, Vec::new(), span),
                },
            }
        }
        ExprKind::Attribute(attribute) => {
            let name = attribute.attribute.as_ref().and_then(Expr::as_text);
            let mapping = mapping(&attribute.resource);
            match mapping.and_then(|mapping| mapping.attributes.get(name?)) {
                Some(rule) => of(&attribute.resource, rule, &attribute.path),
                None => expr.clone(),
            }
        }
        _ => expr.with_parts(&mut |part| followed_parts(part, rows)),
    }
}

fn attribute_of(resource: &Expr, attribute: &str, path: Vec<Expr>, span: Span) -> Expr {
    let attribute = AttributeRef {
        resource: resource.clone(),
        attribute: Some(Expr::text(attribute, span)),
        path,
        fetch: AttributeFetch::PathToResource,
    };
    Expr::new(ExprKind::Attribute(Shared::new(attribute)), span)
}

fn list(items: Vec<Expr>, span: Span) -> Expr {
    Expr::new(ExprKind::List(items.into()), span)
}

fn map<'k>(pairs: impl IntoIterator<Item = (&'k str, Expr)>, span: Span) -> Expr {
    let pairs =
        pairs.into_iter().map(|(key, value)| Pair { key: Expr::text(key, value.span), value });
    Expr::new(ExprKind::Map(pairs.collect()), span)
}

fn reference(resource: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Resource(Shared::new(Expr::text(resource, span))), span)
}
