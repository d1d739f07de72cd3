//! Values that a template gives to parameters of nested templates. If a parameter is hidden there, its value is a secret
//! where it is given.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use smol_str::SmolStr;

use super::registry::{is_template_name, rewritten};
use super::tree::{EnvironmentMap, EnvironmentValue};
use heat_template::ir::{Expr, ExprKind, Stack};
use heat_template::schema::{HeatGroup, MemberDefinition};
use source_diagnostics::Span;

/// The configuration of the members of instance groups, and the type of these: an environment may map it to a template.
const SCALED: (&str, &str) = ("AWS::AutoScaling::LaunchConfiguration", "OS::Heat::ScaledResource");

/// The type whose template is a text.
pub(super) const REMOTE_STACK: &str = "OS::Heat::Stack";

/// The types of stacks whose template is a property, each with the property that has the values of its parameters.
const STACKS: [(&str, &str); 2] =
    [(REMOTE_STACK, "parameters"), ("AWS::CloudFormation::Stack", "Parameters")];

/// A value for a parameter of a nested template.
#[derive(Clone, Debug)]
pub(super) struct GivenValue {
    /// The name of the parameter; `None` if the value may be that of any.
    pub(super) parameter: Option<SmolStr>,
    /// The value and the functions in it.
    pub(super) computed: Vec<Span>,
    pub(super) literals: Vec<Span>,
    /// The parameter whose value it is.
    pub(super) passed: Option<SmolStr>,
}

/// The types that the registries of the environments map to templates or to other types.
#[derive(Clone, Debug, Default)]
pub(super) struct MappedTypes {
    /// Each row with its target; `None` is a template.
    rows: Vec<(String, Option<String>)>,
    /// The positions of the rows of a type or pattern.
    by_name: HashMap<String, Vec<usize>>,
    /// The lengths of what is before the `*` in patterns.
    prefix_lengths: BTreeSet<usize>,
}

/// The number of types in a row that a type may stand for; Heat follows no chain of more.
const MAX_MEANINGS: usize = 300;

impl MappedTypes {
    /// Adds the rows of a registry, with those of single resources.
    pub(super) fn add(&mut self, registry: &EnvironmentMap) {
        for (name, node) in registry {
            match &node.value {
                EnvironmentValue::Map(map) => self.add(map),
                EnvironmentValue::File(file) if is_template_name(file.url()) => {
                    self.add_row(name, None);
                }
                EnvironmentValue::Text(kind) => self.add_row(name, Some(kind.clone())),
                _ => {}
            }
        }
    }

    /// Adds the types that a text names, since an environment that cannot be parsed may map each of them to a template.
    pub(super) fn add_unread(&mut self, text: &str) {
        let is_between = |c: char| c.is_whitespace() || "\"'{}[],".contains(c);
        let words = text.split(is_between).map(|word| word.trim_end_matches(':'));
        words.filter(|word| word.contains("::")).for_each(|word| self.add_row(word, None));
    }

    fn add_row(&mut self, name: &str, target: Option<String>) {
        self.by_name.entry(name.to_owned()).or_default().push(self.rows.len());
        // A template takes the place of one type only.
        self.prefix_lengths
            .extend(name.strip_suffix('*').filter(|_| target.is_some()).map(str::len));
        self.rows.push((name.to_owned(), target));
    }

    /// The rows that apply to a type, in their order.
    fn rows_of(&self, kind: &str) -> Vec<&(String, Option<String>)> {
        let patterns = self.prefix_lengths.iter().filter_map(|length| kind.get(..*length));
        let patterns = patterns.filter_map(|prefix| self.by_name.get(&format!("{prefix}*")));
        let named = self.by_name.get(kind).filter(|_| !kind.ends_with('*'));
        let mut found: Vec<usize> = patterns.chain(named).flatten().copied().collect();
        found.sort_unstable();
        let rows = found.into_iter().map(|at| &self.rows[at]);
        rows.filter(|(name, target)| target.is_some() || !name.ends_with('*')).collect()
    }

