//! How much of types and functions Terraform supports, for generated tables: the same tables that
//! the translation uses.

use super::locals::LocalResource;
use crate::kit::TextResource;
use crate::{TargetSupport, openstack_provider};
use heat_engine::eval::HeatGroup;

/// The counterpart of a type, and how much of the type is supported.
pub(super) fn type_support(name: &str) -> (Option<String>, TargetSupport) {
    if let Some(kept) = LocalResource::of(name) {
        let says = match kept {
            LocalResource::Value => TargetSupport::Full,
            LocalResource::Text(_) => TargetSupport::Partial(
                "only the text: agents on the servers do not apply it".to_owned(),
            ),
        };
        let counterpart = match kept {
            LocalResource::Text(TextResource::MultipartMime) => "cloudinit_config",
            LocalResource::Value | LocalResource::Text(_) => "local value",
        };
        return (Some(counterpart.to_owned()), says);
    }
    if name == "OS::Heat::None" {
        return (Some("nothing".to_owned()), TargetSupport::Full);
    }
    match HeatGroup::of(name) {
        Some(HeatGroup::ResourceGroup) => {
            let why = "no removal policies: Terraform removes the last members first";
            return (Some("count".to_owned()), TargetSupport::Partial(why.to_owned()));
        }
        Some(HeatGroup::AutoScalingGroup) => {
            return (
                Some("count".to_owned()),
                TargetSupport::Partial("nothing scales the group".to_owned()),
            );
        }
        Some(HeatGroup::ResourceChain | HeatGroup::DeploymentGroup { .. }) | None => {}
    }
    openstack_provider::type_support(name)
}
