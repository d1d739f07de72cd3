//! `OS::Nova::Flavor`: AWS defines the instance types, so that a parameter takes the place of a flavor.

use crate::cfn::plan::PlannedResource;
use crate::cfn::template_builder::{ExtraParameter, TemplateBuilder};
use crate::cfn::value::text_of;
use crate::render_model::property;

/// The size of a flavor, in words.
const PARTS: [(&str, &str); 3] =
    [("vcpus", "CPUs"), ("ram", "MB of memory"), ("disk", "GB of disk")];

impl TemplateBuilder<'_> {
    /// The parameter that takes the place of a flavor; its description says what the flavor has.
    pub(in crate::cfn) fn instance_type_of(&mut self, planned: &PlannedResource<'_>) -> String {
        let parts = PARTS.iter().filter_map(|(name, what)| {
            let value = self.evaluator.constant(property(&planned.resource, name)?)?;
            let value = text_of(&value).filter(|_| !value.holds_secret())?;
            Some(format!("{value} {what}"))
        });
        let parts: Vec<String> = parts.collect();
        let with =
            if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) };
        let description =
            format!("an AWS instance type, in place of the flavor {}{with}", planned.owner);
        let demand =
            ExtraParameter { form: "instance_type", description, ..ExtraParameter::default() };
        self.add_demand(&format!("{}InstanceType", planned.id), demand)
    }
}
