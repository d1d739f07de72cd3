//! What a template tells of the target: losses, comments, its tables, other templates of its.

use serde_json::{Map, Value as Json, json};

use super::super::state::RenderState;
use super::{Arguments, HelperError, HelperFunction, HelperValue, PackHelper};
use crate::emit::{Loss, LossKind};
use source_diagnostics::Span;

pub(super) static HELPERS: &[PackHelper] = &[
    PackHelper {
        name: "include",
        usage: "include \"NAME\" CONTEXT [name=value …]",
        what: "Another template of the folder with a context of its own, `@root` included. It may \
               include itself, which a partial `{{> NAME}}` may not. The last line end is left out.",
        run: HelperFunction::Stateful(|state, arguments, registry| {
            let name = arguments.text(0)?;
            let mut context = arguments.value(1)?.clone();
            let named = arguments.all_named()?;
            if !named.is_empty() {
                let Json::Object(map) = &mut context else {
                    return Err("only a map can take further values".into());
                };
                for (name, value) in named {
                    map.insert(name.to_owned(), value.clone());
                }
            }
            state.render(registry, &name, context).map(Json::from)
        }),
    },
    PackHelper {
        name: "loss",
        usage: "loss kind=\"property\" subject=TEXT message=TEXT at=THING [owner=TEXT] [way_out=TEXT]",
        what: "Records what the target cannot say, and writes nothing. Kinds: `resource_type`, \
               `property`, `function`, `section`, `attribute`, `comment`, `value`. The thing is anything \
               of the context with a place.",
        run: HelperFunction::Stateful(|state, arguments, _| loss(state, arguments)),
    },
    PackHelper {
        name: "comments",
        usage: "comments THING where=\"above\" [start=TEXT] [end=TEXT]",
        what: "The comments of the template `above` a thing, `beside` it, `inside` it, or the `rest` of \
               its file, each line after the manifest's `comments`. Each comment is given once; those \
               that nothing asked for are a loss in the end.",
        run: HelperFunction::Stateful(|state, arguments, _| comments(state, arguments)),
    },
    PackHelper {
        name: "snippet",
        usage: "snippet THING",
        what: "The text of the template at the place of a thing.",
        run: HelperFunction::Stateful(|state, arguments, _| {
            let span = place(state, arguments.value(0)?)?;
            Ok(state.program.snippet(span).unwrap_or_default().into())
        }),
    },
    PackHelper {
        name: "mapping",
        usage: "mapping TYPE",
        what: "The row of the mapping table for a Heat type; `null` where there is none.",
        run: HelperFunction::Stateful(|state, arguments, _| {
            let name = arguments.text(0)?;
            let table = state.target.mapping.as_ref();
            Ok(match table.and_then(|table| table.types.get(&name)) {
                Some(row) => serde_json::to_value(row).map_err(|error| error.to_string())?,
                None => Json::Null,
            })
        }),
    },
];

/// The place of a part of the context.
fn place(state: &RenderState<'_>, thing: &Json) -> Result<Span, HelperError> {
    state.span_of(thing).ok_or_else(|| "that has no place in a template".into())
}

fn loss(state: &RenderState<'_>, arguments: &Arguments<'_, '_>) -> HelperValue {
    let wanted = |name: &str| -> Result<String, HelperError> {
        arguments.named_text(name)?.ok_or_else(|| format!("`{name}` is missing").into())
    };
    let kind = wanted("kind")?;
    let named = LossKind::ALL.into_iter().find(|it| json!(it) == *kind);
    let Some(kind) = named else { return Err(format!("there is no kind `{kind}`").into()) };
    let Some(at) = arguments.named("at")? else { return Err("`at` is missing".into()) };
    let mut loss = Loss::new(kind, wanted("subject")?, wanted("message")?, place(state, at)?);
    loss.owner = arguments.named_text("owner")?;
    loss.suggestion = arguments.named_text("way_out")?;
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
    let lines = state.comments(span, |comments| match wanted.as_str() {
        "above" => Some(comments.take_above(span)),
        "beside" => Some(comments.take_beside(span).into_iter().collect()),
        "inside" => Some(comments.take_inside(span)),
        "rest" => Some(comments.take_rest()),
        _ => None,
    });
    let Some(lines) = lines else {
        return Err(
            format!("comments are above, beside, inside or the rest, not `{wanted}`").into()
        );
    };
    let lines = lines.iter().map(|line| format!("{start}{line}{end}").trim_end().to_owned());
    Ok(lines.collect::<Vec<_>>().join("\n").into())
}

/// A map of a few fields.
pub(super) fn map<const N: usize>(fields: [(&str, Json); N]) -> Map<String, Json> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
