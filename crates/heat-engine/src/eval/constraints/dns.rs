//! Heat's constraints on DNS names.

use super::custom::{CheckOutcome, no_attribute};
use crate::eval::Value;
use crate::eval::python::{self, PythonException};

const MAX_NAME_LENGTH: usize = 255;
const MAX_LABEL_LENGTH: usize = 63;

/// Why a name is not valid; `None` if it is.
fn problem(name: &str) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    let trimmed = name.strip_suffix('.').unwrap_or(name);
    if trimmed.chars().count() > MAX_NAME_LENGTH {
        return Some(format!("'{trimmed}' exceeds the {MAX_NAME_LENGTH} character FQDN limit"));
    }
    let labels: Vec<&str> = trimmed.split('.').collect();
    for label in &labels {
        if label.is_empty() {
            return Some("Encountered an empty component.".to_owned());
        }
        if label.starts_with('-') || label.ends_with('-') {
            return Some(format!("Name '{label}' must not start or end with a hyphen."));
        }
        // Heat's regular expression accepts a trailing newline.
        let body = label.strip_suffix('\n').unwrap_or(label);
        let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=MAX_LABEL_LENGTH).contains(&body.len()) || !body.bytes().all(good) {
            return Some(format!(
                "Name '{label}' must be 1-{MAX_LABEL_LENGTH} characters long, each of which can only \
                 be alphanumeric or a hyphen."
            ));
        }
    }
    let top = labels.last().map_or("", |label| label.strip_suffix('\n').unwrap_or(label));
    let numeric = !top.is_empty() && top.bytes().all(|byte| byte.is_ascii_digit());
    (name.ends_with('.') && labels.len() > 1 && numeric)
        .then(|| format!("TLD '{top}' must not be all numeric."))
}

fn text_of(value: &Value) -> Result<&str, PythonException> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(no_attribute(other, "endswith")),
    }
}

pub(super) fn dns_name(value: &Value) -> Result<CheckOutcome, PythonException> {
    if !python::truthy(value) {
        return Ok(CheckOutcome::Passed);
    }
    let name = text_of(value)?;
    Ok(match problem(name) {
        None => CheckOutcome::Passed,
        Some(why) => {
            CheckOutcome::FailedBecause(format!("'{name}' not in valid format. Reason: {why}"))
        }
    })
}

pub(super) fn rel_dns_name(value: &Value) -> Result<CheckOutcome, PythonException> {
    if !python::truthy(value) {
        return Ok(CheckOutcome::Passed);
    }
    let name = text_of(value)?;
    if name.ends_with('.') {
        let why = format!("'{name}' is a FQDN. It should be a relative domain name.");
        return Ok(CheckOutcome::FailedBecause(why));
    }
    let length = name.chars().count();
    if length > MAX_NAME_LENGTH - 3 {
        return Ok(CheckOutcome::FailedBecause(format!(
            "'{name}' contains '{length}' characters. Adding a domain name will cause it to exceed \
             the maximum length of a FQDN of '{MAX_NAME_LENGTH}'."
        )));
    }
    dns_name(value)
}

pub(super) fn dns_domain(value: &Value) -> Result<CheckOutcome, PythonException> {
    if !python::truthy(value) {
        return Ok(CheckOutcome::Passed);
    }
    let name = text_of(value)?;
    Ok(match dns_name(value)? {
        CheckOutcome::Passed if !name.ends_with('.') => {
            CheckOutcome::FailedBecause(format!("'{name}' must end with '.'."))
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
        let well = |answer: Result<CheckOutcome, PythonException>| {
            matches!(answer, Ok(CheckOutcome::Passed))
        };
        assert!(well(rel_dns_name(&Value::text("a.b"))));
        assert!(!well(rel_dns_name(&Value::text("a.b."))));
        assert!(well(dns_domain(&Value::text("a.b."))));
        assert!(!well(dns_domain(&Value::text("a.b"))));
        assert!(dns_domain(&Value::int(1)).is_err());
    }
}
