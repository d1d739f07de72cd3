//! Names of types: aliases of implementations, and types of services that are gone.

use super::known_type;
use super::names::{KEEPS_MAPPING, exact_name, no_successor};
use super::plan::Planner;
use super::successors::{Succession, Successor, successor};
use crate::rule::{Rewrite, RewriteEffect, TextChange};
use crate::rules::{SUCCESSOR_RULE, TYPE_NAME_RULE};
use heat_template::ir::{AttributeRef, Expr, ExprKind};
use heat_template::schema::{ResourceType, SupportIn, SupportStatus};
use source_diagnostics::Span;

impl Planner<'_> {
    /// The type of a resource or of a member of a group; `owner` is the resource with its properties.
    pub(super) fn resource_type(
        &mut self,
        kind: &str,
        span: Span,
        owner: Option<(&str, Option<&Expr>)>,
    ) {
        let heat = self.modernize.heat;
        let real = self.schema.real_name(kind);
        let exact = exact_name(self.schema, heat, kind);
        if self.modernize.maps(kind) || self.modernize.maps(&real) {
            if exact.is_some() {
                let message = format!("`{kind}` keeps its name: an environment maps it");
                self.proposals.by_hand(span, message, KEEPS_MAPPING);
            }
            return;
        }
        let Some(info) = known_type(self.schema, &real) else { return };
        if let Some(exact) = exact {
            if let Some(node) = self.proposals.scalar(span) {
                let changes = vec![TextChange::Scalar { node, text: exact.into_owned() }];
                self.proposals.propose(TYPE_NAME_RULE.name, Rewrite::exact(node, changes), span);
            }
            if info.support.substitute.is_some() {
                return;
            }
        }
        let SupportIn::Stage(stage) = info.support.in_release(heat) else { return };
        if !matches!(stage.status, SupportStatus::Deprecated | SupportStatus::Hidden) {
            return;
        }
        let row = successor(&real).filter(|row| {
            let new = self.schema.types.get(row.to);
            new.is_some_and(|new| new.support.in_release(heat).is_supported())
        });
        match (row, owner) {
            (Some(row), Some((name, properties))) => {
                self.succeed(name, (&real, row), span, properties)
            }
            (Some(row), None) => {
                let message = format!("the members of a group keep the type `{kind}`");
                let help =
                    format!("write `{}`, and check the attributes that the template reads", row.to);
                self.proposals.by_hand(span, message, help);
            }
            (None, _) => {
                let (message, help) = no_successor(self.schema, heat, kind, &real, info, stage);
                self.proposals.by_hand(span, message, help);
            }
        }
    }

    /// Proposes the successor of a type with all names that differ.
    fn succeed(
        &mut self,
        name: &str,
        (from, row): (&str, &'static Successor),
        span: Span,
        properties: Option<&Expr>,
    ) {
        let changes = match self.name_changes(name, row, properties) {
            Ok(changes) => changes,
            Err((at, problem)) => {
                let message = format!("`{from}` does not become `{}`: {problem}", row.to);
                let help = "write the resource for the new type by hand; `hotplate schema` lists what it has".to_owned();
                return self.proposals.by_hand(at.unwrap_or(span), message, help);
            }
        };
        let also = row.condition.map_or_else(String::new, |it| format!("{it}, and "));
        let effect = RewriteEffect::Conditional(format!("{also}no stack with `{name}` is running"));
        let succession = Succession { resource: name.to_owned(), row };
        let Some(node) = self.proposals.scalar(span) else { return };
        let change = TextChange::Scalar { node, text: row.to.to_owned() };
        let rewrite =
            Rewrite::exact(node, vec![change]).with_effect(effect.clone()).succeeding(succession);
        self.proposals.propose(SUCCESSOR_RULE.name, rewrite, span);
        for NameChange { span: at, new, is_attribute } in changes {
            let Some(node) = self.proposals.scalar(at) else { continue };
            let change = TextChange::Scalar { node, text: new.to_owned() };
            let mut rewrite = Rewrite::exact(node, vec![change]).with_effect(effect.clone());
            if is_attribute {
                let new = Expr::new(ExprKind::Text(new.into()), Span::NOWHERE);
                rewrite = rewrite.declaring(at, new);
            }
            self.proposals.propose(SUCCESSOR_RULE.name, rewrite, span);
        }
    }

    /// The names that change with the type; an error says where and why the successor cannot take its place.
    fn name_changes(
        &self,
        name: &str,
        row: &'static Successor,
        properties: Option<&Expr>,
    ) -> Result<Vec<NameChange>, (Option<Span>, String)> {
        let Some(new) = self.schema.types.get(row.to) else {
            return Err((None, "it is unknown".to_owned()));
        };
        let mut changes = property_changes(row, new, properties)?;
        let mut problem = None;
        for expr in self.lowered.stack.expressions() {
            expr.walk(&mut |expr: &Expr| {
                let ExprKind::Attribute(reference) = &expr.kind else { return };
                if reference.resource.as_text().is_some_and(|resource| resource != name) {
                    return;
                }
                match attribute_change(row, new, expr.span, reference) {
                    Ok(change) => changes.extend(change),
                    Err(found) => drop(problem.get_or_insert(found)),
                }
            });
        }
        match problem {
            Some((span, problem)) => Err((Some(span), problem)),
            None => Ok(changes),
        }
    }
}

/// A property or an attribute that has another name in the successor.
struct NameChange {
    /// Where the old name is written.
    span: Span,
    new: &'static str,
    is_attribute: bool,
}

fn property_changes(
    row: &Successor,
    new: &ResourceType,
    properties: Option<&Expr>,
) -> Result<Vec<NameChange>, (Option<Span>, String)> {
    let pairs = match properties.map(|it| (&it.kind, it.span)) {
        None => &[][..],
        Some((ExprKind::Map(pairs), _)) => pairs,
        Some((_, span)) => return Err((Some(span), "the properties are computed".to_owned())),
    };
    let (mut changes, mut given) = (Vec::new(), Vec::new());
    for pair in pairs {
        let Some(old) = pair.key.as_text() else { continue };
        let span = pair.key.span;
        let changed = row.properties.get(old).copied();
        let property = changed.unwrap_or(old);
        if new.property(property).is_none() {
            return Err((Some(span), format!("it does not have the property `{old}`")));
        }
        changes.extend(changed.map(|new| NameChange { span, new, is_attribute: false }));
        given.push(property);
    }
    let missing = new.properties.iter().find(|(name, it)| it.required && !given.contains(name));
    match missing {
        Some((missing, _)) => Err((None, format!("it requires the property `{missing}`"))),
        None => Ok(changes),
    }
}

fn attribute_change(
    row: &Successor,
    new: &ResourceType,
    span: Span,
    reference: &AttributeRef,
) -> Result<Option<NameChange>, (Span, String)> {
    if reference.resource.as_text().is_none() {
        return Err((span, "the name of the resource of an attribute is computed".to_owned()));
    }
    let Some(attribute) = &reference.attribute else {
        return Err((span, "the template reads all of its attributes".to_owned()));
    };
    let span = attribute.span;
    let Some(old) = attribute.as_text() else {
        return Err((span, "the name of an attribute is computed".to_owned()));
    };
    let changed = row.attributes.get(old).copied();
    if new.attribute(changed.unwrap_or(old)).is_none() {
        return Err((span, format!("it does not have the attribute `{old}`")));
    }
    Ok(changed.map(|new| NameChange { span, new, is_attribute: true }))
}
