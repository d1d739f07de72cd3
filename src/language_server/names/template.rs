//! The names in a template.

use std::collections::{HashMap, HashSet};

use heat_template::ir::{ComputedFunction, Expr, ExprKind, Replace, Stack};
use lossless_yaml::Document;
use smol_str::SmolStr;
use source_diagnostics::Span;

use super::nested::{member_name, nested_templates};
use super::written::written;
use super::{FileNames, NameKind, NameOwner, NameRole, Occurrence, UntracedName};

/// The names that a template declares and uses, with those of the templates that it nests.
pub(super) fn names(document: &Document, stack: &Stack) -> FileNames {
    let names = FileNames { is_template: true, ..FileNames::default() };
    let mut collector =
        NameCollector { document, names, by_resource: HashMap::new(), substituted: HashSet::new() };
    collector.declarations(stack);
    nested_templates(&mut collector, stack);
    for expr in stack.expressions() {
        expr.walk(&mut |part| collector.expression(part));
    }
    collector.names
}

/// Collects the names of a template.
pub(super) struct NameCollector<'d> {
    pub(super) document: &'d Document,
    pub(super) names: FileNames,
    /// The nested templates of each resource, by their indices.
    pub(super) by_resource: HashMap<SmolStr, Vec<usize>>,
    /// The texts of `Fn::Sub`, whose names are read from the placeholders.
    substituted: HashSet<Span>,
}

