//! The built-in targets that are folders.

use std::sync::{Arc, OnceLock};

use super::{InvalidPack, TemplatePack};
use crate::mapping::Mapping;
use crate::{EmitOutput, EmitRequest, Emitter, TargetSupport};
use source_diagnostics::Diagnostic;

/// A folder under `targets/` that is embedded in the program and parsed on first use.
pub struct BuiltInPack {
    name: &'static str,
    summary: &'static str,
    texts: &'static [(&'static str, &'static str)],
    pack: OnceLock<Result<TemplatePack, InvalidPack>>,
}

/// Embeds the files of a folder under `targets/`.
macro_rules! folder {
    ($name:literal, $summary:literal, [$($path:literal),* $(,)?]) => {
        BuiltInPack {
            name: $name,
            summary: $summary,
            texts: &[$((
                $path,
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/targets/", $name, "/", $path)),
            )),*],
            pack: OnceLock::new(),
        }
    };
}

/// `--target dot`
pub(crate) static DOT: BuiltInPack = folder!(
    "dot",
    "the dependency graph, for Graphviz",
    ["target.yaml", "graph.dot.hbs", "parts/stack.hbs", "parts/node.hbs"]
);

/// `--target mermaid`
pub(crate) static MERMAID: BuiltInPack = folder!(
    "mermaid",
    "the dependency graph, for Mermaid",
    ["target.yaml", "graph.mmd.hbs", "parts/stack.hbs", "parts/node.hbs"]
);

/// `--target markdown`
pub(crate) static MARKDOWN: BuiltInPack = folder!(
    "markdown",
    "a README page about the template: parameters, resources, outputs, graph",
    [
        "target.yaml",
        "page.md.hbs",
        "parts/parameter.hbs",
        "parts/about.hbs",
        "parts/constraint.hbs",
        "parts/bounds.hbs",
        "parts/resource.hbs",
        "parts/output.hbs",
        "parts/graph.hbs",
    ]
);

/// `--target shell`
pub(crate) static SHELL: BuiltInPack = folder!(
    "shell",
    "a Bash script that creates the resources with the openstack client",
    [
        "target.yaml",
        "mapping.yaml",
        "script.sh.hbs",
        "expressions/and.hbs",
        "expressions/attribute.hbs",
        "expressions/choose.hbs",
        "expressions/condition.hbs",
        "expressions/equals.hbs",
        "expressions/join.hbs",
        "expressions/lost.hbs",
        "expressions/not.hbs",
        "expressions/or.hbs",
        "expressions/parameter.hbs",
        "expressions/replace.hbs",
        "expressions/resource.hbs",
        "expressions/text.hbs",
        "parts/body.hbs",
        "parts/condition.hbs",
        "parts/create.hbs",
        "parts/either.hbs",
        "parts/gateway.hbs",
        "parts/given.hbs",
        "parts/id.hbs",
        "parts/known.hbs",
        "parts/name.hbs",
        "parts/options.hbs",
        "parts/ports.hbs",
        "parts/remote_group.hbs",
        "parts/resource.hbs",
        "parts/rule.hbs",
        "parts/rules.hbs",
        "parts/snat.hbs",
        "parts/value.hbs",
        "parts/with_property.hbs",
        "rules/association.hbs",
        "rules/attachment.hbs",
        "rules/create.hbs",
        "rules/each.hbs",
        "rules/file.hbs",
        "rules/flag.hbs",
        "rules/floating_ip.hbs",
        "rules/interface.hbs",
        "rules/keypair.hbs",
        "rules/name.hbs",
        "rules/option.hbs",
        "rules/pairs.hbs",
        "rules/positional.hbs",
        "rules/records.hbs",
        "rules/router.hbs",
        "rules/security_group.hbs",
        "rules/server.hbs",
        "rules/text.hbs",
        "rules/user_data_format.hbs",
        "rules/volume.hbs",
    ]
);

impl BuiltInPack {
    /// The parsed target. An error would be a bug of hotplate; a test checks that there is none.
    pub fn target(&self) -> Result<&TemplatePack, &InvalidPack> {
        let target = self
            .pack
            .get_or_init(|| TemplatePack::embedded(&format!("targets/{}", self.name), self.texts));
        target.as_ref()
    }
}

impl Emitter for BuiltInPack {
    fn name(&self) -> &str {
        self.name
    }

    fn summary(&self) -> &str {
        self.summary
    }

    fn view(&self) -> Option<&str> {
        self.target().ok()?.view()
    }

    fn mapping(&self) -> Option<&Mapping> {
        self.target().ok()?.mapping()
    }

    fn template_pack(&self) -> Option<&TemplatePack> {
        self.target().ok()
    }

    fn texts(&self) -> Vec<(String, Arc<str>)> {
        self.target().map_or_else(|broken| broken.texts.clone(), Emitter::texts)
    }

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        match self.target() {
            Ok(target) => target.type_support(name),
            Err(broken) => (None, TargetSupport::Unsupported(broken.to_string())),
        }
    }

    fn function_support(&self, function: &str) -> TargetSupport {
        match self.target() {
            Ok(target) => target.function_support(function),
            Err(broken) => TargetSupport::Unsupported(broken.to_string()),
        }
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        match self.target() {
            Ok(target) => target.emit(request),
            Err(broken) => {
                let first = broken.findings.first().cloned();
                Err(Box::new(first.unwrap_or_else(|| {
                    Diagnostic::new(crate::codes::TARGET_BROKEN, "the target cannot be used")
                })))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn built_in_folders_are_whole_and_complete() {
        for target in [&DOT, &MERMAID, &MARKDOWN] {
            let loaded = target.target().unwrap_or_else(|broken| panic!("{:?}", broken.findings));
            assert_eq!(loaded.name(), target.name);
            assert_eq!(loaded.summary(), target.summary);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("targets").join(target.name);
            let mut there = BTreeSet::new();
            let mut folders = vec![folder.clone()];
            while let Some(inner) = folders.pop() {
                for entry in std::fs::read_dir(inner).expect("a folder") {
                    let path = entry.expect("an entry").path();
                    let name = path.strip_prefix(&folder).expect("inside").to_owned();
                    match path.is_dir() {
                        true if name == Path::new("cases") => {}
                        true => folders.push(path),
                        false => {
                            there.insert(name.to_str().expect("text").to_owned());
                        }
                    }
                }
            }
            let built_in = target.texts.iter().map(|(path, _)| (*path).to_owned());
            assert_eq!(there, built_in.collect(), "{}", target.name);
        }
    }
}
