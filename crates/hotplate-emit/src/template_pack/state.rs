//! The state of a rendering: what helpers read, and what they collect.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use handlebars::{Context, Handlebars};
use serde_json::Value as Json;

use super::TemplatePack;
use super::helpers::HelperError;
use super::nesting::MAX_NESTING;
use crate::kit::UniqueNames;
use crate::{Comments, Loss, Losses, Module, RenderModel};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::{SourceId, Span};

/// The maximum number of templates included in one rendering, including those of expressions.
const MAX_INCLUDES: usize = 2_000_000;

/// Expressions by their kind and span.
type Index<'p> = HashMap<(Span, &'static str), (&'p Module, &'p Expr)>;
/// The names in use and the name of each text, by scope.
type NamesByScope = HashMap<String, (UniqueNames, HashMap<String, String>)>;

pub(super) struct RenderState<'p> {
    pub(super) target: &'p TemplatePack,
    pub(super) model: &'p RenderModel<'p>,
    losses: Mutex<Losses>,
    comments: Vec<(SourceId, Mutex<Comments<'p>>)>,
    /// The templates of the deployment, by their paths.
    sources: HashMap<&'p str, SourceId>,
    names: Mutex<NamesByScope>,
    index: OnceLock<Index<'p>>,
    depth: AtomicUsize,
    included: AtomicUsize,
}

/// Locks a mutex, also after a panic in another thread: no update leaves the data half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'p> RenderState<'p> {
    pub(super) fn new(
        target: &'p TemplatePack,
        model: &'p RenderModel<'p>,
        losses: Losses,
    ) -> Self {
        let mut comments: Vec<(SourceId, Mutex<Comments<'p>>)> = Vec::new();
        let mut sources = HashMap::new();
        for unit in &model.modules {
            let source = unit.document.source();
            sources.entry(unit.path.as_str()).or_insert(source);
            // The same file under two registries is two modules.
            if comments.iter().all(|(known, _)| *known != source) {
                comments.push((source, Mutex::new(Comments::of_template(unit))));
            }
        }
        RenderState {
            target,
            model,
            losses: Mutex::new(losses),
            comments,
            sources,
            names: Mutex::default(),
            index: OnceLock::new(),
            depth: AtomicUsize::new(0),
            included: AtomicUsize::new(0),
        }
    }

    pub(super) fn lose(&self, loss: Loss) {
        locked(&self.losses).add(loss);
    }

    pub(super) fn names(&self) -> MutexGuard<'_, NamesByScope> {
        locked(&self.names)
    }

    /// Runs `ask` on the comments of the file of a span; without a file there are none.
    pub(super) fn comments<T: Default>(
        &self,
        place: Span,
        ask: impl FnOnce(&Comments<'_>) -> T,
    ) -> T {
        let found = self.comments.iter().find(|(source, _)| *source == place.source);
        found.map_or_else(T::default, |(_, comments)| ask(&locked(comments)))
    }

    /// The losses; with `with_comments`, comments that no helper took are lost, too.
    pub(super) fn losses(&self, with_comments: bool) -> Vec<Loss> {
        let mut losses = locked(&self.losses);
        if with_comments {
            for (_, comments) in &self.comments {
                locked(comments).report_remaining(&mut losses, &self.target.manifest.name);
            }
        }
        losses.clone().into_sorted()
    }

    /// The expression of a template that an object of the context represents, with its template.
    pub(super) fn find(&self, expression: &Json) -> Option<(&'p Module, &'p Expr)> {
        let kind = expression.get("kind")?.as_str()?;
        let kind = ExprKind::names().find(|name| *name == kind)?;
        let span = self.span_of(expression)?;
        let index = self.index.get_or_init(|| index(self.model));
        index.get(&(span, kind)).copied()
    }

    /// The span of an object of the context: its own, or that of its name.
    pub(super) fn span_of(&self, thing: &Json) -> Option<Span> {
        let places = [thing.get("place"), thing.get("name_place"), Some(thing)];
        let mut places = places.into_iter().flatten();
        let place = places.find(|place| place.is_null() || place.get("start").is_some())?;
        if place.is_null() {
            return Some(Span::NOWHERE);
        }
        let byte = |end: &str| u32::try_from(place.get(end)?.get("byte")?.as_u64()?).ok();
        let source = *self.sources.get(place.get("path")?.as_str()?)?;
        let (start, end) = (byte("start")?, byte("end")?);
        (start <= end).then(|| Span::new(source, start, end))
    }

    /// Renders a template of the target with its own context; the final line break is removed.
    pub(super) fn render(
        &self,
        registry: &Handlebars<'_>,
        name: &str,
        context: Json,
    ) -> Result<String, HelperError> {
        if !registry.has_template(name) {
            return Err(format!("the target has no template `{name}.hbs`").into());
        }
        if self.included.fetch_add(1, Ordering::Relaxed) >= MAX_INCLUDES {
            return Err(format!("more than {MAX_INCLUDES} templates are included").into());
        }
        if self.depth.fetch_add(1, Ordering::Relaxed) >= MAX_NESTING {
            return Err(format!("templates include each other deeper than {MAX_NESTING}").into());
        }
        let rendered = registry.render_with_context(name, &Context::from(context));
        self.depth.fetch_sub(1, Ordering::Relaxed);
        // The final line break belongs to the file, not to the result.
        let rendered = rendered.map_err(HelperError::Render)?;
        Ok(rendered.strip_suffix('\n').map(str::to_owned).unwrap_or(rendered))
    }
}

fn index<'p>(model: &'p RenderModel<'_>) -> Index<'p> {
    let mut index = HashMap::new();
    for unit in &model.modules {
        let stack = &unit.stack;
        let outside = stack.parameters.values().flat_map(|parameter| &parameter.default);
        for expr in stack.expressions().chain(outside) {
            expr.walk(&mut |part| {
                index.entry((part.span, part.kind.name())).or_insert((unit, part));
            });
        }
    }
    index
}
