//! From tokens to expressions.

use super::parse::{Mistake, Parser};
use super::syntax::{Binary, Expression, Kind, Unary};
use crate::syntax::preprocess::{Lexeme, integer, marks};
use crate::syntax::{Diagnostic, Span};

impl Parser<'_> {
    /// An expression, assignments included, commas not.
    pub(super) fn expression(&mut self) -> Result<Expression, Mistake> {
        self.descend()?;
        let found = self.assignment();
        self.depth -= 1;
        found
    }

    /// Whether marks that touch each other stand here.
    fn marks(&self, text: &str) -> bool {
        marks(self.tokens.get(self.at..).unwrap_or_default(), text)
    }

    fn made(&self, kind: Kind, begin: Span) -> Expression {
        Expression { kind, span: self.since(begin) }
    }

    fn assignment(&mut self) -> Result<Expression, Mistake> {
        let begin = self.here();
        let place = self.choice()?;
        if self.next_is("=") && !self.marks("==") {
            self.at += 1;
            let value = if self.next_is("{") { self.list()? } else { self.expression()? };
            return Ok(self.made(Kind::Assign(None, Box::new(place), Box::new(value)), begin));
        }
        for (text, operator, _) in Binary::TABLE {
            let combined = operator.combines() && self.marks(&format!("{text}="));
            if combined {
                self.at += text.len() + 1;
                let value = self.expression()?;
                return Ok(self.made(Kind::Assign(Some(operator), Box::new(place), Box::new(value)), begin));
            }
        }
        Ok(place)
    }

    fn choice(&mut self) -> Result<Expression, Mistake> {
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

    fn operator(&self) -> Option<(&'static str, Binary, u8)> {
        let found = Binary::at(self.tokens.get(self.at..)?)?;
        let assigns = found.1.combines() && self.marks(&format!("{}=", found.0));
        (!assigns).then_some(found)
    }

    /// Operators that bind stronger than `weakest`.
    fn binary(&mut self, weakest: u8) -> Result<Expression, Mistake> {
        let begin = self.here();
        let mut left = self.unary()?;
        while let Some((text, operator, strength)) = self.operator() {
            if strength <= weakest {
                break;
            }
            self.at += text.len();
            let right = self.binary(strength)?;
            left = self.made(Kind::Binary(operator, Box::new(left), Box::new(right)), begin);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Mistake> {
        self.descend()?;
        let found = self.any_unary();
        self.depth -= 1;
        found
    }

    fn any_unary(&mut self) -> Result<Expression, Mistake> {
        let begin = self.here();
        for (text, by) in [("++", 1), ("--", -1)] {
            if self.marks(text) {
                self.at += 2;
                let place = self.unary()?;
                return Ok(self.made(Kind::Step(Box::new(place), by, true), begin));
            }
        }
        let operators = [
            ("-", Unary::Minus),
            ("!", Unary::Not),
            ("~", Unary::Complement),
            ("*", Unary::Follow),
            ("&", Unary::Address),
        ];
        for (text, operator) in operators {
            if self.marks(text) {
                self.at += 1;
                let operand = self.unary()?;
                return Ok(self.made(Kind::Unary(operator, Box::new(operand)), begin));
            }
        }
        if self.marks("+") {
            self.at += 1;
            return self.unary();
        }
        if self.next_is("(") && self.begins_type(self.at + 1) {
            self.at += 1;
            let ty = self.type_name()?;
            self.expect(")", "after the type")?;
            let value = self.unary()?;
            return Ok(self.made(Kind::Cast(ty, Box::new(value)), begin));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Result<Expression, Mistake> {
        let begin = self.here();
        let mut found = self.primary()?;
        loop {
            let steps = [("++", 1), ("--", -1)].into_iter().find(|(text, _)| self.marks(text));
            if let Some((_, by)) = steps {
                self.at += 2;
                found = self.made(Kind::Step(Box::new(found), by, false), begin);
            } else if self.accept("[") {
                let index = self.expression()?;
                self.expect("]", "after the index")?;
                found = self.made(Kind::Index(Box::new(found), Box::new(index)), begin);
            } else if self.next_is(".") || self.marks("->") {
                let span = self.here();
                let diagnostic = Diagnostic::error("unreadable", "members are not read");
                return self.mistake(diagnostic.label(span, "expected intrinsics, vectors and pointers"));
            } else {
                return Ok(found);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, Mistake> {
        let begin = self.here();
        let Some(token) = self.peek() else { return self.unexpected("an expression") };
        match token.kind {
            Lexeme::Number => {
                self.at += 1;
                match integer(token.text) {
                    Some(value) => Ok(self.made(Kind::Integer(value), begin)),
                    None => {
                        let message = format!("`{}` is no integer of 64 bits", token.text);
                        self.mistake(
                            Diagnostic::error("unreadable", message).label(token.span, "expected an integer"),
                        )
                    }
                }
            }
            Lexeme::Word => self.word(begin),
            _ if token.is("(") => {
                self.at += 1;
                let value = self.expression()?;
                self.expect(")", "after the expression")?;
                Ok(Expression { kind: value.kind, span: self.since(begin) })
            }
            _ if token.is("{") => self.list(),
            _ => self.unexpected("an expression"),
        }
    }

    /// A variable, a call, or a conversion written as a call.
    fn word(&mut self, begin: Span) -> Result<Expression, Mistake> {
        let Some((name, span)) = self.qualified() else { return self.unexpected("a name") };
        if matches!(name.as_str(), "static_cast" | "reinterpret_cast" | "const_cast") {
            self.expect("<", "before the type")?;
            let ty = self.type_name()?;
            self.expect(">", "after the type")?;
            self.expect("(", "before the value")?;
            let value = self.expression()?;
            self.expect(")", "after the value")?;
            return Ok(self.made(Kind::Cast(ty, Box::new(value)), begin));
        }
        if self.next_is("<") && name.contains("::") {
            let message = format!("`{name}` is a template, and those are not read");
            let diagnostic = Diagnostic::error("unreadable", message);
            return self.mistake(diagnostic.label(span, "expected an intrinsic or a function of the source"));
        }
        match name.as_str() {
            "true" => return Ok(self.made(Kind::Integer(1), begin)),
            "false" => return Ok(self.made(Kind::Integer(0), begin)),
            _ => {}
        }
        if !self.next_is("(") {
            return Ok(Expression { kind: Kind::Name(name), span });
        }
        self.at += 1;
        let mut arguments = Vec::new();
        if !self.accept(")") {
            loop {
                arguments.push(self.expression()?);
                if !self.accept(",") {
                    self.expect(")", "after the arguments")?;
                    break;
                }
            }
        }
        if let ([value], Some(base)) = (arguments.as_slice(), super::types::named(&name)) {
            let ty = super::syntax::Type { base, pointers: 0 };
            return Ok(self.made(Kind::Cast(ty, Box::new(value.clone())), begin));
        }
        Ok(self.made(Kind::Call(name, arguments), begin))
    }

    /// Values between braces.
    pub(super) fn list(&mut self) -> Result<Expression, Mistake> {
        let begin = self.here();
        self.expect("{", "before the values")?;
        let mut values = Vec::new();
        while !self.accept("}") {
            values.push(self.expression()?);
            if !self.accept(",") {
                self.expect("}", "after the values")?;
                break;
            }
        }
        Ok(self.made(Kind::List(values), begin))
    }
}

impl Binary {
    /// Whether there is an assignment with this operator.
    fn combines(self) -> bool {
        let strength =
            Self::TABLE.iter().find(|(_, operator, _)| *operator == self).map_or(0, |entry| entry.2);
        strength >= 8 || matches!(self, Self::BitAnd | Self::BitXor | Self::BitOr)
    }
}
