//! A sequence of updates that ends at the new template and loses nothing that the one update would lose.
//!
//! What could help is proposed by a small table: without the resource and then with it, detached first, another name in between. Whether it
//! helps is decided by the comparison of each template with the next one, as for any other change.

mod template_edits;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use heat_template::schema::{NaturalKey, SignalRole, UpdateEffects};
use hotplate_diff::{
    Comparison, DataEffect, Hazard, HazardKind, Impact, Pair, ResourceChange, ResourceRole,
};
use lossless_yaml::{decode_into, read};
use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::SourceMap;
use source_files::{FileSource, WithTexts};

use self::template_edits::{Changes, PropertyChange, RootText, property_of, relocated};
use crate::compare::{CompareOptions, ComparedDeployment, SideLocation};

/// How often what a proposal meets is added to it.
const MAX_ROUNDS: usize = 3;

/// The template that a step is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepSource {
    /// The template that runs.
    Old,
    /// The template that is to run in the end.
    New,
}

/// One update of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdateStep {
    /// The name of the file in the folder.
    pub file: String,
    /// The template that it is made from, with whose environments it is deployed.
    pub from: StepSource,
    /// The resources that it leaves out.
    pub without: Vec<String>,
    /// The outputs that it leaves out.
    pub without_outputs: Vec<String>,
    /// The properties that differ, in words.
    pub changes: Vec<String>,
    /// The text of the template.
    #[serde(skip)]
    pub text: String,
}

/// A sequence of updates, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdateSteps {
    /// The updates in order, of which the last one is to the new template; empty if there is none, or if one update is enough.
    pub steps: Vec<UpdateStep>,
    /// What the sequence costs, a sentence each.
    pub costs: Vec<String>,
    /// What no sequence avoids, a sentence each.
    pub unavoidable: Vec<String>,
}

/// The sides at which the resources of a hazard are left out.
#[derive(Clone, Copy)]
enum Shape {
    /// The old template without them, then the new one.
    Old,
    /// The new template without them, then with them.
    New,
    /// First the old one without them, then the new one without them.
    Both,
}

/// Which of the two resources of a hazard is left out.
#[derive(Clone, Copy)]
enum Target {
    /// The one that has the hazard.
    Resource,
    /// The one that the hazard names besides.
    With,
    Both,
    /// None: the one that has it gets another name in between.
    Renamed,
}

/// The proposals, the most frequent first.
const PROPOSALS: [(Shape, Target); 10] = [
    (Shape::Old, Target::Resource),
    (Shape::New, Target::Resource),
    (Shape::Old, Target::With),
    (Shape::New, Target::With),
    (Shape::Old, Target::Both),
    (Shape::New, Target::Both),
    (Shape::Both, Target::Resource),
    (Shape::Both, Target::With),
    (Shape::Both, Target::Both),
    (Shape::New, Target::Renamed),
];

/// Properties that an update without a replacement may take away, so that a service no longer refuses the next one.
const DETACHED: [(&str, &str); 1] = [("OS::Neutron::FloatingIP", "port_id")];

/// Whether a sequence must avoid a hazard.
fn is_blocking(hazard: &Hazard) -> bool {
    match hazard.kind {
        HazardKind::Lost | HazardKind::Refused | HazardKind::Race | HazardKind::Waits => true,
        // What does not come back after a failure is true of nearly every update.
        HazardKind::NoWayBack => false,
    }
}

/// Whether an object of a resource goes.
fn is_destroyed(impact: Impact) -> bool {
    impact < Impact::Update && !matches!(impact, Impact::Create | Impact::MayCreate | Impact::Adopt)
}

/// Whether losing an object hurts by itself.
fn is_precious(role: ResourceRole) -> bool {
    matches!(role, ResourceRole::Data | ResourceRole::Server | ResourceRole::LoadBalancer)
}

/// A proposal that was compared.
struct Verified {
    steps: Vec<UpdateStep>,
    costs: Vec<String>,
    /// How much is destroyed and changed.
    price: usize,
}

/// The search for a sequence.
struct StepFinder<'a> {
    options: &'a CompareOptions,
    places: Pair<&'a SideLocation<'a>>,
    deployment: &'a ComparedDeployment,
    named_files: &'a dyn FileSource,
    roots: Pair<RootText>,
    direct: &'a Comparison,
    hazards: Vec<(&'a ResourceChange, &'a Hazard)>,
}

