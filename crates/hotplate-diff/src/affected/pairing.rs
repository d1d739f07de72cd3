//! Which template of the new side continues which of the old side.
//!
//! A template continues as the file with its path, or as the one that git takes for the renamed file. A deployment that names another
//! template says so, too. Where a template is gone and the same change has new ones, git only guesses: an exact copy of the old text may
//! lead it to the wrong file, and enough comments to none. So each new template that has a resource of one that is gone is compared
//! with it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::Revision;
use super::graph::FileGraph;
use crate::Pair;
use source_diagnostics::{Diagnostic, Span};
use source_files::display_name;
use source_files::git::ChangedFile;

/// A deployment of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployedAs {
    /// The name, by which the other side may have it, too.
    pub name: Option<String>,
    /// The name for messages.
    pub shown: String,
    /// Equal for equal environments and parameters.
    pub inputs: String,
    /// Its place in the configuration of its side; `None` if no file declares it.
    pub span: Option<Span>,
}

/// The deployments of a template, by its path.
pub type DeploymentsOf<'a> = &'a dyn Fn(&Path) -> Vec<DeployedAs>;

/// Pairs the deployments of a template, by their positions: those with the same name, then those with the same inputs.
pub fn pair_deployments(old: &[DeployedAs], new: &[DeployedAs]) -> Vec<Pair<Option<usize>>> {
    let mut left: Vec<usize> = (0..new.len()).collect();
    let mut take = |fits: &dyn Fn(&DeployedAs) -> bool| {
        left.iter().position(|at| fits(&new[*at])).map(|at| left.remove(at))
    };
    let by_name = old.iter().map(|old| take(&|it| it.name == old.name)).collect::<Vec<_>>();
    let pairs = by_name.into_iter().enumerate().map(|(at, of_name)| {
        let new = of_name.or_else(|| take(&|it| it.inputs == old[at].inputs));
        Pair { old: Some(at), new }
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.extend(left.into_iter().map(|new| Pair { old: None, new: Some(new) }));
    pairs
}

/// A template on one side or both.
#[derive(Clone, Debug, Default)]
pub(super) struct TemplatePair {
    /// Its positions in the graphs.
    pub(super) nodes: Pair<Option<usize>>,
    /// Whether it must be compared even if none of its files differs.
    pub(super) is_wanted: bool,
    /// Whether the new template is another file than the one that takes the path of the old one.
    pub(super) is_moved: bool,
    /// The names of the deployments that only the new side has.
    pub(super) new_deployments: Vec<Option<String>>,
}

/// A finding about a template of the old side that is gone, or about a deployment of it.
#[derive(Clone, Debug)]
pub struct GoneFinding {
    /// The path of the template.
    pub path: PathBuf,
    /// The deployment, if that is gone.
    pub deployment: Option<DeployedAs>,
    /// The finding, without a place.
    pub diagnostic: Diagnostic,
}

/// The pairs of all templates.
pub(super) struct Pairing {
    pub(super) pairs: Vec<TemplatePair>,
    /// Findings about templates of the old side, and their deployments, that are gone; with the path of each.
    pub(super) findings: Vec<GoneFinding>,
}

/// The maximum number of new templates that one that is gone is compared with.
const MAX_CANDIDATES: usize = 8;

/// A deployment of a template that the same template of the other side does not have.
struct Unpaired {
    deployment: DeployedAs,
    /// The template, as a position in the graph of its side.
    node: usize,
    /// The position of its pair.
    pair: usize,
}

impl Pairing {
    pub(super) fn new(
        graphs: &Pair<FileGraph>,
        sides: &Pair<Revision<'_>>,
        changed: &[ChangedFile],
        deployments: &Pair<DeploymentsOf<'_>>,
    ) -> Self {
        let pairs = by_path(graphs, sides, changed);
        let mut pairing = Pairing { pairs, findings: Vec::new() };
        let (gone, moved) = pairing.pair_deployments(graphs, deployments);
        // Files of two folders have no history: a moved one is a deleted and a new one.
        if sides.new.folder.as_os_str().is_empty() {
            pairing.add_possible_renames(graphs, sides, &moved);
        }
        pairing.pairs.extend(moved.iter().map(|(old, new)| wanted(*old, *new)));
        // A deployment may continue with a template that may be the old one.
        for Unpaired { deployment, node, .. } in gone {
            let continues = |pair: &TemplatePair| {
                let new = pair.nodes.new.filter(|_| pair.nodes.old == Some(node));
                let new = new.map(|it| (deployments.new)(&graphs.new.nodes()[it].path));
                new.is_some_and(|new| new.iter().any(|it| it.name == deployment.name))
            };
            if !pairing.pairs.iter().any(continues) {
                let path = &graphs.old.nodes()[node].path;
                let message = format!(
                    "not compared: the deployment `{}` of `{}` is gone, or has no template",
                    deployment.shown,
                    display_name(path)
                );
                let help = format!(
                    "let the deployment name the template that its stack gets; one that gets another name keeps its inputs, which change in a change of their own; `--allow deployment:{}` permits that its stack is deleted",
                    deployment.shown
                );
                pairing.findings.push(GoneFinding {
                    path: path.clone(),
                    diagnostic: Diagnostic::new(crate::codes::DEPLOYMENT_GONE, message).help(help),
                    deployment: Some(deployment),
                });
            }
        }
        pairing
    }

    /// Pairs the deployments of each template, and those that a change moves from one template to another one. Returns those that are
    /// gone, and the templates that take the place of another one.
    fn pair_deployments(
        &mut self,
        graphs: &Pair<FileGraph>,
        deployments: &Pair<DeploymentsOf<'_>>,
    ) -> (Vec<Unpaired>, Vec<(usize, usize)>) {
        let (mut gone, mut fresh) = (Vec::new(), Vec::new());
        let of = |graph: &FileGraph, deployments: DeploymentsOf<'_>, node: Option<usize>| {
            let node = node.map(|it| &graph.nodes()[it]).filter(|it| it.facts.kind.is_template());
            node.map(|it| deployments(&it.path)).unwrap_or_default()
        };
        for (at, pair) in self.pairs.iter_mut().enumerate() {
            let old = of(&graphs.old, deployments.old, pair.nodes.old);
            let new = of(&graphs.new, deployments.new, pair.nodes.new);
            let unpaired = |deployment: &DeployedAs, node: Option<usize>| {
                let deployment = deployment.clone();
                node.map(|node| Unpaired { deployment, node, pair: at })
            };
            for both in pair_deployments(&old, &new) {
                match (both.old.map(|at| &old[at]), both.new.map(|at| &new[at])) {
                    (Some(old), Some(new)) => pair.is_wanted |= old.inputs != new.inputs,
                    (Some(old), None) => gone.extend(unpaired(old, pair.nodes.old)),
                    (None, Some(new)) => fresh.extend(unpaired(new, pair.nodes.new)),
                    (None, None) => {}
                }
            }
        }
        let count = |of: &[Unpaired], name: &Option<String>| {
            of.iter().filter(|it| it.deployment.name == *name).count()
        };
        let is_moved = |it: &Unpaired| {
            let name = &it.deployment.name;
            count(&gone, name) == 1 && count(&fresh, name) == 1
        };
        let (moved_to, added): (Vec<_>, Vec<_>) = fresh.iter().partition(|it| is_moved(it));
        let moved = moved_to.iter().filter_map(|to| {
            let from = gone.iter().find(|it| it.deployment.name == to.deployment.name)?;
            Some((from.node, to.node))
        });
        let moved: Vec<(usize, usize)> = moved.collect();
        for Unpaired { deployment, pair, .. } in added {
            let pair = &mut self.pairs[*pair];
            pair.is_wanted = true;
            pair.new_deployments.push(deployment.name.clone());
        }
        (gone, moved)
    }

    /// Pairs each template that is gone with the new ones that may be it; `moved` are those that a deployment decides about.
    fn add_possible_renames(
        &mut self,
        graphs: &Pair<FileGraph>,
        sides: &Pair<Revision<'_>>,
        moved: &[(usize, usize)],
    ) {
        let node = |graph: &'_ FileGraph, it: usize| graph.nodes()[it].facts.kind.is_template();
        let is_moved_to = |new: usize| moved.iter().any(|(_, it)| *it == new);
        let fresh: Vec<usize> = self
            .pairs
            .iter()
            .filter_map(|pair| pair.nodes.new.filter(|_| pair.nodes.old.is_none()))
            .filter(|new| node(&graphs.new, *new) && !is_moved_to(*new))
            .collect();
        let mut taken: HashSet<Pair<Option<usize>>> = HashSet::new();
        taken.extend(moved.iter().map(|(_, new)| Pair { old: None, new: Some(*new) }));
        taken.extend(moved.iter().map(|(old, _)| Pair { old: Some(*old), new: None }));
        let (mut possible, findings) = (Vec::new(), &mut self.findings);
        for pair in self.pairs.iter().filter(|_| !fresh.is_empty()) {
            let Some(old) = pair.nodes.old else { continue };
            let is_decided = moved.iter().any(|(it, _)| *it == old);
            if is_decided
                || !node(&graphs.old, old)
                || graphs.old.is_nested(old)
                || has_path(graphs, sides, &pair.nodes)
            {
                continue;
            }
            let was = &graphs.old.nodes()[old];
            let mut shared: Vec<(usize, usize)> = fresh
                .iter()
                .map(|&new| (was.facts.shared_resources(&graphs.new.nodes()[new].facts), new))
                .filter(|(shared, _)| *shared > 0)
                .collect();
            shared.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
            let left_out = shared.split_off(shared.len().min(MAX_CANDIDATES));
            let gone = display_name(&was.path);
            let named = |nodes: &mut dyn Iterator<Item = usize>| -> String {
                let shown =
                    nodes.map(|new| format!("`{}`", display_name(&graphs.new.nodes()[new].path)));
                shown.take(MAX_CANDIDATES).collect::<Vec<_>>().join(", ")
            };
            let mut found = |diagnostic: Diagnostic| {
                let path = was.path.clone();
                findings.push(GoneFinding { path, deployment: None, diagnostic });
            };
            let all_are_other = shared.is_empty() && pair.nodes.new.is_none();
            if all_are_other || !left_out.is_empty() {
                let others = match all_are_other {
                    true => named(&mut fresh.iter().copied()),
                    false => named(&mut left_out.iter().map(|(_, new)| *new)),
                };
                let message = format!(
                    "`{gone}` is gone, and not compared with what may be new of it: {others}"
                );
                found(Diagnostic::new(crate::codes::TEMPLATE_GONE, message).help(
                    "remove the template and add the others in changes of their own, or name the template of the stack in a deployment of `hotplate.toml`",
                ));
            }
            if !shared.is_empty() {
                let candidates = named(&mut shared.iter().map(|(_, new)| *new));
                let message = format!(
                    "`{gone}` is gone: compared with {candidates}, which may be its new name"
                );
                found(Diagnostic::new(crate::codes::POSSIBLE_RENAME, message));
                taken.insert(Pair { old: Some(old), new: None });
            }
            for (_, new) in shared {
                taken.insert(Pair { old: None, new: Some(new) });
                possible.push(wanted(old, new));
            }
        }
        self.pairs.retain(|pair| !taken.contains(&pair.nodes));
        self.pairs.extend(possible);
    }
}

fn wanted(old: usize, new: usize) -> TemplatePair {
    let nodes = Pair { old: Some(old), new: Some(new) };
    TemplatePair { nodes, is_wanted: true, is_moved: true, new_deployments: Vec::new() }
}

/// The path that a file of the old side has on the new one, unless it is renamed.
fn path_of_new(sides: &Pair<Revision<'_>>, old: &Path) -> PathBuf {
    match old.strip_prefix(sides.old.folder) {
        Ok(inside) => sides.new.folder.join(inside),
        // Both sides read it outside of their folders.
        Err(_) => old.to_owned(),
    }
}

/// Whether both sides of a pair have the same path.
fn has_path(
    graphs: &Pair<FileGraph>,
    sides: &Pair<Revision<'_>>,
    nodes: &Pair<Option<usize>>,
) -> bool {
    let both = nodes.old.zip(nodes.new);
    both.is_some_and(|(old, new)| {
        path_of_new(sides, &graphs.old.nodes()[old].path) == graphs.new.nodes()[new].path
    })
}

/// Pairs the templates of both sides: by path below the folder of the side, or by old and new path of a renamed file.
fn by_path(
    graphs: &Pair<FileGraph>,
    sides: &Pair<Revision<'_>>,
    changed: &[ChangedFile],
) -> Vec<TemplatePair> {
    let renamed: HashMap<&Path, &Path> = changed
        .iter()
        .filter_map(|file| Some((file.new_path.as_deref()?, file.old_path.as_deref()?)))
        .filter(|(new, old)| new != old)
        .collect();
    let mut paired = HashSet::new();
    let mut pairs = Vec::new();
    for (new, node) in graphs.new.nodes().iter().enumerate() {
        let old = match renamed.get(node.path.as_path()) {
            Some(path) => graphs.old.find(path),
            None => match node.path.strip_prefix(sides.new.folder) {
                Ok(inside) => graphs.old.find(&sides.old.folder.join(inside)),
                // Both sides read it outside of their folders.
                Err(_) => graphs.old.find(&node.path),
            },
        };
        paired.extend(old);
        pairs.push(Pair { old, new: Some(new) });
    }
    let gone = (0..graphs.old.nodes().len()).filter(|old| !paired.contains(old));
    pairs.extend(gone.map(|old| Pair { old: Some(old), new: None }));
    pairs.into_iter().map(|nodes| TemplatePair { nodes, ..TemplatePair::default() }).collect()
}
