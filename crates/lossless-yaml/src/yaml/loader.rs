//! The two loaders of PyYAML.
//!
//! Heat's rule: `docs/heat.md#loaders`.

/// The PyYAML loader to imitate. Heat loads with libyaml and, if that fails, once
/// more with the pure Python loader, which accepts some texts that libyaml rejects.
///
/// The pure Python loader differs in this:
/// - tabs never separate tokens, end plain scalars and may begin the first line of a block scalar;
/// - it ignores unknown directives and accepts any `%YAML 1.x`;
/// - in flow collections a plain scalar ends before `?`, and before a `:` that is followed by one of
///   `,[]{}`, which libyaml rejects; `[? : a]` is a pair without a key;
/// - `"\ud800"` is a lone surrogate, here U+FFFD;
/// - the suffix of a tag may contain `,[]`;
/// - a byte order mark within the text belongs to a plain scalar;
/// - a comment after a block scalar's header or a `%YAML` directive needs a blank before it.
///
/// Errors have libyaml's wording in both dialects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PyYamlLoader {
    /// libyaml 0.2.5, through `CSafeLoader`.
    #[default]
    LibYaml,
    /// PyYAML's pure Python `SafeLoader`.
    PurePython,
}
