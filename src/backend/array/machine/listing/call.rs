//! Reads calls: instructions, masks, and calls that load an image.

use super::reader::{Expression, Reader};
use super::scope::Meaning;
use super::types::{Loaded, MAX_INSTRUCTIONS};
use crate::algebra::Rational;
use crate::backend::array::machine::descriptor::{Load, RegisterId};
use crate::backend::array::machine::instruction::{Instruction, Operand};
use crate::backend::array::machine::operation::{Access, Transfer};
use crate::syntax::c::{Kind, Mistake};
use crate::syntax::{Diagnostic, Span};

impl<'a> Reader<'a> {
    /// `name(operand, …);`
    pub(super) fn call(&mut self) -> Result<(), Mistake> {
        let call = self.code.primary()?;
        let span = call.span;
        let (name, arguments) = match call.kind {
            Kind::Call(name, arguments) => (name, arguments),
            Kind::Name(name) => return self.code.unexpected(&format!("`(` after `{name}`")),
            _ => {
                let diagnostic = Diagnostic::error("unexpected", "this is not an instruction");
                return self.code.mistake(diagnostic.label(span, "expected an instruction"));
            }
        };
        // The body of a macro may lack the semicolon; the one after its use suffices.
        let inside =
            self.code.last() == Some(span) && self.code.peek().is_none_or(|t| t.span != span || t.is("}"));
        if !self.code.accept(";") && !inside {
            return self.code.unexpected("`;` after the instruction");
        }
        // The whole statement has been read, so an error in an operand skips nothing.
        let operands: Result<Vec<_>, Mistake> =
            arguments.iter().map(|argument| self.operand(argument)).collect();
        if let Ok(operands) = operands {
            let _reported = self.execute(&name, &operands, span);
        }
        Ok(())
    }

    /// Adds a call to the program.
    fn execute(&mut self, name: &str, operands: &[(String, Span)], span: Span) -> Result<(), Mistake> {
        let forms = &self.target.sources;
        let is = |names: &[String]| names.iter().any(|n| n == name);
        let instruction = self.target.logic.iter().any(|logic| logic.name == name);
        // A mask that the machine has as an instruction is followed, unless options ignore it.
        if is(&forms.masks) && (self.reading.assume_all || !instruction) {
            return self.mask(name, span);
        }
        if is(&forms.unmasks) && (self.reading.assume_all || !instruction) {
            self.mask = None;
            return Ok(());
        }
        let first = self.listing.spans.is_empty() && self.listing.load.is_none();
        if forms.loads.iter().any(|load| load.name == name) && (first || !instruction) {
            return self.load(name, operands, span);
        }
        if let Some((_, what)) = forms.foreign.iter().find(|(n, _)| n == name) {
            let message = format!("`{}` works on {what}", name);
            let diagnostic = Diagnostic::error("unreadable", message);
            return self.code.mistake(diagnostic.label(span, "only analogue registers are followed"));
        }
        let texts: Vec<(&str, Span)> = operands.iter().map(|(text, place)| (text.as_str(), *place)).collect();
        match self.target.resolve(name, &texts, span) {
            Ok(instruction) => {
                if self.listing.spans.len() >= MAX_INSTRUCTIONS {
                    self.code.at = self.code.tokens.len();
                    let message = format!("the program has more than {MAX_INSTRUCTIONS} instructions");
                    return self
                        .code
                        .mistake(Diagnostic::error("too-long", message).label(span, "at this one"));
                }
                self.listing.program.instructions.push(instruction);
                self.listing.spans.push(span);
                self.listing.masked.push(self.mask.is_some());
                Ok(())
            }
            Err(mistakes) => {
                for diagnostic in mistakes {
                    let _reported: Result<(), Mistake> = self.code.mistake(diagnostic);
                }
                Ok(())
            }
        }
    }

    /// An operand: a name, or a constant expression.
    fn operand(&mut self, argument: &Expression) -> Result<(String, Span), Mistake> {
        let span = argument.span;
        let text = match &argument.kind {
            Kind::Name(name) => match self.scopes.meaning(name) {
                None => name.clone(),
                Some(Meaning::Number(value)) => value.to_string(),
                Some(Meaning::Operand(operand)) => operand.to_owned(),
                Some(Meaning::Open(place)) => return self.open_operand(name, span, place),
            },
            _ => self.value(argument)?.to_string(),
        };
        Ok((text, span))
    }

