//! Software configurations, which Heat stores as resources, are inlined where they are used:
//! `OS::Heat::SoftwareConfig`, `OS::Heat::CloudConfig`, `OS::Heat::MultipartMime`.

use super::server::non_null;
use crate::cfn::plan::PlannedResource;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, ValueContext};
use crate::cfn::text::{FnSub, TO_JSON};
use crate::cfn::value::text_of;
use crate::kit::{Expressed, Inexpressible, TextResource};
use crate::multipart::{BOUNDARY, known_stem};
use crate::render_model::property;
use crate::tree::DataTree;
use heat_engine::eval::{Map, Value};
use source_diagnostics::Span;

impl TemplateBuilder<'_> {
    pub(in crate::cfn) fn config_text(
        &mut self,
        planned: &PlannedResource<'_>,
        span: Span,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let owner = planned.owner.clone();
        if !here.in_text && here.argument != "UserData" && here.argument != "Value" {
            let message = format!("AWS does not store software configurations (`{owner}`)");
            return Err(Inexpressible::function("get_resource", message, span));
        }
        let refused =
            |why: &str| Inexpressible::function("get_resource", format!("`{owner}` {why}"), span);
        self.inlined(&owner, refused, |it| match TextResource::of(&planned.kind) {
            Some(TextResource::SoftwareConfig) => match property(&planned.resource, "config") {
                Some(config) => it.expr(config, form("text"), here),
                None => Ok(DataTree::from("")),
            },
            Some(TextResource::CloudConfig) => it.cloud_config(planned, here),
            _ => it.mime(planned, here),
        })
    }

    /// Written as JSON, which is also YAML.
    fn cloud_config(
        &mut self,
        planned: &PlannedResource<'_>,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let config = property(&planned.resource, "cloud_config");
        let value = match config {
            Some(config) => self.fold(config, "cloud_config")?,
            None => Value::map::<&str>([]),
        };
        let mut sub = FnSub::default();
        sub.text("#cloud-config\n");
        // Quotes and line breaks in values that only AWS knows must be escaped.
        sub.tree(match value.holds_unknown() {
            true => DataTree::map([(TO_JSON, self.value(&value, form("data"), here.text())?)]),
            false => self.json(&value, here)?,
        });
        sub.text("\n");
        Ok(sub.finish())
    }

    fn mime(
        &mut self,
        planned: &PlannedResource<'_>,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let owner = &planned.owner;
        let no = |why: &str, span: Span| {
            Inexpressible::function("get_resource", format!("`{owner}`: {why}"), span)
        };
        let mut sub = FnSub::default();
        sub.text(&format!(
            "Content-Type: multipart/mixed; boundary=\"{BOUNDARY}\"\nMIME-Version: 1.0\n\n"
        ));
        if let Some(parts) = property(&planned.resource, "parts") {
            let value = self.fold(parts, "parts")?;
            let items = match value.unsealed() {
                Value::List(items) => std::sync::Arc::clone(items),
                Value::Null => std::sync::Arc::default(),
                _ => {
                    return Err(no(
                        "its parts must be a list that is known while rendering",
                        parts.span,
                    ));
                }
            };
            for item in items.iter() {
                let Value::Map(part) = item.unsealed() else {
                    return Err(no("a part of it is not known while rendering", parts.span));
                };
                self.mime_part(part, &mut sub, here, parts.span, &no)?;
            }
        }
        sub.text(&format!("--{BOUNDARY}--\n"));
        Ok(sub.finish())
    }

    fn mime_part(
        &mut self,
        part: &Map,
        sub: &mut FnSub,
        here: ValueContext<'_>,
        span: Span,
        no: &dyn Fn(&str, Span) -> Box<Inexpressible>,
    ) -> Expressed<()> {
        let constant = |name: &str| non_null(part, name).and_then(text_of);
        let Some(config) = non_null(part, "config") else { return Ok(()) };
        let tree = self.value(config, form("text"), ValueContext { span, ..here }.text())?;
        if constant("type").as_deref() == Some("multipart") {
            return Err(no("a part of it is itself a multipart message", span));
        }
        let filename = match non_null(part, "filename").map(text_of) {
            None => None,
            Some(Some(name)) => Some(name),
            Some(None) => return Err(no("a file name is not known while rendering", span)),
        };
        let subtype = match non_null(part, "subtype") {
            None => filename.as_deref().map_or("plain", known_stem).to_owned(),
            Some(value) => {
                text_of(value).ok_or_else(|| no("a subtype is not known while rendering", span))?
            }
        };
        sub.text(&format!("--{BOUNDARY}\nContent-Type: text/{subtype}; charset=\"utf-8\"\n"));
        sub.text("MIME-Version: 1.0\nContent-Transfer-Encoding: 8bit\n");
        if let Some(name) = filename {
            sub.text(&format!("Content-Disposition: attachment; filename=\"{name}\"\n"));
        }
        sub.text("\n");
        sub.tree(tree);
        sub.text("\n");
        Ok(())
    }
}
