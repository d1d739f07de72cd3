//! Lowers a template again for a later version, when nothing but its version was replaced.
//!
//! The version decides what a key is, and what a map with one key is. A definition (of a parameter, a
//! resource or an output) without findings has keys, constraints and deletion policies of the earlier version only,
//! one kind in each constraint, and every later version has these. The maps with one key are the call sites of the
//! earlier lowering: where none inside a definition has another meaning now, the definition is the same.

use super::LoweredHot;
use crate::hot::version::Version;
use crate::ir::Stack;
use indexmap::IndexMap;
use lossless_yaml::{Document, Entry, NodeId, NodeKind};

/// The definitions of the same template in an earlier version.
pub(super) struct EarlierLowering<'d> {
    stack: &'d Stack,
    /// The call sites whose meaning is another one now, in order.
    changed_calls: Vec<NodeId>,
}

impl<'d> EarlierLowering<'d> {
    /// The part of `earlier` that can be kept: the result of lowering `before`, in the same document of `version`;
    /// `None` if the documents or the findings do not show that anything can.
    pub(super) fn new(
        before: &Document,
        earlier: &'d LoweredHot,
        document: &Document,
        version: Version,
    ) -> Option<Self> {
        let is_alias = |kind: &NodeKind| matches!(kind, NodeKind::Alias(_));
        if !document.shares_nodes(before)
            || earlier.stack.format.version > version.date()
            || !earlier.findings.is_empty()
            || !earlier.reinterpreted.is_empty()
            // A call site behind an alias is outside of the definition.
            || document.nodes().iter().any(|node| is_alias(&node.kind))
        {
            return None;
        }
        let is_changed =
            |call: &&super::CallSite| call.function.meaning(version, call.place) != call.meaning;
        let mut changed_calls: Vec<NodeId> =
            earlier.calls.iter().filter(is_changed).map(|call| call.node).collect();
        changed_calls.sort_unstable();
        Some(EarlierLowering { stack: &earlier.stack, changed_calls })
    }

    /// The definition at `member` among those of the earlier stack, with its name, if it is the same in both
    /// versions.
    pub(super) fn same<T: Clone>(
        &self,
        definitions: fn(&Stack) -> &IndexMap<String, T>,
        document: &Document,
        member: Entry,
    ) -> Option<(String, T)> {
        // A node comes after all its parts, and after its key.
        let after_key = self.changed_calls.partition_point(|call| *call <= member.key);
        if self.changed_calls.get(after_key).is_some_and(|call| *call <= member.value) {
            return None;
        }
        let definitions = definitions(self.stack);
        let (_, name, definition) = definitions.get_full(document.str(member.key)?)?;
        Some((name.clone(), definition.clone()))
    }
}

#[cfg(test)]
mod tests {
    use crate::hot::{DocumentKind, LoweredHot, Version, lower, lower_later, recognize};
    use lossless_yaml::{Document, Edits, Limits, read};
    use source_diagnostics::SourceId;

    fn lowered(document: &Document, version: Version) -> (LoweredHot, lossless_yaml::NodeId) {
        let DocumentKind::Hot { node, .. } = recognize(document) else { panic!("no template") };
        (lower(document, version, node), node)
    }

    const RESOURCES: &str = "
parameters:
  names: {type: comma_delimited_list, default: 'a,b'}
resources:
  plain:
    type: OS::Nova::Server
    depends_on: attribute
    properties: {name: {list_join: ['-', [{get_param: 'OS::stack_name'}, a]]}, networks: [{port: {get_resource: port}}]}
  port: {type: OS::Neutron::Port, properties: {network: {get_param: [names, 0]}}}
  attribute: {type: OS::Heat::Value, properties: {value: {get_attr: [plain, networks, private, 0]}}}
  data: {type: OS::Heat::Value, metadata: {if: [a, b, c]}, properties: {value: {str_split: [',', a]}}}
  replaced: {type: OS::Heat::Value, properties: {value: {str_replace: {template: $x, params: {$x: {get_param: names}}}}}}
  kept: {type: OS::Heat::None, deletion_policy: Retain, update_policy: {}, external_id: x}
  last: {type: OS::Heat::None}
outputs:
  o: {value: {get_attr: [plain, name]}}
";

    /// Lowers a template in every version, and again in every version after it, in both ways. The number of
    /// pairs of versions in which the earlier lowering was of use.
    fn compare(resources: &str) -> usize {
        let mut of_use = 0;
        for from in Version::all() {
            let text = format!("heat_template_version: {}\n{resources}", from.date());
            let before = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
            let (earlier, node) = lowered(&before, from);
            for to in Version::all() {
                let mut edits = Edits::new();
                edits.replace(before.span(node), to.date());
                let changed = edits.apply(&before).expect("a text");
                let after = before
                    .with_replaced_scalar(SourceId(1), &edits, &changed, &Limits::default())
                    .expect("a document");
                let expected = lower(&after, to, node);
                let found = lower_later(&after, to, node, &before, &earlier);
                assert_eq!(found.stack, expected.stack, "{from} to {to}");
                assert_eq!(found.findings, expected.findings, "{from} to {to}");
                of_use += usize::from(found.calls.len() < expected.calls.len());
            }
        }
        of_use
    }

    #[test]
    fn a_template_is_lowered_again_as_from_the_start() {
        assert!(compare(RESOURCES) > 0);
        let without = RESOURCES.replace("update_policy: {}, external_id: x", "update_policy: {}");
        assert!(compare(&without) > 0);
        let plain =
            without.replace("{if: [a, b, c]}", "{a: b}").replace("str_split: [',', a]", "a: b");
        assert!(compare(&plain) > 40, "{}", compare(&plain));
    }

    #[test]
    fn what_is_behind_an_alias_is_lowered() {
        let shared = RESOURCES
            .replace(
                "last: {type: OS::Heat::None}",
                "last: {type: OS::Heat::Value, properties: *p}",
            )
            .replace("properties: {value: {str_split", "properties: &p {value: {str_split");
        assert_eq!(compare(&shared), 0);
    }
}
