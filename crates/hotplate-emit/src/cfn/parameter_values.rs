//! The given values of parameters, in the format that `aws cloudformation` reads.

use super::json_parameter::part_of;
use super::parameter::{fits, parameter_text};
use super::template_builder::TemplateBuilder;
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::{Value, python};
use heat_template::ir::{Expr, ExprKind, ParameterType};
use source_diagnostics::Span;

impl TemplateBuilder<'_> {
    /// Reports a withheld value.
    fn withhold(&mut self, name: &str, id: &str, span: Span) {
        let supply = format!(
            "pass it to `aws cloudformation` with `--parameters ParameterKey={id},ParameterValue=…`"
        );
        self.losses.add(Loss::withheld_secret(name, &supply, span));
    }

    /// Notes a value that is not passed on: the parameter has no default, so nothing is deployed with another.
    fn note_foreign(&mut self, name: &str, id: &str, what: &str, span: Span) {
        let message = format!("the value of `{name}` has no meaning in AWS, which requires {what}");
        let loss = Loss::new(LossKind::Value, name, message, span).with_owner(name);
        self.losses.add(loss.suggesting(format!("set the parameter `{id}`")).as_note());
    }

    /// The file of parameter values, if any are given.
    pub(super) fn parameter_values(&mut self) -> Option<DataTree> {
        let model = self.model;
        let mut found = Vec::new();
        for (name, given) in &model.parameter_values {
            let kind = self.module.stack.parameters.get(name).and_then(|it| it.kind);
            let kind = kind.unwrap_or(ParameterType::Text);
            let parts: Vec<_> = self.json_parts.iter().filter(|((of, _), _)| of == name).collect();
            let parts: Vec<_> =
                parts.into_iter().map(|((_, path), part)| (path.clone(), part.clone())).collect();
            for (path, part) in parts {
                let value = part_of(&Expr::new(ExprKind::Null, given.span), &given.value, &path);
                match part.text(&value).filter(|text| part.form.takes(text)) {
                    _ if given.is_withheld => self.withhold(name, &part.id, given.span),
                    Some(text) => found.push((part.id, text)),
                    None => self.note_foreign(name, &part.id, part.form.what(), given.span),
                }
            }
            // Nothing uses the others.
            let Some(id) = self.parameters.get(name).cloned() else { continue };
            if given.is_withheld {
                self.withhold(name, &id, given.span);
                continue;
            }
            let used_as = self.parameter_forms.get(name).copied();
            let text = parameter_text(&given.value, kind);
            match text.filter(|text| used_as.is_none_or(|form| fits(form, text, kind))) {
                Some(text) => found.push((id, text)),
                None => {
                    let what = used_as.map_or("another value", |form| form.what());
                    self.note_foreign(name, &id, what, given.span);
                }
            }
        }
        let demands: Vec<_> =
            self.extra_parameters.iter().map(|(id, it)| (id.clone(), it.clone())).collect();
        for (id, demand) in &demands {
            let Some((name, path)) = &demand.default_of else { continue };
            let Some(given) = model.defaults.get(name) else { continue };
            if given.is_withheld {
                self.withhold(id, id, given.span);
                continue;
            }
            let wanted = super::tables::form(demand.form);
            let value = part_of(&Expr::new(ExprKind::Null, given.span), &given.value, path);
            let kind = match value.unsealed() {
                Value::List(_) => ParameterType::TextList,
                _ => ParameterType::Text,
            };
            let text = match value.unsealed() {
                Value::Map(_) => python::json_dumps(&value.reveal().0, true).ok(),
                value => parameter_text(value, kind),
            };
            match text.filter(|text| fits(wanted, text, kind)) {
                Some(text) => found.push((id.clone(), text)),
                None => self.note_foreign(id, id, wanted.what(), given.span),
            }
        }
        if found.is_empty() {
            return None;
        }
        Some(DataTree::list(found.iter().map(|(id, text)| {
            DataTree::map([
                ("ParameterKey", DataTree::from(id.as_str())),
                ("ParameterValue", DataTree::from(text.as_str())),
            ])
        })))
    }
}
