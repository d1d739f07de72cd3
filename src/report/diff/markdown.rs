//! The report as the comment of a pull request: a table first, details collapsed, never longer than
//! GitHub lets a comment be.

use serde_json::Value as Json;

use super::fold::{Folded, folded};
use super::hunk;
use super::model::{
    Entry, Environment, Parameter, PartKind, Reason, Report, SourcePlace, Template,
    TemplateFinding, ValueChange,
};
use super::{Options, basis, short, words};
use crate::diagnostics::Severity;
use crate::diff::{FileStatus, Impact, Verdict};
use crate::report::escape::on_one_line;

/// The longest comment that GitHub takes. It counts characters; counted here are UTF-16 units, of
/// which there are as many or more.
const LONGEST: usize = 65_536;

/// What is kept free for the sentence that says what was left out.
const RESERVE: usize = 1_000;

/// What the tables may take together, so that there is room for details.
const LONGEST_TABLES: usize = 40_000;

/// The longest name in a table or a title.
const LONGEST_NAME: usize = 120;

/// The longest sentence.
const LONGEST_SENTENCE: usize = 500;

/// The longest sentence of what was compared.
const LONGEST_BASIS: usize = 2_000;

/// Of one text so many lines are shown, of one line so many characters.
const MOST_LINES: usize = 60;
const LONGEST_LINE: usize = 200;

/// Of one value so many differences are shown, of one resource so many reasons and consequences.
const MOST_CHANGES: usize = 20;
const MOST_REASONS: usize = 40;

/// The first line of every comment, by which a bot finds the one that it is to replace.
pub fn marker(name: Option<&str>) -> String {
    match name {
        None => "<!-- hotplate diff -->".to_owned(),
        Some(name) => {
            // Two hyphens or an angle bracket would end the comment early.
            let is_safe = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '/' | ':');
            let mut kept = String::new();
            for c in name.chars().take(LONGEST_NAME) {
                kept.push(if is_safe(c) || c == '-' && !kept.ends_with('-') { c } else { '_' });
            }
            format!("<!-- hotplate diff: {kept} -->")
        }
    }
}

/// A report as Markdown.
pub fn to_markdown(report: &Report, options: &Options) -> String {
    let mut page = Page::default();
    page.must(format!("{}\n", marker(options.marker.as_deref())));
    match report {
        Report::Pair(template) => {
            page.must(format!("### {}\n", title(template)));
            page.template(template, options);
        }
        Report::Set(set) => {
            if let Some(nothing) = basis::nothing(report) {
                page.must(format!("{}.\n", sentence(&nothing)));
            } else {
                let (what, rest) = words::set_headline(set);
                page.must(format!("**{}**{rest}\n", sentence(&what)));
            }
            let (stacks, files): (Vec<_>, Vec<_>) =
                set.templates.iter().partition(|it| words::is_of_stack(it));
            for template in stacks {
                if words::differs(template)
                    || !template.compared
                    || words::findings(template).next().is_some()
                {
                    page.block(Weight::Title, "templates", format!("### {}\n", title(template)));
                    page.template(template, options);
                }
            }
            for template in files {
                page.file(template);
            }
        }
    }
    if let Some(compared) = basis::compared(report) {
        page.must(format!("<sub>{}</sub>\n", entities(&cut(&compared, LONGEST_BASIS))));
    }
    page.fit()
}

fn title(template: &Template) -> String {
    match (template.old.as_deref(), template.new.as_deref()) {
        (Some(old), Some(new)) if old != new => format!("{} → {}", name(old), name(new)),
        (Some(only), Some(_)) => name(only),
        (Some(old), None) => format!("{} (deleted)", name(old)),
        (None, Some(new)) => format!("{} (new)", name(new)),
        (None, None) => "hotplate diff".to_owned(),
    }
}

/// How much a block matters, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Never left out; these are few and short.
    Must,
    /// What a template is called, and what happens in it.
    Title,
    /// A line of a table.
    Row(Impact),
    /// What is opened or refused.
    Alarm,
    /// The details of a resource.
    Details(Impact),
    /// A section that is not a resource.
    Section,
}

/// A piece of the page that makes sense by itself: it opens nothing that another one must close.
struct Block {
    weight: Weight,
    /// What it is one of, for the sentence about what was left out.
    of: &'static str,
    text: String,
    /// A blank line stands before it.
    apart: bool,
}

/// The blocks of the page, in the order in which they are shown.
#[derive(Default)]
struct Page {
    blocks: Vec<Block>,
}

impl Page {
    fn must(&mut self, text: String) {
        self.block(Weight::Must, "", text);
    }

