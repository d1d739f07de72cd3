//! A deployment: a stack with the stacks that its resources ask for, and so on.
//!
//! Which children a stack has, and with what, depends on its values: a stack is evaluated, then its
//! resources are looked up in its registry, and what is a template or a group becomes a child with a
//! registry of its own. Without invented values, the outputs of children are handed to their siblings,
//! until nothing more becomes known.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use rayon::prelude::*;
use smol_str::SmolStr;

use super::children::{self, Passed};
use super::dependencies;
use super::fold::{Fixed, open_parameter};
use super::groups::{self, Kind, Members};
use super::known::{By, Known, Outputs};
use super::parameters::{self, Given, Identity, Missing, Parameters};
use super::properties;
use super::travel::{Seen, Travelling};
use super::unknown_calls;
use super::{
    Class, Dependency, Evaluation, Facade, Failure, Files as _, Inputs, Outcome, Properties,
    Resource, Stage, Table, Unknown, Value, evaluate, python,
};
use crate::diagnostics::{Code, Diagnostic, SourceId, Span};
use crate::dialect::lower;
use crate::environment::registry::{Entry, Implementation, LookupError, Template};
use crate::environment::{self, Base, Environment, Location, Registry};
use crate::ir::{self, Expr, ExprKind, Stack};
use crate::schema::{Schema, ValueType};
use crate::source::{Limits, as_sent, read};

/// Heat's limit of stacks in each other, unless its operator sets another.
const HEAT_DEPTH: usize = 5;
/// Stacks in each other that are followed.
const DEEPEST: usize = 12;
/// Stacks of one deployment that are followed.
const MOST_STACKS: usize = 20_000;
/// How often outputs of children are handed to their siblings.
const PASSES: usize = 8;

/// What a deployment is made of.
#[derive(Debug)]
pub struct Request<'a> {
    /// The template.
    pub stack: &'a Arc<Stack>,
    /// Its version as it is written.
    pub version: &'a str,
    /// What was found when it was lowered.
    pub lowering: &'a [Diagnostic],
    /// Where it is.
    pub location: &'a Location,
    /// What it is deployed with.
    pub environment: &'a Environment,
    /// What is known of the resources of the template.
    pub table: &'a Table,
    /// Invent a value for what only a cloud or a user knows.
    pub fill: bool,
    /// Follow nested stacks.
    pub nested: bool,
    /// Whose values count of what the user and the environment say of parameters. A parameter of the
    /// template itself whose value does not count is not known, whatever its default; neither is one of
    /// a nested template that gets its value from the environment.
    pub fixed: &'a Fixed,
    /// How yaql is set up.
    pub yaql: &'a super::yaql::Options,
}

/// A stack that is evaluated, with the stacks below it.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// Its values.
    pub evaluation: Evaluation,
    /// The template that it is made of.
    pub stack: Arc<Stack>,
    /// What types stand for in it.
    pub registry: Arc<Registry>,
    /// The version of its template as that declares it.
    pub version: SmolStr,
    /// How many stacks are around it.
    pub level: usize,
    /// The URL of its template; `None` for the root and for the template inside a group.
    pub template: Option<String>,
    /// What became of resources that stand for stacks.
    pub children: IndexMap<String, Child>,
    /// What was found here.
    findings: Vec<Diagnostic>,
}

/// The stack that a resource stands for.
#[derive(Clone, Debug)]
pub enum Child {
    /// There it is.
    Stack(Arc<Deployed>),
    /// What it is depends on what is not known.
    Unknown(Arc<Unknown>),
    /// There is none, and that is wrong.
    Failed(Failure),
}

impl Deployed {
    /// What was found in this stack and below, each finding once.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        self.collect(&mut found, &mut std::collections::HashSet::new());
        found
    }

    /// What was found in this stack, those below left out.
    pub fn own_findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    fn collect(
        &self,
        found: &mut Vec<Diagnostic>,
        seen: &mut std::collections::HashSet<(Code, String, Option<Span>)>,
    ) {
        for finding in &self.findings {
            if seen.insert((finding.code, finding.message.clone(), finding.span())) {
                found.push(finding.clone());
            }
        }
        for child in self.children.values() {
            if let Child::Stack(stack) = child {
                stack.collect(found, seen);
            }
        }
    }

    /// How many stacks there are, this one included.
    pub fn count(&self) -> usize {
        let stacks = self.children.values().map(|child| match child {
            Child::Stack(stack) => stack.count(),
            Child::Unknown(_) | Child::Failed(_) => 0,
        });
        1 + stacks.sum::<usize>()
    }
}

