//! `resource_facade`: a part of the resource that a nested template stands for.
//!
//! Heat's rule: `docs/heat.md#resource_facade`.

use crate::eval::inputs::Facade;
use crate::eval::{PythonException, Value, python};
use heat_template::ir::FacadePart;
use python_semantics::ExceptionClass;

/// The part of the resource; fails if the stack is not nested.
pub(in crate::eval) fn part(
    facade: Option<&Facade>,
    part: FacadePart,
) -> Result<Value, PythonException> {
    let Some(facade) = facade else {
        let name = match part {
            FacadePart::Metadata => "metadata_get",
            FacadePart::DeletionPolicy | FacadePart::UpdatePolicy => "t",
        };
        let message = format!("'NoneType' object has no attribute '{name}'");
        return Err(PythonException::new(ExceptionClass::AttributeError, message));
    };
    let or = |value: &Value, otherwise: Value| {
        if python::truthy(value) { value.clone() } else { otherwise }
    };
    Ok(match part {
        FacadePart::Metadata => or(&facade.metadata, Value::map::<&str>([])),
        FacadePart::UpdatePolicy => or(&facade.update_policy, Value::map::<&str>([])),
        FacadePart::DeletionPolicy => or(&facade.deletion_policy, Value::text("Delete")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_has_a_default() {
        let facade = Facade::default();
        let part = |wanted| part(Some(&facade), wanted);
        assert_eq!(part(FacadePart::DeletionPolicy), Ok(Value::text("Delete")));
        assert_eq!(part(FacadePart::Metadata), Ok(Value::map::<&str>([])));
        let missing = super::part(None, FacadePart::UpdatePolicy).map_err(|found| found.class);
        assert_eq!(missing, Err(ExceptionClass::AttributeError.into()));
    }
}
