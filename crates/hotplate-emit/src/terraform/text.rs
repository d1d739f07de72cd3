//! Strings: joined, split, with placeholders replaced, and as parts of URLs.

use std::collections::BTreeSet;

use super::hcl::{Hcl, TemplatePart};
use super::names::NamePool;
use super::print;
use super::scope::{MAX_EXPRESSION_DEPTH, ModuleScope, TypedHcl};
use crate::kit::{Expressed, Inexpressible, TextWriter, written_items};
use crate::placeholders::{Placeholders, TextSegment};
use heat_engine::eval::Value;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Join, Pair, Replace, ReplaceKeys, Split, SplitPolicy};
use indexmap::IndexMap;
use python_semantics::url::quote;
use source_diagnostics::Span;

/// The URL schemes with a host part, as listed in Python's `urllib.parse`.
const WITH_HOST: [&str; 25] = [
    "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp",
    "snews", "prospero", "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs", "git",
    "git+ssh", "ws", "wss",
];

/// Matches strings, and everything between separators, up to a separator or the end: a space must follow.
const JSON_SEPARATORS: &str = r#"/((?:"(?:[^"\\]|\\.)*"|[^",:])*)([,:]|$)/"#;

/// JSON as Heat writes it: with spaces, and without the escapes that Terraform writes for `<`, `>`, `&`.
pub(super) fn json(value: Hcl) -> Hcl {
    let mut text = Hcl::call("jsonencode", [value]);
    for (escaped, plain) in [("\\u003c", "<"), ("\\u003e", ">"), ("\\u0026", "&")] {
        text = Hcl::call("replace", [text, Hcl::text(escaped), Hcl::text(plain)]);
    }
    let spaced = Hcl::call("replace", [text, Hcl::text(JSON_SEPARATORS), Hcl::text("$1$2 ")]);
    Hcl::call("trimspace", [spaced])
}

/// A value as Heat inserts it into a string: `True` for true, nothing for null.
pub(super) fn printed(expressed: &TypedHcl) -> Hcl {
    let value = expressed.hcl.clone();
    match &value {
        Hcl::Text(_) | Hcl::Template(_) => return value,
        Hcl::Number(digits) => return Hcl::text(digits),
        Hcl::Null => return Hcl::text(""),
        Hcl::Bool(truth) => return Hcl::text(if *truth { "True" } else { "False" }),
        _ => {}
    }
    if expressed.is(TypeSet::TEXT) || expressed.is(TypeSet::NUMBER) {
        return value;
    }
    if expressed.is(TypeSet::BOOLEAN) {
        return Hcl::choice(value, Hcl::text("True"), Hcl::text("False"));
    }
    if expressed.is(TypeSet::TEXT.union(TypeSet::NULL)) {
        if let Some(found) = Hcl::found_or(&value, Hcl::text("")) {
            return found;
        }
        // Null has no items.
        return Hcl::call("join", [Hcl::text(""), value.splat()]);
    }
    if expressed.is(TypeSet::LIST) || expressed.is(TypeSet::MAP) {
        return json(value);
    }
    let it = || Hcl::name("it");
    let words = [("true", "True"), ("false", "False"), ("null", "")];
    let words = words.map(|(json, text)| (Hcl::text(json), Hcl::text(text)));
    let otherwise = Hcl::call("try", [Hcl::call("tostring", [it()]), json(it())]);
    let body = Hcl::call(
        "lookup",
        [Hcl::Object(words.into()), Hcl::call("jsonencode", [it()]), otherwise],
    );
    Hcl::bound("it", value, body)
}

