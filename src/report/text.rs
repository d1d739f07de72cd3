//! Findings as text: the message, the source lines, and the help.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::SourceLocator;
use super::escape::{POSITION_MARK, for_terminal, on_one_line};
use super::excerpt::{Excerpt, excerpts};
use crate::codes::explaining_command;
use crate::root_causes::root_causes;
use source_diagnostics::{Diagnostic, MaskedSources, Severity};

/// The style of a text, which depends on where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Whether to use colors, as ANSI escape sequences.
    pub color: bool,
    /// The maximum number of columns of a source line.
    pub width: usize,
    /// Whether Heat's own words are shown beside those of a finding.
    pub verbose: bool,
}

impl Default for TerminalStyle {
    /// No colors, 140 columns, not verbose.
    fn default() -> Self {
        TerminalStyle { color: false, width: 140, verbose: false }
    }
}

/// Renders every finding in order, each followed by an empty line, without duplicates.
pub fn render<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &MaskedSources,
    look: TerminalStyle,
) -> String {
    let mut places = SourceLocator::new(sources);
    let renderer = if look.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(look.width);
    let mut text = String::new();
    let mut found = root_causes(diagnostics);
    if found.len() > MAX_FINDINGS {
        found.sort_by_key(|finding| !finding.is_error());
    }
    let (shown, rest) = found.split_at(found.len().min(MAX_FINDINGS));
    for diagnostic in shown {
        text.push_str(&render_one(diagnostic, &mut places, &renderer, look.verbose));
        text.push_str("\n\n");
    }
    if !rest.is_empty() {
        let errors = rest.iter().filter(|finding| finding.is_error()).count();
        let title = format!("{} more findings are not shown, {errors} of them errors", rest.len());
        let group = Group::with_title(Level::NOTE.primary_title(title));
        text.push_str(&renderer.render(&[group]));
        text.push_str("\n\n");
    }
    text
}

/// The maximum number of findings; the JSON report has all of them.
const MAX_FINDINGS: usize = 1000;

/// The maximum number of further places of a finding; the JSON report has all of them.
const MAX_PLACES: usize = 5;

/// The longest sentence, in characters; `--verbose` and the JSON report have all of it.
const MAX_SENTENCE: usize = 300;

/// The beginning of a sentence that is too long for a terminal, up to the end of a word.
fn shortened(text: &str, is_verbose: bool) -> Cow<'_, str> {
    let ends = |kept: usize| text.char_indices().nth(kept).map(|(at, _)| at);
    let Some(end) = ends(MAX_SENTENCE - 1).filter(|_| !is_verbose && ends(MAX_SENTENCE).is_some())
    else {
        return Cow::Borrowed(text);
    };
    let kept = text[..end].rsplit_once(' ').map_or(&text[..end], |(kept, _)| kept);
    Cow::Owned(format!("{kept}…"))
}

fn render_one(
    diagnostic: &Diagnostic,
    places: &mut SourceLocator<'_>,
    renderer: &Renderer,
    is_verbose: bool,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let shown = |text: &str| for_terminal(&shortened(text, is_verbose)).into_owned();
    let title = level.primary_title(shown(&diagnostic.message));
    let mut group = Group::with_title(title.id(diagnostic.code.info().id));
    if let Some(main) = &diagnostic.primary {
        let (shown, more) = diagnostic.related.split_at(diagnostic.related.len().min(MAX_PLACES));
        let excerpts = excerpts(main, shown, places);
        group = group.elements(excerpts.into_iter().map(|excerpt| snippet(excerpt, places)));
        if !more.is_empty() {
            let places = if more.len() == 1 { "place" } else { "places" };
            group = group.element(Level::NOTE.message(format!("and {} more {places}", more.len())));
        }
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(shown(help)));
    }
    if let Some(words) = diagnostic.heat_message.as_deref().filter(|_| is_verbose) {
        group = group.element(Level::NOTE.with_name("Heat").message(for_terminal(words)));
    }
    group = group.element(
        Level::NOTE
            .with_name("docs")
            .message(format!("run `{}`", explaining_command(diagnostic.code))),
    );
    without_shown_positions(&renderer.render(&[group]))
}

