//! Tables of constants: `Mappings` and `Fn::FindInMap`.

use super::inexpressible::unsupported_function;
use super::names::alphanumeric;
use super::operation::UnknownSite;
use super::tables::form;
use super::template_builder::{TemplateBuilder, ValueContext, call};
use super::value::{form_name, text_of};
use crate::kit::Expressed;
use crate::tree::{DataNode, DataTree};
use heat_engine::eval::Value;

impl TemplateBuilder<'_> {
    /// An entry of a table, looked up with keys that are unknown while rendering.
    pub(super) fn find_in_map(
        &mut self,
        arguments: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let UnknownSite { unknown, form: wanted, here, .. } = site;
        let span = unknown.expr.span;
        let no = |message: &str| Err(unsupported_function("Fn::FindInMap", message, span));
        let [tables, table, key, item] = arguments else {
            return no("the table must be known while rendering");
        };
        let Value::Map(tables) = tables.unsealed() else {
            return no("the table must be known while rendering");
        };
        let Some(name) = text_of(table).filter(|_| !matches!(table.unsealed(), Value::Unknown(_)))
        else {
            return no("the name of the table must be known while rendering");
        };
        let Some(Value::Map(rows)) = tables.get(name.as_str()).map(Value::unsealed) else {
            return no("the template has no such table");
        };
        // All values that the lookup can yield.
        let item_name = text_of(item);
        let mut foreign = false;
        for row in rows.values() {
            let Value::Map(cells) = row.unsealed() else {
                return no("a CloudFormation mapping has two levels");
            };
            for (cell, value) in cells.iter() {
                let is_wanted = item_name.as_deref().is_none_or(|it| cell.as_text() == Some(it));
                match text_of(value) {
                    Some(text) => foreign |= is_wanted && !wanted.takes(&text),
                    None => return no("a CloudFormation mapping holds strings"),
                }
            }
        }
        if foreign && wanted.is_narrow() {
            let what = wanted.heat.as_deref().unwrap_or("OpenStack values");
            let why = format!("the table `{name}` holds {what}");
            return Ok(self.needed(form_name(wanted), &why, here.at(here.argument, span)));
        }
        let here = ValueContext { span, ..here };
        let key = self.value(key, form("text"), here)?;
        let item = self.value(item, form("text"), here)?;
        let id = alphanumeric(&name);
        if !self.mappings.contains_key(&id) {
            let rows = self.data(&Value::Map(std::sync::Arc::clone(rows)), here)?;
            if !has_plain_keys(&rows) {
                return no(
                    "the keys of a CloudFormation mapping may only hold letters, digits, dots and \
                     hyphens",
                );
            }
            self.mappings.insert(id.clone(), rows);
        }
        Ok(call("Fn::FindInMap", [DataTree::from(id.as_str()), key, item]))
    }
}

/// Whether the keys of a table are valid in CloudFormation.
fn has_plain_keys(tree: &DataTree) -> bool {
    let DataNode::Map(pairs) = &tree.kind else { return true };
    pairs.iter().all(|(key, value)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        !key.is_empty() && key.chars().all(is_plain) && has_plain_keys(value)
    })
}
