//! Replaces types of services that are gone. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(in crate) static RULE: Rule = Rule {
    name: "type-successor",
    summary: "a type of a service that is gone becomes its successor (`--modernize`)",
    effect: "conditional: an update of a running stack replaces the resource",
    documentation: "\
With `--modernize`, `OS::Neutron::LBaaS::*` becomes `OS::Octavia::*`, `OS::Magnum::BayModel` becomes `OS::Magnum::ClusterTemplate`,
and `OS::Nova::FloatingIP` becomes `OS::Neutron::FloatingIP`, with the names of properties and attributes that differ. The
successor must have every property and attribute that the template uses, and get every property that it requires; otherwise the
resource is reported with what to do. An update replaces the resource: `hotplate diff OLD NEW` shows what else that replaces.
`--exact-only` leaves such types as they are.
",
    source: "Heat 27, support status of the plugins",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
