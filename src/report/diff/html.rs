//! One page that needs nothing else: no network, and no script to be read.
//!
//! Everything from a template goes through [`markup`]; ids and classes are made of numbers and of the
//! names of impacts only. The policy at the top of the page lets no other style and script work than
//! the two that are embedded here, so that even a hole in the escaping would do nothing.

mod graph;
mod layout;
mod markup;
mod sources;

use std::collections::HashMap;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::hunk::{self, LineKind};
use super::model::{
    Detail, Entry, Environment, Parameter, Reason, Report, Resource, Ripple, Security, SourcePlace,
    Template, TemplateFinding, ValueChange,
};
use super::{Options, basis, short, words};
use crate::diff::{Aspect, Change, FileStatus, FindingSide, Impact};
use crate::report::eval::base64;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// So many resources are told with all reasons.
const MOST_DETAILED: usize = 600;
/// And so many more with their name only.
const MOST_LISTED: usize = 4_000;
/// So many lines of sources are on one page.
const MOST_SOURCE_LINES: usize = 20_000;
/// Of a resource so many reasons and ripples are told,
const MOST_REASONS: usize = 60;
/// of a value so many differences,
const MOST_CHANGES: usize = 40;
/// and of a long text so many lines.
const MOST_HUNK_LINES: usize = 200;
/// Of a section other than the resources so many entries are shown.
const MOST_ENTRIES: usize = 1_000;
/// In pages with no more details than this the sources of the worst are open.
const MOST_OPEN: usize = 12;

/// The report as a page.
pub fn to_html(report: &Report, options: &Options) -> String {
    let mut page = Page {
        html: String::new(),
        options,
        detailed: MOST_DETAILED,
        listed: MOST_LISTED,
        lines: MOST_SOURCE_LINES,
    };
    page.report(report);
    let names: Vec<String> = report.templates().iter().take(2).map(words::names).collect();
    let title = format!("{} · hotplate diff", names.join(", "));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(STYLE)),
        base64(&Sha256::digest(SCRIPT))
    );
    let slots = [
        ("policy", policy.as_str()),
        ("title", &markup::line(&title)),
        ("style", STYLE),
        ("body", &page.html),
        ("script", SCRIPT),
    ];
    markup::fill(PAGE, &slots)
}

/// A page under construction.
struct Page<'a> {
    html: String,
    options: &'a Options,
    /// What is left of the bounds.
    detailed: usize,
    listed: usize,
    lines: usize,
}