/// Evaluates a deployment.
pub fn deploy(request: &Request<'_>) -> Deployed {
    let environment = request.environment;
    let given = |pairs: Vec<(&str, &environment::Node)>| -> IndexMap<String, Given> {
        pairs.into_iter().map(|(name, node)| (name.to_owned(), node.into())).collect()
    };
    let files = Travelling::new(&environment.files, request.fill);
    let templates = environment.files.iter();
    let templates = templates.map(|file| (file.location.url().to_owned(), OnceLock::new()));
    let world = World {
        files: &files,
        templates: templates.collect(),
        defaults: given(environment.parameter_defaults().collect()),
        identity: Identity {
            stack_name: "STACK_NAME".to_owned(),
            stack_id: "STACK_ID".to_owned(),
            project_id: "PROJECT_ID".to_owned(),
        },
        zones: ["nova".to_owned()],
        fill: request.fill,
        nested: request.nested,
        fixed: request.fixed,
        yaql: request.yaql,
        stacks: AtomicUsize::new(0),
    };
    let base = request.location.folder();
    let given = given(environment.parameters().collect());
    let nothing = IndexMap::new();
    world.stack(&Place {
        stack: request.stack,
        version: request.version,
        lowering: request.lowering,
        given: &given,
        values: &nothing,
        registry: Arc::new(environment.registry.clone()),
        facade: None,
        table: Some(request.table),
        template: None,
        base: Some(&base),
        around: Around { depth: 0, templates: None },
        anchor: None,
    })
}

/// What all stacks of a deployment share.
struct World<'a> {
    files: &'a Travelling<'a>,
    /// Each template once, by its URL.
    templates: HashMap<String, OnceLock<Result<Arc<Nested>, Diagnostic>>>,
    defaults: IndexMap<String, Given>,
    identity: Identity,
    zones: [String; 1],
    fill: bool,
    nested: bool,
    fixed: &'a Fixed,
    yaql: &'a super::yaql::Options,
    stacks: AtomicUsize,
}

/// A template in a file.
struct Nested {
    stack: Arc<Stack>,
    version: &'static str,
    lowering: Vec<Diagnostic>,
    base: Base,
}

/// One stack before it is evaluated.
struct Place<'a> {
    stack: &'a Arc<Stack>,
    version: &'a str,
    /// What was found when the template was lowered.
    lowering: &'a [Diagnostic],
    given: &'a IndexMap<String, Given>,
    /// Values that the template of a group names.
    values: &'a IndexMap<String, Outcome>,
    registry: Arc<Registry>,
    facade: Option<Facade>,
    table: Option<&'a Table>,
    template: Option<&'a str>,
    base: Option<&'a Base>,
    around: Around<'a>,
    /// Where a stack is asked for whose template stands in no file.
    anchor: Option<Span>,
}

/// The stacks around one.
#[derive(Clone, Copy)]
struct Around<'a> {
    depth: usize,
    templates: Option<&'a Chain<'a>>,
}

/// The templates around a stack, the nearest first.
struct Chain<'a> {
    url: &'a str,
    outer: Option<&'a Chain<'a>>,
}

impl Around<'_> {
    fn holds(&self, url: &str) -> bool {
        let mut chain = self.templates;
        while let Some(link) = chain {
            if link.url == url {
                return true;
            }
            chain = link.outer;
        }
        false
    }
}

/// What a resource stands for.
enum Ask<'r> {
    /// A template in a file, under this URL, and the entry of the registry that leads to it.
    Template(String, Option<&'r Entry>),
    /// A group.
    Group(Kind),
    /// `OS::Heat::Stack`
    Remote,
}

/// What the types of resources stand for, by the names of the resources.
type LookedUp<'r> = HashMap<&'r str, Result<Implementation<'r>, LookupError>>;

/// A child with what it was made of: where nothing of that changes, it need not be made again.
struct Made {
    from: From,
    child: Child,
    by: By,
}

/// How far a child has come.
enum Step {
    /// It is there.
    Ready(Made),
    /// It has yet to be evaluated; the template is that of a file.
    Pending(From, Option<Arc<Nested>>),
}

impl Step {
    fn ready(child: Child, by: By) -> Self {
        Step::Ready(Made { from: From::Nothing, child, by })
    }
}

impl Ask<'_> {
    /// How attributes of the resource lead to outputs of the child.
    fn by(&self) -> By {
        match self {
            Ask::Template(..) => By::Name,
            Ask::Group(kind) => By::Path(*kind),
            Ask::Remote => By::Outputs,
        }
    }
}

#[derive(PartialEq)]
enum From {
    Passed(Passed, Facade),
    Members(Members, Facade),
    Nothing,
}

