//! The dependency graph of a template's resources, colored by impact, as SVG and as a list.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::layout::{self, NODE_HEIGHT, NODE_WIDTH, Point};
use super::markup;
use crate::report::diff::labels;
use crate::report::diff::model::{ResourceEntry, TemplateReport};

/// A graph with more resources than this contains only changed resources and their neighbors.
const MAX_UNREDUCED: usize = 60;

/// The maximum number of resources in the drawing.
const MAX_NODES: usize = 300;

/// The margin around the drawing, in pixels.
const MARGIN: f64 = 8.0;

/// The maximum number of resources that a list item names.
const MAX_NAMES: usize = 20;

/// The graph as HTML, empty if nothing changes. `entry` returns the id of a resource's entry on
/// the page, if it has one.
pub(super) fn graph_html(
    template: &TemplateReport,
    id: &str,
    entry: &impl Fn(&ResourceEntry) -> Option<String>,
) -> Option<String> {
    let resources = &template.resources;
    if !resources.iter().any(changes) {
        return None;
    }
    let all = edges(resources);
    let drawn = choose(resources, &all);
    let node_of: HashMap<usize, usize> =
        drawn.iter().enumerate().map(|(node, resource)| (*resource, node)).collect();
    let edges: Vec<GraphEdge> = all
        .into_iter()
        .filter(|edge| node_of.contains_key(&edge.from) && node_of.contains_key(&edge.to))
        .collect();
    let pairs: Vec<(usize, usize)> =
        edges.iter().map(|edge| (node_of[&edge.from], node_of[&edge.to])).collect();
    let layout = layout::lay_out(drawn.len(), &pairs);

    let (width, height) = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg class=\"graph\" id=\"{id}\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"{} {} {width:.0} {height:.0}\" role=\"group\" aria-label=\"Dependency graph of {} resources; the same is below as a list\">",
        -MARGIN,
        -MARGIN,
        drawn.len()
    );
    // Edges that propagate a change are drawn above the others.
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|at| edges[*at].kind == EdgeKind::Propagation);
    for at in order {
        draw_edge(&edges[at], &resources[edges[at].to], &layout.edges[at], &mut svg);
    }
    for (resource, point) in drawn.iter().zip(&layout.nodes) {
        draw_node(&resources[*resource], entry(&resources[*resource]), *point, &mut svg);
    }
    svg.push_str("</svg>");

    let hidden = resources.len() - drawn.len();
    let mut html = String::from(
        "<p class=\"soft\">An arrow points from a resource to one that depends on it. A thick arrow propagates a change, a dashed one leads into a stack.",
    );
    if hidden > 0 {
        let changed = resources.iter().filter(|resource| changes(resource)).count();
        let drawn_changes = drawn.iter().filter(|at| changes(&resources[**at])).count();
        let shown = if drawn_changes < changed {
            format!("Only the worst {drawn_changes} of {changed} changes are shown")
        } else {
            "Only changed resources and their neighbors are shown".to_owned()
        };
        let verb = if hidden == 1 { "is" } else { "are" };
        let hidden = labels::counted_noun(hidden, "other resource");
        html.push_str(&format!(" {shown}; {hidden} {verb} omitted."));
    }
    html.push_str(
        "</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Dependency graph\">",
    );
    html.push_str(&svg);
    html.push_str("</div>");
    html.push_str(&list(resources, &drawn, &edges, entry));
    Some(html)
}

fn changes(resource: &ResourceEntry) -> bool {
    labels::is_difference(resource.effective_impact)
}

/// The meaning of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgeKind {
    /// The second resource depends on the first.
    Needs,
    /// The second resource depends on the first and changes because of it.
    Propagation,
    /// The first resource represents the stack that contains the second.
    Inside,
}

#[derive(Clone, Copy, Debug)]
struct GraphEdge {
    from: usize,
    to: usize,
    kind: EdgeKind,
}

fn edges(resources: &[ResourceEntry]) -> Vec<GraphEdge> {
    let at: HashMap<&str, usize> =
        resources.iter().enumerate().map(|(at, resource)| (resource.name.as_str(), at)).collect();
    let mut edges = Vec::new();
    for (to, resource) in resources.iter().enumerate() {
        let causes: HashSet<&str> =
            resource.propagations.iter().map(|propagation| propagation.source.as_str()).collect();
        let mut seen = BTreeSet::new();
        let needs = resource.depends_on.iter().map(String::as_str);
        let because = resource.propagations.iter().map(|propagation| propagation.source.as_str());
        for name in needs.chain(because) {
            if let Some(from) = at.get(name).filter(|from| **from != to && seen.insert(**from)) {
                let propagation = causes.contains(name);
                let kind = if propagation { EdgeKind::Propagation } else { EdgeKind::Needs };
                edges.push(GraphEdge { from: *from, to, kind });
            }
        }
        // A resource without dependencies in its stack is connected to the stack.
        let stack =
            resource.name.rmatch_indices('/').find_map(|(end, _)| at.get(&resource.name[..end]));
        if let Some(from) = stack.filter(|from| seen.is_empty() && **from != to) {
            edges.push(GraphEdge { from: *from, to, kind: EdgeKind::Inside });
        }
    }
    edges
}

