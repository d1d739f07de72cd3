//! Decides whether an expression is a name or an ID where Heat accepts both.
//!
//! Most targets accept only IDs, and look up the ID of a name. Whether one is needed must be
//! known before anything is created: attributes of other resources are IDs. A parameter of the root template is
//! what the user says (`--names`, `--ids`), else what its value, its default or its allowed values are, else either.

use std::collections::{BTreeSet, HashSet};

use super::kit::is_uuid;
use super::render_model::ParameterValue;
use super::render_model::property;
use super::{Module, ModuleId, RenderModel};
use heat_engine::eval::Value;
use indexmap::IndexMap;

use heat_template::ir::{ConstraintKind, Expr, ExprKind, Parameter};

/// The maximum depth of nested templates through which a parameter is traced.
pub(super) const MAX_TEMPLATE_DEPTH: usize = 8;

/// Which parameters of the root template hold names and which hold IDs, as the user says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentifierOptions {
    /// The parameters with names (`--names=NAME`).
    pub names: BTreeSet<String>,
    /// The parameters with IDs (`--ids=NAME`).
    pub ids: BTreeSet<String>,
    /// The content of every other parameter, unless its value tells otherwise (`--names`, `--ids`).
    pub undecided: Option<AssumedIdentifier>,
}

/// The content of a parameter whose value does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumedIdentifier {
    /// A name.
    Name,
    /// An ID.
    Id,
}

impl IdentifierOptions {
    /// Whether the user says what a parameter holds.
    pub(super) fn decide(&self, name: &str) -> bool {
        self.undecided.is_some() || self.names.contains(name) || self.ids.contains(name)
    }

    /// The kind of a parameter with values of a kind.
    fn kind(&self, name: &str, of_values: Option<IdentifierKind>) -> IdentifierKind {
        if self.names.contains(name) {
            return IdentifierKind::Name;
        }
        if self.ids.contains(name) {
            return IdentifierKind::Id;
        }
        of_values.unwrap_or(match self.undecided {
            Some(AssumedIdentifier::Name) => IdentifierKind::Name,
            Some(AssumedIdentifier::Id) => IdentifierKind::Id,
            None => IdentifierKind::Either,
        })
    }
}

/// Whether an expression is a name or an ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdentifierKind {
    Id,
    /// An ID that is known once its resource exists.
    LaterId,
    Name,
    /// A name or an ID; which of them is known before anything is created.
    Either,
    /// In some cases an ID that is known later, in others a name.
    Mixed,
}

impl IdentifierKind {
    fn and(self, other: IdentifierKind) -> IdentifierKind {
        match (self, other) {
            (one, same) if one == same => one,
            (IdentifierKind::Mixed, _) | (_, IdentifierKind::Mixed) => IdentifierKind::Mixed,
            (IdentifierKind::LaterId, IdentifierKind::Id)
            | (IdentifierKind::Id, IdentifierKind::LaterId) => IdentifierKind::LaterId,
            (IdentifierKind::LaterId, _) | (_, IdentifierKind::LaterId) => IdentifierKind::Mixed,
            (IdentifierKind::Id, _)
            | (_, IdentifierKind::Id)
            | (IdentifierKind::Name, _)
            | (_, IdentifierKind::Name) => IdentifierKind::Either,
            (IdentifierKind::Either, IdentifierKind::Either) => IdentifierKind::Either,
        }
    }
}

/// Classifies an expression of a template; a list by its items.
pub(super) fn identifier_kind(
    model: &RenderModel<'_>,
    module: &Module,
    expr: &Expr,
) -> IdentifierKind {
    ParameterTracer { model }.naming(module, expr, 0)
}

/// Classifies a parameter of the root template.
pub(super) fn parameter_kind(model: &RenderModel<'_>, name: &str) -> IdentifierKind {
    ParameterTracer { model }.parameter(model.root(), name, 0)
}

/// Classifies a value; `None` if it is empty, or names and IDs mixed.
fn value_kind(value: &Value) -> Option<IdentifierKind> {
    match value.reveal().0 {
        Value::Text(text) if text.is_empty() => None,
        Value::Text(text) if is_uuid(&text) => Some(IdentifierKind::Id),
        Value::Text(_) | Value::Int(_) => Some(IdentifierKind::Name),
        Value::List(items) => {
            let kinds: Option<Vec<IdentifierKind>> = items.iter().map(value_kind).collect();
            let mut kinds = kinds?.into_iter();
            let first = kinds.next()?;
            kinds.all(|kind| kind == first).then_some(first)
        }
        _ => None,
    }
}

