//! Quick fixes of findings, all safe fixes of a file, and the upgrade of a template.

use std::collections::HashMap;
use std::ops::Range;

use gen_lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, CodeActionResponse, TextEdit, WorkspaceEdit,
};
use heat_template::hot::{CallContext, FunctionMeaning, HotFunction, Version, functions};
use source_diagnostics::Span;

use super::edits::edits;
use super::file_view::FileView;
use super::snapshot::Snapshot;
use hotplate_check::{CheckRun, CheckedTemplate, FixSafety};
use hotplate_upgrade::{UpgradeOptions, upgrade};

/// The changes that can be made about the findings in a range, and about its file.
pub(super) fn code_actions(
    snapshot: &Snapshot,
    params: CodeActionParams,
) -> Option<Vec<CodeActionResponse>> {
    let view = snapshot.view_of(&params.text_document)?;
    let range = view.lines.bytes(&view.text, params.range, snapshot.session.unit);
    let wanted = params.context.only;
    // `source` stands for `source.fixAll`, too.
    let is_wanted = |kind: &CodeActionKind| {
        let kind = kind_name(kind);
        wanted.as_ref().is_none_or(|wanted| {
            wanted.iter().map(kind_name).any(|it| {
                kind.strip_prefix(it.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        })
    };
    let mut actions = Vec::new();
    if is_wanted(&CodeActionKind::QuickFix) {
        actions.extend(quick_fixes(snapshot, &view, &range));
    }
    if is_wanted(&CodeActionKind::SourceFixAll) && wanted.is_some() {
        actions.extend(fix_all(snapshot, &view));
    }
    if is_wanted(&CodeActionKind::RefactorRewrite) {
        actions.extend(upgraded(snapshot, &view, &range));
    }
    Some(actions.into_iter().map(CodeActionResponse::from).collect())
}

fn kind_name(kind: &CodeActionKind) -> String {
    serde_json::to_value(kind)
        .ok()
        .and_then(|it| it.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A fix for each finding in a range that has one.
fn quick_fixes(snapshot: &Snapshot, view: &FileView, range: &Range<usize>) -> Vec<CodeAction> {
    let mut actions: Vec<CodeAction> = Vec::new();
    for mut run in runs_of_findings(snapshot, view, Some(range)) {
        let fixes = snapshot.project().fix(snapshot.files(), &mut run);
        let fix = run.templates.iter().find_map(|it| it.fixes.values().next().cloned());
        let code = run.templates.iter().find_map(|it| it.findings.first()).map(|it| it.code);
        let (Some(fix), Some(code)) = (fix, code) else { continue };
        let all = fixes.iter().filter_map(|file| file.fixed(FixSafety::Unsafe)).next();
        let Some(edits) = all.and_then(|fixed| edits(snapshot, view, &fixed.text)) else {
            continue;
        };
        let note = match fix.safety {
            FixSafety::Safe => "",
            FixSafety::Unsafe => " (changes what Heat does)",
        };
        let title = format!("{code}: {}{note}", fix.change);
        let mut action = action(snapshot, view, title, CodeActionKind::QuickFix, edits);
        action.is_preferred = (fix.safety == FixSafety::Safe).then_some(true);
        if !actions.iter().any(|it| it.title == action.title && it.edit == action.edit) {
            actions.push(action);
        }
    }
    actions
}

/// All fixes of a file that certainly keep what Heat does.
fn fix_all(snapshot: &Snapshot, view: &FileView) -> Option<CodeAction> {
    let mut whole = CheckRun::default();
    for mut run in runs_of_findings(snapshot, view, None) {
        whole.templates.append(&mut run.templates);
    }
    let fixes = snapshot.project().fix(snapshot.files(), &mut whole);
    let fixed = fixes.iter().find_map(|file| file.fixed(FixSafety::Safe))?;
    let edits = edits(snapshot, view, &fixed.text)?;
    let title = "Apply all safe fixes".to_owned();
    Some(action(snapshot, view, title, CodeActionKind::SourceFixAll, edits))
}

/// A run for each finding about a file, or about a range of it, with nothing else.
fn runs_of_findings(
    snapshot: &Snapshot,
    view: &FileView,
    range: Option<&Range<usize>>,
) -> Vec<CheckRun> {
    let mut runs = Vec::new();
    for root in snapshot.roots_with(&view.path) {
        let checked = snapshot.checked(&root);
        let Ok(run) = &*checked else { continue };
        for template in &run.templates {
            for finding in &template.findings {
                let is_here = |span: Span| {
                    let bytes = span.range();
                    range.is_none_or(|range| bytes.start <= range.end && range.start <= bytes.end)
                        && snapshot.session.absolute(template.sources.name(span.source)).as_ref()
                            == Some(&view.path)
                };
                if !finding.span().is_some_and(is_here) {
                    continue;
                }
                let only = CheckedTemplate {
                    findings: vec![finding.clone()],
                    sources: template.sources.clone(),
                    mapped_types: template.mapped_types.clone(),
                    complete: template.complete,
                    ..CheckedTemplate::default()
                };
                runs.push(CheckRun { templates: vec![only], ..CheckRun::default() });
            }
        }
    }
    runs
}

/// Whether a line names a function that the newest version does not have.
fn names_old_function(line: &str) -> bool {
    let is_old = |function: &&HotFunction| {
        function.meaning(Version::LATEST, CallContext::Value) == Some(FunctionMeaning::Removed)
    };
    functions().filter(is_old).any(|function| {
        line.match_indices(function.name).any(|(at, name)| {
            let after = line.get(at + name.len()..).unwrap_or_default();
            after.trim_start_matches(['"', '\'']).trim_start().starts_with(':')
        })
    })
}

/// The upgrade of a template to the newest version, where its version is declared and at each function that this version does not have.
fn upgraded(snapshot: &Snapshot, view: &FileView, range: &Range<usize>) -> Option<CodeAction> {
    let template = view.template()?;
    let (from, document) = (view.dialect()?.hot()?, view.document()?);
    let declared = document.span(template.template.node).range();
    let lines = view.lines.line_of(range.start)..=view.lines.line_of(range.end);
    let is_declared_here = lines.contains(&view.lines.line_of(declared.start));
    let mut texts = lines.map(|line| view.text.get(view.lines.line(&view.text, line)));
    let is_there =
        is_declared_here || texts.any(|text| names_old_function(text.unwrap_or_default()));
    if !is_there || from >= Version::LATEST || !view.readable.is_whole() {
        return None;
    }
    let options = UpgradeOptions::new(snapshot.project().facts().schema, Version::LATEST);
    let result = upgrade(document, &options, &snapshot.project().limits());
    let version = Version::LATEST.date();
    let kind = CodeActionKind::RefactorRewrite;
    let Some(text) = &result.text else {
        let reason = result.blockers.first().map(|it| it.finding.message.clone());
        let title = format!("Upgrade to {version}");
        let mut action = action(snapshot, view, title, kind, Vec::new());
        action.edit = None;
        action.disabled = Some(gen_lsp_types::CodeActionDisabled { reason: reason? });
        return Some(action);
    };
    let edits = edits(snapshot, view, text)?;
    let conditions = result
        .findings
        .iter()
        .filter(|it| it.code == hotplate_upgrade::codes::UPGRADE_CONDITIONAL)
        .count();
    let condition = match conditions {
        0 => String::new(),
        1 => " (keeps the meaning under a condition: `hotplate upgrade` names it)".to_owned(),
        count => {
            format!(" (keeps the meaning under {count} conditions: `hotplate upgrade` names them)")
        }
    };
    Some(action(snapshot, view, format!("Upgrade to {version}{condition}"), kind, edits))
}

fn action(
    snapshot: &Snapshot,
    view: &FileView,
    title: String,
    kind: CodeActionKind,
    edits: Vec<TextEdit>,
) -> CodeAction {
    let edit = WorkspaceEdit {
        changes: Some(HashMap::from([(snapshot.uri(&view.path), edits)])),
        ..WorkspaceEdit::default()
    };
    CodeAction { title, kind: Some(kind), edit: Some(edit), ..CodeAction::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{CodeActionContext, Range as LspRange};

    fn titles(text: &str, only: Option<CodeActionKind>) -> Vec<String> {
        let project = TestProject::new(&[("a.yaml", text)]);
        let params = CodeActionParams {
            text_document: project.document(),
            range: LspRange::new(project.position, project.position),
            context: CodeActionContext {
                only: only.map(|it| vec![it]),
                ..CodeActionContext::default()
            },
            work_done_progress_params: gen_lsp_types::WorkDoneProgressParams::default(),
            partial_result_params: gen_lsp_types::PartialResultParams::default(),
        };
        let actions = code_actions(&project.snapshot, params).expect("a template");
        let title = |action| match action {
            CodeActionResponse::CodeAction(action) => action.title,
            CodeActionResponse::Command(command) => command.title,
        };
        actions.into_iter().map(title).collect()
    }

    const MISTAKE: &str = "heat_template_version: 2018-08-31\nresources:\n  a:\n    type: OS::Nova::Serv␣e\n    properties: {flavor: a, networks: []}\n";

    #[test]
    fn what_was_probably_meant_is_a_fix() {
        let titles = titles(MISTAKE, None);
        assert!(titles.iter().any(|it| it.contains("OS::Nova::Server")), "{titles:?}");
    }

    #[test]
    fn an_old_template_can_be_upgraded_at_its_version() {
        let text = "heat_template_version: 2013-05-23␣\nresources: {}\n";
        assert_eq!(titles(text, None), ["Upgrade to 2021-04-16"]);
        assert!(titles(text, Some(CodeActionKind::QuickFix)).is_empty());
    }

    #[test]
    fn a_function_that_was_removed_offers_the_upgrade() {
        let text = "heat_template_version: 2013-05-23\noutputs:\n  a: {value: {Fn::Joi␣n: ['', [a, b]]}}\n  b: {value: Fn}\n";
        assert_eq!(titles(text, None), ["Upgrade to 2021-04-16"]);
        assert!(
            titles(&text.replace('␣', "").replace("value: Fn}", "value: Fn␣}"), None).is_empty()
        );
    }
}
