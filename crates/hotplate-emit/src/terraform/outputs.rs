//! `outputs.tf`

use indexmap::IndexMap;

use super::hcl::{Body, BodyItem, Hcl, HclBlock};
use super::module::{ModuleOutput, ModuleWriter};
use super::scope::TypedHcl;
use heat_engine::eval::Value;
use heat_template::ir::types::TypeSet;

impl ModuleWriter<'_, '_> {
    /// The outputs, and the names of those that are expressed.
    pub(super) fn outputs(&self) -> (Body, IndexMap<String, ModuleOutput>) {
        let scope = self.scope;
        let mut body = Body::new();
        let section = self.comments.take_sections(|section| section == "outputs");
        if !section.is_empty() {
            body.push(BodyItem::Remark(section));
        }
        let mut expressed_names = IndexMap::new();
        let names = super::nested::output_names(scope.module);
        for (name, output) in &scope.module.stack.outputs {
            let Some(label) = names.get(name) else { continue };
            let mut above = self.comments.take_lines(output.name_span);
            let description =
                output.description.as_ref().map(|it| match Value::from_expr_as_sent(it) {
                    Value::Text(text) => text.to_string(),
                    other => {
                        heat_engine::eval::python::json_dumps(&other, false).unwrap_or_default()
                    }
                });
            let Some(value) = &output.value else { continue };
            above.extend(self.comments.take_item(output.name_span));
            let expressed = scope.generate(value).and_then(|expressed| match &output.condition {
                None => Ok(expressed),
                Some(condition) => {
                    let condition = scope.generate_condition(condition)?;
                    let hcl = Hcl::choice(condition, expressed.hcl, Hcl::Null);
                    Ok(TypedHcl { hcl, shape: expressed.shape.union(TypeSet::NULL), ..expressed })
                }
            });
            match expressed {
                Ok(TypedHcl { hcl, shape, items, .. }) => {
                    let mut block = Body::new();
                    if let Some(description) = description {
                        block.push(BodyItem::argument("description", Hcl::text(description)));
                    }
                    block.push(BodyItem::argument("value", hcl));
                    let secret = self.is_tainted(value)
                        || output.condition.as_ref().is_some_and(|it| self.is_tainted(it));
                    if secret {
                        block.push(BodyItem::argument("sensitive", Hcl::Bool(true)));
                    }
                    let block = HclBlock::new("output", &[label], block).above(above);
                    body.push(BodyItem::Block(block));
                    let output = ModuleOutput { label: label.clone(), shape, items };
                    expressed_names.insert(name.clone(), output);
                }
                Err(why) => {
                    above.extend(self.report_inexpressible(name, name, &why, value.span));
                    body.push(BodyItem::Remark(above));
                }
            }
        }
        (body, expressed_names)
    }
}
