//! Calls: instructions, masks, and what takes an image.

use super::reader::{Mistake, Reader};
use super::scope::Meaning;
use super::{Loaded, MAX_INSTRUCTIONS};
use crate::algebra::Rational;
use crate::backend::array::machine::descriptor::{Load, RegisterId};
use crate::backend::array::machine::instruction::{Instruction, Operand};
use crate::backend::array::machine::operation::{Access, Step};
use crate::syntax::preprocess::{Lexeme, Token};
use crate::syntax::{Diagnostic, Span};

impl<'a> Reader<'a> {
    /// `name(operand, …);`
    pub(super) fn call(&mut self, name: Token<'a>) -> Result<(), Mistake> {
        self.at += 1;
        if !self.next_is("(") {
            return self.unexpected(&format!("`(` after `{}`", name.text));
        }
        self.at += 1;
        let mut operands: Vec<(String, Span)> = Vec::new();
        while !self.next_is(")") {
            if !operands.is_empty() {
                self.expect(",", "or `)` after the operand")?;
            }
            operands.push(self.operand()?);
        }
        let close = self.tokens[self.at].span;
        self.at += 1;
        let span = name.span.to(close);
        // What a macro stands for may lack the semicolon that stands behind the macro's use.
        let inside = close == name.span && self.peek().is_none_or(|t| t.span != close || t.is("}"));
        if !self.accept(";") && !inside {
            return self.unexpected("`;` after the instruction");
        }
        // The statement is read: what is wrong with it is no reason to skip anything.
        let _reported = self.execute(name, &operands, span);
        Ok(())
    }

    /// Takes up a call whose operands were read.
    fn execute(&mut self, name: Token<'a>, operands: &[(String, Span)], span: Span) -> Result<(), Mistake> {
        let forms = &self.target.sources;
        let is = |names: &[String]| names.iter().any(|n| n == name.text);
        if is(&forms.masks) {
            return self.mask(name, span);
        }
        if is(&forms.unmasks) {
            self.mask = None;
            return Ok(());
        }
        if forms.loads.iter().any(|load| load.name == name.text) {
            return self.load(name, operands, span);
        }
        if let Some((_, what)) = forms.foreign.iter().find(|(n, _)| n == name.text) {
            let message = format!("`{}` works on {what}", name.text);
            let diagnostic = Diagnostic::error("unreadable", message);
            return self.mistake(diagnostic.label(span, "only analogue registers are followed"));
        }
        let texts: Vec<(&str, Span)> = operands.iter().map(|(text, place)| (text.as_str(), *place)).collect();
        match self.target.resolve(name.text, &texts, span) {
            Ok(instruction) => {
                if self.listing.spans.len() >= MAX_INSTRUCTIONS {
                    self.at = self.tokens.len();
                    let message = format!("the program has more than {MAX_INSTRUCTIONS} instructions");
                    return self.mistake(Diagnostic::error("too-long", message).label(span, "at this one"));
                }
                self.listing.program.instructions.push(instruction);
                self.listing.spans.push(span);
                self.listing.masked.push(self.mask.is_some());
                Ok(())
            }
            Err(mistakes) => {
                for diagnostic in mistakes {
                    let _reported: Result<(), Mistake> = self.mistake(diagnostic);
                }
                Ok(())
            }
        }
    }

    /// An operand: a name, or a constant expression.
    fn operand(&mut self) -> Result<(String, Span), Mistake> {
        let Some(first) = self.peek() else { return self.unexpected("an operand") };
        let ends = self.tokens.get(self.at + 1).is_none_or(|t| t.is(",") || t.is(")"));
        let known = self.scopes.meaning(first.text).filter(|_| first.kind == Lexeme::Word);
        if first.kind == Lexeme::Word && ends && !matches!(known, Some(Meaning::Number(_))) {
            self.at += 1;
            return match known {
                Some(Meaning::Operand(name)) => Ok((name.to_owned(), first.span)),
                Some(Meaning::Open(place)) => self.open_operand(first, place),
                _ => Ok((first.text.to_owned(), first.span)),
            };
        }
        let begins = matches!(first.kind, Lexeme::Number | Lexeme::Literal)
            || known.is_some()
            || ["(", "-", "+", "~", "!"].iter().any(|mark| first.is(mark));
        if !begins {
            return self.unexpected("an operand");
        }
        let value = self.expression()?;
        let last = self.tokens[self.at - 1].span;
        Ok((value.to_string(), first.span.to(last)))
    }