impl World<'_> {
    fn stack(&self, place: &Place<'_>) -> Deployed {
        let files = Seen { files: self.files, base: place.base };
        let looked_up = self.look_up(place, &files);
        let mut table = match place.table {
            Some(table) => table.clone(),
            None => Table::new(place.stack, self.fill),
        };
        for (name, found) in &looked_up {
            if let Some(attributes) = self.attributes(found) {
                table.list(name, attributes);
            }
            if is_open(found) {
                table.open(name);
            }
        }
        let table = &table;
        let missing = if self.fill { Missing::Invented } else { Missing::Unknown };
        let mut parameters = parameters::evaluate(
            place.stack,
            &parameters::Inputs {
                given: place.given,
                defaults: &self.defaults,
                identity: &self.identity,
                missing,
                level: place.around.depth,
            },
        );
        if !self.fill {
            // Who the stack is, nobody has said.
            for (name, value) in &mut parameters.values {
                if name.starts_with("OS::") && !place.stack.parameters.contains_key(name) {
                    *value = Ok(open_parameter(name, place.around.depth));
                }
            }
        }
        self.open(place, &mut parameters);
        for (name, value) in place.values {
            parameters.values.insert(name.clone(), value.clone());
        }
        let mut outputs: IndexMap<String, Outputs> = IndexMap::new();
        let mut made: HashMap<String, Made> = HashMap::new();
        let mut findings = Vec::new();
        let passes = if self.fill || !self.nested { 1 } else { PASSES };
        let mut evaluation = None;
        for _ in 0..passes {
            let runtime = Known { table, outputs: &outputs };
            let evaluated = evaluate(
                place.stack,
                Inputs {
                    parameters: &parameters,
                    runtime: &runtime,
                    files: &files,
                    facade: place.facade.as_ref(),
                    zones: self.fill.then_some(&self.zones),
                    level: place.around.depth,
                    yaql: self.yaql,
                },
            );
            let evaluated = evaluation.insert(evaluated);
            if !self.nested {
                break;
            }
            findings.clear();
            made = self.children(place, evaluated, &looked_up, made, &mut findings);
            if self.fill {
                break;
            }
            let more = known_outputs(evaluated, &made);
            if more == outputs {
                break;
            }
            outputs = more;
        }
        let mut found = parameters.findings();
        let mut evaluation =
            evaluation.unwrap_or_else(|| unreachable!("there is one pass at least"));
        found.extend(no_values(&evaluation));
        found.extend(dependencies::unknown(place.stack, &evaluation));
        found.extend(circle(place.stack, &evaluation));
        found.extend(unknown_calls::find(place.stack, self.yaql));
        found.extend(findings);
        let unmet = unmet(place.lowering, &found);
        found.extend(unmet);
        if let Some(anchor) = place.anchor {
            found.iter_mut().for_each(|finding| move_to(finding, anchor));
        }
        // The order of the template.
        let mut children = IndexMap::new();
        for name in evaluation.resources.iter().flatten().map(|(name, _)| name) {
            if let Some(made) = made.remove(name) {
                children.insert(name.clone(), made.child);
            }
        }
        evaluation.parameters.retain(|name, _| !place.values.contains_key(name));
        Deployed {
            evaluation,
            stack: Arc::clone(place.stack),
            registry: Arc::clone(&place.registry),
            version: place.version.into(),
            level: place.around.depth,
            template: place.template.map(str::to_owned),
            children,
            findings: found,
        }
    }

    /// Takes the values from those parameters whose values do not count. A default of the environment
    /// reaches a nested template past its parent, so that it is a parameter of the whole deployment.
    fn open(&self, place: &Place<'_>, parameters: &mut Parameters) {
        if *self.fixed == Fixed::All {
            return;
        }
        let is_root = place.around.depth == 0;
        let names = place.stack.parameters.keys();
        for name in names.filter(|name| !self.fixed.holds(name)) {
            let is_of_environment =
                !place.given.contains_key(name) && self.defaults.contains_key(name);
            if is_root || is_of_environment {
                parameters.values.insert(name.clone(), Ok(open_parameter(name, 0)));
            }
        }
    }

    /// The children of an evaluated stack; those that were made before of the same are taken over.
    fn children(
        &self,
        place: &Place<'_>,
        evaluation: &Evaluation,
        looked_up: &LookedUp<'_>,
        mut before: HashMap<String, Made>,
        findings: &mut Vec<Diagnostic>,
    ) -> HashMap<String, Made> {
        let mut asked = Vec::new();
        for (name, resource) in evaluation.resources.iter().flatten() {
            let span = kind_span(place.stack, name);
            let Some(found) = looked_up.get(name.as_str()) else { continue };
            match ask(found, resource, span) {
                Ok(Some(ask)) => {
                    asked.push((name, resource, span, ask, before.remove(name)));
                }
                Ok(None) => {}
                Err(finding) => findings.push(finding),
            }
        }
        let names: Vec<&String> = asked.iter().map(|(name, ..)| *name).collect();
        let prepare = |(name, resource, span, ask, before): (&String, &Resource, _, _, _)| {
            let mut found = Vec::new();
            let references = evaluation.asked.get(name).map_or(&[][..], Vec::as_slice);
            let step =
                self.prepare(place, name, resource, span, &ask, references, before, &mut found);
            (span, ask, step, found)
        };
        let prepared: Vec<_> = asked.into_par_iter().map(prepare).collect();
        let alike = alike(prepared.iter().map(|(_, ask, step, _)| (ask, step)), place);
        let children: Vec<Option<Child>> = prepared
            .par_iter()
            .enumerate()
            .map(|(at, (span, ask, step, _))| match step {
                Step::Pending(from, nested) if alike[at] == at => {
                    Some(self.evaluated(place, names[at], *span, ask, from, nested.as_deref()))
                }
                Step::Pending(..) | Step::Ready(_) => None,
            })
            .collect();
        let mut made = HashMap::with_capacity(prepared.len());
        for (at, (_, ask, step, found)) in prepared.into_iter().enumerate() {
            findings.extend(found);
            let child = match step {
                Step::Ready(made) => Some(made),
                Step::Pending(from, _) => {
                    let child = children.get(alike[at]).cloned().flatten();
                    child.map(|child| Made { from, child, by: ask.by() })
                }
            };
            if let Some(child) = child {
                made.insert(names[at].clone(), child);
            }
        }
        made
    }

    /// What the types of all resources stand for.
    fn look_up<'r>(&self, place: &'r Place<'_>, files: &Seen<'_>) -> LookedUp<'r> {
        let kinds = place.stack.resources.iter().filter_map(|(name, resource)| {
            let written = &resource.kind.as_ref()?.text;
            Some((name.as_str(), files.located("type", written).unwrap_or(written.clone())))
        });
        kinds.map(|(name, kind)| (name, place.registry.lookup(&kind, Some(name)))).collect()
    }

    /// The attributes of a resource, after what its type stands for.
    fn attributes(&self, found: &Result<Implementation<'_>, LookupError>) -> Option<Vec<SmolStr>> {
        match found {
            Ok(Implementation::Plugin(plugin)) => {
                let info = Schema::heat().types.get(plugin)?;
                // Every resource has this one.
                let names = info.attributes.keys().copied().chain(std::iter::once("show"));
                Some(names.map(SmolStr::from).collect())
            }
            Ok(Implementation::Template(template, _)) => {
                let nested = self.template(url(template)?, Span::NOWHERE).ok()?;
                Some(nested.stack.outputs.keys().map(SmolStr::from).collect())
            }
            Ok(Implementation::Candidates(_)) | Err(_) => None,
        }
    }

    /// What a child is to be made of.
    #[expect(clippy::too_many_arguments, reason = "they are what a child is made of")]
    fn prepare(
        &self,
        place: &Place<'_>,
        name: &str,
        resource: &Resource,
        span: Span,
        ask: &Ask<'_>,
        references: &[groups::Reference],
        before: Option<Made>,
        findings: &mut Vec<Diagnostic>,
    ) -> Step {
        let facade = facade(resource);
        let by = ask.by();
        let depth = place.around.depth;
        let failed = |failure: Failure| Step::ready(Child::Failed(failure), by);
        let limit = |code: Code, message: String, findings: &mut Vec<Diagnostic>| {
            findings.push(Diagnostic::new(code, message.clone()).at(span));
            failed(Failure::new(Class::RequestLimitExceeded, message, span))
        };
        if depth >= DEEPEST {
            let message = format!("Recursion depth exceeds {DEEPEST}.");
            return limit(Code::StacksTooDeep, message, findings);
        }
        if depth >= HEAT_DEPTH {
            if let Ask::Template(url, _) = ask
                && place.around.holds(url)
            {
                let message = "a stack that contains itself without an end".to_owned();
                return limit(Code::NestingCycle, message, findings);
            }
            let message = format!("more than {HEAT_DEPTH} stacks in each other");
            let help = "Heat takes more only where `max_nested_stack_depth` is raised";
            findings.push(Diagnostic::new(Code::DeepStacks, message).at(span).help(help));
        }
        if self.stacks.fetch_add(1, Ordering::Relaxed) > MOST_STACKS {
            let message = format!("more than {MOST_STACKS} stacks");
            return limit(Code::StacksTooDeep, message, findings);
        }
        let properties = match &resource.properties {
            Properties::Each(each) => each,
            Properties::Whole(Ok(value)) if value.holds_unknown() => {
                return Step::ready(unknown_child(resource, value, span), by);
            }
            // Heat takes no function in the place of all properties of a nested stack.
            Properties::Whole(_) => {
                let message = "argument of this type is not iterable";
                return failed(Failure::new(Class::TypeError, message, span));
            }
        };
        let spot = |property: &str| property_span(place.stack, name, property).unwrap_or(span);
        let mut refused = |failure: Failure| {
            // What has no value was found where that is.
            let finding = Diagnostic::new(
                Code::NestedRefused,
                format!("{} ({})", failure.shown(), failure.class.name()),
            );
            if !properties.values().any(|value| value.as_ref() == Err(&failure)) {
                findings.push(finding.at(failure.span));
            }
            failed(failure)
        };
        match ask {
            Ask::Template(url, _) => {
                let nested = match self.template(url, span) {
                    Ok(nested) => nested,
                    Err(finding) => {
                        let failure = Failure::new(Class::NotFound, finding.message.clone(), span);
                        // That the file could not be read was told when it was looked for.
                        if !self.files.is_unread(url) {
                            findings.push(finding);
                        }
                        return failed(failure);
                    }
                };
                let passed = match children::pass(&nested.stack.parameters, properties, spot) {
                    Ok(passed) => passed,
                    Err(failure) => return refused(failure),
                };
                for property in &passed.undeclared {
                    let message = format!("Unknown Property {property}");
                    let finding = Diagnostic::new(Code::NestedRefused, message).at(spot(property));
                    let known = nested.stack.parameters.keys().map(String::as_str);
                    findings.push(match crate::diagnostics::did_you_mean(property, known) {
                        Some(near) => finding.help(format!("did you mean `{near}`?")),
                        None => finding,
                    });
                }
                let from = From::Passed(passed, facade);
                match before.filter(|before| before.from == from) {
                    Some(before) => Step::Ready(before),
                    None => Step::Pending(from, Some(nested)),
                }
            }
            Ask::Group(kind) => {
                let members = match groups::members(*kind, properties, references, span) {
                    Ok(Members::Unknown(depends_on)) => {
                        let child = depends(resource, depends_on, span);
                        return Step::ready(child, by);
                    }
                    Ok(members) => members,
                    Err(failure) => return refused(failure),
                };
                let from = From::Members(members, facade);
                match before.filter(|before| before.from == from) {
                    Some(before) => Step::Ready(before),
                    None => Step::Pending(from, None),
                }
            }
            Ask::Remote => match self.remote(place, resource, properties, &facade, span) {
                Ok(child) => Step::ready(child, by),
                Err(failure) => refused(failure),
            },
        }
    }

    /// A child that is prepared, evaluated.
    fn evaluated(
        &self,
        place: &Place<'_>,
        name: &str,
        span: Span,
        ask: &Ask<'_>,
        from: &From,
        nested: Option<&Nested>,
    ) -> Child {
        let depth = place.around.depth + 1;
        let nothing = IndexMap::new();
        let none = IndexMap::new();
        let deployed = match (ask, from, nested) {
            (Ask::Template(url, entry), From::Passed(passed, facade), Some(nested)) => {
                self.stack(&Place {
                    stack: &nested.stack,
                    version: nested.version,
                    lowering: &nested.lowering,
                    given: &passed.given,
                    values: &none,
                    registry: Arc::new(place.registry.of_child(Some(name), *entry)),
                    facade: Some(facade.clone()),
                    table: None,
                    template: Some(url),
                    base: Some(&nested.base),
                    around: Around {
                        depth,
                        templates: Some(&Chain { url, outer: place.around.templates }),
                    },
                    anchor: None,
                })
            }
            (_, From::Members(Members::Known(inner), facade), _) => self.stack(&Place {
                stack: &inner.stack,
                version: inner.stack.format.version,
                lowering: &[],
                given: &nothing,
                values: &inner.values,
                registry: self.registry_of(place, name),
                facade: Some(facade.clone()),
                table: None,
                template: None,
                base: None,
                around: Around { depth, ..place.around },
                anchor: place.anchor.or(Some(span)),
            }),
            _ => unreachable!("only what can be evaluated is left to be evaluated"),
        };
        Child::Stack(Arc::new(deployed))
    }

    /// The registry of a group's members.
    fn registry_of(&self, place: &Place<'_>, name: &str) -> Arc<Registry> {
        if place.registry.is_scoped() {
            Arc::new(place.registry.of_child(Some(name), None))
        } else {
            Arc::clone(&place.registry)
        }
    }

    /// `OS::Heat::Stack`: a template in a text.
    fn remote(
        &self,
        place: &Place<'_>,
        resource: &Resource,
        properties: &properties::Given,
        facade: &Facade,
        span: Span,
    ) -> Result<Child, Failure> {
        let template = properties::required(properties, "template", ValueType::String, span)?;
        let given = properties::read(properties, "parameters", ValueType::Map, span)?;
        let given = given.unwrap_or_else(|| Value::map::<&str>([]));
        let Value::Text(text) = template.open() else {
            return Ok(unknown_child(resource, &template, span));
        };
        let Value::Map(given) = given.open() else {
            return Ok(unknown_child(resource, &given, span));
        };
        let wrong = |message: &str| Failure::new(Class::ValueError, message, span);
        if template.holds_secret() {
            return Err(wrong("the template is a secret"));
        }
        let document = read(SourceId(u32::MAX), as_sent(text).into(), &Limits::default())
            .map_err(|found| wrong(&found.message))?;
        let lowered = lower(&document).map_err(|found| wrong(&found.message))?;
        let version = lowered.declaration();
        let stack = Arc::new(lowered.stack);
        let mut pairs = IndexMap::with_capacity(given.len());
        for (key, value) in given.iter() {
            let name = python::str(&key.to_value()).map_err(|raised| raised.at(span))?;
            pairs.insert(name, Given { value: value.clone(), span: Some(span) });
        }
        Ok(Child::Stack(Arc::new(self.stack(&Place {
            stack: &stack,
            version,
            lowering: &lowered.findings,
            given: &pairs,
            values: &IndexMap::new(),
            registry: Arc::clone(&place.registry),
            facade: Some(facade.clone()),
            table: None,
            template: None,
            base: None,
            around: Around { depth: place.around.depth + 1, ..place.around },
            anchor: place.anchor.or(Some(span)),
        }))))
    }

    /// A template by its URL, lowered once.
    fn template(&self, url: &str, span: Span) -> Result<Arc<Nested>, Diagnostic> {
        let cannot = |message: String| Diagnostic::new(Code::NestedNotFollowed, message);
        let Some(cell) = self.templates.get(url) else {
            let message = format!("the template `{url}` could not be read");
            return Err(cannot(message).at(span));
        };
        let nested = cell.get_or_init(|| {
            let Some(file) = self.files.get(url) else {
                return Err(cannot(format!("the template `{url}` could not be read")));
            };
            let location = &file.location;
            let document = match &file.content {
                environment::Content::Template(document) => document,
                environment::Content::Text(text) => {
                    let source = file.source.unwrap_or(Span::NOWHERE.source);
                    let broken = read(source, as_sent(text).into(), &Limits::default()).err();
                    return Err(match broken {
                        Some(found) => no_template(location, &found),
                        None => cannot(format!("`{location}` is not a template")),
                    });
                }
                environment::Content::Base64(_) => {
                    return Err(cannot(format!("`{location}` is not a template")));
                }
            };
            let lowered = lower(document).map_err(|found| no_template(location, &found))?;
            Ok(Arc::new(Nested {
                version: lowered.declaration(),
                stack: Arc::new(lowered.stack),
                lowering: lowered.findings,
                base: location.folder(),
            }))
        });
        nested.clone().map_err(|finding| match finding.span() {
            Some(_) => finding.related(span, "it is named here"),
            None => finding.at(span),
        })
    }
}

