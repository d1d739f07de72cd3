//! Parses the text of `Fn::Sub` with `${Name}`, `${Resource.Attribute}` and `${!literal}` in it.

/// A placeholder of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placeholder<'t> {
    /// As it is written, `${` and `}` included.
    pub(super) text: &'t str,
    /// The reference in it.
    pub(super) target: PlaceholderTarget<'t>,
}

/// The reference in a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceholderTarget<'t> {
    /// A variable, a parameter or a resource.
    Name(&'t str),
    /// An attribute of a resource.
    Attribute(&'t str, &'t str),
    /// The text `${…}` itself.
    Literal(&'t str),
}

/// The distinct placeholders of a text, in the order of their first occurrence.
pub(super) fn placeholders(text: &str) -> Vec<Placeholder<'_>> {
    let mut found: Vec<Placeholder<'_>> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let written = &rest[start..=start + length];
        rest = &rest[start + length + 1..];
        let name = &written[2..written.len() - 1];
        let what = match (name.strip_prefix('!'), name.split_once('.')) {
            (Some(literal), _) => PlaceholderTarget::Literal(literal),
            (None, Some((resource, attribute))) => {
                PlaceholderTarget::Attribute(resource.trim(), attribute.trim())
            }
            (None, None) => PlaceholderTarget::Name(name.trim()),
        };
        if !found.iter().any(|other| other.text == written) {
            found.push(Placeholder { text: written, target: what });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_names_attributes_and_literals() {
        let found = placeholders("${A}-${r.ip.v4} $x ${!B} ${A} ${AWS::Region} ${open");
        let what: Vec<_> = found.iter().map(|one| (one.text, one.target)).collect();
        assert_eq!(
            what,
            [
                ("${A}", PlaceholderTarget::Name("A")),
                ("${r.ip.v4}", PlaceholderTarget::Attribute("r", "ip.v4")),
                ("${!B}", PlaceholderTarget::Literal("B")),
                ("${AWS::Region}", PlaceholderTarget::Name("AWS::Region")),
            ]
        );
    }
}
