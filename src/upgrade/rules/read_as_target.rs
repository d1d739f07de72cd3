//! What can only fail in the declared version and means something in the target version.

use super::super::rule::{Rewrite, RewriteEffect, Rule};
use heat_template::hot::{ReinterpretedPart, Version};
use lossless_yaml::Document;
use source_diagnostics::Diagnostic;

pub(in crate::upgrade) static RULE: Rule = Rule {
    name: "read-as-target",
    summary: "what the declared version refuses is read as the target version reads it",
    effect: "conditional: the text does not change, an error becomes a value",
    documentation: "\
A section, a key or a function that the declared version lacks makes Heat refuse the template, or fail
on it: `conditions`, `condition`, `external_id`, `deletion_policy: retain` and functions such as `if`
before 2016-10-14, `tags` of a parameter before 2018-03-02, a call of a later function where only a
text or a list can stand. Nobody can rely on that, and with another date the same text means what its
author wrote. Such a place keeps its text and is reported (HP0410).

```yaml
heat_template_version: 2015-10-15   # before: Heat refuses the section `conditions`
conditions:
  production: {equals: [{get_param: stage}, production]}

heat_template_version: 2021-04-16   # after
conditions:
  production: {equals: [{get_param: stage}, production]}
```

A map that works as data in its place stays data: see `literal-call`. Once Heat refuses the template as
a whole, none of its maps ever worked, and all of them are read as calls.
",
    source: "Heat 27, template.Template.__init__, hot.template, properties.Property",
    // The engine asks the reader of templates, which knows what it read so.
    apply: |_, _| None,
};

/// What becomes of a part that is read as the target version reads it.
pub(in crate::upgrade) fn rewrite(part: &ReinterpretedPart, from: Version, to: Version) -> Rewrite {
    let meant = if to > from { format!("{} or later", part.since) } else { to.to_string() };
    let condition = format!("the author wrote it for version {meant}: Heat fails on it in {from}");
    Rewrite::exact(part.node, Vec::new()).with_effect(RewriteEffect::Conditional(condition))
}

/// So many names are in the sentence of the finding; the others stand at their places.
const MAX_NAMED: usize = 3;

/// The one finding for all such parts, which have one cause: the date of the template.
pub(in crate::upgrade) fn finding(
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
    let message = format!("invalid at its declared version {from}; at {to} it means {named}");
    let mut places = parts.iter().map(|part| (document.span(part.node), part.name.as_str()));
    let (span, name) = places.next()?;
    let finding = Diagnostic::new(crate::codes::READ_AS_TARGET, message).labeled(span, name);
    let finding = places.fold(finding, |finding, (span, name)| finding.related(span, name));
    let since = parts.iter().map(|part| part.since).max()?;
    let meant = if to > from { format!("{since} or later") } else { to.to_string() };
    Some(finding.help(format!("the template is probably meant as {meant}")))
}