fn snippet<'a>(
    excerpt: Excerpt<'a>,
    places: &mut SourceLocator<'_>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let heading = excerpt.labels.first().map(|first| {
        let (position, _) = places.positions(first.label.span);
        let name = on_one_line(places.name(excerpt.source));
        format!("{name}:{}:{}{POSITION_MARK}", position.line, position.column)
    });
    let annotations = excerpt.labels.into_iter().map(|shown| {
        let kind = if shown.main { AnnotationKind::Primary } else { AnnotationKind::Context };
        let message = Some(on_one_line(&shown.label.message));
        kind.span(shown.range).label(message.filter(|message| !message.is_empty()))
    });
    Snippet::source(excerpt.text)
        .line_start(excerpt.line as usize)
        .path(heading.map(Cow::Owned))
        .annotations(annotations)
}

/// The renderer appends the line and column of the *excerpt* to the heading, and in an excerpt a
/// long line is cut: the heading has the real position, so this one is removed.
fn without_shown_positions(text: &str) -> String {
    let mut pieces = text.split(POSITION_MARK);
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.push_str(piece.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::Span;

    /// Renders a finding at `start..end` of the text.
    fn shown_at(text: &str, start: usize, end: usize) -> String {
        let mut sources = MaskedSources::default();
        let file = sources.add_public("web.yaml", text.into());
        let span = Span::new(file, start as u32, end as u32);
        let diagnostic = Diagnostic::new(lossless_yaml::codes::DUPLICATE_KEY, "given twice")
            .labeled(span, "here");
        render(&[diagnostic], &sources, TerminalStyle::default())
    }

    /// Renders a finding at the first occurrence of `needle`.
    fn shown(text: &str, needle: &str) -> String {
        let at = text.find(needle).expect("the needle");
        shown_at(text, at, at + needle.len())
    }

    #[test]
    fn line_ends_marks_and_tabs_do_not_move_the_columns() {
        insta::assert_snapshot!(shown("\u{feff}a: 1\r\nb:\tc\r\n", "c"), @r"
        warning[HP0105]: given twice
         --> web.yaml:2:4
          |
        2 | b:    c
          |       ^ here
          |
          = docs: run `hotplate explain HP0105`
        ");
        insta::assert_snapshot!(shown("\u{feff}a: 1\r\n", "a"), @r"
        warning[HP0105]: given twice
         --> web.yaml:1:1
          |
        1 | a: 1
          | ^ here
          |
          = docs: run `hotplate explain HP0105`
        ");
    }

    #[test]
    fn a_terminal_gets_no_escape_sequence_of_the_input() {
        insta::assert_snapshot!(shown("x:\n  - 中文: \u{1b}[31mé: b\n", "é"), @r"
        warning[HP0105]: given twice
         --> web.yaml:2:14
          |
        2 |   - 中文: ␛[31mé: b
          |                ^ here
          |
          = docs: run `hotplate explain HP0105`
        ");
    }

    #[test]
    fn the_end_of_a_text_can_be_shown() {
        for (text, heading) in [("", "1:1"), ("a", "1:2"), ("a\n", "2:1"), ("a\r\n\r\n", "3:1")] {
            let shown = shown_at(text, text.len(), text.len());
            assert!(shown.contains(&format!("--> web.yaml:{heading}\n")), "{text:?}: {shown}");
            assert!(shown.contains("^ here\n"), "{text:?}: {shown}");
        }
    }

    #[test]
    fn a_block_is_shown_whole_or_by_its_first_line() {
        insta::assert_snapshot!(shown("a:\n  b:\n    c\nd:\n", "b:\n    c\n"), @r"
        warning[HP0105]: given twice
         --> web.yaml:2:3
          |
        2 | /   b:
        3 | |     c
          | |_____^ here
          |
          = docs: run `hotplate explain HP0105`
        ");
        let long = format!("a:\n{}", "  - b\n".repeat(100));
        insta::assert_snapshot!(shown(&long, &long), @r"
        warning[HP0105]: given twice
         --> web.yaml:1:1
          |
        1 | a:
          | ^^ here
          |
          = docs: run `hotplate explain HP0105`
        ");
    }

    #[test]
    fn a_long_line_is_cut_and_its_column_is_true() {
        let (before, after) = ("\"é\": 1, ".repeat(5000), ", \"y\": 2".repeat(5000));
        insta::assert_snapshot!(shown(&format!("{{{before}\"k\": needle{after}}}"), "needle"), @r#"
        warning[HP0105]: given twice
         --> web.yaml:1:40007
          |
        1 | ...": 1, "é": 1, "é": 1, "é": 1, "é": 1, "é": 1, "é": 1, "k": needle, "y": 2, "y": 2, "y": 2, "y": 2, "y": 2, "y": 2, "y": 2, "y": 2,...
          |                                                               ^^^^^^ here
          |
          = docs: run `hotplate explain HP0105`
        "#);
    }

    #[test]
    fn places_far_apart_and_in_other_files_are_shown_apart() {
        let mut sources = MaskedSources::default();
        let text = format!("a: 1\nb: 2\n{}a: 3\n", "#\n".repeat(100));
        let main = sources.add_public("web\n.yaml", text.as_str().into());
        let other = sources.add_public("env.yaml", "a: 4".into());
        let last = text.len() as u32 - 5;
        let diagnostic = Diagnostic::new(lossless_yaml::codes::FALLBACK_LOADER, "one\u{7}\ntwo")
            .labeled(Span::new(main, last, last + 1), "")
            .related(Span::new(main, 0, 1), "first")
            .related(Span::new(other, 0, 1), "and\nhere")
            .related(Span::new(main, 5, 6), "beside")
            .help("remove one,\nany one")
            .help("or none");
        insta::assert_snapshot!(render(&[diagnostic], &sources, TerminalStyle::default()));
    }

    #[test]
    fn a_long_sentence_ends_with_a_word() {
        let short = "é".repeat(300);
        assert_eq!(shortened(&short, false), short);
        let long = "word ".repeat(100);
        let cut = shortened(&long, false);
        assert!(cut.ends_with("word…") && cut.chars().count() <= 300, "{cut}");
        assert_eq!(shortened(&long, true), long);
        assert_eq!(shortened(&"x".repeat(301), false).chars().count(), 300);
    }

    #[test]
    fn a_finding_without_a_place() {
        let diagnostic =
            Diagnostic::new(source_files::codes::FILE_NOT_FOUND, "`x` does not exist").help("look");
        let text = render(&[diagnostic], &MaskedSources::default(), TerminalStyle::default());
        insta::assert_snapshot!(text, @r"
        error[HP0001]: `x` does not exist
         |
         = help: look
         = docs: run `hotplate explain HP0001`
        ");
    }

    #[test]
    fn colours_change_no_character() {
        let mut sources = MaskedSources::default();
        let file = sources.add_public("web.yaml", "a: 1\n".into());
        let diagnostics = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| {
            let mut diagnostic = Diagnostic::new(lossless_yaml::codes::DUPLICATE_KEY, "twice")
                .at(Span::new(file, 0, 1));
            diagnostic.severity = severity;
            diagnostic
        });
        let plain = render(&diagnostics, &sources, TerminalStyle::default());
        let styled = render(
            &diagnostics,
            &sources,
            TerminalStyle { color: true, ..TerminalStyle::default() },
        );
        assert!(styled.contains("\u{1b}["), "{styled:?}");
        assert_eq!(anstream::adapter::strip_str(&styled).to_string(), plain);
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_and_the_span(
            text in r"[ -~\n\r\té中\x{0}-\x{a0}\x{feff}\x{2028}\x{202e}\x{e000}🎉]{0,80}",
            repeat in proptest::sample::select(vec![1, 40]),
            spans in proptest::collection::vec((0u32..4000, 0u32..4000), 1..4),
        ) {
            let mut sources = MaskedSources::default();
            let file = sources.add_public("a.yaml", text.repeat(repeat).into());
            let mut spans = spans.iter().map(|&(a, b)| Span::new(file, a.min(b), a.max(b)));
            let mut diagnostic = Diagnostic::new(lossless_yaml::codes::YAML_SYNTAX, text.as_str()).help(text.as_str());
            if let Some(span) = spans.next() {
                diagnostic = diagnostic.labeled(span, text.as_str());
            }
            let diagnostic = spans.fold(diagnostic, |found, span| found.related(span, text.as_str()));
            let shown = render(&[diagnostic], &sources, TerminalStyle::default());
            let visible = |c| c == '\n' || super::super::escape::visible_char(c) == c;
            proptest::prop_assert!(shown.chars().all(|c| visible(c) || c == '\t'), "{shown:?}");
        }
    }

    #[test]
    fn a_flood_of_findings_ends() {
        let mut sources = MaskedSources::default();
        let file = sources.add_public("web.yaml", "a: 1\n".repeat(3000).into());
        let finding = |at: u32| {
            Diagnostic::new(lossless_yaml::codes::DUPLICATE_KEY, "given twice").at(Span::new(
                file,
                at * 5,
                at * 5 + 1,
            ))
        };
        let findings: Vec<Diagnostic> = (0..3000).map(finding).collect();
        let text = render(&findings, &sources, TerminalStyle::default());
        assert_eq!(text.matches("given twice").count(), 1000);
        assert!(text.ends_with("note: 2000 more findings are not shown, 0 of them errors\n\n"));
    }
}
