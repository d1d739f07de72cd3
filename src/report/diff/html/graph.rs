//! The dependency graph of a template's resources, colored by impact, as SVG and as a list.

use std::collections::HashMap;

use super::graph_nodes::{self, EdgeKind, GraphEdge, GraphNodes, changes, without_digits};
use super::layout::{self, NODE_HEIGHT, NODE_WIDTH, Point};
use super::markup;
use crate::report::diff::labels;
use crate::report::diff::model::{ResourceEntry, TemplateReport};

/// The margin around the drawing, in pixels.
const MARGIN: f64 = 8.0;

/// The maximum number of resources that a title or a list item names.
const MAX_NAMES: usize = 20;

/// A graph with at most this many boxes is shown at first.
const MAX_SHOWN: usize = 30;

/// A graph with its heading.
pub(super) struct Graph {
    pub(super) html: String,
    /// The text after the heading: `6 of 36 resources`.
    pub(super) note: String,
    pub(super) is_small: bool,
}

/// The graph, if anything changes. `entry` returns the id of a resource's entry on the page, if it has one.
pub(super) fn graph_html(
    template: &TemplateReport,
    id: &str,
    entry: &impl Fn(&ResourceEntry) -> Option<String>,
) -> Option<Graph> {
    let resources = template.resources.as_slice();
    let drawn = graph_nodes::changed(resources);
    if !drawn.iter().any(|at| changes(&resources[*at])) {
        return None;
    }
    let edges = graph_nodes::edges(resources);
    let part = graph_nodes::nodes(resources, &drawn, &edges);
    let is_all = drawn.len() == resources.len();
    let mut html = String::from("<div class=\"graph-box\">");
    if !is_all {
        html.push_str(&format!("<label><input type=\"checkbox\" class=\"whole\" id=\"{id}::whole\" autocomplete=\"off\">Whole graph</label>"));
    }
    html.push_str("<span class=\"zoom\" hidden><button type=\"button\" data-zoom=\"out\" aria-label=\"Zoom out\">−</button><button type=\"button\" data-zoom=\"in\" aria-label=\"Zoom in\">+</button><button type=\"button\" data-zoom=\"fit\">Fit</button></span>");
    html.push_str("<p class=\"soft\">An arrow points to what depends on a resource; a thick one carries a change, a dashed one leads into a stack. <code>×n</code> is a box for n resources that are alike.</p>");
    html.push_str(&view("part", "What changes and what it reaches", resources, &part, entry));
    if !is_all {
        let every: Vec<usize> = (0..resources.len()).collect();
        let whole = graph_nodes::nodes(resources, &every, &edges);
        html.push_str(&view("all", "Whole dependency graph", resources, &whole, entry));
    }
    html.push_str(&list(resources, &part, entry));
    html.push_str("</div>");
    let note = format!("{} of {}", drawn.len(), labels::counted_noun(resources.len(), "resource"));
    Some(Graph { html, note, is_small: part.nodes.len() <= MAX_SHOWN })
}

fn view(
    class: &str,
    label: &str,
    resources: &[ResourceEntry],
    graph: &GraphNodes,
    entry: &impl Fn(&ResourceEntry) -> Option<String>,
) -> String {
    let pairs: Vec<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let layout = layout::lay_out(graph.nodes.len(), &pairs);
    let (width, height) = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
    let mut svg = format!(
        "<div class=\"view {class} scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><svg class=\"graph\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"{} {} {width:.0} {height:.0}\">",
        -MARGIN, -MARGIN,
    );
    // Edges that propagate a change are drawn above the others.
    let mut order: Vec<usize> = (0..graph.edges.len()).collect();
    order.sort_by_key(|at| graph.edges[*at].kind);
    for at in order {
        let edge = &graph.edges[at];
        let to = &resources[graph.nodes[edge.to][0]];
        draw_edge(edge, to, &layout.edges[at], &mut svg);
    }
    for (members, point) in graph.nodes.iter().zip(&layout.nodes) {
        let id = entry(&resources[members[0]]);
        draw_node(resources, members, id, *point, &mut svg);
    }
    svg.push_str("</svg>");
    if graph.omitted > 0 {
        let (drawn, all) = (graph.nodes.len(), graph.nodes.len() + graph.omitted);
        svg.push_str(&format!("<p class=\"more\">The worst {drawn} of {all} boxes are drawn.</p>"));
    }
    svg + "</div>"
}