impl TextWriter for ModuleScope<'_> {
    fn text(&self, text: &str) -> TypedHcl {
        TypedHcl::text(self.with_loop_placeholders(text))
    }

    fn join(&self, join: &Join) -> Expressed<TypedHcl> {
        let delimiter = self.generate(&join.delimiter)?;
        // Literal items can be written as one string.
        if let (Some(items), Hcl::Text(_)) = (written_items(join), &delimiter.hcl) {
            let mut parts = Vec::new();
            let mut safe = true;
            for (at, item) in items.into_iter().enumerate() {
                if at > 0 {
                    parts.push(delimiter.hcl.clone());
                }
                let item = self.generate(item)?;
                safe &= item.safe;
                parts.push(printed(&item));
            }
            return Ok(TypedHcl::text(Hcl::concatenated(parts)).safe_if(safe));
        }
        let mut lists = Vec::new();
        let mut safe = delimiter.safe;
        let mut items = TypeSet::TEXT;
        for list in &join.lists {
            let list = self.generate(list)?;
            safe &= list.safe;
            let is_list = list.is(TypeSet::LIST);
            items = if is_list { items.union(list.items) } else { TypeSet::ANY };
            lists.push(match (&list.hcl, is_list) {
                (Hcl::Null, _) => continue,
                (_, true) => list.hcl,
                // An empty value is not a list, and is skipped.
                (_, false) => {
                    Hcl::call("try", [Hcl::call("concat", [list.hcl]), Hcl::List(vec![])])
                }
            });
        }
        let list = match lists.len() {
            0 => return Ok(TypedHcl::text(Hcl::text(""))),
            1 => lists.remove(0),
            _ => Hcl::call("concat", lists),
        };
        let list = match items.is_subset(TypeSet::TEXT) {
            true => list,
            false => {
                let item = TypedHcl::new(Hcl::name("item"), items);
                Hcl::each("item", list, printed(&item))
            }
        };
        Ok(TypedHcl::text(Hcl::call("join", [delimiter.hcl, list])).safe_if(safe))
    }

    fn split(&self, text: TypedHcl, delimiter: TypedHcl, split: &Split) -> Expressed<TypedHcl> {
        let pieces = match &delimiter.hcl {
            // Without a delimiter, white space separates.
            Hcl::Null => {
                let blanks = Hcl::text("/\\s+/");
                let text = Hcl::call("replace", [text.hcl.clone(), blanks, Hcl::text(" ")]);
                Hcl::call("compact", [Hcl::call("split", [Hcl::text(" "), text])])
            }
            _ => Hcl::call("split", [delimiter.hcl, text.hcl.clone()]),
        };
        let expressed = match &split.index {
            None => TypedHcl::list(pieces, TypeSet::TEXT),
            Some(index) => {
                let piece = self.walk(pieces, std::slice::from_ref(index))?;
                TypedHcl { safe: false, ..TypedHcl::text(piece) }
            }
        };
        let may_be_null =
            text.shape.intersects(TypeSet::NULL) && split.policy == SplitPolicy::NullStays;
        if may_be_null && text.hcl != Hcl::Null {
            let is_null = Hcl::operation("==", text.hcl, Hcl::Null);
            let hcl = Hcl::choice(is_null, Hcl::Null, expressed.hcl);
            return Ok(TypedHcl { hcl, shape: expressed.shape.union(TypeSet::NULL), ..expressed });
        }
        Ok(expressed.safe_if(text.safe))
    }

    /// Heat replaces the longest placeholder first, and never searches inserted values.
    fn replace(&self, replace: &Replace, span: Span) -> Expressed<TypedHcl> {
        let name = match replace.keys {
            ReplaceKeys::MayBeMissing => "str_replace",
            ReplaceKeys::MustOccur => "str_replace_strict",
            ReplaceKeys::MustOccurWithValue => "str_replace_vstrict",
        };
        let ExprKind::Map(pairs) = &replace.params.kind else {
            let why = "the names of the placeholders are computed";
            return Err(Inexpressible::function(name, why, span)
                .suggesting("write the placeholders as keys of the map"));
        };
        let mut placeholders: Vec<(String, Hcl)> = Vec::with_capacity(pairs.len());
        let mut safe = true;
        for pair in pairs {
            let Some(key) = pair.key.as_text().filter(|key| !key.is_empty()) else {
                let why = "a placeholder is empty, or not a string";
                return Err(Inexpressible::function(name, why, span));
            };
            self.reject_loop_placeholders(name, &[&pair.key], span)?;
            let value = self.generate(&pair.value)?;
            safe &= value.safe;
            placeholders.push((key.to_owned(), printed(&value)));
        }
        let placeholders = Placeholders::new(placeholders)
            .map_err(|why| Inexpressible::function(name, why, span))?;
        let parts = |text: &str, literal: &dyn Fn(&str) -> Hcl| -> Expressed<TypedHcl> {
            let cuts = placeholders.segments(text, &self.evaluator, Hcl::bytes);
            let cuts = cuts.map_err(|why| Inexpressible::function(name, why, span))?;
            let parts = cuts.into_iter().map(|cut| match cut {
                TextSegment::Text(text) => literal(text),
                TextSegment::Value(number) => placeholders.pairs()[number].1.clone(),
            });
            Ok(TypedHcl::text(Hcl::concatenated(parts)))
        };
        if let Some((path, content)) = self.read_file(&replace.template) {
            let cuts = placeholders.segments(&content, &self.evaluator, Hcl::bytes);
            let cuts = cuts.map_err(|why| Inexpressible::function(name, why, span))?;
            return Ok(TypedHcl::text(self.template_file(&path, &cuts, placeholders.pairs()))
                .safe_if(safe));
        }
        if let Some(template) = replace.template.as_text() {
            return Ok(parts(template, &|text| self.with_loop_placeholders(text))?.safe_if(safe));
        }
        let template = self.generate(&replace.template)?;
        if let Hcl::Text(text) = &template.hcl {
            // Nothing in it is evaluated.
            return Ok(parts(text, &|text| Hcl::text(text))?.safe_if(safe));
        }
        if let Some(hcl) = substituted(&template.hcl, placeholders.pairs()) {
            return Ok(TypedHcl::text(hcl).safe_if(safe && template.safe));
        }
        // Each placeholder becomes a loop around the others.
        if placeholders.pairs().len() > MAX_EXPRESSION_DEPTH {
            let why =
                format!("a computed string has more than {MAX_EXPRESSION_DEPTH} placeholders");
            return Err(Inexpressible::function(name, why, span));
        }
        let hcl = parted(template.hcl, placeholders.pairs(), 0);
        Ok(TypedHcl::text(hcl).safe_if(safe && template.safe))
    }

    fn hash(&self, algorithm: &Expr, text: TypedHcl, span: Span) -> Expressed<TypedHcl> {
        let function = match algorithm.as_text().map(str::to_ascii_lowercase).as_deref() {
            Some("md5") => "md5",
            Some("sha1" | "sha-1") => "sha1",
            Some("sha256" | "sha-256") => "sha256",
            Some("sha512" | "sha-512") => "sha512",
            Some(other) => {
                let why = format!("Terraform has no function for the digest `{other}`");
                return Err(Inexpressible::function("digest", why, span)
                    .suggesting("use md5, sha1, sha256 or sha512"));
            }
            None => {
                let why = "the name of the digest is computed";
                return Err(Inexpressible::function("digest", why, span));
            }
        };
        Ok(TypedHcl::text(Hcl::call(function, [text.hcl])).safe_if(text.safe))
    }

    fn url(&self, pairs: &[Pair], _span: Span) -> Expressed<TypedHcl> {
        let mut expressed: Vec<(&str, TypedHcl)> = Vec::new();
        let mut query = None;
        for pair in pairs {
            let Some(key) = pair.key.as_text() else { continue };
            match key {
                "query" => query = Some(self.query(&pair.value)?),
                "scheme" | "username" | "password" | "host" | "port" | "path" | "fragment" => {
                    expressed.push((key, self.generate(&pair.value)?));
                }
                _ => {}
            }
        }
        let get =
            |key: &str| expressed.iter().rev().find(|(name, _)| *name == key).map(|(_, it)| it);
        let known = |key: &str| match get(key).map(|it| &it.hcl) {
            None => Some(String::new()),
            Some(Hcl::Text(text)) => Some(text.clone()),
            Some(_) => None,
        };
        let mut url: Vec<Hcl> = Vec::new();
        let mut authority: Vec<Hcl> = Vec::new();
        let optional = |value: &Hcl, before: &str, after: &str, wrapped: Hcl| match value {
            Hcl::Text(text) if text.is_empty() => Hcl::text(""),
            Hcl::Text(_) | Hcl::Number(_) => {
                Hcl::concatenated([Hcl::text(before), wrapped, Hcl::text(after)])
            }
            value => {
                let text = Hcl::concatenated([Hcl::text(before), wrapped, Hcl::text(after)]);
                let is_empty = Hcl::operation("==", value.clone(), Hcl::text(""));
                Hcl::choice(is_empty, Hcl::text(""), text)
            }
        };
        if let Some(scheme) = get("scheme") {
            url.push(optional(&scheme.hcl, "", ":", scheme.hcl.clone()));
        }
        match (get("username"), get("password")) {
            (None, None) => {}
            (user, password) => {
                let empty = || Hcl::text("");
                let user = user.map_or_else(empty, |it| quoted(&it.hcl, ""));
                let password = match password {
                    Some(password) => optional(&password.hcl, ":", "", quoted(&password.hcl, "")),
                    None => empty(),
                };
                let both = Hcl::concatenated([user, password]);
                authority.push(optional(&both.clone(), "", "@", both));
            }
        }
        if let Some(host) = get("host") {
            authority.push(host_name(&host.hcl));
        }
        if let Some(port) = get("port") {
            authority.push(optional(&port.hcl, ":", "", printed(port)));
        }
        let authority = Hcl::concatenated(authority);
        // Without a host, slashes are written only if the scheme has a host part.
        let has_host = authority != Hcl::text("");
        let path_is_double = known("path").is_some_and(|path| path.starts_with("//"));
        let is_rooted = has_host
            || known("scheme")
                .is_none_or(|scheme| WITH_HOST.contains(&scheme.as_str()) && !path_is_double);
        if is_rooted {
            url.push(Hcl::text("//"));
            url.push(authority);
        }
        if let Some(path) = get("path") {
            let rooted = match &path.hcl {
                _ if !is_rooted => path.hcl.clone(),
                Hcl::Text(text) if text.is_empty() || text.starts_with('/') => path.hcl.clone(),
                Hcl::Text(text) => Hcl::text(format!("/{text}")),
                value => {
                    Hcl::call("replace", [value.clone(), Hcl::text("/^([^/])/"), Hcl::text("/$1")])
                }
            };
            url.push(quoted(&rooted, "/"));
        }
        if let Some(query) = query {
            url.push(optional(&query.clone(), "?", "", query));
        }
        if let Some(fragment) = get("fragment") {
            url.push(optional(&fragment.hcl, "#", "", quoted(&fragment.hcl, "/")));
        }
        Ok(TypedHcl::text(Hcl::concatenated(url)))
    }
}