impl Page<'_> {
    fn put(&mut self, html: &str) {
        self.html.push_str(html);
    }

    fn report(&mut self, report: &Report) {
        let templates = report.templates();
        let mut differ: Vec<(usize, &Template)> = templates
            .iter()
            .enumerate()
            .filter(|(_, it)| {
                templates.len() == 1
                    || words::differs(it)
                    || !it.compared
                    || words::findings(it).next().is_some()
            })
            .collect();
        differ.sort_by_key(|(_, it)| !words::is_of_stack(it));
        self.put("<header><h1>hotplate diff</h1>");
        let headline = words::report_headline(report);
        let parts: Vec<String> = headline
            .split(", ")
            .map(|part| format!("<span>{}</span>", markup::line(part)))
            .collect();
        self.put(&format!("<p class=\"headline\">{}</p>", parts.join(", ")));
        let mut rest = vec![words::rest(report.summary()), words::others(report.counts())];
        rest.retain(|part| !part.is_empty());
        if !rest.is_empty() {
            self.put(&format!("<p class=\"soft\">{}</p>", markup::line(&rest.join(" · "))));
        }
        if let Some(compared) = basis::compared(report) {
            self.put(&format!("<p class=\"soft\">{}</p>", markup::line(&compared)));
        }
        self.tools(report);
        if differ.len() > 1 {
            self.put("<nav aria-label=\"Templates\"><ul>");
            for (at, template) in &differ {
                let name = markup::line(&words::names(template));
                self.put(&format!("<li><a href=\"#t{at}\">{name}</a></li>"));
            }
            self.put("</ul></nav>");
        }
        self.put("</header><main id=\"main\" tabindex=\"-1\">");
        for (at, template) in differ {
            self.template(at, template);
        }
        self.put(&format!(
            "</main><footer>hotplate {} · {} · nothing on this page was loaded from elsewhere</footer>",
            env!("CARGO_PKG_VERSION"),
            crate::diff::HEAT
        ));
    }

    /// The filter, which needs no script, and what the script adds.
    fn tools(&mut self, report: &Report) {
        self.put("<div class=\"tools\" role=\"search\" aria-label=\"Filter and search\"><fieldset id=\"filters\"><legend>Show</legend>");
        for impact in Impact::ALL {
            let count: usize = report.templates().iter().map(|it| it.summary.of(impact)).sum();
            let is_shown = words::is_difference(impact)
                || self.options.verbose && impact == Impact::NoopUpdate;
            if count > 0 && is_shown {
                let name = impact.name();
                self.put(&format!(
                    "<label class=\"{name}\"><input type=\"checkbox\" id=\"f-{name}\" value=\"{name}\" checked autocomplete=\"off\">{} {count}</label>",
                    badge(impact)
                ));
            }
        }
        self.put("</fieldset><div id=\"scripted\" hidden><input id=\"search\" type=\"search\" autocomplete=\"off\" placeholder=\"Search (press /)\" aria-label=\"Search in names, types, properties and values\"><button id=\"toggle\" type=\"button\" aria-pressed=\"false\">All sources</button><span id=\"status\" role=\"status\"></span></div></div>");
    }

    fn template(&mut self, number: usize, template: &Template) {
        self.put(&format!(
            "<section class=\"template\" id=\"t{number}\" aria-labelledby=\"t{number}-h\">"
        ));
        self.put(&format!("<h2 id=\"t{number}-h\">{}</h2>", markup::line(&words::names(template))));
        if !template.compared {
            self.put("<p>Not compared: one side cannot be read.</p>");
        }
        if template.file != FileStatus::Existing {
            self.put(&format!("<p>{}</p>", markup::line(&words::file(template))));
        }
        let shown = words::worst_first(template, self.options.verbose);
        let mut sections = Sections { number, entries: 0 };
        sections.links(self, template, shown.len());
        // Where nothing could be compared, they are all there is; else they are of the second rank.
        if !template.compared {
            self.findings(template, &mut sections);
        }
        self.section("Refused by Heat", words::refusals(template), &mut sections, |page, it| {
            page.put(&format!(
                "<div class=\"item plain\">{} {}</div>",
                badge(Impact::Refused),
                markup::line(&words::refusal(it))
            ));
        });
        self.section("Could not be read", &template.unread, &mut sections, |page, it| {
            page.put(&format!(
                "<div class=\"item plain\">{} {}</div>",
                badge(Impact::NotCompared),
                markup::line(&words::unread(it))
            ));
        });
        let (refused, parameters): (Vec<_>, Vec<_>) =
            template.parameters.iter().partition(|parameter| parameter.refused);
        self.section("Refused parameters", refused, &mut sections, |page, it| page.parameter(it));
        if !template.notes.is_empty() {
            self.put("<ul class=\"notes\">");
            for note in &template.notes {
                self.put(&format!("<li>Note: {}</li>", markup::sentence(&note.message)));
            }
            self.put("</ul>");
        }
        self.section("Security", &template.security, &mut sections, |page, it| page.security(it));

        let listed = shown.len().min(self.detailed + self.listed);
        let by_name: HashMap<&str, usize> =
            shown[..listed].iter().enumerate().map(|(at, it)| (it.name.as_str(), at)).collect();
        let id = |at: usize| format!("t{number}-r{at}");
        let id_of = |resource: &Resource| by_name.get(resource.name.as_str()).map(|at| id(*at));
        if !shown.is_empty() {
            self.put(&sections.open(RESOURCES));
            let open = shown.len() <= MOST_OPEN;
            for (at, resource) in shown[..listed].iter().enumerate() {
                let id = id(at);
                if self.detailed > 0 {
                    self.detailed -= 1;
                    self.resource(&id, resource, template, open);
                } else {
                    self.listed -= 1;
                    self.head(&id, resource);
                    self.put("</article>");
                }
            }
            let more = shown.len() - listed;
            if more > 0 {
                let more = words::number(more, "more resource");
                self.put(&format!("<p class=\"more\">and {more}, which this page leaves out; the JSON report has all of them</p>"));
            }
            self.put("</div>");
        }
        let graph = graph::of_template(template, &format!("t{number}-g"), &id_of);
        if let Some(graph) = graph {
            self.put(&sections.open(GRAPH));
            self.put(&graph);
            self.put("</div>");
        }
        self.section(PARAMETERS, parameters, &mut sections, |page, it| page.parameter(it));
        for (title, list) in [
            (GROUPS, &template.groups),
            (CONDITIONS, &template.conditions),
            (OUTPUTS, &template.outputs),
        ] {
            self.section(title, list, &mut sections, |page, it| page.entry(it));
        }
        self.section(ENVIRONMENT, &template.environment, &mut sections, |page, it| {
            page.environment(it);
        });
        self.section(PERMISSIONS, &template.excuses, &mut sections, |page, excuse| {
            let unused = if excuse.used { "" } else { " <strong>It excuses nothing.</strong>" };
            let line = markup::line(&words::excuse(excuse));
            page.put(&format!("<div class=\"item plain\"><code>{line}</code>{unused}</div>"));
        });
        if template.compared {
            self.findings(template, &mut sections);
        }
        self.put("</section>");
    }

    fn findings(&mut self, template: &Template, sections: &mut Sections) {
        self.section(FINDINGS, &template.findings, sections, |page, it| page.finding(it));
    }

    /// A heading and what is under it, if there is anything.
    fn section<'t, T: 't>(
        &mut self,
        title: &str,
        items: impl IntoIterator<Item = &'t T>,
        sections: &mut Sections,
        show: impl Fn(&mut Self, &'t T),
    ) {
        let items: Vec<&T> = items.into_iter().collect();
        if items.is_empty() {
            return;
        }
        self.put(&sections.open(title));
        let room = MOST_ENTRIES.saturating_sub(sections.entries).max(1).min(items.len());
        sections.entries += room;
        for item in &items[..room] {
            show(self, item);
        }
        let more = items.len() - room;
        if more > 0 {
            self.put(&format!("<p class=\"more\">and {more} more</p>"));
        }
        self.put("</div>");
    }

    fn finding(&mut self, told: &TemplateFinding) {
        let (place, code) = words::finding_head(told);
        let side = match told.side {
            FindingSide::New => "",
            FindingSide::Both => " <span class=\"soft\">on both sides</span>",
            FindingSide::Old => " <span class=\"soft\">on the old side only</span>",
        };
        self.put(&format!(
            "<div class=\"item plain\"><strong>{code}</strong>{side} {}{} <span class=\"place\">{}</span>",
            markup::sentence(&told.finding.message),
            words::in_places(told),
            markup::line(place.trim_end_matches(": "))
        ));
        for help in &told.finding.help {
            self.put(&format!("<p class=\"why\">{}</p>", markup::sentence(help)));
        }
        self.put("</div>");
    }

    /// Opens the entry of a resource.
    fn head(&mut self, id: &str, resource: &Resource) {
        let impact = resource.effective_impact;
        self.put(&format!(
            "<article class=\"item {0}\" id=\"{id}\" data-impact=\"{0}\" aria-labelledby=\"{id}-h\"><h4 id=\"{id}-h\">{1} <a class=\"self\" href=\"#{id}\">{2}</a> <span class=\"kind\">{3}</span></h4>",
            impact.name(),
            badge(impact),
            markup::line(&resource.name),
            markup::line(&words::kind(resource))
        ));
    }

    fn resource(&mut self, id: &str, resource: &Resource, template: &Template, open: bool) {
        self.head(id, resource);
        for excuse in resource.excused.iter().filter_map(|at| template.excuses.get(*at)) {
            let excuse = markup::line(&words::excuse(excuse));
            self.put(&format!("<p>Allowed by <code>{excuse}</code></p>"));
        }
        if let Some(rename) = words::rename(resource) {
            self.put(&format!("<p>{}</p>", markup::line(&rename)));
            if let Some(by) =
                resource.rename_matched.as_ref().filter(|_| self.options.explain_match)
            {
                let why = markup::line(&words::matched(by));
                self.put(&format!("<p class=\"why\">treated as the same: {why}</p>"));
            }
        }
        let count = resource.reasons.len() + resource.ripple.len();
        if count > 0 {
            self.put("<ul class=\"reasons\">");
            for reason in resource.reasons.iter().take(MOST_REASONS) {
                self.reason(reason);
            }
            let room = MOST_REASONS.saturating_sub(resource.reasons.len());
            for ripple in resource.ripple.iter().take(room) {
                self.ripple(ripple);
            }
            if count > MOST_REASONS {
                self.put(&format!("<li class=\"more\">and {} more</li>", count - MOST_REASONS));
            }
            self.put("</ul>");
        }
        let context = self.options.context.min(20);
        if let Some(sources) =
            sources::of_resource(resource, &template.sources, context, &mut self.lines)
        {
            let is_worst = resource.effective_impact <= Impact::MayReplace;
            let open = if open && is_worst { " open" } else { "" };
            self.put(&format!(
                "<details class=\"sources\"{open}><summary>Sources, old and new</summary>"
            ));
            self.put(&sources);
            self.put("</details>");
        }
        self.put("</article>");
    }

    fn reason(&mut self, reason: &Reason) {
        self.put("<li>");
        match reason.changes.as_slice() {
            [] => self.difference(&words::label(reason), reason.old.as_ref(), reason.new.as_ref()),
            changes => self.changes(changes, |change| words::property(reason.part, &change.path)),
        }
        let place = words::places(reason.old_place.as_ref(), reason.new_place.as_ref());
        self.put(&format!(
            "<div class=\"why\">{} <span class=\"place\">{}</span></div></li>",
            markup::sentence(&reason.why),
            markup::line(&place)
        ));
    }

    fn ripple(&mut self, ripple: &Ripple) {
        let place = ripple.place.as_ref().map(words::place).unwrap_or_default();
        self.put(&format!(
            "<li>{} {} <span class=\"soft\">(by <code>{}</code>)</span> <span class=\"place\">{}</span></li>",
            badge(ripple.impact),
            markup::line(&words::because(ripple)),
            markup::line(&words::property(ripple.part, &ripple.property)),
            markup::line(&place)
        ));
    }

    fn changes(&mut self, changes: &[ValueChange], name: impl Fn(&ValueChange) -> String) {
        let mut explained = Vec::new();
        for change in changes.iter().take(MOST_CHANGES) {
            let perhaps = if change.unresolved { " (perhaps)" } else { "" };
            let name = format!("{}{perhaps}", name(change));
            self.difference(&name, change.old.as_ref(), change.new.as_ref());
            for item in change.matched.iter().filter(|_| self.options.explain_match) {
                let line = words::item(item);
                if !explained.contains(&line) {
                    self.html
                        .push_str(&format!("<div class=\"why\">{}</div>", markup::line(&line)));
                    explained.push(line);
                }
            }
        }
        if changes.len() > MOST_CHANGES {
            let more = words::number(changes.len() - MOST_CHANGES, "more difference");
            self.put(&format!("<div class=\"more\">and {more}</div>"));
        }
    }

    /// What something was and is: on one line, or line by line.
    fn difference(&mut self, name: &str, old: Option<&Json>, new: Option<&Json>) {
        let name = match name {
            "" => String::new(),
            name => format!("<code>{}</code>: ", markup::line(name)),
        };
        if let Some(lines) = hunk::of(old, new, self.options.context) {
            self.put(&format!("<div>{name}</div><pre class=\"hunk\">"));
            for line in lines.iter().take(MOST_HUNK_LINES) {
                let text = markup::text(&line.text);
                let html = match line.kind {
                    LineKind::Header => format!("<span class=\"header\">{text}</span>"),
                    LineKind::Same => format!("<span>{text}</span>"),
                    LineKind::Old => format!("<del>{text}</del>"),
                    LineKind::New => format!("<ins>{text}</ins>"),
                };
                self.put(&html);
            }
            if lines.len() > MOST_HUNK_LINES {
                let more = words::number(lines.len() - MOST_HUNK_LINES, "more line");
                self.put(&format!("<span class=\"header\">and {more}</span>"));
            }
            self.put("</pre>");
            return;
        }
        let value = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", markup::line(text));
        let values = match (old, new) {
            (None, None) => return,
            (Some(old), None) => format!("{} is gone", value("del", &short::value(old))),
            (None, Some(new)) => format!("{} is new", value("ins", &short::value(new))),
            (Some(old), Some(new)) => {
                let (was, is) = short::pair(old, new);
                let hidden = if old == new { " (differs, hidden)" } else { "" };
                format!("{} → {}{hidden}", value("del", &was), value("ins", &is))
            }
        };
        self.put(&format!("<div class=\"value\">{name}<span class=\"code\">{values}</span></div>"));
    }

    fn security(&mut self, change: &Security) {
        let places = words::places(change.old_place.as_ref(), change.new_place.as_ref());
        let verdict = words::verdict(change.verdict);
        self.put(&format!(
            "<div class=\"item {verdict}\"><span class=\"badge\">{verdict}</span> <strong>{}</strong>: {} <span class=\"place\">{}</span></div>",
            markup::line(&change.resource),
            markup::sentence(&change.message),
            markup::line(&places)
        ));
    }

    /// Opens an entry of a section.
    fn open(
        &mut self,
        class: &str,
        change: &Change,
        name: &str,
        reaches: &[String],
        places: (Option<&SourcePlace>, Option<&SourcePlace>),
    ) {
        let reaches = match reaches {
            [] => String::new(),
            reaches => {
                format!("<div class=\"why\">reaches {}</div>", markup::line(&words::some(reaches)))
            }
        };
        self.put(&format!(
            "<div class=\"item {class}\"><strong>{}</strong> {} <span class=\"place\">{}</span>{reaches}",
            markup::line(name),
            markup::line(&words::change(change)),
            markup::line(&words::places(places.0, places.1))
        ));
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let places = (parameter.old_place.as_ref(), parameter.new_place.as_ref());
        let class = if parameter.refused { "refused" } else { "plain" };
        self.open(class, &parameter.change, &parameter.name, &parameter.reaches, places);
        if parameter.refused {
            self.put(&format!(
                "<div>{} Heat refuses another value of an immutable parameter</div>",
                badge(Impact::Refused)
            ));
        }
        for Detail { aspect, old, new, .. } in &parameter.details {
            if *aspect != Aspect::Documentation || self.options.verbose {
                self.difference(words::aspect(*aspect), old.as_ref(), new.as_ref());
            }
        }
        self.put("</div>");
    }

    fn entry(&mut self, entry: &Entry) {
        let places = (entry.old_place.as_ref(), entry.new_place.as_ref());
        self.open("plain", &entry.change, &entry.name, &entry.reaches, places);
        if entry.changes.is_empty() {
            self.difference("", entry.old.as_ref(), entry.new.as_ref());
        } else {
            self.changes(&entry.changes, |change| change.path.clone());
        }
        self.put("</div>");
    }

    fn environment(&mut self, change: &Environment) {
        let places = (change.old_place.as_ref(), change.new_place.as_ref());
        let name = words::environment(change);
        self.open("plain", &change.change, &name, &change.reaches, places);
        self.difference("", change.old.as_ref(), change.new.as_ref());
        self.put("</div>");
    }
}

