//! Parameters as variables with defaults, and their constraints as assertions.

use std::collections::BTreeSet;

use super::jinja::{literal, literal_data, literal_text};
use super::scope::TemplateScope;
use crate::kit::{Inexpressible, key_text};
use crate::tree::{DataNode, DataTree};
use crate::{Loss, LossKind, ModuleId};
use heat_engine::eval::{Value, parameters};
use heat_template::ir::{ConstraintKind, Expr, ExprKind, Parameter, ParameterType};
use lossless_yaml::Value as Data;
use source_diagnostics::Span;

/// The conditions to assert, and the helper variable that they need with its text.
type Assertion = (Vec<String>, Option<(String, String)>);

/// A parameter's label and description, as lines of a comment.
fn documentation_lines(parameter: &Parameter) -> Vec<String> {
    let texts = [&parameter.label, &parameter.description];
    let texts = texts.into_iter().flatten().filter_map(Expr::as_text);
    texts.map(|text| text.trim_end().to_owned()).filter(|text| !text.is_empty()).collect()
}

impl TemplateScope<'_> {
    /// The parameters whose variables are among the names in the template's tasks. A parameter that stands for a lost
    /// part of the template always counts as used.
    pub(super) fn used_parameters(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let used = self.stack().parameters.iter().filter(|(name, parameter)| {
            let variable = self.playbook.parameters[self.id.0].get(*name);
            parameter.name_span == Span::NOWHERE || variable.is_some_and(|it| names.contains(it))
        });
        used.map(|(name, _)| name.clone()).collect()
    }

    /// The variables with defaults; a parameter without one, or that is not `used`, becomes a comment.
    pub(super) fn defaults(&self, used: &BTreeSet<String>) -> Vec<(String, DataTree)> {
        let mut out = Vec::new();
        let mut about = self.comments.take_sections(|section| section == "parameters");
        for (name, parameter) in &self.stack().parameters {
            let Some(variable) = self.playbook.parameters[self.id.0].get(name) else { continue };
            let (mut above, beside) = self.comments.take_around(parameter.name_span);
            above.splice(0..0, about.drain(..));
            above.extend(self.comments.take_item(parameter.name_span));
            if !used.contains(name) {
                above.extend(beside);
                above.push(format!("{variable}: nothing uses this parameter"));
                self.playbook.losses.borrow_mut().add(Loss::unused_parameter(name, parameter));
                out.push((variable.clone(), DataTree::comment(above)));
                continue;
            }
            above.extend(documentation_lines(parameter));
            if parameter.is_hidden() {
                above.push("Hidden: supply it from a vault.".to_owned());
            }
            self.report_unsupported(name, parameter);
            let default = parameter.default.as_ref().filter(|it| it.kind != ExprKind::Null);
            let value = default.and_then(|default| {
                let value = Value::from_expr_as_sent(default);
                let value = match parameter.kind {
                    Some(kind) => parameters::coerce(&value, kind).ok()?,
                    None => value,
                };
                literal_data(&value)
            });
            match (value, default) {
                (Some(value), _) => {
                    let tree = DataTree::from(value).above(above).beside(beside);
                    out.push((variable.clone(), tree));
                }
                (None, None) => {
                    above.extend(beside);
                    above.push(format!("{variable}: required"));
                    out.push((variable.clone(), DataTree::comment(above)));
                }
                (None, Some(default)) => {
                    let message = format!("a variable cannot hold the default of `{name}`");
                    let lost = Inexpressible::value(name, message, default.span);
                    above.extend(self.loss_comment(&lost, default.span));
                    self.report_loss(name, &lost);
                    out.push((variable.clone(), DataTree::comment(above)));
                }
            }
        }
        out
    }

    /// Reports the keys of a parameter that have no meaning in Ansible.
    fn report_unsupported(&self, name: &str, parameter: &Parameter) {
        if let Some(immutable) = parameter.immutable.as_ref().filter(|_| parameter.is_immutable()) {
            let message = format!(
                "a playbook keeps no state, so it cannot check that `{name}` does not change"
            );
            self.report_loss(
                name,
                &Inexpressible::new(LossKind::Section, "immutable", message, immutable.span),
            );
        }
        if let Some(tags) = &parameter.tags {
            let message = format!("variables have no tags, which have no effect (`{name}`)");
            let lost = Inexpressible::new(LossKind::Section, "tags", message, tags.span);
            self.report_loss(name, &lost.without_effect());
        }
    }

    /// Tasks that check the constraints of the parameters that are `used`.
    pub(super) fn assertions(&self, used: &BTreeSet<String>) -> Vec<DataTree> {
        let mut tasks = Vec::new();
        for (name, parameter) in &self.stack().parameters {
            if !used.contains(name) {
                continue;
            }
            let Some(variable) = self.playbook.parameters[self.id.0].get(name) else { continue };
            for constraint in &parameter.constraints {
                let description = constraint.description.as_ref().and_then(Expr::as_text);
                let mut above = self.comments.take_above(constraint.span);
                match self.assertion(variable, parameter, &constraint.kind) {
                    Ok((conditions, vars)) => {
                        let that = conditions.iter().map(|it| Data::Text(it.clone()).into());
                        let mut body = vec![("that", DataTree::list(that))];
                        if let Some(description) = description {
                            body.push(("fail_msg", Data::Text(literal_text(description)).into()));
                        }
                        body.push(("quiet", Data::Bool(true).into()));
                        let mut keys = vec![
                            ("name".to_owned(), DataTree::from(format!("Check {name}").as_str())),
                            ("ansible.builtin.assert".to_owned(), DataTree::map(body)),
                        ];
                        if let Some((key, value)) = vars {
                            let value: DataTree = Data::Text(literal_text(&value)).into();
                            keys.push(("vars".to_owned(), DataTree::map([(key, value)])));
                        }
                        tasks.push(DataTree::new(DataNode::Map(keys)).above(above));
                    }
                    Err(why) if matches!(constraint.kind, ConstraintKind::Custom(_)) => {
                        let kind = LossKind::Section;
                        let lost = Inexpressible::new(kind, "constraints", why, constraint.span);
                        self.report_loss(name, &lost.without_effect());
                        if !above.is_empty() {
                            tasks.push(DataTree::comment(above));
                        }
                    }
                    Err(why) => {
                        let lost = Inexpressible::new(
                            LossKind::Section,
                            "constraints",
                            why,
                            constraint.span,
                        );
                        above.extend(self.loss_comment(&lost, constraint.span));
                        self.report_loss(name, &lost);
                        tasks.push(DataTree::comment(above));
                    }
                }
            }
        }
        tasks
    }

    fn assertion(
        &self,
        variable: &str,
        parameter: &Parameter,
        kind: &ConstraintKind,
    ) -> Result<Assertion, String> {
        let name = variable;
        let bounds = |operands: &Expr, what: &str| -> Result<Vec<String>, String> {
            let mut out = Vec::new();
            for (key, sign) in [("min", ">="), ("max", "<=")] {
                if let Some(bound) = number(operands, key)? {
                    out.push(format!("{what} {sign} {bound}"));
                }
            }
            Ok(out)
        };
        Ok(match kind {
            ConstraintKind::Range(operands) => (bounds(operands, name)?, None),
            ConstraintKind::Length(operands) => {
                (bounds(operands, &format!("{name} | length"))?, None)
            }
            ConstraintKind::Modulo(operands) => {
                let step = number(operands, "step")?.ok_or("it has no step")?;
                let offset = number(operands, "offset")?.ok_or("it has no offset")?;
                (vec![format!("{name} % {step} == {offset}")], None)
            }
            ConstraintKind::AllowedValues(values) => {
                let ExprKind::List(items) = &values.kind else {
                    return Err("its values are not a list".to_owned());
                };
                let is_list = parameter.kind == Some(ParameterType::TextList);
                let mut allowed = Vec::new();
                for item in items {
                    let value = Value::from_expr_as_sent(item);
                    let value = match parameter.kind.filter(|_| !is_list) {
                        Some(kind) => parameters::to_type(&value, kind).unwrap_or(value),
                        None => value,
                    };
                    allowed.push(value);
                }
                let code = literal(&Value::list(allowed))
                    .ok_or("an allowed value has no literal in Jinja")?;
                let condition = match is_list {
                    false => format!("{name} in {}", code.text),
                    true => format!("{name} | reject('in', {}) | list | length == 0", code.text),
                };
                (vec![condition], None)
            }
            ConstraintKind::AllowedPattern(pattern) => {
                let pattern = pattern.as_text().ok_or("its pattern is not a string")?;
                // Python accepts flags only at the start of a pattern.
                let (flags, rest) =
                    match pattern.strip_prefix("(?").and_then(|it| it.split_once(')')) {
                        Some((flags, rest))
                            if flags.bytes().all(|it| it.is_ascii_lowercase())
                                && !flags.is_empty() =>
                        {
                            (format!("(?{flags})"), rest)
                        }
                        _ => (String::new(), pattern),
                    };
                let variable = self.name(&format!("{}_pattern", name.trim_end_matches('_')));
                let whole = format!("{flags}^(?:{rest})\\Z");
                (vec![format!("{name} is match({variable})")], Some((variable, whole)))
            }
            ConstraintKind::Custom(custom) => {
                let shown = custom.as_text().unwrap_or("custom constraint");
                return Err(format!(
                    "OpenStack checks `{shown}` when it creates what uses the value"
                ));
            }
            ConstraintKind::Missing => {
                return Err("it has no constraint that Heat knows".to_owned());
            }
        })
    }
}

