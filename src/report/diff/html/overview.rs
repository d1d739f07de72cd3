//! The first screen: the verdict, what was compared, the worst resources; and the bar with search and filters.

use super::badge::badge;
use super::markup;
use super::page::HtmlPage;
use crate::report::diff::model::{
    Report, ResourceEntry, SecurityEntry, Verdict, VerdictKind, VerdictPart,
};
use crate::report::diff::{inputs_summary, labels};
use hotplate_diff::{Impact, ResourceRole};

/// On the page of a single template with at most this many changes, all of them are on the first screen.
const MAX_UNLISTED: usize = 12;

/// The counts that are shown even if they are 0: a reviewer looks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Tile {
    Impact(Impact),
    DataLost,
    Access,
}

impl Tile {
    const ALL: [Tile; 9] = [
        Tile::Impact(Impact::Refused),
        Tile::DataLost,
        Tile::Impact(Impact::Delete),
        Tile::Impact(Impact::Replace),
        Tile::Impact(Impact::MayDelete),
        Tile::Impact(Impact::MayReplace),
        Tile::Impact(Impact::Rebuild),
        Tile::Impact(Impact::NotCompared),
        Tile::Access,
    ];

    /// The class that colors it, and its words.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Tile::Impact(impact) => (impact.name(), labels::impact_count_phrase(impact)),
            Tile::DataLost => (Impact::Delete.name(), "with data lost"),
            Tile::Access => (Impact::Delete.name(), "with more access"),
        }
    }

    fn has(self, resource: &ResourceEntry) -> bool {
        let is_partly_read = !resource.unread.is_empty();
        match self {
            Tile::Impact(Impact::NotCompared) if is_partly_read => true,
            Tile::Impact(impact) => resource.effective_impact == impact,
            Tile::DataLost => labels::loses_data(resource),
            Tile::Access => false,
        }
    }

    fn count(self, report: &Report) -> usize {
        let (summary, counts) = match report {
            Report::Pair(template) => template.totals(),
            Report::Set(set) => (set.summary.clone(), set.counts),
        };
        match self {
            Tile::Impact(Impact::Refused) => {
                summary.of(Impact::Refused) + counts.refusals + counts.refused_parameters
            }
            Tile::Impact(Impact::NotCompared) => {
                // Resources are not compared because of files that could not be read.
                counts.templates_not_compared + counts.not_compared.max(counts.unread_files)
            }
            Tile::Impact(impact) => summary.of(impact),
            Tile::DataLost => counts.data_lost,
            Tile::Access => counts.widened,
        }
    }
}

/// The id of the first entry for each tile.
#[derive(Default)]
pub(super) struct FirstOf(Vec<(Tile, String)>);

impl FirstOf {
    pub(super) fn note(&mut self, tile: Tile, id: &str) {
        if self.of(tile).is_none() {
            self.0.push((tile, id.to_owned()));
        }
    }

    pub(super) fn note_resource(&mut self, resource: &ResourceEntry, id: &str) {
        for tile in Tile::ALL.into_iter().filter(|tile| tile.has(resource)) {
            self.note(tile, id);
        }
    }

    pub(super) fn note_access(&mut self, change: &SecurityEntry, id: &str) {
        if change.access.may_widen() {
            self.note(Tile::Access, id);
        }
    }

    fn of(&self, tile: Tile) -> Option<&str> {
        self.0.iter().find(|(other, _)| *other == tile).map(|(_, id)| id.as_str())
    }
}

