//! The names that other files refer to: to remove or rename one in its own file alone would be an error there.

use std::collections::HashMap;

use crate::check::CheckRun;
use source_diagnostics::SourceLocator;

/// The names in files that other files refer to, each with a place that does.
pub(super) struct References {
    /// By the URL of the file.
    of_files: HashMap<(String, String), String>,
    /// The parameters that environments pass to templates that are not known.
    passed_by_others: HashMap<String, String>,
}

impl References {
    pub(super) fn of(run: &CheckRun) -> Self {
        let mut of_files = HashMap::new();
        for template in &run.templates {
            let mut places = SourceLocator::new(&template.sources);
            for (key, span) in &template.references {
                if let Some(place) = places.locate(*span) {
                    let place = format!("{}:{}", place.path, place.start.line);
                    of_files.entry(key.clone()).or_insert(place);
                }
            }
        }
        let others = run.passed_by_others.iter();
        let passed_by_others = others.map(|(name, path)| (name.clone(), path.clone())).collect();
        References { of_files, passed_by_others }
    }

    /// The place that refers to a name in a file.
    pub(super) fn to(&self, url: &str, name: &str) -> Option<&str> {
        let of_file = self.of_files.get(&(url.to_owned(), name.to_owned()));
        of_file.or_else(|| self.passed_by_others.get(name)).map(String::as_str)
    }
}
