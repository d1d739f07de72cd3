//! The meaning and the arguments of functions, in a few words.
//!
//! Heat's rules: `docs/heat.md#functions`. Functions without a policy have their words in the table of the model.

use heat_template::cfn::CfnMeaning;
use heat_template::hot::FunctionMeaning as M;
use heat_template::ir::{
    AttributeFetch, BinaryFunction, JoinPolicy, RepeatSources, ReplaceKeys, ReplaceValues,
    SplitPolicy, UnaryFunction,
};

use super::Call;

/// A call as a snippet: `${1:name}` is a place to fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language_server) enum ArgumentShape {
    /// On one line.
    Line(&'static str),
    /// The lines of a map.
    Map(&'static [&'static str]),
}

impl Call {
    /// Its value, as a sentence without a full stop.
    pub(in crate::language_server) fn summary(self) -> &'static str {
        let shared = match self.meaning {
            CfnMeaning::Lookup => return "an entry of a mapping, by two keys",
            CfnMeaning::Attribute => return "an attribute of a resource",
            CfnMeaning::Not => return "true if a condition is false",
            CfnMeaning::Parameter => return "the value of a parameter",
            CfnMeaning::Sub | CfnMeaning::ConditionName | CfnMeaning::NotInHeat => {
                return "a function of CloudFormation that Heat does not have: the map stays as it is written";
            }
            CfnMeaning::Shared(shared) => shared,
        };
        match shared {
            M::Parameter => "the value of a parameter, or the item at a path in it",
            M::Resource => "the reference of a resource: for most types its id once it exists",
            M::Attribute { .. } => "an attribute of a resource, or the item at a path in it",
            M::Ref => "the reference of a resource, or the value of a parameter",
            M::File => "the content of a file, which is sent along with the template",
            M::Facade { .. } => "a part of the resource that this nested template implements",
            M::Zones => "the availability zones",
            M::Select => "an item of a list or of a map",
            M::Join(_) => "one string, joined from items with a delimiter",
            M::Split(_) => "the parts of a string between delimiters, or one of them",
            M::Replace(..) | M::ReplaceList => "a string with placeholders replaced",
            M::AssertText => "the string itself",
            M::MemberList => "a map from strings of the form `.member.0.name=value`",
            M::Repeat { .. } => "a list with a copy of a template for each combination of values",
            M::Unary(function) => function.facts().summary,
            M::Binary(function) => function.facts().summary,
            M::Yaql => "the result of a yaql expression over data",
            M::If { .. } => "one of two values, selected by a condition",
            M::Equals => "true if two values are equal",
            M::Not => "true if a condition is false",
            M::And => "true if all conditions are true",
            M::Or => "true if one of the conditions is true",
            M::Removed => "removed in this version: Heat refuses it",
            M::NotInCondition => "not allowed in a condition: Heat refuses it",
        }
    }

    /// The particularities of the function in the version of the template.
    pub(in crate::language_server) fn notes(self) -> Vec<&'static str> {
        let CfnMeaning::Shared(meaning) = self.meaning else { return vec![] };
        match meaning {
            M::Attribute { fetch, all } => {
                let fetch = match fetch {
                    AttributeFetch::WholeThenPath => "the path selects from the whole attribute",
                    AttributeFetch::PathToResource => "the resource itself follows the path",
                };
                let all =
                    all.then_some("without an attribute, the value is the map of all attributes");
                std::iter::once(fetch).chain(all).collect()
            }
            M::Join(JoinPolicy::TextItems) => vec!["items must be strings"],
            M::Join(JoinPolicy::AnyItems) => {
                vec!["lists and maps become JSON", "several lists may follow the delimiter"]
            }
            M::Split(SplitPolicy::NullStays) => vec!["null stays null"],
            M::Replace(values, keys) => {
                let values = match values {
                    ReplaceValues::Scalars => "a replacement must not be a list or a map",
                    ReplaceValues::Any => "lists and maps become JSON",
                };
                let keys = match keys {
                    ReplaceKeys::MayBeMissing => "a placeholder may be missing",
                    ReplaceKeys::MustOccur => "every placeholder must occur",
                    ReplaceKeys::MustOccurWithValue => {
                        "every placeholder must occur, and must not be replaced with nothing"
                    }
                };
                vec![values, keys]
            }
            M::Repeat { sources, permutations } => {
                let sources = match sources {
                    RepeatSources::Lists => "each source is a list",
                    RepeatSources::ListsOrMaps => {
                        "each source is a list, or a map whose keys are used"
                    }
                };
                let permutations = permutations
                    .then_some("`permutations: false` takes the items of all lists together");
                std::iter::once(sources).chain(permutations).collect()
            }
            M::If { optional: true } => {
                vec!["without a third argument, the item is left out if the condition is false"]
            }
            M::AssertText => vec!["anything else than a string is refused"],
            M::Facade { .. } => vec!["it fails in a template that nothing nests"],
            M::Parameter
            | M::Resource
            | M::Ref
            | M::File
            | M::Zones
            | M::Select
            | M::Split(SplitPolicy::TextOnly)
            | M::ReplaceList
            | M::MemberList
            | M::Unary(_)
            | M::Binary(_)
            | M::Yaql
            | M::If { optional: false }
            | M::Equals
            | M::Not
            | M::And
            | M::Or
            | M::Removed
            | M::NotInCondition => vec![],
        }
    }

    /// The arguments of the function.
    pub(in crate::language_server) fn argument(self) -> ArgumentShape {
        use ArgumentShape::{Line, Map};
        let shared = match self.meaning {
            CfnMeaning::Lookup => return Line("[${1:mapping}, ${2:key}, ${3:key}]"),
            CfnMeaning::Attribute => return Line("[${1:resource}, ${2:attribute}]"),
            CfnMeaning::Not => return Line("[${1:condition}]"),
            CfnMeaning::Parameter => return Line("${1:parameter}"),
            CfnMeaning::Sub => return Line("${1:string}"),
            CfnMeaning::ConditionName => return Line("${1:condition}"),
            CfnMeaning::NotInHeat => return Line("$1"),
            CfnMeaning::Shared(shared) => shared,
        };
        match shared {
            M::Parameter => Line("${1:parameter}"),
            M::Resource => Line("${1:resource}"),
            M::Attribute { .. } => Line("[${1:resource}, ${2:attribute}]"),
            M::Ref => Line("${1:name}"),
            M::File => Line("${1:path}"),
            M::Facade { cfn: false } => Line("${1:metadata}"),
            M::Facade { cfn: true } => Line("${1:Metadata}"),
            M::Zones => Line("${1:''}"),
            M::Select => Line("[${1:index}, ${2:collection}]"),
            M::Join(_) => Line("['${1:delimiter}', ${2:list}]"),
            M::Split(_) => Line("['${1:delimiter}', ${2:string}]"),
            M::Replace(..) => {
                Map(&["template: ${1:string}", "params:", "  ${2:placeholder}: ${3:value}"])
            }
            M::ReplaceList => Line("[${1:params}, ${2:template}]"),
            M::AssertText => Line("${1:string}"),
            M::MemberList => Line("[${1:Name}, ${2:Value}, ${3:list}]"),
            M::Repeat { .. } => {
                Map(&["for_each:", "  <%${1:item}%>: ${2:list}", "template: ${3:value}"])
            }
            M::Unary(UnaryFunction::Url) => Map(&["scheme: ${1:http}", "host: ${2:host}"]),
            M::Unary(UnaryFunction::MergeMaps) => Line("[${1:map}, ${2:map}]"),
            M::Unary(UnaryFunction::ReplaceInMap) => {
                Line("[${1:map}, { keys: ${2:map}, values: ${3:map} }]")
            }
            M::Unary(UnaryFunction::Concat | UnaryFunction::ConcatUnique) => {
                Line("[${1:list}, ${2:list}]")
            }
            M::Binary(BinaryFunction::Hash) => Line("[${1:sha256}, ${2:string}]"),
            M::Binary(BinaryFunction::Filter) => Line("[${1:values}, ${2:list}]"),
            M::Binary(BinaryFunction::Contains) => Line("[${1:value}, ${2:sequence}]"),
            M::Yaql => Map(&["expression: ${1:\\$.data}", "data: ${2:data}"]),
            M::If { .. } => Line("[${1:condition}, ${2:value}, ${3:otherwise}]"),
            M::Equals => Line("[${1:value}, ${2:value}]"),
            M::Not => Line("${1:condition}"),
            M::And | M::Or => Line("[${1:condition}, ${2:condition}]"),
            M::Removed | M::NotInCondition => Line("$1"),
        }
    }

    /// The keys of the argument, if it is a map; the required ones first.
    pub(in crate::language_server) fn argument_keys(self) -> &'static [&'static str] {
        let CfnMeaning::Shared(meaning) = self.meaning else { return &[] };
        match meaning {
            M::Replace(..) => &["template", "params"],
            M::Repeat { permutations: true, .. } => &["for_each", "template", "permutations"],
            M::Repeat { permutations: false, .. } => &["for_each", "template"],
            M::Yaql => &["expression", "data"],
            M::Unary(UnaryFunction::Url) => {
                &["scheme", "host", "port", "path", "query", "fragment", "username", "password"]
            }
            _ => &[],
        }
    }

    /// The call as a user writes it, with the names of the arguments.
    pub(in crate::language_server) fn signature(self) -> String {
        match self.argument() {
            ArgumentShape::Line(line) => format!("{}: {}", self.name, without_places(line)),
            ArgumentShape::Map(lines) => {
                let lines = lines.iter().map(|line| format!("\n  {}", without_places(line)));
                format!("{}:{}", self.name, lines.collect::<String>())
            }
        }
    }
}