impl ModuleScope<'_> {
    /// The path and the content of a file that an expression reads, unless a template cannot hold the content.
    fn read_file(&self, expr: &Expr) -> Option<(String, String)> {
        let ExprKind::File(path) = &expr.kind else { return None };
        match self.evaluator.constant(expr)?.unsealed() {
            Value::Text(content) if !content.contains(['\0', '\u{feff}']) => {
                Some((path.as_text().unwrap_or("file").to_owned(), content.to_string()))
            }
            _ => None,
        }
    }

    /// A call of `templatefile` with a file in which expressions take the place of placeholders.
    fn template_file(
        &self,
        path: &str,
        segments: &[TextSegment<'_>],
        placeholders: &[(String, Hcl)],
    ) -> Hcl {
        let mut names = NamePool::default();
        let mut variables: IndexMap<usize, String> = IndexMap::new();
        let pieces = segments.iter().map(|segment| match segment {
            TextSegment::Text(text) => TemplatePart::Text((*text).to_owned()),
            TextSegment::Value(number) => {
                let wanted = || placeholder_name(&placeholders[*number].0);
                let name = variables.entry(*number).or_insert_with(|| names.allocate(&wanted()));
                TemplatePart::Value(Hcl::name(name.clone()))
            }
        });
        let pieces: Vec<TemplatePart> = pieces.collect();
        let content = print::template(&pieces, print::escape_markers);
        let name = format!("{path}.tftpl");
        let added = self.needs.borrow_mut().files.add(&name, &content);
        let file = Hcl::concatenated([Hcl::name("path.module"), Hcl::text(format!("/{added}"))]);
        let values = variables.into_iter();
        let values = values.map(|(number, name)| (Hcl::text(name), placeholders[number].1.clone()));
        Hcl::call("templatefile", [file, Hcl::Object(values.collect())])
    }

    fn query(&self, query: &Expr) -> Expressed<Hcl> {
        let ExprKind::Map(pairs) = &query.kind else {
            let why = "the query is computed";
            return Err(Inexpressible::function("make_url", why, query.span));
        };
        let mut parts = Vec::new();
        for pair in pairs {
            if !parts.is_empty() {
                parts.push(Hcl::text("&"));
            }
            let key = self.generate(&pair.key)?;
            let value = self.generate(&pair.value)?;
            parts.push(queried(&printed(&key)));
            parts.push(Hcl::text("="));
            parts.push(queried(&printed(&value)));
        }
        Ok(Hcl::concatenated(parts))
    }
}