/// Says why a file is not a template, at the place where that shows.
fn no_template(location: &Location, found: &Diagnostic) -> Diagnostic {
    let message = format!("`{location}` is not a template: {}", found.message);
    let mut finding = Diagnostic::new(Code::NestedNotFollowed, message);
    finding.primary.clone_from(&found.primary);
    finding.help.clone_from(&found.help);
    finding
}

/// The errors of a template's lowering that its evaluation has not met: of the others it says what comes
/// of them.
fn unmet(lowering: &[Diagnostic], found: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_met = |error: &Diagnostic| {
        let mut spans = found.iter().filter(|it| it.is_error()).filter_map(Diagnostic::span);
        error.span().is_some_and(|span| spans.any(|it| it.contains(span) || span.contains(it)))
    };
    lowering.iter().filter(|it| it.is_error() && !is_met(it)).cloned().collect()
}

/// Whether Heat takes any attribute of such a resource. What a type stands for that is not known is
/// not known to lack anything.
fn is_open(found: &Result<Implementation<'_>, LookupError>) -> bool {
    match found {
        Ok(Implementation::Plugin(plugin)) => {
            Schema::heat().types.get(plugin).is_some_and(|info| info.dynamic_attributes)
        }
        Ok(Implementation::Template(..) | Implementation::Candidates(_)) | Err(_) => true,
    }
}

