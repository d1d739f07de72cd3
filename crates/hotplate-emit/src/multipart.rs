//! The text of an `OS::Heat::MultipartMime`, in chunks, for targets that concatenate strings.
//!
//! Source: `MultipartMime.get_message` of Heat's plugin. Heat generates a new boundary each time; here it
//! is constant.

use super::kit::{Expressed, Inexpressible};
use super::render_model::{Module, RenderModel, ResourceImplementation, property};
use heat_template::ir::{Expr, ExprKind, Resource};
use source_diagnostics::Span;

/// The boundary between the parts.
pub(super) const BOUNDARY: &str = "===============hotplate==";

/// The text before the parts.
pub(super) fn mime_header() -> String {
    format!("Content-Type: multipart/mixed; boundary=\"{BOUNDARY}\"\nMIME-Version: 1.0\n\n")
}

/// The text after the parts.
pub(super) fn mime_end() -> String {
    format!("--{BOUNDARY}--\n")
}

/// A part of a message.
#[derive(Clone, Copy, Debug)]
pub(super) enum MimePart<'e> {
    /// A text with its subtype, and the file name that it is sent with.
    Text { subtype: MimeSubtype<'e>, filename: Option<&'e Expr>, content: &'e Expr },
    /// The parts of a message that a nested template returns, with the resource of the template `module` that it is.
    NestedMessage { message: &'e Expr, module: &'e Module, resource: &'e Resource },
}

/// The subtype of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum MimeSubtype<'e> {
    Plain,
    Given(&'e Expr),
    /// A file name without its extension.
    StemOf(&'e Expr),
}

/// The parts of a message.
#[derive(Debug, Default)]
pub(super) struct MimeMessage<'e> {
    pub(super) parts: Vec<MimePart<'e>>,
    /// The parts that are unknown, which the message does not contain.
    pub(super) lost: Vec<Inexpressible>,
}

/// A chunk of the text.
#[derive(Clone, Debug)]
pub(super) enum MimeChunk<'e> {
    /// A string that is the same in every deployment.
    Text(String),
    /// A value from the template.
    Value(&'e Expr),
    /// A file name from the template, without its extension.
    Stem(&'e Expr),
    /// The parts of a message that a nested template returns, with the resource of the template `module` that it is.
    NestedMessage { message: &'e Expr, module: &'e Module, resource: &'e Resource },
}

impl<'e> MimeMessage<'e> {
    /// Reads the message of a resource of the module; an error if its parts are unknown as a whole.
    pub(super) fn of(
        model: &'e RenderModel<'_>,
        module: &'e Module,
        resource: &'e Resource,
    ) -> Expressed<Self> {
        let message = MimeMessage::default();
        let mut reader = MimeReader { model, module, message, within: Vec::new() };
        reader.parts(resource)?;
        Ok(reader.message)
    }

    /// The chunks of the text that Heat makes of the message.
    pub(super) fn chunks(&self) -> Vec<MimeChunk<'e>> {
        let mut out = vec![MimeChunk::Text(mime_header())];
        let text = |text: &str| MimeChunk::Text(text.to_owned());
        for part in &self.parts {
            let (subtype, filename, content) = match *part {
                MimePart::Text { subtype, filename, content } => (subtype, filename, content),
                MimePart::NestedMessage { message, module, resource } => {
                    out.push(MimeChunk::NestedMessage { message, module, resource });
                    continue;
                }
            };
            out.push(MimeChunk::Text(format!("--{BOUNDARY}\nContent-Type: text/")));
            out.push(match subtype {
                MimeSubtype::Plain => text("plain"),
                MimeSubtype::Given(subtype) => MimeChunk::Value(subtype),
                MimeSubtype::StemOf(filename) => MimeChunk::Stem(filename),
            });
            out.push(text(
                "; charset=\"utf-8\"\nMIME-Version: 1.0\nContent-Transfer-Encoding: 8bit\n",
            ));
            if let Some(filename) = filename {
                out.push(text("Content-Disposition: attachment; filename=\""));
                out.push(MimeChunk::Value(filename));
                out.push(text("\"\n"));
            }
            out.extend([text("\n"), MimeChunk::Value(content), text("\n")]);
        }
        out.push(MimeChunk::Text(mime_end()));
        out
    }
}

struct MimeReader<'e, 'm> {
    model: &'e RenderModel<'m>,
    module: &'e Module,
    message: MimeMessage<'e>,
    /// The messages that are being merged; each contains the next one.
    within: Vec<&'e Resource>,
}

impl<'e> MimeReader<'e, '_> {
    fn parts(&mut self, resource: &'e Resource) -> Expressed<()> {
        let parts: &[Expr] = match property(resource, "parts") {
            None | Some(Expr { kind: ExprKind::Null, .. }) => &[],
            Some(Expr { kind: ExprKind::List(parts), .. }) => parts,
            Some(computed) => {
                let why = "the list of parts is computed";
                return Err(Inexpressible::value("parts", why, computed.span));
            }
        };
        self.within.push(resource);
        parts.iter().for_each(|part| self.part(part));
        self.within.pop();
        Ok(())
    }

    fn part(&mut self, part: &'e Expr) {
        if !matches!(part.kind, ExprKind::Map(_)) {
            return self.lose("a part is computed", part.span);
        }
        let given = |name: &str| part.member(name).filter(|value| value.kind != ExprKind::Null);
        let Some(content) = given("config") else { return };
        match given("type").map(Expr::as_text) {
            None | Some(Some("text")) => {}
            Some(Some("multipart")) => return self.inner_message(content),
            Some(_) => return self.lose("the type of a part is computed", part.span),
        }
        let filename = given("filename");
        let subtype = match (given("subtype"), filename) {
            (Some(subtype), _) => MimeSubtype::Given(subtype),
            (None, Some(filename)) => MimeSubtype::StemOf(filename),
            (None, None) => MimeSubtype::Plain,
        };
        self.message.parts.push(MimePart::Text { subtype, filename, content });
    }

    /// Adds the parts of another message, as Heat does.
    fn inner_message(&mut self, message: &'e Expr) {
        match message_of(self.model, self.module, message) {
            Some((module, inner)) if !std::ptr::eq(module, self.module) => {
                let part = MimePart::NestedMessage { message, module, resource: inner };
                self.message.parts.push(part);
            }
            Some((_, inner)) if !self.within.contains(&inner) => {
                if let Err(lost) = self.parts(inner) {
                    self.message.lost.push(*lost);
                }
            }
            Some(_) | None => {
                let why = "only parts of another OS::Heat::MultipartMime can be merged";
                self.lose(why, message.span);
            }
        }
    }

    fn lose(&mut self, why: &str, span: Span) {
        let lost = Inexpressible::value("parts", why, span).suggesting("add the part by hand");
        self.message.lost.push(*lost);
    }
}

/// The resource, with its template, whose message an expression of the module refers to; `None` unless the message
/// certainly exists.
fn message_of<'e>(
    model: &'e RenderModel<'_>,
    module: &'e Module,
    expr: &Expr,
) -> Option<(&'e Module, &'e Resource)> {
    let (name, attribute) = match &expr.kind {
        ExprKind::Resource(name) => (name.as_text()?, None),
        ExprKind::Attribute(reference) if reference.path.is_empty() => {
            (reference.resource.as_text()?, Some(reference.attribute.as_ref()?.as_text()?))
        }
        _ => return None,
    };
    let resource = module.stack.resources.get(name).filter(|it| it.condition.is_none())?;
    match module.implementations.get(name)? {
        ResourceImplementation::ResourceType(kind)
            if kind == "OS::Heat::MultipartMime" && attribute.is_none_or(|it| it == "config") =>
        {
            Some((module, resource))
        }
        ResourceImplementation::Template(child) => {
            let child = model.module(*child);
            // The ID of a nested stack is that of a resource if it has such an output.
            let output = child.stack.outputs.get(attribute.unwrap_or("OS::stack_id"))?;
            let is_certain = output.condition.is_none();
            let value = output.value.as_ref().filter(|_| is_certain)?;
            message_of(model, child, value)
        }
        _ => None,
    }
}

