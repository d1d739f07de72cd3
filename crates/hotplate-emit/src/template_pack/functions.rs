//! The kinds of expressions that HOT's functions become, so that the templates in `expressions/` determine
//! which functions a target supports.

use heat_template::hot::FunctionMeaning;

/// The kinds of expressions that calls of a function can become.
pub(super) fn kinds(function: FunctionMeaning) -> Vec<&'static str> {
    let kinds: &[&str] = match function {
        FunctionMeaning::Unary(function) => &[function.facts().kind],
        FunctionMeaning::Binary(function) => &[function.facts().kind],
        FunctionMeaning::Parameter => &["parameter"],
        FunctionMeaning::Resource => &["resource"],
        FunctionMeaning::Attribute { .. } => &["attribute"],
        FunctionMeaning::Ref => &["parameter", "resource"],
        FunctionMeaning::File => &["file"],
        FunctionMeaning::Facade { .. } => &["facade"],
        FunctionMeaning::Zones => &["zones"],
        FunctionMeaning::Select => &["select"],
        FunctionMeaning::Join(_) => &["join"],
        FunctionMeaning::Split(_) => &["split"],
        FunctionMeaning::Replace(..) | FunctionMeaning::ReplaceList => &["replace"],
        FunctionMeaning::AssertText => &["assert_text"],
        FunctionMeaning::MemberList => &["member_list"],
        FunctionMeaning::Repeat { .. } => &["repeat"],
        FunctionMeaning::Yaql => &["yaql"],
        FunctionMeaning::If { .. } => &["choose"],
        FunctionMeaning::Equals => &["equals"],
        FunctionMeaning::Not => &["not"],
        FunctionMeaning::And => &["and"],
        FunctionMeaning::Or => &["or"],
        FunctionMeaning::Removed | FunctionMeaning::NotInCondition => &["invalid"],
    };
    kinds.to_vec()
}