    /// Reports a parameter or variable used as an operand.
    fn open_operand<T>(&mut self, name: &str, span: Span, place: Span) -> Result<T, Mistake> {
        let message = match self.target.operand(name) {
            Some(_) => format!("`{name}` is declared in the source and is not the machine's `{name}`"),
            None => format!("the value of `{name}` is not known before the program runs"),
        };
        let diagnostic = Diagnostic::error("unreadable", message);
        self.code.mistake(diagnostic.label(span, "used here").label(place, "declared here"))
    }

    fn mask(&mut self, name: &str, span: Span) -> Result<(), Mistake> {
        if !self.reading.assume_all {
            let message = format!("after `{}` not all elements execute what follows", name);
            let diagnostic = Diagnostic::error("masked", message).label(span, "this depends on the image");
            return self.code.mistake(
                diagnostic.help("with --assume-all the program is read as if every element were chosen"),
            );
        }
        self.mask = Some(span);
        let message = format!("`{}` is taken as choosing every element", name);
        self.listing
            .notes
            .push(Diagnostic::warning("mask-not-followed", message).label(span, "as --assume-all says"));
        Ok(())
    }

    /// A call that loads an image; it must be the first call of the program.
    fn load(&mut self, name: &str, operands: &[(String, Span)], span: Span) -> Result<(), Mistake> {
        if !self.listing.spans.is_empty() || self.listing.load.is_some() {
            let message = format!("`{}` takes a new image inside a program", name);
            let diagnostic = Diagnostic::error("unreadable", message);
            return self.code.mistake(diagnostic.label(span, "only a program's first call may do so"));
        }
        let forms: Vec<&'a Load> = self.target.sources.loads.iter().filter(|l| l.name == name).collect();
        let Some(form) = forms.iter().find(|form| form.results.len() == operands.len()) else {
            let counts: Vec<String> = forms.iter().map(|form| form.results.len().to_string()).collect();
            let message =
                format!("`{}` takes {} operands, found {}", name, counts.join(" or "), operands.len());
            return self
                .code
                .mistake(Diagnostic::error("operand-count", message).label(span, "in this call"));
        };
        let general = self.target.files.first().map(|file| file.registers.as_slice()).unwrap_or_default();
        let mut registers: Vec<RegisterId> = Vec::new();
        for (text, place) in operands {
            match self.target.operand(text) {
                Some(Operand::Register(register)) if registers.contains(&register) => {
                    let message = format!("`{}` needs different registers, `{text}` appears twice", name);
                    let diagnostic = Diagnostic::error("distinct-operands", message);
                    return self.code.mistake(diagnostic.label(*place, "for the second time"));
                }
                Some(Operand::Register(register)) if general.contains(&register) => registers.push(register),
                _ => {
                    let message = format!("`{}` needs a register that takes the image", name);
                    return self.code.mistake(
                        Diagnostic::error("operand-kind", message).label(*place, "this is not one"),
                    );
                }
            }
        }
        self.listing.load = Some(loaded(form, registers));
        Ok(())
    }
}

/// The effect of a call that loads an image on these registers.
fn loaded(form: &Load, registers: Vec<RegisterId>) -> Loaded {
    let here = |register| Access { register, offset: [0; 3] };
    let image = registers[form.image];
    let parts = || registers.iter().zip(&form.results).filter(|(register, _)| **register != image);
    let transfer = |(register, factor): (&RegisterId, &Option<Rational>)| {
        factor.map(|factor| Transfer { writes: vec![here(*register)], reads: vec![(here(image), factor)] })
    };
    Loaded {
        register: image,
        transfers: parts().filter_map(transfer).collect(),
        overwritten: parts().map(|(register, _)| *register).chain(form.clobbers.iter().copied()).collect(),
        instruction: Instruction {
            name: form.name.clone(),
            operands: registers.into_iter().map(Operand::Register).collect(),
        },
    }
}
