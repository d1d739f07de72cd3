//! Writes types under the name of their implementation. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(in crate) static RULE: Rule = Rule {
    name: "type-name",
    summary: "another name of a type becomes the name of its implementation (`--modernize`)",
    effect: "exact: one plugin implements both names, so that a running stack does not replace the resource",
    documentation: "\
With `--modernize`, a type gets the name that Heat's registry maps it to: `OS::Quantum::Net` becomes `OS::Neutron::Net`,
`OS::Ceilometer::Alarm` becomes `OS::Aodh::Alarm`, `OS::Heat::SoftwareDeployments` becomes `OS::Heat::SoftwareDeploymentGroup`.
A type that an environment (`-e`, or one among the files) maps to something else keeps its name. In an environment, the types
that its registry maps to get their new names.
",
    source: "Heat 27, the global environment and Resource.check_is_substituted",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
