//! The short forms of CloudFormation's YAML: `!Ref x` for `{Ref: x}`, `!GetAtt a.b` for
//! `{"Fn::GetAtt": [a, b]}`. Heat's loaders do not read them.
//!
//! Heat's rule: `docs/heat.md#tags`.

use super::composer::Composer;
use crate::{Entry, MappingNode, Node, NodeId, NodeKind, NodeStyle, SmallSlice, TextValue};
use source_diagnostics::Diagnostic;

/// The long form's key for each tag.
const TAGS: [(&str, &str); 20] = [
    ("!Ref", "Ref"),
    ("!Condition", "Condition"),
    ("!GetAtt", "Fn::GetAtt"),
    ("!Sub", "Fn::Sub"),
    ("!Join", "Fn::Join"),
    ("!Select", "Fn::Select"),
    ("!Split", "Fn::Split"),
    ("!FindInMap", "Fn::FindInMap"),
    ("!GetAZs", "Fn::GetAZs"),
    ("!Base64", "Fn::Base64"),
    ("!If", "Fn::If"),
    ("!Equals", "Fn::Equals"),
    ("!Not", "Fn::Not"),
    ("!And", "Fn::And"),
    ("!Or", "Fn::Or"),
    ("!ImportValue", "Fn::ImportValue"),
    ("!Cidr", "Fn::Cidr"),
    ("!Transform", "Fn::Transform"),
    ("!Length", "Fn::Length"),
    ("!ToJsonString", "Fn::ToJsonString"),
];

/// The key of a tag's long form.
pub(super) fn long_form(tag: &str) -> Option<&'static str> {
    TAGS.iter().find(|(short, _)| *short == tag).map(|(_, long)| *long)
}

impl Composer<'_> {
    /// Wraps the node that was added last in the long form `{key: node}`.
    pub(super) fn expand_short_tag(&mut self, key: &'static str, inner: NodeId) -> NodeId {
        let Node { start, end, property_start, .. } = self.nodes[inner.0 as usize];
        self.children.pop();
        let tag = self.text[property_start as usize..start as usize].trim_end();
        let tag_end = property_start + tag.len() as u32;
        let value = match self.pair_of_names(key, inner) {
            Some(pair) => self.add(start, end, start, NodeStyle::Flow, pair),
            None => inner,
        };
        let name = NodeKind::Text(TextValue::Owned(key.into()));
        let key = self.add(property_start, tag_end, property_start, NodeStyle::Plain, name);
        let entries: SmallSlice<Entry> = std::iter::once(Entry { key, value }).collect();
        let map = NodeKind::Mapping(MappingNode { entries, written_entries: None });
        let map = self.add(property_start, end, property_start, NodeStyle::Flow, map);
        self.children.push(map);
        self.short_forms.push(key);
        map
    }

    /// `resource.attribute` as a list of two names; the attribute may contain dots.
    fn pair_of_names(&mut self, key: &str, inner: NodeId) -> Option<NodeKind> {
        let Node { start, end, property_start, style, ref kind } = self.nodes[inner.0 as usize];
        let NodeKind::Text(text) = kind else { return None };
        if key != "Fn::GetAtt" {
            return None;
        }
        let (resource, attribute) = text.of(self.text).split_once('.')?;
        let names = [resource, attribute].map(|name| NodeKind::Text(TextValue::Owned(name.into())));
        let names = names.map(|name| self.add(start, end, property_start, style, name));
        Some(NodeKind::Sequence(names.into_iter().collect()))
    }

    fn add(
        &mut self,
        start: u32,
        end: u32,
        property_start: u32,
        style: NodeStyle,
        kind: NodeKind,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { start, end, property_start, style, kind });
        id
    }

    /// One finding for all short forms.
    pub(super) fn report_short_forms(&mut self) {
        let mut spans: Vec<_> = self.short_forms.iter().map(|id| self.node_span(*id)).collect();
        spans.sort_by_key(|span| span.start);
        let Some(&first) = spans.first() else { return };
        let tag = &self.text[first.range()];
        let message = match spans.len() - 1 {
            0 => format!("Heat refuses YAML with the tag `{tag}`"),
            more => format!("Heat refuses YAML with the tag `{tag}` and {more} more short tags"),
        };
        let finding = Diagnostic::new(crate::codes::SHORT_TAG, message).at(first);
        self.findings.push(
            finding.help("`hotplate render --target heat-cfn` (or `hot`) writes the long forms"),
        );
    }
}