/// The resources to draw, in their order.
fn choose(resources: &[ResourceEntry], edges: &[GraphEdge]) -> Vec<usize> {
    if resources.len() <= MAX_UNREDUCED {
        return (0..resources.len()).collect();
    }
    let mut worst: Vec<usize> =
        (0..resources.len()).filter(|at| changes(&resources[*at])).collect();
    worst.sort_by_key(|at| resources[*at].effective_impact);
    worst.truncate(MAX_NODES);
    let mut chosen: BTreeSet<usize> = worst.iter().copied().collect();
    let changed = chosen.clone();
    for edge in edges {
        if chosen.len() >= MAX_NODES {
            break;
        }
        if changed.contains(&edge.from) || changed.contains(&edge.to) {
            chosen.insert(edge.from);
            if chosen.len() < MAX_NODES {
                chosen.insert(edge.to);
            }
        }
    }
    chosen.into_iter().collect()
}

fn draw_edge(edge: &GraphEdge, to: &ResourceEntry, points: &[Point], svg: &mut String) {
    let [first, .., last] = points else { return };
    let class = match edge.kind {
        EdgeKind::Needs => String::new(),
        EdgeKind::Propagation => format!(" propagation {}", to.effective_impact.name()),
        EdgeKind::Inside => " inside".to_owned(),
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

fn draw_node(resource: &ResourceEntry, entry: Option<String>, point: Point, svg: &mut String) {
    let impact = resource.effective_impact;
    let (stack, name) = match resource.name.rsplit_once('/') {
        Some((stack, name)) => (Some(stack), name),
        None => (None, resource.name.as_str()),
    };
    let kind = labels::kind(resource);
    let below = match stack {
        Some(stack) => format!("{} in {stack}", short(&kind)),
        None => short(&kind).to_owned(),
    };
    let title =
        markup::line(&format!("{} {} ({kind})", resource.name, labels::impact_phrase(impact)));
    let (open, close) = match entry {
        Some(id) => (
            format!("<a class=\"node {}\" href=\"#{id}\" aria-label=\"{title}\">", impact.name()),
            "</a>",
        ),
        None => (format!("<g class=\"node {}\">", impact.name()), "</g>"),
    };
    svg.push_str(&open);
    let Point { x, y } = point;
    let middle = NODE_HEIGHT / 2.0;
    svg.push_str(&format!("<title>{title}</title>"));
    svg.push_str(&format!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{NODE_WIDTH}\" height=\"{NODE_HEIGHT}\" rx=\"6\"/>"
    ));
    // A nested drawing clips long text.
    svg.push_str(&format!(
        "<svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{NODE_HEIGHT}\">",
        NODE_WIDTH - 6.0
    ));
    svg.push_str(&format!(
        "<rect class=\"bar\" x=\"1\" y=\"1\" width=\"36\" height=\"{}\" rx=\"5\"/><text class=\"mark\" x=\"19\" y=\"{}\">{}</text>",
        NODE_HEIGHT - 2.0,
        middle + 4.0,
        markup::line(labels::impact_mark(impact).trim())
    ));
    svg.push_str(&format!(
        "<text class=\"name\" x=\"45\" y=\"{}\">{}</text><text class=\"kind\" x=\"45\" y=\"{}\">{}</text></svg>",
        middle - 4.0,
        markup::line(&cut(name, 26)),
        middle + 12.0,
        markup::line(&cut(&below, 30))
    ));
    svg.push_str(close);
}

/// A type without the common prefix `OS::`.
fn short(kind: &str) -> &str {
    kind.strip_prefix("OS::").unwrap_or(kind)
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
    drawn: &[usize],
    edges: &[GraphEdge],
    entry: &impl Fn(&ResourceEntry) -> Option<String>,
) -> String {
    let mut html =
        String::from("<details class=\"alternative\"><summary>The graph as a list</summary><ul>");
    let mut needs: HashMap<usize, Vec<&GraphEdge>> = HashMap::new();
    for edge in edges {
        needs.entry(edge.to).or_default().push(edge);
    }
    for at in drawn {
        let resource = &resources[*at];
        let name = markup::line(&resource.name);
        let name = match entry(resource) {
            Some(id) => format!("<a href=\"#{id}\">{name}</a>"),
            None => name,
        };
        html.push_str(&format!("<li>{name} {}", labels::impact_phrase(resource.effective_impact)));
        let own = needs.get(at).map_or(&[][..], Vec::as_slice);
        for (position, edge) in own.iter().take(MAX_NAMES).enumerate() {
            let other = markup::line(&resources[edge.from].name);
            let phrase = match edge.kind {
                EdgeKind::Needs => "needs",
                EdgeKind::Propagation => "is changed by",
                EdgeKind::Inside => "is in the stack of",
            };
            let sign = if position == 0 { ";" } else { "," };
            html.push_str(&format!("{sign} {phrase} {other}"));
        }
        if own.len() > MAX_NAMES {
            html.push_str(&format!(" and {} more", own.len() - MAX_NAMES));
        }
        html.push_str("</li>");
    }
    html.push_str("</ul></details>");
    html
}
