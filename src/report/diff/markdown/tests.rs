use super::limits::MAX_COMMENT;
use super::page::units;
use super::*;
use crate::report::diff::TemplateComparison;
use crate::report::diff::sample::sample;
use heat_engine::eval::Value;
use hotplate_diff::{
    CauseChain, ChangeReason, Comparison, DefinitionPart, DisplayValue, Impact, MatchReason, Pair,
    Places, Propagation, RenameLink, ResourceChange, UpdateRule,
};
use source_diagnostics::MaskedSources;

#[test]
fn a_comment() {
    let (sample, options) = (sample(), DiffReportOptions::default());
    let report = Report::pair(&sample.compared(), &options);
    insta::assert_snapshot!(to_markdown(&report, &options));
}

/// The elements that are still open at the end of a page: fences and `details`.
fn open(page: &str) -> (usize, usize) {
    let (mut fence, mut details) = (String::new(), 0);
    for line in page.lines() {
        let start = line.trim_start();
        let ticks: String = start.chars().take_while(|c| *c == '`').collect();
        if !fence.is_empty() {
            if start == fence {
                fence.clear();
            }
        } else if start.ends_with("diff") && ticks.len() > 2 {
            fence = ticks;
        } else {
            details += line.matches("<details>").count();
            details -= line.matches("</details>").count();
        }
    }
    (fence.len(), details)
}

fn huge(count: usize, text: &str) -> Comparison {
    let resource = |index: usize| {
        let name = format!("{index}{text}");
        let impact = Impact::ALL[index % Impact::ALL.len()];
        let value = |end: &str| DisplayValue::Value(Value::text(format!("{text}\n{text}{end}")));
        ResourceChange {
            name: name.clone(),
            kind: Pair { old: Some(text.to_owned()), new: Some(name.clone()) },
            places: Places::default(),
            impact,
            effective_impact: impact,
            if_different: None,
            reasons: vec![ChangeReason {
                part: DefinitionPart::Property(text.to_owned()),
                impact,
                rule: UpdateRule::PluginRule { rule: text.to_owned() },
                value: Pair { old: value("1"), new: value("2") },
                places: Places::default(),
                changes: Vec::new(),
            }],
            unread: Vec::new(),
            propagations: vec![Propagation {
                source: text.to_owned(),
                source_impact: impact,
                attribute: None,
                is_certain: true,
                part: DefinitionPart::Metadata,
                impact,
                if_different: impact,
                chain: CauseChain { names: vec![text.to_owned(); 3], omitted: 4 },
                place: None,
            }],
            rename: Some(RenameLink::NewName(text.to_owned(), MatchReason::Equal)),
            hazards: Vec::new(),
            machine_effects: Vec::new(),
            suppressions: Vec::new(),
            depends_on: Vec::new(),
            is_stack: false,
            role: hotplate_diff::ResourceRole::Other,
            noun: "resource",
            data: None,
        }
    };
    Comparison { resources: (0..count).map(resource).collect(), ..Comparison::default() }
}

#[test]
fn a_comment_is_never_too_long_and_never_cut_inside_something() {
    let odd = "`|<details>\n```\n@all 🎉 </details>";
    let (sources, options) = (MaskedSources::default(), DiffReportOptions::default());
    for (count, text) in [
        (3, odd.repeat(4_000)),
        (1_500, odd.to_owned()),
        (200, odd.repeat(30)),
        (60, "line\n".repeat(300)),
        (600, "🎉".repeat(300)),
    ] {
        let comparison = huge(count, &text);
        let compared = TemplateComparison {
            old: Some(&text),
            new: Some("new.yaml"),
            versions: Pair::default(),
            deployment: None,
            evidence: None,
            deployment_status: crate::report::diff::DeploymentStatus::Existing,
            unknown_parameters: &[],
            comparison: Some(&comparison),
            findings: &[],
            is_rewritten: false,
            texts: None,
            sources: &sources,
        };
        let pair = to_markdown(&Report::pair(&compared, &options), &options);
        let all = vec![compared; 3];
        let set = to_markdown(&Report::set(&all, &[], &options), &options);
        for page in [pair, set] {
            assert!(units(&page) <= MAX_COMMENT, "{}", units(&page));
            assert_eq!(open(&page), (0, 0), "{count}");
            assert!(page.starts_with("<!-- hotplate diff -->\n"));
            assert!(page.contains("refused"), "the worst is there");
        }
    }
    let many = huge(1_500, "x");
    let compared = TemplateComparison {
        old: None,
        new: None,
        versions: Pair::default(),
        deployment: None,
        evidence: None,
        deployment_status: crate::report::diff::DeploymentStatus::Existing,
        unknown_parameters: &[],
        comparison: Some(&many),
        findings: &[],
        is_rewritten: false,
        texts: None,
        sources: &sources,
    };
    let page = to_markdown(&Report::pair(&compared, &options), &options);
    assert!(page.contains("Omitted because"), "{page}");
    assert!(units(&page) > MAX_COMMENT / 2, "room is used");
}

#[test]
fn nothing_needs_few_words() {
    let (mut sample, options) = (sample(), DiffReportOptions::default());
    sample.comparison = Comparison::default();
    sample.findings.clear();
    let report = Report::pair(&sample.compared(), &options);
    insta::assert_snapshot!(to_markdown(&report, &options), @r#"
    <!-- hotplate diff -->

    ### `old.yaml` → `new.yaml`

    No differences: it is the same to Heat in version 2021-04-16 as in rocky.
    "#);
    let report = Report::set(&[sample.compared()], &[], &options);
    insta::assert_snapshot!(to_markdown(&report, &options), @r#"
    <!-- hotplate diff -->

    **no differences** in 1 template
    "#);
}
