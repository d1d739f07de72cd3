use super::*;
use crate::report::diff::sample::sample;
use heat_engine::eval::Value;
use hotplate_diff::{DisplayValue, Impact, Pair};
use limits::{MAX_DETAILED, MAX_LISTED};

fn page(options: &DiffReportOptions) -> String {
    let sample = sample();
    to_html(&Report::pair(&sample.compared(), options), options)
}

#[test]
fn a_page() {
    let mut page =
        page(&DiffReportOptions::default()).replace(STYLE, "STYLE").replace(SCRIPT, "SCRIPT");
    // One line for each block, so that a change of the page is a small change of the snapshot.
    for block in [
        "<details",
        "<section",
        "<li",
        "<ul",
        "<ol",
        "<div",
        "<h1",
        "<h2",
        "<p",
        "<svg",
        "<a class=\"node",
    ] {
        page = page.replace(block, &format!("\n{block}"));
    }
    insta::assert_snapshot!("html", page);
}

#[test]
fn places_are_links_into_the_forge_if_it_is_known() {
    let sample = sample();
    let page = |base: Option<&str>| {
        let link_base = base.map(|base| base.parse().expect("an address"));
        let options = DiffReportOptions { link_base, ..DiffReportOptions::default() };
        let report = Report::set(&[sample.compared()], &[], &options);
        to_html(&report.with_inputs(crate::report::diff::sample::inputs()), &options)
    };
    assert!(!page(None).contains("href=\"http"));
    let linked = page(Some("https://git.example/{revision}/{path}?x=1&line={line}"));
    let address = |side: &str, file, line| {
        format!(
            "<a href=\"https://git.example/{}/{file}?x=1&amp;line={line}\" rel=\"noreferrer\">{file}:{line}</a>",
            side.repeat(20)
        )
    };
    assert!(linked.contains(&address("3f", "old.yaml", 9)), "{linked}");
    assert!(linked.contains(&address("8b", "new.yaml", 9)));
}

#[test]
fn links_to_entries_have_their_names_and_a_target() {
    let page = page(&DiffReportOptions::default());
    assert!(page.contains("<details class=\"item replace\" id=\"new.yaml:server\""));
    for link in page.split(" href=\"#").skip(1) {
        let id = link.split('"').next().expect("an id");
        assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let page = page(&DiffReportOptions::default());
    for loads in ["=\"http", "=\"//", " src=", "url(", "@import", "rel=\"stylesheet"] {
        assert!(!page.contains(loads), "{loads}");
    }
    assert_eq!(page.matches("<script").count(), 1);
    // An end tag inside would end the element early.
    assert!(!STYLE.contains("</") && !SCRIPT.contains("</"));
    // The page's own policy forbids style attributes.
    assert!(!page.contains(" style=") && !page.contains(" onclick="));
}

#[test]
fn what_templates_say_is_never_markup() {
    const EVIL: &str = "</style></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{script}}`--><svg onload=alert(1)>javascript:alert(1)";
    let mut sample = sample();
    let plain = page(&DiffReportOptions::default());
    let evil = || Pair {
        old: DisplayValue::Value(Value::text(EVIL)),
        new: DisplayValue::Value(Value::text(format!("{EVIL}\n{EVIL}"))),
    };
    for resource in &mut sample.comparison.resources {
        resource.name.push_str(EVIL);
        resource.kind = Pair { old: Some(EVIL.to_owned()), new: Some(format!("{EVIL}::2")) };
        for reason in &mut resource.reasons {
            reason.value = evil();
            reason.part = hotplate_diff::DefinitionPart::Property(EVIL.to_owned());
            reason.changes.iter_mut().for_each(|change| change.value = evil());
        }
        for propagation in &mut resource.propagations {
            propagation.source.push_str(EVIL);
            propagation.chain.names.push(EVIL.to_owned());
        }
        resource.depends_on.iter_mut().for_each(|name| name.push_str(EVIL));
    }
    for parameter in &mut sample.comparison.sections.parameters {
        parameter.name = EVIL.to_owned();
        parameter.affects.push(EVIL.to_owned());
    }
    for entry in sample
        .comparison
        .sections
        .outputs
        .iter_mut()
        .chain(&mut sample.comparison.sections.conditions)
    {
        entry.name = EVIL.to_owned();
        entry.value = evil();
    }
    for change in &mut sample.comparison.sections.environment {
        change.name = EVIL.to_owned();
        change.value = evil();
    }
    for change in &mut sample.comparison.sections.security {
        change.message = EVIL.to_owned();
    }
    for suppression in &mut sample.comparison.suppressions {
        suppression.reason = Some(EVIL.to_owned());
    }
    for finding in &mut sample.findings {
        finding.diagnostic.message = EVIL.to_owned();
        finding.diagnostic.help.push(EVIL.to_owned());
    }
    let compared = crate::report::diff::TemplateComparison {
        old: Some(EVIL),
        new: Some(EVIL),
        ..sample.compared()
    };
    let options =
        DiffReportOptions { explain_match: true, verbose: true, ..DiffReportOptions::default() };
    let page = to_html(&Report::pair(&compared, &options), &options);
    assert!(page.matches("&lt;/script&gt;").count() > 30);
    assert!(!page.contains("<img") && !page.contains("</style></script>"));
    assert!(!page.contains("\"'`"), "a quote that is not escaped");
    for tag in ["<script", "<style", "</script", "</style", "<!--", "-->"] {
        assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
    }
}

#[test]
fn every_impact_has_its_colour_and_its_filter() {
    for impact in Impact::ALL {
        let name = impact.name();
        assert_eq!(STYLE.matches(&format!("--{name}: #")).count(), 3, "light, dark, print: {name}");
        assert!(STYLE.contains(&format!(".{name} {{ --impact: var(--{name}); }}")), "{name}");
        if impact != Impact::None {
            let filter = format!("body:has(#f-{name}:not(:checked)) [data-impact=\"{name}\"]");
            assert!(STYLE.contains(&filter), "{name}");
        }
    }
    for role in overview::ROLES {
        let name = overview::role_words(role).0;
        let filter = format!("body:has(#r-{name}:not(:checked)) [data-role=\"{name}\"]");
        assert!(STYLE.contains(&filter), "{name}");
    }
}

#[test]
fn a_huge_comparison_has_a_page_of_bounded_size() {
    let mut sample = sample();
    let template = sample.comparison.resources[2].clone();
    let many = (0..20_000).map(|at| {
        let mut resource = template.clone();
        resource.name = format!("r{at}");
        resource.depends_on = vec![format!("r{}", at / 2)];
        resource
    });
    sample.comparison.resources = many.collect();
    let options = DiffReportOptions::default();
    let page = to_html(&Report::pair(&sample.compared(), &options), &options);
    assert!(page.len() < 8_000_000, "{}", page.len());
    assert_eq!(page.matches("<details class=\"item").count(), MAX_DETAILED);
    assert_eq!(page.matches("<div class=\"item replace\"").count(), MAX_LISTED);
    assert!(page.contains(&format!("and {} more resources", 20_000 - MAX_DETAILED - MAX_LISTED)));
    // The graph has a box for resources that are alike.
    assert!(page.matches("class=\"node ").count() < 100);
}
