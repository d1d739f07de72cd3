//! The given values of parameters, in the format that `aws cloudformation` reads.

use super::super::tree::DataTree;
use super::super::{Loss, LossKind};
use super::parameter::{fits, parameter_text};
use super::template_builder::TemplateBuilder;
use heat_template::ir::ParameterType;
use source_diagnostics::Span;

impl TemplateBuilder<'_> {
    /// Reports a withheld value.
    fn withhold(&mut self, name: &str, id: &str, span: Span) {
        let supply = format!(
            "pass it to `aws cloudformation` with `--parameters ParameterKey={id},ParameterValue=…`"
        );
        self.losses.add(Loss::withheld_secret(name, &supply, span));
    }

    /// The file of parameter values, if any are given.
    pub(super) fn parameter_values(&mut self) -> Option<DataTree> {
        let model = self.model;
        let mut found = Vec::new();
        for (name, given) in &model.parameter_values {
            let kind = self.module.stack.parameters.get(name).and_then(|it| it.kind);
            let kind = kind.unwrap_or(ParameterType::Text);
            let Some(id) = self.parameters.get(name).cloned() else {
                let message = format!(
                    "the value of `{name}` is structured data, which no CloudFormation parameter \
                     can hold"
                );
                let loss = Loss::new(LossKind::Value, name, message, given.span).with_owner(name);
                self.losses.add(loss.suggesting(format!("pass `--bake={name}`")));
                continue;
            };
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
                    let message = format!(
                        "the value of `{name}` has no meaning in AWS, which requires {what}"
                    );
                    let loss =
                        Loss::new(LossKind::Value, name, message, given.span).with_owner(name);
                    self.losses.add(loss.suggesting(format!("set the parameter `{id}`")));
                }
            }
        }
        let demands: Vec<_> =
            self.extra_parameters.iter().map(|(id, it)| (id.clone(), it.clone())).collect();
        for (id, demand) in &demands {
            let given = demand.default_of.as_ref().and_then(|name| model.defaults.get(name));
            let Some(given) = given else { continue };
            if given.is_withheld {
                self.withhold(id, id, given.span);
                continue;
            }
            let wanted = super::tables::form(demand.form);
            let kind = match given.value.unsealed() {
                heat_engine::eval::Value::List(_) => ParameterType::TextList,
                _ => ParameterType::Text,
            };
            let text = parameter_text(&given.value, kind);
            match text.filter(|text| fits(wanted, text, kind)) {
                Some(text) => found.push((id.clone(), text)),
                None => {
                    let message =
                        format!("the value from the environment for `{id}` has no meaning in AWS");
                    let loss = Loss::new(LossKind::Value, id, message, given.span).with_owner(id);
                    self.losses.add(loss.suggesting(format!("set the parameter `{id}`")));
                }
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
