//! The kinds of the words of a text, for highlighting that knows more than the syntax of YAML.

use std::ops::Range;

use gen_lsp_types::{
    SemanticToken, SemanticTokenModifiers, SemanticTokenTypes, SemanticTokens,
    SemanticTokensLegend, SemanticTokensParams, SemanticTokensRangeParams,
};
use heat_template::cfn::cfn_function;
use heat_template::dialect::Dialect;
use heat_template::hot::CallContext;
use lossless_yaml::{Document, NodeKind};

use super::file_view::FileView;
use super::names::{FileNames, NameKind, NameOwner, NameRole, Occurrence};
use super::snapshot::Snapshot;

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Function,
    Parameter,
    Resource,
    Condition,
    Output,
    Mapping,
    /// A property or an attribute of a resource.
    Property,
    ResourceType,
    Version,
}

/// The legend: what each kind is in the protocol, in the order of the declaration.
const LEGEND: [(TokenKind, SemanticTokenTypes); 9] = [
    (TokenKind::Function, SemanticTokenTypes::Function),
    (TokenKind::Parameter, SemanticTokenTypes::Parameter),
    (TokenKind::Resource, SemanticTokenTypes::Variable),
    (TokenKind::Condition, SemanticTokenTypes::EnumMember),
    (TokenKind::Output, SemanticTokenTypes::Event),
    (TokenKind::Mapping, SemanticTokenTypes::Enum),
    (TokenKind::Property, SemanticTokenTypes::Property),
    (TokenKind::ResourceType, SemanticTokenTypes::Type),
    (TokenKind::Version, SemanticTokenTypes::Macro),
];

/// The bit of the only modifier: the word declares what it names.
const DECLARATION: u32 = 1;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    bytes: Range<usize>,
    kind: TokenKind,
    is_declaration: bool,
}

/// The legend as the server announces it.
pub(super) fn legend() -> SemanticTokensLegend {
    let types = LEGEND.iter().map(|(_, kind)| String::from(kind.clone())).collect();
    SemanticTokensLegend::new(types, vec![SemanticTokenModifiers::Declaration.into()])
}

/// The answer to `textDocument/semanticTokens/full`.
pub(super) fn semantic_tokens(
    snapshot: &Snapshot,
    params: SemanticTokensParams,
) -> Option<SemanticTokens> {
    let view = snapshot.view_of(&params.text_document)?;
    encoded(snapshot, &view, 0..view.text.len())
}

/// The answer to `textDocument/semanticTokens/range`.
pub(super) fn semantic_tokens_of_range(
    snapshot: &Snapshot,
    params: SemanticTokensRangeParams,
) -> Option<SemanticTokens> {
    let view = snapshot.view_of(&params.text_document)?;
    let bytes = view.lines.bytes(&view.text, params.range, snapshot.session.unit);
    encoded(snapshot, &view, bytes)
}

/// The words within some bytes, each relative to the one before.
fn encoded(snapshot: &Snapshot, view: &FileView, within: Range<usize>) -> Option<SemanticTokens> {
    let names = snapshot.names_of(view)?;
    let mut data = Vec::new();
    let (mut line, mut column) = (0, 0);
    for token in tokens(view, &names)
        .iter()
        .filter(|it| it.bytes.end >= within.start && it.bytes.start <= within.end)
    {
        let range = snapshot.range(view, token.bytes.clone());
        if range.start.line != range.end.line {
            continue;
        }
        let (start, end) = (range.start, range.end);
        data.push(SemanticToken {
            delta_line: start.line - line,
            delta_start: if start.line == line {
                start.character - column
            } else {
                start.character
            },
            length: end.character - start.character,
            token_type: LEGEND
                .iter()
                .position(|(kind, _)| *kind == token.kind)
                .and_then(|at| u32::try_from(at).ok())
                .unwrap_or_default(),
            token_modifiers_bitset: if token.is_declaration { DECLARATION } else { 0 },
        });
        (line, column) = (start.line, start.character);
    }
    Some(SemanticTokens::new(None, data))
}

/// The words of a file in their order; no two overlap.
fn tokens(view: &FileView, names: &FileNames) -> Vec<Token> {
    let mut tokens: Vec<Token> = names.occurrences.iter().map(of_name).collect();
    let mut add = |kind, bytes| tokens.push(Token { bytes, kind, is_declaration: false });
    names
        .registry
        .iter()
        .for_each(|it| add(TokenKind::ResourceType, unquoted(view, it.bytes.clone())));
    names
        .nested
        .iter()
        .for_each(|it| add(TokenKind::ResourceType, unquoted(view, it.bytes.clone())));
    if let (Some(document), Some(template)) = (view.document(), view.template()) {
        add(TokenKind::Version, unquoted(view, template.stack.format.span.range()));
        for kind in template.stack.resources.values().filter_map(|it| it.kind.as_ref()) {
            add(TokenKind::ResourceType, unquoted(view, kind.span.range()));
        }
        let dialect = Dialect::of(&template.stack.format);
        calls(document, dialect)
            .into_iter()
            .for_each(|it| add(TokenKind::Function, unquoted(view, it)));
    }
    tokens.sort_by_key(|it| (it.bytes.start, it.bytes.end));
    let mut end = 0;
    tokens.retain(|it| {
        let is_free = it.bytes.start >= end && !it.bytes.is_empty();
        end = if is_free { it.bytes.end } else { end };
        is_free
    });
    tokens
}

