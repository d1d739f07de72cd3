//! Values and texts that Heat keeps as resources: local values here.

use super::hcl::Hcl;
use super::scope::{Said, Saying, Scope, Unsayable};
use super::text::printed;
use crate::emit::multipart::{self, Piece};
use crate::emit::program::property;
use heat_template::ir::Resource;
use heat_template::ir::types::Shape;

/// A type that becomes a local value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// `OS::Heat::Value`
    Value,
    /// `OS::Heat::SoftwareConfig`
    Config,
    /// `OS::Heat::CloudConfig`
    CloudConfig,
    /// `OS::Heat::MultipartMime`
    Mime,
}

impl Kept {
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "OS::Heat::Value" => Some(Kept::Value),
            "OS::Heat::SoftwareConfig" => Some(Kept::Config),
            "OS::Heat::CloudConfig" => Some(Kept::CloudConfig),
            "OS::Heat::MultipartMime" => Some(Kept::Mime),
            _ => None,
        }
    }

    /// The attribute that tells it.
    pub(super) fn attribute(self) -> &'static str {
        match self {
            Kept::Value => "value",
            Kept::Config | Kept::CloudConfig | Kept::Mime => "config",
        }
    }

    /// Properties that it says.
    pub(super) fn properties(self) -> &'static [&'static str] {
        match self {
            Kept::Value => &["value", "type"],
            Kept::Config => &["config"],
            Kept::CloudConfig => &["cloud_config"],
            Kept::Mime => &["parts"],
        }
    }
}

impl Scope<'_> {
    /// The value of a resource that is kept.
    pub(super) fn kept(&self, kind: Kept, resource: &Resource) -> Saying {
        let find = |name: &str| property(resource, name);
        match kind {
            Kept::Value => match find("value") {
                Some(value) => {
                    let said = self.say(value)?;
                    let wanted = find("type").and_then(|kind| kind.as_text());
                    Ok(typed(said, wanted))
                }
                None => Ok(Said::new(Hcl::Null, Shape::NULL)),
            },
            Kept::Config => match find("config") {
                Some(config) => {
                    let said = self.say(config)?;
                    Ok(Said::text(printed(&said)).safe_if(said.safe))
                }
                None => Ok(Said::text(Hcl::text(""))),
            },
            Kept::CloudConfig => {
                let data = match find("cloud_config") {
                    Some(data) => self.say(data)?.hcl,
                    None => Hcl::Object(vec![]),
                };
                let yaml = Hcl::call("yamlencode", [data]);
                Ok(Said::text(Hcl::glued([Hcl::text("#cloud-config\n"), yaml])))
            }
            Kept::Mime => self.mime(resource),
        }
    }

    /// The parts of a MIME text.
    fn mime(&self, resource: &Resource) -> Saying {
        let lost = |why| Unsayable::function("parts", why, resource.name_span);
        let mut out = Vec::new();
        for piece in multipart::pieces(resource).map_err(lost)? {
            out.push(match piece {
                Piece::Text(text) => Hcl::Text(text),
                Piece::Value(value) => printed(&self.say(value)?),
                Piece::Stem(name) => match printed(&self.say(name)?) {
                    Hcl::Text(name) => Hcl::text(multipart::stem(&name)),
                    name => Hcl::call("replace", [name, Hcl::text("/\\.[^.]*$/"), Hcl::text("")]),
                },
            });
        }
        Ok(Said::text(Hcl::glued(out)))
    }
}

/// A value as the property `type` of `OS::Heat::Value` makes it.
fn typed(said: Said, wanted: Option<&str>) -> Said {
    let text = |said: &Said| match &said.hcl {
        Hcl::Text(text) => Some(heat_engine::eval::Value::text(text.as_str())),
        _ => None,
    };
    let kind = match wanted {
        Some("string") => heat_template::ir::ParameterType::Text,
        Some("number") => heat_template::ir::ParameterType::Number,
        Some("boolean") => heat_template::ir::ParameterType::Boolean,
        Some("comma_delimited_list") => heat_template::ir::ParameterType::TextList,
        Some("json") => heat_template::ir::ParameterType::Json,
        _ => return said,
    };
    if let Some(value) = text(&said)
        && let Ok(value) = heat_engine::eval::parameters::coerce(&value, kind)
        && let Some(hcl) = super::literal::plain(&value)
    {
        let shape = heat_template::ir::types::parameter_shape(kind);
        return Said { hcl, shape, ..said };
    }
    super::nested::converted(said, Some(kind))
}
