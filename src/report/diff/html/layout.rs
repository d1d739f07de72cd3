//! Computes the layout of a dependency graph: layers from left to right, with every
//! node to the right of the nodes it depends on. It works on numbers only and is deterministic.
//!
//! The algorithm is the usual one for layered graphs: break cycles, assign layers, add a bend to every
//! edge that skips a layer, order the layers to reduce crossings, then choose the vertical positions.

/// The width of a node, in pixels.
pub(super) const NODE_WIDTH: f64 = 208.0;
/// The height of a node, in pixels.
pub(super) const NODE_HEIGHT: f64 = 44.0;
/// The gap between two layers, in pixels.
const LAYER_GAP: f64 = 64.0;
/// The gap between two nodes of a layer, in pixels.
const NODE_GAP: f64 = 12.0;
/// The height reserved for the bend of an edge, in pixels.
const BEND_HEIGHT: f64 = 4.0;
/// The number of rounds of ordering, and of choosing vertical positions.
const ROUNDS: usize = 8;
/// With more bends than this, edges are straight lines.
const MAX_BENDS: usize = 6000;

/// A point of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The positions of a graph's nodes and edges.
#[derive(Debug)]
pub(super) struct Layout {
    /// The upper left corner of every node.
    pub(super) nodes: Vec<Point>,
    /// The points of every edge, from the right side of its first node to the left side of its
    /// second; reversed for an edge that closes a cycle.
    pub(super) edges: Vec<Vec<Point>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Lays out nodes `0..count` with edges `(from, to)`, where `from` comes first. Edges to nodes that do
/// not exist, and edges from a node to itself, have no points.
pub(super) fn lay_out(count: usize, edges: &[(usize, usize)]) -> Layout {
    let forward = without_cycles(count, edges);
    let connected = connected(count, &forward);
    let layer_of = layers(count, &forward);
    let mut grid = Grid::new(count, &connected, &layer_of, &forward);
    grid.order();
    grid.choose_heights();
    let mut layout = grid.draw(count, &forward);
    place_isolated(&mut layout, &connected);
    layout
}

/// An edge in drawing direction.
#[derive(Clone, Copy, Debug)]
struct LayoutEdge {
    from: usize,
    to: usize,
    /// Whether it is drawn against its direction because it would close a cycle.
    reversed: bool,
}

/// The edges without cycles: an edge that closes a cycle is reversed.
fn without_cycles(count: usize, edges: &[(usize, usize)]) -> Vec<Option<LayoutEdge>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnTheWay,
        Done,
    }
    let valid = |&(from, to): &(usize, usize)| from < count && to < count && from != to;
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, edge) in edges.iter().enumerate().filter(|(_, edge)| valid(edge)) {
        out[edge.0].push(at);
    }
    let mut seen = vec![Seen::No; count];
    let mut reversed = vec![false; edges.len()];
    for start in 0..count {
        if seen[start] != Seen::No {
            continue;
        }
        seen[start] = Seen::OnTheWay;
        let mut way = vec![(start, 0)];
        while let Some((node, next)) = way.last_mut() {
            let Some(&edge) = out[*node].get(*next) else {
                seen[*node] = Seen::Done;
                way.pop();
                continue;
            };
            *next += 1;
            let to = edges[edge].1;
            match seen[to] {
                Seen::No => {
                    seen[to] = Seen::OnTheWay;
                    way.push((to, 0));
                }
                Seen::OnTheWay => reversed[edge] = true,
                Seen::Done => {}
            }
        }
    }
    let forward = edges.iter().zip(reversed).map(|(edge, reversed)| {
        let (from, to) = if reversed { (edge.1, edge.0) } else { *edge };
        valid(edge).then_some(LayoutEdge { from, to, reversed })
    });
    forward.collect()
}

/// Marks the nodes that have an edge.
fn connected(count: usize, edges: &[Option<LayoutEdge>]) -> Vec<bool> {
    let mut connected = vec![false; count];
    for edge in edges.iter().flatten() {
        connected[edge.from] = true;
        connected[edge.to] = true;
    }
    connected
}

