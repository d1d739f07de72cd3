//! The state of resources that is known without a cloud: a table of states, and the known outputs of
//! nested stacks.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::functions::attribute;
use super::groups::HeatGroup;
use super::{PythonException, ResourceStates, Runtime, Value, python};
use heat_template::ir::AttributeFetch;

/// The known outputs of a nested stack.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChildOutputs {
    /// How attributes map to outputs.
    pub(super) mapping: OutputMapping,
    /// The known outputs by name.
    pub(super) values: IndexMap<String, Value>,
}

/// How attributes of a resource map to outputs of its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputMapping {
    /// The attribute is the output's name; the path leads into the value.
    Name,
    /// Attribute and path together form the output's name.
    Path(HeatGroup),
    /// One attribute contains all outputs.
    Outputs,
}

/// A table of states that falls back to outputs.
#[derive(Debug)]
pub(super) struct RuntimeWithOutputs<'a> {
    pub(super) table: &'a ResourceStates,
    pub(super) outputs: &'a IndexMap<String, ChildOutputs>,
}

impl RuntimeWithOutputs<'_> {
    fn output(&self, resource: &str, name: &Value, path: &[Value]) -> Option<Value> {
        let outputs = self.outputs.get(resource)?;
        let Value::Text(name) = name else { return None };
        let (value, path) = match outputs.mapping {
            OutputMapping::Name => (outputs.values.get(name.as_str())?, path),
            OutputMapping::Outputs if name == "outputs" => match path {
                [first, rest @ ..] => {
                    let Value::Text(first) = first.unsealed() else { return None };
                    (outputs.values.get(first.as_str())?, rest)
                }
                [] => return None,
            },
            OutputMapping::Outputs => return None,
            // Lists that depend on the order of members are built elsewhere.
            OutputMapping::Path(
                HeatGroup::AutoScalingGroup | HeatGroup::DeploymentGroup { .. },
            ) => return None,
            OutputMapping::Path(_) if name == "refs" => (outputs.values.get("refs")?, path),
            OutputMapping::Path(_) => {
                let parts = path.iter().map(|part| python::str(part.unsealed()).ok());
                let parts = parts.collect::<Option<Vec<_>>>()?;
                let whole = std::iter::once(name.to_string()).chain(parts).collect::<Vec<_>>();
                (outputs.values.get(&whole.join(", "))?, &[][..])
            }
        };
        attribute::select(value, path).ok()
    }
}

impl Runtime for RuntimeWithOutputs<'_> {
    fn is_ready(&self, resource: &str, all: bool) -> bool {
        self.table.is_ready(resource, all)
    }

    fn reference(&self, resource: &str) -> Option<Value> {
        self.table.reference(resource)
    }

    fn attribute(
        &self,
        resource: &str,
        attribute: &Value,
        path: &[Value],
        fetch: AttributeFetch,
    ) -> Result<Option<Value>, PythonException> {
        let found = self.table.attribute(resource, attribute, path, fetch)?;
        Ok(found.or_else(|| self.output(resource, attribute, path)))
    }

    fn attributes(&self, resource: &str) -> Result<Option<Value>, PythonException> {
        self.table.attributes(resource)
    }

    fn attribute_names(&self, resource: &str) -> BTreeSet<SmolStr> {
        self.table.attribute_names(resource)
    }

    fn accepts_any_attribute(&self, resource: &str) -> bool {
        self.table.accepts_any_attribute(resource)
    }
}
