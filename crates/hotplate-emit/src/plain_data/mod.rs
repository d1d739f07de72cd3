//! The template's data in another syntax: `json`, `yaml`. Every well-formed text has one,
//! even if Heat would reject it.

mod json;
mod yaml;

use super::EmitRequest;
use heat_template::hot::CAPABILITIES;
use lossless_yaml::{Document, NodeRef, ValueShape, ValueTree};
use source_diagnostics::{Diagnostic, Span};

pub(super) use json::Json;
pub(super) use yaml::Yaml;

/// A template as data.
#[derive(Clone, Copy, Debug)]
pub struct PlainTemplate<'a> {
    /// The template with its comments and spans.
    pub document: &'a Document,
    /// Whether to omit the section `capabilities`, which Heat does not support.
    pub strip_capabilities: bool,
}
impl<'a> PlainTemplate<'a> {
    fn from_request(request: &EmitRequest<'a>) -> Self {
        PlainTemplate {
            document: request.document,
            strip_capabilities: request.options.strip_capabilities,
        }
    }

    /// The whole template as data; `None` for an empty text.
    fn data(self) -> Option<DataRoot<'a>> {
        let node = self.document.data(self.document.root()?);
        Some(DataRoot { node, without: self.strip_capabilities.then_some(CAPABILITIES) })
    }
}

/// A template as data, with an optional section omitted.
#[derive(Clone, Copy)]
struct DataRoot<'a> {
    node: NodeRef<'a>,
    /// The section that is omitted at the root; nested values are complete.
    without: Option<&'static str>,
}

impl<'a> DataRoot<'a> {
    fn whole(node: NodeRef<'a>) -> Self {
        DataRoot { node, without: None }
    }
}

impl<'a> ValueTree<'a> for DataRoot<'a> {
    fn shape(self) -> ValueShape<'a> {
        self.node.shape()
    }

    fn item(self, index: usize) -> Option<Self> {
        self.node.item(index).map(DataRoot::whole)
    }

    fn pair(self, index: usize) -> Option<(Self, Self)> {
        let pair = match self.without {
            None => self.node.pair(index),
            Some(section) => {
                let stays = |(key, _): &(NodeRef<'_>, _)| key.shape() != ValueShape::Text(section);
                self.node.pairs().filter(stays).nth(index)
            }
        };
        pair.map(|(key, value)| (DataRoot::whole(key), DataRoot::whole(value)))
    }

    fn span(self) -> Option<Span> {
        self.node.span()
    }

    fn too_deep(self) -> Box<Diagnostic> {
        self.node.too_deep()
    }
}
