//! The state of resources that is known without a cloud: a table of states, and the known outputs of
//! nested stacks.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::functions::attribute;
use super::groups::HeatGroup;
use super::{PythonException, ResourceStates, Runtime, Value, python};
use heat_template::hot::GroupAttribute;
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
    fn output(
        &self,
        resource: &str,
        name: &Value,
        path: &[Value],
        fetch: AttributeFetch,
    ) -> Option<Value> {
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
            OutputMapping::Path(group) => {
                let requested = GroupAttribute::of(group, name, path, fetch);
                let name = match group {
                    // Lists that depend on the order of members are built elsewhere.
                    HeatGroup::AutoScalingGroup | HeatGroup::DeploymentGroup { .. } => return None,
                    HeatGroup::ResourceGroup if name == "refs" => name.to_string(),
                    HeatGroup::ResourceGroup | HeatGroup::ResourceChain => {
                        let passed = match fetch {
                            AttributeFetch::PathToResource => path,
                            AttributeFetch::WholeThenPath => &[],
                        };
                        let parts = passed.iter().map(|part| python::str(part.unsealed()).ok());
                        let parts = parts.collect::<Option<Vec<_>>>()?;
                        std::iter::once(name.to_string())
                            .chain(parts)
                            .collect::<Vec<_>>()
                            .join(", ")
                    }
                };
                (outputs.values.get(&name)?, requested.path)
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
        Ok(found.or_else(|| self.output(resource, attribute, path, fetch)))
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
