//! Rewrites expressions of a nested stack for the flat stack.

use super::builder::{FlatStackBuilder, NestedItem, NestedItemKind};
use super::expand::{ScopeId, ScopeOwner};
use super::member_number::{ContentLookup, with_member_number};
use super::values::{null, step, weight};
use super::{Loss, LossKind};
use crate::render_model::ParameterValue;
use heat_engine::eval::Value;
use heat_template::ir::{
    AttributeFetch, AttributeRef, Condition, DeletionPolicy, Expr, ExprKind, FacadePart, Join,
    JoinPolicy, Pair, ParameterType, Shared, Split, SplitPolicy,
};
use source_diagnostics::Span;

/// A call with more parts than this is written only once, as a helper resource.
pub(super) const LONG_CALL: usize = 12;
/// Data with more parts than this is written only once, too.
const LONG_DATA: usize = 200;

impl<'a> FlatStackBuilder<'a, '_> {
    /// Rewrites an expression of a stack for the flat stack.
    pub(super) fn rewrite(&mut self, scope: ScopeId, expr: &Expr) -> Expr {
        match &expr.kind {
            ExprKind::Parameter(parameter) => match parameter.name.as_text() {
                Some(name) => {
                    let path: Vec<_> =
                        parameter.path.iter().map(|part| self.rewrite(scope, part)).collect();
                    self.parameter(scope, name, &path, expr)
                }
                None => self.parts(scope, expr),
            },
            ExprKind::Resource(name) => match self.name(scope, name) {
                Some(name) => self.reference(scope, &name, expr),
                None => self.parts(scope, expr),
            },
            ExprKind::Attribute(attribute) => match self.name(scope, &attribute.resource) {
                Some(name) => self.attribute(scope, &name, attribute, expr),
                None => self.parts(scope, expr),
            },
            ExprKind::Condition(name) => self.condition(scope, name, expr.span),
            ExprKind::Choose(choice) => {
                let condition = self.rewrite(scope, &choice.condition);
                match (&condition.kind, &choice.otherwise) {
                    (ExprKind::Bool(true), _) => self.rewrite(scope, &choice.then),
                    (ExprKind::Bool(false), Some(otherwise)) => self.rewrite(scope, otherwise),
                    _ => self.parts(scope, expr),
                }
            }
            ExprKind::File(name) => match name.as_text() {
                Some(name) if scope != ScopeId(0) => {
                    let url = self.tree.scopes[scope.0].base.resolve(name);
                    Expr::new(
                        ExprKind::File(Shared::new(Expr::text(url.url(), expr.span))),
                        expr.span,
                    )
                }
                _ => self.parts(scope, expr),
            },
            ExprKind::Facade(part) => self.facade(scope, *part, expr),
            ExprKind::Lookup(_) if scope != ScopeId(0) => {
                let mut lookup = self.parts(scope, expr);
                if let ExprKind::Lookup(lookup) = &mut lookup.kind
                    && let Some(table) = lookup.table.as_text()
                {
                    let table = Expr::text(self.table(scope, table), lookup.table.span);
                    lookup.to_mut().table = table;
                }
                lookup
            }
            _ => self.parts(scope, expr),
        }
    }

    fn parts(&mut self, scope: ScopeId, expr: &Expr) -> Expr {
        expr.with_parts(&mut |part| self.rewrite(scope, part))
    }

    /// The name of the resource that an expression names.
    fn name(&mut self, scope: ScopeId, name: &Expr) -> Option<String> {
        match name.as_text() {
            Some(name) => Some(name.to_owned()),
            None => self.rewrite(scope, name).as_text().map(str::to_owned),
        }
    }

    fn parameter(&mut self, scope: ScopeId, name: &str, path: &[Expr], expr: &Expr) -> Expr {
        let place = &self.tree.scopes[scope.0];
        let Some(owner) = place.owner.clone() else {
            // Parameters of the root template stay parameters.
            return with_path(expr, path);
        };
        let missing = ExprKind::Text("".into());
        let Some(declared) = place.stack.parameters.get(name) else {
            return self.pseudo(scope, name, path, expr);
        };
        if let Some(Ok(value)) = place.partial_deployment.evaluation.parameters.get(name)
            && let Some(known) = value.reveal().0.to_data_expr(expr.span)
        {
            let found = step(known, path, &missing);
            let place = path
                .iter()
                .filter_map(Expr::as_text)
                .fold(name.to_owned(), |name, part| format!("{name}_{part}"));
            let kind = declared.kind.filter(|_| path.is_empty());
            return self.share(scope, NestedItemKind::Parameter, &place, &[], found, kind);
        }
        let key = NestedItem { scope, kind: NestedItemKind::Parameter, name: name.to_owned() };
        let bound = match self.begin(&key) {
            Some(Some(bound)) => bound,
            Some(None) => return self.circular_reference(name, expr),
            None => {
                let bound = match self.parent_argument(&owner, name) {
                    Some(given) => converted(given, declared.kind),
                    None => self.input(scope, name, expr.span),
                };
                self.end(key, bound)
            }
        };
        let found = step(bound.clone(), path, &missing);
        if weight(&found, LONG_CALL) < LONG_CALL {
            return found;
        }
        self.share(scope, NestedItemKind::Parameter, name, path, bound, declared.kind)
    }

    /// The value that a resource passes to a parameter of its template.
    fn parent_argument(&mut self, owner: &ScopeOwner<'a>, name: &str) -> Option<Expr> {
        let given = owner.properties?.member(name)?;
        if given.kind == ExprKind::Null {
            return None;
        }
        let mut given = self.rewrite(owner.scope, given);
        if let Some((mark, number)) = &owner.number {
            given = with_member_number(&given, mark, number, self);
        }
        Some(given)
    }

    /// A parameter of a nested template that only the environment sets: it becomes a parameter of the
    /// flat stack.
    fn input(&mut self, scope: ScopeId, name: &str, span: Span) -> Expr {
        let place = &self.tree.scopes[scope.0];
        let Some(declared) = place.stack.parameters.get(name) else { return null(span) };
        let model = self.tree.model;
        let value =
            place.full_deployment.and_then(|it| it.evaluation.parameters.get(name)?.clone().ok());
        // Parameters of the same name share one: the environment gives them the same value, or they have
        // the same default.
        let default = |declared: &heat_template::ir::Parameter| {
            declared.default.as_ref().map(Value::from_expr_as_sent)
        };
        // What replaces a part of a script belongs to that part, which its description names.
        let is_same_part = |found: &heat_template::ir::Parameter| {
            declared.name_span != Span::NOWHERE || found.description == declared.description
        };
        let is_shared = |found: &heat_template::ir::Parameter| {
            found.kind == declared.kind
                && is_same_part(found)
                && (model.defaults.contains_key(name) || default(found) == default(declared))
        };
        let mut flat_name = name.to_owned();
        let mut number = 2_usize;
        // A parameter that the user sets to another value is a different one.
        while self.parameters.get(&flat_name).is_some_and(|found| !is_shared(found))
            || flat_name == name && model.parameter_values.contains_key(name)
        {
            flat_name = format!("{name}_{number}");
            number += 1;
        }
        if !self.parameters.contains_key(&flat_name) {
            self.parameters.insert(flat_name.clone(), declared.clone());
            if let Some(default) = model.defaults.get(name) {
                let (value, _) = value.unwrap_or_else(|| default.value.clone()).reveal();
                let is_secret = default.is_secret || declared.is_hidden();
                let shows = model.shows_secrets.filter(|_| !default.is_withheld);
                let given = ParameterValue::new(name, value, is_secret, shows, default.span);
                self.values.insert(flat_name.clone(), given);
            }
        }
        Expr::parameter(flat_name.as_str(), Vec::new(), span)
    }

    fn pseudo(&mut self, scope: ScopeId, name: &str, path: &[Expr], expr: &Expr) -> Expr {
        let span = expr.span;
        match name {
            // Heat appends random letters to the name.
            "OS::stack_name" | "AWS::StackName" => {
                let names = self.tree.scopes[scope.0].path.iter();
                let names = names.map(|name| Expr::text(name.as_str(), span));
                let items = std::iter::once(Expr::parameter(name, Vec::new(), span)).chain(names);
                let list = Expr::new(ExprKind::List(items.collect()), span);
                let join = Join {
                    delimiter: Expr::text("-", span),
                    lists: vec![list],
                    policy: JoinPolicy::TextItems,
                };
                Expr::new(ExprKind::Join(Shared::new(join)), span)
            }
            "OS::stack_id" | "AWS::StackId" => {
                let message = format!("`{name}` of a nested stack has no value in a flat stack");
                self.losses.add(Loss::new(LossKind::Value, name, message, span));
                with_path(expr, path)
            }
            _ => with_path(expr, path),
        }
    }

    /// A named condition: its value if it is known, else a condition of the flat stack.
    pub(super) fn condition(&mut self, scope: ScopeId, name: &str, span: Span) -> Expr {
        let place = &self.tree.scopes[scope.0];
        if let Some(Ok(value)) = place.partial_deployment.evaluation.conditions.get(name)
            && let Value::Bool(holds) = value.unsealed()
        {
            return Expr::new(ExprKind::Bool(*holds), span);
        }
        if place.owner.is_none() {
            return Expr::new(ExprKind::Condition(name.into()), span);
        }
        let Some(condition) = place.stack.conditions.get(name) else {
            return Expr::new(ExprKind::Condition(name.into()), span);
        };
        let mut path = place.path.clone();
        path.push(name.to_owned());
        let key = NestedItem { scope, kind: NestedItemKind::Condition, name: name.to_owned() };
        match self.begin(&key) {
            Some(Some(known)) => known,
            Some(None) => self.circular_reference(name, &condition.value),
            None => {
                let value = self.rewrite(scope, &condition.value);
                let mut flat_name = path.join("_");
                while self.conditions.contains_key(&flat_name) {
                    flat_name.push('_');
                }
                let condition = Condition { name_span: condition.name_span, value };
                self.conditions.insert(flat_name.clone(), condition);
                self.end(key, Expr::new(ExprKind::Condition(flat_name.into()), span))
            }
        }
    }

    /// A mapping of a nested template, which gets a unique name.
    fn table(&mut self, scope: ScopeId, name: &str) -> String {
        let place = &self.tree.scopes[scope.0];
        let Some(mapping) = place.stack.mappings.get(name) else { return name.to_owned() };
        let mut flat_name = place.path.join("_");
        flat_name.push('_');
        flat_name.push_str(name);
        // The same mapping of the same template may exist already.
        while self.mappings.get(&flat_name).is_some_and(|known| known != mapping) {
            flat_name.push('_');
        }
        self.mappings.insert(flat_name.clone(), mapping.clone());
        flat_name
    }

    fn facade(&mut self, scope: ScopeId, part: FacadePart, expr: &Expr) -> Expr {
        let span = expr.span;
        let Some(owner) = self.tree.scopes[scope.0].owner.clone() else { return expr.clone() };
        let nothing = Expr::new(ExprKind::Map([].into()), span);
        match part {
            FacadePart::Metadata => match owner.metadata {
                Some(metadata) => self.rewrite(owner.scope, metadata),
                None => nothing,
            },
            FacadePart::UpdatePolicy => match &owner.resource.update_policy {
                Some(policy) => self.rewrite(owner.scope, policy),
                None => nothing,
            },
            FacadePart::DeletionPolicy => match &owner.resource.deletion_policy {
                None | Some(DeletionPolicy::Delete) => Expr::text("Delete", span),
                Some(DeletionPolicy::Retain) => Expr::text("Retain", span),
                Some(DeletionPolicy::Snapshot) => Expr::text("Snapshot", span),
                Some(DeletionPolicy::Other(policy)) => self.rewrite(owner.scope, policy),
            },
        }
    }

    /// A value of a nested stack where it is used: the value itself if it is short, else a reference to a
    /// helper.
    pub(super) fn share(
        &mut self,
        scope: ScopeId,
        of: NestedItemKind,
        name: &str,
        path: &[Expr],
        expr: Expr,
        kind: Option<ParameterType>,
    ) -> Expr {
        let limit = if expr.is_literal() { LONG_DATA } else { LONG_CALL };
        if weight(&expr, limit) < limit {
            return step(expr, path, &ExprKind::Text("".into()));
        }
        let span = expr.span;
        let key = NestedItem { scope, kind: of, name: name.to_owned() };
        let helper = match self.helpers.get(&key).cloned() {
            Some(helper) => helper,
            None => {
                let helper = self.helper(scope, name, &expr, kind);
                self.helpers.insert(key, helper.clone());
                helper
            }
        };
        let attribute = AttributeRef {
            resource: Expr::text(helper.as_str(), span),
            attribute: Some(Expr::text("value", span)),
            path: path.to_vec(),
            fetch: AttributeFetch::PathToResource,
        };
        Expr::new(ExprKind::Attribute(Shared::new(attribute)), span)
    }

    /// The error for a value that depends on itself.
    pub(super) fn circular_reference(&mut self, name: &str, expr: &Expr) -> Expr {
        let message = format!("`{name}` depends on itself through nested stacks");
        self.losses.add(Loss::new(LossKind::Value, name, message, expr.span));
        null(expr.span)
    }
}

