//! What a page says, and its example.

use source_diagnostics::{Code, Diagnostic};

use crate::check::Group;

/// What a page says about a code beyond its title and its explanation.
#[derive(Clone, Copy, Debug)]
pub struct CheckPage {
    /// The code that the page is about.
    pub code: Code,
    /// What goes wrong if nobody acts on the finding.
    pub why: &'static str,
    /// What Heat does with such a template.
    pub heat: &'static str,
    /// The anchors of Heat's rules in `docs/heat.md`.
    pub rules: &'static [&'static str],
    /// A template with the problem, and without it.
    pub example: CheckExample,
}

/// A template that `check` reports exactly one finding about, and the corrected one, which has none.
#[derive(Clone, Copy, Debug)]
pub struct CheckExample {
    /// The arguments of `check` after the name of the template; empty for most.
    pub arguments: &'static str,
    /// Other files that the arguments or the template name, with their content.
    pub files: &'static [(&'static str, &'static str)],
    /// The template with the problem.
    pub template: &'static str,
    /// The line and the message of the finding: `3: the parameter …`.
    pub finding: &'static str,
    /// The corrected template.
    pub fixed: &'static str,
    /// Files with another content for the corrected template.
    pub fixed_files: &'static [(&'static str, &'static str)],
}

impl CheckPage {
    /// The group of the findings with this code.
    pub fn group(&self) -> Group {
        Group::of(&Diagnostic::new(self.code, ""))
    }
}

impl CheckExample {
    /// The name of the template in the example's command.
    pub const TEMPLATE: &'static str = "template.yaml";

    /// The arguments of `hotplate` for the example.
    pub fn command(&self) -> String {
        format!("check {} {}", Self::TEMPLATE, self.arguments).trim_end().to_owned()
    }

    /// The template with the problem and the other files, with their names.
    pub fn files(&self) -> Vec<(&'static str, &'static str)> {
        let template = std::iter::once((Self::TEMPLATE, self.template));
        template.chain(self.files.iter().copied()).collect()
    }

    /// The corrected template and the other files, with their names.
    pub fn fixed_files(&self) -> Vec<(&'static str, &'static str)> {
        let other = |(name, content): &(&'static str, &'static str)| {
            let fixed = self.fixed_files.iter().find(|(fixed, _)| fixed == name);
            (*name, fixed.map_or(*content, |(_, content)| *content))
        };
        let template = std::iter::once((Self::TEMPLATE, self.fixed));
        template.chain(self.files.iter().map(other)).collect()
    }

    /// The line and the message of the finding.
    pub fn line_and_message(&self) -> (u32, &'static str) {
        let (line, message) = self.finding.split_once(": ").unwrap_or_default();
        (line.parse().unwrap_or_default(), message)
    }
}
