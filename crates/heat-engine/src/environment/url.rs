//! URLs as Python's `urllib` splits and joins them, since Heat's client identifies every file
//! by one.

use std::path::{Path, PathBuf};

use python_semantics::url::quote;

/// The parts of a URL, as `urlsplit` gives them.
struct UrlParts<'a> {
    scheme: String,
    host: &'a str,
    path: &'a str,
    query: &'a str,
    fragment: &'a str,
}

/// The schemes that `urljoin` joins; URLs with another scheme are not joined.
const JOINED_SCHEMES: [&str; 4] = ["", "file", "http", "https"];

/// The scheme of a URL in lower case; empty if it has none.
pub(super) fn scheme(url: &str) -> String {
    split_scheme(url).0
}

fn split_scheme(url: &str) -> (String, &str) {
    let Some((scheme, rest)) = url.split_once(':') else { return (String::new(), url) };
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(allowed) {
        (scheme.to_ascii_lowercase(), rest)
    } else {
        (String::new(), url)
    }
}

/// Removes the characters that `urlsplit` removes first.
fn cleaned(url: &str) -> String {
    let url = url.trim_start_matches(|c: char| c <= ' ');
    url.chars().filter(|c| !matches!(c, '\t' | '\r' | '\n')).collect()
}

fn split(url: &str) -> UrlParts<'_> {
    let (scheme, rest) = split_scheme(url);
    let (host, rest) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
        None => ("", rest),
    };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    UrlParts { scheme, host, path, query, fragment }
}

fn unsplit(scheme: &str, host: &str, path: &str, query: &str, fragment: &str) -> String {
    let mut url = String::new();
    if !scheme.is_empty() {
        url.push_str(scheme);
        url.push(':');
    }
    if !host.is_empty() || !scheme.is_empty() {
        url.push_str("//");
        url.push_str(host);
        if !path.is_empty() && !path.starts_with('/') {
            url.push('/');
        }
    }
    url.push_str(path);
    for (mark, part) in [('?', query), ('#', fragment)] {
        if !part.is_empty() {
            url.push(mark);
            url.push_str(part);
        }
    }
    url
}

/// `urljoin(base, reference)`.
pub(super) fn join(base: &str, reference: &str) -> String {
    if base.is_empty() || reference.is_empty() {
        return if base.is_empty() { reference } else { base }.to_owned();
    }
    let (base, cleaned) = (cleaned(base), cleaned(reference));
    let (from, to) = (split(&base), split(&cleaned));
    let other = !to.scheme.is_empty() && to.scheme != from.scheme;
    if other || !JOINED_SCHEMES.contains(&from.scheme.as_str()) {
        return reference.to_owned();
    }
    if !to.host.is_empty() {
        return unsplit(&from.scheme, to.host, to.path, to.query, to.fragment);
    }
    if to.path.is_empty() {
        let query = if to.query.is_empty() { from.query } else { to.query };
        return unsplit(&from.scheme, from.host, from.path, query, to.fragment);
    }
    let mut segments: Vec<&str> = Vec::new();
    if to.path.starts_with('/') {
        segments.extend(to.path.split('/'));
    } else {
        segments.extend(from.path.split('/'));
        if segments.last().is_some_and(|last| !last.is_empty()) {
            segments.pop();
        }
        segments.extend(to.path.split('/'));
        let last = segments.len() - 1;
        let mut at = 0;
        segments.retain(|segment| {
            at += 1;
            at == 1 || at == last + 1 || !segment.is_empty()
        });
    }
    let mut resolved: Vec<&str> = Vec::new();
    for segment in &segments {
        match *segment {
            ".." => {
                resolved.pop();
            }
            "." => {}
            segment => resolved.push(segment),
        }
    }
    if matches!(segments.last(), Some(&("." | ".."))) {
        resolved.push("");
    }
    let path = resolved.join("/");
    let path = if path.is_empty() { "/" } else { &path };
    unsplit(&from.scheme, from.host, path, to.query, to.fragment)
}

/// The relative reference that [`join`] resolves against `from` to `to`; `None` unless both are `file` URLs.
pub(super) fn relative(from: &str, to: &str) -> Option<String> {
    let (from, to) = (from.strip_prefix("file:///")?, to.strip_prefix("file:///")?);
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let folders = from.len().min(to.len()) - 1;
    let common = (0..folders).take_while(|&at| from[at] == to[at]).count();
    let mut parts = vec![".."; from.len() - 1 - common];
    parts.extend(&to[common..]);
    let reference = parts.join("/");
    // A first part such as `a:b` is a scheme.
    let is_plain = scheme(&reference).is_empty() && !reference.starts_with('/');
    Some(if is_plain { reference } else { format!("./{reference}") })
}

