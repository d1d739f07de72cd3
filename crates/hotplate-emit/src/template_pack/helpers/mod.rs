//! The helpers of a target's templates, besides handlebars' own `each`, `with` and `lookup`.

mod data;
pub(super) mod expression;
mod logic;
mod names;
mod quote;
mod target;
mod text;

use std::sync::{Arc, OnceLock};

use handlebars::{
    Context, Handlebars, HelperDef, PathAndJson, RenderContext, RenderError, RenderErrorReason,
    ScopedJson,
};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value as Json;

use super::state::RenderState;

/// A helper that templates can call.
pub struct PackHelper {
    /// The name that templates call it by.
    pub name: &'static str,
    run: HelperFunction,
}

/// The documentation of a helper, in `helpers.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelperDocs {
    /// The syntax of a call.
    pub usage: String,
    /// What a call returns, as a sentence of the page.
    pub what: String,
}

/// A helper's function, by the state that it needs.
enum HelperFunction {
    /// Needs only the arguments of the call.
    Plain(fn(&Arguments<'_, '_>) -> HelperValue),
    /// Needs the state of the rendering and the templates, too.
    Stateful(fn(&RenderState<'_>, &Arguments<'_, '_>, &Handlebars<'_>) -> HelperValue),
}

const fn plain(name: &'static str, run: fn(&Arguments<'_, '_>) -> HelperValue) -> PackHelper {
    PackHelper { name, run: HelperFunction::Plain(run) }
}

const fn stateful(
    name: &'static str,
    run: fn(&RenderState<'_>, &Arguments<'_, '_>, &Handlebars<'_>) -> HelperValue,
) -> PackHelper {
    PackHelper { name, run: HelperFunction::Stateful(run) }
}

type HelperValue = Result<Json, HelperError>;

/// Why a helper fails.
pub(super) enum HelperError {
    Message(String),
    /// An error in a template that the helper rendered.
    Render(RenderError),
}

impl<T: Into<String>> From<T> for HelperError {
    fn from(message: T) -> Self {
        HelperError::Message(message.into())
    }
}

/// The documentation of all helpers by their names, in its order.
pub fn helper_docs() -> &'static IndexMap<String, HelperDocs> {
    static READ: OnceLock<IndexMap<String, HelperDocs>> = OnceLock::new();
    READ.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
        crate::table_reader::read_embedded(include_str!("helpers.yaml"))
            .expect("the table has the layout of this file")
    })
}

/// The helpers that templates of a target can call, in the order of the page.
pub fn helpers() -> impl Iterator<Item = &'static PackHelper> {
    let rooms = [
        expression::HELPERS,
        target::HELPERS,
        names::HELPERS,
        quote::HELPERS,
        text::HELPERS,
        data::HELPERS,
        logic::HELPERS,
    ];
    rooms.into_iter().flatten()
}

pub(super) fn register<'p>(registry: &mut Handlebars<'p>, state: &Arc<RenderState<'p>>) {
    for helper in helpers() {
        let bound = BoundHelper { helper, state: Arc::clone(state) };
        registry.register_helper(helper.name, Box::new(bound));
    }
    registry.register_helper("if", Box::new(logic::IfHelper { positive: true }));
    registry.register_helper("unless", Box::new(logic::IfHelper { positive: false }));
}

struct BoundHelper<'p> {
    helper: &'static PackHelper,
    state: Arc<RenderState<'p>>,
}

impl HelperDef for BoundHelper<'_> {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        call: &handlebars::Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        if call.is_block() {
            let message =
                format!("`{0}` is not a block; write `{{{{#if ({0} …)}}}}`", self.helper.name);
            return Err(RenderErrorReason::Other(message).into());
        }
        let arguments = Arguments { call };
        let answer = match self.helper.run {
            HelperFunction::Plain(run) => run(&arguments),
            HelperFunction::Stateful(run) => run(&self.state, &arguments, registry),
        };
        answer.map(ScopedJson::Derived).map_err(|trouble| match trouble {
            HelperError::Message(what) => {
                RenderErrorReason::Other(format!("`{}`: {what}", self.helper.name)).into()
            }
            HelperError::Render(error) => error,
        })
    }
}

/// The arguments of a call.
pub(super) struct Arguments<'c, 'rc> {
    call: &'c handlebars::Helper<'rc>,
}

impl<'c> Arguments<'c, '_> {
    /// The number of positional arguments.
    fn len(&self) -> usize {
        self.call.params().len()
    }

    /// A positional argument, counted from 0; an error if it is missing or undefined.
    fn value(&self, index: usize) -> Result<&'c Json, HelperError> {
        match self.call.param(index) {
            Some(value) => require_present(value),
            None => Err(format!("argument {} is missing", index + 1).into()),
        }
    }

    /// A positional argument that is a string; numbers and booleans are converted to one.
    fn text(&self, index: usize) -> Result<String, HelperError> {
        as_text(self.value(index)?)
            .ok_or_else(|| format!("argument {} is not a string", index + 1).into())
    }

    /// A positional argument that is a list.
    fn list(&self, index: usize) -> Result<&'c [Json], HelperError> {
        match self.value(index)? {
            Json::Array(items) => Ok(items),
            _ => Err(format!("argument {} is not a list", index + 1).into()),
        }
    }

    /// A positional argument that is an integer.
    fn number(&self, index: usize) -> Result<usize, HelperError> {
        let number = self.value(index)?.as_u64().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| format!("argument {} is not an integer", index + 1).into())
    }

    fn named(&self, name: &str) -> Result<Option<&'c Json>, HelperError> {
        self.call.hash_get(name).map(require_present).transpose()
    }

    /// A named argument that is a string; `null` counts as absent.
    fn named_text(&self, name: &str) -> Result<Option<String>, HelperError> {
        match self.named(name)? {
            None | Some(Json::Null) => Ok(None),
            Some(value) => match as_text(value) {
                Some(text) => Ok(Some(text)),
                None => Err(format!("`{name}` is not a string").into()),
            },
        }
    }

    fn all_named(&self) -> Result<Vec<(&'c str, &'c Json)>, HelperError> {
        let named = self.call.hash().iter();
        named.map(|(name, value)| Ok((*name, require_present(value)?))).collect()
    }
}

/// Returns a value, or an error if it is a missing field.
fn require_present<'c>(value: &'c PathAndJson<'_>) -> Result<&'c Json, HelperError> {
    match value.is_value_missing() {
        false => Ok(value.value()),
        true => Err(HelperError::Render(RenderError::strict_error(value.relative_path()))),
    }
}

fn as_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Bool(value) => Some(value.to_string()),
        Json::Number(value) => Some(value.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_helper_has_its_documentation_and_no_other() {
        let names: Vec<&str> = helpers().map(|helper| helper.name).collect();
        assert_eq!(helper_docs().keys().collect::<Vec<_>>(), names);
    }
}
