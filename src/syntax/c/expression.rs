//! The parser of expressions.

use super::cursor::{Cursor, Dialect, Mistake};
use super::lex::{Gap, Kind as Lexeme, Token};
use super::literal::{character, integer, integer_type};
use super::operator::Binary;
use super::tree::{Expression, Kind, Type, Unary};
use crate::syntax::Span;

type Read<D> = Result<Expression<<D as Dialect>::Base>, Mistake>;

/// `++` and `--`.
const STEPS: [(&str, i64); 2] = [("++", 1), ("--", -1)];

impl<'a, D: Dialect> Cursor<'a, D> {
    /// Reads an expression. It may be an assignment, but contains no comma operator.
    pub(crate) fn expression(&mut self) -> Read<D> {
        self.nested(Self::assignment)
    }

    /// Reads an expression, or several with the comma operator between them.
    pub(crate) fn sequence(&mut self) -> Read<D> {
        let begin = self.here();
        let first = self.expression()?;
        if !self.next_is(",") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.accept(",") {
            all.push(self.expression()?);
        }
        Ok(self.made(Kind::Sequence(all), begin))
    }

    fn made(&self, kind: Kind<D::Base>, begin: Span) -> Expression<D::Base> {
        Expression { kind, span: self.since(begin) }
    }

    fn assignment(&mut self) -> Read<D> {
        let begin = self.here();
        let place = self.choice()?;
        let (length, operator) = match (Binary::at(self.rest()), self.peek_word().filter(|_| D::MEMBERS)) {
            (Some((length, operator, _)), _) if self.assigns(length, operator) => {
                (length + 1, Some(operator))
            }
            (None, None) if self.next_is("=") => (1, None),
            (None, Some(word)) => match Binary::assigned_by(word.text) {
                Some(operator) => (1, Some(operator)),
                None => return Ok(place),
            },
            _ => return Ok(place),
        };
        self.at += length;
        let value = if operator.is_none() && self.next_is("{") { self.list()? } else { self.expression()? };
        Ok(self.made(Kind::Assign(operator, Box::new(place), Box::new(value)), begin))
    }

    fn choice(&mut self) -> Read<D> {
        let begin = self.here();
        let test = self.binary(0)?;
        if !self.accept("?") {
            return Ok(test);
        }
        let then = self.expression()?;
        self.expect(":", "between the two values")?;
        let other = self.expression()?;
        Ok(self.made(Kind::Choice(Box::new(test), Box::new(then), Box::new(other)), begin))
    }

    /// Whether the operator here is an assignment operator such as `+=`.
    fn assigns(&self, length: usize, operator: Binary) -> bool {
        let next = self.rest().get(length);
        operator.combines() && next.is_some_and(|token| token.is("=") && token.gap == Gap::None)
    }