/// A bound, which may be a number in a string.
fn number(operands: &Expr, key: &str) -> Result<Option<String>, String> {
    let ExprKind::Map(pairs) = &operands.kind else {
        return Err("its bounds are not a map".to_owned());
    };
    let Some(pair) = pairs.iter().rev().find(|it| key_text(&it.key).as_deref() == Some(key)) else {
        return Ok(None);
    };
    let value = Value::from_expr_as_sent(&pair.value);
    let value = match &value {
        Value::Null => return Ok(None),
        Value::Text(_) => parameters::to_type(&value, ParameterType::Number)
            .map_err(|_| "a bound is not a number")?,
        _ => value,
    };
    Ok(Some(literal(&value).ok_or("a bound is not a number")?.text))
}

/// A task that fails if variables are missing.
pub(super) fn required_variables_task<'n>(
    names: impl Iterator<Item = (&'n str, &'n str)>,
) -> Option<DataTree> {
    let conditions: Vec<DataTree> = names
        .map(|(name, what)| {
            let condition: DataTree = Data::Text(format!("{name} is defined")).into();
            condition.beside((!what.is_empty()).then(|| what.to_owned()))
        })
        .collect();
    if conditions.is_empty() {
        return None;
    }
    Some(DataTree::map([
        ("name", DataTree::from("Check that all required variables are set")),
        (
            "ansible.builtin.assert",
            DataTree::map([
                ("that", DataTree::list(conditions)),
                ("quiet", Data::Bool(true).into()),
            ]),
        ),
    ]))
}

