//! The names in a template that are those of the templates that it nests: the parameters that a resource's properties give values to,
//! and the outputs that its attributes are.

use std::ops::Range;

use heat_template::hot::{GroupAttribute, GroupValue, MemberName as NameOfMember, MemberValue};
use heat_template::ir::{AttributeFetch, Expr, ExprKind, Stack};
use heat_template::schema::{HeatGroup, MemberDefinition};
use smol_str::SmolStr;
use source_diagnostics::Span;

use super::template::NameCollector;
use super::{NameKind, NameOwner, NameRole};

/// How deep groups of groups are followed.
const MAX_GROUPS: usize = 8;

/// A resource, or the members of a group, that templates may implement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::language_server) struct NestedTemplate {
    /// The name of the resource in the template.
    pub(in crate::language_server) resource: SmolStr,
    pub(in crate::language_server) template: TemplateName,
    pub(in crate::language_server) place: NestedPlace,
    /// The bytes of the type or of the file's name.
    pub(in crate::language_server) bytes: Range<usize>,
}

/// How a template is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::language_server) enum TemplateName {
    /// By a resource type: of the registry, or a path.
    Type(SmolStr),
    /// By a path.
    File(SmolStr),
}

/// The role of a nested template for its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language_server) enum NestedPlace {
    /// It implements the resource.
    Resource,
    /// It implements the members of a group.
    Members(HeatGroup),
    /// It is the template of an `OS::Heat::Stack`.
    Stack,
}

/// A part of an attribute's text that is a name of a nested template.
pub(super) struct MemberName<'e> {
    pub(super) kind: NameKind,
    pub(super) text: &'e str,
    pub(super) span: Span,
    pub(super) part: Range<usize>,
}

/// Adds the nested templates of all resources, with the names of their parameters.
pub(super) fn nested_templates(collector: &mut NameCollector<'_>, stack: &Stack) {
    for (name, resource) in &stack.resources {
        let Some(kind) = &resource.kind else { continue };
        let properties = resource.properties.as_ref();
        let mut found = NestedResource { collector: &mut *collector, resource: name };
        found.definition((&kind.text, kind.span), properties, NestedPlace::Resource, 0);
    }
}

struct NestedResource<'c, 'd> {
    collector: &'c mut NameCollector<'d>,
    resource: &'c str,
}

impl NestedResource<'_, '_> {
    /// A definition of a resource: its type and its properties.
    fn definition(
        &mut self,
        (kind, span): (&str, Span),
        properties: Option<&Expr>,
        place: NestedPlace,
        depth: usize,
    ) {
        let member = |key: &str| properties.and_then(|it| it.member(key));
        let below = match (place, HeatGroup::of(kind)) {
            (NestedPlace::Resource, Some(group)) => NestedPlace::Members(group),
            (_, _) => NestedPlace::Members(HeatGroup::ResourceGroup),
        };
        match HeatGroup::of(kind).map(HeatGroup::members) {
            _ if depth > MAX_GROUPS => {}
            Some(Some(MemberDefinition::Definition(name))) => {
                self.members(member(name), below, depth);
            }
            Some(Some(MemberDefinition::Chain { types, properties: shared })) => {
                let Some(ExprKind::List(kinds)) = member(types).map(|it| &it.kind) else {
                    return;
                };
                for kind in kinds.iter() {
                    let Some(text) = kind.as_text() else { continue };
                    self.add(TemplateName::Type(text.into()), kind.span, member(shared), below);
                }
            }
            Some(None) => {}
            None if kind == "OS::Heat::Stack" => {
                let Some(ExprKind::File(file)) = member("template").map(|it| &it.kind) else {
                    return;
                };
                if let Some(path) = file.as_text() {
                    let name = TemplateName::File(path.into());
                    self.add(name, file.span, member("parameters"), NestedPlace::Stack);
                }
            }
            None => self.add(TemplateName::Type(kind.into()), span, properties, place),
        }
    }

    fn members(&mut self, definition: Option<&Expr>, place: NestedPlace, depth: usize) {
        let Some(definition) = definition else { return };
        let Some(kind) = definition.member("type") else { return };
        if let Some(text) = kind.as_text() {
            self.definition((text, kind.span), definition.member("properties"), place, depth + 1);
        }
    }

    fn add(
        &mut self,
        template: TemplateName,
        span: Span,
        properties: Option<&Expr>,
        place: NestedPlace,
    ) {
        let index = self.collector.names.nested.len();
        let resource = SmolStr::new(self.resource);
        let bytes = span.range();
        self.collector.by_resource.entry(resource.clone()).or_default().push(index);
        self.collector.names.nested.push(NestedTemplate { resource, template, place, bytes });
        let owner = NameOwner::Nested(index);
        let Some(properties) = properties else { return };
        let ExprKind::Map(pairs) = &properties.kind else {
            self.collector.computed(NameKind::Parameter, owner, properties.span);
            return;
        };
        for pair in pairs.iter() {
            if let Some(name) = pair.key.as_text() {
                self.collector.add(
                    NameKind::Parameter,
                    name,
                    pair.key.span,
                    owner,
                    NameRole::Value,
                );
            }
        }
    }
}

/// The name of a nested template that an attribute and its path lead to, or the expression that computes it. Heat's rules:
/// `docs/heat.md#get_attr-on-a-resourcegroup`, `docs/heat.md#autoscalinggroup`.
pub(super) fn member_name<'e>(
    place: NestedPlace,
    steps: &[&'e Expr],
) -> Option<Result<MemberName<'e>, &'e Expr>> {
    let of = |kind, step: &'e Expr, part: Range<usize>| {
        let text = step.as_text().unwrap_or_default();
        Some(Ok(MemberName { kind, text, span: step.span, part }))
    };
    let whole = |step: Option<&&'e Expr>| {
        let step = *step?;
        match step.as_text() {
            Some(text) => of(NameKind::Output, step, 0..text.len()),
            None => Some(Err(step)),
        }
    };
    let first = *steps.first()?;
    let Some(text) = first.as_text() else { return Some(Err(first)) };
    let path: Vec<Option<SmolStr>> =
        steps[1..].iter().map(|step| step.as_text().map(SmolStr::from)).collect();
    let group = match place {
        NestedPlace::Stack => return (text == "outputs").then(|| whole(steps.get(1)))?,
        NestedPlace::Resource => {
            return match NameOfMember::split(text) {
                Some((name, _)) => {
                    let start = "resource.".len();
                    of(NameKind::Resource, first, start..start + name.len())
                }
                None => whole(Some(&first)),
            };
        }
        NestedPlace::Members(group) => group,
    };
    let value = GroupAttribute::of(group, text, &path, AttributeFetch::PathToResource).value;
    let (GroupValue::Members(_, MemberValue::Attribute { path: rest, .. })
    | GroupValue::Member(_, MemberValue::Attribute { path: rest, .. })) = value
    else {
        return None;
    };
    match NameOfMember::split(text) {
        // The path begins with the name.
        _ if rest.len() < path.len() => whole(steps.get(1)),
        Some((_, Some(name))) => {
            let start = text.len() - name.len();
            let length = name.find('.').unwrap_or(name.len());
            of(NameKind::Output, first, start..start + length)
        }
        Some((_, None)) | None => whole(Some(&first)),
    }
}
