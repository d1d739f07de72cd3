//! Nested templates: calls of modules and their arguments.

use indexmap::IndexMap;

use super::hcl::{Body, BodyItem, Hcl, HclBlock};
use super::module::{FinishedModule, ModuleWriter};
use super::names::NamePool;
use super::scope::{ExtraVariable, LoopPlaceholders, Multiplicity, TypedHcl, VariableRole};
use super::variables::type_of;
use crate::render_model::{Module, ResourceImplementation, member_definition};
use crate::{Loss, LossKind};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, ParameterType, Resource};

/// The names of a template's outputs.
pub(super) fn output_names(unit: &Module) -> IndexMap<String, String> {
    let mut names = NamePool::default();
    unit.stack.outputs.keys().map(|name| (name.clone(), names.allocate(name))).collect()
}

/// Converts a value as Heat's parameters do, where Terraform does not convert it itself.
pub(super) fn converted(expressed: TypedHcl, kind: Option<ParameterType>) -> TypedHcl {
    let shape = kind.map_or(TypeSet::ANY, heat_template::ir::types::parameter_type_set);
    let text = match &expressed.hcl {
        Hcl::Text(text) => Some(text.clone()),
        _ => None,
    };
    if let (Some(text), Some(kind)) = (text, kind) {
        let value = heat_engine::eval::Value::text(text);
        let value = heat_engine::eval::parameters::coerce(&value, kind).ok();
        return match value.as_ref().and_then(super::literal::plain) {
            Some(hcl) => TypedHcl { hcl, shape, ..expressed },
            None => expressed,
        };
    }
    let may_be_text = expressed.shape.intersects(TypeSet::TEXT);
    let hcl = expressed.hcl.clone();
    let hcl = match kind {
        Some(ParameterType::TextList) if expressed.is(TypeSet::TEXT) => {
            let pieces = Hcl::call("split", [Hcl::text(","), hcl.clone()]);
            let is_empty = Hcl::operation("==", hcl, Hcl::text(""));
            Hcl::choice(is_empty, Hcl::List(vec![]), pieces)
        }
        Some(ParameterType::TextList) if may_be_text => {
            Hcl::call("try", [Hcl::call("split", [Hcl::text(","), hcl.clone()]), hcl])
        }
        Some(ParameterType::Json) if may_be_text => {
            Hcl::call("try", [Hcl::call("jsondecode", [hcl.clone()]), hcl])
        }
        Some(ParameterType::Boolean) if expressed.is(TypeSet::TEXT) => {
            let words = ["true", "t", "on", "y", "yes", "1"].map(Hcl::text);
            let lower = Hcl::call("lower", [hcl]);
            Hcl::call("contains", [Hcl::List(words.into()), lower])
        }
        Some(ParameterType::Text) if expressed.is(TypeSet::LIST.union(TypeSet::MAP)) => {
            super::text::json(hcl)
        }
        _ => hcl,
    };
    let shape = if kind.is_some() { shape } else { expressed.shape };
    TypedHcl { hcl, shape, ..expressed }
}