    fn block(&mut self, weight: Weight, of: &'static str, text: String) {
        self.blocks.push(Block { weight, of, text, apart: true });
    }

    /// The page, short enough: the most important blocks that fit, in their order.
    fn fit(self) -> String {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|index| self.blocks[*index].weight);
        let (mut length, mut rows) = (0, 0);
        let mut kept = vec![false; self.blocks.len()];
        for index in order {
            let block = &self.blocks[index];
            let size = units(&block.text) + usize::from(block.apart);
            let is_row = matches!(block.weight, Weight::Row(_) | Weight::Title);
            let fits = length + size <= LONGEST - RESERVE;
            if block.weight == Weight::Must || (fits && (!is_row || rows + size <= LONGEST_TABLES))
            {
                kept[index] = true;
                length += size;
                rows += if is_row { size } else { 0 };
            }
        }
        let mut page = String::new();
        let mut left_out: Vec<(&'static str, usize)> = Vec::new();
        for (block, kept) in self.blocks.iter().zip(kept) {
            if kept {
                if block.apart && !page.is_empty() {
                    page.push('\n');
                }
                page.push_str(&block.text);
                continue;
            }
            match left_out.iter_mut().find(|(of, _)| *of == block.of) {
                Some((_, count)) => *count += 1,
                None => left_out.push((block.of, 1)),
            }
        }
        if !left_out.is_empty() {
            let what: Vec<String> =
                left_out.iter().map(|(of, count)| format!("{of} ({count})")).collect();
            page.push_str(&format!(
                "\n> **Left out, because a comment must not be longer:** {}. `hotplate diff` prints everything.\n",
                what.join(", ")
            ));
        }
        page
    }

    /// A template that is only new or gone as a file: a line, and what is in it, collapsed.
    fn file(&mut self, template: &Template) {
        let symbol = match template.file {
            FileStatus::Added => "➕",
            FileStatus::Removed => "➖",
            FileStatus::Existing => "▫️",
        };
        let path = template.new.as_deref().or(template.old.as_deref()).unwrap_or_default();
        let mut text = format!(
            "<details><summary>{symbol} <code>{}</code> {}</summary>\n\n",
            entities(&cut(path, LONGEST_NAME)),
            words::file(template)
        );
        for resource in template.resources.iter().take(MOST_REASONS) {
            let kind = words::kind(resource);
            text.push_str(&format!("- {} {}\n", name(&resource.name), name(&kind)));
        }
        let more = template.resources.len().saturating_sub(MOST_REASONS);
        if more > 0 {
            text.push_str(&format!("- and {more} more\n"));
        }
        for note in &template.notes {
            text.push_str(&format!("- {}\n", sentence(&note.message)));
        }
        text.push_str("\n</details>\n");
        self.block(Weight::Title, "templates", text);
    }

    fn template(&mut self, template: &Template, options: &Options) {
        if !template.compared {
            let text = format!("**{}**\n", words::NOT_COMPARED);
            self.block(Weight::Title, "templates", text);
            return self.errors(template);
        }
        let rest = words::rest(&template.summary);
        let rest = if rest.is_empty() { rest } else { format!("; {rest}") };
        let headline = if words::differs(template) {
            format!("**{}**{rest}\n", words::template_headline(template))
        } else {
            format!("No differences{rest}.\n")
        };
        self.block(Weight::Title, "templates", headline);
        let shown = words::worst_first(template, options.verbose);
        let all = shown.iter().map(|resource| Folded::one(resource));
        let shown = if options.verbose { all.collect() } else { folded(&shown) };
        self.errors(template);
        self.table(&shown);
        self.alarms(template);
        for folded in &shown {
            let text = details(folded, template, options);
            let weight = Weight::Details(folded.resource.effective_impact);
            self.block(weight, "details of resources", text);
        }
        self.sections(template, options);
    }

