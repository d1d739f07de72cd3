//! Keeps the text of a script if a target cannot express a part of it: a parameter replaces that part.
//!
//! Scripts are what servers boot with: user data and software configurations. A target that cannot
//! express a part of a script omits the whole value and reports that ([`Loss::drops_whole_value`]). The part is
//! then replaced by a parameter of the template, which every target supports, and the target renders the
//! deployment again.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::render_model::{Module, RenderModel};
use super::{EmitOutput, EmitRequest, Emitter, Loss};
use crate::kit::{TextResource, UniqueNames, identifier};
use heat_template::ir::{Expr, ExprKind, Join, Parameter, ParameterType, Resource, Shared, Stack};
use source_diagnostics::{Diagnostic, Span, SpanIndex};

/// The maximum number of passes: a target reports only the first such part of each script.
const MAX_PASSES: usize = 16;

/// Renders a deployment, with parameters in place of parts of scripts that the target cannot express.
///
/// # Errors
///
/// Those of [`Emitter::emit`].
pub(super) fn with_script_parameters(
    emitter: &dyn Emitter,
    request: &EmitRequest<'_>,
) -> Result<EmitOutput, Box<Diagnostic>> {
    let mut emitted = within_limits(emitter, request)?;
    let mut current: Option<RenderModel<'_>> = None;
    let mut lost: Vec<Loss> = Vec::new();
    for _ in 0..MAX_PASSES {
        let Some(model) = current.as_ref().or(request.model) else { break };
        let mut stand_ins = ScriptParameters::new(model);
        // A reference to a lost text may become expressible once that text is.
        for of_references in [false, true] {
            if stand_ins.stacks.is_empty() {
                let losses = emitted.losses.iter().filter(|loss| loss.drops_whole_value);
                for loss in losses {
                    stand_ins.replace(loss, of_references);
                    for span in stand_ins.unread_files_beside(loss.span) {
                        stand_ins.replace(&Loss { span, ..loss.clone() }, of_references);
                    }
                }
            }
        }
        let ScriptParameters { mut stacks, losses: more, .. } = stand_ins;
        if stacks.is_empty() {
            break;
        }
        stacks.values_mut().for_each(drop_unused);
        lost.extend(more);
        let next = model.with_stacks(stacks);
        emitted = within_limits(emitter, &EmitRequest { model: Some(&next), ..*request })?;
        current = Some(next);
    }
    if !lost.is_empty() {
        emitted.losses.extend(lost);
        emitted.losses.sort_by_key(|loss| (loss.span.source, loss.span.start, loss.kind));
    }
    Ok(emitted)
}

/// Renders a deployment once; an error if the result exceeds the budget.
fn within_limits(
    emitter: &dyn Emitter,
    request: &EmitRequest<'_>,
) -> Result<EmitOutput, Box<Diagnostic>> {
    let emitted = emitter.emit(request);
    let start = Span::new(request.document.source(), 0, 0);
    match request.model.and_then(|model| model.budget.finding(start)) {
        Some(finding) => Err(Box::new(finding)),
        None => emitted,
    }
}

/// Parameters that replace parts of scripts.
struct ScriptParameters<'p, 'a> {
    model: &'p RenderModel<'a>,
    /// The scripts of each template.
    scripts: Vec<ModuleScripts<'p>>,
    /// The changed templates, by their index in the deployment.
    stacks: IndexMap<usize, Stack>,
    /// The losses of the scripts that are kept.
    losses: Vec<Loss>,
}

/// The scripts of a template.
struct ModuleScripts<'p> {
    /// The resources that have one, by the number of the script in `places`.
    owners: Vec<&'p str>,
    places: SpanIndex,
    /// The parameters that replace parts, by the text of the part: equal parts share one.
    names_by_text: HashMap<&'p str, String>,
    names: UniqueNames,
}

impl<'p> ModuleScripts<'p> {
    fn new(unit: &'p Module) -> Self {
        let (mut owners, mut places) = (Vec::new(), Vec::new());
        let mut names_by_text = HashMap::new();
        for (name, resource) in &unit.stack.resources {
            for script in scripts(resource) {
                places.push((owners.len(), script.span));
                owners.push(name.as_str());
                script.walk(&mut |part| {
                    if let ExprKind::Parameter(reference) = &part.kind
                        && is_stand_in(part)
                        && let Some(name) = reference.name.as_text()
                    {
                        names_by_text.insert(unit.document.slice(part.span), name.to_owned());
                    }
                });
            }
        }
        let stack = &unit.stack;
        let names = stack.parameters.keys().chain(stack.resources.keys());
        let names = names.chain(stack.conditions.keys()).collect();
        ModuleScripts { owners, places: SpanIndex::new(places), names_by_text, names }
    }

