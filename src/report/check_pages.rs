//! The pages about codes: a Markdown file each in `docs/checks/`, which `hotplate explain CODE` prints.
//!
//! A page has what the code's own row ([`codes`](crate::codes)) does not say: why the finding matters, what Heat does, and
//! an example with its correction. A test runs the examples, keeps the head of each page as the row has it, and fails for a code
//! from HP1000 on that has no page (`tests/docs/check_pages.rs`).

use include_dir::{Dir, include_dir};
use source_diagnostics::{Code, Diagnostic};

use hotplate_check::Group;

/// The folder of the pages: what is in it is what there is.
static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/docs/checks");

/// A page about a code.
#[derive(Clone, Debug)]
pub struct CheckPage {
    /// The code that the page is about.
    pub code: Code,
    /// The page as it is written.
    pub text: &'static str,
    /// What goes wrong if nobody acts on the finding.
    pub why: &'static str,
    /// What Heat does with such a template.
    pub heat: &'static str,
    /// How to find the cause; the pages about what only `check` reports have none, since their example shows it.
    pub find: Option<&'static str>,
    /// A template with the problem, and without it.
    pub example: CheckExample,
}

/// A template that a command reports a finding about, and the corrected one, which does not have it.
#[derive(Clone, Debug)]
pub struct CheckExample {
    /// The arguments of `hotplate` that report the finding.
    pub command: &'static str,
    /// The line of the finding.
    pub line: u32,
    /// The message of the finding.
    pub message: &'static str,
    /// The template with the problem and the other files that the command needs, with their names.
    pub files: Vec<(&'static str, &'static str)>,
    /// The corrected template and the other files.
    pub fixed: Vec<(&'static str, &'static str)>,
}

/// Every page, in the order of the codes.
///
/// # Panics
///
/// If a page does not have the parts that a page has; a test reads them all.
pub fn pages() -> impl Iterator<Item = CheckPage> {
    let codes = crate::codes::every().into_iter();
    let texts = codes.filter_map(|code| Some((code, text_of(code)?)));
    texts.map(|(code, text)| match read(code, text) {
        Some(page) => page,
        None => unreachable!("docs/checks/{code}.md does not have the parts of a page"),
    })
}

/// The page about a code, if it has one.
pub fn page_of(code: Code) -> Option<CheckPage> {
    read(code, text_of(code)?)
}

fn text_of(code: Code) -> Option<&'static str> {
    FOLDER.get_file(format!("{code}.md"))?.contents_utf8()
}

/// The page that a Markdown text is; `None` if a part is missing.
fn read(code: Code, text: &'static str) -> Option<CheckPage> {
    // Below it are the links to the rules.
    let heat = section(text, "What Heat does")?.split("\n\n- [").next()?;
    let example = section(text, "Example")?;
    let reported = example.lines().next_back()?.strip_prefix("`hotplate ")?;
    let (command, reported) = reported.split_once("` reports at line ")?;
    let (line, message) = reported.split_once(": ")?;
    Some(CheckPage {
        code,
        text,
        why: section(text, "Why it matters")?,
        heat,
        find: section(text, "How to find out"),
        example: CheckExample {
            command,
            line: line.parse().ok()?,
            message,
            files: files(example)?,
            fixed: files(section(text, "Fixed")?)?,
        },
    })
}

/// The text below a heading, without the blank lines around it.
fn section(text: &'static str, title: &str) -> Option<&'static str> {
    let (_, below) = text.split_once(&format!("\n## {title}\n"))?;
    Some(below.split("\n## ").next()?.trim())
}

/// The code blocks of a section. Where there are several, the name of each stands above it.
fn files(section: &'static str) -> Option<Vec<(&'static str, &'static str)>> {
    let mut files = Vec::new();
    let mut rest = section;
    while let Some((above, block)) = rest.split_once("```") {
        let (_, content) = block.split_once('\n')?;
        let end = content.find("```")?;
        let name = above.trim().strip_prefix('`').and_then(|name| name.strip_suffix("`:"));
        files.push((name.unwrap_or("template.yaml"), &content[..end]));
        rest = &content[end + 3..];
    }
    (!files.is_empty()).then_some(files)
}

impl CheckPage {
    /// The group of the findings with this code.
    pub fn group(&self) -> Group {
        Group::of(&Diagnostic::new(self.code, ""))
    }
}