    /// The table of resources: the head, then a block for each row.
    fn table(&mut self, shown: &[Folded<'_>]) {
        let Some(first) = shown.first() else { return };
        // The head goes with the first row, without which it says nothing.
        let head = "| | impact | resource | type | why |\n|---|---|---|---|---|\n";
        let text = format!("{head}{}", row(first));
        self.block(Weight::Row(first.resource.effective_impact), "lines of tables", text);
        for folded in &shown[1..] {
            let weight = Weight::Row(folded.resource.effective_impact);
            let text = row(folded);
            self.blocks.push(Block { weight, of: "lines of tables", text, apart: false });
        }
    }

    /// What is wrong on the new side.
    fn errors(&mut self, template: &Template) {
        let is_error = |told: &&TemplateFinding| told.finding.severity == Severity::Error;
        for told in words::findings(template).filter(is_error) {
            let mut text = format!("> ❗ {}\n", finding(told));
            for help in &told.finding.help {
                text.push_str(&format!("> help: {}\n", sentence(help)));
            }
            self.block(Weight::Alarm, "errors", text);
        }
    }

    /// What is not collapsed: what Heat refuses, what is opened.
    fn alarms(&mut self, template: &Template) {
        for refusal in words::refusals(template) {
            let text = format!(
                "> ❗ Heat refuses the update: {}{}\n",
                sentence(&refusal.message),
                at(None, refusal.new_place.as_ref())
            );
            self.block(Weight::Alarm, "refused templates", text);
        }
        for unread in &template.unread {
            let text = format!("> 🚫 not compared: {} could not be read\n", name(&unread.file));
            self.block(Weight::Alarm, "files that could not be read", text);
        }
        for parameter in template.parameters.iter().filter(|parameter| parameter.refused) {
            let text = format!(
                "> ❗ Heat refuses the whole update: the immutable parameter {} has another value{}\n",
                name(&parameter.name),
                at(parameter.old_place.as_ref(), parameter.new_place.as_ref())
            );
            self.block(Weight::Alarm, "refused parameters", text);
        }
        for change in &template.security {
            let symbol = match change.verdict {
                Verdict::Widened => "🔓",
                Verdict::Changed => "🔑",
                Verdict::Narrowed => "🔒",
            };
            let text = format!(
                "> {symbol} **{}** {}: {}{}\n",
                words::verdict(change.verdict),
                name(&change.resource),
                sentence(&change.message),
                at(change.old_place.as_ref(), change.new_place.as_ref())
            );
            let weight = match change.verdict {
                Verdict::Widened => Weight::Alarm,
                Verdict::Changed | Verdict::Narrowed => Weight::Section,
            };
            self.block(weight, "security changes", text);
        }
    }

    fn sections(&mut self, template: &Template, options: &Options) {
        let told = template.parameters.iter();
        let told = told.filter(|parameter| words::is_told(parameter, options.verbose));
        let parameters: Vec<_> = told.map(|it| parameter(it, options)).collect();
        self.section("parameters", &parameters);
        for (title, entries) in [
            ("parameter groups", &template.groups),
            ("conditions", &template.conditions),
            ("outputs", &template.outputs),
        ] {
            let items: Vec<_> = entries.iter().map(|it| entry(it, options)).collect();
            self.section(title, &items);
        }
        let items: Vec<_> =
            template.environment.iter().map(|it| environment(it, options)).collect();
        self.section("environment", &items);
        let unused = template.excuses.iter().filter(|excuse| !excuse.used);
        let items: Vec<_> =
            unused.map(|excuse| format!("- {}\n", code(&words::excuse(excuse)))).collect();
        self.section("permissions that excuse nothing", &items);
        let findings: Vec<_> = words::findings(template)
            .filter(|told| told.finding.severity != Severity::Error)
            .map(|told| format!("- {}\n", finding(told)))
            .chain(words::old_findings(template).map(|count| format!("- {count}\n")))
            .collect();
        self.section("findings", &findings);
        let notes: Vec<_> =
            template.notes.iter().map(|note| format!("- {}\n", sentence(&note.message))).collect();
        self.section("notes", &notes);
    }

    /// A collapsed section; of a long one so many items as a fair share of the page holds.
    fn section(&mut self, title: &'static str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let mut text = format!("<details><summary>{title} ({})</summary>\n\n", items.len());
        let mut shown = 0;
        for item in items {
            if units(&text) + units(item) > LONGEST / 8 {
                break;
            }
            text.push_str(item);
            shown += 1;
        }
        if shown < items.len() {
            text.push_str(&format!("- and {} more\n", items.len() - shown));
        }
        text.push_str("\n</details>\n");
        self.block(Weight::Section, title, text);
    }
}

/// A finding on one line.
fn finding(told: &TemplateFinding) -> String {
    let (place, code) = words::finding_head(told);
    let place = if place.is_empty() { place } else { name(place.trim_end_matches(": ")) + ": " };
    let message = sentence(&told.finding.message);
    format!("{place}**{code}** {message}{}", words::in_places(told))
}

/// The length of a text as the strictest reader counts it.
fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn symbol(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "❗",
        Impact::Delete => "🗑️",
        Impact::Replace => "♻️",
        Impact::NotCompared => "🚫",
        Impact::MayReplace => "❓",
        Impact::Snapshot => "📷",
        Impact::Retain => "📤",
        Impact::Create => "➕",
        Impact::Adopt => "📥",
        Impact::Update => "✏️",
        Impact::NoopUpdate | Impact::None => "▫️",
    }
}

