//! The order of a target that writes a template after those that it uses.

use std::collections::BTreeSet;

use crate::{ModuleId, RenderModel, ResourceImplementation};

/// All templates, nested ones first, so that what is known of a finished template is at hand where one uses it. A
/// template that contains itself comes once, and is not finished where it uses itself.
pub(crate) fn nested_templates_first(model: &RenderModel<'_>) -> Vec<ModuleId> {
    fn visit(
        model: &RenderModel<'_>,
        id: ModuleId,
        seen: &mut BTreeSet<usize>,
        found: &mut Vec<ModuleId>,
    ) {
        if !seen.insert(id.0) {
            return;
        }
        for implementation in model.module(id).implementations.values() {
            let mut inner = Some(implementation);
            while let Some(ResourceImplementation::Group { member, .. }) = inner {
                inner = member.as_deref();
            }
            if let Some(ResourceImplementation::Template(nested)) = inner {
                visit(model, *nested, seen, found);
            }
        }
        found.push(id);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for at in 0..model.modules.len() {
        visit(model, ModuleId(at), &mut seen, &mut found);
    }
    found
}
