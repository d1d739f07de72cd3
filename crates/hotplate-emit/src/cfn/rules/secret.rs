//! `OS::Heat::RandomString` becomes a secret that AWS generates.

use super::server::boolean;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::TemplateBuilder;
use crate::cfn::value::text_of;
use crate::tree::DataTree;

/// Heat's values of `sequence`, with the settings that exclude other classes of characters, and further
/// characters to exclude.
const SEQUENCES: &[(&str, &[&str], &str)] = &[
    ("lettersdigits", &["ExcludePunctuation"], ""),
    ("letters", &["ExcludePunctuation", "ExcludeNumbers"], ""),
    ("lowercase", &["ExcludePunctuation", "ExcludeNumbers", "ExcludeUppercase"], ""),
    ("uppercase", &["ExcludePunctuation", "ExcludeNumbers", "ExcludeLowercase"], ""),
    ("digits", &["ExcludePunctuation", "ExcludeUppercase", "ExcludeLowercase"], ""),
    ("octdigits", &["ExcludePunctuation", "ExcludeUppercase", "ExcludeLowercase"], "89"),
    ("hexdigits", &["ExcludePunctuation"], "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ"),
];

/// Heat's default length of a random string.
const LENGTH: &str = "32";

/// `OS::Heat::RandomString`: `GenerateSecretString` of a secret.
pub(super) fn random_string(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let mut pairs = Vec::new();
    let here = builder.here("PasswordLength", builder.span());
    let length = builder
        .heat_property("length")
        .map(|length| template_builder.expr(length, form("integer"), here));
    let length = match length {
        Some(Ok(tree)) => tree,
        Some(Err(why)) => {
            builder.lose(template_builder, &why, here.span);
            DataTree::from(LENGTH)
        }
        None => lossless_yaml::Value::Int(python_semantics::number::Integer::Small(32)).into(),
    };
    pairs.push(("PasswordLength", length));
    let sequence = match builder.heat_property("sequence") {
        None => Some("lettersdigits".to_owned()),
        Some(expr) => template_builder.evaluator.constant(expr).as_ref().and_then(text_of),
    };
    let known = SEQUENCES.iter().find(|(name, ..)| Some(*name) == sequence.as_deref());
    let computed = ["character_classes", "character_sequences"].iter().find_map(|name| {
        let expr = builder.heat_property(name)?;
        (template_builder.evaluator.constant(expr) != Some(heat_engine::eval::Value::Null))
            .then_some((*name, expr))
    });
    match (known, computed) {
        (_, Some((name, expr))) => {
            let message = format!(
                "`{name}` of `{owner}` has no counterpart: AWS chooses from letters and digits"
            );
            let lines = template_builder.report_lost_item(name, message, expr.span, &owner);
            builder.comment(lines);
            pairs.push(("ExcludePunctuation", boolean(true)));
        }
        (Some((_, kinds, letters)), None) => {
            kinds.iter().for_each(|kind| pairs.push((kind, boolean(true))));
            if !letters.is_empty() {
                pairs.push(("ExcludeCharacters", DataTree::from(*letters)));
            }
        }
        (None, None) => {
            let span = builder.heat_property("sequence").map_or(builder.span(), |expr| expr.span);
            let message = format!(
                "`sequence` of `{owner}` has no counterpart: AWS chooses from letters and digits"
            );
            let lines = template_builder.report_lost_item("sequence", message, span, &owner);
            builder.comment(lines);
            pairs.push(("ExcludePunctuation", boolean(true)));
        }
    }
    // Heat requires no class of characters unless `character_classes` does.
    pairs.push(("RequireEachIncludedType", boolean(false)));
    builder.set("GenerateSecretString", DataTree::map(pairs));
}