/// Classifies what a declaration says: its default, or its allowed values.
fn declared_kind(parameter: &Parameter) -> Option<IdentifierKind> {
    let is_list = parameter.kind == Some(heat_template::ir::ParameterType::TextList);
    let kind = |expr: &Expr| {
        let value = Value::from_expr_as_sent(expr);
        let coerced = parameter.kind.filter(|_| is_list);
        let coerced =
            coerced.and_then(|kind| heat_engine::eval::parameters::coerce(&value, kind).ok());
        value_kind(&coerced.unwrap_or(value))
    };
    parameter.default.as_ref().and_then(kind).or_else(|| {
        parameter.constraints.iter().find_map(|constraint| match &constraint.kind {
            ConstraintKind::AllowedValues(values) => value_kind(&Value::from_expr_as_sent(values)),
            _ => None,
        })
    })
}

struct ParameterTracer<'a> {
    model: &'a RenderModel<'a>,
}

impl ParameterTracer<'_> {
    fn naming(&self, unit: &Module, expr: &Expr, depth: usize) -> IdentifierKind {
        if depth > MAX_TEMPLATE_DEPTH {
            return IdentifierKind::Mixed;
        }
        match &expr.kind {
            ExprKind::Text(text) if is_uuid(text) => return IdentifierKind::Id,
            ExprKind::Text(_) | ExprKind::Int(_) => return IdentifierKind::Name,
            ExprKind::Parameter(reference) => match reference.name.as_text() {
                Some("OS::project_id") => return IdentifierKind::Id,
                Some(name) => return self.parameter(unit, name, depth),
                None => {}
            },
            ExprKind::Attribute(attribute) => {
                let requested = attribute.attribute.as_ref().and_then(Expr::as_text);
                return match requested {
                    Some("name") => IdentifierKind::Name,
                    Some(_) | None => IdentifierKind::LaterId,
                };
            }
            ExprKind::Choose(choice) => {
                let then = self.naming(unit, &choice.then, depth + 1);
                return match choice.otherwise.as_ref().filter(|it| it.kind != ExprKind::Null) {
                    Some(otherwise) => then.and(self.naming(unit, otherwise, depth + 1)),
                    None => then,
                };
            }
            ExprKind::List(items) if mentions_resources(expr) => {
                let kinds = items.iter().map(|item| self.naming(unit, item, depth + 1));
                return kinds.reduce(IdentifierKind::and).unwrap_or(IdentifierKind::Either);
            }
            ExprKind::Join(_) | ExprKind::Replace(_) if mentions_resources(expr) => {
                return IdentifierKind::Name;
            }
            _ => {}
        }
        let parameters = parameters(expr);
        let folded = self.model.evaluator(unit).constant(expr);
        match folded.as_ref().map(Value::reveal) {
            Some((Value::Text(text), _)) if is_uuid(&text) => IdentifierKind::Id,
            Some((Value::Text(_), _)) => IdentifierKind::Name,
            Some(_) | None if mentions_resources(expr) => IdentifierKind::LaterId,
            Some(_) | None => parameters
                .into_iter()
                .map(|name| self.parameter(unit, name, depth))
                .fold(IdentifierKind::Either, IdentifierKind::and),
        }
    }

    /// Classifies a parameter: one of the root template may be either, one of a nested template is what the
    /// templates around it pass.
    fn parameter(&self, unit: &Module, name: &str, depth: usize) -> IdentifierKind {
        let Some(id) = self.model.modules.iter().position(|it| std::ptr::eq(it, unit)) else {
            return IdentifierKind::Either;
        };
        let declared = unit.stack.parameters.get(name);
        let kind_in =
            |of: &IndexMap<String, ParameterValue>| of.get(name).map(|it| value_kind(&it.value));
        if id == 0 {
            let fixed = self.model.fixed.get(name).map(value_kind);
            let given = fixed.or_else(|| kind_in(&self.model.parameter_values));
            let given = given.or_else(|| kind_in(&self.model.defaults));
            let of_values = given.unwrap_or_else(|| declared.and_then(declared_kind));
            return self.model.identifiers.kind(name, of_values);
        }
        let mut all = Vec::new();
        for around in &self.model.modules {
            for (resource, used) in &around.implementations {
                if !used.uses_template(ModuleId(id)) {
                    continue;
                }
                let Some(given) = around.stack.resources.get(resource) else { continue };
                let handed = property(given, name).or_else(|| {
                    let member =
                        property(given, "resource_def").or_else(|| property(given, "resource"))?;
                    member.member("properties")?.member(name)
                });
                match handed {
                    Some(expr) => all.push(self.naming(around, expr, depth + 1)),
                    None => {
                        let default = kind_in(&self.model.defaults);
                        let default = default.unwrap_or_else(|| declared.and_then(declared_kind));
                        all.push(default.unwrap_or(IdentifierKind::Either));
                    }
                }
            }
        }
        all.into_iter().reduce(IdentifierKind::and).unwrap_or(IdentifierKind::Either)
    }
}