    /// Reads operators that bind more strongly than `weakest`.
    fn binary(&mut self, weakest: u8) -> Read<D> {
        let begin = self.here();
        let mut left = self.unary()?;
        while let Some((length, operator, strength)) = Binary::at(self.rest()) {
            if strength <= weakest || self.assigns(length, operator) {
                break;
            }
            self.at += length;
            let right = self.binary(strength)?;
            left = self.made(Kind::Binary(operator, Box::new(left), Box::new(right)), begin);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<D> {
        self.nested(Self::any_unary)
    }

    fn any_unary(&mut self) -> Read<D> {
        let begin = self.here();
        for (text, by) in STEPS {
            if self.accept_marks(text) {
                let place = self.unary()?;
                return Ok(self.made(Kind::Step(Box::new(place), by, true), begin));
            }
        }
        for (text, operator) in Unary::TABLE {
            if self.accept_marks(text) || D::MEMBERS && operator.word().is_some_and(|word| self.accept(word))
            {
                let operand = self.unary()?;
                return Ok(self.made(Kind::Unary(operator, Box::new(operand)), begin));
            }
        }
        if self.next_is("(") && self.begins_type(self.at + 1) {
            self.at += 1;
            let ty = self.type_name()?;
            self.refuse_reference(begin)?;
            self.expect(")", "after the type")?;
            let value = self.unary()?;
            return Ok(self.made(Kind::Cast(ty, Box::new(value)), begin));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Read<D> {
        let begin = self.here();
        let mut found = self.primary()?;
        loop {
            let step = STEPS.into_iter().find(|(text, _)| self.accept_marks(text));
            if let Some((_, by)) = step {
                found = self.made(Kind::Step(Box::new(found), by, false), begin);
            } else if self.accept("[") {
                let index = self.expression()?;
                self.expect("]", "after the index")?;
                found = self.made(Kind::Index(Box::new(found), Box::new(index)), begin);
            } else if D::MEMBERS && self.accept("(") {
                let arguments = self.listed(")", "after the argument")?;
                found = self.made(applied(found, arguments), begin);
            } else if D::MEMBERS && self.member().is_some() {
                // A member of anything but a name is not known by name.
                let member = self.made(Kind::Literal("a member".to_owned()), begin);
                found = self.made(Kind::Sequence(vec![found, member]), begin);
            } else if self.next_is(".") || self.marks("->") {
                let span = self.here();
                return self.unreadable(
                    span,
                    "members are not supported",
                    "expected intrinsics, vectors and pointers",
                );
            } else {
                return Ok(found);
            }
        }
    }

    /// Reads a number, a variable, a call, or an expression in parentheses or braces.
    pub(crate) fn primary(&mut self) -> Read<D> {
        let begin = self.here();
        let Some(token) = self.peek() else { return self.unexpected("an expression") };
        let value = match token.kind {
            Lexeme::Number => integer(token.text),
            Lexeme::Literal => character("", token.text),
            Lexeme::Word => return self.word("", begin),
            Lexeme::Mark if self.accept("(") => {
                let value = if D::MEMBERS { self.sequence()? } else { self.expression()? };
                self.expect(")", "after the expression")?;
                return self.behind_group(value, begin);
            }
            // `::name`, a name outside all namespaces.
            Lexeme::Mark if D::MEMBERS && self.marks("::") => {
                self.at += 2;
                return self.word("::", begin);
            }
            Lexeme::Mark if token.is("{") => return self.list(),
            Lexeme::Mark if D::MEMBERS && token.is("[") => return self.lambda(begin),
            Lexeme::Mark => return self.unexpected("an expression"),
        };
        self.at += 1;
        // Literals of text that stand side by side are one.
        while D::MEMBERS && is_text(token) && self.peek().is_some_and(is_text) {
            self.at += 1;
        }
        let Some(value) = value else { return Ok(self.made(Kind::Literal(token.text.to_owned()), begin)) };
        let literal = self.made(Kind::Integer(value), begin);
        Ok(match integer_type(token.text, value).and_then(|name| D::literal(name, token.text)) {
            Some(base) => self.made(Kind::Cast(Type { base, pointers: 0 }, Box::new(literal)), begin),
            None => literal,
        })
    }

    /// Reads what follows a group in parentheses. A name there is a type if a value follows: `(news_t)2` is read as `news_t(2)`.
    fn behind_group(&mut self, value: Expression<D::Base>, begin: Span) -> Read<D> {
        let operand = self.peek().is_some_and(|token| match token.kind {
            Lexeme::Word => Binary::at(self.rest()).is_none(),
            Lexeme::Number | Lexeme::Literal => true,
            Lexeme::Mark => false,
        });
        match value.kind {
            Kind::Name(name) if D::MEMBERS && operand => {
                let value = self.unary()?;
                Ok(self.made(Kind::Call(name, vec![value]), begin))
            }
            kind => Ok(self.made(kind, begin)),
        }
    }

    /// Passes over a lambda: `[captures](parameters) -> TYPE { … }`.
    fn lambda(&mut self, begin: Span) -> Read<D> {
        let first = self.at;
        self.skip_between("[");
        self.skip_group();
        while self
            .peek()
            .is_some_and(|token| token.kind == Lexeme::Word || ["-", ">", ":"].iter().any(|m| token.is(m)))
        {
            self.at += 1;
        }
        if !self.next_is("{") {
            return self.unexpected("the body of the lambda");
        }
        self.skip_between("{");
        Ok(self.made(Kind::Lambda(first), begin))
    }

    /// Passes over the template arguments of a class whose member follows: `<ARGUMENTS>::`.
    fn skip_class_arguments(&mut self) -> bool {
        let Some(length) = self.template_arguments(&[",", ":", "*"]) else { return false };
        let found = matches!(&self.rest()[1 + length..], [close, a, b, name, ..]
            if close.is(">") && a.is(":") && b.is(":") && name.kind == Lexeme::Word);
        if found {
            self.at += length + 4;
        }
        found
    }

    /// The number of words, numbers and of these marks behind `<`, if that is next.
    fn template_arguments(&self, marks: &[&str]) -> Option<usize> {
        let (open, rest) = self.rest().split_first()?;
        let ends = |token: &Token<'_>| {
            !matches!(token.kind, Lexeme::Word | Lexeme::Number) && !marks.iter().any(|mark| token.is(mark))
        };
        open.is("<").then(|| rest.iter().position(ends).unwrap_or(rest.len()))
    }

    /// Reads a variable, a call, or a conversion written as a call, behind what stands before its name.
    fn word(&mut self, before: &str, begin: Span) -> Read<D> {
        let Some((name, mut span)) = self.qualified() else { return self.unexpected("a name") };
        let mut name = format!("{before}{name}");
        while D::MEMBERS && self.skip_class_arguments() {
            let Some((member, _)) = self.qualified() else { return self.unexpected("a name") };
            name = format!("{name}::{member}");
            span = self.since(begin);
        }
        while D::MEMBERS
            && let Some(member) = self.member()
        {
            name = format!("{name}.{member}");
            span = self.since(begin);
        }
        if matches!(name.as_str(), "static_cast" | "reinterpret_cast" | "const_cast") {
            return self.cast(&name, begin);
        }
        if D::MEMBERS && name == "sizeof" {
            return self.size(begin);
        }
        if D::MEMBERS && self.instantiates() {
            return self.instance(name, begin);
        }
        if self.next_is("<") && name.contains("::") && !D::MEMBERS {
            let message = format!("`{name}` is a template; templates are not supported");
            return self.unreadable(span, message, "expected an intrinsic or a function of the source");
        }
        match name.as_str() {
            "true" => return Ok(self.made(Kind::Integer(1), begin)),
            "false" => return Ok(self.made(Kind::Integer(0), begin)),
            _ => {}
        }
        if let Some(literal) = self.peek().filter(|next| is_prefix::<D>(&name, *next)) {
            self.at += 1;
            let wide = character(&name, literal.text).map(Kind::Integer);
            let kind = wide.unwrap_or_else(|| Kind::Literal(format!("{name}{}", literal.text)));
            return Ok(self.made(kind, begin));
        }
        if !self.accept("(") {
            return Ok(Expression { kind: Kind::Name(name), span });
        }
        let mut arguments = self.listed(")", "after the argument")?;
        if let (1, Some(base)) = (arguments.len(), D::named(&name)) {
            let value = Box::new(arguments.remove(0));
            return Ok(self.made(Kind::Cast(Type { base, pointers: 0 }, value), begin));
        }
        Ok(self.made(Kind::Call(name, arguments), begin))
    }

    /// Reads what stands behind `sizeof`: a call whose argument is a value of the type, or of this variable.
    fn size(&mut self, begin: Span) -> Read<D> {
        let operand = if self.next_is("(") && self.begins_type(self.at + 1) {
            self.at += 1;
            let operand = self.template_argument()?;
            self.expect(")", "after the type")?;
            operand
        } else {
            self.unary()?
        };
        Ok(self.made(Kind::Call("sizeof".to_owned(), vec![operand]), begin))
    }

    /// Reads `.name` or `->name`.
    fn member(&mut self) -> Option<&'a str> {
        let marks = if self.marks("->") { 2 } else { usize::from(self.next_is(".")) };
        let name = self.rest().get(marks).filter(|name| marks > 0 && name.kind == Lexeme::Word)?;
        self.at += marks + 1;
        Some(name.text)
    }

    /// Whether template arguments and a call follow: `<`, words, numbers and arithmetic, `>`, `(`.
    fn instantiates(&self) -> bool {
        self.template_arguments(&[",", ":", "+", "-", "*", "%"]).is_some_and(|length| {
            let behind = &self.rest()[1 + length..];
            length > 0 && matches!(behind, [close, call, ..] if close.is(">") && call.is("("))
        })
    }

    /// Reads the template arguments and the arguments of a call.
    fn instance(&mut self, name: String, begin: Span) -> Read<D> {
        let open = self.here();
        self.expect("<", "before the template arguments")?;
        let mut given = vec![self.template_argument()?];
        while self.accept(",") {
            given.push(self.template_argument()?);
        }
        self.expect(">", "after the template arguments")?;
        let given = self.made(Kind::List(given), open);
        self.expect("(", "before the arguments")?;
        let mut arguments = vec![given];
        arguments.extend(self.listed(")", "after the argument")?);
        Ok(self.made(Kind::Call(format!("{name}<>"), arguments), begin))
    }

    /// Reads a template argument; a type of numbers is read as a 0 of this type.
    fn template_argument(&mut self) -> Read<D> {
        let begin = self.here();
        if self.begins_type(self.at) {
            let ty = self.type_name()?;
            let none = Box::new(self.made(Kind::Integer(0), begin));
            return Ok(self.made(Kind::Cast(ty, none), begin));
        }
        // Operators that bind more strongly than a comparison.
        self.binary(7)
    }

    /// Reads `<type>(value)` after a word that converts. What a conversion of constness, or to a reference by which the operand can be
    /// changed, gives is the operand.
    fn cast(&mut self, word: &str, begin: Span) -> Read<D> {
        self.expect("<", "before the type")?;
        let end = self.rest().iter().position(|token| token.is(">")).unwrap_or(0);
        let ty = self.rest().get(..end).unwrap_or_default();
        let same = ty.last().is_some_and(|last| last.is("&")) && !ty.iter().any(|token| token.is("const"));
        if D::MEMBERS && (word == "const_cast" || word == "static_cast" && same) {
            self.at += end + 1;
            self.expect("(", "before the value")?;
            let value = self.expression()?;
            self.expect(")", "after the value")?;
            return Ok(Expression { span: self.since(begin), ..value });
        }
        // A type that is not one of numbers is read as a call: `static_cast<news_t>(2)` is `news_t(2)`.
        if let [name, close, open, ..] = self.rest()
            && D::MEMBERS
            && D::named(name.text).is_none()
            && close.is(">")
            && open.is("(")
        {
            self.at += 3;
            let arguments = self.listed(")", "after the value")?;
            return Ok(self.made(Kind::Call(name.text.to_owned(), arguments), begin));
        }
        let ty = self.type_name()?;
        if word == "reinterpret_cast" {
            self.refuse_reference(begin)?;
        }
        self.expect(">", "after the type")?;
        self.expect("(", "before the value")?;
        let value = self.expression()?;
        self.expect(")", "after the value")?;
        Ok(self.made(Kind::Cast(ty, Box::new(value)), begin))
    }

    /// Refuses a conversion to a type that was read, if it is a reference.
    fn refuse_reference(&mut self, begin: Span) -> Result<(), Mistake> {
        if D::MEMBERS && self.tokens[..self.at].last().is_some_and(|last| last.is("&")) {
            let message = "a conversion to a reference of another type is not followed";
            return self.unreadable(self.since(begin), message, "expected the variable itself");
        }
        Ok(())
    }

    /// Reads values in braces.
    pub(crate) fn list(&mut self) -> Read<D> {
        let begin = self.here();
        self.expect("{", "before the values")?;
        let values = self.listed("}", "after the value")?;
        Ok(self.made(Kind::List(values), begin))
    }

    /// Reads expressions separated by commas up to the closing token. A list in braces may end with a comma.
    fn listed(&mut self, close: &str, place: &str) -> Result<Vec<Expression<D::Base>>, Mistake> {
        let mut found = Vec::new();
        if self.accept(close) {
            return Ok(found);
        }
        loop {
            found.push(self.expression()?);
            let more = self.accept(",");
            if (!more || close == "}") && self.accept(close) {
                return Ok(found);
            }
            if !more {
                return self.unexpected(&format!("`,` or `{close}` {place}"));
            }
        }
    }

    /// Reads a name with the qualifiers before it, separated by `::`.
    pub(crate) fn qualified(&mut self) -> Option<(String, Span)> {
        let first = self.peek_word()?;
        self.at += 1;
        let mut name = first.text.to_owned();
        while let [a, b, next, ..] = self.rest()
            && a.is(":")
            && b.is(":")
            && next.kind == Lexeme::Word
        {
            name.push_str("::");
            name.push_str(next.text);
            self.at += 3;
        }
        Some((name, self.since(first.span)))
    }
}

/// Whether a token is a literal of text.
fn is_text(token: Token<'_>) -> bool {
    token.kind == Lexeme::Literal && !token.text.starts_with('\'')
}

/// Whether a word and the token behind it are one literal, such as `L'a'`.
fn is_prefix<D: Dialect>(word: &str, next: Token<'_>) -> bool {
    let prefix = matches!(word, "L" | "u" | "U" | "u8");
    D::MEMBERS && prefix && next.kind == Lexeme::Literal && next.gap == Gap::None
}

/// A call of an expression. A name in parentheses is called like the name.
fn applied<B>(callee: Expression<B>, arguments: Vec<Expression<B>>) -> Kind<B> {
    match callee.kind {
        Kind::Name(name) => Kind::Call(name, arguments),
        _ => Kind::Apply(Box::new(callee), arguments),
    }
}
