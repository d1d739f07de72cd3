//! Outputs: texts alone, in CloudFormation.

use std::sync::Arc;

use super::super::tree::Tree;
use super::super::{Loss, LossKind};
use super::loss::Said;
use super::names::Names;
use super::nested::{Done, commas};
use super::sheet::{Here, Sheet};
use super::tables::form;
use heat_engine::eval::Value;
use source_diagnostics::Span;

/// The longest description.
pub(super) const LONGEST: usize = 1024;

/// What an output is.
enum Kind {
    Text,
    List,
    Map,
}

impl Sheet<'_> {
    /// Writes the outputs.
    pub(super) fn make_outputs(&mut self, done: &mut Done) -> Vec<(String, Tree)> {
        let stack = Arc::clone(&self.unit.stack);
        let mut names = Names::default();
        let mut found = Vec::new();
        for (name, output) in &stack.outputs {
            let id = names.make(name);
            let mut above = self.comments.above(output.name_span);
            above.extend(self.comments.beside(output.name_span));
            let Some(value) = &output.value else { continue };
            let whole = Span { end: value.span.end.max(output.name_span.end), ..output.name_span };
            let mut here = Here::new(name, &id, "Value", value.span);
            here.absent_is_text = true;
            here.reads_secrets = false;
            let (condition, lines) = self.own_condition(output.condition.as_ref(), here);
            above.extend(lines);
            here.condition = condition.as_deref();
            let said = self.output(value, here);
            above.extend(self.comments.inside(whole));
            match said {
                Ok((tree, kind)) => {
                    let mut pairs = Vec::new();
                    if let Some(text) = output.description.as_ref().and_then(|it| it.as_text()) {
                        pairs.push(("Description", Tree::from(shortened(text, LONGEST).as_str())));
                    }
                    if let Some(condition) = &condition {
                        pairs.push(("Condition", Tree::from(condition.as_str())));
                    }
                    let what = match kind {
                        Kind::Text => None,
                        Kind::List => Some("a list, which is a text with commas"),
                        Kind::Map => Some("a map, which is a text of JSON"),
                    };
                    if let Some(what) = what {
                        let message = format!("the output `{name}` is {what} in CloudFormation");
                        let loss = Loss::new(LossKind::Value, name, message.clone(), value.span);
                        self.losses.add(loss.of(name));
                        above.push(message);
                    }
                    pairs.push(("Value", tree));
                    done.outputs.insert(name.clone(), (id.clone(), matches!(kind, Kind::List)));
                    found.push((id, Tree::map(pairs).above(above)));
                }
                Err(why) => {
                    above.extend(self.lose_why(&why, name, whole));
                    found.push((String::new(), Tree::remark(above)));
                }
            }
        }
        found
    }

    fn output(&mut self, expr: &heat_template::ir::Expr, here: Here<'_>) -> Said<(Tree, Kind)> {
        let value = self.fold(expr, "value")?;
        match value.open() {
            Value::List(items) => {
                let is_flat = items.iter().all(|item| {
                    !matches!(item.open(), Value::List(_) | Value::Map(_) | Value::Null)
                });
                if is_flat {
                    let tree = self.value(&value, form("texts"), here)?;
                    return Ok((commas(tree), Kind::List));
                }
                Ok((self.json(&value, here)?, Kind::Map))
            }
            Value::Map(_) => Ok((self.json(&value, here)?, Kind::Map)),
            Value::Unknown(_) => match self.value(&value, form("text"), here) {
                Ok(tree) => Ok((tree, Kind::Text)),
                Err(why) => match self.value(&value, form("texts"), here) {
                    Ok(tree) => Ok((commas(tree), Kind::List)),
                    Err(_) => Err(why),
                },
            },
            known => Ok((self.value(known, form("text"), here)?, Kind::Text)),
        }
    }
}

/// A text of at most so many bytes.
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
