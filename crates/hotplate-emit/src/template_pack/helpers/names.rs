//! Helpers that make valid names for the target.

use super::{Arguments, HelperValue, PackHelper, stateful};
use crate::template_pack::manifest::NameRules;
use crate::template_pack::state::RenderState;

pub(super) static HELPERS: &[PackHelper] =
    &[stateful("identifier", |state, arguments, _| identifier(state, arguments))];

fn identifier(state: &RenderState<'_>, arguments: &Arguments<'_, '_>) -> HelperValue {
    let text = arguments.text(0)?;
    let rule = &state.target.manifest.names;
    let name = by_rule(rule, &text);
    let Some(scope) = arguments.named_text("scope")? else { return Ok(name.into()) };
    let mut names = state.names();
    let (taken, given) = names.entry(scope).or_default();
    if let Some(name) = given.get(&text) {
        return Ok(name.clone().into());
    }
    let unique = taken.allocate(name.as_str(), |number| {
        let end = format!("{}{number}", rule.instead);
        let kept = rule.longest.saturating_sub(end.chars().count()).max(1);
        name.chars().take(kept).chain(end.chars()).collect()
    });
    given.insert(text, unique.clone());
    Ok(unique.into())
}

fn by_rule(rule: &NameRules, text: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || rule.extra.contains(c);
    let mut name = String::new();
    for c in text.chars() {
        if fits(c) {
            name.push(c);
        } else {
            name.push_str(&rule.instead);
        }
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, &rule.prefix);
    }
    let mut name: String = name.chars().take(rule.longest.max(1)).collect();
    while rule.reserved.contains(&name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule() {
        let rule =
            NameRules { reserved: vec!["if".to_owned()], longest: 6, ..NameRules::default() };
        for (text, name) in [
            ("a-b", "a_b"),
            ("1a", "n_1a"),
            ("if", "if_"),
            ("abcdefgh", "abcdef"),
            ("", "n_"),
            ("ä", "n__"),
        ] {
            assert_eq!(by_rule(&rule, text), name, "{text}");
        }
    }
}
