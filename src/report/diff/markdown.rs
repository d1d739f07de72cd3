//! The report as the comment of a pull request: a table first, details collapsed, never longer than
//! GitHub lets a comment be.

mod alarms;
mod details;
mod escape;
mod limits;
mod marker;
mod page;
mod sections;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod values;

pub use marker::marker;

use super::model::{Report, Template};
use super::{Options, basis, words};
use escape::{cut, entities, name, sentence};
use limits::LONGEST_BASIS;
use page::{Page, Weight};

/// A report as Markdown.
pub fn to_markdown(report: &Report, options: &Options) -> String {
    let mut page = Page::default();
    page.must(format!("{}\n", marker(options.marker.as_deref())));
    match report {
        Report::Pair(template) => {
            page.must(format!("### {}\n", title(template)));
            page.template(template, options);
        }
        Report::Set(set) => {
            if let Some(nothing) = basis::nothing(report) {
                page.must(format!("{}.\n", sentence(&nothing)));
            } else {
                let (what, rest) = words::set_headline(set);
                page.must(format!("**{}**{rest}\n", sentence(&what)));
            }
            let (stacks, files): (Vec<_>, Vec<_>) =
                set.templates.iter().partition(|it| words::is_of_stack(it));
            for template in stacks {
                if words::differs(template)
                    || !template.compared
                    || words::findings(template).next().is_some()
                {
                    page.block(Weight::Title, "templates", format!("### {}\n", title(template)));
                    page.template(template, options);
                }
            }
            for template in files {
                page.file(template);
            }
        }
    }
    if let Some(compared) = basis::compared(report) {
        page.must(format!("<sub>{}</sub>\n", entities(&cut(&compared, LONGEST_BASIS))));
    }
    page.fit()
}

fn title(template: &Template) -> String {
    match (template.old.as_deref(), template.new.as_deref()) {
        (Some(old), Some(new)) if old != new => format!("{} → {}", name(old), name(new)),
        (Some(only), Some(_)) => name(only),
        (Some(old), None) => format!("{} (deleted)", name(old)),
        (None, Some(new)) => format!("{} (new)", name(new)),
        (None, None) => "hotplate diff".to_owned(),
    }
}