    /// The types that a type may stand for, itself first; `None` is a template.
    fn meanings(&self, kind: &str) -> Vec<Option<String>> {
        let mut found = vec![Some(kind.to_owned()).filter(|kind| !is_template_name(kind))];
        let mut known: HashSet<Option<String>> = found.iter().cloned().collect();
        let mut at = 0;
        // Patterns may grow a name without end.
        while at <= self.rows.len().min(MAX_MEANINGS)
            && let Some(meaning) = found.get(at).cloned()
        {
            at += 1;
            let Some(kind) = meaning else { continue };
            for (name, target) in self.rows_of(&kind) {
                let target = target.as_ref().map(|target| rewritten(name, target, &kind));
                let target = target.filter(|target| !is_template_name(target));
                if known.insert(target.clone()) {
                    found.push(target);
                }
            }
        }
        found
    }

    /// The values that a template gives to nested ones.
    pub(super) fn given(&self, stack: &Stack) -> Vec<GivenValue> {
        let mut given = Vec::new();
        let mut meanings = Meanings { types: self, known: HashMap::new() };
        for resource in stack.resources.values() {
            if let (Some(kind), Some(properties)) = (&resource.kind, &resource.properties) {
                meanings.resource(&kind.text, &[properties], &mut given);
            }
        }
        given
    }

    /// The texts in a template that are templates, or become ones: those of one resource together. Parameters are followed
    /// to their defaults, and attributes to the values of their resource.
    pub(super) fn inline_templates<'s>(&self, stack: &'s Stack) -> Vec<Vec<(&'s str, Span)>> {
        let mut found = Vec::new();
        let mut meanings = Meanings { types: self, known: HashMap::new() };
        for resource in stack.resources.values() {
            let kind = resource.kind.as_ref().map_or("", |kind| &kind.text);
            if !meanings.of(kind).iter().flatten().any(|kind| *kind == REMOTE_STACK) {
                continue;
            }
            let properties: Vec<&Expr> = resource.properties.iter().collect();
            let mut open = values_of("template", &properties);
            let (mut texts, mut seen) = (Vec::new(), HashSet::new());
            while let Some(expr) = open.pop() {
                if !seen.insert(std::ptr::from_ref(expr)) {
                    continue;
                }
                texts.extend(expr.as_text().map(|text| (text, expr.span)));
                match &expr.kind {
                    ExprKind::Parameter(reference) => {
                        let name = reference.name.as_text();
                        let parameter = name.and_then(|name| stack.parameters.get(name));
                        open.extend(parameter.and_then(|it| it.default.as_ref()));
                    }
                    ExprKind::Attribute(reference) => {
                        let name = reference.resource.as_text();
                        let resource = name.and_then(|name| stack.resources.get(name));
                        open.extend(resource.and_then(|it| it.properties.as_ref()));
                    }
                    _ => {
                        let first = open.len();
                        expr.for_each_child(|child| open.push(child));
                        // In the order of the text.
                        open[first..].reverse();
                    }
                }
            }
            found.push(texts);
        }
        found
    }
}

/// The types that the types of a template may stand for, each found once.
struct Meanings<'a> {
    types: &'a MappedTypes,
    known: HashMap<String, Rc<[Option<String>]>>,
}

