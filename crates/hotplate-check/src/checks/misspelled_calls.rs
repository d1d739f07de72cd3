//! Maps with one key that is nearly the name of a function: Heat takes them as data.
//!
//! Heat's rules: `docs/heat.md#what-a-function-call-is`, `docs/heat.md#the-function-tables`.

use super::{Check, Scope};
use std::collections::HashMap;

use crate::codes;
use crate::stacks::CheckedStack;
use heat_template::hot::{CallContext, FunctionMeaning, Version};
use heat_template::ir::{Expr, ExprKind, Pair, Stack};
use heat_template::{cfn, hot};
use source_diagnostics::{Diagnostic, Span, Suggestions};

/// Maps that are nearly calls.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::MISSPELLED_FUNCTION],
    run: |it, found| check(it.stack, found),
};

/// The functions of the version of a template.
pub(crate) struct FunctionNames<'s> {
    stack: &'s Stack,
    version: Option<Version>,
    /// Each with its form without what joins the words.
    names: Vec<(&'static str, String)>,
    suggestions: Suggestions<'static>,
}

/// What is nearly a call.
pub(crate) struct NearCall<'e> {
    /// The key, or the text.
    place: &'e Expr,
    name: &'e str,
    meant: &'static str,
    mistake: Mistake,
    /// What the function is called with, if that is an expression, and else its text.
    pub(crate) argument: Result<&'e Expr, &'e str>,
}

/// Why it is no call.
#[derive(Clone, Copy)]
enum Mistake {
    Misspelled,
    /// The function is one of later versions.
    NewerThan(Version),
    /// The map has other keys.
    OtherKeys,
    /// YAML reads the function and its argument as one key.
    NoBlank,
    /// The call is in quotes.
    Quoted,
}

/// The functions of HOT that have the place of one of CloudFormation.
const OF_CFN: [(&str, &str); 5] = [
    ("Fn::GetAtt", "get_attr"),
    ("Fn::Join", "list_join"),
    ("Fn::Split", "str_split"),
    ("Fn::Replace", "str_replace"),
    ("Fn::FindInMap", "get_param"),
];

/// A name without what differs between ways to join words.
fn squeezed(name: &str) -> String {
    name.chars().filter(|it| !matches!(it, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

impl<'s> FunctionNames<'s> {
    pub(crate) fn of(stack: &'s Stack) -> Self {
        let version = Version::from_declaration(stack.format.version).map(|(version, _)| version);
        let hot = version.into_iter().flat_map(|version| {
            hot::functions().filter(move |it| {
                let meaning = it.meaning(version, CallContext::Value);
                meaning.is_some_and(|it| it != FunctionMeaning::Removed)
            })
        });
        let cfn = cfn::functions().filter(|_| stack.format.dialect == "cfn").map(|it| it.name);
        // Shorter words, such as `if` and `filter`, are common keys of data, and so are words that are like them.
        let is_telling = |name: &&str| name.contains(['_', ':']);
        let names: Vec<_> = hot.map(|it| it.name).chain(cfn).filter(is_telling).collect();
        let suggestions = Suggestions::new(names.iter().copied());
        let names = names.into_iter().map(|name| (name, squeezed(name))).collect();
        FunctionNames { stack, version, names, suggestions }
    }

    /// What is nearly a call of a function.
    pub(crate) fn misspelled<'e>(&mut self, expr: &'e Expr) -> Option<NearCall<'e>> {
        match &expr.kind {
            ExprKind::Map(pairs) => match &pairs[..] {
                [pair] => self.key(pair),
                pairs => pairs.iter().find_map(|pair| {
                    let name = pair.key.as_text()?;
                    let (meant, mistake) = (self.exact(name)?, Mistake::OtherKeys);
                    let argument = Ok(&pair.value);
                    Some(NearCall { place: &pair.key, name, meant, mistake, argument })
                }),
            },
            ExprKind::Text(text) if !text.contains('\n') => {
                let inner = text.trim();
                let inner = inner.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
                let (name, argument) = inner?.trim().split_once(": ")?;
                let (meant, mistake) = (self.exact(name)?, Mistake::Quoted);
                let argument = Err(argument.trim());
                Some(NearCall { place: expr, name, meant, mistake, argument })
            }
            _ => None,
        }
    }

    fn exact(&self, name: &str) -> Option<&'static str> {
        self.names.iter().map(|(known, _)| *known).find(|known| *known == name)
    }

    /// The only pair of a map.
    fn key<'e>(&mut self, pair: &'e Pair) -> Option<NearCall<'e>> {
        let name = pair.key.as_text()?;
        let near = |meant, mistake, argument| {
            Some(NearCall { place: &pair.key, name, meant, mistake, argument })
        };
        if let (ExprKind::Null, Some((function, argument))) =
            (&pair.value.kind, name.split_once(':'))
            && let Some(meant) = self.exact(function)
        {
            return near(meant, Mistake::NoBlank, Err(argument));
        }
        let argument = Ok(&pair.value);
        if let (Some(version), Some(function)) = (self.version, hot::hot_function(name)) {
            let meaning = |version| function.meaning(version, CallContext::Value);
            let newer = Version::all().find(|it| *it > version && meaning(*it).is_some());
            let newer = newer.filter(|_| meaning(version).is_none() && name.contains('_'));
            return newer.and_then(|it| near(function.name, Mistake::NewerThan(it), argument));
        }
        let of_cfn = OF_CFN.iter().find(|(of_cfn, _)| *of_cfn == name).map(|(_, meant)| *meant);
        let is_resource = || pair.value.as_text().map(|it| self.stack.resources.contains_key(it));
        let is_parameter = || pair.value.as_text().map(|it| self.stack.parameters.contains_key(it));
        let of_cfn = match name {
            "Ref" if is_resource() == Some(true) => Some("get_resource"),
            "Ref" if is_parameter() == Some(true) => Some("get_param"),
            _ => of_cfn,
        };
        if let Some(meant) = of_cfn.and_then(|meant| self.exact(meant)) {
            return near(meant, Mistake::Misspelled, argument);
        }
        let joined = squeezed(name);
        let mut same = self.names.iter().filter(|(known, form)| *known != name && *form == joined);
        if let Some((meant, _)) = same.next() {
            return near(meant, Mistake::Misspelled, argument);
        }
        let spelled = name.replace('-', "_");
        if !spelled.contains(['_', ':']) {
            return None;
        }
        let place = Some(pair.key.span);
        let meant = self.suggestions.nearest(&spelled, place);
        let meant = meant.or_else(|| self.suggestions.nearest(&spelled.to_lowercase(), place))?;
        (meant != name).then(|| near(meant, Mistake::Misspelled, argument))?
    }
}

