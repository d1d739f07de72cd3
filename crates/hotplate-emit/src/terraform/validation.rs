//! Translates constraints into `validation` blocks.

use super::hcl::{BodyItem, Hcl};
use super::literal::plain;
use super::module::ModuleWriter;
use crate::{Loss, LossKind};
use heat_engine::eval::{Value, parameters};
use heat_template::ir::{ConstraintKind, Expr, Parameter, ParameterConstraint, ParameterType};

/// The blocks of a parameter's constraints.
pub(super) fn validations(
    writer: &ModuleWriter<'_, '_>,
    name: &str,
    variable: &str,
    parameter: &Parameter,
) -> Vec<BodyItem> {
    let mut items = Vec::new();
    for constraint in &parameter.constraints {
        let mut above = writer.comments.take_lines(constraint.span);
        above.extend(writer.comments.take_inside(constraint.span));
        match condition(constraint, variable, parameter.kind) {
            Ok((condition, wording)) => {
                let wording = match constraint.description.as_ref().and_then(Expr::as_text) {
                    Some(text) if !text.trim().is_empty() => text.to_owned(),
                    _ => format!("{name} must {wording}."),
                };
                let block = vec![
                    BodyItem::argument("condition", condition),
                    BodyItem::argument("error_message", Hcl::text(wording)),
                ];
                let block = super::hcl::HclBlock::new("validation", &[], block).above(above);
                items.push(BodyItem::Block(block));
            }
            Err((subject, why)) => {
                let message = format!("a constraint of `{name}` is not checked: {why}");
                let loss = Loss::new(LossKind::Section, subject, message, constraint.span)
                    .with_owner(name);
                writer.report_loss(loss);
                above.extend(writer.snippet("", constraint.span));
                items.push(BodyItem::Remark(above));
            }
        }
    }
    items
}

type ValidationCondition = Result<(Hcl, String), (&'static str, String)>;

fn condition(
    constraint: &ParameterConstraint,
    variable: &str,
    kind: Option<ParameterType>,
) -> ValidationCondition {
    let value = || Hcl::name(format!("var.{variable}"));
    let none = |subject: &'static str, why: &str| Err((subject, why.to_owned()));
    match &constraint.kind {
        ConstraintKind::Range(limits) => match between(limits, &value()) {
            Some((condition, wording)) => Ok((condition, format!("be {wording}"))),
            None => none("range", "it has no limits"),
        },
        ConstraintKind::Length(limits) => match between(limits, &Hcl::call("length", [value()])) {
            Some((condition, wording)) => Ok((condition, format!("have a length of {wording}"))),
            None => none("length", "it has no limits"),
        },
        ConstraintKind::Modulo(operand) => {
            let number = |key| operand.member(key).and_then(number);
            let (Some(step), Some(offset)) = (number("step"), number("offset")) else {
                return none("modulo", "it has no step, or no offset");
            };
            let wording = format!(
                "be a multiple of {} plus {}",
                super::print::line(&step),
                super::print::line(&offset)
            );
            let rest = Hcl::operation("%", Hcl::operation("-", value(), offset), step);
            Ok((Hcl::operation("==", rest, Hcl::int(0)), wording))
        }
        ConstraintKind::AllowedValues(values) => {
            let Value::List(items) = Value::from_expr_as_sent(values) else {
                return none("allowed_values", "it is not a list");
            };
            let convert = |item: &Value| match kind {
                Some(
                    kind @ (ParameterType::Text | ParameterType::Number | ParameterType::Boolean),
                ) => parameters::coerce(item, kind).ok().as_ref().and_then(plain),
                _ => plain(item),
            };
            let Some(items) = items.iter().map(convert).collect::<Option<Vec<_>>>() else {
                return none("allowed_values", "an allowed value has no literal in Terraform");
            };
            let wording = items.iter().map(super::print::line).collect::<Vec<_>>().join(", ");
            let among = |list: Hcl, value: Hcl| Hcl::call("contains", [list, value]);
            let json = |hcl: Hcl| Hcl::call("jsonencode", [hcl]);
            Ok(match kind {
                Some(ParameterType::Text | ParameterType::Number | ParameterType::Boolean) => {
                    let wording = format!("be one of {wording}");
                    (among(Hcl::List(items), value()), wording)
                }
                Some(ParameterType::TextList) => {
                    let each =
                        Hcl::each("item", value(), among(Hcl::List(items), Hcl::name("item")));
                    (Hcl::call("alltrue", [each]), format!("contain only {wording}"))
                }
                Some(ParameterType::Json) | None => {
                    let items = Hcl::List(items.into_iter().map(json).collect());
                    let one = among(items.clone(), json(value()));
                    let each = Hcl::each(
                        "item",
                        Hcl::call("concat", [value()]),
                        among(items, json(Hcl::name("item"))),
                    );
                    // For a list, every item is checked.
                    let wording = format!("be one of {wording}");
                    (Hcl::call("try", [Hcl::call("alltrue", [each]), one]), wording)
                }
            })
        }
        ConstraintKind::AllowedPattern(pattern) => {
            let Some(text) = pattern.as_text() else {
                return none("allowed_pattern", "it is not a string");
            };
            let translated = match pattern_of(text) {
                Ok(pattern) => pattern,
                Err(why) => return Err(("allowed_pattern", why)),
            };
            let wording = format!("match the pattern {text}");
            Ok((whole_match(&translated, value()), wording))
        }
        ConstraintKind::Custom(name) => Err((
            "custom_constraint",
            format!("only OpenStack can check `{}`", name.as_text().unwrap_or_default()),
        )),
        ConstraintKind::Missing => none("constraints", "it has no constraint that Heat knows"),
    }
}

/// Heat matches a prefix with the pattern and requires it to be the whole string. For a pattern with
/// alternatives, that is stricter than matching the whole string.
fn whole_match(pattern: &str, value: Hcl) -> Hcl {
    let matches = |pattern: String| {
        Hcl::call("can", [Hcl::call("regex", [Hcl::text(pattern), value.clone()])])
    };
    if goes_one_way(pattern) {
        let start = if pattern.starts_with('^') { "" } else { "^" };
        let end = if ends_with_anchor(pattern) { "" } else { "$" };
        return matches(format!("{start}{pattern}{end}"));
    }
    let pattern = format!("^(?:{pattern})");
    // `/…/` marks a pattern; a `/` inside it is literal.
    let rest =
        Hcl::call("replace", [value.clone(), Hcl::text(format!("/{pattern}/")), Hcl::text("")]);
    Hcl::operation("&&", matches(pattern), Hcl::operation("==", rest, Hcl::text("")))
}

fn ends_with_anchor(pattern: &str) -> bool {
    let before = pattern.strip_suffix('$').unwrap_or("");
    pattern.ends_with('$') && before.chars().rev().take_while(|c| *c == '\\').count() % 2 == 0
}

/// Whether a match of the whole string is also the first match of the pattern: it has no alternatives, or is
/// anchored at its end.
fn goes_one_way(pattern: &str) -> bool {
    let quantifiers = pattern.chars().filter(|c| matches!(c, '*' | '+' | '?' | '{')).count();
    !pattern.contains('|')
        && (ends_with_anchor(pattern) || quantifiers <= 1 && !pattern.contains("?"))
}

/// A Python pattern in the syntax of RE2, or why it cannot be translated.
fn pattern_of(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('Z') => out.push_str("\\z"),
                Some(letter @ ('u' | 'U')) => {
                    let count = if letter == 'u' { 4 } else { 8 };
                    let digits: String = rest.by_ref().take(count).collect();
                    out.push_str(&format!("\\x{{{digits}}}"));
                }
                Some(digit @ '1'..='9') if !in_class => {
                    return Err(format!("RE2 has no back-references (`\\{digit}`)"));
                }
                Some(other) => out.extend(['\\', other]),
                None => return Err("the pattern ends with a backslash".to_owned()),
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if rest.peek() == Some(&'^') {
                    out.extend(rest.next());
                }
                // A closing bracket that comes first is a literal.
                if rest.peek() == Some(&']') {
                    rest.next();
                    out.push_str("\\]");
                }
            }
            '[' => out.push_str("\\["),
            ']' => {
                in_class = false;
                out.push(']');
            }
            '(' if !in_class => {
                let ahead: String = rest.clone().take(3).collect();
                let unknown = ["?=", "?!", "?<=", "?<!", "?>", "?(", "?P=", "?#"];
                if let Some(found) = unknown.iter().find(|it| ahead.starts_with(**it)) {
                    return Err(format!("RE2 does not support `({found}`"));
                }
                out.push('(');
            }
            '*' | '+' | '?' | '}' if !in_class => {
                out.push(c);
                if rest.peek() == Some(&'+') {
                    return Err("RE2 has no possessive quantifiers".to_owned());
                }
            }
            '{' if !in_class && rest.peek() == Some(&',') => out.push_str("{0"),
            c => out.push(c),
        }
    }
    Ok(out)
}