impl NameCollector<'_> {
    fn declarations(&mut self, stack: &Stack) {
        use NameKind::{Condition, Mapping, Output, Parameter, Resource};
        let declared = (stack.parameters.iter().map(|(name, it)| (Parameter, name, it.name_span)))
            .chain(stack.mappings.iter().map(|(name, it)| (Mapping, name, it.name_span)))
            .chain(stack.conditions.iter().map(|(name, it)| (Condition, name, it.name_span)))
            .chain(stack.resources.iter().map(|(name, it)| (Resource, name, it.name_span)))
            .chain(stack.outputs.iter().map(|(name, it)| (Output, name, it.name_span)));
        for (kind, name, span) in declared {
            self.add(kind, name, span, NameOwner::ThisFile, NameRole::Declaration);
        }
        for resource in stack.resources.values() {
            for dependency in &resource.depends_on {
                self.add_use(Resource, &dependency.text, dependency.span);
            }
        }
        for group in &stack.groups {
            let listed = group.value.member("parameters").map(|it| &it.kind);
            let Some(ExprKind::List(items)) = listed else { continue };
            for item in items.iter() {
                self.name_or_untraced(Parameter, item);
            }
        }
    }

    /// Adds a name that is written in the scalar at a span.
    pub(super) fn add(
        &mut self,
        kind: NameKind,
        name: &str,
        span: Span,
        owner: NameOwner,
        role: NameRole,
    ) {
        let name = SmolStr::new(name);
        if let Some(bytes) = written(self.document, span, &name) {
            self.names.occurrences.push(Occurrence { kind, name, owner, role, bytes });
        } else if !name.contains("::") && span.source == self.document.source() {
            // The pseudo parameters of CFN are written in other words, and nobody renames them.
            let reason = "does not have the name as it is";
            self.names.untraced.push(UntracedName {
                kind,
                name: Some(name),
                owner,
                bytes: span.range(),
                reason,
            });
        }
    }

    fn add_use(&mut self, kind: NameKind, name: &str, span: Span) {
        self.add(kind, name, span, NameOwner::ThisFile, NameRole::Use);
    }

    fn name_or_untraced(&mut self, kind: NameKind, name: &Expr) {
        if self.substituted.contains(&name.span) {
            return;
        }
        match name.as_text() {
            Some(text) => self.add_use(kind, text, name.span),
            None => self.computed(kind, NameOwner::ThisFile, name.span),
        }
    }

    /// Adds a name that the template computes.
    pub(super) fn computed(&mut self, kind: NameKind, owner: NameOwner, span: Span) {
        let bytes = span.range();
        self.names.untraced.push(UntracedName {
            kind,
            name: None,
            owner,
            bytes,
            reason: "computes a name",
        });
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Parameter(reference) => {
                self.name_or_untraced(NameKind::Parameter, &reference.name)
            }
            ExprKind::Resource(name) => self.name_or_untraced(NameKind::Resource, name),
            ExprKind::Attribute(reference) => {
                self.name_or_untraced(NameKind::Resource, &reference.resource);
                let steps: Vec<&Expr> = reference.attribute.iter().chain(&reference.path).collect();
                if let Some(resource) = reference.resource.as_text()
                    && !self.substituted.contains(&reference.resource.span)
                {
                    self.attribute(resource, &steps);
                }
            }
            ExprKind::Lookup(lookup) => self.name_or_untraced(NameKind::Mapping, &lookup.table),
            ExprKind::Condition(name) => self.add_use(NameKind::Condition, name, expr.span),
            ExprKind::Replace(replace) => self.substitution(replace),
            ExprKind::Computed(call) => match call.function {
                ComputedFunction::Parameter => {
                    self.computed(NameKind::Parameter, NameOwner::ThisFile, expr.span)
                }
                ComputedFunction::Not => {
                    self.computed(NameKind::Condition, NameOwner::ThisFile, expr.span)
                }
                ComputedFunction::Hash | ComputedFunction::Split => {}
            },
            ExprKind::Invalid(call) => self.invalid_call(&call.function, &call.argument),
            _ => {}
        }
    }

    /// A call that is not finished yet has its name already.
    fn invalid_call(&mut self, function: &str, argument: &Expr) {
        let kind = match function {
            "get_param" => NameKind::Parameter,
            "get_attr" | "get_resource" | "Fn::GetAtt" => NameKind::Resource,
            "Fn::FindInMap" => NameKind::Mapping,
            _ => return,
        };
        let name = match &argument.kind {
            ExprKind::List(items) => items.first(),
            _ => Some(argument),
        };
        if let Some(name) = name
            && let Some(text) = name.as_text()
        {
            self.add_use(kind, text, name.span);
        }
    }

    /// The output of a nested template, or the resource in it, that an attribute leads to.
    fn attribute(&mut self, resource: &str, steps: &[&Expr]) {
        let Some(indices) = self.by_resource.get(resource).cloned() else { return };
        for index in indices {
            let Some(nested) = self.names.nested.get(index) else { continue };
            let owner = NameOwner::Nested(index);
            let found = match member_name(nested.place, steps) {
                None => continue,
                Some(Ok(found)) => found,
                Some(Err(computed)) => {
                    self.computed(NameKind::Output, owner, computed.span);
                    continue;
                }
            };
            let Some(whole) = written(self.document, found.span, found.text) else { continue };
            let bytes = whole.start + found.part.start..whole.start + found.part.end;
            let Some(name) = found.text.get(found.part).map(SmolStr::new) else { continue };
            self.names.occurrences.push(Occurrence {
                kind: found.kind,
                name,
                owner,
                role: NameRole::Use,
                bytes,
            });
        }
    }

    /// The names in the placeholders of `Fn::Sub`, which lowering gives the span of the whole text.
    fn substitution(&mut self, replace: &Replace) {
        let (Some(text), ExprKind::Map(params)) =
            (replace.template.as_text(), &replace.params.kind)
        else {
            return;
        };
        let span = replace.params.span;
        let is_substitution = !params.is_empty() && params.iter().all(|pair| pair.key.span == span);
        if !is_substitution || !self.substituted.insert(span) {
            return;
        }
        let offsets = self.document.scalar_offsets(span, text);
        for pair in params.iter().filter(|pair| pair.value.span == span) {
            let named = match &pair.value.kind {
                ExprKind::Parameter(reference) => Some((NameKind::Parameter, &reference.name)),
                ExprKind::Resource(name) => Some((NameKind::Resource, &**name)),
                ExprKind::Attribute(reference) => Some((NameKind::Resource, &reference.resource)),
                _ => None,
            };
            let (Some((kind, name)), Some(placeholder)) = (named, pair.key.as_text()) else {
                continue;
            };
            let Some(name) = name.as_text().filter(|name| !name.contains("::")) else { continue };
            let Some(inside) = placeholder.find(name) else { continue };
            for (at, _) in text.match_indices(placeholder) {
                let part = at + inside..at + inside + name.len();
                let bytes =
                    offsets.as_ref().and_then(|offsets| offsets.span(part)).map(Span::range);
                let bytes = bytes.filter(|it| self.document.text().get(it.clone()) == Some(name));
                let (owner, role, reason) =
                    (NameOwner::ThisFile, NameRole::Use, "does not have the name as it is");
                let name = SmolStr::new(name);
                match bytes {
                    Some(bytes) => {
                        self.names.occurrences.push(Occurrence { kind, name, owner, role, bytes })
                    }
                    None => {
                        let (name, bytes) = (Some(name), span.range());
                        self.names.untraced.push(UntracedName { kind, name, owner, bytes, reason });
                    }
                }
            }
        }
    }
}
