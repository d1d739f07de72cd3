//! Checks the partials that templates name: all must exist, and none may refer to itself, since
//! handlebars would never stop expanding it. `include` may recurse, up to a limit.

use std::collections::BTreeMap;

use handlebars::template::{Parameter, TemplateElement};
use handlebars::{Path, Template};

/// An error about a partial, and the template that names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PartialError {
    pub(super) template: String,
    /// The name of the partial, to find its place in the template.
    pub(super) partial: String,
    pub(super) message: String,
}

/// Checks all templates of a target.
pub(super) fn check<'t>(
    templates: impl Iterator<Item = (&'t String, &'t Template)>,
) -> Vec<PartialError> {
    let mut named: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, template) in templates {
        let mut names = PartialNames::default();
        names.of(template);
        for partial in names.computed {
            wrong.push(PartialError {
                template: name.clone(),
                message: "the name of a partial must not be computed; use `include`".to_owned(),
                partial,
            });
        }
        for partial in names.given {
            wrong.push(PartialError {
                template: name.clone(),
                message: "a partial does not accept values of its own; use `include`".to_owned(),
                partial,
            });
        }
        if let Some(inline) = names.inline.into_iter().next() {
            wrong.push(PartialError {
                template: name.clone(),
                message: "inline partials are not supported; use a separate file".to_owned(),
                partial: inline,
            });
        }
        named.insert(name, names.partials);
    }
    for (name, partials) in &named {
        for partial in partials {
            if partial == "@partial-block" {
                continue;
            }
            let message = if !named.contains_key(partial.as_str()) {
                let near = source_diagnostics::did_you_mean(partial, named.keys().copied());
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                format!("the folder has no template `{partial}.hbs`{near}")
            } else if leads_to(&named, partial, name) {
                format!(
                    "the partial `{partial}` refers back to `{name}`; use `include` for recursion"
                )
            } else {
                continue;
            };
            let (template, partial) = ((*name).to_owned(), partial.clone());
            wrong.push(PartialError { template, partial, message });
        }
    }
    wrong
}

/// Whether a partial refers to another, directly or not.
fn leads_to(named: &BTreeMap<&str, Vec<String>>, from: &str, to: &str) -> bool {
    let mut seen = vec![from];
    let mut at = 0;
    while let Some(name) = seen.get(at).copied() {
        if name == to {
            return true;
        }
        for next in named.get(name).into_iter().flatten() {
            if !seen.contains(&next.as_str()) {
                seen.push(next);
            }
        }
        at += 1;
    }
    false
}

#[derive(Default)]
struct PartialNames {
    partials: Vec<String>,
    computed: Vec<String>,
    /// Partials with values of their own: in them handlebars treats a missing field as empty.
    given: Vec<String>,
    inline: Vec<String>,
}

impl PartialNames {
    fn of(&mut self, template: &Template) {
        for element in &template.elements {
            match element {
                TemplateElement::PartialExpression(partial)
                | TemplateElement::PartialBlock(partial) => {
                    match &partial.name {
                        Parameter::Name(name) => self.partials.push(name.clone()),
                        Parameter::Path(Path::Relative((_, raw)) | Path::Local((_, _, raw))) => {
                            self.partials.push(raw.clone());
                        }
                        Parameter::Literal(name) => {
                            self.partials.push(name.as_str().unwrap_or_default().to_owned());
                        }
                        _ => self.computed.push(String::new()),
                    }
                    if !(partial.params.is_empty() && partial.hash.is_empty()) {
                        self.given.extend(self.partials.last().cloned());
                    }
                    self.inner(partial.template.as_ref());
                }
                TemplateElement::HelperBlock(helper) => {
                    self.inner(helper.template.as_ref());
                    self.inner(helper.inverse.as_ref());
                }
                TemplateElement::DecoratorExpression(decorator)
                | TemplateElement::DecoratorBlock(decorator) => {
                    self.inline.push("inline".to_owned());
                    self.inner(decorator.template.as_ref());
                }
                _ => {}
            }
        }
    }

    fn inner(&mut self, template: Option<&Template>) {
        if let Some(template) = template {
            self.of(template);
        }
    }
}