impl NearCall<'_> {
    fn finding(&self, version: &str) -> Diagnostic {
        let NearCall { name, meant, .. } = self;
        let message = match self.mistake {
            Mistake::Misspelled | Mistake::NewerThan(_) => {
                format!("`{name}` is not a function in version {version}")
            }
            Mistake::OtherKeys => {
                format!("a map with other keys beside `{name}` is data and no call of it")
            }
            Mistake::NoBlank => format!("`{name}` is a key without a value and no call"),
            Mistake::Quoted => format!("`{name}` in quotes is text and no call"),
        };
        let finding = Diagnostic::new(codes::MISSPELLED_FUNCTION, message).at(self.place.span);
        match self.mistake {
            Mistake::Misspelled => finding.did_you_mean(meant),
            Mistake::NewerThan(first) => {
                finding.help(format!("`{name}` is available from {first}: declare that version"))
            }
            Mistake::OtherKeys => finding.help(format!(
                "indent the keys that belong to `{name}` below it, and move the others"
            )),
            Mistake::NoBlank => {
                finding.help(format!("write a blank after the colon: `{meant}: …`"))
            }
            Mistake::Quoted => finding.help("remove the quotes around the braces"),
        }
    }
}

/// Adds a finding for each such map or text. Where Heat refuses it as a value, the finding about that says why.
pub(crate) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let (misspelled, limit) = explain_refused(stack.stack(), found);
    found.extend(misspelled);
    found.extend(limit);
}

/// Says of each refused value that is such a map or text what is wrong with it. Returns the findings about the others, and about
/// names that were not compared.
pub(crate) fn explain_refused(
    stack: &Stack,
    found: &mut [Diagnostic],
) -> (Vec<Diagnostic>, Option<Diagnostic>) {
    let mut names = FunctionNames::of(stack);
    let mut misspelled: Vec<(Span, Diagnostic)> = Vec::new();
    for expr in stack.expressions() {
        expr.walk(&mut |expr| {
            if let Some(near) = names.misspelled(expr) {
                misspelled.push((expr.span, near.finding(stack.format.version)));
            }
        });
    }
    let refused = found.iter().enumerate().filter(|(_, it)| it.code == codes::PROPERTY_TYPE);
    let refused: HashMap<Span, usize> =
        refused.filter_map(|(at, it)| Some((it.span()?, at))).collect();
    let mut others = Vec::new();
    for (span, finding) in misspelled {
        match refused.get(&span).and_then(|at| found.get_mut(*at)) {
            Some(refused) => {
                *refused = Diagnostic { code: refused.code, severity: refused.severity, ..finding }
            }
            None => others.push(finding),
        }
    }
    (others, names.suggestions.limit_finding())
}
