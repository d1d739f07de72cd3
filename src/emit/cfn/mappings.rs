//! Tables of constants: `Mappings` and `Fn::FindInMap`.

use super::super::tree::{DataNode, DataTree};
use super::inexpressible::{CfnResult, Inexpressible};
use super::names::alphanumeric;
use super::tables::{ArgumentForm, form};
use super::template_builder::{TemplateBuilder, ValueContext, call};
use super::value::{form_name, text_of};
use heat_engine::eval::{Unknown, Value};

impl TemplateBuilder<'_> {
    /// An entry of a table, looked up by what is not known.
    pub(super) fn find_in_map(
        &mut self,
        tables: &Value,
        path: &[Value],
        unknown: &Unknown,
        wanted: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> CfnResult<DataTree> {
        let span = unknown.expr.span;
        let no = |message: &str| Err(Inexpressible::function("Fn::FindInMap", message, span));
        let ([table, key, item], Value::Map(tables)) = (path, tables.unsealed()) else {
            return no("the table must be known while rendering");
        };
        let Some(name) = text_of(table).filter(|_| !matches!(table.unsealed(), Value::Unknown(_)))
        else {
            return no("the name of the table must be known while rendering");
        };
        let Some(Value::Map(rows)) = tables.get(name.as_str()).map(Value::unsealed) else {
            return no("there is no such table");
        };
        // Every value that the lookup may come to.
        let item_name = text_of(item);
        let mut foreign = false;
        for row in rows.values() {
            let Value::Map(cells) = row.unsealed() else {
                return no("a table of CloudFormation has two levels");
            };
            for (cell, value) in cells.iter() {
                let is_wanted = item_name.as_deref().is_none_or(|it| cell.as_text() == Some(it));
                match text_of(value) {
                    Some(text) => foreign |= is_wanted && !wanted.takes(&text),
                    None => return no("a table of CloudFormation holds texts"),
                }
            }
        }
        if foreign && wanted.is_narrow() {
            let what = wanted.heat.as_deref().unwrap_or("values of Heat's");
            let why = format!("the table `{name}` has {what}");
            return Ok(self.missing(form_name(wanted), &why, here.at(here.argument, span)));
        }
        let here = ValueContext { span, ..here };
        let key = self.value(key, form("text"), here)?;
        let item = self.value(item, form("text"), here)?;
        let id = alphanumeric(&name);
        if !self.mappings.contains_key(&id) {
            let rows = self.data(&Value::Map(std::sync::Arc::clone(rows)), here)?;
            if !has_plain_keys(&rows) {
                return no("the keys of a table are letters, digits, dots and hyphens");
            }
            self.mappings.insert(id.clone(), rows);
        }
        Ok(call("Fn::FindInMap", [DataTree::from(id.as_str()), key, item]))
    }
}

/// Whether CloudFormation takes the keys of a table.
fn has_plain_keys(tree: &DataTree) -> bool {
    let DataNode::Map(pairs) = &tree.kind else { return true };
    pairs.iter().all(|(key, value)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        !key.is_empty() && key.chars().all(is_plain) && has_plain_keys(value)
    })
}
