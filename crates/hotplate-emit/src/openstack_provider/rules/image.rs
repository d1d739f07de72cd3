//! Images that are downloaded.

use super::super::model::{Argument, WantedType};
use super::super::resource_builder::ResourceBuilder;
use crate::mapping::PropertyMapping;
use heat_template::ir::Expr;

/// `location`: the image service downloads the image itself, as with Heat.
pub(super) fn location<'c>(
    builder: &mut ResourceBuilder<'c, '_>,
    _: &str,
    property: &'static PropertyMapping,
    given: Option<&'c Expr>,
) {
    let (Some(value), Some(to)) = (given, &property.to) else { return };
    builder.arguments.push((to.clone(), Argument::Expr(value.clone(), WantedType::Text)));
    builder.arguments.push(("web_download".to_owned(), Argument::Bool(true)));
}
