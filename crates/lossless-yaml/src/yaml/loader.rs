//! Which of PyYAML's two readers is followed.
//!
//! Heat's rule: `docs/heat.md#loaders`.

/// Which of PyYAML's two readers is followed. Heat loads with libyaml and, where that fails, once
/// more with the reader in pure Python, which takes some texts that libyaml refuses.
///
/// What the pure reader does differently:
/// - tabs never separate tokens, end plain scalars and may begin the first line of a block scalar;
/// - directives that it does not know are passed over, and any `%YAML 1.x` will do;
/// - in flow collections a plain scalar ends before `?`, and before a `:` that is followed by one of
///   `,[]{}`, which libyaml refuses; `[? : a]` is a pair without a key;
/// - `"\ud800"` is a lone surrogate, here U+FFFD;
/// - the suffix of a tag may hold `,[]`;
/// - a byte order mark within the text belongs to a plain scalar;
/// - a comment after a block scalar's header or a `%YAML` directive needs a blank before it.
///
/// Errors have libyaml's words in both dialects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PyYamlLoader {
    /// libyaml 0.2.5, through `CSafeLoader`.
    #[default]
    LibYaml,
    /// PyYAML's own `SafeLoader`.
    PurePython,
}
