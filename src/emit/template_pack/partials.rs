//! Which partials a template names: all must be there, and none may lead back to itself, since
//! handlebars would follow them without an end. `include` may, and has a bound.

use std::collections::BTreeMap;

use handlebars::template::{Parameter, TemplateElement};
use handlebars::{Path, Template};

/// What is wrong with a partial, and the template that names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PartialError {
    pub(super) template: String,
    /// The partial, for finding its place.
    pub(super) partial: String,
    pub(super) message: String,
}

/// Looks at all templates of a target.
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
                message: "the name of a partial is computed; `include` takes such names".to_owned(),
                partial,
            });
        }
        for partial in names.given {
            wrong.push(PartialError {
                template: name.clone(),
                message: "a partial takes no values of its own; `include` does".to_owned(),
                partial,
            });
        }
        if let Some(inline) = names.inline.into_iter().next() {
            wrong.push(PartialError {
                template: name.clone(),
                message: "templates inside of templates are not taken; use a file".to_owned(),
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
                format!("there is no template `{partial}.hbs`{near}")
            } else if leads_to(&named, partial, name) {
                format!("the partial `{partial}` leads back to `{name}`; `include` may do so")
            } else {
                continue;
            };
            let (template, partial) = ((*name).to_owned(), partial.clone());
            wrong.push(PartialError { template, partial, message });
        }
    }
    wrong
}

/// Whether a partial names another, itself or by those that it names.
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
    /// Partials that are given values: handlebars takes a missing field for nothing there.
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