impl CompareOptions {
    /// A sequence of updates for a comparison of two templates, as files of a folder.
    /// It fails if the inputs have another form.
    pub fn update_steps(
        &self,
        direct: &Comparison,
        places: Pair<&SideLocation<'_>>,
        deployment: &ComparedDeployment,
        named_files: &dyn FileSource,
        folder: &Path,
    ) -> anyhow::Result<UpdateSteps> {
        let blocking = |it: &&Hazard| is_blocking(it);
        let all = direct.resources.iter();
        let hazards: Vec<_> = all
            .flat_map(|it| it.hazards.iter().filter(blocking).map(move |one| (it, one)))
            .collect();
        let lost = direct.resources.iter().filter(|it| it.loses_data());
        let mut unavoidable: Vec<String> = lost
            .map(|it| format!("the data of `{}` is lost in any sequence: save it first", it.name))
            .collect();
        if direct.is_refused() || !direct.is_complete() {
            unavoidable.push(
                "Heat refuses the new template, or a file of it cannot be read: fix that first"
                    .to_owned(),
            );
            return Ok(UpdateSteps { unavoidable, ..UpdateSteps::default() });
        }
        if hazards.is_empty() {
            return Ok(UpdateSteps { unavoidable, ..UpdateSteps::default() });
        }
        let document = |bytes| {
            let mut sources = SourceMap::default();
            let (source, text) = decode_into(&mut sources, String::new(), bytes).ok()?;
            read(source, text, &self.reading.limits).ok()
        };
        let root = |place: &SideLocation<'_>| {
            let bytes = place.files.read_content(place.template.as_deref()?).ok()?;
            RootText::new(document(bytes)?)
        };
        let found = match (root(places.old), root(places.new)) {
            (Some(old), Some(new)) => {
                let roots = Pair { old, new };
                let finder = StepFinder {
                    options: self,
                    places,
                    deployment,
                    named_files,
                    roots,
                    direct,
                    hazards: hazards.clone(),
                };
                finder.best()?
            }
            _ => None,
        };
        let written = found.and_then(|mut found| {
            for (at, step) in found.steps.iter_mut().enumerate() {
                let place = if step.from == StepSource::Old { places.old } else { places.new };
                let path = place.template.as_deref()?;
                let from = place.files.absolute(path);
                let to = place.files.absolute(folder);
                let extension = path.extension().map_or("yaml".into(), |it| it.to_string_lossy());
                step.file = format!("step-{}.{extension}", at + 1);
                let text = std::mem::take(&mut step.text);
                step.text = relocated(&document(text.into_bytes())?, from.parent()?, &to)?;
            }
            Some(found)
        });
        Ok(match written {
            Some(Verified { steps, costs, .. }) => UpdateSteps { steps, costs, unavoidable },
            None => {
                let sentences =
                    hazards.iter().map(|(it, one)| format!("`{}`: {}", it.name, one.sentence()));
                unavoidable.extend(sentences);
                UpdateSteps { unavoidable, ..UpdateSteps::default() }
            }
        })
    }
}

