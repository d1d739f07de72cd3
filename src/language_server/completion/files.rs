//! Paths of files, relative to the file that names them.

use std::path::Path;

use gen_lsp_types::CompletionItemKind;
use heat_engine::environment::normal;
use heat_engine::environment::registry::is_template_name;
use source_files::{FileSource, PathKind};

use super::item::Candidate;
use super::request::CompletionRequest;

/// The most files and folders that are looked at.
const MAX_LOOKED_AT: usize = 500;

/// The deepest folder below the one that is typed.
const MAX_DEPTH: usize = 3;

impl CompletionRequest<'_> {
    /// The files of the project that the word may become: templates only, or every file.
    pub(super) fn files(&self, only_templates: bool) -> Vec<Candidate> {
        let typed = self.view.text.get(self.text.word.clone()).unwrap_or_default();
        let mut listing = Listing {
            files: self.snapshot.files(),
            only_templates,
            left: MAX_LOOKED_AT,
            found: vec![],
        };
        // The folders that are typed; names below them follow.
        let prefixes: Vec<&str> = match typed.rfind('/') {
            Some(at) => typed.get(..=at).into_iter().collect(),
            None if typed.contains(':') => vec![],
            None if typed.starts_with('.') => vec!["./", "../"],
            None => vec!["", "../"],
        };
        let Some(own) = self.view.path.parent() else { return vec![] };
        for prefix in prefixes {
            let folder = normal(&own.join(prefix));
            // Nothing outside of the project is anybody's business.
            if !prefix.contains(':') && folder.starts_with(&self.snapshot.session.root) {
                let depth = if typed.is_empty() && !prefix.is_empty() { MAX_DEPTH } else { 0 };
                listing.visit(&folder, prefix, depth);
            }
        }
        let name = self.view.path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        listing.found.retain(|candidate| candidate.label != name);
        listing.found
    }
}

struct Listing<'f> {
    files: &'f dyn FileSource,
    only_templates: bool,
    left: usize,
    found: Vec<Candidate>,
}

impl Listing<'_> {
    fn visit(&mut self, folder: &Path, prefix: &str, depth: usize) {
        for name in self.files.path_components(folder) {
            if self.left == 0 {
                return;
            }
            if name.starts_with('.') {
                continue;
            }
            self.left -= 1;
            let (path, label) = (folder.join(&name), format!("{prefix}{name}"));
            match self.files.kind(&path) {
                Some(PathKind::Folder) if depth < MAX_DEPTH => {
                    self.visit(&path, &format!("{label}/"), depth + 1)
                }
                Some(PathKind::File) if !self.only_templates || is_template_name(&name) => {
                    self.found.push(Candidate::text(label, CompletionItemKind::File));
                }
                Some(_) | None => {}
            }
        }
    }
}