/// The name of the variable for a placeholder: `$db_host`, `%db_host%` and `{{ db_host }}` are `db_host`.
fn placeholder_name(placeholder: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = placeholder.trim_matches(|c| !fits(c)).trim_matches('_');
    match name {
        "" => "value".to_owned(),
        "true" | "false" | "null" | "for" | "if" => format!("{name}_value"),
        name => name.to_owned(),
    }
}

/// Replaces placeholders in a computed string in one pass, which gives what Heat does unless placeholders can
/// overlap: `None`.
fn substituted(text: &Hcl, placeholders: &[(String, Hcl)]) -> Option<Hcl> {
    let overlap = |one: &str, other: &str| {
        let mut starts = one.char_indices().skip(1);
        starts.any(|(at, _)| other.starts_with(&one[at..]) && other.len() > one.len() - at)
    };
    let keys = || placeholders.iter().map(|(key, _)| key.as_str());
    if placeholders.len() < 2 || keys().any(|one| keys().any(|it| it != one && overlap(one, it))) {
        return None;
    }
    let firsts: BTreeSet<char> = keys().filter_map(|key| key.chars().next()).collect();
    let firsts: String = firsts.into_iter().flat_map(escaped).collect();
    let keys = keys().map(|key| key.chars().flat_map(escaped).collect());
    let pattern: Vec<String> = keys.chain([format!("[^{firsts}]+"), "(?s:.)".to_owned()]).collect();
    let parts = Hcl::call("regexall", [Hcl::text(pattern.join("|")), text.clone()]);
    let values = placeholders.iter().map(|(key, value)| (Hcl::text(key), value.clone())).collect();
    let part = || Hcl::name("part");
    let value = Hcl::call("lookup", [Hcl::Object(values), part(), part()]);
    Some(Hcl::call("join", [Hcl::text(""), Hcl::each("part", parts, value)]))
}