const RESOURCES: &str = "Resources";
const PARAMETERS: &str = "Parameters";
const GROUPS: &str = "Parameter groups";
const CONDITIONS: &str = "Conditions";
const OUTPUTS: &str = "Outputs";
const ENVIRONMENT: &str = "Environment";
const PERMISSIONS: &str = "Permissions";
const FINDINGS: &str = "Findings";
const GRAPH: &str = "Dependency graph";

/// The sections of a template.
struct Sections {
    /// The number of the template.
    number: usize,
    /// So many entries are shown, those of resources not counted.
    entries: usize,
}

impl Sections {
    /// Opens a section.
    fn open(&self, title: &str) -> String {
        format!("<div class=\"section\" id=\"{}\"><h3>{title}</h3>", self.id(title))
    }

    /// The id of a section: what its title is made of.
    fn id(&self, title: &str) -> String {
        format!("t{}-{}", self.number, title.to_lowercase().replace(' ', "-"))
    }

    /// Links to the sections that are long or far down.
    fn links(&self, page: &mut Page<'_>, template: &Template, resources: usize) {
        let refused = template.parameters.iter().filter(|parameter| parameter.refused).count();
        let counts = [
            (RESOURCES, resources),
            (
                GRAPH,
                usize::from(
                    template.resources.iter().any(|it| words::is_difference(it.effective_impact)),
                ),
            ),
            (PARAMETERS, template.parameters.len() - refused),
            (GROUPS, template.groups.len()),
            (CONDITIONS, template.conditions.len()),
            (OUTPUTS, template.outputs.len()),
            (ENVIRONMENT, template.environment.len()),
            (PERMISSIONS, template.excuses.len()),
            (FINDINGS, template.findings.len()),
        ];
        let links: Vec<String> = counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(title, count)| {
                let count = if *title == GRAPH { String::new() } else { format!(" ({count})") };
                format!("<li><a href=\"#{}\">{title}{count}</a></li>", self.id(title))
            })
            .collect();
        if links.len() > 1 {
            page.put(&format!("<nav aria-label=\"Sections\"><ul>{}</ul></nav>", links.concat()));
        }
    }
}

