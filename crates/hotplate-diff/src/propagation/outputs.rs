//! Effects of changes of resources on the outputs of the deployment's own stack.

use smol_str::SmolStr;

use super::{Origin, Propagator};
use crate::comparison::OutputPropagation;
use crate::dataflow::ROOT;
use source_diagnostics::Span;

/// The causes of a changed output, first causes first.
pub(crate) struct OutputEffects {
    pub(crate) name: SmolStr,
    pub(crate) propagations: Vec<OutputPropagation>,
}

impl Propagator<'_, '_> {
    /// An output changes or may change. For the same cause only the more certain effect is kept.
    pub(super) fn reach_output(
        &mut self,
        name: &SmolStr,
        is_certain: bool,
        origin: &Origin,
        span: Option<Span>,
    ) {
        let Origin { cause, path, .. } = origin;
        let propagation = OutputPropagation {
            source: cause.name.clone(),
            source_impact: cause.impact,
            attribute: cause.attribute.as_ref().map(ToString::to_string),
            is_certain,
            chain: self.paths.chain(*path),
            place: span,
        };
        let found = self.outputs.entry(name.clone()).or_default();
        match found.iter_mut().find(|it| it.source == propagation.source) {
            Some(before) if is_certain && !before.is_certain => *before = propagation,
            Some(_) => {}
            None => found.push(propagation),
        }
    }

    /// The effects on outputs, in the order of the new template.
    pub(super) fn output_effects(&mut self) -> Vec<OutputEffects> {
        let names = self.flows.new.stack(ROOT).stack.outputs.keys();
        let found = names.filter_map(|name| {
            let (name, mut propagations) = self.outputs.remove_entry(name.as_str())?;
            propagations.sort_by_key(|it| (it.source_impact, !it.is_certain));
            Some(OutputEffects { name, propagations })
        });
        found.collect()
    }
}
