//! Types of Heat's own that are not objects of a cloud: values and texts become variables.

use super::expr_generator::{ExprGenerator, Inexpressible, ValueResult};
use super::value::PulumiValue;
use crate::emit::multipart::{self, MimeChunk};
use crate::emit::render_model::property;
use crate::emit::tree::DataTree;
use crate::emit::{Loss, LossKind, TargetSupport};
use heat_template::ir::{ExprKind, Resource};

/// What such a type becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeatOnlyType {
    /// A variable.
    Variable,
    /// A password of the provider `random`.
    RandomPassword,
    /// Nothing.
    Nothing,
}

const VALUE: &str = "OS::Heat::Value";
const SOFTWARE_CONFIG: &str = "OS::Heat::SoftwareConfig";
const CLOUD_CONFIG: &str = "OS::Heat::CloudConfig";
const MULTIPART: &str = "OS::Heat::MultipartMime";
const RANDOM_STRING: &str = "OS::Heat::RandomString";

/// Whether a type is one of these.
pub(super) fn heat_only_type(kind: &str) -> Option<HeatOnlyType> {
    match kind {
        VALUE | SOFTWARE_CONFIG | CLOUD_CONFIG | MULTIPART => Some(HeatOnlyType::Variable),
        RANDOM_STRING => Some(HeatOnlyType::RandomPassword),
        "OS::Heat::None" => Some(HeatOnlyType::Nothing),
        _ => None,
    }
}

/// What becomes of such a type, for tables that people read.
pub(super) fn type_support(kind: &str) -> Option<(Option<String>, TargetSupport)> {
    Some(match kind {
        VALUE => (Some("variable".to_owned()), TargetSupport::Full),
        SOFTWARE_CONFIG => {
            let how = "the text alone: nothing delivers it to servers".to_owned();
            (Some("variable".to_owned()), TargetSupport::Partial(how))
        }
        CLOUD_CONFIG => {
            (Some("variable".to_owned()), TargetSupport::Partial("the text, as JSON".to_owned()))
        }
        MULTIPART => {
            let how = "the text of parts that are written, with one boundary".to_owned();
            (Some("variable".to_owned()), TargetSupport::Partial(how))
        }
        RANDOM_STRING => {
            let how = "length; letters and digits".to_owned();
            (Some("random:RandomPassword".to_owned()), TargetSupport::Partial(how))
        }
        "OS::Heat::None" => (None, TargetSupport::Full),
        _ => return None,
    })
}

/// The value of the variable.
pub(super) fn value(speaker: &ExprGenerator<'_>, kind: &str, resource: &Resource) -> ValueResult {
    let given = |name: &str| property(resource, name);
    match kind {
        VALUE => match given("value") {
            Some(value) => speaker.expr(value),
            None => Ok(PulumiValue::Data(lossless_yaml::Value::Null)),
        },
        CLOUD_CONFIG => {
            let Some(config) = given("cloud_config") else { return Ok(PulumiValue::text("")) };
            // JSON is YAML for cloud-init.
            let json = DataTree::map([("fn::toJSON", speaker.expr(config)?.into_tree())]);
            let lines = DataTree::list(["#cloud-config".into(), json]);
            Ok(PulumiValue::call("fn::join", DataTree::list(["\n".into(), lines])))
        }
        MULTIPART => multipart(speaker, resource),
        _ => match given("config") {
            Some(config) => speaker.expr(config),
            None => Ok(PulumiValue::text("")),
        },
    }
}

/// The text of several parts.
fn multipart(speaker: &ExprGenerator<'_>, resource: &Resource) -> ValueResult {
    let lost = |why: &str| Inexpressible::function("get_resource", why, resource.name_span);
    let pieces = multipart::mime_chunks(resource).map_err(lost)?;
    let forms = pieces.into_iter().map(|piece| match piece {
        MimeChunk::Text(text) => Ok(PulumiValue::text(text)),
        MimeChunk::Value(value) => speaker.expr(value),
        MimeChunk::Stem(name) => match speaker.expr(name)? {
            PulumiValue::Data(lossless_yaml::Value::Text(name)) => {
                Ok(PulumiValue::text(multipart::known_stem(&name)))
            }
            _ => Err(lost("the name of a part's file is not known, and no subtype is given")),
        },
    });
    speaker.concatenate(forms.collect::<ValueResult<Vec<PulumiValue>>>()?)
}

/// What is said of a text besides the text.
pub(super) fn lost_properties(
    speaker: &ExprGenerator<'_>,
    name: &str,
    kind: &str,
    resource: &Resource,
) {
    if kind != SOFTWARE_CONFIG {
        return;
    }
    for lost in ["inputs", "outputs", "options"] {
        if let Some(value) = property(resource, lost) {
            let why = "the text alone becomes a variable, nothing delivers it to servers";
            let message = format!("`{lost}` of `{name}`: {why}");
            let loss = Loss::new(LossKind::Property, lost, message, value.span);
            speaker.losses.borrow_mut().add(loss.with_owner(name));
        }
    }
}

/// A random text.
pub(super) fn random(
    speaker: &ExprGenerator<'_>,
    name: &str,
    resource: &Resource,
) -> ValueResult<DataTree> {
    let length = match property(resource, "length") {
        Some(length) => speaker.expr(length)?,
        None => PulumiValue::Data(lossless_yaml::Value::Int(
            python_semantics::number::Integer::Small(32),
        )),
    };
    let pairs = match resource.properties.as_ref().map(|properties| &properties.kind) {
        Some(ExprKind::Map(pairs)) => pairs.as_slice(),
        _ => &[],
    };
    for pair in pairs {
        let property = pair.key.as_text().unwrap_or_default();
        // Letters and digits are the default of both.
        let is_default = property == "sequence" && pair.value.as_text() == Some("lettersdigits");
        if property != "length" && !is_default {
            let why = "the provider `random` makes letters and digits of one length";
            let kind = LossKind::Property;
            let lost =
                Inexpressible { kind, ..*Inexpressible::value(property, why, pair.value.span) };
            speaker.report_loss(&lost, name, pair.value.span);
        }
    }
    let properties = DataTree::map([
        ("length", length.into_tree()),
        ("special", lossless_yaml::Value::Bool(false).into()),
    ]);
    Ok(DataTree::map([("type", "random:RandomPassword".into()), ("properties", properties)]))
}
