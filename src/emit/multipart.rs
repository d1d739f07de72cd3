//! The text of an `OS::Heat::MultipartMime`, in chunks, for targets that concatenate strings.
//!
//! Source: `MultipartMime.get_message` of Heat's plugin. Heat generates a new boundary each time; here it
//! is constant.

use super::render_model::{entry, property};
use heat_template::ir::{Expr, ExprKind, Resource};

/// The boundary between the parts.
pub(super) const BOUNDARY: &str = "===============hotplate==";

/// A chunk of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MimeChunk<'e> {
    /// Literal text of the message.
    Text(String),
    /// A value of the template, as text.
    Value(&'e Expr),
    /// A file name from the template, without its extension.
    Stem(&'e Expr),
}

/// The chunks of the message. An error says why it cannot be built.
pub(super) fn mime_chunks(resource: &Resource) -> Result<Vec<MimeChunk<'_>>, &'static str> {
    let mut out = vec![MimeChunk::Text(format!(
        "Content-Type: multipart/mixed; boundary=\"{BOUNDARY}\"\nMIME-Version: 1.0\n\n"
    ))];
    let parts: &[Expr] = match property(resource, "parts").map(|parts| &parts.kind) {
        None | Some(ExprKind::Null) => &[],
        Some(ExprKind::List(parts)) => parts,
        Some(_) => return Err("the list of parts is computed"),
    };
    for part in parts {
        if !matches!(part.kind, ExprKind::Map(_)) {
            return Err("a part is computed");
        }
        let given = |name: &str| entry(part, name).filter(|value| value.kind != ExprKind::Null);
        if given("type").is_some_and(|kind| kind.as_text() != Some("text")) {
            return Err("a part is itself a multipart message");
        }
        let Some(config) = given("config") else { continue };
        let filename = given("filename");
        out.push(MimeChunk::Text(format!("--{BOUNDARY}\nContent-Type: text/")));
        out.push(match (given("subtype"), filename) {
            (Some(subtype), _) => MimeChunk::Value(subtype),
            (None, Some(filename)) => MimeChunk::Stem(filename),
            (None, None) => MimeChunk::Text("plain".to_owned()),
        });
        out.push(MimeChunk::Text(
            "; charset=\"utf-8\"\nMIME-Version: 1.0\nContent-Transfer-Encoding: 8bit\n".to_owned(),
        ));
        if let Some(filename) = filename {
            out.push(MimeChunk::Text("Content-Disposition: attachment; filename=\"".to_owned()));
            out.push(MimeChunk::Value(filename));
            out.push(MimeChunk::Text("\"\n".to_owned()));
        }
        out.extend([
            MimeChunk::Text("\n".to_owned()),
            MimeChunk::Value(config),
            MimeChunk::Text("\n".to_owned()),
        ]);
    }
    out.push(MimeChunk::Text(format!("--{BOUNDARY}--\n")));
    Ok(out)
}

/// A known file name without its extension, as Python's `os.path.splitext` splits it.
pub(super) fn known_stem(name: &str) -> &str {
    let base = name.rfind('/').map_or(0, |at| at + 1);
    let leading = name[base..].len() - name[base..].trim_start_matches('.').len();
    match name[base + leading..].rfind('.') {
        Some(at) => &name[..base + leading + at],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn stems_are_those_of_python() {
        let stems = ["part.sh", "a.d/part", ".bashrc", "a/b.tar.gz"].map(super::known_stem);
        assert_eq!(stems, ["part", "a.d/part", ".bashrc", "a/b.tar"]);
    }
}
