//! `OS::Heat::MultipartMime` as the data source `cloudinit_config` of the provider hashicorp/cloudinit.
//!
//! The provider requires a part, and text in each. A message without becomes the text that Heat makes of it, in a
//! local value.

use super::hcl::{Body, BodyItem, Hcl, HclBlock};
use super::locals::LocalResource;
use super::module::ModuleWriter;
use super::scope::{ModuleScope, Multiplicity, TypedHcl};
use super::text::printed;
use crate::kit::{Expressed, TextResource};
use crate::multipart::{self, MimeMessage, MimePart, MimeSubtype};
use crate::render_model::{Module, RenderModel};
use heat_engine::eval::Value;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, Resource};

/// The provider's name, its address and a release that has every argument that is written.
pub(super) const CLOUDINIT_PROVIDER: (&str, &str, &str) =
    ("cloudinit", "hashicorp/cloudinit", "2.3.7");

const DATA_SOURCE: &str = "cloudinit_config";

/// The provider's own boundary between parts.
const BOUNDARY: &str = "MIMEBOUNDARY";

/// The message of a resource of the module, if the provider can make it.
pub(super) fn cloudinit_message<'e>(
    model: &'e RenderModel<'_>,
    module: &'e Module,
    resource: &'e Resource,
) -> Option<MimeMessage<'e>> {
    let message = MimeMessage::of(model, module, resource).ok()?;
    let evaluator = model.evaluator(module);
    let is_empty = |content: &Expr| {
        evaluator.constant(content).is_some_and(|value| value.reveal().0 == Value::text(""))
    };
    let has_text = |part: &MimePart<'_>| match part {
        MimePart::Text { content, .. } => !is_empty(content),
        MimePart::NestedMessage { .. } => true,
    };
    (!message.parts.is_empty() && message.parts.iter().all(has_text)).then_some(message)
}

/// The boundary between the parts of the message of a resource, which differs from those inside of the parts.
pub(super) fn boundary(model: &RenderModel<'_>, module: &Module, resource: &Resource) -> String {
    match cloudinit_message(model, module, resource) {
        None => multipart::BOUNDARY.to_owned(),
        Some(message) => match depth(model, &message) {
            0 => BOUNDARY.to_owned(),
            depth => format!("{BOUNDARY}{depth}"),
        },
    }
}

/// How deep messages are nested in a message.
fn depth(model: &RenderModel<'_>, message: &MimeMessage<'_>) -> usize {
    let inner = message.parts.iter().filter_map(|part| match *part {
        MimePart::Text { .. } => None,
        MimePart::NestedMessage { module, resource, .. } => {
            MimeMessage::of(model, module, resource).ok()
        }
    });
    inner.map(|inner| depth(model, &inner) + 1).max().unwrap_or_default()
}

impl ModuleScope<'_> {
    /// The rendered text of a message.
    pub(super) fn rendered_message(&self, label: &str, copies: Multiplicity) -> TypedHcl {
        let message = Hcl::name(format!("data.{DATA_SOURCE}.{label}"));
        match copies {
            Multiplicity::One | Multiplicity::Many => TypedHcl::text(message.at("rendered")),
            Multiplicity::Optional => {
                let text = Hcl::call("one", [message.splat().at("rendered")]);
                TypedHcl::new(text, TypeSet::TEXT.union(TypeSet::NULL))
            }
        }
    }

    /// A file name without its extension.
    pub(super) fn file_stem(&self, name: &Expr) -> Expressed<Hcl> {
        Ok(match printed(&self.generate(name)?) {
            Hcl::Text(name) => Hcl::text(multipart::known_stem(&name)),
            name => Hcl::call("replace", [name, Hcl::text("/\\.[^.]*$/"), Hcl::text("")]),
        })
    }

    /// A message inside another one: its content type.
    pub(super) fn message_type(&self, module: &Module, resource: &Resource) -> String {
        format!("multipart/mixed; boundary=\"{}\"", boundary(self.model, module, resource))
    }
}

impl ModuleWriter<'_, '_> {
    /// The data source of a message.
    pub(super) fn message(
        &self,
        name: &str,
        resource: &Resource,
        label: &str,
        mut above: Vec<String>,
    ) -> Vec<BodyItem> {
        let (model, module) = (self.scope.model, self.scope.module);
        let Some(message) = cloudinit_message(model, module, resource) else { return Vec::new() };
        self.lose_other_properties(
            name,
            resource,
            LocalResource::Text(TextResource::MultipartMime),
        );
        let mut body = Body::new();
        if let Some(condition) = &resource.condition {
            let count = self.with_count(name, condition, Hcl::int(1), &mut above);
            body.push(BodyItem::argument("count", count));
        }
        body.push(BodyItem::argument("gzip", Hcl::Bool(false)));
        body.push(BodyItem::argument("base64_encode", Hcl::Bool(false)));
        let boundary = boundary(model, module, resource);
        if boundary != BOUNDARY {
            body.push(BodyItem::argument("boundary", Hcl::Text(boundary)));
        }
        let parts = message.parts.iter().map(|part| self.message_part(name, part));
        body.extend(parts.map(|part| BodyItem::block("part", &[], part)));
        for part in &message.lost {
            self.report_loss(part.loss(name));
            above.push(part.message.clone());
            above.extend(self.snippet(&part.subject, part.span));
        }
        let block = HclBlock::new("data", &[DATA_SOURCE, label], body);
        vec![BodyItem::Block(block.above(above))]
    }

    fn message_part(&self, name: &str, part: &MimePart<'_>) -> Body {
        let scope = self.scope;
        // A value that cannot be expressed becomes a variable.
        let argument = |argument: &str, value: Expressed<Hcl>, source: &Expr| {
            let mut above = Vec::new();
            let value = value.unwrap_or_else(|why| {
                above = self.report_inexpressible(name, "parts", &why, source.span);
                let description = format!("The {argument} of a part of {name}");
                Hcl::name(format!("var.{}", scope.fallback(name, &description, "string")))
            });
            BodyItem::commented(above, argument, value, None)
        };
        let text = |value: &Expr| Ok(printed(&scope.generate(value)?));
        match *part {
            MimePart::Text { subtype, filename, content } => {
                let (subtype, source) = match subtype {
                    MimeSubtype::Plain => (Ok(Hcl::text("plain")), content),
                    MimeSubtype::Given(subtype) => (text(subtype), subtype),
                    MimeSubtype::StemOf(filename) => (scope.file_stem(filename), filename),
                };
                let kind = subtype.map(|it| Hcl::concatenated([Hcl::text("text/"), it]));
                let filename = filename.map(|it| argument("filename", text(it), it));
                let kind = argument("content_type", kind, source);
                let content = argument("content", text(content), content);
                filename.into_iter().chain([kind, content]).collect()
            }
            MimePart::NestedMessage { message, module, resource } => {
                let kind = Hcl::Text(scope.message_type(module, resource));
                vec![
                    BodyItem::argument("content_type", kind),
                    argument("content", text(message), message),
                ]
            }
        }
    }
}
