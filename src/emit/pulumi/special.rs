//! Types of Heat's own that are not objects of a cloud: values and texts become variables.

use super::form::Form;
use super::speaker::{Lost, Said, Speaker};
use crate::emit::multipart::{self, Piece};
use crate::emit::program::property;
use crate::emit::tree::Tree;
use crate::emit::{Loss, LossKind, Says};
use heat_template::ir::{ExprKind, Resource};

/// What such a type becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// A variable.
    Variable,
    /// A password of the provider `random`.
    Random,
    /// Nothing.
    Nothing,
}

const VALUE: &str = "OS::Heat::Value";
const SOFTWARE_CONFIG: &str = "OS::Heat::SoftwareConfig";
const CLOUD_CONFIG: &str = "OS::Heat::CloudConfig";
const MULTIPART: &str = "OS::Heat::MultipartMime";
const RANDOM_STRING: &str = "OS::Heat::RandomString";

/// Whether a type is one of these.
pub(super) fn of(kind: &str) -> Option<Special> {
    match kind {
        VALUE | SOFTWARE_CONFIG | CLOUD_CONFIG | MULTIPART => Some(Special::Variable),
        RANDOM_STRING => Some(Special::Random),
        "OS::Heat::None" => Some(Special::Nothing),
        _ => None,
    }
}

/// What becomes of such a type, for tables that people read.
pub(super) fn says(kind: &str) -> Option<(Option<String>, Says)> {
    Some(match kind {
        VALUE => (Some("variable".to_owned()), Says::Whole),
        SOFTWARE_CONFIG => {
            let how = "the text alone: nothing delivers it to servers".to_owned();
            (Some("variable".to_owned()), Says::Partly(how))
        }
        CLOUD_CONFIG => (Some("variable".to_owned()), Says::Partly("the text, as JSON".to_owned())),
        MULTIPART => {
            let how = "the text of parts that are written, with one boundary".to_owned();
            (Some("variable".to_owned()), Says::Partly(how))
        }
        RANDOM_STRING => {
            let how = "length; letters and digits".to_owned();
            (Some("random:RandomPassword".to_owned()), Says::Partly(how))
        }
        "OS::Heat::None" => (None, Says::Whole),
        _ => return None,
    })
}

/// The value of the variable.
pub(super) fn value(speaker: &Speaker<'_>, kind: &str, resource: &Resource) -> Said {
    let given = |name: &str| property(resource, name);
    match kind {
        VALUE => match given("value") {
            Some(value) => speaker.expr(value),
            None => Ok(Form::Data(lossless_yaml::Value::Null)),
        },
        CLOUD_CONFIG => {
            let Some(config) = given("cloud_config") else { return Ok(Form::text("")) };
            // JSON is YAML for cloud-init.
            let json = Tree::map([("fn::toJSON", speaker.expr(config)?.into_tree())]);
            let lines = Tree::list(["#cloud-config".into(), json]);
            Ok(Form::call("fn::join", Tree::list(["\n".into(), lines])))
        }
        MULTIPART => multipart(speaker, resource),
        _ => match given("config") {
            Some(config) => speaker.expr(config),
            None => Ok(Form::text("")),
        },
    }
}

/// The text of several parts.
fn multipart(speaker: &Speaker<'_>, resource: &Resource) -> Said {
    let lost = |why: &str| Lost::function("get_resource", why, resource.name_span);
    let pieces = multipart::pieces(resource).map_err(lost)?;
    let forms = pieces.into_iter().map(|piece| match piece {
        Piece::Text(text) => Ok(Form::text(text)),
        Piece::Value(value) => speaker.expr(value),
        Piece::Stem(name) => match speaker.expr(name)? {
            Form::Data(lossless_yaml::Value::Text(name)) => Ok(Form::text(multipart::stem(&name))),
            _ => Err(lost("the name of a part's file is not known, and no subtype is given")),
        },
    });
    speaker.glue(forms.collect::<Said<Vec<Form>>>()?)
}

/// What is said of a text besides the text.
pub(super) fn lost_properties(speaker: &Speaker<'_>, name: &str, kind: &str, resource: &Resource) {
    if kind != SOFTWARE_CONFIG {
        return;
    }
    for lost in ["inputs", "outputs", "options"] {
        if let Some(value) = property(resource, lost) {
            let why = "the text alone becomes a variable, nothing delivers it to servers";
            let message = format!("`{lost}` of `{name}`: {why}");
            let loss = Loss::new(LossKind::Property, lost, message, value.span);
            speaker.losses.borrow_mut().add(loss.of(name));
        }
    }
}

/// A random text.
pub(super) fn random(speaker: &Speaker<'_>, name: &str, resource: &Resource) -> Said<Tree> {
    let length = match property(resource, "length") {
        Some(length) => speaker.expr(length)?,
        None => Form::Data(lossless_yaml::Value::Int(python_semantics::number::Integer::Small(32))),
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
            let lost = Lost { kind, ..*Lost::value(property, why, pair.value.span) };
            speaker.lose(&lost, name, pair.value.span);
        }
    }
    let properties = Tree::map([
        ("length", length.into_tree()),
        ("special", lossless_yaml::Value::Bool(false).into()),
    ]);
    Ok(Tree::map([("type", "random:RandomPassword".into()), ("properties", properties)]))
}
