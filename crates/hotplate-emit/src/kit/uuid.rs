//! Tells IDs from names.

/// Whether a string has the form of a UUID. As in Python's `uuid.UUID`, which Heat uses, hyphens may be
/// anywhere.
pub(crate) fn is_uuid(text: &str) -> bool {
    let digits = text.chars().filter(|c| *c != '-').count();
    digits == 32 && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_may_be_anywhere() {
        assert!(is_uuid("0b2b1c6e-54a9-4d6d-9f52-6b1f4a7f0c11"));
        assert!(is_uuid("0b2b1c6e54a94d6d9f526b1f4a7f0c11"));
        assert!(is_uuid("0b2b1c6e54a9-4d6d9f526b1f4a7f0c11"));
        assert!(!is_uuid("0b2b1c6e-54a9-4d6d-9f52-6b1f4a7f0c1g"));
        assert!(!is_uuid("public"));
    }
}
