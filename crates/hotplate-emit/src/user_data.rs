//! The facts of a template about the text that a server boots with.

use heat_engine::eval::{PartialEvaluator, Value};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

/// The property of a server that says what Heat makes of the text.
pub(super) const FORMAT: &str = "user_data_format";

/// Files that a script can only find if Heat wraps it: the log of Heat's boot script, and a folder of old tools.
pub(super) const TRACES_OF_WRAPPING: [&str; 2] = ["heat-provision", "cloud/data"];

/// Tools of Heat in a script that AWS does not have either.
pub(super) const TRACES_OF_HEAT: [&str; 3] = ["heat-cfntools", "heat-provision", "cloud/data"];

/// The format, if it is known: of the properties of a server of Nova.
pub(super) fn format(properties: &Expr, evaluator: &PartialEvaluator<'_>) -> Option<String> {
    match properties.member(FORMAT) {
        Some(format) => match evaluator.constant(format)?.reveal().0 {
            Value::Text(format) => Some(format.to_string()),
            _ => None,
        },
        None => Some("HEAT_CFNTOOLS".to_owned()),
    }
}

/// Whether a text is a script, whatever its unknown parts are.
pub(super) fn starts_with_shebang(text: &Expr, evaluator: &PartialEvaluator<'_>) -> bool {
    if let Some(Value::Text(text)) = evaluator.constant(text).map(|value| value.reveal().0) {
        return text.starts_with("#!");
    }
    match &text.kind {
        ExprKind::Replace(call) => starts_with_shebang(&call.template, evaluator),
        ExprKind::Join(call) => match call.lists.first().map(|list| &list.kind) {
            Some(ExprKind::List(items)) => {
                items.first().is_some_and(|first| starts_with_shebang(first, evaluator))
            }
            Some(_) | None => false,
        },
        _ => false,
    }
}

/// Whether a text is a script without any of these words.
pub(super) fn is_script_without(
    text: &Expr,
    words: &[&str],
    evaluator: &PartialEvaluator<'_>,
) -> bool {
    starts_with_shebang(text, evaluator) && !may_contain(text, words, evaluator)
}

/// Whether a text contains any of these words, or a file that is unknown.
pub(super) fn may_contain(text: &Expr, words: &[&str], evaluator: &PartialEvaluator<'_>) -> bool {
    let has_any = |text: &str| words.iter().any(|word| text.contains(word));
    let mut found = false;
    text.walk(&mut |part| {
        found |= match &part.kind {
            ExprKind::Text(text) => has_any(text),
            ExprKind::File(_) => match evaluator.constant(part).map(|value| value.reveal().0) {
                Some(Value::Text(text)) => has_any(&text),
                _ => true,
            },
            _ => false,
        };
    });
    found
}

/// The literal part of a text or of data that contains a word.
pub(super) fn place_of(word: &str, text: &Expr) -> Option<Span> {
    let mut found = None;
    text.walk(&mut |part| {
        if let ExprKind::Text(text) = &part.kind
            && found.is_none()
            && text.contains(word)
        {
            found = Some(part.span);
        }
    });
    found
}