/// The name of an impact with its mark, so that colour is not all that tells it.
fn badge(impact: Impact) -> String {
    let mark = markup::line(words::mark(impact).trim());
    let name = impact.name();
    format!("<span class=\"badge {name}\"><i aria-hidden=\"true\">{mark}</i> {name}</span>")
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;
    use crate::diff::{Pair, Shown};
    use crate::eval::Value;

    fn page(options: &Options) -> String {
        let sample = sample();
        to_html(&Report::pair(&sample.compared(), options), options)
    }

    #[test]
    fn a_page() {
        let page = page(&Options::default()).replace(STYLE, "STYLE").replace(SCRIPT, "SCRIPT");
        insta::assert_snapshot!("html", page);
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let page = page(&Options::default());
        for loads in ["=\"http", "=\"//", " src=", "url(", "@import", "rel=\"stylesheet"] {
            assert!(!page.contains(loads), "{loads}");
        }
        assert_eq!(page.matches("<script").count(), 1);
        // An end tag inside would end them early.
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</"));
        // A style attribute would be against the page's own policy.
        assert!(!page.contains(" style=") && !page.contains(" onclick="));
    }

    #[test]
    fn what_templates_say_is_never_markup() {
        const EVIL: &str = "</style></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{script}}`--><svg onload=alert(1)>javascript:alert(1)";
        let mut sample = sample();
        let plain = page(&Options::default());
        let evil = || Pair {
            old: Shown::Value(Value::text(EVIL)),
            new: Shown::Value(Value::text(format!("{EVIL}\n{EVIL}"))),
        };
        for resource in &mut sample.comparison.resources {
            resource.name.push_str(EVIL);
            resource.kind = Pair { old: Some(EVIL.to_owned()), new: Some(format!("{EVIL}::2")) };
            for reason in &mut resource.reasons {
                reason.value = evil();
                reason.part = crate::diff::Part::Property(EVIL.to_owned());
                reason.changes.iter_mut().for_each(|change| change.value = evil());
            }
            for ripple in &mut resource.ripple {
                ripple.because.push_str(EVIL);
                ripple.chain.push(EVIL.to_owned());
            }
            resource.depends_on.iter_mut().for_each(|name| name.push_str(EVIL));
        }
        for parameter in &mut sample.comparison.parameters {
            parameter.name = EVIL.to_owned();
            parameter.reaches.push(EVIL.to_owned());
        }
        for entry in sample.comparison.outputs.iter_mut().chain(&mut sample.comparison.conditions) {
            entry.name = EVIL.to_owned();
            entry.value = evil();
        }
        for change in &mut sample.comparison.environment {
            change.name = EVIL.to_owned();
            change.value = evil();
        }
        for change in &mut sample.comparison.security {
            change.message = EVIL.to_owned();
        }
        for excuse in &mut sample.comparison.excuses {
            excuse.reason = Some(EVIL.to_owned());
        }
        for finding in &mut sample.findings {
            finding.diagnostic.message = EVIL.to_owned();
            finding.diagnostic.help.push(EVIL.to_owned());
        }
        let compared =
            super::super::Compared { old: Some(EVIL), new: Some(EVIL), ..sample.compared() };
        let options = Options { explain_match: true, verbose: true, ..Options::default() };
        let page = to_html(&Report::pair(&compared, &options), &options);
        assert!(page.matches("&lt;/script&gt;").count() > 30);
        assert!(!page.contains("<img") && !page.contains("</style></script>"));
        assert!(!page.contains("\"'`"), "a quote that is not escaped");
        for tag in ["<script", "<style", "</script", "</style", "<!--", "-->"] {
            assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
        }
    }

    #[test]
    fn every_impact_has_its_colour_and_its_filter() {
        for impact in Impact::ALL {
            let name = impact.name();
            assert_eq!(
                STYLE.matches(&format!("--{name}: #")).count(),
                3,
                "light, dark, print: {name}"
            );
            assert!(STYLE.contains(&format!(".{name} {{ --impact: var(--{name}); }}")), "{name}");
            if impact != Impact::None {
                let filter =
                    format!("body:has(#f-{name}:not(:checked)) .item[data-impact=\"{name}\"]");
                assert!(STYLE.contains(&filter), "{name}");
            }
        }
    }

    #[test]
    fn a_huge_comparison_has_a_page_of_bounded_size() {
        let mut sample = sample();
        let template = sample.comparison.resources[2].clone();
        let many = (0..9_000).map(|at| {
            let mut resource = template.clone();
            resource.name = format!("r{at}");
            resource.depends_on = vec![format!("r{}", at / 2)];
            resource
        });
        sample.comparison.resources = many.collect();
        let options = Options::default();
        let page = to_html(&Report::pair(&sample.compared(), &options), &options);
        assert!(page.len() < 6_000_000, "{}", page.len());
        assert_eq!(page.matches("<article").count(), MOST_DETAILED + MOST_LISTED);
        assert!(
            page.contains(&format!("and {} more resources", 9_000 - MOST_DETAILED - MOST_LISTED))
        );
        assert!(page.contains("8700 other resources are left out"));
    }
}
