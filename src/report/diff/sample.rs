//! A handwritten comparison with everything that a report can show, for the tests of the formats.

use crate::report::diff::{InputRevision, InputSide, Inputs};
use heat_engine::eval::Value;
use hotplate_diff::{
    AccessChange, CauseChain, ChangeReason, Comparison, DefinitionPart, DisplayValue, EntryChange,
    EntryStatus, EnvironmentChange, EnvironmentKind, FileStatus, FindingSide, Impact, MatchReason,
    Pair, ParameterAspect, ParameterChange, ParameterDetail, PathStep, Places, Propagation,
    RenameLink, ResourceChange, ResourceRole, SectionChanges, SecurityChange, SecurityKind,
    SidedFinding, Suppression, SuppressionTarget, UpdateRule, ValueChange,
};
use source_diagnostics::{Diagnostic, MaskedSources, SourceId, Span};

const OLD: &str = include_str!("sample/old.yaml");
const NEW: &str = include_str!("sample/new.yaml");

/// A comparison with its sources.
pub(super) struct Sample {
    pub(super) sources: MaskedSources,
    pub(super) comparison: Comparison,
    pub(super) findings: Vec<SidedFinding>,
}

impl Sample {
    /// The sample as one pair of templates.
    pub(super) fn compared(&self) -> super::TemplateComparison<'_> {
        super::TemplateComparison {
            old: Some("old.yaml"),
            new: Some("new.yaml"),
            versions: Pair { old: Some("rocky"), new: Some("2021-04-16") },
            deployment: None,
            evidence: None,
            deployment_status: crate::report::diff::DeploymentStatus::Existing,
            unknown_parameters: &[],
            comparison: Some(&self.comparison),
            findings: &self.findings,
            is_rewritten: false,
            texts: None,
            sources: &self.sources,
        }
    }
}

/// The inputs of the sample's report.
pub(super) fn inputs() -> Inputs {
    let side = |name: &str, commit: &str| InputSide {
        revision: Some(InputRevision { name: name.to_owned(), commit: Some(commit.repeat(20)) }),
        folder: None,
        environments: vec!["env/<prod>.yaml".to_owned()],
        parameters: vec!["size".to_owned()],
    };
    Inputs {
        hotplate: "1.2.3".to_owned(),
        heat: hotplate_diff::HEAT.to_owned(),
        old: side("main...HEAD", "3f"),
        new: side("HEAD", "8b"),
        paths: Vec::new(),
        changed_files: Some(3),
        attrs: None,
        invented: false,
    }
}

fn shown(value: impl Into<Option<Value>>) -> DisplayValue {
    value.into().map_or(DisplayValue::Absent, DisplayValue::Value)
}

fn texts(old: &str, new: &str) -> Pair<DisplayValue> {
    Pair { old: shown(Value::text(old)), new: shown(Value::text(new)) }
}

fn at_root(value: Pair<DisplayValue>) -> Vec<ValueChange> {
    vec![ValueChange { value, ..ValueChange::default() }]
}

fn resource(name: &str, kind: &str, impact: Impact) -> ResourceChange {
    let role = ResourceRole::of(kind, false);
    let noun = match role {
        ResourceRole::Server => "server",
        ResourceRole::Data => "volume",
        ResourceRole::Configuration => "configuration",
        _ => "resource",
    };
    let kind = Some(kind.to_owned());
    ResourceChange {
        name: name.to_owned(),
        kind: Pair { old: kind.clone(), new: kind },
        impact,
        effective_impact: impact,
        role,
        noun,
        ..ResourceChange::default()
    }
}