/// The layer of every node: one more than the last layer of its predecessors. A node without
/// predecessors moves next to its first successor.
fn layers(count: usize, edges: &[Option<LayoutEdge>]) -> Vec<usize> {
    let mut before = vec![0_usize; count];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in edges.iter().flatten() {
        before[edge.to] += 1;
        out[edge.from].push(edge.to);
    }
    let sources: Vec<usize> = (0..count).filter(|&node| before[node] == 0).collect();
    let mut layer_of = vec![0; count];
    let mut ready = sources.clone();
    let mut at = 0;
    while let Some(&node) = ready.get(at) {
        at += 1;
        for &to in &out[node] {
            layer_of[to] = layer_of[to].max(layer_of[node] + 1);
            before[to] -= 1;
            if before[to] == 0 {
                ready.push(to);
            }
        }
    }
    for node in sources {
        if let Some(first) = out[node].iter().map(|&to| layer_of[to]).min() {
            layer_of[node] = first - 1;
        }
    }
    layer_of
}

/// A node or a bend in a layer.
#[derive(Clone, Debug, Default)]
struct Slot {
    layer: usize,
    /// The node; `None` for a bend.
    node: Option<usize>,
    /// The neighbors in the previous and the next layer, as slots.
    left: Vec<usize>,
    right: Vec<usize>,
    /// The position of its center.
    y: f64,
}

impl Slot {
    fn height(&self) -> f64 {
        if self.node.is_some() { NODE_HEIGHT } else { BEND_HEIGHT }
    }
}

/// The layers with their slots.
struct Grid {
    slots: Vec<Slot>,
    layers: Vec<Vec<usize>>,
    /// For each edge, the slots on its route.
    routes: Vec<Vec<usize>>,
    slot_of: Vec<usize>,
}

impl Grid {
    fn new(
        count: usize,
        connected: &[bool],
        layer_of: &[usize],
        edges: &[Option<LayoutEdge>],
    ) -> Self {
        let depth = layer_of.iter().max().map_or(0, |last| last + 1);
        let mut grid = Grid {
            slots: Vec::new(),
            layers: vec![Vec::new(); depth],
            routes: Vec::new(),
            slot_of: vec![usize::MAX; count],
        };
        for node in (0..count).filter(|&node| connected[node]) {
            grid.slot_of[node] = grid.add(layer_of[node], Some(node));
        }
        let skipped = |edge: &LayoutEdge| layer_of[edge.to] - layer_of[edge.from] - 1;
        let bends: usize = edges.iter().flatten().map(skipped).sum();
        for edge in edges {
            let Some(edge) = edge else {
                grid.routes.push(Vec::new());
                continue;
            };
            let mut way = vec![grid.slot_of[edge.from]];
            if bends <= MAX_BENDS {
                for layer in layer_of[edge.from] + 1..layer_of[edge.to] {
                    way.push(grid.add(layer, None));
                }
            }
            way.push(grid.slot_of[edge.to]);
            for pair in way.windows(2) {
                grid.slots[pair[0]].right.push(pair[1]);
                grid.slots[pair[1]].left.push(pair[0]);
            }
            grid.routes.push(way);
        }
        grid
    }

    fn add(&mut self, layer: usize, node: Option<usize>) -> usize {
        let slot = self.slots.len();
        self.slots.push(Slot { layer, node, ..Slot::default() });
        self.layers[layer].push(slot);
        slot
    }

    /// Orders the layers by the mean of their neighbors, in both directions, and keeps the best order.
    fn order(&mut self) {
        let mut best = self.layers.clone();
        let mut fewest = self.crossings();
        for round in 0..ROUNDS {
            let depth = self.layers.len();
            let to_the_right = round % 2 == 0;
            for step in 1..depth {
                let layer = if to_the_right { step } else { depth - 1 - step };
                self.order_layer(layer, to_the_right);
            }
            let crossings = self.crossings();
            if crossings < fewest {
                fewest = crossings;
                best.clone_from(&self.layers);
            }
        }
        self.layers = best;
    }

    fn order_layer(&mut self, layer: usize, to_the_right: bool) {
        let positions = self.positions();
        let mut keyed: Vec<(f64, usize)> = self.layers[layer]
            .iter()
            .map(|&slot| {
                let own = positions[slot] as f64;
                let Slot { left, right, .. } = &self.slots[slot];
                let neighbours = if to_the_right { left } else { right };
                (mean(neighbours.iter().map(|&other| positions[other] as f64)).unwrap_or(own), slot)
            })
            .collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.layers[layer] = keyed.into_iter().map(|(_, slot)| slot).collect();
    }