/// A character of a regular expression, also in a class, that stands for itself.
fn escaped(c: char) -> impl Iterator<Item = char> {
    r"\.+*?()|[]{}^$-".contains(c).then_some('\\').into_iter().chain([c])
}

/// Replaces placeholders in a computed string: it is split at one placeholder, the others are replaced in
/// every part, and the parts are joined with the value.
fn parted(text: Hcl, placeholders: &[(String, Hcl)], depth: usize) -> Hcl {
    let Some(((key, value), rest)) = placeholders.split_first() else { return text };
    // `replace` takes a text between slashes for a regular expression.
    let is_pattern = key.len() > 1 && key.starts_with('/') && key.ends_with('/');
    if rest.is_empty() && !is_pattern {
        return Hcl::call("replace", [text, Hcl::text(key), value.clone()]);
    }
    let cut = Hcl::call("split", [Hcl::text(key), text]);
    if rest.is_empty() {
        return Hcl::call("join", [value.clone(), cut]);
    }
    let name = format!("piece{depth}");
    let inner = parted(Hcl::name(name.clone()), rest, depth + 1);
    Hcl::call("join", [value.clone(), Hcl::each(name, cut, inner)])
}

/// A URL-encoded part of a URL, in which `safe` characters stay.
fn quoted(value: &Hcl, safe: &str) -> Hcl {
    if let Hcl::Text(text) = value {
        return Hcl::text(quote(text, safe));
    }
    let mut quoted = Hcl::call("urlencode", [value.clone()]);
    quoted = Hcl::call("replace", [quoted, Hcl::text("+"), Hcl::text("%20")]);
    for letter in safe.chars() {
        let code = format!("%{:02X}", u32::from(letter));
        quoted = Hcl::call("replace", [quoted, Hcl::text(code), Hcl::text(letter)]);
    }
    quoted
}

/// A URL-encoded part of a query: spaces become `+`.
fn queried(value: &Hcl) -> Hcl {
    if let Hcl::Text(text) = value {
        return Hcl::text(quote(text, " /").replace(' ', "+"));
    }
    let quoted = Hcl::call("urlencode", [value.clone()]);
    Hcl::call("replace", [quoted, Hcl::text("%2F"), Hcl::text("/")])
}

/// A host, in brackets if it is an IPv6 address.
fn host_name(host: &Hcl) -> Hcl {
    if let Hcl::Text(text) = host {
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        let bare = quote(bare, ":");
        return Hcl::text(if bare.contains(':') { format!("[{bare}]") } else { bare });
    }
    let bare = Hcl::call("replace", [host.clone(), Hcl::text("/^\\[(.*)\\]$/"), Hcl::text("$1")]);
    let bare = quoted(&bare, ":");
    let it = || Hcl::name("host");
    let is_v6 = Hcl::call("strcontains", [it(), Hcl::text(":")]);
    let bracketed = Hcl::concatenated([Hcl::text("["), it(), Hcl::text("]")]);
    Hcl::bound("host", bare, Hcl::choice(is_v6, bracketed, it()))
}