fn between(limits: &Expr, value: &Hcl) -> Option<(Hcl, String)> {
    let limit = |key| limits.member(key).and_then(number);
    let compare = |operator, limit: &Hcl| Hcl::operation(operator, value.clone(), limit.clone());
    let line = super::print::line;
    Some(match (limit("min"), limit("max")) {
        (Some(min), Some(max)) => (
            Hcl::operation("&&", compare(">=", &min), compare("<=", &max)),
            format!("{} to {}", line(&min), line(&max)),
        ),
        (Some(min), None) => (compare(">=", &min), format!("at least {}", line(&min))),
        (None, Some(max)) => (compare("<=", &max), format!("at most {}", line(&max))),
        (None, None) => return None,
    })
}

fn number(expr: &Expr) -> Option<Hcl> {
    let value = Value::from_expr_as_sent(expr);
    let number = parameters::coerce(&value, ParameterType::Number).ok()?;
    match number {
        Value::Int(_) | Value::Float(_) => plain(&number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_hold_for_the_whole_text() {
        let matches =
            |pattern: &str| super::super::print::line(&whole_match(pattern, Hcl::name("x")));
        assert_eq!(matches("[a-z]+"), r#"can(regex("^[a-z]+$", x))"#);
        assert_eq!(matches("^[a-z]+$"), r#"can(regex("^[a-z]+$", x))"#);
        assert_eq!(
            matches("a|ab"),
            r#"can(regex("^(?:a|ab)", x)) && replace(x, "/^(?:a|ab)/", "") == """#
        );
    }

    #[test]
    fn what_re2_lacks_is_wording() {
        assert_eq!(pattern_of("a{,3}[]x]\\Z").as_deref(), Ok("a{0,3}[\\]x]\\z"));
        assert_eq!(pattern_of("[\\u4e00]").as_deref(), Ok("[\\x{4e00}]"));
        for wrong in ["(?=a)", "(?<!a)b", "(a)\\1", "a++", "(?P=n)"] {
            assert!(pattern_of(wrong).is_err(), "{wrong}");
        }
    }
}