impl ContentLookup for FlatStackBuilder<'_, '_> {
    fn may_hold(&self, leaf: &Expr, mark: &str) -> bool {
        let holds = |value: &Value| {
            value.any(&mut |part| matches!(part, Value::Text(text) if text.contains(mark)))
        };
        match &leaf.kind {
            ExprKind::Parameter(parameter) => parameter.name.as_text().is_some_and(|name| {
                let model = self.tree.model;
                let given = model.parameter_values.get(name).or(model.defaults.get(name));
                let default = self.parameters.get(name).and_then(|found| found.default.as_ref());
                given.is_some_and(|given| holds(&given.value))
                    || default.is_some_and(|default| holds(&Value::from_expr_as_sent(default)))
            }),
            ExprKind::File(name) => name.as_text().is_some_and(|name| {
                use heat_engine::environment::FileContent;
                let url = self.tree.scopes[0].base.resolve(name);
                match self.tree.model.files.get(url.url()).map(|file| &file.content) {
                    Some(FileContent::Text(text)) => text.contains(mark),
                    Some(FileContent::Base64(_)) | None => false,
                    Some(FileContent::Template(document)) => document.text().contains(mark),
                }
            }),
            // The value of a helper may contain the placeholder.
            ExprKind::Attribute(attribute) => attribute.resource.as_text().is_some_and(|name| {
                self.origins.get(name).is_some_and(|origin| origin.is_helper)
                    && self
                        .resources
                        .get(name)
                        .and_then(|found| found.properties.as_ref())
                        .is_some_and(|properties| {
                            let mut found = false;
                            properties.walk(&mut |part| {
                                found |= part.as_text().is_some_and(|text| text.contains(mark));
                            });
                            found
                        })
            }),
            _ => false,
        }
    }
}

fn with_path(expr: &Expr, path: &[Expr]) -> Expr {
    let mut expr = expr.clone();
    if let ExprKind::Parameter(parameter) = &mut expr.kind {
        parameter.to_mut().path = path.to_vec();
    }
    expr
}

/// A string that is passed to a list parameter is split at commas; a computed value is assumed to have
/// the right type.
fn converted(given: Expr, kind: Option<ParameterType>) -> Expr {
    let is_text =
        matches!(given.kind, ExprKind::Join(_) | ExprKind::Replace(_) | ExprKind::File(_));
    if kind != Some(ParameterType::TextList) || !is_text {
        return given;
    }
    let span = given.span;
    let split = Split {
        delimiter: Expr::text(",", span),
        text: given,
        index: None,
        policy: SplitPolicy::NullStays,
    };
    Expr::new(ExprKind::Split(Shared::new(split)), span)
}

/// A map with literal keys.
pub(super) fn map(pairs: impl IntoIterator<Item = (String, Expr)>, span: Span) -> Expr {
    let pairs = pairs.into_iter().map(|(key, value)| Pair { key: Expr::text(key, span), value });
    Expr::new(ExprKind::Map(pairs.collect()), span)
}
