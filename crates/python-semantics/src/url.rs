//! `urllib.parse`.

/// `urllib.parse.quote` with these safe characters: every other byte but letters, digits and `_.-~` is written as `%XX`.
pub fn quote(text: impl AsRef<[u8]>, safe: &str) -> String {
    let mut out = String::with_capacity(text.as_ref().len());
    for &byte in text.as_ref() {
        if byte.is_ascii_alphanumeric()
            || b"_.-~".contains(&byte)
            || safe.as_bytes().contains(&byte)
        {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
