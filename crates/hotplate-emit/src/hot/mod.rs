//! `--target hot`: canonical HOT of any version, from a template of any dialect, including comments.
//!
//! The deployment does not matter: a template is translated as written. Where its version lacks the
//! function for a value that the template alone determines, the value itself is written.

mod key_value_spans;
mod retention;
mod substitutes;
mod template;
#[cfg(test)]
mod tests;

use self::retention::Retention;
use super::{EmitOutput, EmitRequest, Emitter, EmitterInput, Loss, LossKind, Losses};
use heat_template::dialect::{Dialect, lower};
use heat_template::hot::{HotLoss, Version};
use heat_template::ir::Stack;
use source_diagnostics::Diagnostic;

/// `--target hot`
pub(crate) struct Hot;

impl Emitter for Hot {
    fn name(&self) -> &str {
        "hot"
    }

    fn summary(&self) -> &str {
        "canonical HOT of any version (`--to`)"
    }

    fn input(&self) -> EmitterInput {
        EmitterInput::Template
    }

    fn has_versions(&self) -> bool {
        true
    }

    fn has_deletion_policies(&self) -> bool {
        true
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let lowered = lower(request.document)?;
        let own = match lowered.template.dialect {
            Dialect::Hot(version) => version,
            Dialect::Cfn(_) => Version::LATEST,
        };
        let version = request.options.to.unwrap_or(own);
        let mut losses = Losses::default();
        let tree = template::write(request, &lowered, version, &mut losses);
        Ok(EmitOutput {
            losses: losses.into_sorted(),
            findings: match request.options.retain {
                true => kept_stacks(&lowered.stack),
                false => Vec::new(),
            },
            ..EmitOutput::single_file(tree.to_template()?)
        })
    }
}

/// The notes on groups that remain with their nested stacks.
fn kept_stacks(stack: &Stack) -> Vec<Diagnostic> {
    let kept = stack.resources.iter();
    let kept = kept.filter(|(_, resource)| Retention::of(resource) == Retention::WithStack);
    kept.map(|(name, resource)| {
        let message = format!("the nested stack of `{name}` stays in Heat with its resources");
        Diagnostic::new(crate::codes::RETAINED_STACK, message).at(resource.name_span).help(
            "never delete it (`openstack stack list --nested`); a member that is a template of its own has deletion policies",
        )
    })
    .collect()
}

/// The loss of something that a version cannot express.
fn loss(unexpressed: &HotLoss, version: Version) -> Loss {
    let kind = if unexpressed.is_value { LossKind::Function } else { LossKind::Section };
    let subject = unexpressed.what.trim_matches('`').to_owned();
    let mut loss = Loss::new(kind, subject, unexpressed.message.clone(), unexpressed.span);
    loss.writes_null = unexpressed.is_dropped;
    match version == Version::LATEST {
        true => loss,
        false => loss.suggesting(format!(
            "use a later version with `--to`; the latest is {}",
            Version::LATEST
        )),
    }
}