impl ModuleWriter<'_, '_> {
    /// The call of a module.
    pub(super) fn nested(
        &self,
        name: &str,
        resource: &Resource,
        unit: usize,
        copies: Multiplicity,
        mut above: Vec<String>,
    ) -> Vec<BodyItem> {
        let scope = self.scope;
        let Some(done) = scope.finished_modules.get(&unit) else { return Vec::new() };
        let child = &scope.model.modules[unit];
        let label = scope.label(name);
        let mut body = Body::new();
        let folder = match scope.is_root {
            true => format!("./modules/{}", child.name),
            false => format!("../{}", child.name),
        };
        body.push(BodyItem::argument("source", Hcl::text(folder)));
        let mut layer = LoopPlaceholders::new();
        let properties = match copies {
            Multiplicity::Many => {
                let count = self.members(name, resource, &mut above);
                body.push(scope.repetition(name, count));
                layer = scope.member_placeholders(name, resource);
                match scope.module.implementations.get(name) {
                    Some(ResourceImplementation::Group { kind, .. }) => {
                        member_definition(*kind, resource).and_then(|it| it.member("properties"))
                    }
                    _ => None,
                }
            }
            Multiplicity::One | Multiplicity::Optional => {
                if let Some(condition) = &resource.condition {
                    let count = self.with_count(name, condition, Hcl::int(1), &mut above);
                    body.push(BodyItem::argument("count", count));
                }
                resource.properties.as_ref()
            }
        };
        let (meta, remarks) = self.meta_arguments(name, resource);
        above.extend(remarks);
        let arguments =
            scope.within(layer, || self.module_arguments(name, &label, properties, child, done));
        body.extend(arguments);
        for extra in &done.extra_variables {
            body.extend(self.module_inputs(name, &label, extra, child, copies));
        }
        let mut meta = meta;
        if meta.prevents_destroy {
            // A module call has no lifecycle.
            meta.prevents_destroy = false;
        }
        body.extend(meta.items());
        vec![BodyItem::Block(HclBlock::new("module", &[&label], body).above(above))]
    }

    /// The properties of a resource as arguments of its module.
    fn module_arguments(
        &self,
        name: &str,
        label: &str,
        properties: Option<&Expr>,
        child: &Module,
        done: &FinishedModule,
    ) -> Vec<BodyItem> {
        let scope = self.scope;
        let (pairs, computed) = match properties.map(|it| (&it.kind, it)) {
            Some((ExprKind::Map(pairs), _)) => (pairs.as_slice(), None),
            None | Some((ExprKind::Null, _)) => (&[][..], None),
            Some((_, other)) => (&[][..], Some(other)),
        };
        let mut items = Vec::new();
        let whole = computed.map(|expr| (expr, scope.generate(expr)));
        if let Some((expr, Err(why))) = &whole {
            items.push(BodyItem::Remark(self.report_inexpressible(
                name,
                "properties",
                why,
                expr.span,
            )));
        }
        for pair in pairs {
            let Some(key) = pair.key.as_text() else { continue };
            if !child.stack.parameters.contains_key(key) {
                let message = format!("the template of `{name}` has no parameter `{key}`");
                self.report_loss(
                    Loss::new(LossKind::Property, key, message, pair.value.span).with_owner(name),
                );
                items.push(BodyItem::Remark(self.snippet(key, pair.value.span)));
            }
        }
        for (key, parameter) in &child.stack.parameters {
            let Some(variable) = done.variables.get(key) else { continue };
            let given = pairs.iter().rev().find(|pair| pair.key.as_text() == Some(key));
            let given = given.map(|pair| &pair.value).filter(|it| it.kind != ExprKind::Null);
            if let Some((_, Ok(whole))) = &whole {
                let found = whole.hcl.clone().at(key.as_str());
                let value = match &parameter.default {
                    Some(default) => {
                        let default = heat_engine::eval::Value::from_expr_as_sent(default);
                        let default = super::literal::plain(&default).unwrap_or(Hcl::Null);
                        Hcl::call("try", [found, default])
                    }
                    None => found,
                };
                items.push(BodyItem::argument(variable.clone(), value));
                continue;
            }
            let Some(given) = given else {
                items.extend(self.missing(label, key, variable, child));
                continue;
            };
            match scope.generate(given) {
                Ok(expressed) => {
                    let expressed = converted(expressed, parameter.kind);
                    items.push(BodyItem::argument(variable.clone(), expressed.hcl));
                }
                Err(why) => {
                    let lines = self.report_inexpressible(name, key, &why, given.span);
                    if parameter.default.is_some() {
                        items.push(BodyItem::Remark(lines));
                        continue;
                    }
                    let wording = format!("The value of {key} for {name}");
                    let wanted = format!("{label}_{variable}");
                    let kind = type_of(parameter.kind);
                    let own = scope.extra(
                        VariableRole::Fallback,
                        &wanted,
                        wording,
                        kind,
                        parameter.is_hidden(),
                    );
                    let value = Hcl::name(format!("var.{own}"));
                    items.push(BodyItem::commented(lines, variable.clone(), value, None));
                }
            }
        }
        items
    }