impl HtmlPage<'_> {
    /// The bar, which stays visible. The filters work without a script; the script adds the rest.
    pub(super) fn bar(&mut self, report: &Report) {
        self.put("<header class=\"bar\"><a class=\"home\" href=\"#top\">hotplate diff</a><div class=\"tools\" role=\"search\" aria-label=\"Search and filters\"><span id=\"scripted\" hidden><input id=\"search\" type=\"search\" autocomplete=\"off\" placeholder=\"Search (press /)\" aria-label=\"Search in names, types, properties and values\"><span id=\"status\" role=\"status\"></span><button id=\"toggle\" type=\"button\" aria-pressed=\"false\">Open all</button><button id=\"help\" type=\"button\" aria-label=\"Keys\">?</button></span>");
        let resources = || report.templates().iter().flat_map(|it| &it.resources);
        let is_shown = |impact: Impact| {
            labels::is_difference(impact) || self.options.verbose && impact == Impact::NoopUpdate
        };
        let mut impacts = String::new();
        for impact in Impact::ALL.into_iter().filter(|impact| is_shown(*impact)) {
            let count = resources().filter(|it| it.effective_impact == impact).count();
            impacts.push_str(&filter_box('f', impact.name(), &badge(impact), count));
        }
        let mut roles = String::new();
        for role in ROLES {
            let of_role = resources().filter(|it| it.role == role);
            let count = of_role.filter(|it| is_shown(it.effective_impact)).count();
            let (name, words) = role_words(role);
            roles.push_str(&filter_box('r', name, words, count));
        }
        if !impacts.is_empty() {
            self.put(&format!("<details id=\"filters\"><summary>Filter</summary><div class=\"menu\"><fieldset><legend>What happens</legend>{impacts}</fieldset><fieldset><legend>To what</legend>{roles}</fieldset></div></details>"));
        }
        self.put("</div></header>");
    }

    pub(super) fn overview(&mut self, report: &Report) {
        self.put("<section id=\"top\" class=\"overview\" aria-labelledby=\"verdict\">");
        self.verdict(report);
        self.put("<ul class=\"tiles\">");
        // Of what was not compared, nothing is known: not even that it is 0.
        let is_known = report.templates().iter().any(|it| it.compared);
        for tile in Tile::ALL {
            let count = tile.count(report);
            let (class, words) = tile.words();
            let inner = format!("<b>{count}</b> {words}");
            self.put(&match self.first.of(tile) {
                Some(id) => format!("<li class=\"{class}\"><a href=\"#{id}\">{inner}</a></li>"),
                None if count > 0 => format!("<li class=\"{class}\"><span>{inner}</span></li>"),
                None if is_known => format!("<li class=\"zero\"><span>{inner}</span></li>"),
                None => String::new(),
            });
        }
        self.put("</ul>");
        let mut rest = vec![
            labels::remaining_counts(report.summary(), report.counts()),
            labels::other_counts(report.counts()),
        ];
        rest.retain(|part| !part.is_empty());
        if !rest.is_empty() {
            let rest = markup::line(&rest.join(" · "));
            self.put(&format!("<p class=\"soft\">Besides: {rest}</p>"));
        }
        for finding in inputs_summary::search_findings(report) {
            let sentence = inputs_summary::search_sentence(finding);
            self.put(&format!("<p>{}</p>", markup::line(&sentence)));
        }
        if let Some(compared) = inputs_summary::compared(report) {
            self.put(&format!("<p class=\"soft\">{}</p>", markup::line(&compared)));
        }
        self.worst(report);
        self.put("</section>");
    }

    /// The first line of every report, each part in the color of what it is about.
    fn verdict(&mut self, report: &Report) {
        let headline = labels::report_headline(report);
        let verdict = report.verdict();
        let line = verdict.line();
        let html = match headline.strip_prefix(line.as_str()) {
            Some(rest) if !line.is_empty() => {
                let parts = verdict_parts(verdict, ", ");
                format!("{parts}<span class=\"soft\">{}</span>", markup::line(rest))
            }
            _ => markup::line(&headline),
        };
        self.put(&format!("<h1 id=\"verdict\">{html}</h1>"));
    }

    /// The worst resources with their causes, unless the page begins with them anyway.
    fn worst(&mut self, report: &Report) {
        let worst = &report.verdict().worst;
        let is_one = report.templates().len() == 1;
        let shown = report.summary().0.iter().filter(|(impact, _)| labels::is_difference(**impact));
        let shown: usize = shown.map(|(_, count)| count).sum();
        if worst.is_empty() || is_one && shown <= MAX_UNLISTED {
            return;
        }
        self.put("<h2>The worst</h2><ol class=\"worst\">");
        for entry in worst {
            let name = markup::line(&labels::name_with_count(&entry.resource, entry.count));
            let key = (entry.template.as_str(), entry.resource.clone());
            let name = match self.resource_ids.get(&key) {
                Some(id) => format!("<a href=\"#{id}\">{name}</a>"),
                None => format!("<strong>{name}</strong>"),
            };
            let kind = markup::line(entry.kind.as_deref().unwrap_or_default());
            let file = if is_one {
                String::new()
            } else {
                format!(" <span class=\"place\">{}</span>", markup::line(&entry.template))
            };
            let cause = entry.cause.as_deref().map(markup::sentence).unwrap_or_default();
            self.put(&format!(
                "<li>{}<div>{name} <span class=\"kind\">{kind}</span>{file} <span class=\"why\">{cause}</span></div></li>",
                badge(entry.impact)
            ));
        }
        self.put("</ol>");
    }
}

/// A box of the filter; empty if there is nothing to filter.
fn filter_box(prefix: char, name: &str, words: &str, count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    format!(
        "<label class=\"{name}\"><input type=\"checkbox\" id=\"{prefix}-{name}\" value=\"{name}\" checked autocomplete=\"off\">{words} {count}</label>"
    )
}

pub(super) const ROLES: [ResourceRole; 6] = [
    ResourceRole::Data,
    ResourceRole::Server,
    ResourceRole::LoadBalancer,
    ResourceRole::Other,
    ResourceRole::Configuration,
    ResourceRole::Stack,
];

/// The name of a role in markup, and its words.
pub(super) fn role_words(role: ResourceRole) -> (&'static str, &'static str) {
    match role {
        ResourceRole::Data => ("data", "what holds data"),
        ResourceRole::Server => ("server", "servers"),
        ResourceRole::LoadBalancer => ("load-balancer", "load balancers"),
        ResourceRole::Other => ("other", "other resources"),
        ResourceRole::Configuration => ("configuration", "configurations"),
        ResourceRole::Stack => ("stack", "nested stacks and groups"),
    }
}

/// The parts of a verdict, each in the color of what it is about.
pub(super) fn verdict_parts(verdict: &Verdict, between: &str) -> String {
    let parts = verdict.parts.iter().map(|part| {
        let text = markup::line(&part.text);
        format!("<span class=\"part {}\">{text}</span>", part_class(part))
    });
    parts.collect::<Vec<_>>().join(between)
}

/// The class that colors a part of the verdict.
fn part_class(part: &VerdictPart) -> &'static str {
    match (part.kind, part.impact) {
        (_, Some(impact)) => impact.name(),
        (VerdictKind::Refused | VerdictKind::RefusedBefore, None) => Impact::Refused.name(),
        (VerdictKind::DataLost | VerdictKind::Access, None) => Impact::Delete.name(),
        (
            VerdictKind::DataMayBeLost
            | VerdictKind::Hazard
            | VerdictKind::Service
            | VerdictKind::Interruption,
            None,
        ) => Impact::MayReplace.name(),
        (VerdictKind::MachineEffect | VerdictKind::Outputs, None) => Impact::Update.name(),
        (VerdictKind::NotCompared | VerdictKind::Unread, None) => Impact::NotCompared.name(),
        (VerdictKind::Resources | VerdictKind::Wrappers, None) => Impact::None.name(),
    }
}