fn row(Folded { name: shown, resource, count }: &Folded<'_>) -> String {
    let impact = resource.effective_impact;
    let why = if let Some(rename) = words::rename_names(resource) {
        let (old, new) = rename;
        format!("renamed: {} → {}", name(old), name(new))
    } else if resource.impact != impact
        && let Some(ripple) = resource.ripple.iter().min_by_key(|ripple| ripple.impact)
    {
        format!("because {} {}", name(&ripple.because), words::happens(ripple.cause))
    } else if let Some(reason) = resource.reasons.first() {
        let more = resource.reasons.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        match reason.part {
            PartKind::Resource => format!("{}{more}", sentence(&reason.why)),
            _ => format!("{}{more}", name(&words::label(reason))),
        }
    } else {
        String::new()
    };
    let allowed = if resource.excused.is_empty() { "" } else { " (allowed)" };
    format!(
        "| {} | **{}**{allowed} | {} | {} | {why} |\n",
        symbol(impact),
        impact.name(),
        name(&words::counted(shown, *count)),
        name(&words::kind(resource)),
    )
}

/// Everything about a resource, collapsed.
fn details(folded: &Folded<'_>, template: &Template, options: &Options) -> String {
    let Folded { name: shown, resource, count } = folded;
    let impact = resource.effective_impact;
    let mut text = format!(
        "<details><summary>{} <code>{}</code> {}</summary>\n\n",
        symbol(impact),
        entities(&cut(&words::counted(shown, *count), LONGEST_NAME)),
        words::happens(impact)
    );
    let places = at(resource.old_place.as_ref(), resource.new_place.as_ref());
    text.push_str(&format!("- {}{places}\n", name(&words::kind(resource))));
    if let Some((old, new)) = words::rename_names(resource) {
        text.push_str(&format!(
            "- renamed: Heat deletes {} and creates {}\n",
            name(old),
            name(new)
        ));
        if let Some(by) = resource.rename_matched.as_ref().filter(|_| options.explain_match) {
            text.push_str(&format!("  - {}\n", code(&words::matched(by))));
        }
    }
    for excuse in resource.excused.iter().filter_map(|at| template.excuses.get(*at)) {
        text.push_str(&format!("- allowed by {}\n", code(&words::excuse(excuse))));
    }
    for reason in resource.reasons.iter().take(MOST_REASONS) {
        text.push_str(&told(reason, options));
    }
    for ripple in resource.ripple.iter().take(MOST_REASONS) {
        let chain: Vec<_> = ripple.chain.iter().take(MOST_REASONS).map(|it| name(it)).collect();
        text.push_str(&format!(
            "- because {} {}: {} (by {})\n",
            name(&ripple.because),
            words::happens(ripple.cause),
            chain.join(" → "),
            name(&words::property(ripple.part, &ripple.property))
        ));
    }
    let more = resource.reasons.len().saturating_sub(MOST_REASONS)
        + resource.ripple.len().saturating_sub(MOST_REASONS);
    if more > 0 {
        text.push_str(&format!("- and {}\n", words::number(more, "more reason")));
    }
    text.push_str("\n</details>\n");
    text
}

fn told(reason: &Reason, options: &Options) -> String {
    let places = at(reason.old_place.as_ref(), reason.new_place.as_ref());
    let label = words::label(reason);
    let part = match reason.part {
        PartKind::Resource => String::new(),
        _ => format!("{}: ", name(&label)),
    };
    let mut text =
        format!("- {part}**{}**, {}{places}\n", reason.impact.name(), sentence(&reason.why));
    if reason.changes.is_empty() {
        text.push_str(&difference(1, "", (reason.old.as_ref(), reason.new.as_ref()), options));
    } else {
        // What the line above names already is not named again.
        let at = |change: &ValueChange| {
            let at = words::property(reason.part, &change.path);
            if at == label { String::new() } else { at }
        };
        text.push_str(&changes(&reason.changes, at, options));
    }
    text
}