/// A known file name without its extension, as Python's `os.path.splitext` splits it.
pub(super) fn known_stem(name: &str) -> &str {
    let base = name.rfind('/').map_or(0, |at| at + 1);
    let leading = name[base..].len() - name[base..].trim_start_matches('.').len();
    match name[base + leading..].rfind('.') {
        Some(at) => &name[..base + leading + at],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_program;

    #[test]
    fn stems_are_those_of_python() {
        let stems = ["part.sh", "a.d/part", ".bashrc", "a/b.tar.gz"].map(known_stem);
        assert_eq!(stems, ["part", "a.d/part", ".bashrc", "a/b.tar"]);
    }

    #[test]
    fn parts_of_inner_messages_are_merged_and_unknown_parts_lost_alone() {
        let root = "\
parameters: {given: {type: string}, parts: {type: json}}
conditions: {c: {equals: [{get_param: given}, x]}}
resources:
  inner: {type: OS::Heat::MultipartMime, properties: {parts: [{config: two, subtype: x-y}]}}
  optional: {type: OS::Heat::MultipartMime, condition: c}
  computed: {type: OS::Heat::MultipartMime, properties: {parts: {get_param: parts}}}
  nested: {type: nested.yaml}
  all:
    type: OS::Heat::MultipartMime
    properties:
      parts:
      - {config: one}
      - {config: {get_attr: [inner, config]}, type: multipart}
      - {config: {get_attr: [nested, message]}, type: multipart}
      - {config: {get_attr: [nested, text]}, type: multipart}
      - {config: {get_param: given}, type: multipart}
      - {config: {get_resource: optional}, type: multipart}
      - {config: {get_resource: computed}, type: multipart}
      - {config: {get_resource: all}, type: multipart}
      - {get_param: given}
      - {config: last, type: text}
";
        let nested = "\
resources:
  mime: {type: OS::Heat::MultipartMime}
outputs:
  message: {value: {get_resource: mime}}
  text: {value: text}
";
        with_program(&[("root.yaml", root), ("nested.yaml", nested)], &[], &[], |model, _| {
            let resources = &model.root().stack.resources;
            let message = MimeMessage::of(model, model.root(), &resources["all"]).expect("known");
            let chunks = message.chunks();
            let chunks = chunks.iter().map(|chunk| match chunk {
                MimeChunk::Text(text) => text.as_str(),
                MimeChunk::Value(value) | MimeChunk::Stem(value) => {
                    value.as_text().unwrap_or("{computed}")
                }
                MimeChunk::NestedMessage { .. } => "{nested}",
            });
            let text: String = chunks.collect();
            let body =
                text.strip_prefix(&mime_header()).and_then(|it| it.strip_suffix(&mime_end()));
            let part = |kind: &str, text: &str| {
                format!(
                    "--{BOUNDARY}\nContent-Type: text/{kind}; charset=\"utf-8\"\nMIME-Version: 1.0\n\
                     Content-Transfer-Encoding: 8bit\n\n{text}\n"
                )
            };
            let parts = [part("plain", "one"), part("x-y", "two"), "{nested}".to_owned()];
            let expected = parts.concat() + &part("plain", "last");
            assert_eq!(body, Some(expected.as_str()));
            let lost = message.lost.iter().map(|lost| lost.message.as_str());
            const FOREIGN: &str = "only parts of another OS::Heat::MultipartMime can be merged";
            let expected = [
                FOREIGN,
                FOREIGN,
                FOREIGN,
                "the list of parts is computed",
                FOREIGN,
                "a part is computed",
            ];
            assert_eq!(lost.collect::<Vec<_>>(), expected);
        });
    }
}