impl StepFinder<'_> {
    /// The proposal that destroys and changes least.
    fn best(&self) -> anyhow::Result<Option<Verified>> {
        if self.is_shared()? {
            return Ok(None);
        }
        let mut best: Option<Verified> = None;
        let mut tried = HashSet::new();
        for (shape, target) in PROPOSALS {
            // Less than one resource for a while is not to be had.
            if best.as_ref().is_some_and(|it| it.steps.len() == 2 && it.costs.len() <= 1) {
                break;
            }
            let all = self.hazards.iter();
            let mut names: BTreeSet<String> =
                all.flat_map(|(it, hazard)| self.targets(&it.name, hazard, target)).collect();
            for _ in 0..MAX_ROUNDS {
                let Some(steps) = self.steps(shape, target, &names) else { break };
                let texts: Vec<String> = steps.iter().map(|it| it.text.clone()).collect();
                if !tried.insert(texts) {
                    break;
                }
                let met = match self.verify(steps)? {
                    Ok(found) => {
                        let is_better = best.as_ref().is_none_or(|it| found.price < it.price);
                        best = if is_better { Some(found) } else { best };
                        break;
                    }
                    Err(met) => met,
                };
                let more = met.iter().flat_map(|(name, it)| self.targets(name, it, target));
                let before = names.len();
                names.extend(more.collect::<Vec<_>>());
                if names.len() == before {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Whether two resources of the new template are one object: then it fails however it is reached.
    fn is_shared(&self) -> anyhow::Result<bool> {
        let root = &self.roots.new;
        let is_there = |name: &str| root.stack.resources.contains_key(name);
        let both = self.hazards.iter().filter(|(it, hazard)| {
            is_there(&it.name) && hazard.with.as_deref().is_some_and(is_there)
        });
        let mut changes = Changes::default();
        changes.removed.extend(both.map(|(it, _)| it.name.clone()));
        let text = match changes.removed.is_empty() {
            true => return Ok(false),
            false => root.changed(&mut changes),
        };
        let Some(text) = text else { return Ok(false) };
        let new = (StepSource::New, root.document.text());
        let compared = self.compare((StepSource::New, &text), new)?;
        let mut all = compared.iter().flat_map(|it| &it.resources).flat_map(|it| &it.hazards);
        Ok(all.any(is_blocking))
    }

    /// The resources of the root template that a proposal leaves out for a hazard.
    fn targets(&self, name: &str, hazard: &Hazard, target: Target) -> Vec<String> {
        let root = |name: &str| name.split('/').next().unwrap_or(name).to_owned();
        let with = hazard.with.as_deref().map(root);
        match target {
            Target::Resource | Target::Renamed => vec![root(name)],
            Target::With => vec![with.unwrap_or_else(|| root(name))],
            Target::Both => std::iter::once(root(name)).chain(with).collect(),
        }
    }

    /// The templates of a proposal; `None` if it is impossible.
    fn steps(
        &self,
        shape: Shape,
        target: Target,
        names: &BTreeSet<String>,
    ) -> Option<Vec<UpdateStep>> {
        let froms: &[StepSource] = match shape {
            Shape::Old => &[StepSource::Old],
            Shape::New => &[StepSource::New],
            Shape::Both => &[StepSource::Old, StepSource::New],
        };
        let mut steps = Vec::new();
        for from in froms {
            let root = self.root(*from);
            let mut changes = Changes::default();
            for name in names.iter().filter(|it| root.stack.resources.contains_key(it.as_str())) {
                let detached = match target {
                    Target::Renamed => Some(self.renamed(root, name)?),
                    _ if *from == StepSource::Old => self.detached(root, name),
                    _ => None,
                };
                match detached {
                    Some(change) => changes.properties.push((name.clone(), change)),
                    None => {
                        changes.removed.insert(name.clone());
                    }
                }
            }
            if changes == Changes::default() {
                return None;
            }
            let text = root.changed(&mut changes)?;
            // A new object that waits for signals gets none.
            let waits = |name: &String| {
                let kind = root.stack.resources.get(name).and_then(|it| it.kind.as_ref());
                kind.is_some_and(|it| SignalRole::waits(&it.text))
            };
            if changes.removed.iter().any(waits) {
                return None;
            }
            let words = changes.properties.iter().map(|(name, change)| match change {
                PropertyChange::Dropped(property) => format!("`{name}` has no `{property}`"),
                PropertyChange::Set(property, value) => {
                    format!("`{name}` has `{property}: {value}`")
                }
                PropertyChange::OtherName(property) => format!("`{name}` has another `{property}`"),
            });
            steps.push(UpdateStep {
                file: String::new(),
                from: *from,
                changes: words.collect(),
                without: changes.removed.into_iter().collect(),
                without_outputs: changes.outputs,
                text,
            });
        }
        let new = &self.roots.new.document;
        steps.push(UpdateStep {
            file: String::new(),
            from: StepSource::New,
            without: Vec::new(),
            without_outputs: Vec::new(),
            changes: Vec::new(),
            text: new.text().to_owned(),
        });
        Some(steps)
    }

    fn root(&self, from: StepSource) -> &RootText {
        match from {
            StepSource::Old => &self.roots.old,
            StepSource::New => &self.roots.new,
        }
    }

    /// What makes a service accept the update of a resource that stays.
    fn detached(&self, root: &RootText, name: &str) -> Option<PropertyChange> {
        let resource = root.stack.resources.get(name)?;
        let kind = &resource.kind.as_ref()?.text;
        let refused = UpdateEffects::of(kind).and_then(|it| it.deletion_refused.as_ref());
        let at = |property: &&(&str, &str)| property.0 == kind.as_str();
        let dropped = DETACHED.iter().find(at).map(|it| it.1);
        match (refused, dropped) {
            (Some(refused), _) => {
                Some(PropertyChange::Set(refused.property, refused.equals.to_string()))
            }
            (None, Some(property)) if property_of(resource, property).is_some() => {
                Some(PropertyChange::Dropped(property))
            }
            (None, _) => None,
        }
    }

    /// Another name for an object that only one can have.
    fn renamed(&self, root: &RootText, name: &str) -> Option<PropertyChange> {
        let resource = root.stack.resources.get(name)?;
        let effects = UpdateEffects::of(&resource.kind.as_ref()?.text)?;
        let has_name = effects.keys.iter().any(|it| it.parts.contains(&"name"));
        has_name.then_some(PropertyChange::OtherName("name"))
    }

    /// Compares each template with the next one. The error has the hazards that are left.
    fn verify(
        &self,
        steps: Vec<UpdateStep>,
    ) -> anyhow::Result<Result<Verified, Vec<(String, Hazard)>>> {
        let mut compared: Vec<Comparison> = Vec::new();
        let mut from = (StepSource::Old, self.roots.old.document.text());
        for step in &steps {
            let to = (step.from, step.text.as_str());
            let Some(found) = self.compare(from, to)? else { return Ok(Err(Vec::new())) };
            if !found.is_complete() || found.is_refused() {
                return Ok(Err(Vec::new()));
            }
            let hazards = found.resources.iter().flat_map(|it| {
                let blocking = it.hazards.iter().filter(|it| is_blocking(it));
                blocking.map(|one| (it.name.clone(), one.clone()))
            });
            let hazards: Vec<_> = hazards.collect();
            if !hazards.is_empty() {
                return Ok(Err(hazards));
            }
            compared.push(found);
            from = to;
        }
        let worse = self.destroys_more(&compared);
        let (costs, price) = self.costs(&steps, &compared);
        Ok(match worse {
            true => Err(Vec::new()),
            false => Ok(Verified { steps, costs, price }),
        })
    }

    fn compare(
        &self,
        old: (StepSource, &str),
        new: (StepSource, &str),
    ) -> anyhow::Result<Option<Comparison>> {
        let place = |from| match from {
            StepSource::Old => (self.places.old, &self.deployment.sides.old),
            StepSource::New => (self.places.new, &self.deployment.sides.new),
        };
        let (old_place, old_options) = place(old.0);
        let (new_place, new_options) = place(new.0);
        let path = |it: &SideLocation<'_>| it.template.clone().unwrap_or_default();
        let paths = Pair { old: path(old_place), new: path(new_place) };
        let files = Pair {
            old: WithTexts::of_one(old_place.files, &paths.old, old.1),
            new: WithTexts::of_one(new_place.files, &paths.new, new.1),
        };
        let side = |files, path: &Path| SideLocation { files, template: Some(path.to_owned()) };
        let sides = Pair { old: &side(&files.old, &paths.old), new: &side(&files.new, &paths.new) };
        let deployment = ComparedDeployment {
            sides: Pair { old: old_options.clone(), new: new_options.clone() },
            ..self.deployment.clone()
        };
        Ok(self.options.compare(sides, &deployment, self.named_files)?.comparison)
    }

    /// Whether the steps destroy data, servers or load balancers that the one update keeps, or leave an object behind whose place is taken then.
    fn destroys_more(&self, compared: &[Comparison]) -> bool {
        let direct: HashMap<&str, &ResourceChange> =
            self.direct.resources.iter().map(|it| (it.name.as_str(), it)).collect();
        let mut seen = HashSet::new();
        compared.iter().flat_map(|it| &it.resources).any(|it| {
            let before = direct.get(it.name.as_str());
            let is_lost = it.data.is_some_and(|it| it <= DataEffect::MayBeLost);
            let was_lost = before.is_some_and(|it| it.loses_data());
            let was_destroyed = before.is_some_and(|it| is_destroyed(it.effective_impact));
            let is_twice = is_destroyed(it.effective_impact)
                && is_precious(it.role)
                && !seen.insert(it.name.clone());
            let is_kept = it.effective_impact == Impact::Retain
                && before.is_some_and(|it| it.kind.new.is_some())
                && self.has_keys(it);
            is_lost && !was_lost
                || is_destroyed(it.effective_impact) && is_precious(it.role) && !was_destroyed
                || is_twice
                || is_kept
        })
    }

    /// Whether a resource names something that only one object can have.
    fn has_keys(&self, change: &ResourceChange) -> bool {
        let resource = self.roots.new.stack.resources.get(change.name.as_str());
        let Some(resource) = resource else { return true };
        let effects = resource.kind.as_ref().and_then(|it| UpdateEffects::of(&it.text));
        let mut parts = effects.into_iter().flat_map(|it| &it.keys).flat_map(|key| {
            let first = key.parts.iter().filter_map(|it| NaturalKey::paths(it).next());
            first.filter(|it| !it.of_item).map(|it| it.name).chain(key.each)
        });
        parts.any(|it| property_of(resource, it).is_some())
    }

    /// What the steps cost, in words and as a number.
    fn costs(&self, steps: &[UpdateStep], compared: &[Comparison]) -> (Vec<String>, usize) {
        let (mut costs, mut price) = (Vec::new(), 10 * steps.len());
        let kind = |name: &str| {
            let of = |root: &RootText| {
                let kind = root.stack.resources.get(name)?.kind.as_ref()?;
                Some(kind.text.to_string())
            };
            of(&self.roots.new).or_else(|| of(&self.roots.old)).unwrap_or_default()
        };
        let last = steps.len();
        let mut absent: BTreeSet<&str> = BTreeSet::new();
        for (at, step) in steps.iter().enumerate() {
            for name in step.without.iter().map(String::as_str) {
                let (in_old, in_new) = (
                    self.roots.old.stack.resources.contains_key(name),
                    self.roots.new.stack.resources.contains_key(name),
                );
                if !absent.insert(name) {
                    continue;
                }
                price += 5;
                costs.push(match (in_old, in_new) {
                    (true, true) => format!(
                        "between step {} and {last}, there is no `{name}` ({})",
                        at + 1,
                        kind(name)
                    ),
                    (true, false) => {
                        format!("`{name}` ({}) is gone after step {}", kind(name), at + 1)
                    }
                    (false, _) => format!("`{name}` ({}) is created in step {last}", kind(name)),
                });
            }
            for output in &step.without_outputs {
                costs.push(format!("after step {}, there is no output `{output}`", at + 1));
            }
            for change in &step.changes {
                costs.push(format!("after step {}, {change}", at + 1));
            }
        }
        let mut all: HashMap<&str, Vec<(usize, &ResourceChange)>> = HashMap::new();
        for (at, one) in compared.iter().enumerate() {
            for change in one.resources.iter().filter(|it| it.effective_impact <= Impact::Update) {
                all.entry(&change.name).or_default().push((at + 1, change));
            }
        }
        let direct = self.direct.resources.iter();
        let direct: HashMap<&str, Impact> =
            direct.map(|it| (it.name.as_str(), it.effective_impact)).collect();
        let mut more = Vec::new();
        for (name, changes) in &all {
            let destroyed: Vec<usize> = changes
                .iter()
                .filter(|(_, it)| is_destroyed(it.effective_impact))
                .map(|(at, _)| *at)
                .collect();
            let (role, is_absent) = (changes[0].1.role, absent.contains(name));
            let was_destroyed = direct.get(name).is_some_and(|it| is_destroyed(*it));
            price += 20 * destroyed.len() + changes.len();
            if is_absent || changes[0].1.is_stack {
                continue;
            }
            if destroyed.len() > usize::from(was_destroyed) {
                more.push(format!("`{name}` is replaced in step {}", list(&destroyed)));
            } else if is_precious(role) && changes.len() > 1 {
                let steps: Vec<usize> = changes.iter().map(|(at, _)| *at).collect();
                more.push(format!("`{name}` is changed in step {}", list(&steps)));
            }
        }
        more.sort();
        costs.extend(more);
        (costs, price)
    }
}

fn list(steps: &[usize]) -> String {
    let all: Vec<String> = steps.iter().map(usize::to_string).collect();
    all.join(" and ")
}
