//! `custom_constraint`: the checks by name. Those that need no cloud are in [`OFFLINE_CHECKS`].
//!
//! Heat's rule: `docs/heat.md#custom_constraint`.

use super::{Verdict, cron, dns, ip, time};
use crate::eval::Value;
use crate::eval::python::{self, PythonException};
use heat_template::schema::Schema;
use python_semantics::ExceptionClass;

/// The result of a check; `Passed` if the value is valid.
pub(super) enum CheckOutcome {
    Passed,
    /// Not valid, without a further reason.
    Failed,
    /// Not valid, for this reason.
    FailedBecause(String),
    /// It depends on something unknown; the reason.
    Unknown(String),
}

type CheckFn = fn(&Value) -> Result<CheckOutcome, PythonException>;

/// Every check that needs no cloud. Source: `heat.engine.constraint`, Heat 27.0.1.
const OFFLINE_CHECKS: &[(&str, CheckFn)] = &[
    ("cron_expression", cron::cron_expression),
    ("dns_domain", dns::dns_domain),
    ("dns_name", dns::dns_name),
    ("expiration", time::expiration),
    ("ip_addr", ip::ip_addr),
    ("ip_or_cidr", ip::ip_or_cidr),
    ("iso_8601", time::iso_8601),
    ("json_string", json_string),
    ("mac_addr", ip::mac_addr),
    ("net_cidr", ip::net_cidr),
    ("rel_dns_name", dns::rel_dns_name),
    ("test_constr", test_constr),
    ("timezone", time::timezone),
    // These need a cloud, except for the empty string.
    ("keystone.domain", keystone::<0>),
    ("keystone.group", keystone::<1>),
    ("keystone.project", keystone::<2>),
    ("keystone.region", keystone::<3>),
    ("keystone.role", keystone::<4>),
    ("keystone.service", keystone::<5>),
    ("keystone.user", keystone::<6>),
    ("nova.keypair", keypair),
];

/// Whether a check can fail without a cloud, for a value that is not empty.
pub(in crate::eval) fn is_checked_offline(name: &str) -> bool {
    // Those of services are named after them.
    OFFLINE_CHECKS.iter().any(|(known, _)| *known == name && !known.contains('.'))
}

/// A `custom_constraint` with the name of its check.
#[derive(Debug)]
pub(super) struct CustomConstraint {
    name: Value,
    schema: &'static Schema,
}

impl CustomConstraint {
    pub(super) fn new(name: Value, schema: &'static Schema) -> Self {
        CustomConstraint { name, schema }
    }

    pub(super) fn check(&self, value: &Value) -> Result<Verdict, PythonException> {
        let name = match &self.name {
            Value::Text(name) => name.as_str(),
            Value::List(_) | Value::Map(_) | Value::Set(_) => {
                let kind = python::type_name(&self.name);
                return Err(PythonException::type_error(format!("unhashable type: '{kind}'")));
            }
            _ => "",
        };
        if !self.schema.custom_constraints.contains(&name) {
            return Ok(Verdict::Fails(format!(
                "\"{}\" does not validate {} (constraint not found)",
                python::str(value)?,
                python::str(&self.name)?
            )));
        }
        let Some((_, check)) = OFFLINE_CHECKS.iter().find(|(known, _)| *known == name) else {
            return Ok(unknown_without_cloud(name));
        };
        let value = value.unsealed();
        Ok(match check(value)? {
            CheckOutcome::Passed => Verdict::Holds,
            CheckOutcome::Unknown(why) if why.is_empty() => unknown_without_cloud(name),
            CheckOutcome::Unknown(why) => Verdict::Unknown(why),
            CheckOutcome::Failed => {
                Verdict::Fails(format!("Error validating value '{}'", python::str(value)?))
            }
            CheckOutcome::FailedBecause(why) => {
                Verdict::Fails(format!("Error validating value '{}': {why}", python::str(value)?))
            }
        })
    }
}

fn unknown_without_cloud(name: &str) -> Verdict {
    Verdict::Unknown(format!("only a cloud can check `{name}`"))
}