fn changes(
    changes: &[ValueChange],
    at: impl Fn(&ValueChange) -> String,
    options: &Options,
) -> String {
    let changes = words::told(changes, options.explain_match);
    let mut text = String::new();
    for change in changes.iter().take(MOST_CHANGES) {
        match (&change.old, &change.new, &change.old_path) {
            (None, None, Some(old)) => {
                text.push_str(&format!("  - {} was {}\n", name(&change.path), name(old)));
            }
            (old, new, _) => {
                let values = (old.as_ref(), new.as_ref());
                text.push_str(&difference(1, &at(change), values, options));
            }
        }
        if options.explain_match {
            for item in &change.matched {
                text.push_str(&format!("    - {}\n", code(&words::item(item))));
            }
        }
    }
    let more = changes.len().saturating_sub(MOST_CHANGES);
    if more > 0 {
        text.push_str(&format!("  - and {}\n", words::number(more, "more difference")));
    }
    text
}

/// What something was and is, as an item of a list: on one line, or fenced.
fn difference(
    depth: usize,
    what: &str,
    (old, new): (Option<&Json>, Option<&Json>),
    options: &Options,
) -> String {
    let indent = "  ".repeat(depth);
    let what = if what.is_empty() { String::new() } else { format!("{}: ", name(what)) };
    if let Some(lines) = hunk::of(old, new, options.context) {
        let mut shown: Vec<String> =
            lines.iter().take(MOST_LINES).map(|line| cut(&line.text, LONGEST_LINE)).collect();
        let more = lines.len().saturating_sub(MOST_LINES);
        if more > 0 {
            shown.push(format!("@@ {} left out @@", words::number(more, "line")));
        }
        let fence = "`".repeat(longest_run(&shown).max(2) + 1);
        let what = if what.is_empty() { "lines:" } else { what.trim_end() };
        let mut text = format!("{indent}- {what}\n\n{indent}  {fence}diff\n");
        for line in shown {
            text.push_str(&format!("{indent}  {}\n", on_one_line(&line)));
        }
        text.push_str(&format!("{indent}  {fence}\n"));
        return text;
    }
    let values = match (old, new) {
        (None, None) => return String::new(),
        // The same name for something else.
        (Some(old), Some(new)) if old == new && !short::tells(new) => return String::new(),
        (Some(old), None) => format!("{} removed", code(&short::value(old))),
        (None, Some(new)) => format!("{} added", code(&short::value(new))),
        (Some(old), Some(new)) => {
            let hidden =
                if old == new && short::is_masked(new) { " (differs, hidden)" } else { "" };
            let (old, new) = short::pair(old, new);
            format!("{} → {}{hidden}", code(&old), code(&new))
        }
    };
    format!("{indent}- {what}{values}\n")
}

fn parameter(parameter: &Parameter, options: &Options) -> String {
    let mut text = head(
        &parameter.name,
        &words::change(&parameter.change),
        &parameter.reaches,
        (parameter.old_place.as_ref(), parameter.new_place.as_ref()),
    );
    for (what, detail) in words::details(parameter.details.iter().collect()) {
        let values = (detail.old.as_ref(), detail.new.as_ref());
        text.push_str(&difference(1, &what, values, options));
    }
    text
}

fn entry(entry: &Entry, options: &Options) -> String {
    let places = (entry.old_place.as_ref(), entry.new_place.as_ref());
    let mut text = head(&entry.name, &words::change(&entry.change), &entry.reaches, places);
    if entry.changes.is_empty() {
        text.push_str(&difference(1, "", (entry.old.as_ref(), entry.new.as_ref()), options));
    } else {
        text.push_str(&changes(&entry.changes, |change| change.path.clone(), options));
    }
    text
}

fn environment(change: &Environment, options: &Options) -> String {
    let places = (change.old_place.as_ref(), change.new_place.as_ref());
    let what = words::environment(change);
    let mut text = head(&what, &words::change(&change.change), &change.reaches, places);
    text.push_str(&difference(1, "", (change.old.as_ref(), change.new.as_ref()), options));
    text
}

/// The first line of an entry of a section.
fn head(
    of: &str,
    change: &str,
    reaches: &[String],
    (old, new): (Option<&SourcePlace>, Option<&SourcePlace>),
) -> String {
    let reaches = if reaches.is_empty() {
        String::new()
    } else {
        format!(", reaches {}", name(&words::some(reaches)))
    };
    format!("- {} {}{reaches}{}\n", name(of), sentence(change), at(old, new))
}

/// Places, in brackets; empty if there are none.
fn at(old: Option<&SourcePlace>, new: Option<&SourcePlace>) -> String {
    let places = words::places(old, new);
    if places.is_empty() { places } else { format!(" ({})", name(&places)) }
}