    /// The position of every slot in its layer.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.slots.len()];
        for layer in &self.layers {
            for (at, &slot) in layer.iter().enumerate() {
                positions[slot] = at;
            }
        }
        positions
    }

    /// The number of pairs of edges that cross between adjacent layers.
    fn crossings(&self) -> usize {
        let positions = self.positions();
        let mut crossings = 0;
        for layer in &self.layers {
            // Edges are sorted by their left ends; every later edge that ends above an earlier one
            // crosses it. The counts are in a binary indexed tree.
            let mut ends = Vec::new();
            for &slot in layer {
                let mut own: Vec<usize> =
                    self.slots[slot].right.iter().map(|&to| positions[to]).collect();
                own.sort_unstable();
                ends.extend(own);
            }
            let size = ends.iter().max().map_or(0, |last| last + 1);
            let mut tree = vec![0_usize; size + 1];
            for (so_far, end) in ends.into_iter().enumerate() {
                let mut not_below = 0;
                let mut at = end + 1;
                while at > 0 {
                    not_below += tree[at];
                    at &= at - 1;
                }
                crossings += so_far - not_below;
                let mut at = end + 1;
                while at <= size {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
        }
        crossings
    }

    /// Moves every slot toward the mean of its neighbors, as far as the order of the layer and the
    /// minimum distances allow.
    fn choose_heights(&mut self) {
        for layer in 0..self.layers.len() {
            let wished: Vec<f64> = self.layers[layer].iter().map(|_| 0.0).collect();
            self.settle(layer, &wished);
        }
        for round in 0..ROUNDS {
            let depth = self.layers.len();
            for step in 0..depth {
                let layer = if round % 2 == 0 { step } else { depth - 1 - step };
                let wished: Vec<f64> = self.layers[layer]
                    .iter()
                    .map(|&slot| {
                        let Slot { left, right, y, .. } = &self.slots[slot];
                        let neighbours = left.iter().chain(right);
                        mean(neighbours.map(|&other| self.slots[other].y)).unwrap_or(*y)
                    })
                    .collect();
                self.settle(layer, &wished);
            }
        }
        let top = self.slots.iter().map(|slot| slot.y - slot.height() / 2.0);
        let top = top.fold(f64::INFINITY, f64::min);
        for slot in &mut self.slots {
            slot.y -= top;
        }
    }

    /// Positions that keep the order and the distances of a layer: the mean of moving slots down
    /// and moving them up.
    fn settle(&mut self, layer: usize, wished: &[f64]) {
        let slots = self.layers[layer].clone();
        let distance = |grid: &Grid, one: usize, other: usize| {
            (grid.slots[one].height() + grid.slots[other].height()) / 2.0 + NODE_GAP
        };
        let mut down = wished.to_vec();
        for at in 1..slots.len() {
            down[at] = down[at].max(down[at - 1] + distance(self, slots[at - 1], slots[at]));
        }
        let mut up = wished.to_vec();
        for at in (1..slots.len()).rev() {
            up[at - 1] = up[at - 1].min(up[at] - distance(self, slots[at - 1], slots[at]));
        }
        for (at, &slot) in slots.iter().enumerate() {
            self.slots[slot].y = (down[at] + up[at]) / 2.0;
        }
    }

    fn draw(&self, count: usize, edges: &[Option<LayoutEdge>]) -> Layout {
        let left = |layer: usize| layer as f64 * (NODE_WIDTH + LAYER_GAP);
        let mut nodes = vec![Point { x: 0.0, y: 0.0 }; count];
        for (node, &slot) in self.slot_of.iter().enumerate() {
            if let Some(slot) = self.slots.get(slot) {
                nodes[node] = Point { x: left(slot.layer), y: slot.y - NODE_HEIGHT / 2.0 };
            }
        }
        let mut drawn = Vec::new();
        for (edge, way) in edges.iter().zip(&self.routes) {
            let mut points = Vec::new();
            let last = way.len().saturating_sub(1);
            for (at, &slot) in way.iter().enumerate() {
                let Slot { layer, y, .. } = self.slots[slot];
                // A bend has a horizontal part as long as a node, so that edges avoid nodes.
                if at != 0 {
                    points.push(Point { x: left(layer), y });
                }
                if at != last {
                    points.push(Point { x: left(layer) + NODE_WIDTH, y });
                }
            }
            if edge.is_some_and(|edge| edge.reversed) {
                points.reverse();
            }
            drawn.push(points);
        }
        let width = match self.slots.iter().map(|slot| slot.layer).max() {
            Some(last) => left(last) + NODE_WIDTH,
            None => 0.0,
        };
        let bottom = self.slots.iter().map(|slot| slot.y + slot.height() / 2.0);
        let height = bottom.fold(0.0, f64::max);
        Layout { nodes, edges: drawn, width, height }
    }
}

/// Places nodes without edges in rows below the others.
fn place_isolated(layout: &mut Layout, connected: &[bool]) {
    let step = NODE_WIDTH + LAYER_GAP / 2.0;
    let columns = ((layout.width + LAYER_GAP / 2.0) / step).floor().max(4.0);
    let top = if layout.height > 0.0 { layout.height + 3.0 * NODE_GAP } else { 0.0 };
    let loners = connected.iter().enumerate().filter(|(_, connected)| !**connected);
    for (at, (node, _)) in loners.enumerate() {
        let (column, row) = (at as f64 % columns, (at as f64 / columns).floor());
        let point = Point { x: column * step, y: top + row * (NODE_HEIGHT + NODE_GAP) };
        layout.nodes[node] = point;
        layout.width = layout.width.max(point.x + NODE_WIDTH);
        layout.height = layout.height.max(point.y + NODE_HEIGHT);
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(one: Point, other: Point) -> bool {
        (one.x - other.x).abs() < NODE_WIDTH && (one.y - other.y).abs() < NODE_HEIGHT
    }

    fn check(count: usize, edges: &[(usize, usize)]) -> Layout {
        let layout = lay_out(count, edges);
        assert_eq!((layout.nodes.len(), layout.edges.len()), (count, edges.len()));
        for (at, one) in layout.nodes.iter().enumerate() {
            assert!(one.x >= 0.0 && one.y >= -1e-9, "{one:?}");
            assert!(one.x + NODE_WIDTH <= layout.width + 1e-9, "{one:?}");
            assert!(one.y + NODE_HEIGHT <= layout.height + 1e-9, "{one:?}");
            for other in &layout.nodes[at + 1..] {
                assert!(!overlap(*one, *other), "{one:?} and {other:?}");
            }
        }
        layout
    }

    #[test]
    fn what_depends_stands_to_the_right() {
        let edges = [(0, 1), (1, 2), (0, 2), (3, 2)];
        let layout = check(5, &edges);
        for (from, to) in edges {
            assert!(layout.nodes[from].x + NODE_WIDTH < layout.nodes[to].x, "{from} {to}");
        }
        // The edge that skips a layer avoids the node there; the source moves near its user.
        assert_eq!(layout.edges[2].len(), 4);
        assert_eq!(layout.nodes[3].x, layout.nodes[1].x);
        // The node without edges is below.
        assert!((0..4).all(|node| layout.nodes[4].y > layout.nodes[node].y));
    }

    #[test]
    fn edges_cross_only_if_they_must() {
        // Two pairs, in an order in which they cross at first.
        let layout = check(4, &[(0, 3), (1, 2)]);
        let above = |one: usize, other: usize| layout.nodes[one].y < layout.nodes[other].y;
        assert_eq!(above(0, 1), above(3, 2));
    }

    #[test]
    fn cycles_loops_and_strangers_do_no_harm() {
        let layout = check(3, &[(0, 1), (1, 2), (2, 0), (1, 1), (0, 9)]);
        assert_eq!(layout.edges.iter().filter(|points| points.is_empty()).count(), 2);
        // The edge that closes the cycle still starts at its own first node.
        assert_eq!(layout.edges[2][0].x, layout.nodes[2].x);
        check(0, &[]);
        check(1, &[]);
    }

    #[test]
    fn hundreds_of_nodes_and_long_edges() {
        let edges: Vec<(usize, usize)> =
            (1..400).flat_map(|node| [(node / 3, node), (node * 7 % node, node)]).collect();
        let one = check(400, &edges);
        let other = check(400, &edges);
        assert_eq!(one.nodes, other.nodes);
        assert_eq!(one.edges, other.edges);
        let chain: Vec<(usize, usize)> = (1..200).map(|node| (node - 1, node)).collect();
        let every: Vec<(usize, usize)> = (1..200).map(|node| (0, node)).chain(chain).collect();
        check(200, &every);
    }
}
