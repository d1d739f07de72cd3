//! Expressions and bodies of Terraform's language, before they are written as HCL or JSON.

use smol_str::SmolStr;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Hcl {
    Null,
    Bool(bool),
    /// The digits of a number, as written.
    Number(String),
    Text(String),
    /// A string with expressions in it.
    Template(Vec<TemplatePart>),
    List(Vec<Hcl>),
    /// An object. Every key is a string, or an expression that yields one.
    Object(Vec<(Hcl, Hcl)>),
    /// A name with further names after dots: `var.name`, `count.index`.
    Name(String),
    /// Words that are not evaluated as an expression: a type, the address of an `import`.
    Verbatim(String),
    Attribute(Box<Hcl>, String),
    Index(Box<Hcl>, Box<Hcl>),
    /// A splat, `[*]`, on an expression.
    Splat(Box<Hcl>),
    /// A function call; the last argument may be a list that is expanded (`...`).
    Call {
        function: &'static str,
        arguments: Vec<Hcl>,
        expands: bool,
    },
    Choice(Box<[Hcl; 3]>),
    Not(Box<Hcl>),
    Operation(&'static str, Box<[Hcl; 2]>),
    For(Box<ForExpr>),
}

/// A part of a template string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TemplatePart {
    Text(String),
    Value(Hcl),
}

/// `[for … in … : … if …]`, or with a key `{for … in … : … => … if …}`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ForExpr {
    pub(super) key_name: Option<String>,
    pub(super) name: String,
    pub(super) of: Hcl,
    pub(super) key: Option<Hcl>,
    pub(super) value: Hcl,
    pub(super) only_if: Option<Hcl>,
    /// Whether values with the same key are collected in a list (`...`).
    pub(super) groups: bool,
}

/// The content of a file or of a block, in order.
pub(super) type Body = Vec<BodyItem>;

/// An entry of a body.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BodyItem {
    /// Comments on lines of their own.
    Remark(Vec<String>),
    Argument(HclArgument),
    Block(HclBlock),
}

/// An argument with its comments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HclArgument {
    pub(super) above: Vec<String>,
    pub(super) beside: Option<String>,
    pub(super) name: String,
    pub(super) value: Hcl,
}

/// A block with its comments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HclBlock {
    pub(super) above: Vec<String>,
    pub(super) kind: String,
    pub(super) labels: Vec<String>,
    pub(super) body: Body,
}

