//! Images that are downloaded.

use super::PropertyRequest;
use crate::openstack_provider::model::{Argument, WantedType};
use crate::openstack_provider::resource_builder::ResourceBuilder;

/// `location`: the image service downloads the image itself, as with Heat.
pub(super) fn location<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { property, given, .. } = of;
    let (Some(value), Some(to)) = (given, &property.to) else { return };
    builder.arguments.push((to.clone(), Argument::Expr(value.clone(), WantedType::Text)));
    builder.arguments.push(("web_download".to_owned(), Argument::Bool(true)));
}
