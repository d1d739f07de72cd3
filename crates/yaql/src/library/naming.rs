//! yaql's conventions for the names of functions and variables.

use std::borrow::Cow;

use python_semantics::ExceptionClass;

use crate::chars::{digit, is_word};
use crate::{Failure, Outcome};

/// The name under which `def` registers a function: `my_function_` becomes `myFunction`. Expressions do not
/// look names up this way.
pub(crate) fn registered(name: &str) -> Outcome<Cow<'_, str>> {
    if name.is_empty() {
        return Ok(Cow::Borrowed(name));
    }
    let name = name.trim_end_matches('_');
    let Some(first) = name.chars().next() else {
        return Err(Failure::new(ExceptionClass::IndexError, "string index out of range"));
    };
    if first.is_alphabetic() {
        return Ok(camel_case(name));
    }
    // `#kind#my_name`: the enclosed part does not change.
    let after = first.len_utf8();
    match name[after..].find(first) {
        Some(at) if at > 0 => {
            let (kind, rest) = name.split_at(after + at + after);
            Ok(Cow::Owned(format!("{kind}{}", camel_case(rest))))
        }
        _ => Ok(Cow::Borrowed(name)),
    }
}

/// `my_name` as `myName`.
fn camel_case(name: &str) -> Cow<'_, str> {
    if !name.contains('_') {
        return Cow::Borrowed(name);
    }
    let mut found = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letters.peek() {
            Some(&next) if letter == '_' && !found.is_empty() && is_word(next) => {
                letters.next();
                found.extend(next.to_uppercase());
            }
            _ => found.push(letter),
        }
    }
    Cow::Owned(found)
}

/// Whether a text begins with a keyword; yaql checks no further.
pub(crate) fn begins_with_keyword(text: &str) -> bool {
    let first = text.chars().next();
    !text.starts_with("__") && first.is_some_and(|c| is_word(c) && digit(c).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_registered_in_camel_case() {
        let names = [
            ("", ""),
            ("name", "name"),
            ("my_name_", "myName"),
            ("_my_name", "_my_name"),
            ("a__b", "a_b"),
            ("é_ß", "éSS"),
            ("#operator_+", "#operator_+"),
            ("#my_kind#my_name", "#my_kind#myName"),
        ];
        for (name, expected) in names {
            assert_eq!(registered(name).as_deref(), Ok(expected), "{name}");
        }
        assert_eq!(
            registered("__").map_err(|failure| failure.class()),
            Err(Some(ExceptionClass::IndexError))
        );
    }

    #[test]
    fn a_bare_word_begins_with_a_letter() {
        let words = ["a", "_a", "é b", "²"];
        let others = ["", "1", "__a", "-", "٣"];
        assert_eq!(words.map(begins_with_keyword), [true; 4]);
        assert_eq!(others.map(begins_with_keyword), [false; 5]);
    }
}