impl Meanings<'_> {
    fn of(&mut self, kind: &str) -> Rc<[Option<String>]> {
        if let Some(known) = self.known.get(kind) {
            return Rc::clone(known);
        }
        let found: Rc<[_]> = self.types.meanings(kind).into();
        self.known.insert(kind.to_owned(), Rc::clone(&found));
        found
    }

    fn resource(&mut self, kind: &str, properties: &[&Expr], given: &mut Vec<GivenValue>) {
        for meaning in self.of(kind).iter() {
            let Some(kind) = meaning else {
                properties.iter().for_each(|expr| add(expr, given));
                continue;
            };
            for (_, path) in STACKS.iter().filter(|(stack, _)| kind == stack) {
                values_of(path, properties).into_iter().for_each(|expr| add(expr, given));
            }
            if *kind == SCALED.0 {
                self.resource(SCALED.1, properties, given);
            }
            let inside = match HeatGroup::of(kind).and_then(HeatGroup::members) {
                Some(MemberDefinition::Definition(path)) => values_of(path, properties),
                Some(MemberDefinition::Chain { types, properties: path }) => {
                    let shared = values_of(path, properties);
                    let mut open = values_of(types, properties);
                    // Types may be computed.
                    let is_plain =
                        |expr: &Expr| matches!(expr.kind, ExprKind::List(_) | ExprKind::Text(_));
                    let mut nests = false;
                    while let Some(expr) = open.pop() {
                        nests |= !is_plain(expr)
                            || expr.as_text().is_some_and(|kind| self.of(kind).contains(&None));
                        expr.for_each_child(|child| open.push(child));
                    }
                    shared.into_iter().filter(|_| nests).for_each(|expr| add(expr, given));
                    continue;
                }
                None => continue,
            };
            let types: Vec<&str> =
                values_of("type", &inside).into_iter().filter_map(Expr::as_text).collect();
            let properties = values_of("properties", &inside);
            types.iter().for_each(|kind| self.resource(kind, &properties, given));
            if types.is_empty() {
                properties.into_iter().for_each(|expr| add(expr, given));
            }
        }
    }
}

/// Adds the values of a map of properties.
fn add(properties: &Expr, given: &mut Vec<GivenValue>) {
    for map in maps(properties) {
        if let ExprKind::Map(pairs) = &map.kind {
            for pair in pairs {
                let name = pair.key.as_text().map(SmolStr::from);
                given.push(GivenValue::new(name, &pair.value));
            }
        } else if let ExprKind::Text(_) = &map.kind {
            // A map may be written as JSON.
            given.push(GivenValue::new(None, map));
        }
    }
}

/// The values of a key of these maps.
fn values_of<'e>(key: &str, of: &[&'e Expr]) -> Vec<&'e Expr> {
    let pairs = of.iter().flat_map(|expr| maps(expr)).filter_map(|map| match &map.kind {
        ExprKind::Map(pairs) => Some(pairs),
        _ => None,
    });
    let pairs = pairs.flat_map(|pairs| pairs.iter());
    pairs.filter(|pair| pair.key.as_text() == Some(key)).map(|pair| &pair.value).collect()
}

/// An expression that is a map or a text, or, if it is a function, the maps in it, of which its result may be made.
fn maps(expr: &Expr) -> Vec<&Expr> {
    let (mut found, mut open) = (Vec::new(), vec![expr]);
    while let Some(next) = open.pop() {
        match &next.kind {
            ExprKind::Map(_) => found.push(next),
            ExprKind::Text(_) if std::ptr::eq(next, expr) => found.push(next),
            _ => next.for_each_child(|child| open.push(child)),
        }
    }
    found
}

impl GivenValue {
    fn new(parameter: Option<SmolStr>, value: &Expr) -> Self {
        let (mut literals, mut computed, mut open) = (Vec::new(), vec![value.span], vec![value]);
        while let Some(expr) = open.pop() {
            match &expr.kind {
                // The names in references are not part of the value.
                ExprKind::Parameter(_)
                | ExprKind::Resource(_)
                | ExprKind::Attribute(_)
                | ExprKind::File(_)
                | ExprKind::Null => {}
                ExprKind::Text(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Date(_)
                | ExprKind::Bool(_)
                | ExprKind::Bytes(_) => literals.push(expr.span),
                ExprKind::Map(pairs) => {
                    literals.extend(pairs.iter().map(|pair| pair.key.span));
                    open.extend(pairs.iter().map(|pair| &pair.value));
                }
                _ => {
                    computed.push(expr.span);
                    expr.for_each_child(|child| open.push(child));
                }
            }
        }
        let passed = match &value.kind {
            ExprKind::Parameter(reference) if reference.path.is_empty() => reference.name.as_text(),
            _ => None,
        };
        GivenValue { parameter, computed, literals, passed: passed.map(SmolStr::from) }
    }
}
