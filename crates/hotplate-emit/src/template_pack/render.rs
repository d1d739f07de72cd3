//! Renders the templates of a target.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{io, thread};

use handlebars::{Context as Data, Handlebars, RenderError, RenderErrorReason};
use serde_json::Value as Json;

use super::context::{self, PackContext};
use super::files::TEMPLATE;
use super::load::{empty_registry, expression_span, plain_message};
use super::manifest::{OutputEach, TemplateSection};
use super::state::RenderState;
use super::{TemplatePack, helpers};
use crate::{EmitOutput, EmittedFile, Loss, LossKind, Losses, RenderModel};
use source_diagnostics::{Diagnostic, Span, did_you_mean};

/// The maximum size of a file that a template writes, in bytes.
const MAX_FILE_BYTES: usize = 256 << 20;
/// The stack size of a rendering thread, in bytes: templates that include each other exceed the default.
const RENDER_STACK_BYTES: usize = 256 << 20;
/// The start of the name under which the template of an output's path is registered.
const PATH: &str = "path of output ";

/// Renders a deployment in a thread with a larger stack.
pub(super) fn render(
    target: &TemplatePack,
    model: &RenderModel<'_>,
) -> Result<EmitOutput, Box<Diagnostic>> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(RENDER_STACK_BYTES);
        let thread = builder.spawn_scoped(scope, || render_here(target, model));
        let thread = thread.map_err(|error| {
            Box::new(Diagnostic::new(crate::codes::TARGET_TEMPLATE, format!("no thread: {error}")))
        })?;
        thread.join().unwrap_or_else(|_| {
            Err(Box::new(Diagnostic::new(
                crate::codes::TARGET_TEMPLATE,
                "the rendering was aborted",
            )))
        })
    })
}

/// The context of a deployment, as JSON.
pub(super) fn context_of(
    target: &TemplatePack,
    model: &RenderModel<'_>,
    losses: &mut Losses,
) -> Result<Json, Box<Diagnostic>> {
    let context = context::build(target, model, losses).and_then(|mut context: PackContext<'_>| {
        // Move the templates instead of copying them, since they are most of the context.
        let unit = std::mem::take(&mut context.unit);
        let units = std::mem::take(&mut context.units);
        let mut data = serde_json::to_value(context)?;
        if let Json::Object(fields) = &mut data {
            fields.insert("unit".to_owned(), unit);
            fields.insert("units".to_owned(), Json::Array(units));
        }
        Ok(data)
    });
    context.map_err(|error| {
        Box::new(Diagnostic::new(crate::codes::TARGET_TEMPLATE, error.to_string()))
    })
}

fn render_here(
    target: &TemplatePack,
    model: &RenderModel<'_>,
) -> Result<EmitOutput, Box<Diagnostic>> {
    let mut losses = Losses::default();
    let mut context = Data::from(context_of(target, model, &mut losses)?);
    sections(target, model, &mut losses);
    let state = Arc::new(RenderState::new(target, model, losses));
    let mut registry = empty_registry();
    helpers::register(&mut registry, &state);
    let templates = target.texts.templates();
    for (name, text) in templates {
        if let Err(error) = registry.register_template_string(name, &*text.text) {
            return Err(Box::new(Diagnostic::new(
                crate::codes::TARGET_TEMPLATE,
                error.to_string(),
            )));
        }
    }
    let mut files: Vec<EmittedFile> = Vec::new();
    for (index, output) in target.manifest.outputs.iter().enumerate() {
        let outlet = &target.outlets[index];
        let path_template = format!("{PATH}{index}");
        if let Some(path) = &output.path
            && let Err(error) = registry.register_template_string(&path_template, path)
        {
            let message = error.reason().to_string();
            return Err(Box::new(
                Diagnostic::new(crate::codes::TARGET_TEMPLATE, message).at(outlet.path_span),
            ));
        }
        let units = match output.each {
            None => 1,
            Some(OutputEach::Unit) => model.modules.len(),
        };
        for unit in 0..units {
            select_module(&mut context, unit);
            let path = match &output.path {
                None => None,
                Some(_) => {
                    let path = write(&registry, &path_template, &context);
                    let path =
                        path.map_err(|error| render_error(target, &registry, &error, index))?;
                    Some(relative(&path, outlet.path_span)?)
                }
            };
            if let Some(twice) = &path
                && files.iter().any(|file| file.path.as_ref() == Some(twice))
            {
                let message = format!("two outputs have the same path `{}`", twice.display());
                let finding =
                    Diagnostic::new(crate::codes::TARGET_TEMPLATE, message).at(outlet.path_span);
                return Err(Box::new(finding));
            }
            let text = write(&registry, &outlet.template, &context);
            let text = text.map_err(|error| render_error(target, &registry, &error, index))?;
            files.push(EmittedFile { path, text });
        }
    }
    let losses = state.losses(target.manifest.view.is_none());
    Ok(EmitOutput { files, losses, ..EmitOutput::default() })
}