    /// A parameter or variable in the place of an operand.
    fn open_operand<T>(&mut self, token: Token<'a>, place: Span) -> Result<T, Mistake> {
        let name = token.text;
        let message = match self.target.operand(name) {
            Some(_) => format!("`{name}` is declared here, and not the machine's `{name}`"),
            None => format!("what `{name}` stands for is not known before the program runs"),
        };
        let diagnostic = Diagnostic::error("unreadable", message);
        self.mistake(diagnostic.label(token.span, "used here").label(place, "declared here"))
    }

    fn mask(&mut self, name: Token<'a>, span: Span) -> Result<(), Mistake> {
        if !self.reading.assume_all {
            let message = format!("after `{}` not all elements execute what follows", name.text);
            let diagnostic = Diagnostic::error("masked", message).label(span, "this depends on the image");
            return self.mistake(
                diagnostic.help("with --assume-all the program is read as if every element were chosen"),
            );
        }
        self.mask = Some(span);
        let message = format!("`{}` is taken as choosing every element", name.text);
        self.listing
            .notes
            .push(Diagnostic::warning("mask-not-followed", message).label(span, "as --assume-all says"));
        Ok(())
    }

    /// A call that takes an image, where it is the program's first.
    fn load(&mut self, name: Token<'a>, operands: &[(String, Span)], span: Span) -> Result<(), Mistake> {
        if !self.listing.spans.is_empty() || self.listing.load.is_some() {
            let message = format!("`{}` takes a new image inside of a program", name.text);
            let diagnostic = Diagnostic::error("unreadable", message);
            return self.mistake(diagnostic.label(span, "only a program's first call may do so"));
        }
        let forms: Vec<&'a Load> = self.target.sources.loads.iter().filter(|l| l.name == name.text).collect();
        let Some(form) = forms.iter().find(|form| form.results.len() == operands.len()) else {
            let counts: Vec<String> = forms.iter().map(|form| form.results.len().to_string()).collect();
            let message =
                format!("`{}` takes {} operands, found {}", name.text, counts.join(" or "), operands.len());
            return self.mistake(Diagnostic::error("operand-count", message).label(span, "in this call"));
        };
        let general = self.target.files.first().map(|file| file.registers.as_slice()).unwrap_or_default();
        let mut registers: Vec<RegisterId> = Vec::new();
        for (text, place) in operands {
            match self.target.operand(text) {
                Some(Operand::Register(register)) if registers.contains(&register) => {
                    let message = format!("`{}` needs different registers, `{text}` stands twice", name.text);
                    let diagnostic = Diagnostic::error("distinct-operands", message);
                    return self.mistake(diagnostic.label(*place, "for the second time"));
                }
                Some(Operand::Register(register)) if general.contains(&register) => registers.push(register),
                _ => {
                    let message = format!("`{}` needs a register that takes the image", name.text);
                    return self
                        .mistake(Diagnostic::error("operand-kind", message).label(*place, "this is none"));
                }
            }
        }
        self.listing.load = Some(loaded(form, registers));
        Ok(())
    }
}

/// What a call that takes an image leaves in these registers.
fn loaded(form: &Load, registers: Vec<RegisterId>) -> Loaded {
    let here = |register| Access { register, offset: [0; 3] };
    let image = registers[form.image];
    let parts = || registers.iter().zip(&form.results).filter(|(register, _)| **register != image);
    let step = |(register, factor): (&RegisterId, &Option<Rational>)| {
        factor.map(|factor| Step { writes: vec![here(*register)], reads: vec![(here(image), factor)] })
    };
    Loaded {
        register: image,
        steps: parts().filter_map(step).collect(),
        overwritten: parts().map(|(register, _)| *register).chain(form.clobbers.iter().copied()).collect(),
        instruction: Instruction {
            name: form.name.clone(),
            operands: registers.into_iter().map(Operand::Register).collect(),
        },
    }
}