    /// The resource whose script contains a place.
    fn owner_of(&self, place: Span) -> Option<&'p str> {
        self.owners.get(self.places.containing(place)?).copied()
    }

    /// The name of the parameter for a part.
    fn parameter_name(
        &mut self,
        unit: &'p Module,
        part: &Expr,
        owner: &str,
        loss: &Loss,
    ) -> String {
        let name = self.names_by_text.entry(unit.document.slice(part.span));
        let name = name.or_insert_with(|| {
            let words = match &part.kind {
                ExprKind::Attribute(attribute) => {
                    let name = attribute.attribute.as_ref().and_then(Expr::as_text);
                    let resource = attribute.resource.as_text().unwrap_or(owner);
                    format!("{resource}_{}", name.unwrap_or("attributes"))
                }
                ExprKind::Resource(name) => format!("{}_id", name.as_text().unwrap_or(owner)),
                _ => format!("{owner}_{}", loss.subject),
            };
            self.names.allocate_numbered(&identifier(&words, "", ""))
        });
        name.clone()
    }
}

impl<'p, 'a> ScriptParameters<'p, 'a> {
    fn new(model: &'p RenderModel<'a>) -> Self {
        let scripts = model.modules.iter().map(ModuleScripts::new);
        ScriptParameters {
            model,
            scripts: scripts.collect(),
            stacks: IndexMap::new(),
            losses: Vec::new(),
        }
    }

    /// The other files in the script that contains an unread file: all are replaced at once, since a long script has more
    /// of them than there are passes.
    fn unread_files_beside(&self, place: Span) -> Vec<Span> {
        let mut found = Vec::new();
        for (unit, of_unit) in self.model.modules.iter().zip(&self.scripts) {
            let owner = of_unit.owner_of(place);
            let Some(resource) = owner.and_then(|name| unit.stack.resources.get(name)) else {
                continue;
            };
            let evaluator = self.model.evaluator(unit);
            let is_unread = |part: &Expr| {
                matches!(part.kind, ExprKind::File(_)) && evaluator.constant(part).is_none()
            };
            for script in scripts(resource) {
                if !holds(script.span, place) || !is_unread(innermost(script, place)) {
                    continue;
                }
                script.walk(&mut |part| {
                    if part.span != place && is_unread(part) {
                        found.push(part.span);
                    }
                });
            }
        }
        found
    }

    /// Replaces a lost part by a parameter, if it is a part of a script.
    fn replace(&mut self, loss: &Loss, is_reference: bool) {
        let mut lost = None;
        for (at, unit) in self.model.modules.iter().enumerate() {
            if loss.span == Span::NOWHERE || unit.document.source() != loss.span.source {
                continue;
            }
            let Some(owner) = self.scripts[at].owner_of(loss.span) else { continue };
            let stack = self.stacks.get(&at).unwrap_or(&*unit.stack);
            let resource = stack.resources.get(owner);
            let Some(part) = resource.and_then(|it| script_part_at(it, loss.span)) else {
                continue;
            };
            if names_text(&part, stack) != is_reference {
                continue;
            }
            let name = self.scripts[at].parameter_name(unit, &part, owner, loss);
            let span = part.span;
            let hidden = part_is_hidden(&part, stack);
            let properties = resource.and_then(|it| it.properties.as_ref());
            let changed = properties.map(|it| {
                replaced(it, &part, &Expr::parameter(name.as_str(), Vec::new(), span), false)
            });
            // A part in the wrong place would be found again and again.
            if changed.as_ref() == properties {
                continue;
            }
            let stack = self.stacks.entry(at).or_insert_with(|| (*unit.stack).clone());
            if let Some(resource) = stack.resources.get_mut(owner) {
                resource.properties = changed;
            }
            stack
                .parameters
                .entry(name.clone())
                .or_insert_with(|| parameter_declaration(loss, owner, hidden));
            let of = if at == 0 { "" } else { " of the nested template" };
            let how = format!("the parameter `{name}`{of} takes its place and needs a value");
            lost.get_or_insert(Loss {
                message: format!("{}; {how}", loss.message),
                drops_whole_value: false,
                // The rest of the omitted value is now rendered.
                span,
                ..loss.clone()
            });
        }
        self.losses.extend(lost);
    }
}

/// The part of a resource's script at a span.
fn script_part_at(resource: &Resource, place: Span) -> Option<Expr> {
    let script = scripts(resource).into_iter().find(|script| holds(script.span, place))?;
    let part = unknown_list(innermost(script, place));
    // The span of something that is already a parameter.
    (!is_stand_in(part) && !part.is_data()).then(|| part.clone())
}

/// The first computed list among joined lists: what is unknown is its length.
fn unknown_list(part: &Expr) -> &Expr {
    let ExprKind::Join(join) = &part.kind else { return part };
    join.lists.iter().find(|list| !matches!(list.kind, ExprKind::List(_))).unwrap_or(part)
}

