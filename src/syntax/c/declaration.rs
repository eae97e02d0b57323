//! The parser of types, variables and parameters.

use super::cursor::{Cursor, Dialect, Mistake};
use super::tree::{Declarator, Type};

/// Words that may appear in a declaration without changing what is computed.
const QUALIFIERS: [&str; 14] = [
    "const",
    "constexpr",
    "static",
    "volatile",
    "register",
    "inline",
    "extern",
    "restrict",
    "__restrict",
    "__restrict__",
    "noexcept",
    "typename",
    "mutable",
    "__inline",
];

/// Words that take an argument in parentheses and do not change what is computed.
const ANNOTATIONS: [&str; 3] = ["alignas", "__attribute__", "__declspec"];

/// Whether a word may appear in a declaration without changing what is computed.
pub(crate) fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.contains(&word)
}

/// Whether a word and the parentheses after it do not change what is computed.
pub(crate) fn is_annotation<D: Dialect>(word: &str) -> bool {
    ANNOTATIONS.contains(&word) || D::is_annotation(word)
}

impl<D: Dialect> Cursor<'_, D> {
    /// Skips words without meaning here, with the parentheses after them.
    pub(crate) fn skip_annotations(&mut self) {
        while let Some(token) = self.peek_word().filter(|t| is_annotation::<D>(t.text)) {
            self.at += 1;
            self.skip_group();
            // Such a word may be a statement on its own.
            if D::is_annotation(token.text) {
                self.accept(";");
            }
        }
    }

    /// Whether the token at index `at` begins a type.
    pub(crate) fn begins_type(&self, at: usize) -> bool {
        let mut cursor: Cursor<'_, D> = Cursor::new(self.tokens);
        cursor.at = at;
        let Some((name, _)) = cursor.qualified() else { return false };
        if is_annotation::<D>(&name) {
            return true;
        }
        !cursor.next_is("(") && (is_qualifier(&name) || D::named(&name).is_some())
    }

    /// Reads a type with its pointers. A reference is read as the type that it refers to.
    pub(crate) fn type_name(&mut self) -> Result<Type<D::Base>, Mistake> {
        let mut base: Option<D::Base> = None;
        let begin = self.here();
        loop {
            self.skip_annotations();
            let start = self.at;
            let Some((name, _)) = self.qualified() else { break };
            if is_qualifier(&name) {
                continue;
            }
            let joined = D::named(&name).and_then(|new| match &base {
                None => Some(new),
                Some(old) => D::joined(old, &new),
            });
            if joined.is_none() {
                self.at = start;
                break;
            }
            base = joined;
        }
        let Some(base) = base else {
            let span = begin.to(self.here());
            let shown = self.peek().map_or("the end", |token| token.text);
            let [types, names] = D::TYPES;
            let message = format!("`{shown}` is not a type of {types}");
            return self.unreadable(span, message, &format!("expected a type, such as {names}"));
        };
        let mut pointers = 0;
        loop {
            self.skip_annotations();
            match self.peek() {
                Some(token) if token.is("*") => pointers += 1,
                Some(token) if token.is("&") || is_qualifier(token.text) => {}
                _ => return Ok(Type { base, pointers }),
            }
            self.at += 1;
        }
    }

    /// Reads variables of one type, up to but not including the `;`.
    pub(super) fn declaration(&mut self) -> Result<Vec<Declarator<D::Base>>, Mistake> {
        let mut ty = self.type_name()?;
        let mut found = Vec::new();
        loop {
            found.push(self.declarator(ty.clone())?);
            if !self.accept(",") {
                return Ok(found);
            }
            ty.pointers = self.stars();
        }
    }

    /// Reads pointer marks and their qualifiers.
    fn stars(&mut self) -> usize {
        let mut pointers = 0;
        while let Some(token) = self.peek().filter(|t| t.is("*") || is_qualifier(t.text)) {
            pointers += usize::from(token.is("*"));
            self.at += 1;
        }
        pointers
    }

    /// Reads a name, its dimensions and its initial value.
    fn declarator(&mut self, mut ty: Type<D::Base>) -> Result<Declarator<D::Base>, Mistake> {
        let wrapped = self.accept("(");
        if wrapped {
            self.accept("&");
            ty.pointers += self.stars();
        }
        let Some(token) = self.peek_word() else { return self.unexpected("a name") };
        self.at += 1;
        if wrapped {
            self.expect(")", "after the name")?;
        }
        let mut dimensions = Vec::new();
        while self.accept("[") {
            let size = if self.next_is("]") { None } else { Some(self.expression()?) };
            self.expect("]", "after the number of elements")?;
            dimensions.push(size);
        }
        self.skip_annotations();
        let assigned = self.accept("=");
        let initial = if self.next_is("{") {
            Some(self.list()?)
        } else if assigned {
            Some(self.expression()?)
        } else if self.accept("(") {
            let value = self.expression()?;
            self.expect(")", "after the value")?;
            Some(value)
        } else {
            None
        };
        Ok(Declarator { name: token.text.to_owned(), span: token.span, ty, dimensions, initial })
    }

    /// Reads parameters in parentheses.
    pub(crate) fn parameters(&mut self) -> Result<Vec<Declarator<D::Base>>, Mistake> {
        let mut found = Vec::new();
        self.expect("(", "before the parameters")?;
        if self.accept(")") {
            return Ok(found);
        }
        loop {
            let ty = self.type_name()?;
            // `(void)`
            if found.is_empty()
                && ty.pointers == 0
                && D::named("void") == Some(ty.base.clone())
                && self.accept(")")
            {
                return Ok(found);
            }
            found.push(self.declarator(ty)?);
            if !self.accept(",") {
                self.expect(")", "after the parameters")?;
                return Ok(found);
            }
        }
    }
}
