//! The template's own data in another notation: `json`, `yaml`. Every text that is well-formed has one,
//! also where Heat would refuse it.

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
    /// The text as a tree.
    pub document: &'a Document,
    /// Leave out the section `capabilities`, which Heat does not know.
    pub strip_capabilities: bool,
}
impl<'a> PlainTemplate<'a> {
    /// What is asked for.
    fn from_request(request: &EmitRequest<'a>) -> Self {
        PlainTemplate {
            document: request.document,
            strip_capabilities: request.options.strip_capabilities,
        }
    }

    /// The whole as data; `None` for an empty text.
    fn data(self) -> Option<DataRoot<'a>> {
        let node = self.document.data(self.document.root()?);
        Some(DataRoot { node, without: self.strip_capabilities.then_some(CAPABILITIES) })
    }
}

/// A template as data, a section of it perhaps left out.
#[derive(Clone, Copy)]
struct DataRoot<'a> {
    node: NodeRef<'a>,
    /// The section that is left out; what is inside the root is whole.
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