/// The URL of a template.
fn url(template: &Template) -> Option<&str> {
    match template {
        Template::File(location) => Some(location.url()),
        Template::Key(key) => Some(key),
        Template::Shipped(_) => None,
    }
}

/// What a resource stands for, if it is a stack.
fn ask<'r>(
    found: &Result<Implementation<'r>, LookupError>,
    resource: &Resource,
    span: Span,
) -> Result<Option<Ask<'r>>, Diagnostic> {
    let cannot = |message: String| Diagnostic::new(Code::NestedNotFollowed, message).at(span);
    match found {
        // Who adopts a stack elsewhere never sends its template there.
        Ok(Implementation::Plugin("OS::Heat::Stack")) => {
            let adopts = |id: &Outcome| matches!(id, Ok(id) if *id.open() != Value::Null);
            let is_adopted = resource.external_id.as_ref().is_some_and(adopts);
            Ok((!is_adopted).then_some(Ask::Remote))
        }
        Ok(Implementation::Plugin(plugin)) => Ok(Kind::of(plugin).map(Ask::Group)),
        Ok(Implementation::Template(Template::Shipped(file), _)) => {
            let kind = &resource.kind;
            Err(cannot(format!("`{kind}` is the template {file} of Heat, which is not here")))
        }
        Ok(Implementation::Template(template, entry)) => {
            Ok(url(template).map(|url| Ask::Template(url.to_owned(), *entry)))
        }
        // That none could be chosen was told.
        Ok(Implementation::Candidates(_)) => Ok(None),
        Err(error) => {
            let finding = Diagnostic::new(Code::UnknownResourceType, error.to_string()).at(span);
            let finding = match Schema::heat().did_you_mean(&resource.kind) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding,
            };
            Err(finding.help(
                "a type of your own cloud is mapped by an environment (`-e REGISTRY`); \
                 `openstack orchestration resource type list` prints the types of a cloud",
            ))
        }
    }
}