/// Two revisions of a small template, with every kind of difference.
pub(super) fn sample() -> Sample {
    let mut sources = MaskedSources::default();
    let old = sources.add_public("old.yaml", OLD.into());
    let new = sources.add_public("new.yaml", NEW.into());
    let find = |source: SourceId, text: &str, needle: &str| {
        let start = text.find(needle)? as u32;
        Some(Span::new(source, start, start + needle.len() as u32))
    };
    let places =
        |one: &str, other: &str| Places { old: find(old, OLD, one), new: find(new, NEW, other) };
    let reason = |part: DefinitionPart, impact, why, value: Pair<DisplayValue>, places| {
        ChangeReason { part, impact, rule: why, changes: at_root(value.clone()), value, places }
    };
    let property = |name: &str| DefinitionPart::Property(name.to_owned());

    let mut volume = resource("volume", "OS::Cinder::Volume", Impact::Refused);
    volume.places = places("volume", "volume");
    volume.reasons.push(reason(
        property("size"),
        Impact::Refused,
        UpdateRule::Immutable {
            property: "size".to_owned(),
            kind: "OS::Cinder::Volume".to_owned(),
        },
        Pair { old: shown(Value::int(10)), new: shown(Value::int(20)) },
        places("10 }", "20 }"),
    ));

    let mut port = resource("port", "OS::Neutron::Port", Impact::Replace);
    port.places = places("port", "port");
    port.reasons.push(reason(
        property("network"),
        Impact::Replace,
        UpdateRule::NotUpdatable {
            property: "network".to_owned(),
            kind: "OS::Neutron::Port".to_owned(),
        },
        texts("net-a", "net-b"),
        places("net-a", "net-b"),
    ));
    port.suppressions.push(0);

    let mut server = resource("server", "OS::Nova::Server", Impact::Update);
    server.effective_impact = Impact::Replace;
    server.places = places("server", "server");
    server.depends_on.push("port".to_owned());
    let script = |two: &str| format!("#!/bin/sh\necho one\necho {two}\necho three\n");
    server.reasons.push(reason(
        property("user_data"),
        Impact::Replace,
        UpdateRule::Policy {
            property: "user_data".to_owned(),
            policy: "user_data_update_policy".to_owned(),
            value: "REPLACE".to_owned(),
            default: true,
        },
        texts(&script("two"), &script("2")),
        places("|\n", "|\n"),
    ));
    server.reasons.push(reason(
        property("admin_pass"),
        Impact::Update,
        UpdateRule::Updatable,
        Pair { old: shown(Value::Null.sealed(true)), new: shown(Value::Null.sealed(true)) },
        Places::default(),
    ));
    server.propagations.push(Propagation {
        source: "port".to_owned(),
        source_impact: Impact::Replace,
        attribute: None,
        is_certain: true,
        part: property("networks"),
        impact: Impact::Update,
        if_different: Impact::Update,
        chain: CauseChain { names: vec!["port".to_owned(), "server".to_owned()], omitted: 0 },
        place: find(new, NEW, "port }"),
    });

    let mut rules = resource("rules", "OS::Neutron::SecurityGroup", Impact::Update);
    rules.places = places("rules", "rules");
    let item = |one, other, by| PathStep::Item { at: Pair { old: one, new: other }, by };
    let ssh =
        MatchReason::Identity { keys: vec!["port_range_min".to_owned()], value: "22".to_owned() };
    let rule = |port, from: &str| {
        Value::map([("port_range_min", Value::int(port)), ("remote_ip_prefix", Value::text(from))])
    };
    rules.reasons.push(ChangeReason {
        part: property("rules"),
        impact: Impact::Update,
        rule: UpdateRule::Updatable,
        value: Pair {
            old: shown(Value::list(vec![rule(22, "10.0.0.0/8")])),
            new: shown(Value::list(vec![rule(80, "0.0.0.0/0"), rule(22, "0.0.0.0/0")])),
        },
        places: places("- { port", "- { port"),
        changes: vec![
            ValueChange {
                path: vec![
                    item(Some(0), Some(1), ssh),
                    PathStep::Key("remote_ip_prefix".to_owned()),
                ],
                value: texts("10.0.0.0/8", "0.0.0.0/0"),
                places: places("10.0.0.0/8", "0.0.0.0/0"),
                unresolved: false,
                files: Vec::new(),
                text: None,
            },
            ValueChange {
                path: vec![item(None, Some(0), MatchReason::Alone)],
                value: Pair { old: DisplayValue::Absent, new: shown(rule(80, "0.0.0.0/0")) },
                places: Places { old: None, new: find(new, NEW, "{ port_range_min: 80") },
                unresolved: false,
                files: Vec::new(),
                text: None,
            },
        ],
    });

    let mut web = resource("web", "OS::Heat::Value", Impact::Delete);
    web.kind.new = None;
    web.places = Places { old: find(old, OLD, "web"), new: None };
    web.rename = Some(RenameLink::NewName("frontend".to_owned(), MatchReason::Equal));
    web.reasons.push(reason(
        DefinitionPart::Resource,
        Impact::Delete,
        UpdateRule::Removed,
        Pair::default(),
        web.places,
    ));
    let mut frontend = resource("frontend", "OS::Heat::Value", Impact::Create);
    frontend.kind.old = None;
    frontend.places = Places { old: None, new: find(new, NEW, "frontend") };
    frontend.rename = Some(RenameLink::OldName("web".to_owned(), MatchReason::Equal));
    frontend.reasons.push(reason(
        DefinitionPart::Resource,
        Impact::Create,
        UpdateRule::Added,
        Pair::default(),
        frontend.places,
    ));

    let mut odd = resource("group/0/a|`b`<i>\u{1b}[1m\n@all", "My::Type", Impact::MayReplace);
    odd.reasons.push(ChangeReason {
        part: DefinitionPart::Metadata,
        impact: Impact::MayReplace,
        rule: UpdateRule::Unresolved,
        value: Pair {
            old: DisplayValue::Failed("no `key`".to_owned()),
            new: shown(Value::text("</details>")),
        },
        places: Places::default(),
        changes: Vec::new(),
    });
    let mut spelling = resource("spelling", "OS::Heat::Value", Impact::NoopUpdate);
    spelling.reasons.push(reason(
        property("value"),
        Impact::NoopUpdate,
        UpdateRule::Spelling,
        Pair { old: shown(Value::text("1")), new: shown(Value::int(1)) },
        Places::default(),
    ));

    let sections = SectionChanges {
        parameters: vec![
            ParameterChange {
                name: "size".to_owned(),
                change: EntryStatus::Changed,
                places: places("size", "size"),
                refused: true,
                details: vec![ParameterDetail {
                    aspect: ParameterAspect::Value,
                    value: Pair { old: shown(Value::int(10)), new: shown(Value::int(20)) },
                    places: Places::default(),
                }],
                affects: vec!["volume".to_owned()],
            },
            ParameterChange {
                name: "password".to_owned(),
                change: EntryStatus::Renamed { from: "pass".to_owned() },
                places: Places::default(),
                refused: false,
                details: vec![ParameterDetail {
                    aspect: ParameterAspect::Default,
                    value: Pair {
                        old: shown(Value::Null.sealed(true)),
                        new: shown(Value::Null.sealed(true)),
                    },
                    places: Places::default(),
                }],
                affects: Vec::new(),
            },
        ],
        groups: Vec::new(),
        conditions: vec![EntryChange {
            name: "is_big".to_owned(),
            change: EntryStatus::Changed,
            value: Pair { old: shown(Value::Bool(false)), new: shown(Value::Bool(true)) },
            places: Places::default(),
            changes: at_root(Pair {
                old: shown(Value::Bool(false)),
                new: shown(Value::Bool(true)),
            }),
            affects: vec!["volume".to_owned()],
            propagations: Vec::new(),
        }],
        outputs: vec![EntryChange {
            name: "url".to_owned(),
            change: EntryStatus::Removed,
            value: Pair { old: shown(Value::text("http://a")), new: DisplayValue::Absent },
            places: Places::default(),
            changes: Vec::new(),
            affects: Vec::new(),
            propagations: Vec::new(),
        }],
        environment: vec![EnvironmentChange {
            kind: EnvironmentKind::Registry,
            name: "My::Type".to_owned(),
            change: EntryStatus::Changed,
            value: texts("a.yaml", "b.yaml"),
            places: Places::default(),
            affects: vec!["group/0/a".to_owned()],
        }],
        security: vec![SecurityChange {
            resource: "rules".to_owned(),
            kind: SecurityKind::Rule,
            access: AccessChange::Widened,
            message: "tcp 22 from 0.0.0.0/0 is open now".to_owned(),
            places: places("10.0.0.0/8", "0.0.0.0/0"),
        }],
        ..SectionChanges::default()
    };
    let comparison = Comparison {
        sections,
        file: FileStatus::Existing,
        resources: vec![
            volume,
            port,
            server,
            rules,
            web,
            frontend,
            odd,
            spelling,
            resource("same", "OS::Heat::Value", Impact::None),
        ],
        suppressions: vec![
            Suppression {
                target: SuppressionTarget::Named("OS::Neutron::Port".to_owned()),
                impact: Some(Impact::Replace),
                reason: None,
                span: None,
                used: true,
            },
            Suppression {
                target: SuppressionTarget::Comment("rules".to_owned()),
                impact: None,
                reason: Some("agreed".to_owned()),
                span: find(new, NEW, "rules"),
                used: false,
            },
        ],
    };
    let finding = |side, code, message: &str, span| SidedFinding {
        side,
        diagnostic: Diagnostic::new(code, message).at(span).help("ask the author"),
        places: 1,
    };
    let (top, at_type) = (Span::new(new, 0, 4), Span::new(new, 58, 70));
    let findings = vec![
        finding(FindingSide::New, lossless_yaml::codes::DUPLICATE_KEY, "given twice", top),
        SidedFinding {
            places: 3,
            ..finding(
                FindingSide::New,
                heat_engine::codes::UNKNOWN_RESOURCE_TYPE,
                "`A::B` is unknown",
                at_type,
            )
        },
        finding(
            FindingSide::Both,
            lossless_yaml::codes::NON_TEXT_KEY,
            "a key that is not a string",
            top,
        ),
        finding(
            FindingSide::Old,
            lossless_yaml::codes::NON_TEXT_KEY,
            "another one",
            Span::new(old, 0, 4),
        ),
    ];
    Sample { sources, comparison, findings }
}
