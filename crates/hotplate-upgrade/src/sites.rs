//! Finds the sites: the parts of a template that a change of version may affect.

use super::rule::{BlockedRewrite, Site};
use heat_template::hot::{FunctionMeaning, LoweredHot, Version};
use lossless_yaml::Document;

/// The sites of a template, inner calls before the enclosing ones.
pub(super) struct Sites<'a> {
    pub(super) sites: Vec<Site<'a>>,
    /// Nodes that aliases share between contexts in which they have different meanings.
    pub(super) conflicts: Vec<BlockedRewrite>,
}

/// Finds the parts whose meaning differs in `to`.
pub(super) fn sites<'a>(document: &Document, lowered: &'a LoweredHot, to: Version) -> Sites<'a> {
    let mut found = Sites { sites: Vec::new(), conflicts: Vec::new() };
    // The old and new meaning of each node that was already visited as a call.
    let mut seen = vec![None; document.nodes().len()];
    for call in &lowered.calls {
        let target = call.function.meaning(to, call.place);
        // `if` in a condition is the only call with arguments in both contexts; the arguments of all others
        // have the context of the call.
        let meaning = (call.meaning, target);
        match seen[call.node.0 as usize].replace(meaning) {
            None => {}
            Some(before) if before == meaning => continue,
            Some(_) => {
                let message = "an alias shares this between a value and a condition";
                found.conflicts.push(BlockedRewrite::new(document.span(call.node), message));
                continue;
            }
        }
        // Lowering evaluates the literals from which `Fn::Select` selects an item, and these may change.
        if call.meaning != target || call.meaning == Some(FunctionMeaning::Select) {
            found.sites.push(Site::Call { call, target });
        }
    }
    let Some(root) = document.root() else { return found };
    for &entry in document.entries(root) {
        found.sites.push(Site::Section(entry));
        let members =
            document.entries(entry.value).iter().map(|member| document.resolve(member.value));
        match document.str(entry.key) {
            Some("outputs") => found.sites.extend(members.map(Site::Output)),
            Some("resources") => found.sites.extend(members.map(Site::Resource)),
            Some("parameters") => {
                for member in members {
                    found.sites.push(Site::Parameter(member));
                    let constraints = document.get(member, "constraints");
                    let entries = constraints
                        .map(|constraints| document.items(constraints))
                        .unwrap_or_default();
                    found.sites.extend(
                        entries.iter().map(|&entry| Site::Constraint(document.resolve(entry))),
                    );
                }
            }
            _ => {}
        }
    }
    found
}
