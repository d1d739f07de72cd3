//! Types of Heat that are not cloud resources: values and software configurations become variables.

use super::expr_generator::ExprGenerator;
use super::value::PulumiValue;
use crate::kit::{Expressed, Inexpressible, TextResource};
use crate::multipart::{self, MimeChunk, MimeMessage};
use crate::render_model::property;
use crate::tree::DataTree;
use crate::{Loss, LossKind, TargetSupport};
use heat_template::ir::Resource;
use lossless_yaml::Value as Data;

/// The counterpart of such a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeatOnlyType {
    Variable,
    Nothing,
}

const VALUE: &str = "OS::Heat::Value";

/// The counterpart of a type; `None` if it is a cloud resource.
pub(super) fn heat_only_type(kind: &str) -> Option<HeatOnlyType> {
    match kind {
        VALUE => Some(HeatOnlyType::Variable),
        "OS::Heat::None" => Some(HeatOnlyType::Nothing),
        _ => TextResource::of(kind).map(|_| HeatOnlyType::Variable),
    }
}

/// The counterpart of such a type, for generated tables.
pub(super) fn type_support(kind: &str) -> Option<(Option<String>, TargetSupport)> {
    if let Some(kind) = TextResource::of(kind) {
        let how = match kind {
            TextResource::SoftwareConfig => "only the text: Pulumi does not apply it to servers",
            TextResource::CloudConfig => "only the text, as JSON",
            TextResource::MultipartMime => "only literal parts, with a constant boundary",
        };
        return Some((Some("variable".to_owned()), TargetSupport::Partial(how.to_owned())));
    }
    Some(match kind {
        VALUE => (Some("variable".to_owned()), TargetSupport::Full),
        "OS::Heat::None" => (None, TargetSupport::Full),
        _ => return None,
    })
}

/// The value of the variable; `lost` gets the parts that it does not contain.
pub(super) fn value(
    generator: &ExprGenerator<'_>,
    kind: &str,
    resource: &Resource,
    lost: &mut Vec<Inexpressible>,
) -> Expressed<PulumiValue> {
    let given = |name: &str| property(resource, name);
    match TextResource::of(kind) {
        None if kind == VALUE => match given("value") {
            Some(value) => generator.expr(value),
            None => Ok(PulumiValue::NULL),
        },
        Some(TextResource::CloudConfig) => {
            let Some(config) = given("cloud_config") else { return Ok(PulumiValue::text("")) };
            // JSON is valid YAML for cloud-init.
            let json = DataTree::map([("fn::toJSON", generator.expr(config)?.into_tree())]);
            let lines = DataTree::list(["#cloud-config".into(), json]);
            Ok(PulumiValue::call("fn::join", DataTree::list(["\n".into(), lines])))
        }
        Some(TextResource::MultipartMime) => multipart(generator, resource, lost),
        _ => match given("config") {
            Some(config) => generator.expr(config),
            None => Ok(PulumiValue::text("")),
        },
    }
}

/// The text of a multipart message.
fn multipart(
    generator: &ExprGenerator<'_>,
    resource: &Resource,
    lost: &mut Vec<Inexpressible>,
) -> Expressed<PulumiValue> {
    let no = |why: &str| Inexpressible::function("get_resource", why, resource.name_span);
    let module = &generator.flat_stack.module;
    let message = MimeMessage::of(generator.model, module, resource)?;
    let chunks = message.chunks();
    lost.extend(message.lost);
    let forms = chunks.into_iter().map(|piece| match piece {
        MimeChunk::Text(text) => Ok(PulumiValue::text(text)),
        MimeChunk::Value(value) => generator.expr(value),
        MimeChunk::NestedMessage { .. } => Err(no("a part of it is the message of a nested stack")),
        MimeChunk::Stem(name) => match generator.expr(name)? {
            PulumiValue::Data(Data::Text(name)) => {
                Ok(PulumiValue::text(multipart::known_stem(&name)))
            }
            _ => Err(no("the file name of a part is unknown, and no subtype is given")),
        },
    });
    generator.concatenate(forms.collect::<Expressed<Vec<PulumiValue>>>()?)
}

/// Reports the properties of a software configuration besides its text.
pub(super) fn lost_properties(
    generator: &ExprGenerator<'_>,
    name: &str,
    kind: &str,
    resource: &Resource,
) {
    if TextResource::of(kind) != Some(TextResource::SoftwareConfig) {
        return;
    }
    for lost in ["inputs", "outputs", "options"] {
        if let Some(value) = property(resource, lost) {
            let why = "only the text becomes a variable: Pulumi does not apply it to servers";
            let message = format!("`{lost}` of `{name}`: {why}");
            let loss = Loss::new(LossKind::Property, lost, message, value.span);
            generator.losses.borrow_mut().add(loss.with_owner(name));
        }
    }
}
