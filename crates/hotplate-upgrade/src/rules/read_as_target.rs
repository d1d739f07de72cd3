//! Handles parts that can only fail in the declared version but are valid in the target version.

use crate::rule::{Rewrite, RewriteEffect, Rule};
use heat_template::hot::{ReinterpretedPart, Version};
use lossless_yaml::Document;
use source_diagnostics::Diagnostic;

pub(crate) static RULE: Rule = Rule {
    name: "read-as-target",
    summary: "a part that the declared version refuses is interpreted as in the target version",
    effect: "conditional: the text does not change, but an error becomes a value",
    documentation: include_str!("read-as-target.md"),
    source: "Heat 27, template.Template.__init__, hot.template, properties.Property",
    // The engine applies this rule: lowering records the parts.
    apply: |_, _| None,
};

/// The rewrite for a part that is interpreted as in the target version.
pub(crate) fn rewrite(part: &ReinterpretedPart, from: Version, to: Version) -> Rewrite {
    let meant = if to > from { format!("{} or later", part.since) } else { to.to_string() };
    let condition = format!("the author intended version {meant} (Heat fails on it in {from})");
    Rewrite::exact(part.node, Vec::new()).with_effect(RewriteEffect::Conditional(condition))
}

/// The maximum number of names in the message; the others appear in labels.
const MAX_NAMED: usize = 3;

/// The finding for all such parts, which have one cause: the declared version.
pub(crate) fn finding(
    parts: &[ReinterpretedPart],
    document: &Document,
    from: Version,
    to: Version,
) -> Option<Diagnostic> {
    let mut names: Vec<String> = Vec::new();
    for part in parts {
        let name = format!("the {}", part.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let mut named = names.join(", ");
    if more > 0 {
        named.push_str(&format!(" and {more} more"));
    }
    let message = format!("invalid in the declared version {from}; valid in {to}: {named}");
    let mut places = parts.iter().map(|part| (document.span(part.node), part.name.as_str()));
    let (span, name) = places.next()?;
    let finding = Diagnostic::new(crate::codes::READ_AS_TARGET, message).labeled(span, name);
    let finding = places.fold(finding, |finding, (span, name)| finding.related(span, name));
    let since = parts.iter().map(|part| part.since).max()?;
    let meant = if to > from { format!("{since} or later") } else { to.to_string() };
    Some(finding.help(format!("the template is probably intended for {meant}")))
}
