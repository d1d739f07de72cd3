//! The texts of Jinja2 templates, which cannot be compared as templates, for a reader.

use hotplate_diff::Pair;
use source_diagnostics::{MASK, SourceId};

/// The maximum size in bytes of a text that is shown; a longer one is no template that somebody wrote.
const MAX_BYTES: usize = 1 << 20;

/// The words that make a parameter secret, in lower case: of HOT and of CloudFormation.
const SECRECY: [&str; 2] = ["hidden", "noecho"];

/// Both texts without the defaults of parameters where one may be hidden: nobody can tell which, since neither is parsed. `None` if a
/// side is no text or is too long.
pub(super) fn shown_texts(sides: Pair<Option<Vec<u8>>>) -> Option<Pair<String>> {
    let text = |bytes: Option<Vec<u8>>| {
        let text = lossless_yaml::decode(SourceId(0), bytes?).ok()?;
        (text.len() <= MAX_BYTES).then_some(text)
    };
    let (old, new) = (text(sides.old)?, text(sides.new)?);
    let is_secret = [&old, &new].iter().any(|text| {
        let text = text.to_ascii_lowercase();
        SECRECY.iter().any(|word| text.contains(word))
    });
    Some(match is_secret {
        true => Pair { old: without_defaults(&old), new: without_defaults(&new) },
        false => Pair { old, new },
    })
}

/// The text with a mask for each default, also one of several lines.
fn without_defaults(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    // The indentation of the default that goes on.
    let mut inside: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        let is_statement = content.starts_with("{%") || content.starts_with("{#");
        let goes_on =
            |outer: usize| indent > outer || content.trim_end().is_empty() || is_statement;
        if inside.is_some_and(goes_on) {
            if !content.trim_end().is_empty() {
                shown.push_str(&format!("{}{MASK}\n", &line[..indent]));
            }
            continue;
        }
        inside = None;
        match end_of_key(line) {
            Some(end) => {
                shown.push_str(&format!("{} {MASK}\n", &line[..end]));
                inside = Some(indent);
            }
            None => shown.push_str(line),
        }
    }
    shown
}

/// The end of the first key `default` in a line, behind its colon.
fn end_of_key(line: &str) -> Option<usize> {
    const KEY: &str = "default";
    let lower = line.to_ascii_lowercase();
    lower.match_indices(KEY).find_map(|(at, _)| {
        let rest = &line[at + KEY.len()..];
        let rest = rest.trim_start_matches(['"', '\'']).trim_start();
        rest.starts_with(':').then(|| line.len() - rest.len() + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> Option<Pair<String>> {
        shown_texts(Pair { old: Some(old.into()), new: Some(new.into()) })
    }

    #[test]
    fn defaults_beside_a_hidden_parameter_are_masked() {
        for secret in [
            "default: xyzzy",
            "default : 'xyzzy'",
            "\"default\": \"xyzzy\"",
            "{default: xyzzy, type: string}",
            "Default: xyzzy",
            "default: |\n      xyzzy\n\n      xyzzy",
            "default:\n    {% if x %}\n{% endif %}\n      xyzzy",
            "default: >\n{% if x %}\n        xyzzy\n",
            "default:\r\n      xyzzy\r\n",
        ] {
            for hidden in ["hidden: true", "NoEcho: true"] {
                let text = format!("parameters:\n  p:\n    {secret}\n    {hidden}\n  after: it\n");
                for pair in [shown(&text, "{% x %}"), shown("{% x %}", &text), shown(&text, &text)]
                {
                    let pair = pair.expect("texts");
                    for side in [&pair.old, &pair.new] {
                        assert!(!side.contains("xyzzy"), "{text} {side}");
                    }
                    assert!(pair.old.contains("after: it") || pair.new.contains("after: it"));
                }
            }
        }
    }

    #[test]
    fn without_a_hidden_parameter_and_in_other_keys_everything_is_shown() {
        let text = "parameters:\n  default_flavor: {type: string, default: m1.small}\n";
        let pair = shown(text, text).expect("texts");
        assert_eq!(pair.old, text);
        assert_eq!(
            without_defaults("  default_flavor: m1.small\n"),
            "  default_flavor: m1.small\n"
        );
    }

    #[test]
    fn what_is_no_text_is_not_shown() {
        assert!(
            shown_texts(Pair { old: Some(vec![0xff, 0xfe, 0x00]), new: Some("a".into()) })
                .is_none()
        );
        assert!(shown_texts(Pair { old: None, new: Some("a".into()) }).is_none());
    }
}