/// A snippet as a text: the names of the places stay.
pub(in crate::language_server) fn without_places(snippet: &str) -> String {
    let mut text = String::with_capacity(snippet.len());
    let mut chars = snippet.chars().peekable();
    let mut is_in_place = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next()),
            '$' if chars.peek() == Some(&'{') => {
                chars.next();
                while chars.next_if(|it| it.is_ascii_digit() || *it == ':').is_some() {}
                is_in_place = true;
            }
            '$' => while chars.next_if(char::is_ascii_digit).is_some() {},
            '}' if is_in_place => is_in_place = false,
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::place::calls;
    use heat_template::cfn::CfnFormat;
    use heat_template::dialect::Dialect;
    use heat_template::hot::{CallContext, Version};

    #[test]
    fn the_signature_of_every_function_is_its_snippet_without_marks() {
        let dialects = Version::all().map(Dialect::Hot).chain(CfnFormat::ALL.map(Dialect::Cfn));
        for dialect in dialects {
            for call in [CallContext::Value, CallContext::Condition]
                .iter()
                .flat_map(|it| calls(dialect, *it))
            {
                let signature = call.signature();
                assert!(
                    signature.starts_with(call.name) && !signature.contains("${"),
                    "{signature}"
                );
            }
        }
    }

    #[test]
    fn marks_of_places_are_removed() {
        assert_eq!(
            without_places("[${1:a}, { keys: ${2:b} }] $0 \\$.data"),
            "[a, { keys: b }]  $.data"
        );
        assert_eq!(without_places("${1:\\$.data}"), "$.data");
    }

    #[test]
    fn the_meaning_of_a_version_is_in_the_notes() {
        let notes = |date: &str| {
            let (version, _) = Version::from_declaration(date).expect("a version");
            let all = calls(Dialect::Hot(version), CallContext::Value);
            all.iter().find(|call| call.name == "list_join").expect("there").notes()
        };
        assert_eq!(notes("2013-05-23"), ["items must be strings"]);
        assert!(notes("2018-08-31").contains(&"lists and maps become JSON"));
    }
}
