//! Names of the domain name system.

use super::custom::{Answer, no_attribute};
use crate::eval::Value;
use crate::eval::python::{self, Raised};

const LONGEST_NAME: usize = 255;
const LONGEST_LABEL: usize = 63;

/// What is wrong with a name, if anything is.
fn problem(name: &str) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    let trimmed = name.strip_suffix('.').unwrap_or(name);
    if trimmed.chars().count() > LONGEST_NAME {
        return Some(format!("'{trimmed}' exceeds the {LONGEST_NAME} character FQDN limit"));
    }
    let labels: Vec<&str> = trimmed.split('.').collect();
    for label in &labels {
        if label.is_empty() {
            return Some("Encountered an empty component.".to_owned());
        }
        if label.starts_with('-') || label.ends_with('-') {
            return Some(format!("Name '{label}' must not start or end with a hyphen."));
        }
        // A final line end slips through Heat's expression.
        let body = label.strip_suffix('\n').unwrap_or(label);
        let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=LONGEST_LABEL).contains(&body.len()) || !body.bytes().all(good) {
            return Some(format!(
                "Name '{label}' must be 1-{LONGEST_LABEL} characters long, each of which can only \
                 be alphanumeric or a hyphen."
            ));
        }
    }
    let top = labels.last().map_or("", |label| label.strip_suffix('\n').unwrap_or(label));
    let numeric = !top.is_empty() && top.bytes().all(|byte| byte.is_ascii_digit());
    (name.ends_with('.') && labels.len() > 1 && numeric)
        .then(|| format!("TLD '{top}' must not be all numeric."))
}

fn text_of(value: &Value) -> Result<&str, Raised> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(no_attribute(other, "endswith")),
    }
}

pub(super) fn dns_name(value: &Value) -> Result<Answer, Raised> {
    if !python::truthy(value) {
        return Ok(Answer::Well);
    }
    let name = text_of(value)?;
    Ok(match problem(name) {
        None => Answer::Well,
        Some(why) => Answer::Because(format!("'{name}' not in valid format. Reason: {why}")),
    })
}

pub(super) fn rel_dns_name(value: &Value) -> Result<Answer, Raised> {
    if !python::truthy(value) {
        return Ok(Answer::Well);
    }
    let name = text_of(value)?;
    if name.ends_with('.') {
        let why = format!("'{name}' is a FQDN. It should be a relative domain name.");
        return Ok(Answer::Because(why));
    }
    let length = name.chars().count();
    if length > LONGEST_NAME - 3 {
        return Ok(Answer::Because(format!(
            "'{name}' contains '{length}' characters. Adding a domain name will cause it to exceed \
             the maximum length of a FQDN of '{LONGEST_NAME}'."
        )));
    }
    dns_name(value)
}

pub(super) fn dns_domain(value: &Value) -> Result<Answer, Raised> {
    if !python::truthy(value) {
        return Ok(Answer::Well);
    }
    let name = text_of(value)?;
    Ok(match dns_name(value)? {
        Answer::Well if !name.ends_with('.') => {
            Answer::Because(format!("'{name}' must end with '.'."))
        }
        answer => answer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lower_case_labels() {
        for good in ["", "a", "a-b.example", "example.org.", "1.2", "a\n"] {
            assert_eq!(problem(good), None, "{good:?}");
        }
        let long = "a".repeat(64);
        for wrong in ["A", "-a", "a-.b", "a..b", ".", "a_b", "a.1.", &long] {
            assert!(problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn a_relative_name_has_no_point_at_its_end_and_a_domain_has() {
        let well = |answer: Result<Answer, Raised>| matches!(answer, Ok(Answer::Well));
        assert!(well(rel_dns_name(&Value::text("a.b"))));
        assert!(!well(rel_dns_name(&Value::text("a.b."))));
        assert!(well(dns_domain(&Value::text("a.b."))));
        assert!(!well(dns_domain(&Value::text("a.b"))));
        assert!(dns_domain(&Value::int(1)).is_err());
    }
}
