//! Reports what the format cannot express.

use crate::{EmitOptions, Loss, LossKind, Losses};
use heat_engine::environment::registry::is_template_name;
use heat_template::cfn::{Unsupported, UnsupportedKind};
use heat_template::hot::CAPABILITIES;
use heat_template::ir::Stack;
use source_diagnostics::Severity;

/// Reports the losses of a template.
pub(super) fn report_losses(
    losses: &mut Losses,
    stack: &Stack,
    unexpressed: &[Unsupported],
    options: &EmitOptions,
) {
    for unexpressed in unexpressed {
        let kind = match unexpressed.kind {
            UnsupportedKind::Function => LossKind::Function,
            UnsupportedKind::Attribute => LossKind::Attribute,
            UnsupportedKind::Section => LossKind::Section,
            UnsupportedKind::Resource => LossKind::ResourceType,
        };
        let mut loss =
            Loss::new(kind, &unexpressed.subject, &unexpressed.message, unexpressed.span);
        if !unexpressed.owner.is_empty() {
            loss = loss.with_owner(&unexpressed.owner);
        }
        if let Some(suggestion) = &unexpressed.suggestion {
            loss = loss.suggesting(suggestion);
        }
        if unexpressed.is_approximated {
            loss.severity = Severity::Note;
        }
        loss.drops_whole_value = !unexpressed.is_approximated;
        losses.add(loss);
    }
    for (name, resource) in &stack.resources {
        let Some(kind) = resource.kind.as_ref().filter(|kind| is_template_name(&kind.text)) else {
            continue;
        };
        let file = &kind.text;
        let message = format!("Heat's client uploads `{file}` only for HOT templates");
        let suggestion = format!(
            "map a type to it in the environment (`resource_registry: {{My::Type: {file}}}`) and \
             use that type, or pass the file to the API in `files`"
        );
        let loss = Loss::new(LossKind::ResourceType, file.as_str(), message, kind.span);
        losses.add(loss.with_owner(name).suggesting(suggestion));
    }
    if !options.strip_capabilities {
        for (name, capability) in &stack.capabilities {
            let message = "CFN templates have no `capabilities` section";
            losses.add(
                Loss::new(LossKind::Section, CAPABILITIES, message, capability.name_span)
                    .with_owner(name),
            );
        }
    }
}