/// Whether a part is nothing but a reference to another resource's text.
fn names_text(part: &Expr, stack: &Stack) -> bool {
    let name = match &part.kind {
        ExprKind::Resource(name) => name.as_text(),
        ExprKind::Attribute(attribute) => attribute.resource.as_text(),
        _ => None,
    };
    let kind = name.and_then(|name| stack.resources.get(name)?.kind.as_ref());
    kind.is_some_and(|kind| TextResource::of(&kind.text).is_some())
}

fn scripts(resource: &Resource) -> Vec<&Expr> {
    let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
    let property = TextResource::of(kind).map_or("user_data", TextResource::property);
    let mut found = Vec::new();
    let mut rest: Vec<&Expr> = resource.properties.iter().collect();
    while let Some(expr) = rest.pop() {
        match &expr.kind {
            ExprKind::Map(pairs) => {
                for pair in pairs {
                    match pair.key.as_text() {
                        Some(key) if key == property => found.push(&pair.value),
                        Some("personality") => match &pair.value.kind {
                            ExprKind::Map(files) => found.extend(files.iter().map(|it| &it.value)),
                            _ => rest.push(&pair.value),
                        },
                        _ => rest.push(&pair.value),
                    }
                }
            }
            ExprKind::List(items) => rest.extend(items),
            _ => {}
        }
    }
    found
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.source == inner.source && outer.start <= inner.start && inner.end <= outer.end
}

/// The smallest part that contains a span; of several with this very span, the outermost. The name in a reference
/// stands for the reference.
fn innermost(expr: &Expr, place: Span) -> &Expr {
    let is_reference =
        |it: &Expr| matches!(&it.kind, ExprKind::Resource(name) if name.as_text().is_some());
    let mut found = expr;
    while found.span != place && !is_reference(found) {
        let mut inner = None;
        found.for_each_child(|part| {
            if inner.is_none() && holds(part.span, place) {
                inner = Some(part);
            }
        });
        match inner {
            Some(part) => found = part,
            None => break,
        }
    }
    found
}

/// An expression with a part replaced by another expression; inside a list of lists to join, by a list of it.
fn replaced(expr: &Expr, part: &Expr, with: &Expr, is_list: bool) -> Expr {
    if expr == part {
        return match is_list {
            true => Expr::new(ExprKind::List([with.clone()].into()), with.span),
            false => with.clone(),
        };
    }
    if !holds(expr.span, part.span) {
        return expr.clone();
    }
    match &expr.kind {
        ExprKind::Join(join) => {
            let lists = join.lists.iter().map(|list| replaced(list, part, with, true));
            let join = Join {
                lists: lists.collect(),
                delimiter: replaced(&join.delimiter, part, with, false),
                ..(**join).clone()
            };
            Expr::new(ExprKind::Join(Shared::new(join)), expr.span)
        }
        _ => expr.with_parts(&mut |inner| replaced(inner, part, with, false)),
    }
}

/// Whether a parameter replaces a part of a script: such a one has no place in any template.
pub(super) fn is_placeholder_parameter(declared: &Parameter) -> bool {
    declared.name_span == Span::NOWHERE
}

fn is_stand_in(expr: &Expr) -> bool {
    // The span of a literal reference contains that of its name.
    matches!(&expr.kind, ExprKind::Parameter(it) if it.name.span == expr.span && expr.span != Span::NOWHERE)
}

/// Whether a part contains a value that no report may show.
fn part_is_hidden(part: &Expr, stack: &Stack) -> bool {
    let mut hidden = false;
    part.walk(&mut |expr| {
        if let ExprKind::Parameter(reference) = &expr.kind {
            let declared = reference.name.as_text().and_then(|name| stack.parameters.get(name));
            hidden |= declared.is_some_and(Parameter::is_hidden);
        }
    });
    hidden
}

/// The declaration of the parameter that replaces a lost part.
fn parameter_declaration(loss: &Loss, owner: &str, hidden: bool) -> Parameter {
    let expr = |kind: ExprKind| Expr::new(kind, Span::NOWHERE);
    let text = |text: &str| expr(ExprKind::Text(text.into()));
    let reason = loss.message.trim_start_matches(&format!("`{}`: ", loss.subject));
    let description = format!("Replaces `{}` in {owner}: {reason}", loss.subject);
    Parameter {
        description: Some(text(&description)),
        default: None,
        hidden: hidden.then(|| expr(ExprKind::Bool(true))),
        ..Parameter::new(Span::NOWHERE, Some(ParameterType::Text))
    }
}

/// Removes parameters of earlier passes that are no longer used, since a larger part has been replaced.
fn drop_unused(stack: &mut Stack) {
    let mut used = HashSet::new();
    for expr in stack.resources.values().filter_map(|resource| resource.properties.as_ref()) {
        expr.walk(&mut |part| {
            if let ExprKind::Parameter(reference) = &part.kind {
                used.extend(reference.name.as_text().map(str::to_owned));
            }
        });
    }
    stack.parameters.retain(|name, declared| {
        !is_placeholder_parameter(declared) || used.contains(name.as_str())
    });
}
