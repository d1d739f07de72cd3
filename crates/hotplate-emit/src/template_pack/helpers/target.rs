//! Helpers for the target itself: losses, comments, its tables, its other templates.

use serde_json::{Map, Value as Json, json};

use super::{Arguments, HelperError, HelperValue, PackHelper, stateful};
use crate::template_pack::state::RenderState;
use crate::{Loss, LossKind};
use source_diagnostics::{Severity, Span};

pub(super) static HELPERS: &[PackHelper] = &[
    stateful("include", |state, arguments, registry| {
        let name = arguments.text(0)?;
        let mut context = arguments.value(1)?.clone();
        let named = arguments.all_named()?;
        if !named.is_empty() {
            let Json::Object(map) = &mut context else {
                return Err("further values can only be added to a map".into());
            };
            for (name, value) in named {
                map.insert(name.to_owned(), value.clone());
            }
        }
        state.render(registry, &name, context).map(Json::from)
    }),
    stateful("loss", |state, arguments, _| loss(state, arguments)),
    stateful("comments", |state, arguments, _| comments(state, arguments)),
    stateful("snippet", |state, arguments, _| {
        let span = place(state, arguments.value(0)?)?;
        Ok(state.model.snippet(span).unwrap_or_default().into())
    }),
    stateful("mapping", |state, arguments, _| {
        let name = arguments.text(0)?;
        let table = state.target.mapping.as_ref();
        Ok(match table.and_then(|table| table.types.get(&name)) {
            Some(row) => serde_json::to_value(row).map_err(|error| error.to_string())?,
            None => Json::Null,
        })
    }),
];

/// The span of an object of the context.
fn place(state: &RenderState<'_>, thing: &Json) -> Result<Span, HelperError> {
    state.span_of(thing).ok_or_else(|| "the argument has no place in a template".into())
}

fn loss(state: &RenderState<'_>, arguments: &Arguments<'_, '_>) -> HelperValue {
    let wanted = |name: &str| -> Result<String, HelperError> {
        arguments.named_text(name)?.ok_or_else(|| format!("`{name}` is missing").into())
    };
    let kind = wanted("kind")?;
    let named = LossKind::ALL.into_iter().find(|it| json!(it) == *kind);
    let Some(kind) = named else { return Err(format!("unknown kind of loss `{kind}`").into()) };
    let Some(at) = arguments.named("at")? else { return Err("`at` is missing".into()) };
    let mut loss = Loss::new(kind, wanted("subject")?, wanted("message")?, place(state, at)?);
    loss.owner = arguments.named_text("owner")?;
    loss.suggestion = arguments.named_text("suggestion")?;
    match arguments.named_text("severity")?.as_deref() {
        None => {}
        Some("note") => loss.severity = Severity::Note,
        Some("error") => loss.severity = Severity::Error,
        Some(other) => return Err(format!("`severity` is `note` or `error`, not `{other}`").into()),
    }
    state.lose(loss);
    Ok("".into())
}

fn comments(state: &RenderState<'_>, arguments: &Arguments<'_, '_>) -> HelperValue {
    let span = place(state, arguments.value(0)?)?;
    let start = match arguments.named_text("start")? {
        Some(start) => start,
        None => state.target.manifest.comments.clone().unwrap_or_default(),
    };
    let end = arguments.named_text("end")?.unwrap_or_default();
    let wanted = arguments.named_text("where")?.unwrap_or_else(|| "above".to_owned());
    let of = arguments.named_text("of")?.unwrap_or_default();
    let lines = state.comments(span, |comments| match wanted.as_str() {
        "above" => Some(comments.take_above(span)),
        "beside" => Some(comments.take_beside(span).into_iter().collect()),
        "inside" => Some(comments.take_inside(span)),
        "item" => Some(comments.take_item(span)),
        "head" => Some(comments.take_head()),
        "section" => Some(comments.take_sections(|section| section == of)),
        "rest" => Some(comments.take_rest()),
        _ => None,
    });
    let Some(lines) = lines else {
        return Err(
            format!("`where` is `above`, `beside`, `inside`, `item`, `head`, `section` or `rest`, not `{wanted}`").into()
        );
    };
    let lines = lines.iter().map(|line| format!("{start}{line}{end}").trim_end().to_owned());
    Ok(lines.collect::<Vec<_>>().join("\n").into())
}

/// A map of the given fields.
pub(super) fn map<const N: usize>(fields: [(&str, Json); N]) -> Map<String, Json> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
