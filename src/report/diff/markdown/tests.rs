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
    insta::assert_snapshot!(to_markdown(&report, &options), @r#"
    <!-- hotplate diff -->

    ### `old.yaml` → `new.yaml`

    **update refused because of 1 immutable parameter, 1 refused, 1 server replaced, more access allowed, 1 other replaced, 1 may be replaced, 1 updated in place, 1 configuration deleted, 1 configuration created**; 1 updated without effect, 1 unchanged

    > ❗ `new.yaml:4:5`: **error[HP0702]** `A::B` is unknown (in 3 places)
    > help: ask the author

    | | impact | resource | type | why |
    |---|---|---|---|---|
    | ❗ | **refused** | `volume` | `OS::Cinder::Volume` | `size`: `10 → 20` |
    | ♻️ | **replace** | `server` | `OS::Nova::Server` | because `port` is replaced |
    | ♻️ | **replace** (allowed) | `port` | `OS::Neutron::Port` | `network`: `net-a → net-b` |
    | ❓ | **may-replace** | <code>group/0/a&#124;&#96;b&#96;&#60;i&#62;␛&#91;1m␊<!-- -->&#64;all</code> | `My::Type` | `metadata`: <code>&#40;fails&#58; no &#96;key&#96;&#41; → &#60;/details&#62;</code> |
    | ✏️ | **update** | `rules` | `OS::Neutron::SecurityGroup` | `rules[1].remote_ip_prefix`: `10.0.0.0/8 → 0.0.0.0/0 and 1 more` |
    | 🗑️ | **delete** | `web` | `OS::Heat::Value` | renamed: `web` → `frontend` |
    | ➕ | **create** | `frontend` | `OS::Heat::Value` | renamed: `web` → `frontend` |

    > ❗ Heat refuses this update: parameter `size` is immutable (`old.yaml:3 → new.yaml:3`)

    > 🔓 **widened** `rules`: tcp 22 from 0.0.0.0/0 is open now (`old.yaml:27 → new.yaml:27`)

    <details><summary>❗ <code>volume</code> is refused</summary>

    - `OS::Cinder::Volume` (`old.yaml:7 → new.yaml:7`)
    - `size`: **refused**, Heat refuses a change of `size` of OS::Cinder::Volume (Heat 27) (`old.yaml:9 → new.yaml:9`)
      - `10` → `20`

    </details>

    <details><summary>♻️ <code>server</code> is replaced</summary>

    - `OS::Nova::Server` (`old.yaml:14 → new.yaml:14`)
    - `user_data`: **replace**, changing `user_data` replaces the server (`user_data_update_policy`: REPLACE, the default) (`old.yaml:18 → new.yaml:18`)
      - lines:

        ```diff
        @@ -1,4 +1,4 @@
         #!/bin/sh
         echo one
        -echo two
        +echo 2
         echo three
        ```
    - `admin_pass`: **update**, updated in place
      - `******` (differs, hidden)
    - because `port` is replaced: `port` → `server` (by `networks`)

    </details>

    <details><summary>♻️ <code>port</code> is replaced</summary>

    - `OS::Neutron::Port` (`old.yaml:10 → new.yaml:10`)
    - allowed by `--allow OS::Neutron::Port:replace`
    - `network`: **replace**, `network` of OS::Neutron::Port cannot be updated in place (Heat 27) (`old.yaml:13 → new.yaml:13`)
      - `net-a` → `net-b`

    </details>

    <details><summary>❓ <code>group/0/a&#124;&#96;b&#96;&#60;i&#62;␛&#91;1m␊<!-- -->&#64;all</code> may be replaced</summary>

    - `My::Type`
    - `metadata`: **may-replace**, it is unknown whether the value changes
      - <code>&#40;fails&#58; no &#96;key&#96;&#41;</code> → <code>&#60;/details&#62;</code>

    </details>

    <details><summary>✏️ <code>rules</code> is updated in place</summary>

    - `OS::Neutron::SecurityGroup` (`old.yaml:23 → new.yaml:23`)
    - `rules`: **update**, updated in place (`old.yaml:27 → new.yaml:27`)
      - `rules[1].remote_ip_prefix`: `10.0.0.0/8` → `0.0.0.0/0`
      - `rules[0]`: \+ `{port_range_min: 80, remote_ip_prefix: 0.0.0.0/0}`

    </details>

    <details><summary>🗑️ <code>web</code> is deleted</summary>

    - `OS::Heat::Value` (`old.yaml:28`)
    - renamed: Heat deletes `web` and creates `frontend`
    - **delete**, in the old template only (`old.yaml:28`)

    </details>

    <details><summary>➕ <code>frontend</code> is created</summary>

    - `OS::Heat::Value` (`new.yaml:29`)
    - renamed: Heat deletes `web` and creates `frontend`
    - **create**, in the new template only (`new.yaml:29`)

    </details>

    <details><summary>parameters (2)</summary>

    - `size` changed, affects `volume` (`old.yaml:3 → new.yaml:3`)
      - `value`: `10` → `20`
    - `password` renamed from pass
      - `default`: `******` (differs, hidden)

    </details>

    <details><summary>conditions (1)</summary>

    - `is_big` changed, affects `volume`
      - `false` → `true`

    </details>

    <details><summary>outputs (1)</summary>

    - `url` removed
      - \- `http://a`

    </details>

    <details><summary>environment (1)</summary>

    - `registry My::Type` changed, affects `group/0/a`
      - `a.yaml` → `b.yaml`

    </details>

    <details><summary>unused suppressions (1)</summary>

    - `# hotplate: allow (agreed), new.yaml:23`

    </details>

    <details><summary>findings (2)</summary>

    - `new.yaml:1:1`: **warning[HP0105]** given twice
    - 1 warning on both sides, unchanged; 1 warning on the old side only

    </details>

    <details><summary>notes (2)</summary>

    - Heat refuses the whole update because of an immutable parameter: nothing changes
    - Heat identifies resources by name: a renamed one is deleted and created again

    </details>
    "#);
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

    No differences.
    "#);
    let report = Report::set(&[sample.compared()], &[], &options);
    insta::assert_snapshot!(to_markdown(&report, &options), @r#"
    <!-- hotplate diff -->

    **no differences** in 1 template
    "#);
}
