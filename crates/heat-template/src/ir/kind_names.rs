//! The names of the kinds of expressions, as in their JSON form.

use super::ExprKind;
use super::functions::function_facts;

macro_rules! kinds {
    ($($variant:ident $name:literal,)*) => {
        impl ExprKind {
            /// The names of all kinds, in the order of the variants.
            pub fn names() -> impl Iterator<Item = &'static str> {
                [$($name),*].into_iter().chain(function_facts().map(|facts| facts.kind))
            }

            /// The name of the kind in the JSON form.
            pub fn name(&self) -> &'static str {
                match self {
                    $(ExprKind::$variant { .. } => $name,)*
                    ExprKind::Unary(function, _) => function.facts().kind,
                    ExprKind::Binary(function, _) => function.facts().kind,
                }
            }
        }
    };
}

kinds! {
    Null "null",
    Bool "bool",
    Int "int",
    Float "float",
    Text "text",
    Bytes "bytes",
    Date "date",
    Set "set",
    List "list",
    Map "map",
    Parameter "parameter",
    Resource "resource",
    Attribute "attribute",
    File "file",
    Facade "facade",
    Zones "zones",
    Lookup "lookup",
    Select "select",
    Join "join",
    Split "split",
    Replace "replace",
    AssertText "assert_text",
    Repeat "repeat",
    MemberList "member_list",
    Yaql "yaql",
    Choose "choose",
    Condition "condition",
    Equals "equals",
    Not "not",
    And "and",
    Or "or",
    Computed "computed",
    Invalid "invalid",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_schema() {
        let schema = serde_json::to_value(crate::ir::json::schema()).expect("JSON");
        let kinds = schema["$defs"]["Expr"]["oneOf"].as_array().expect("kinds");
        let kinds: Vec<_> = kinds
            .iter()
            .map(|kind| kind["properties"]["kind"]["const"].as_str().expect("a name"))
            .collect();
        assert_eq!(kinds, ExprKind::names().collect::<Vec<_>>());
    }
}
