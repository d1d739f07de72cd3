//! Evidence in the names of files: `web.env`, `web-env.yaml`, `env/web.yaml`, `web-production.env`, `environments/production.yaml`.

use std::path::Path;

use source_files::may_be_environment;

/// The evidence in the name of an environment about a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameMatch {
    /// It is that of the template: `web.env`.
    Exact,
    /// It is that of the template with a label: `web-production.env`.
    Labeled(String),
    /// It stands in a folder for environments beside the template: `environments/production.yaml`.
    InFolder(String),
}

/// The words that say that a file or a folder has environments.
const WORDS: [&str; 9] = [
    "env",
    "envs",
    "environment",
    "environments",
    "param",
    "params",
    "parameter",
    "parameters",
    "vars",
];

/// The name without extensions, and whether an extension says that it is an environment.
fn stem(path: &Path) -> (String, bool) {
    let mut name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let mut is_environment = false;
    while let Some((rest, extension)) = name.rsplit_once('.') {
        if rest.is_empty() || !may_be_environment(Path::new(&name)) {
            break;
        }
        is_environment |= WORDS.contains(&extension);
        name = rest.to_owned();
    }
    (name, is_environment)
}

fn parts(name: &str) -> Vec<&str> {
    name.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect()
}

/// Whether a folder is for environments.
pub fn is_folder_of_environments(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    parts(&name).last().is_some_and(|part| WORDS.contains(part))
}

/// Names of folders that have templates and nothing else, so that what belongs to them is beside the folder.
const FOLDERS_OF_TEMPLATES: [&str; 5] = ["templates", "heat", "hot", "stacks", "orchestration"];

/// Whether an environment in a folder is beside a template.
pub(crate) fn is_beside(template: &Path, environment: &Path) -> bool {
    let (Some(folder), Some(own)) = (template.parent(), environment.parent()) else { return false };
    own == folder || is_of_templates(folder) && Some(own) == folder.parent()
}

fn is_of_templates(folder: &Path) -> bool {
    FOLDERS_OF_TEMPLATES.iter().any(|name| folder.ends_with(name))
}

/// The evidence in the name of an environment about a template; `None` if there is none.
pub(crate) fn name_match(template: &Path, environment: &Path) -> Option<NameMatch> {
    let (folder, own) = (template.parent()?, environment.parent()?);
    let is_beside = is_beside(template, environment);
    let is_in_folder = is_folder_of_environments(own) && {
        // `env/web.yaml` beside `web.yaml`, `env/web.yaml` beside `templates/web.yaml`, and folders in folders: `env/production/web.yaml`.
        let around = own.ancestors().find(|it| !is_folder_of_environments(it)).unwrap_or(own);
        around == folder || is_of_templates(folder) && Some(around) == folder.parent()
    };
    if !is_beside && !is_in_folder {
        return None;
    }
    let ((template, _), (name, is_environment)) = (stem(template), stem(environment));
    let (of_template, all) = (parts(&template), parts(&name));
    let words: Vec<&str> = all.iter().copied().filter(|part| !WORDS.contains(part)).collect();
    let is_marked = is_environment || is_in_folder || words.len() < all.len();
    if is_marked
        && words == of_template.iter().copied().filter(|it| !WORDS.contains(it)).collect::<Vec<_>>()
    {
        return Some(NameMatch::Exact);
    }
    let label = |rest: &[&str]| rest.join("-");
    let rest = words.strip_prefix(of_template.as_slice()).map(label);
    let rest = rest.or_else(|| words.strip_suffix(of_template.as_slice()).map(label));
    match rest.filter(|rest| is_marked && !rest.is_empty() && !of_template.is_empty()) {
        Some(label) => Some(NameMatch::Labeled(label)),
        None if is_in_folder => Some(NameMatch::InFolder(name)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_belongs_together() {
        let of = |template: &str, environment: &str| {
            name_match(Path::new(template), Path::new(environment))
        };
        for environment in [
            "web.env",
            "web.env.yaml",
            "web-env.yaml",
            "web_params.yml",
            "env_web.yaml",
            "web.environment",
            "env/web.yaml",
            "environments/web.yml",
            "parameters/web.json",
            "WEB.env",
        ] {
            assert_eq!(of("web.yaml", environment), Some(NameMatch::Exact), "{environment}");
        }
        assert_eq!(of("templates/web.yaml", "environments/web.yaml"), Some(NameMatch::Exact));
        let labeled = |label: &str| Some(NameMatch::Labeled(label.to_owned()));
        assert_eq!(of("web.yaml", "web-production.env"), labeled("production"));
        assert_eq!(of("web.yaml", "web_test_env.yaml"), labeled("test"));
        assert_eq!(of("web.yaml", "env/web-eu.yaml"), labeled("eu"));
        let in_folder = Some(NameMatch::InFolder("production".to_owned()));
        assert_eq!(of("web.yaml", "environments/production.yaml"), in_folder);
        for environment in [
            "web2.env",
            "production.yaml",
            "web.yaml",
            "b/web.env",
            "web-production.yaml",
            "env-readme/web.yaml",
        ] {
            assert_eq!(of("web.yaml", environment), None, "{environment}");
        }
        // A folder beside that of the template is another project.
        assert_eq!(of("a/web.yaml", "env/web.yaml"), None);
    }
}
