//! Values and texts that Heat stores as resources become local values.

use super::hcl::Hcl;
use super::messages::cloudinit_message;
use super::scope::{ModuleScope, TypedHcl};
use super::text::printed;
use crate::kit::{Expressed, Inexpressible, TextResource};
use crate::multipart::{BOUNDARY, MimeChunk, MimeMessage, mime_end, mime_header};
use crate::render_model::property;
use heat_template::ir::Resource;
use heat_template::ir::types::TypeSet;

/// A type that becomes a local value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalResource {
    /// `OS::Heat::Value`
    Value,
    /// A resource that only holds a text, like a software configuration.
    Text(TextResource),
}

impl LocalResource {
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "OS::Heat::Value" => Some(LocalResource::Value),
            _ => TextResource::of(kind).map(LocalResource::Text),
        }
    }

    /// The attribute that returns the value.
    pub(super) fn attribute(self) -> &'static str {
        match self {
            LocalResource::Value => "value",
            LocalResource::Text(_) => "config",
        }
    }

    /// Whether the value is built from this property.
    pub(super) fn reads(self, property: &str) -> bool {
        match self {
            LocalResource::Value => ["value", "type"].contains(&property),
            LocalResource::Text(kind) => kind.property() == property,
        }
    }
}

impl ModuleScope<'_> {
    /// The value of such a resource; `lost` gets the parts that it does not contain.
    pub(super) fn local_value(
        &self,
        kind: LocalResource,
        resource: &Resource,
        lost: &mut Vec<Inexpressible>,
    ) -> Expressed<TypedHcl> {
        let find = |name: &str| property(resource, name);
        match kind {
            LocalResource::Value => match find("value") {
                Some(value) => {
                    let expressed = self.generate(value)?;
                    let wanted = find("type").and_then(|kind| kind.as_text());
                    Ok(typed(expressed, wanted))
                }
                None => Ok(TypedHcl::new(Hcl::Null, TypeSet::NULL)),
            },
            LocalResource::Text(TextResource::SoftwareConfig) => match find("config") {
                Some(config) => {
                    let expressed = self.generate(config)?;
                    Ok(TypedHcl::text(printed(&expressed)).safe_if(expressed.safe))
                }
                None => Ok(TypedHcl::text(Hcl::text(""))),
            },
            LocalResource::Text(TextResource::CloudConfig) => {
                let data = match find("cloud_config") {
                    Some(data) => self.generate(data)?.hcl,
                    None => Hcl::Object(vec![]),
                };
                let yaml = Hcl::call("yamlencode", [data]);
                let parts = Hcl::List(vec![Hcl::text("#cloud-config"), yaml]);
                Ok(TypedHcl::text(Hcl::call("join", [Hcl::text("\n"), parts])))
            }
            LocalResource::Text(TextResource::MultipartMime) => self.mime(resource, lost),
        }
    }

    /// The text of a multipart MIME message.
    fn mime(&self, resource: &Resource, lost: &mut Vec<Inexpressible>) -> Expressed<TypedHcl> {
        let message = MimeMessage::of(self.model, self.module, resource)?;
        let chunks = message.chunks();
        lost.extend(message.lost);
        let mut out = Vec::new();
        for piece in chunks {
            out.push(match piece {
                MimeChunk::Text(text) => Hcl::Text(text),
                MimeChunk::Value(value) => printed(&self.generate(value)?),
                MimeChunk::NestedMessage { message, module, resource } => {
                    let message = printed(&self.generate(message)?);
                    let is_text = cloudinit_message(self.model, module, resource).is_none();
                    if is_text {
                        let parts = Hcl::call("trimprefix", [message, Hcl::Text(mime_header())]);
                        Hcl::call("trimsuffix", [parts, Hcl::Text(mime_end())])
                    } else {
                        let kind = self.message_type(module, resource);
                        let header =
                            format!("--{BOUNDARY}\nContent-Type: {kind}\nMIME-Version: 1.0\n\n");
                        Hcl::concatenated([Hcl::Text(header), message, Hcl::text("\n")])
                    }
                }
                MimeChunk::Stem(name) => self.file_stem(name)?,
            });
        }
        Ok(TypedHcl::text(Hcl::concatenated(out)))
    }
}

/// A value converted according to the property `type` of `OS::Heat::Value`.
fn typed(expressed: TypedHcl, wanted: Option<&str>) -> TypedHcl {
    let text = |expressed: &TypedHcl| match &expressed.hcl {
        Hcl::Text(text) => Some(heat_engine::eval::Value::text(text.as_str())),
        _ => None,
    };
    let Some(kind) = wanted.and_then(heat_template::ir::ParameterType::from_hot_name) else {
        return expressed;
    };
    if let Some(value) = text(&expressed)
        && let Ok(value) = heat_engine::eval::parameters::coerce(&value, kind)
        && let Some(hcl) = super::literal::plain(&value)
    {
        let shape = heat_template::ir::types::parameter_type_set(kind);
        return TypedHcl { hcl, shape, ..expressed };
    }
    super::nested::converted(expressed, Some(kind))
}