/// For each child the first one that is the same: members of a group often are.
fn alike<'s>(
    steps: impl Iterator<Item = (&'s Ask<'s>, &'s Step)>,
    place: &Place<'_>,
) -> Vec<usize> {
    /// So many different ones of one template are compared.
    const COMPARED: usize = 8;
    let mut firsts: HashMap<&str, Vec<(usize, &Ask<'_>, &From)>> = HashMap::new();
    let find = |(at, (ask, step)): (usize, (&'s Ask<'s>, &'s Step))| {
        let (Ask::Template(url, entry), Step::Pending(from, _)) = (ask, step) else { return at };
        // What holds for one resource only makes all of them different.
        if place.registry.is_scoped() {
            return at;
        }
        let same = |other: &Option<&Entry>| match (entry, other) {
            (Some(one), Some(other)) => std::ptr::eq(*one, *other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let firsts = firsts.entry(url).or_default();
        let found = firsts.iter().find(|(_, ask, other)| {
            matches!(ask, Ask::Template(_, entry) if same(entry)) && *other == from
        });
        if let Some((first, ..)) = found {
            return *first;
        }
        if firsts.len() < COMPARED {
            firsts.push((at, ask, from));
        }
        at
    };
    steps.enumerate().map(find).collect()
}

/// A child of which it is not known what it is.
fn unknown_child(resource: &Resource, value: &Value, span: Span) -> Child {
    let mut depends_on = BTreeSet::new();
    value.collect_dependencies(&mut depends_on);
    depends(resource, depends_on, span)
}

fn depends(resource: &Resource, depends_on: BTreeSet<Dependency>, span: Span) -> Child {
    let expr = Expr::new(ExprKind::Text(resource.kind.clone()), span);
    Child::Unknown(Arc::new(Unknown::opaque(expr, depends_on)))
}

/// What a nested template may ask of the resource that it stands for.
fn facade(resource: &Resource) -> Facade {
    let value = |outcome: &Option<Outcome>| match outcome {
        Some(Ok(value)) => value.clone(),
        Some(Err(_)) | None => Value::Null,
    };
    Facade {
        metadata: value(&resource.metadata),
        deletion_policy: resource.deletion_policy.clone(),
        update_policy: value(&resource.update_policy),
    }
}

/// Where the type of a resource is written.
fn kind_span(stack: &Stack, name: &str) -> Span {
    let resource = stack.resources.get(name);
    let kind = resource.and_then(|resource| resource.kind.as_ref());
    kind.map(|kind| kind.span)
        .or(resource.map(|resource| resource.name_span))
        .unwrap_or(stack.format.span)
}

/// Where a property of a resource is written.
fn property_span(stack: &Stack, name: &str, property: &str) -> Option<Span> {
    let ExprKind::Map(pairs) = &stack.resources.get(name)?.properties.as_ref()?.kind else {
        return None;
    };
    let found = pairs.iter().rev().find(|pair: &&ir::Pair| pair.key.as_text() == Some(property));
    found.map(|pair| pair.value.span)
}

/// The outputs of children that are known and asked for.
fn known_outputs(
    evaluation: &Evaluation,
    made: &HashMap<String, Made>,
) -> IndexMap<String, Outputs> {
    let mut known = IndexMap::new();
    for name in evaluation.asked.keys() {
        let Some(Made { child: Child::Stack(stack), by, .. }) = made.get(name) else { continue };
        let outputs = stack.evaluation.outputs.iter().flatten();
        let values: IndexMap<String, Value> = outputs
            .filter(|(_, output)| *output.enabled.open() == Value::Bool(true))
            .filter_map(|(name, output)| {
                let value = output.value.as_ref().ok()?;
                (!value.holds_unknown()).then(|| (name.clone(), value.clone()))
            })
            .collect();
        if !values.is_empty() {
            known.insert(name.clone(), Outputs { by: *by, values });
        }
    }
    known
}

/// Everything that has no value, as findings, each place once. What is wrong with parameters is told
/// elsewhere.
fn no_values(evaluation: &Evaluation) -> Vec<Diagnostic> {
    let of_parameters = evaluation.failures.iter().filter_map(|failure| match failure.stage {
        Stage::Parameters(_) => Some(&failure.failure),
        _ => None,
    });
    let of_values = evaluation.parameters.values().filter_map(|value| value.as_ref().err());
    let mut seen: Vec<(Span, &str)> =
        of_parameters.chain(of_values).map(|failure| (failure.span, failure.shown())).collect();
    let mut findings = Vec::new();
    for failure in evaluation.all_failures() {
        let found = (failure.span, failure.shown());
        if seen.contains(&found) {
            continue;
        }
        seen.push(found);
        let message = format!("{} ({})", failure.shown(), failure.class.name());
        let finding = Diagnostic::new(Code::NoValue, message).at(failure.span);
        // The name may be a part of a secret.
        let meant = failure.meant.as_ref().filter(|_| !failure.is_secret());
        findings.push(match meant {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }
    findings
}

/// Resources that wait for each other.
fn circle(stack: &Stack, evaluation: &Evaluation) -> Option<Diagnostic> {
    let resources = evaluation.resources.as_ref()?;
    let requires = |name: &str| -> Vec<&str> {
        let found = resources.get(name).and_then(|resource| resource.requires.as_ref().ok());
        let names = found.into_iter().flatten().map(String::as_str);
        names.filter(|name| resources.contains_key(*name)).collect()
    };
    // Those that wait for none but these leave, until nothing changes.
    let mut left: IndexMap<&str, Vec<&str>> =
        resources.keys().map(|name| (name.as_str(), requires(name))).collect();
    let mut waiting: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut open: HashMap<&str, usize> = HashMap::new();
    for (name, names) in &left {
        open.insert(name, names.len());
        for required in names {
            waiting.entry(required).or_default().push(name);
        }
    }
    let mut ready: Vec<&str> =
        left.keys().copied().filter(|name| open.get(name) == Some(&0)).collect();
    while let Some(name) = ready.pop() {
        left.shift_remove(name);
        for waiter in waiting.get(name).into_iter().flatten() {
            let Some(count) = open.get_mut(waiter) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(waiter);
            }
        }
    }
    let first = *left.keys().next()?;
    // Each of those that are left waits for another one of them: sooner or later one comes again.
    let mut way = vec![first];
    let start = loop {
        let next = left.get(way.last()?)?.iter().find(|name| left.contains_key(*name))?;
        if let Some(at) = way.iter().position(|name| name == next) {
            way.push(next);
            break at;
        }
        way.push(next);
    };
    let way = &way[start..];
    let message = format!("resources wait for each other: {}", way.join(" → "));
    let place = stack.resources.get(*way.first()?)?.name_span;
    Some(Diagnostic::new(Code::CircularDependency, message).at(place))
}

/// Moves a finding out of a text that no user has seen.
fn move_to(finding: &mut Diagnostic, anchor: Span) {
    let labels = finding.primary.iter_mut().chain(&mut finding.related);
    for label in labels.filter(|label| label.span.source == Span::NOWHERE.source) {
        label.span = anchor;
    }
}
