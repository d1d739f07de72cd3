//! Capabilities of a client.

use gen_lsp_types::{ClientCapabilities, MarkupKind, PositionEncodingKind};

/// The abilities of a client that answers depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClientSupport {
    /// The units of columns that it can count.
    pub(super) columns: Vec<PositionEncodingKind>,
    /// Whether a completion may have places to fill in.
    pub(super) snippets: bool,
    /// Whether hovers may be Markdown.
    pub(super) markdown: bool,
    /// Whether it asks again for lenses when the server says that they changed.
    pub(super) refreshes_lenses: bool,
    /// Whether it asks again for hints when the server says that they changed.
    pub(super) refreshes_hints: bool,
    /// Whether the server may ask it to watch files.
    pub(super) watches_files: bool,
    /// Whether the server may say that something takes long.
    pub(super) shows_progress: bool,
    /// Whether the edits of a rename may have the versions of the files.
    pub(super) versions_changes: bool,
    /// Whether it can ask the user before it applies the edits of a rename.
    pub(super) annotates_changes: bool,
}

impl ClientSupport {
    pub(super) fn new(client: &ClientCapabilities) -> Self {
        let text = client.text_document.as_ref();
        let workspace = client.workspace.as_ref();
        let item = text.and_then(|it| it.completion.as_ref()?.completion_item.as_ref());
        let formats = text.and_then(|it| it.hover.as_ref()?.content_format.as_ref());
        let encodings = client.general.as_ref().and_then(|it| it.position_encodings.clone());
        ClientSupport {
            columns: encodings.unwrap_or_default(),
            snippets: item.and_then(|it| it.snippet_support).unwrap_or_default(),
            markdown: formats.is_some_and(|it| it.contains(&MarkupKind::Markdown)),
            refreshes_lenses: workspace
                .and_then(|it| it.code_lens.as_ref()?.refresh_support)
                .unwrap_or_default(),
            refreshes_hints: workspace
                .and_then(|it| it.inlay_hint.as_ref()?.refresh_support)
                .unwrap_or_default(),
            watches_files: workspace
                .and_then(|it| it.did_change_watched_files.as_ref()?.dynamic_registration)
                .unwrap_or_default(),
            shows_progress: client
                .window
                .as_ref()
                .and_then(|it| it.work_done_progress)
                .unwrap_or_default(),
            versions_changes: workspace
                .and_then(|it| it.workspace_edit.as_ref()?.document_changes)
                .unwrap_or_default(),
            annotates_changes: workspace
                .and_then(|it| it.workspace_edit.as_ref()?.change_annotation_support.as_ref())
                .is_some(),
        }
    }
}