impl Hcl {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Hcl::Text(text.into())
    }

    pub(super) fn name(name: impl Into<String>) -> Self {
        Hcl::Name(name.into())
    }

    pub(super) fn int(number: i64) -> Self {
        Hcl::Number(number.to_string())
    }

    pub(super) fn call(function: &'static str, arguments: impl Into<Vec<Hcl>>) -> Self {
        Hcl::Call { function, arguments: arguments.into(), expands: false }
    }

    /// A function call whose last argument is a list of arguments.
    pub(super) fn spread(function: &'static str, arguments: impl Into<Vec<Hcl>>) -> Self {
        Hcl::Call { function, arguments: arguments.into(), expands: true }
    }

    pub(super) fn index(self, index: Hcl) -> Self {
        Hcl::Index(Box::new(self), Box::new(index))
    }

    /// `try(value, null)` with another value instead of null, and `one(list)` as a string.
    pub(super) fn found_or(value: &Hcl, otherwise: Hcl) -> Option<Hcl> {
        match value {
            Hcl::Call { function: "try", arguments, .. } => match arguments.as_slice() {
                [found, Hcl::Null] => Some(Hcl::call("try", [found.clone(), otherwise])),
                _ => None,
            },
            Hcl::Call { function: "one", arguments, .. } => {
                let list = arguments.first()?.clone();
                Some(Hcl::call("join", [Hcl::text(""), list]))
            }
            _ => None,
        }
    }

    /// The value of a key of an object.
    pub(super) fn at(self, key: impl Into<String>) -> Self {
        let key = key.into();
        match is_identifier(&key) {
            true => Hcl::Attribute(Box::new(self), key),
            false => self.index(Hcl::Text(key)),
        }
    }

    pub(super) fn splat(self) -> Self {
        Hcl::Splat(Box::new(self))
    }

    pub(super) fn choice(condition: Hcl, then: Hcl, otherwise: Hcl) -> Self {
        Hcl::Choice(Box::new([condition, then, otherwise]))
    }

    pub(super) fn not(operand: Hcl) -> Self {
        Hcl::Not(Box::new(operand))
    }

    pub(super) fn operation(operator: &'static str, one: Hcl, other: Hcl) -> Self {
        Hcl::Operation(operator, Box::new([one, other]))
    }

    /// `[for name in of : value]`, or the shorter `list[*].a` for `[for i in range(length(list)) : list[i].a]`
    pub(super) fn each(name: impl Into<String>, of: Hcl, value: Hcl) -> Self {
        let name = name.into();
        match of.indexed_list().and_then(|list| value.each_by_splat(list, &name)) {
            Some(splat) => splat,
            None => Hcl::each_if(name, of, value, None),
        }
    }

    /// The list whose indexes `range(length(list))` lists.
    fn indexed_list(&self) -> Option<&Hcl> {
        self.only_argument("range")?.only_argument("length")
    }

    /// The argument of a call of this function with just one.
    fn only_argument(&self, wanted: &str) -> Option<&Hcl> {
        match self {
            Hcl::Call { function, arguments, expands: false } if *function == wanted => {
                match arguments.as_slice() {
                    [only] => Some(only),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The splat `list[*].a` for the item `list[index].a`; `None` if the value depends on the index elsewhere.
    fn each_by_splat(&self, list: &Hcl, index: &str) -> Option<Hcl> {
        match self {
            Hcl::Index(of, at) if **of == *list && **at == Hcl::name(index) => {
                Some(list.clone().splat())
            }
            Hcl::Attribute(of, name) => {
                Some(Hcl::Attribute(Box::new(of.each_by_splat(list, index)?), name.clone()))
            }
            _ => None,
        }
    }

    /// `[for name in of : value if only_if]`
    pub(super) fn each_if(
        name: impl Into<String>,
        of: Hcl,
        value: Hcl,
        only_if: Option<Hcl>,
    ) -> Self {
        let name = name.into();
        Hcl::For(Box::new(ForExpr {
            key_name: None,
            name,
            of,
            key: None,
            value,
            only_if,
            groups: false,
        }))
    }

    /// `{for key_name, name in of : key => value}`
    pub(super) fn map_of(key_name: &str, name: &str, of: Hcl, key: Hcl, value: Hcl) -> Self {
        Hcl::For(Box::new(ForExpr {
            key_name: Some(key_name.to_owned()),
            name: name.to_owned(),
            of,
            key: Some(key),
            value,
            only_if: None,
            groups: false,
        }))
    }

    /// The entries of a map if a condition holds: `{for key, item in of : key => item if only_if}`
    pub(super) fn entry_if(of: Hcl, only_if: Hcl) -> Self {
        Hcl::For(Box::new(ForExpr {
            key_name: Some("key".to_owned()),
            name: "item".to_owned(),
            of,
            key: Some(Hcl::name("key")),
            value: Hcl::name("item"),
            only_if: Some(only_if),
            groups: false,
        }))
    }

    /// `{for name in of : key => value...}`
    pub(super) fn groups(name: String, of: Hcl, key: Hcl, value: Hcl) -> Self {
        let (key_name, only_if) = (None, None);
        Hcl::For(Box::new(ForExpr {
            key_name,
            name,
            of,
            key: Some(key),
            value,
            only_if,
            groups: true,
        }))
    }

    /// `[for name in [value] : body][0]`: binds a value that a longer expression uses more than once.
    pub(super) fn bound(name: &str, value: Hcl, body: Hcl) -> Self {
        match value {
            // A short value is simply repeated.
            Hcl::Name(_) => body.replace_name(name, &value),
            value => Hcl::each(name, Hcl::List(vec![value]), body).index(Hcl::int(0)),
        }
    }

    /// Replaces a name by an expression.
    pub(super) fn replace_name(self, name: &str, with: &Hcl) -> Self {
        let map = |expr: Hcl| expr.replace_name(name, with);
        let boxed = |expr: Box<Hcl>| Box::new(expr.replace_name(name, with));
        match self {
            Hcl::Name(found) if found == name => with.clone(),
            Hcl::Null
            | Hcl::Bool(_)
            | Hcl::Number(_)
            | Hcl::Text(_)
            | Hcl::Name(_)
            | Hcl::Verbatim(_) => self,
            Hcl::Template(pieces) => Hcl::Template(
                pieces
                    .into_iter()
                    .map(|piece| match piece {
                        TemplatePart::Value(value) => TemplatePart::Value(map(value)),
                        text => text,
                    })
                    .collect(),
            ),
            Hcl::List(items) => Hcl::List(items.into_iter().map(map).collect()),
            Hcl::Object(pairs) => {
                Hcl::Object(pairs.into_iter().map(|(key, value)| (map(key), map(value))).collect())
            }
            Hcl::Attribute(of, key) => Hcl::Attribute(boxed(of), key),
            Hcl::Index(of, index) => Hcl::Index(boxed(of), boxed(index)),
            Hcl::Splat(of) => Hcl::Splat(boxed(of)),
            Hcl::Call { function, arguments, expands } => {
                Hcl::Call { function, arguments: arguments.into_iter().map(map).collect(), expands }
            }
            Hcl::Choice(parts) => Hcl::Choice(Box::new(parts.map(map))),
            Hcl::Not(of) => Hcl::Not(boxed(of)),
            Hcl::Operation(operator, sides) => Hcl::Operation(operator, Box::new(sides.map(map))),
            Hcl::For(inner) => Hcl::For(Box::new(ForExpr {
                key_name: inner.key_name,
                name: inner.name,
                of: map(inner.of),
                key: inner.key.map(map),
                value: map(inner.value),
                only_if: inner.only_if.map(map),
                groups: inner.groups,
            })),
        }
    }

    /// Calls `visit` for every name in the expression.
    pub(super) fn for_each_name(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Hcl::Name(name) => visit(name),
            Hcl::Null | Hcl::Bool(_) | Hcl::Number(_) | Hcl::Text(_) | Hcl::Verbatim(_) => {}
            Hcl::Template(pieces) => pieces.iter().for_each(|piece| match piece {
                TemplatePart::Value(value) => value.for_each_name(visit),
                TemplatePart::Text(_) => {}
            }),
            Hcl::List(items) | Hcl::Call { arguments: items, .. } => {
                items.iter().for_each(|item| item.for_each_name(visit));
            }
            Hcl::Object(pairs) => pairs.iter().for_each(|(key, value)| {
                key.for_each_name(visit);
                value.for_each_name(visit);
            }),
            Hcl::Attribute(of, _) | Hcl::Splat(of) | Hcl::Not(of) => of.for_each_name(visit),
            Hcl::Index(of, index) => {
                of.for_each_name(visit);
                index.for_each_name(visit);
            }
            Hcl::Choice(parts) => parts.iter().for_each(|part| part.for_each_name(visit)),
            Hcl::Operation(_, sides) => sides.iter().for_each(|side| side.for_each_name(visit)),
            Hcl::For(inner) => {
                let parts = [&inner.of, &inner.value].into_iter();
                let parts = parts.chain(&inner.key).chain(&inner.only_if);
                parts.for_each(|part| part.for_each_name(visit));
            }
        }
    }

    /// Concatenates strings; adjacent literals become one.
    pub(super) fn concatenated(parts: impl IntoIterator<Item = Hcl>) -> Self {
        let mut pieces: Vec<TemplatePart> = Vec::new();
        for part in parts {
            match part {
                Hcl::Text(text) => push_text(&mut pieces, &text),
                Hcl::Template(inner) => {
                    for piece in inner {
                        match piece {
                            TemplatePart::Text(text) => push_text(&mut pieces, &text),
                            value => pieces.push(value),
                        }
                    }
                }
                value => pieces.push(TemplatePart::Value(value)),
            }
        }
        match pieces.as_slice() {
            [] => Hcl::text(""),
            [TemplatePart::Text(text)] => Hcl::text(text),
            _ => Hcl::Template(pieces),
        }
    }

    /// Its approximate length in bytes.
    pub(super) fn bytes(&self) -> usize {
        let all = |items: &[Hcl]| items.iter().map(Hcl::bytes).sum::<usize>();
        let inside = match self {
            Hcl::Null | Hcl::Bool(_) => 0,
            Hcl::Number(text) | Hcl::Text(text) | Hcl::Name(text) | Hcl::Verbatim(text) => {
                text.len()
            }
            Hcl::Template(pieces) => {
                let piece = |piece: &TemplatePart| match piece {
                    TemplatePart::Text(text) => 32 + text.len(),
                    TemplatePart::Value(value) => value.bytes(),
                };
                pieces.iter().map(piece).sum()
            }
            Hcl::List(items) | Hcl::Call { arguments: items, .. } => all(items),
            Hcl::Object(pairs) => {
                pairs.iter().map(|(key, value)| key.bytes() + value.bytes()).sum()
            }
            Hcl::Attribute(of, key) => key.len() + of.bytes(),
            Hcl::Index(of, index) => of.bytes() + index.bytes(),
            Hcl::Splat(of) | Hcl::Not(of) => of.bytes(),
            Hcl::Choice(parts) => all(&**parts),
            Hcl::Operation(_, sides) => all(&**sides),
            Hcl::For(inner) => {
                let more = inner.key.iter().chain(&inner.only_if).map(Hcl::bytes).sum::<usize>();
                inner.of.bytes() + inner.value.bytes() + more
            }
        };
        32 + inside
    }

    /// Whether it is a literal, so that nothing is computed.
    pub(super) fn is_constant(&self) -> bool {
        match self {
            Hcl::Null | Hcl::Bool(_) | Hcl::Number(_) | Hcl::Text(_) => true,
            Hcl::List(items) => items.iter().all(Hcl::is_constant),
            Hcl::Object(pairs) => {
                pairs.iter().all(|(key, value)| key.is_constant() && value.is_constant())
            }
            _ => false,
        }
    }
}

fn push_text(pieces: &mut Vec<TemplatePart>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(TemplatePart::Text(last)) => last.push_str(text),
        _ => pieces.push(TemplatePart::Text(text.to_owned())),
    }
}

/// Calls `visit` for every name in the expressions of a body.
pub(super) fn for_each_name(body: &Body, visit: &mut dyn FnMut(&str)) {
    for item in body {
        match item {
            BodyItem::Remark(_) => {}
            BodyItem::Argument(argument) => argument.value.for_each_name(visit),
            BodyItem::Block(block) => for_each_name(&block.body, visit),
        }
    }
}

/// Whether a string can be written as a key without quotes.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

impl From<&SmolStr> for Hcl {
    fn from(text: &SmolStr) -> Self {
        Hcl::text(text.as_str())
    }
}

impl HclBlock {
    pub(super) fn new(kind: impl Into<String>, labels: &[&str], body: Body) -> Self {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        HclBlock { above: Vec::new(), kind: kind.into(), labels, body }
    }

    #[must_use]
    pub(super) fn above(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.above.extend(lines);
        self
    }
}

impl BodyItem {
    pub(super) fn argument(name: impl Into<String>, value: Hcl) -> Self {
        BodyItem::commented(Vec::new(), name, value, None)
    }

    /// An argument with comments.
    pub(super) fn commented(
        above: Vec<String>,
        name: impl Into<String>,
        value: Hcl,
        beside: Option<String>,
    ) -> Self {
        BodyItem::Argument(HclArgument { above, beside, name: name.into(), value })
    }

    pub(super) fn block(kind: impl Into<String>, labels: &[&str], body: Body) -> Self {
        BodyItem::Block(HclBlock::new(kind, labels, body))
    }
}