/// The URL that the client resolves references in `url` against; it ends with `/`.
pub(super) fn folder(url: &str) -> String {
    let cleaned = cleaned(url);
    let path = split(&cleaned).path;
    let folder = &path[..path.rfind('/').map_or(0, |at| at + 1)];
    let trimmed = folder.trim_end_matches('/');
    with_slash(join(url, if trimmed.is_empty() { folder } else { trimmed }))
}

/// The URL of a folder, with the `/` that the client adds if it is missing.
pub(super) fn with_slash(mut url: String) -> String {
    if !url.is_empty() && !url.ends_with('/') {
        url.push('/');
    }
    url
}

/// The URL of an absolute path, as `Path.as_uri` quotes it.
pub(super) fn of_path(path: &Path) -> String {
    format!("file://{}", quote(path.as_os_str().as_encoded_bytes(), "/"))
}

/// The path that is opened for a `file` URL: the part after the last `#` is removed, `%XX` is
/// decoded, `?` is an ordinary character. `None` for other URLs and other hosts.
pub(super) fn to_path(url: &str) -> Option<PathBuf> {
    let (scheme, rest) = split_scheme(url);
    if scheme != "file" {
        return None;
    }
    let rest = rest.rsplit_once('#').map_or(rest, |(rest, _)| rest);
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
            if !matches!(host, "" | "localhost") {
                return None;
            }
            path
        }
        None => rest,
    };
    let path = decoded(path);
    Some(if path.starts_with('/') { path.into() } else { format!("/{path}").into() })
}

/// The part of a reference that identifies a file, decoded: without the part after the last `#`.
pub(super) fn named_file(reference: &str) -> String {
    decoded(reference.rsplit_once('#').map_or(reference, |(name, _)| name))
}

/// `unquote`
fn decoded(text: &str) -> String {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_joined_as_urljoin_does() {
        for (base, reference, joined) in [
            ("file:///a/b/", "c.yaml", "file:///a/b/c.yaml"),
            ("file:///a/b/", "../c.yaml", "file:///a/c.yaml"),
            ("file:///a/b/", "../../../c.yaml", "file:///c.yaml"),
            ("file:///a/b/", "./x//y/./c.yaml", "file:///a/b/x/y/c.yaml"),
            ("file:///a/b/", "/etc//x", "file:///etc//x"),
            ("file:///a/b/", "", "file:///a/b/"),
            ("file:///a/b/", "..", "file:///a/"),
            ("file:///a/b/", "c d.yaml?e#f", "file:///a/b/c d.yaml?e#f"),
            ("file:///a/b/", "#f", "file:///a/b/#f"),
            ("file:///a/b/", "?q", "file:///a/b/?q"),
            ("file:///a/b/", "http://h/x.yaml", "http://h/x.yaml"),
            ("file:///a/b/", "file:///x/../y.yaml", "file:///y.yaml"),
            ("file:///a/b/", "file:x.yaml", "file:///a/b/x.yaml"),
            ("file:///a/b/", "c:x.yaml", "c:x.yaml"),
            ("file:///a/b/", "1:x.yaml", "file:///a/b/1:x.yaml"),
            ("http://h:80/t/", "x.yaml", "http://h:80/t/x.yaml"),
            ("http://h/t/?q=1", "x.yaml", "http://h/t/x.yaml"),
            ("http://h/t/", "//other/x.yaml", "http://other/x.yaml"),
            ("templates/", "x.yaml", "templates/x.yaml"),
            ("", "x.yaml", "x.yaml"),
        ] {
            assert_eq!(join(base, reference), joined, "{base} {reference}");
        }
    }

    #[test]
    fn folders_end_with_a_slash() {
        assert_eq!(folder("file:///a/b/c.yaml"), "file:///a/b/");
        assert_eq!(folder("file:///c.yaml"), "file:///");
        assert_eq!(folder("http://h/t/x.yaml?rev=1/2"), "http://h/t/");
    }

    #[test]
    fn paths_are_quoted_and_urls_decoded() {
        assert_eq!(of_path(Path::new("/a b/ü?.yaml")), "file:///a%20b/%C3%BC%3F.yaml");
        for (url, path) in [
            ("file:///a%20b/c.yaml", Some("/a b/c.yaml")),
            ("file:///a b/c.yaml", Some("/a b/c.yaml")),
            ("file:///a/c.yaml#part", Some("/a/c.yaml")),
            ("file:///a/c.yaml?x=1", Some("/a/c.yaml?x=1")),
            ("file://localhost/a", Some("/a")),
            ("file://other/a", None),
            ("http://h/a", None),
        ] {
            assert_eq!(to_path(url), path.map(PathBuf::from), "{url}");
        }
        assert_eq!(named_file("100%25%.sh#x"), "100%%.sh");
    }
}