/// Whether an expression refers to a resource or an attribute.
pub(super) fn mentions_resources(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        found |= matches!(part.kind, ExprKind::Resource(_) | ExprKind::Attribute(_));
    });
    found
}

fn parameters(expr: &Expr) -> HashSet<&str> {
    let mut names = HashSet::new();
    expr.walk(&mut |part| {
        if let ExprKind::Parameter(reference) = &part.kind
            && let Some(name) = reference.name.as_text()
        {
            names.insert(name);
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_program;

    /// The kind of the property `network` of the resource `it`.
    fn kind(parameter: &str, given: &[&str], options: IdentifierOptions) -> IdentifierKind {
        let template = format!(
            "parameters:\n  net: {parameter}\nresources:\n  it:\n    type: OS::Neutron::Port\n    \
             properties:\n      network: {{get_param: net}}\n"
        );
        with_program(&[("root.yaml", &template)], given, &[], |model, _| {
            let root = model.root();
            let model = RenderModel { identifiers: options, ..model.with_stacks(IndexMap::new()) };
            let network = property(&root.stack.resources["it"], "network").expect("a property");
            identifier_kind(&model, &model.modules[0], network)
        })
    }

    #[test]
    fn values_decide_and_options_do_where_they_say_nothing() {
        const ID: &str = "0b2b1c6e-54a9-4d6d-9f52-6b1f4a7f0c11";
        let none = IdentifierOptions::default;
        let open = "{type: string}";
        assert_eq!(kind(open, &[], none()), IdentifierKind::Either);
        assert_eq!(kind(open, &["net=public"], none()), IdentifierKind::Name);
        assert_eq!(kind(open, &[&format!("net={ID}")], none()), IdentifierKind::Id);
        let with_default = "{type: string, default: public}";
        assert_eq!(kind(with_default, &[], none()), IdentifierKind::Name);
        assert_eq!(kind(with_default, &[&format!("net={ID}")], none()), IdentifierKind::Id);
        assert_eq!(kind("{type: string, default: ''}", &[], none()), IdentifierKind::Either);
        let allowed = "{type: string, constraints: [{allowed_values: [a, b]}]}";
        assert_eq!(kind(allowed, &[], none()), IdentifierKind::Name);
        let mixed = format!("{{type: string, constraints: [{{allowed_values: [a, {ID}]}}]}}");
        assert_eq!(kind(&mixed, &[], none()), IdentifierKind::Either);
        let list = "{type: comma_delimited_list, default: 'a,b'}";
        assert_eq!(kind(list, &[], none()), IdentifierKind::Name);
        let all = |undecided| IdentifierOptions { undecided: Some(undecided), ..none() };
        assert_eq!(kind(open, &[], all(AssumedIdentifier::Id)), IdentifierKind::Id);
        assert_eq!(kind(with_default, &[], all(AssumedIdentifier::Id)), IdentifierKind::Name);
        let listed = IdentifierOptions { ids: ["net".to_owned()].into(), ..none() };
        assert_eq!(kind(with_default, &[], listed), IdentifierKind::Id);
    }
}
