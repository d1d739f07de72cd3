//! Links from places into the code forge.

use std::str::FromStr;

use crate::report::diff::model::Inputs;
use hotplate_diff::Pair;
use python_semantics::url::quote;

const PATH: &str = "{path}";
const LINE: &str = "{line}";
const REVISION: &str = "{revision}";

/// The address of files in a code forge, from `--link-base`: an address with the placeholders `{path}`, `{line}` and
/// `{revision}`, or one that ends before the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkBase {
    /// The address with its placeholders; `{path}` is one of them.
    pattern: String,
}

/// The text is not an address that a page may link to.
#[derive(Debug, thiserror::Error)]
#[error("expected an address that begins with https:// or http://, such as {example}")]
pub struct InvalidLinkBase {
    example: &'static str,
}

impl FromStr for LinkBase {
    type Err = InvalidLinkBase;

    fn from_str(text: &str) -> Result<Self, InvalidLinkBase> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let is_plain =
            |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '\\');
        if !rest.is_some_and(|rest| !rest.is_empty() && text.chars().all(is_plain)) {
            let example = "https://git.example/team/stacks/blob/{revision}/{path}#L{line}";
            return Err(InvalidLinkBase { example });
        }
        let pattern = if text.contains(PATH) {
            text.to_owned()
        } else {
            format!("{}/{PATH}#L{LINE}", text.trim_end_matches('/'))
        };
        Ok(LinkBase { pattern })
    }
}

/// The side that a place is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceSide {
    Old,
    New,
}

/// The links of one page.
#[derive(Default)]
pub(super) struct ForgeLinks {
    base: Option<LinkBase>,
    /// The commits of both sides, if revisions are compared.
    commits: Option<Pair<Option<String>>>,
}

impl ForgeLinks {
    pub(super) fn new(base: Option<&LinkBase>, inputs: Option<&Inputs>) -> Self {
        let revisions =
            inputs.and_then(|it| it.old.revision.as_ref().zip(it.new.revision.as_ref()));
        let commits =
            revisions.map(|(old, new)| Pair { old: old.commit.clone(), new: new.commit.clone() });
        ForgeLinks { base: base.cloned(), commits }
    }

    /// The address of a line; `None` if the forge has no such file, or not with this line.
    pub(super) fn address(&self, side: PlaceSide, path: &str, line: u32) -> Option<String> {
        let pattern = self.base.as_ref()?.pattern.as_str();
        let is_outside = path.starts_with(['/', '<', '-']) || path.contains(':');
        if is_outside || path.is_empty() || path.split('/').any(|part| part == "..") {
            return None;
        }
        let commit = self.commits.as_ref().and_then(|commits| match side {
            PlaceSide::Old => commits.old.as_deref(),
            PlaceSide::New => commits.new.as_deref(),
        });
        if pattern.contains(REVISION) {
            commit?;
        } else if side == PlaceSide::Old && self.commits.is_some() {
            // Without the revision, the address is that of the new side, where the line is another one.
            return None;
        }
        Some(
            pattern
                .replace(REVISION, commit.unwrap_or_default())
                .replace(LINE, &line.to_string())
                .replace(PATH, &quote(path.strip_prefix("./").unwrap_or(path), "/")),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::diff::sample::inputs;

    fn links(base: &str, inputs: Option<&Inputs>) -> ForgeLinks {
        ForgeLinks::new(Some(&base.parse().expect("an address")), inputs)
    }

    #[test]
    fn a_place_leads_to_its_line_at_its_revision() {
        let (inputs, base) = (inputs(), "https://git.example/a/blob/{revision}/{path}?x#L{line}");
        let links = links(base, Some(&inputs));
        let old = links.address(PlaceSide::Old, "./a b/\"{line}.yaml", 7);
        let commit = "3f".repeat(20);
        let expected = format!("https://git.example/a/blob/{commit}/a%20b/%22%7Bline%7D.yaml?x#L7");
        assert_eq!(old, Some(expected));
    }

    #[test]
    fn a_base_without_placeholders_has_the_new_lines_only() {
        let inputs = inputs();
        let of_revisions = links("http://git.example/x/", Some(&inputs));
        let address = of_revisions.address(PlaceSide::New, "a.yaml", 3);
        assert_eq!(address.as_deref(), Some("http://git.example/x/a.yaml#L3"));
        assert_eq!(of_revisions.address(PlaceSide::Old, "a.yaml", 3), None);
        let of_files = links("http://git.example/x", None);
        assert!(of_files.address(PlaceSide::Old, "old.yaml", 3).is_some());
    }

    #[test]
    fn what_the_forge_does_not_have_is_not_linked() {
        let links = links("https://git.example", None);
        for path in ["/etc/x.yaml", "../x.yaml", "a/../../x", "https://a/b", "-", "<input>", ""] {
            assert_eq!(links.address(PlaceSide::New, path, 1), None, "{path}");
        }
        let with_revision = self::links("https://git.example/{revision}/{path}", None);
        assert_eq!(with_revision.address(PlaceSide::New, "a.yaml", 1), None);
        assert_eq!(ForgeLinks::default().address(PlaceSide::New, "a.yaml", 1), None);
    }

    #[test]
    fn only_addresses_of_pages_are_a_base() {
        for text in ["javascript:alert(1)", "", "https://", "https://a\"b", "data:x", "https://a b"]
        {
            assert!(text.parse::<LinkBase>().is_err(), "{text}");
        }
    }
}