    /// A parameter of a nested template that the resource does not set: the environment may have a value for
    /// parameters of this name.
    fn missing(&self, label: &str, key: &str, variable: &str, child: &Module) -> Option<BodyItem> {
        let parameter = child.stack.parameters.get(key)?;
        if self.scope.model.defaults.contains_key(key) {
            let own = self.default_variable(key, type_of(parameter.kind), parameter.is_hidden());
            return Some(BodyItem::argument(variable, Hcl::name(format!("var.{own}"))));
        }
        if parameter.default.is_some() {
            return None;
        }
        // Heat would require it as well.
        let wording = match parameter.description.as_ref().and_then(Expr::as_text) {
            Some(description) => format!("{description} ({label})"),
            None => format!("The value of {key}, which {label} requires"),
        };
        let wanted = format!("{label}_{variable}");
        let role = VariableRole::Fallback;
        let kind = type_of(parameter.kind);
        let own = self.scope.extra(role, &wanted, wording, kind, parameter.is_hidden());
        Some(BodyItem::argument(variable, Hcl::name(format!("var.{own}"))))
    }

    /// The variable with the environment's value for parameters of a name.
    fn default_variable(&self, key: &str, kind: &'static str, hidden: bool) -> String {
        let scope = self.scope;
        if scope.is_root
            && !scope.model.parameter_values.contains_key(key)
            && let Some(variable) = scope.variables.get(key)
        {
            return variable.clone();
        }
        let given = scope.model.defaults.get(key);
        let secret = hidden || given.is_some_and(|given| given.is_secret);
        let wanted = match scope.variables.contains_key(key) {
            true => format!("{key}_default"),
            false => key.to_owned(),
        };
        let wording = format!("The value of parameters {key} in nested templates");
        scope.extra(VariableRole::Default(key.to_owned()), &wanted, wording, kind, secret)
    }

    /// Passes what a module needs besides its parameters.
    fn module_inputs(
        &self,
        name: &str,
        label: &str,
        extra: &ExtraVariable,
        child: &Module,
        copies: Multiplicity,
    ) -> Option<BodyItem> {
        let scope = self.scope;
        let argument = |hcl: Hcl| Some(BodyItem::argument(extra.name.clone(), hcl));
        match &extra.role {
            VariableRole::StackName => {
                let wording = "Name of the stack".to_owned();
                let own =
                    scope.extra(VariableRole::StackName, "stack_name", wording, "string", false);
                let mut parts =
                    vec![Hcl::name(format!("var.{own}")), Hcl::text(format!("-{name}"))];
                if copies == Multiplicity::Many {
                    parts.extend([Hcl::text("-"), scope.member_key(name)]);
                }
                let message = format!(
                    "Heat appends random letters to the name of the stack of `{name}`, Terraform \
                     does not"
                );
                let span = scope
                    .module
                    .stack
                    .resources
                    .get(name)
                    .map_or(source_diagnostics::Span::NOWHERE, |resource| resource.name_span);
                self.report_loss(
                    Loss::new(LossKind::Value, "OS::stack_name", message, span).with_owner(name),
                );
                argument(Hcl::concatenated(parts))
            }
            VariableRole::Default(key) => {
                let own = self.default_variable(key, extra.kind, extra.sensitive);
                argument(Hcl::name(format!("var.{own}")))
            }
            VariableRole::StackId | VariableRole::Fallback => {
                let wanted = format!("{label}_{}", extra.name);
                let wording = format!("{} ({})", extra.description, child.name);
                let own = scope.extra(
                    VariableRole::Fallback,
                    &wanted,
                    wording,
                    extra.kind,
                    extra.sensitive,
                );
                argument(Hcl::name(format!("var.{own}")))
            }
        }
    }
}
