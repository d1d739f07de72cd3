//! What Terraform says of types and functions, for the tables that people read: the same answers that
//! the code acts on.

use super::software::Kept;
use crate::emit::{Says, provider};
use heat_engine::eval::GroupKind;
use heat_template::hot::Meaning;

/// What becomes of a type.
pub(super) fn says_type(name: &str) -> (Option<String>, Says) {
    if let Some(kept) = Kept::of(name) {
        let says = match kept {
            Kept::Value => Says::Whole,
            Kept::Config | Kept::CloudConfig | Kept::Mime => {
                Says::Partly("the text, not what agents on the servers do with it".to_owned())
            }
        };
        return (Some("local value".to_owned()), says);
    }
    match name {
        "OS::Heat::None" => return (Some("nothing".to_owned()), Says::Whole),
        "OS::Heat::RandomString" => {
            let why = "a variable takes its place: the provider makes no random text";
            return (Some("variable".to_owned()), Says::Partly(why.to_owned()));
        }
        _ => {}
    }
    match GroupKind::of(name) {
        Some(GroupKind::ResourceGroup) => {
            let why = "the last members go first: no removal policies";
            return (Some("count".to_owned()), Says::Partly(why.to_owned()));
        }
        Some(GroupKind::AutoScalingGroup) => {
            return (Some("count".to_owned()), Says::Partly("nothing scales it".to_owned()));
        }
        Some(GroupKind::ResourceChain | GroupKind::DeploymentGroup { .. }) | None => {}
    }
    provider::says_type(name)
}

/// How much of a function there is.
pub(super) fn says_function(function: Meaning) -> Says {
    let partly = |why: &str| Says::Partly(why.to_owned());
    let not = |why: &str| Says::Not(why.to_owned());
    match function {
        Meaning::Parameter
        | Meaning::File
        | Meaning::Zones
        | Meaning::Select
        | Meaning::AssertText
        | Meaning::MergeMaps
        | Meaning::Concat { .. }
        | Meaning::Filter
        | Meaning::Contains
        | Meaning::If { .. }
        | Meaning::Equals
        | Meaning::Not
        | Meaning::And
        | Meaning::Or => Says::Whole,
        Meaning::Ref | Meaning::Resource => {
            partly("of what the provider makes; modules and groups have no id")
        }
        Meaning::Attribute { all: true, .. } => {
            partly("what the provider reports, not all attributes at once")
        }
        Meaning::Attribute { all: false, .. } => partly("what the provider reports"),
        Meaning::Join(_) => partly("JSON of items keeps letters that are not ASCII"),
        Meaning::Split(_) => Says::Whole,
        Meaning::Replace(..) => partly("with placeholders that are written out"),
        Meaning::ReplaceInMap => partly("with a map of replacements that is written out"),
        Meaning::Hash => partly("md5, sha1, sha256, sha512, of ASCII text"),
        Meaning::Url => partly("of parts that are written out"),
        Meaning::Repeat { .. } => {
            partly("with placeholders that are written out and do not stand in each other's values")
        }
        Meaning::ReplaceList => partly("with placeholders that are written out"),
        Meaning::Facade { .. } => not("a module does not know what it stands for"),
        Meaning::MemberList => not("only where its value is known while rendering"),
        Meaning::Yaql => not("only where its value is known while rendering"),
        Meaning::Removed | Meaning::NotInCondition => not("Heat refuses it"),
    }
}