/// Python's error for a value without the attribute.
pub(super) fn no_attribute(value: &Value, attribute: &str) -> PythonException {
    let kind = python::type_name(value);
    PythonException::new(
        ExceptionClass::AttributeError,
        format!("'{kind}' object has no attribute '{attribute}'"),
    )
}

fn json_string(value: &Value) -> Result<CheckOutcome, PythonException> {
    if !python::truthy(value) {
        return Ok(CheckOutcome::Passed);
    }
    let Value::Text(text) = value else {
        return Err(PythonException::type_error(format!(
            "the JSON object must be str, bytes or bytearray, not {}",
            python::type_name(value)
        )));
    };
    Ok(match python::json_loads(text) {
        Ok(_) => CheckOutcome::Passed,
        Err(raised) => CheckOutcome::FailedBecause(format!(
            "JSON string {text} is invalid: {}",
            raised.message
        )),
    })
}

/// Heat sleeps for as many seconds as the value says, and checks nothing else.
fn test_constr(value: &Value) -> Result<CheckOutcome, PythonException> {
    match python::as_number(value) {
        None => Err(PythonException::type_error(format!(
            "'{}' object cannot be interpreted as an integer",
            python::type_name(value)
        ))),
        Some(python::Number::Float(value)) if value.is_nan() => {
            Err(PythonException::value_error("Invalid value NaN (not a number)"))
        }
        Some(_) => match python::compare_numbers(value, &Value::int(0)).flatten() {
            Some(std::cmp::Ordering::Less) => {
                Err(PythonException::value_error("sleep length must be non-negative"))
            }
            _ => Ok(CheckOutcome::Passed),
        },
    }
}

/// Heat's names for keystone entities, in the order of their checks in [`OFFLINE_CHECKS`].
const KEYSTONE_ENTITIES: [&str; 7] = [
    "KeystoneDomain",
    "KeystoneGroup",
    "KeystoneProject",
    "KeystoneRegion",
    "KeystoneRole",
    "KeystoneService",
    "KeystoneUser",
];

fn keystone<const ENTITY: usize>(value: &Value) -> Result<CheckOutcome, PythonException> {
    Ok(match value {
        Value::Text(text) if text.is_empty() => CheckOutcome::FailedBecause(format!(
            "The {} () could not be found.",
            KEYSTONE_ENTITIES[ENTITY]
        )),
        _ => CheckOutcome::Unknown(String::new()),
    })
}

fn keypair(value: &Value) -> Result<CheckOutcome, PythonException> {
    let empty = !python::truthy(value);
    Ok(if empty { CheckOutcome::Passed } else { CheckOutcome::Unknown(String::new()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: Value) -> Result<Verdict, PythonException> {
        CustomConstraint::new(Value::text(name), Schema::heat()).check(&value)
    }

    #[test]
    fn every_check_is_a_constraint_of_heat() {
        for (name, _) in OFFLINE_CHECKS {
            assert!(Schema::heat().custom_constraints.contains(name), "{name}");
        }
    }

    #[test]
    fn names_that_need_a_cloud_are_told_and_unknown_ones_fail() {
        assert!(matches!(check("nova.flavor", Value::text("m1")), Ok(Verdict::Unknown(_))));
        assert_eq!(check("nova.keypair", Value::text("")), Ok(Verdict::Holds));
        let fails = Verdict::Fails("\"x\" does not validate no.such (constraint not found)".into());
        assert_eq!(check("no.such", Value::text("x")), Ok(fails));
        assert!(
            CustomConstraint::new(Value::list(vec![]), Schema::heat()).check(&Value::Null).is_err()
        );
    }

    #[test]
    fn json_strings_are_read() {
        assert_eq!(check("json_string", Value::text("")), Ok(Verdict::Holds));
        assert_eq!(check("json_string", Value::text("[NaN]")), Ok(Verdict::Holds));
        assert!(matches!(check("json_string", Value::text("{'a': 1}")), Ok(Verdict::Fails(_))));
        assert!(check("json_string", Value::int(1)).is_err());
    }
}
