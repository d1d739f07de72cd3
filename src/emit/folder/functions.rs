//! Which kinds of expressions the functions of HOT are, so that the templates in `expressions/` tell
//! which functions a target says.

use heat_template::hot::Meaning;

/// The kinds that a function becomes: any of them may come of it.
pub(super) fn kinds(function: Meaning) -> &'static [&'static str] {
    match function {
        Meaning::Parameter => &["parameter"],
        Meaning::Resource => &["resource"],
        Meaning::Attribute { .. } => &["attribute"],
        Meaning::Ref => &["parameter", "resource"],
        Meaning::File => &["file"],
        Meaning::Facade { .. } => &["facade"],
        Meaning::Zones => &["zones"],
        Meaning::Select => &["select"],
        Meaning::Join(_) => &["join"],
        Meaning::Split(_) => &["split"],
        Meaning::Replace(..) | Meaning::ReplaceList => &["replace"],
        Meaning::AssertText => &["assert_text"],
        Meaning::MemberList => &["member_list"],
        Meaning::Hash => &["hash"],
        Meaning::Url => &["url"],
        Meaning::Repeat { .. } => &["repeat"],
        Meaning::MergeMaps => &["merge_maps"],
        Meaning::ReplaceInMap => &["replace_in_map"],
        Meaning::Concat { unique: false } => &["concat"],
        Meaning::Concat { unique: true } => &["concat_unique"],
        Meaning::Filter => &["filter"],
        Meaning::Contains => &["contains"],
        Meaning::Yaql => &["yaql"],
        Meaning::If { .. } => &["choose"],
        Meaning::Equals => &["equals"],
        Meaning::Not => &["not"],
        Meaning::And => &["and"],
        Meaning::Or => &["or"],
        Meaning::Removed | Meaning::NotInCondition => &["invalid"],
    }
}