/// A name as code.
fn name(text: &str) -> String {
    code(&cut(text, LONGEST_NAME))
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The longest run of backticks in any of the texts.
fn longest_run(texts: &[String]) -> usize {
    let runs = texts.iter().flat_map(|text| text.split(|c| c != '`')).map(str::len);
    runs.max().unwrap_or_default()
}

/// A text as code, on one line, also in a table: where something in it could end a code span or a cell,
/// or could be a tag for a careless reader, it is spelled with entities.
fn code(text: &str) -> String {
    let text = on_one_line(text);
    if text.is_empty() {
        return String::new();
    }
    if text.contains(['`', '|', '\\', '<']) || text.trim() != text {
        return format!("<code>{}</code>", entities(&text));
    }
    format!("`{text}`")
}

/// A text in which no character means anything to HTML or to Markdown.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in on_one_line(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | '.' | ';' | '/' | '-' | '%' | '=' | '+') {
            out.push_str(&format!("&#{};", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// A sentence: what stands between backticks is code, and what could call somebody or begin markup
/// is, too.
fn sentence(text: &str) -> String {
    let text = cut(text, LONGEST_SENTENCE);
    let mut out = String::with_capacity(text.len());
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    for (index, part) in parts.iter().enumerate() {
        // A last part after an odd backtick is not closed.
        if index % 2 == 1 && index < last {
            out.push_str(&code(part));
            continue;
        }
        if index % 2 == 1 {
            out.push_str("&#96;");
        }
        for (at, word) in part.split(' ').enumerate() {
            if at > 0 {
                out.push(' ');
            }
            let is_plain = |c: char| {
                c.is_alphanumeric()
                    || matches!(c, '.' | ',' | ';' | ':' | '/' | '-' | '(' | ')' | '\'' | '%' | '?')
            };
            let calls = word.contains("://") || word.starts_with("www.");
            if word.chars().all(is_plain) && !calls {
                out.push_str(word);
            } else {
                out.push_str(&code(word));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Compared;
    use super::super::sample::sample;
    use super::*;
    use crate::diagnostics::SourceMap;
    use crate::diff::{
        Comparison, Matched, Pair, Part, Reason, Rename, ResourceChange, Ripple, Shown, Why,
    };
    use crate::eval::Value;

    #[test]
    fn a_comment() {
        let (sample, options) = (sample(), Options::default());
        let report = Report::pair(&sample.compared(), &options);
        insta::assert_snapshot!(to_markdown(&report, &options), @r#"
        <!-- hotplate diff -->

        ### `old.yaml` → `new.yaml`

        **update refused because of 1 immutable parameter, 1 refused, 1 deleted, 2 replaced, 1 perhaps replaced, 1 created, 1 updated in place, access widened**; 1 updated without effect, 1 unchanged

        > ❗ `new.yaml:4:5`: **error[HP0702]** `A::B` is unknown (in 3 places)
        > help: ask the author

        | | impact | resource | type | why |
        |---|---|---|---|---|
        | ❗ | **refused** | `volume` | `OS::Cinder::Volume` | `size` |
        | 🗑️ | **delete** | `web` | `OS::Heat::Value` | renamed: `web` → `frontend` |
        | ♻️ | **replace** (allowed) | `port` | `OS::Neutron::Port` | `network` |
        | ♻️ | **replace** | `server` | `OS::Nova::Server` | because `port` is replaced |
        | ❓ | **may-replace** | <code>group/0/a&#124;&#96;b&#96;&#60;i&#62;␛&#91;1m␊&#64;all</code> | `My::Type` | `metadata` |
        | ➕ | **create** | `frontend` | `OS::Heat::Value` | renamed: `web` → `frontend` |
        | ✏️ | **update** | `rules` | `OS::Neutron::SecurityGroup` | `rules` |

        > ❗ Heat refuses the whole update: the immutable parameter `size` has another value (`old.yaml:3 → new.yaml:3`)

        > 🔓 **widened** `rules`: tcp 22 from 0.0.0.0/0 is open now (`old.yaml:27 → new.yaml:27`)

        <details><summary>❗ <code>volume</code> is refused</summary>

        - `OS::Cinder::Volume` (`old.yaml:7 → new.yaml:7`)
        - `size`: **refused**, Heat refuses a change of `size` of OS::Cinder::Volume (Heat 27) (`old.yaml:9 → new.yaml:9`)
          - `10` → `20`

        </details>

        <details><summary>🗑️ <code>web</code> is deleted</summary>

        - `OS::Heat::Value` (`old.yaml:28`)
        - renamed: Heat deletes `web` and creates `frontend`
        - **delete**, in the old template only (`old.yaml:28`)

        </details>

        <details><summary>♻️ <code>port</code> is replaced</summary>

        - `OS::Neutron::Port` (`old.yaml:10 → new.yaml:10`)
        - allowed by `--allow OS::Neutron::Port:replace`
        - `network`: **replace**, `network` of OS::Neutron::Port cannot be updated in place (Heat 27) (`old.yaml:13 → new.yaml:13`)
          - `net-a` → `net-b`

        </details>

        <details><summary>♻️ <code>server</code> is replaced</summary>

        - `OS::Nova::Server` (`old.yaml:14 → new.yaml:14`)
        - `user_data`: **replace**, `user_data_update_policy` is REPLACE, its default, when `user_data` changes (`old.yaml:18 → new.yaml:18`)
          - lines:

            ```diff
            @@ -1,4 +1,4 @@
             #!/bin/sh
             echo one
            -echo two
            +echo 2
             echo three
            ```
        - `admin_pass`: **update**, updated in place
          - `******` → `******` (differs, hidden)
        - because `port` is replaced: `port` → `server` (by `networks`)

        </details>

        <details><summary>❓ <code>group/0/a&#124;&#96;b&#96;&#60;i&#62;␛&#91;1m␊&#64;all</code> may be replaced</summary>

        - `My::Type`
        - `metadata`: **may-replace**, it is not known whether the value changes
          - <code>&#40;fails&#58; no &#96;key&#96;&#41;</code> → <code>&#60;/details&#62;</code>

        </details>

        <details><summary>➕ <code>frontend</code> is created</summary>

        - `OS::Heat::Value` (`new.yaml:29`)
        - renamed: Heat deletes `web` and creates `frontend`
        - **create**, in the new template only (`new.yaml:29`)

        </details>

        <details><summary>✏️ <code>rules</code> is updated in place</summary>

        - `OS::Neutron::SecurityGroup` (`old.yaml:23 → new.yaml:23`)
        - `rules`: **update**, updated in place (`old.yaml:27 → new.yaml:27`)
          - `rules[1].remote_ip_prefix`: `10.0.0.0/8` → `0.0.0.0/0`
          - `rules[0]`: `{port_range_min: 80, remote_ip_prefix: 0.0.0.0/0}` added

        </details>

        <details><summary>parameters (2)</summary>

        - `size` changed, reaches `volume` (`old.yaml:3 → new.yaml:3`)
          - `value`: `10` → `20`
        - `password` renamed from pass
          - `default`: `******` → `******` (differs, hidden)

        </details>

        <details><summary>conditions (1)</summary>

        - `is_big` changed, reaches `volume`
          - `false` → `true`

        </details>

        <details><summary>outputs (1)</summary>

        - `url` removed
          - `http://a` removed

        </details>

        <details><summary>environment (1)</summary>

        - `registry My::Type` changed, reaches `group/0/a`
          - `a.yaml` → `b.yaml`

        </details>

        <details><summary>permissions that excuse nothing (1)</summary>

        - `# hotplate: allow (agreed), new.yaml:23`

        </details>

        <details><summary>findings (2)</summary>

        - `new.yaml:1:1`: **warning[HP0105]** given twice
        - 1 finding stands on both sides, unchanged, 1 on the old side only

        </details>

        <details><summary>notes (3)</summary>

        - Heat refuses the whole update because of an immutable parameter: nothing is changed
        - Heat creates a replacement before it deletes the old one: quota and names must allow both at once
        - Heat identifies resources by name: a renamed one is deleted and created again

        </details>
        "#);
    }

    #[test]
    fn the_marker_stays_a_comment() {
        assert_eq!(marker(None), "<!-- hotplate diff -->");
        assert_eq!(marker(Some("web/prod-1")), "<!-- hotplate diff: web/prod-1 -->");
        assert_eq!(marker(Some("a --> <b>")), "<!-- hotplate diff: a -__ _b_ -->");
    }

    #[test]
    fn text_of_templates_is_no_markup() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(code("`"), "<code>&#96;</code>");
        assert_eq!(code("a\nb"), "`a␊b`");
        assert_eq!(code("x\\"), "<code>x&#92;</code>");
        assert_eq!(entities("</summary>*@all"), "&#60;/summary&#62;&#42;&#64;all");
        assert_eq!(
            sentence("`a|` of @all, see <b> #1"),
            "<code>a&#124;</code> of `@all,` see <code>&#60;b&#62;</code> `#1`"
        );
        assert_eq!(sentence("an odd ` here"), "an odd &#96; here");
    }

    #[test]
    fn fences_are_longer_than_what_is_inside() {
        let (old, new) = (Json::from("a\n```\nb\n"), Json::from("a\n````\nb\n"));
        let text = difference(1, "user_data", (Some(&old), Some(&new)), &Options::default());
        assert!(text.contains("\n    `````diff\n"), "{text}");
        assert!(text.ends_with("\n    `````\n"), "{text}");
    }

    /// What is open at the end of a page: fences and `details`.
    fn open(page: &str) -> (usize, usize) {
        let (mut fence, mut details) = (String::new(), 0);
        for line in page.lines() {
            let start = line.trim_start();
            let ticks: String = start.chars().take_while(|c| *c == '`').collect();
            if !fence.is_empty() {
                if start == fence {
                    fence.clear();
                }
            } else if start.ends_with("diff") && ticks.len() > 2 {
                fence = ticks;
            } else {
                details += line.matches("<details>").count();
                details -= line.matches("</details>").count();
            }
        }
        (fence.len(), details)
    }

    fn huge(count: usize, text: &str) -> Comparison {
        let resource = |index: usize| {
            let name = format!("{index}{text}");
            let impact = Impact::ALL[index % Impact::ALL.len()];
            let value = |end: &str| Shown::Value(Value::text(format!("{text}\n{text}{end}")));
            ResourceChange {
                name: name.clone(),
                kind: Pair { old: Some(text.to_owned()), new: Some(name.clone()) },
                places: Pair::default(),
                impact,
                effective_impact: impact,
                reasons: vec![Reason {
                    part: Part::Property(text.to_owned()),
                    impact,
                    why: Why::PluginRule { rule: text.to_owned() },
                    value: Pair { old: value("1"), new: value("2") },
                    places: Pair::default(),
                    changes: Vec::new(),
                }],
                unread: Vec::new(),
                ripple: vec![Ripple {
                    because: text.to_owned(),
                    cause: impact,
                    part: Part::Metadata,
                    impact,
                    chain: vec![text.to_owned(); 3],
                    place: None,
                }],
                rename: Some(Rename::To(text.to_owned(), Matched::Equal)),
                excused: Vec::new(),
                depends_on: Vec::new(),
                is_stack: false,
            }
        };
        Comparison { resources: (0..count).map(resource).collect(), ..Comparison::default() }
    }

    #[test]
    fn a_comment_is_never_too_long_and_never_cut_inside_something() {
        let odd = "`|<details>\n```\n@all 🎉 </details>";
        let (sources, options) = (SourceMap::default(), Options::default());
        for (count, text) in [
            (3, odd.repeat(4_000)),
            (1_500, odd.to_owned()),
            (200, odd.repeat(30)),
            (60, "line\n".repeat(300)),
            (600, "🎉".repeat(300)),
        ] {
            let comparison = huge(count, &text);
            let compared = Compared {
                old: Some(&text),
                new: Some("new.yaml"),
                versions: Pair::default(),
                unknown_parameters: &[],
                comparison: Some(&comparison),
                findings: &[],
                sources: &sources,
            };
            let pair = to_markdown(&Report::pair(&compared, &options), &options);
            let all = vec![compared; 3];
            let set = to_markdown(&Report::set(&all, &[], &options), &options);
            for page in [pair, set] {
                assert!(units(&page) <= LONGEST, "{}", units(&page));
                assert_eq!(open(&page), (0, 0), "{count}");
                assert!(page.starts_with("<!-- hotplate diff -->\n"));
                assert!(page.contains("refused"), "the worst is there");
            }
        }
        let many = huge(1_500, "x");
        let compared = Compared {
            old: None,
            new: None,
            versions: Pair::default(),
            unknown_parameters: &[],
            comparison: Some(&many),
            findings: &[],
            sources: &sources,
        };
        let page = to_markdown(&Report::pair(&compared, &options), &options);
        assert!(page.contains("Left out, because"), "{page}");
        assert!(units(&page) > LONGEST / 2, "room is used");
    }

    #[test]
    fn nothing_needs_few_words() {
        let (mut sample, options) = (sample(), Options::default());
        sample.comparison = Comparison::default();
        sample.findings.clear();
        let report = Report::pair(&sample.compared(), &options);
        insta::assert_snapshot!(to_markdown(&report, &options), @r#"
        <!-- hotplate diff -->

        ### `old.yaml` → `new.yaml`

        No differences.
        "#);
        let report = Report::set(&[sample.compared()], &[], &options);
        insta::assert_snapshot!(to_markdown(&report, &options), @r#"
        <!-- hotplate diff -->

        **no differences** in 1 template
        "#);
    }
}
