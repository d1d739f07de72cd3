//! The files of a deployment as the client sends them to Heat: by URL, with templates as JSON that contains
//! absolute URLs.
//!
//! Heat's rules: `docs/heat.md#files-that-the-client-sends`,
//! `docs/heat.md#files-that-are-templates`.

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::inputs::{FileLookup, RequestFileContent};
use super::{Key, Map, Value, python};
use crate::environment::registry::is_template_name;
use crate::environment::{self, BaseFolder, Location};
use heat_template::dialect::secrets;
use lossless_yaml::Limits;

/// The files of a deployment.
#[derive(Debug)]
pub(super) struct RequestFiles<'a> {
    files: &'a environment::DeploymentFiles,
    /// The texts of templates, generated on demand.
    templates: OnceLock<IndexMap<String, OnceLock<Option<SmolStr>>>>,
    fill: bool,
}

/// The files as one template sees them.
#[derive(Clone, Debug)]
pub(super) struct TemplateFiles<'a> {
    pub(super) files: &'a RequestFiles<'a>,
    /// The folder of the template; `None` if its references are URLs already.
    pub(super) base: Option<&'a BaseFolder>,
}

impl<'a> RequestFiles<'a> {
    pub(super) fn new(files: &'a environment::DeploymentFiles, fill: bool) -> Self {
        RequestFiles { files, templates: OnceLock::new(), fill }
    }

    pub(super) fn get(&self, url: &str) -> Option<&'a environment::DeploymentFile> {
        self.files.get(url)
    }

    /// Whether the file at a URL could not be read.
    pub(super) fn is_unreadable(&self, url: &str) -> bool {
        self.files.unread().any(|(location, _)| location.url() == url)
    }

    fn template(
        &self,
        file: &environment::DeploymentFile,
        document: &lossless_yaml::Document,
    ) -> Option<SmolStr> {
        let templates = self.templates.get_or_init(|| {
            let is_template = |file: &&environment::DeploymentFile| {
                matches!(file.content, environment::FileContent::Template(_))
            };
            let templates = self.files.iter().filter(is_template);
            templates.map(|file| (file.location.url().to_owned(), OnceLock::new())).collect()
        });
        let made = templates.get(file.location.url())?.get_or_init(|| {
            let root = document.root()?;
            let limits = Limits::default();
            let data = lossless_yaml::Value::copy_of(document.data(root), &limits).ok()?;
            let value = with_absolute_urls(Value::from(&data), &file.location.folder());
            python::json_dumps(&value, false).ok().map(SmolStr::from)
        });
        made.clone()
    }
}

/// Replaces the files that a template refers to by their URLs.
fn with_absolute_urls(value: Value, base: &BaseFolder) -> Value {
    match value {
        Value::List(items) => {
            Value::list(items.iter().map(|item| with_absolute_urls(item.clone(), base)).collect())
        }
        Value::Map(map) => {
            let pair = |(key, value): (&Key, &Value)| {
                let value = match (key.as_text(), value) {
                    (Some(key), Value::Text(path)) if is_file_reference(key, path) => {
                        Value::text(base.resolve(path).url())
                    }
                    _ => with_absolute_urls(value.clone(), base),
                };
                (key.clone(), value)
            };
            Value::Map(Arc::new(map.iter().map(pair).collect::<Map>()))
        }
        other => other,
    }
}

/// Whether the client treats a text under this key as a path.
fn is_file_reference(key: &str, path: &str) -> bool {
    key == "get_file" || key == "type" && is_template_name(path)
}

impl FileLookup for TemplateFiles<'_> {
    fn request_name(&self, key: &str, path: &str) -> Option<SmolStr> {
        let base = self.base?;
        is_file_reference(key, path).then(|| Location::url(&base.resolve(path)).into())
    }

    fn holds_secret(&self, name: &str) -> bool {
        self.files.get(name).is_some_and(|file| match &file.content {
            environment::FileContent::Template(document) => !secrets(document).is_empty(),
            environment::FileContent::Text(_) | environment::FileContent::Base64(_) => false,
        })
    }

    fn content(&self, name: &str) -> RequestFileContent {
        use environment::FileContent as Read;
        let Some(file) = self.files.get(name) else {
            // The client sends what it finds by URL; it has never seen a file of any other name.
            return match name.contains("://") {
                true if self.files.fill => {
                    RequestFileContent::Known(format!("<<file:{name}>>").into())
                }
                true => RequestFileContent::Unknown,
                false => RequestFileContent::Missing,
            };
        };
        match &file.content {
            Read::Text(text) | Read::Base64(text) => {
                RequestFileContent::Known(SmolStr::from(text.clone()))
            }
            Read::Template(document) => self
                .files
                .template(file, document)
                .map_or(RequestFileContent::Unknown, RequestFileContent::Known),
        }
    }
}
