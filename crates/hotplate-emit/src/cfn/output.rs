//! Outputs: CloudFormation allows only strings.

use std::sync::Arc;

use super::names::LogicalIds;
use super::nested::{FinishedTemplate, comma_joined};
use super::tables::form;
use super::template_builder::{TemplateBuilder, ValueContext};
use crate::kit::Expressed;
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::Value;
use source_diagnostics::Span;

/// The maximum length of a description, in bytes.
pub(super) const MAX_DESCRIPTION_BYTES: usize = 1024;

/// The type of an output's value.
enum OutputType {
    Text,
    List,
    Map,
}

impl TemplateBuilder<'_> {
    pub(super) fn make_outputs(&mut self, done: &mut FinishedTemplate) -> Vec<(String, DataTree)> {
        let stack = Arc::clone(&self.module.stack);
        let mut names = LogicalIds::default();
        let mut found = Vec::new();
        for (name, output) in &stack.outputs {
            let id = names.allocate(name);
            let Some(value) = &output.value else { continue };
            let mut above = self.comments.take_lines(output.name_span);
            let whole = Span { end: value.span.end.max(output.name_span.end), ..output.name_span };
            let mut here = ValueContext::new(name, &id, "Value", value.span);
            here.absent_is_text = true;
            here.reads_secrets = false;
            let (condition, lines) = self.condition_or_comment(output.condition.as_ref(), here);
            above.extend(lines);
            here.condition = condition.as_deref();
            let expressed = self.output(value, here);
            if expressed.is_err() {
                // The original in the comment contains the comments inside.
                self.comments.take_inside(whole);
            }
            above.extend(self.comments.take_item(output.name_span));
            match expressed {
                Ok((tree, kind)) => {
                    let mut pairs = Vec::new();
                    if let Some(text) = output.description.as_ref().and_then(|it| it.as_text()) {
                        pairs.push((
                            "Description",
                            DataTree::from(shortened(text, MAX_DESCRIPTION_BYTES).as_str()),
                        ));
                    }
                    if let Some(condition) = &condition {
                        pairs.push(("Condition", DataTree::from(condition.as_str())));
                    }
                    let what = match kind {
                        OutputType::Text => None,
                        OutputType::List => Some("a list, written as a string with commas"),
                        OutputType::Map => Some("a map, written as a JSON string"),
                    };
                    if let Some(what) = what {
                        let message =
                            format!("CloudFormation outputs are strings: `{name}` is {what}");
                        let loss = Loss::new(LossKind::Value, name, message.clone(), value.span);
                        let loss = loss.with_owner(name);
                        // JSON holds everything; a comma may also be a part of an item.
                        self.losses.add(match kind {
                            OutputType::Map => loss.as_note(),
                            OutputType::List | OutputType::Text => loss,
                        });
                        above.push(message);
                    }
                    pairs.push(("Value", tree));
                    done.outputs
                        .insert(name.clone(), (id.clone(), matches!(kind, OutputType::List)));
                    found.push((id, DataTree::map(pairs).above(above)));
                }
                Err(why) => {
                    above.extend(self.lose_why(&why, name, whole));
                    found.push((String::new(), DataTree::comment(above)));
                }
            }
        }
        found
    }

    fn output(
        &mut self,
        expr: &heat_template::ir::Expr,
        here: ValueContext<'_>,
    ) -> Expressed<(DataTree, OutputType)> {
        let value = self.fold(expr, "value")?;
        match value.unsealed() {
            Value::List(items) => {
                let is_flat = items.iter().all(|item| {
                    !matches!(item.unsealed(), Value::List(_) | Value::Map(_) | Value::Null)
                });
                if is_flat {
                    let tree = self.value(&value, form("texts"), here)?;
                    return Ok((comma_joined(tree), OutputType::List));
                }
                Ok((self.json(&value, here)?, OutputType::Map))
            }
            Value::Map(_) => Ok((self.json(&value, here)?, OutputType::Map)),
            Value::Unknown(_) => match self.value(&value, form("text"), here) {
                Ok(tree) => Ok((tree, OutputType::Text)),
                Err(why) => match self.value(&value, form("texts"), here) {
                    Ok(tree) => Ok((comma_joined(tree), OutputType::List)),
                    Err(_) => Err(why),
                },
            },
            known => Ok((self.value(known, form("text"), here)?, OutputType::Text)),
        }
    }
}

/// Text shortened to at most `longest` bytes.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    let mut end = longest - 3;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", &text[..end])
}