fn draw_edge(edge: &GraphEdge, to: &ResourceEntry, points: &[Point], svg: &mut String) {
    let [first, .., last] = points else { return };
    let class = match edge.kind {
        EdgeKind::Needs => String::new(),
        EdgeKind::Propagation => format!(" propagation {}", to.effective_impact.name()),
        EdgeKind::Inside => " in-stack".to_owned(),
    };
    let mut path = format!("M{:.1} {:.1}", first.x, first.y);
    for pair in points.windows(2) {
        let [from, to] = pair else { continue };
        if from.y == to.y {
            path.push_str(&format!("H{:.1}", to.x));
        } else {
            let middle = f64::midpoint(from.x, to.x);
            path.push_str(&format!(
                "C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}",
                from.y, to.y, to.x, to.y
            ));
        }
    }
    svg.push_str(&format!("<path class=\"edge{class}\" d=\"{path}\"/>"));
    // The arrowhead, in the direction of the edge's end.
    let back = if first.x <= last.x { -7.0 } else { 7.0 };
    svg.push_str(&format!(
        "<path class=\"tip{class}\" d=\"M{:.1} {:.1}l{back} -4v8z\"/>",
        last.x, last.y
    ));
}

/// The name of a node: of its resource, or with `*` for the digits that differ.
fn name(resources: &[ResourceEntry], members: &[usize]) -> String {
    let first = &resources[members[0]].name;
    if members.len() == 1 { first.clone() } else { without_digits(first) }
}

fn draw_node(
    resources: &[ResourceEntry],
    members: &[usize],
    entry: Option<String>,
    Point { x, y }: Point,
    svg: &mut String,
) {
    let resource = &resources[members[0]];
    let impact = resource.effective_impact;
    let full = name(resources, members);
    let (stack, own) = match full.rsplit_once('/') {
        Some((stack, own)) => (Some(stack), own),
        None => (None, full.as_str()),
    };
    let kind = labels::kind(resource);
    let short = kind.strip_prefix("OS::").unwrap_or(&kind);
    let below = match stack {
        Some(stack) => format!("{short} in {stack}"),
        None => short.to_owned(),
    };
    let count = if members.len() > 1 { format!(" ×{}", members.len()) } else { String::new() };
    let names: Vec<String> = members.iter().map(|at| resources[*at].name.clone()).collect();
    let names = labels::first_names(&names, MAX_NAMES);
    let title = markup::line(&format!("{names} {} ({kind})", labels::impact_phrase(impact)));
    let (open, close) = match entry {
        Some(id) => (format!("<a class=\"node {}\" href=\"#{id}\">", impact.name()), "</a>"),
        None => (format!("<g class=\"node {}\">", impact.name()), "</g>"),
    };
    let middle = NODE_HEIGHT / 2.0;
    let room = 21_usize.saturating_sub(count.chars().count());
    // A nested drawing clips long text.
    svg.push_str(&format!(
        "{open}<title>{title}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{NODE_WIDTH}\" height=\"{NODE_HEIGHT}\" rx=\"6\"/><svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{NODE_HEIGHT}\"><rect class=\"bar\" x=\"1\" y=\"1\" width=\"36\" height=\"{}\" rx=\"5\"/><text class=\"mark\" x=\"19\" y=\"{}\">{}</text><text class=\"name\" x=\"45\" y=\"{}\">{}{count}</text><text class=\"kind\" x=\"45\" y=\"{}\">{}</text></svg>{close}",
        NODE_WIDTH - 6.0,
        NODE_HEIGHT - 2.0,
        middle + 4.0,
        markup::line(labels::impact_mark(impact).trim()),
        middle - 4.0,
        markup::line(&cut(own, room)),
        middle + 12.0,
        markup::line(&cut(&below, 26))
    ));
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The content of the drawing as a list, for screen readers.
fn list(
    resources: &[ResourceEntry],
    graph: &GraphNodes,
    entry: &impl Fn(&ResourceEntry) -> Option<String>,
) -> String {
    let mut html =
        String::from("<details class=\"alternative\"><summary>The graph as a list</summary><ul>");
    let mut needs: HashMap<usize, Vec<&GraphEdge>> = HashMap::new();
    for edge in &graph.edges {
        needs.entry(edge.to).or_default().push(edge);
    }
    let label = |node: usize| {
        let members = &graph.nodes[node];
        markup::line(&labels::name_with_count(&name(resources, members), members.len()))
    };
    for (node, members) in graph.nodes.iter().enumerate() {
        let resource = &resources[members[0]];
        let name = label(node);
        let name = match entry(resource) {
            Some(id) => format!("<a href=\"#{id}\">{name}</a>"),
            None => name,
        };
        html.push_str(&format!("<li>{name} {}", labels::impact_phrase(resource.effective_impact)));
        let own = needs.get(&node).map_or(&[][..], Vec::as_slice);
        for (position, edge) in own.iter().take(MAX_NAMES).enumerate() {
            let phrase = match edge.kind {
                EdgeKind::Needs => "needs",
                EdgeKind::Propagation => "is changed by",
                EdgeKind::Inside => "is in the stack of",
            };
            let sign = if position == 0 { ";" } else { "," };
            html.push_str(&format!("{sign} {phrase} {}", label(edge.from)));
        }
        if own.len() > MAX_NAMES {
            html.push_str(&format!(" and {} more", own.len() - MAX_NAMES));
        }
        html.push_str("</li>");
    }
    html.push_str("</ul></details>");
    html
}
