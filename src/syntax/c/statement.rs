//! The parser of statements.

use super::cursor::{Cursor, Dialect, Mistake};
use super::lex::Kind as Lexeme;
use super::tree::Statement;
use crate::syntax::Diagnostic;

type Read<D> = Result<Statement<<D as Dialect>::Base>, Mistake>;

impl<D: Dialect> Cursor<'_, D> {
    /// Reads statements up to a closing brace or the end. After a mistake, reading continues with the next statement.
    pub(crate) fn statements(&mut self) -> Vec<Statement<D::Base>> {
        let mut found = Vec::new();
        while self.peek().is_some() && !self.next_is("}") {
            let begin = self.at;
            match self.statement() {
                Ok(statement) => found.extend(statement),
                Err(Mistake) => {
                    self.at = begin;
                    self.skip_statement();
                    self.at = self.at.max(begin + 1);
                }
            }
        }
        found
    }

    /// Reads a statement; `None` for a statement without effect.
    fn statement(&mut self) -> Result<Option<Statement<D::Base>>, Mistake> {
        self.nested(Self::any_statement)
    }

    fn any_statement(&mut self) -> Result<Option<Statement<D::Base>>, Mistake> {
        self.skip_annotations();
        let Some(token) = self.peek() else { return Ok(None) };
        match token.text {
            ";" => {
                self.at += 1;
                Ok(None)
            }
            "{" => Ok(Some(Statement::Block(self.block()?))),
            "for" => self.counted().map(Some),
            "while" => {
                self.at += 1;
                let test = self.condition()?;
                Ok(Some(Statement::Loop { first: Vec::new(), test, step: None, body: self.body()? }))
            }
            "if" => {
                self.at += 1;
                self.accept("constexpr");
                let test = self.condition()?;
                let then = self.body()?;
                let other = if self.accept("else") { self.body()? } else { Vec::new() };
                Ok(Some(Statement::If(test, then, other)))
            }
            "return" => {
                self.at += 1;
                let value = if self.next_is(";") { None } else { Some(self.expression()?) };
                self.expect(";", "after the value")?;
                Ok(Some(Statement::Return(value, token.span)))
            }
            "do" | "switch" | "goto" | "break" | "continue" | "try" | "case" | "asm" => {
                let message = format!("`{}` is not supported", token.text);
                self.unreadable(token.span, message, "expected straight-line code, `for`, `while` or `if`")
            }
            "using" | "typedef" | "static_assert" => {
                while self.peek().is_some() && !self.accept(";") {
                    self.at += 1;
                }
                Ok(None)
            }
            _ => self.simple().map(Some),
        }
    }

    /// Reads a declaration or an expression.
    fn simple(&mut self) -> Read<D> {
        if self.begins_type(self.at) {
            let declared = self.declaration()?;
            self.expect(";", "after the declaration")?;
            return Ok(Statement::Declare(declared));
        }
        // Two adjacent words are a declaration with an unknown type.
        if let [first, second, ..] = self.rest()
            && first.kind == Lexeme::Word
            && second.kind == Lexeme::Word
        {
            self.type_name()?;
        }
        let value = self.expression()?;
        self.expect(";", "after the statement")?;
        Ok(Statement::Evaluate(value))
    }

    fn condition(&mut self) -> Result<super::tree::Expression<D::Base>, Mistake> {
        self.expect("(", "before the condition")?;
        let test = self.expression()?;
        self.expect(")", "after the condition")?;
        Ok(test)
    }

    fn block(&mut self) -> Result<Vec<Statement<D::Base>>, Mistake> {
        let open = self.here();
        self.expect("{", "before the statements")?;
        let found = self.statements();
        if self.accept("}") {
            return Ok(found);
        }
        self.mistake(Diagnostic::error("unexpected", "the braces are not closed").label(open, "opened here"))
    }

    /// Reads the body of a loop or of a branch.
    fn body(&mut self) -> Result<Vec<Statement<D::Base>>, Mistake> {
        self.skip_annotations();
        if self.next_is("{") { self.block() } else { Ok(self.statement()?.into_iter().collect()) }
    }

    fn counted(&mut self) -> Read<D> {
        let begin = self.here();
        self.at += 1;
        self.expect("(", "after `for`")?;
        let first = self.statement()?.into_iter().collect();
        if self.next_is(";") {
            let message = "a loop without a condition does not end";
            return self.unreadable(begin, message, "expected a condition");
        }
        let test = self.expression()?;
        self.expect(";", "after the condition")?;
        let step = if self.next_is(")") { None } else { Some(self.sequence()?) };
        self.expect(")", "after the step")?;
        Ok(Statement::Loop { first, test, step, body: self.body()? })
    }
}
