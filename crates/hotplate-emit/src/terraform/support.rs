//! How much of types and functions Terraform supports, for generated tables: the same tables that
//! the translation uses.

use super::locals::LocalResource;
use crate::kit::TextResource;
use crate::{TargetSupport, openstack_provider};
use heat_engine::eval::HeatGroup;
use heat_template::hot::FunctionMeaning;
use heat_template::ir::{BinaryFunction, UnaryFunction};

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

/// How much of a function is supported.
pub(super) fn function_support(function: FunctionMeaning) -> TargetSupport {
    let partly = |why: &str| TargetSupport::Partial(why.to_owned());
    let not = |why: &str| TargetSupport::Unsupported(why.to_owned());
    match function {
        FunctionMeaning::Parameter
        | FunctionMeaning::File
        | FunctionMeaning::Zones
        | FunctionMeaning::Select
        | FunctionMeaning::AssertText
        | FunctionMeaning::Unary(
            UnaryFunction::MergeMaps | UnaryFunction::Concat | UnaryFunction::ConcatUnique,
        )
        | FunctionMeaning::Binary(BinaryFunction::Filter | BinaryFunction::Contains)
        | FunctionMeaning::If { .. }
        | FunctionMeaning::Equals
        | FunctionMeaning::Not
        | FunctionMeaning::And
        | FunctionMeaning::Or => TargetSupport::Full,
        FunctionMeaning::Ref | FunctionMeaning::Resource => {
            partly("only of the provider's resources; modules and groups have no ID")
        }
        FunctionMeaning::Attribute { all: true, .. } => {
            partly("attributes that the provider reports, not all at once")
        }
        FunctionMeaning::Attribute { all: false, .. } => {
            partly("attributes that the provider reports")
        }
        FunctionMeaning::Join(_) => {
            partly("items that are serialized to JSON keep non-ASCII characters")
        }
        FunctionMeaning::Split(_) => TargetSupport::Full,
        FunctionMeaning::Replace(..) => partly("with placeholders that are written out"),
        FunctionMeaning::Unary(UnaryFunction::ReplaceInMap) => {
            partly("only if the map of replacements is a literal")
        }
        FunctionMeaning::Binary(BinaryFunction::Hash) => {
            partly("md5, sha1, sha256 and sha512, of ASCII strings")
        }
        FunctionMeaning::Unary(UnaryFunction::Url) => partly("only if the parts are literals"),
        FunctionMeaning::Repeat { .. } => {
            partly("only if the placeholders are literals and do not occur in each other's values")
        }
        FunctionMeaning::ReplaceList => partly("with placeholders that are written out"),
        FunctionMeaning::Facade { .. } => {
            not("a module cannot read the resource that it implements")
        }
        FunctionMeaning::MemberList => not("only where its value is known while rendering"),
        FunctionMeaning::Yaql => not("only where its value is known while rendering"),
        FunctionMeaning::Removed | FunctionMeaning::NotInCondition => not("Heat rejects it"),
    }
}
