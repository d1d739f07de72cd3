//! Stacks in other clouds or regions.

use super::PropertyRequest;
use crate::openstack_provider::model::{Argument, WantedType};
use crate::openstack_provider::resource_builder::ResourceBuilder;

/// `template`: the nested template as text; Heat generates the name of the stack.
pub(super) fn template<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let Some(value) = of.given else { return };
    let name = builder.generated_name();
    builder.arguments.push(("name".to_owned(), name));
    let text = Argument::Expr(value.clone(), WantedType::Text);
    let options = Argument::Map(vec![("Bin".to_owned(), text)]);
    builder.arguments.push(("template_opts".to_owned(), options));
}
