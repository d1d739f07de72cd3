//! What Terraform says of types and functions, for the tables that people read: the same answers that
//! the code acts on.

use super::locals::LocalResource;
use crate::emit::{TargetSupport, openstack_provider};
use heat_engine::eval::GroupKind;
use heat_template::hot::FunctionMeaning;

/// What becomes of a type.
pub(super) fn type_support(name: &str) -> (Option<String>, TargetSupport) {
    if let Some(kept) = LocalResource::of(name) {
        let says = match kept {
            LocalResource::Value => TargetSupport::Full,
            LocalResource::Config | LocalResource::CloudConfig | LocalResource::Mime => {
                TargetSupport::Partial(
                    "the text, not what agents on the servers do with it".to_owned(),
                )
            }
        };
        return (Some("local value".to_owned()), says);
    }
    match name {
        "OS::Heat::None" => return (Some("nothing".to_owned()), TargetSupport::Full),
        "OS::Heat::RandomString" => {
            let why = "a variable takes its place: the provider makes no random text";
            return (Some("variable".to_owned()), TargetSupport::Partial(why.to_owned()));
        }
        _ => {}
    }
    match GroupKind::of(name) {
        Some(GroupKind::ResourceGroup) => {
            let why = "the last members go first: no removal policies";
            return (Some("count".to_owned()), TargetSupport::Partial(why.to_owned()));
        }
        Some(GroupKind::AutoScalingGroup) => {
            return (
                Some("count".to_owned()),
                TargetSupport::Partial("nothing scales it".to_owned()),
            );
        }
        Some(GroupKind::ResourceChain | GroupKind::DeploymentGroup { .. }) | None => {}
    }
    openstack_provider::type_support(name)
}

/// How much of a function there is.
pub(super) fn function_support(function: FunctionMeaning) -> TargetSupport {
    let partly = |why: &str| TargetSupport::Partial(why.to_owned());
    let not = |why: &str| TargetSupport::Unsupported(why.to_owned());
    match function {
        FunctionMeaning::Parameter
        | FunctionMeaning::File
        | FunctionMeaning::Zones
        | FunctionMeaning::Select
        | FunctionMeaning::AssertText
        | FunctionMeaning::MergeMaps
        | FunctionMeaning::Concat { .. }
        | FunctionMeaning::Filter
        | FunctionMeaning::Contains
        | FunctionMeaning::If { .. }
        | FunctionMeaning::Equals
        | FunctionMeaning::Not
        | FunctionMeaning::And
        | FunctionMeaning::Or => TargetSupport::Full,
        FunctionMeaning::Ref | FunctionMeaning::Resource => {
            partly("of what the provider makes; modules and groups have no id")
        }
        FunctionMeaning::Attribute { all: true, .. } => {
            partly("what the provider reports, not all attributes at once")
        }
        FunctionMeaning::Attribute { all: false, .. } => partly("what the provider reports"),
        FunctionMeaning::Join(_) => partly("JSON of items keeps letters that are not ASCII"),
        FunctionMeaning::Split(_) => TargetSupport::Full,
        FunctionMeaning::Replace(..) => partly("with placeholders that are written out"),
        FunctionMeaning::ReplaceInMap => partly("with a map of replacements that is written out"),
        FunctionMeaning::Hash => partly("md5, sha1, sha256, sha512, of ASCII text"),
        FunctionMeaning::Url => partly("of parts that are written out"),
        FunctionMeaning::Repeat { .. } => {
            partly("with placeholders that are written out and do not stand in each other's values")
        }
        FunctionMeaning::ReplaceList => partly("with placeholders that are written out"),
        FunctionMeaning::Facade { .. } => not("a module does not know what it stands for"),
        FunctionMeaning::MemberList => not("only where its value is known while rendering"),
        FunctionMeaning::Yaql => not("only where its value is known while rendering"),
        FunctionMeaning::Removed | FunctionMeaning::NotInCondition => not("Heat refuses it"),
    }
}