fn of_name(occurrence: &Occurrence) -> Token {
    let kind = match (occurrence.kind, occurrence.owner) {
        // As far as the file alone shows it, these are a property and an attribute.
        (NameKind::Parameter | NameKind::Output, NameOwner::Nested(_)) => TokenKind::Property,
        (NameKind::Parameter, _) => TokenKind::Parameter,
        (NameKind::Resource, _) => TokenKind::Resource,
        (NameKind::Condition, _) => TokenKind::Condition,
        (NameKind::Output, _) => TokenKind::Output,
        (NameKind::Mapping, _) => TokenKind::Mapping,
    };
    let is_declaration = occurrence.role == NameRole::Declaration;
    Token { bytes: occurrence.bytes.clone(), kind, is_declaration }
}

/// The bytes of a scalar without its quotes.
fn unquoted(view: &FileView, bytes: Range<usize>) -> Range<usize> {
    let text = view.text.get(bytes.clone()).unwrap_or_default();
    match text.starts_with(['"', '\'']) && text.len() > 1 {
        true => bytes.start + 1..bytes.end - 1,
        false => bytes,
    }
}

/// The names of the functions that a template calls.
fn calls(document: &Document, dialect: Dialect) -> Vec<Range<usize>> {
    let Some(root) = document.root() else { return Vec::new() };
    // The values of parameters are never computed.
    let is_computed =
        |name: &str| !["parameters", "mappings"].iter().any(|it| it.eq_ignore_ascii_case(name));
    let sections: Vec<Range<usize>> = document
        .entries(root)
        .iter()
        .filter(|section| document.str(section.key).is_some_and(is_computed))
        .map(|section| document.span(section.value).range())
        .collect();
    let is_function = |name: &str| match dialect {
        Dialect::Hot(_) => [CallContext::Value, CallContext::Condition]
            .into_iter()
            .any(|place| dialect.meaning(name, place).is_some()),
        Dialect::Cfn(_) => cfn_function(name).is_some(),
    };
    let maps = document.nodes().iter().filter_map(|node| match &node.kind {
        NodeKind::Mapping(mapping) => Some(mapping.written()),
        _ => None,
    });
    let calls = maps.filter_map(|entries| match entries {
        [call] => document
            .str(call.key)
            .filter(|name| is_function(name))
            .map(|_| document.span(call.key).range()),
        _ => None,
    });
    calls
        .filter(|it| {
            sections.iter().any(|section| section.start <= it.start && it.end <= section.end)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;

    #[test]
    fn words_are_what_they_mean() {
        let text = "heat_template_version: 2021-04-16
parameters: {'size': {type: string, default: {get_param: size}}}
resources: {box: {type: OS::Nova::Server, properties: {flavor: {get_param: size}}}}
outputs: {ip: {value: {get_attr: [box, show]}}}
";
        let project = TestProject::new(&[("root.yaml", text)]);
        let view = project.snapshot.view(&project.path).expect("readable");
        let names = project.snapshot.names_of(&view).expect("names");
        let found = tokens(&view, &names);
        let found: Vec<_> = found.iter().map(|it| (&text[it.bytes.clone()], it.kind)).collect();
        assert_eq!(
            found,
            [
                ("2021-04-16", TokenKind::Version),
                ("size", TokenKind::Parameter),
                ("box", TokenKind::Resource),
                ("OS::Nova::Server", TokenKind::ResourceType),
                ("flavor", TokenKind::Property),
                ("get_param", TokenKind::Function),
                ("size", TokenKind::Parameter),
                ("ip", TokenKind::Output),
                ("get_attr", TokenKind::Function),
                ("box", TokenKind::Resource),
                ("show", TokenKind::Property),
            ]
        );
    }

    #[test]
    fn tokens_are_relative_to_the_one_before_and_count_in_the_unit_of_the_client() {
        let text = "heat_template_version: 2021-04-16\nresources: {😀: {type: A::B}}\n";
        let project = TestProject::new(&[("root.yaml", text)]);
        let view = project.snapshot.view(&project.path).expect("readable");
        let found = encoded(&project.snapshot, &view, 0..text.len()).expect("tokens").data;
        let found: Vec<_> =
            found.iter().map(|it| (it.delta_line, it.delta_start, it.length)).collect();
        assert_eq!(found, [(0, 23, 10), (1, 12, 2), (0, 11, 4)]);
    }
}