/// Selects the template that a file is about.
fn select_module(context: &mut Data, index: usize) {
    let data = context.data();
    let there = data.pointer("/unit/name");
    if data.pointer(&format!("/units/{index}/name")) == there {
        return;
    }
    let unit = data.pointer(&format!("/units/{index}")).cloned();
    if let (Some(unit), Json::Object(map)) = (unit, context.data_mut()) {
        map.insert("unit".to_owned(), unit);
    }
}

/// Reports the sections of the template that the target does not write.
fn sections(target: &TemplatePack, model: &RenderModel<'_>, losses: &mut Losses) {
    let (None, Some(written)) = (&target.manifest.view, &target.manifest.sections) else { return };
    for unit in &model.modules {
        let stack = &unit.stack;
        let groups = stack.groups.first().map(|group| group.value.span);
        let there = [
            (
                TemplateSection::Description,
                "description",
                stack.description.as_ref().map(|it| it.span),
            ),
            (
                TemplateSection::Parameters,
                "parameters",
                stack.parameters.values().next().map(|it| it.name_span),
            ),
            (TemplateSection::ParameterGroups, "parameter_groups", groups),
            (
                TemplateSection::Conditions,
                "conditions",
                stack.conditions.values().next().map(|it| it.name_span),
            ),
            (
                TemplateSection::Resources,
                "resources",
                stack.resources.values().next().map(|it| it.name_span),
            ),
            (
                TemplateSection::Outputs,
                "outputs",
                stack.outputs.values().next().map(|it| it.name_span),
            ),
        ];
        for (section, name, span) in there {
            if let Some(span) = span
                && !written.contains(&section)
            {
                let message = format!("{} does not write `{name}`", target.manifest.name);
                losses.add(Loss::new(LossKind::Section, name, message, span));
            }
        }
    }
}

/// A buffer that fails when it exceeds the size limit.
#[derive(Default)]
struct BoundedText(Vec<u8>);

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_FILE_BYTES {
            let message = format!("the file would be larger than {MAX_FILE_BYTES} bytes");
            return Err(io::Error::other(message));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write(registry: &Handlebars<'_>, name: &str, context: &Data) -> Result<String, RenderError> {
    let mut out = BoundedText::default();
    registry.render_with_context_to_write(name, context, &mut out)?;
    Ok(String::from_utf8(out.0)?)
}

/// Checks that a path stays inside the folder that the user chose.
fn relative(path: &str, span: Span) -> Result<PathBuf, Box<Diagnostic>> {
    let relative = Path::new(path);
    let stays = !path.is_empty()
        && relative.components().all(|part| matches!(part, Component::Normal(_)))
        && !path.contains('\\');
    match stays {
        true => Ok(relative.to_owned()),
        false => {
            let message = format!("`{path}` is not a relative path inside the output folder");
            Err(Box::new(Diagnostic::new(crate::codes::TARGET_TEMPLATE, message).at(span)))
        }
    }
}

/// The finding for an error in a template, at its place.
fn render_error(
    target: &TemplatePack,
    registry: &Handlebars<'_>,
    error: &RenderError,
    output: usize,
) -> Box<Diagnostic> {
    let mut help = None;
    let message = match error.reason() {
        RenderErrorReason::MissingVariable(Some(path)) => {
            help =
                Some("`hotplate targets context TEMPLATE` prints the available fields".to_owned());
            format!("unknown field `{path}`")
        }
        RenderErrorReason::MissingVariable(None) => "unknown field".to_owned(),
        RenderErrorReason::HelperNotFound(name) => {
            let known = ["if", "unless", "each", "with", "lookup"].into_iter();
            let known = known.chain(helpers::helpers().map(|helper| helper.name));
            help = did_you_mean(name, known).map(|near| format!("did you mean `{near}`?"));
            format!("unknown helper `{name}`")
        }
        RenderErrorReason::Other(message) => message.clone(),
        RenderErrorReason::IOError(error) => error.to_string(),
        reason => plain_message(&reason.to_string()),
    };
    let mut finding = Diagnostic::new(crate::codes::TARGET_TEMPLATE, message);
    finding.help.extend(help);
    let outlet = &target.outlets[output];
    let name = error.template_name.as_deref().unwrap_or(&outlet.template);
    if name.starts_with(PATH) || !registry.has_template(name) {
        return Box::new(finding.at(outlet.path_span));
    }
    match (target.texts.get(&format!("{name}{TEMPLATE}")), error.line_no) {
        (Some(text), line) => {
            let (line, column) = (line.unwrap_or(1), error.column_no.unwrap_or(1));
            Box::new(finding.at(expression_span(text, line, column)))
        }
        (None, _) => Box::new(finding),
    }
}
