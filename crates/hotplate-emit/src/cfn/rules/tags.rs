//! Names, tags and metadata become tags in AWS.

use crate::LossKind;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::TemplateBuilder;
use crate::kit::{Inexpressible, map_key_text};
use heat_engine::eval::Value;
use heat_template::ir::Expr;
use source_diagnostics::Span;

/// The rule of types that the table describes completely.
pub(super) fn nothing(_: &mut TemplateBuilder<'_>, _: &mut AwsResourceBuilder<'_>) {}

/// A text becomes the tag of this key.
pub(super) fn of_text(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    key: &str,
    value: &Expr,
    whole: Span,
) {
    let here = builder.here("Tags", value.span);
    let expressed = template_builder.fold(value, key).and_then(|value| match value.unsealed() {
        Value::Null => Ok(None),
        value => template_builder.value(value, form("text"), here).map(Some),
    });
    match expressed {
        Ok(Some(tree)) => builder.tag(key, tree),
        Ok(None) => {}
        Err(why) => builder.lose(template_builder, &why, whole),
    }
}

/// The entries of a map become tags.
pub(super) fn of_map(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    name: &str,
    value: &Expr,
    whole: Span,
) {
    let (here, whole_value) = (builder.here("Tags", value.span), value);
    let expressed = template_builder.fold(value, name).and_then(|value| match value.unsealed() {
        Value::Null => Ok(Vec::new()),
        Value::Map(map) => map
            .iter()
            .map(|(key, value)| {
                Ok((map_key_text(key), template_builder.value(value, form("text"), here.text())?))
            })
            .collect(),
        _ => {
            template_builder.want_values_of(whole_value);
            let message = format!("the keys of `{name}` must be known while rendering to be tags");
            Err(Inexpressible::new(LossKind::Property, name, message, whole))
        }
    });
    match expressed {
        Ok(tags) => tags.into_iter().for_each(|(key, value)| builder.tag(&key, value)),
        Err(why) => builder.lose(template_builder, &why, whole),
    }
}

/// Each string of a list becomes a tag without a value.
pub(super) fn of_list(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    name: &str,
    value: &Expr,
    whole: Span,
) {
    let keys = match template_builder.evaluator.constant(value) {
        Some(Value::Null) => Some(Vec::new()),
        Some(Value::List(items)) => items
            .iter()
            .map(|item| match item.unsealed() {
                Value::Text(text) => Some(text.to_string()),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    match keys {
        Some(keys) => keys.iter().for_each(|key| builder.tag(key, "".into())),
        None => {
            template_builder.want_values_of(value);
            let message = format!("`{name}` must be known while rendering to be tags");
            let lines =
                template_builder.report_lost_item(name, message, whole, &builder.planned.owner);
            builder.comment(lines);
        }
    }
}

/// The single value of an old record set becomes a list of one.
pub(super) fn one_record(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    let here = builder.here("ResourceRecords", value.span).required();
    match template_builder.expr(value, form("text"), here) {
        Ok(tree) => builder.set("ResourceRecords", crate::tree::DataTree::list([tree])),
        Err(why) => builder.lose(template_builder, &why, whole),
    }
}