/// The given values of parameters.
#[derive(Default)]
pub(super) struct ParameterValues {
    /// By the names of their variables.
    pub(super) pairs: Vec<(String, DataTree)>,
    /// Comments that say how to supply withheld values.
    pub(super) comments: Vec<String>,
    pub(super) losses: Vec<Loss>,
}

/// Collects the given values by the names of their variables.
pub(super) fn parameter_values(world: &super::scope::PlaybookContext<'_>) -> ParameterValues {
    let model = world.model;
    let ParameterValues { pairs: mut out, comments: mut remarks, mut losses } =
        ParameterValues::default();
    let mut add = |variable: &str,
                   given: &crate::render_model::ParameterValue,
                   kind: Option<ParameterType>,
                   name: &str| {
        if given.is_withheld {
            let remark =
                format!("{variable}: --extra-vars @FILE, where FILE is encrypted (ansible-vault)");
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
            let supply =
                "supply it with `--extra-vars`, from a file encrypted with `ansible-vault`";
            losses.push(Loss::withheld_secret(variable, supply, given.span));
            return;
        }
        let value = match kind {
            Some(kind) => parameters::coerce(given.value.unsealed(), kind)
                .unwrap_or_else(|_| given.value.clone()),
            None => given.value.clone(),
        };
        match literal_data(&value) {
            Some(value) => {
                let tree =
                    DataTree::from(value).beside(given.is_secret.then(|| "hidden".to_owned()));
                if !out.iter().any(|(held, _)| held == variable) {
                    out.push((variable.to_owned(), tree));
                }
            }
            None => {
                let message = format!("a variable cannot hold the value of `{name}`");
                losses.push(Loss::new(LossKind::Value, name, message, given.span));
            }
        }
    };
    for (name, given) in &model.parameter_values {
        if let Some(variable) = world.parameter_variable(ModuleId(0), name) {
            add(variable, given, None, name);
        }
    }
    for (at, unit) in model.modules.iter().enumerate() {
        for (name, given) in &model.defaults {
            if let Some(variable) = world.parameter_variable(ModuleId(at), name) {
                let kind = unit.stack.parameters.get(name).and_then(|it| it.kind);
                add(variable, given, kind, name);
            }
        }
    }
    ParameterValues { pairs: out, comments: remarks, losses }
}
