//! Programs as text in the vendor's syntax: `name(operand, …);`, one instruction to a line, between two calls that
//! begin and end a kernel; `//` and `/* */` comments.

use std::fmt::Write as _;

use super::descriptor::{FormalKind, Target};
use super::instruction::{Instruction, Operand};
use super::operation::Violation;
use super::program::Program;
use crate::syntax::preprocess::integer;
use crate::syntax::{Diagnostic, Diagnostics, Source, Span, closest};

/// A program that was read, and where its instructions stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// For each instruction its place, without the semicolon.
    pub spans: Vec<Span>,
}

impl Target {
    /// What an operand's text stands for; `None` where it is not a register, view, direction or number.
    pub fn operand(&self, text: &str) -> Option<Operand> {
        let register = self.register(text).map(Operand::Register);
        let view = || self.view(text).map(Operand::View);
        let direction = || self.direction(text).map(Operand::Direction);
        let count = || integer(text).and_then(|value| u32::try_from(value).ok()).map(Operand::Count);
        register.or_else(view).or_else(direction).or_else(count)
    }

    /// An operand in the target's syntax.
    pub fn operand_text(&self, operand: Operand) -> String {
        match operand {
            Operand::Register(register) => self.register_name(register).to_owned(),
            Operand::View(view) => self.views[view.0].name.clone(),
            Operand::Direction(direction) => self.directions[direction.0].name.clone(),
            Operand::Count(count) => count.to_string(),
        }
    }

    /// An instruction in the target's syntax, without a semicolon.
    pub fn instruction_text(&self, instruction: &Instruction) -> String {
        let operands: Vec<String> = instruction.operands.iter().map(|o| self.operand_text(*o)).collect();
        format!("{}({})", instruction.name, operands.join(", "))
    }

    /// What may stand for a macro's operand, in words.
    pub(super) fn kind_text(&self, kind: FormalKind) -> String {
        match kind {
            FormalKind::Register { file, .. } => {
                let file = &self.files[file];
                let names: Vec<&str> = file.registers.iter().map(|r| self.register_name(*r)).collect();
                format!("one of the registers {}", names.join(" "))
            }
            FormalKind::Direction => {
                let names: Vec<&str> = self.directions.iter().map(|d| d.name.as_str()).collect();
                format!("one of the directions {}", names.join(" "))
            }
            FormalKind::Count(least, most) => format!("a number from {least} to {most}"),
        }
    }

    /// A program in the target's syntax: the line that begins a kernel, one instruction to a line, the line that ends it.
    pub fn print(&self, program: &Program) -> String {
        let mut text = format!("{}();\n", self.brackets[0]);
        for instruction in &program.instructions {
            // Writing to a string cannot fail.
            let _written = writeln!(text, "{};", self.instruction_text(instruction));
        }
        text + &self.brackets[1] + "();\n"
    }

    /// The instruction that a name and the texts of its operands, with their places, stand for.
    ///
    /// # Errors
    /// Every operand that is none of the target's; then what is wrong with the instruction, which stands at `span`.
    pub(super) fn resolve(
        &self,
        name: &str,
        operands: &[(&str, Span)],
        span: Span,
    ) -> Result<Instruction, Vec<Diagnostic>> {
        let found: Vec<Result<Operand, Diagnostic>> =
            operands.iter().map(|(text, place)| self.operand_at(text, *place)).collect();
        let wrong: Vec<Diagnostic> = found.iter().filter_map(|f| f.as_ref().err().cloned()).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let instruction =
            Instruction { name: name.to_owned(), operands: found.into_iter().flatten().collect() };
        match self.expand(&instruction) {
            Ok(_) => Ok(instruction),
            Err(violation) => Err(vec![self.explain(&violation, operands, span)]),
        }
    }

    fn operand_at(&self, text: &str, place: Span) -> Result<Operand, Diagnostic> {
        self.operand(text).ok_or_else(|| {
            let message = format!("`{text}` is no register, view or direction of `{}`", self.name);
            let registers = self.registers.iter().map(|r| r.name.as_str());
            let views = self.views.iter().map(|v| v.name.as_str());
            let known: Vec<&str> =
                registers.chain(views).chain(self.directions.iter().map(|d| d.name.as_str())).collect();
            let help = closest(text, known.iter().copied()).map(|n| format!("did you mean `{n}`?"));
            let label = format!("expected one of {}", known.join(" "));
            Diagnostic::error("unknown-operand", message).label(place, label).help_if(help)
        })
    }

    /// A violation as a diagnostic: at the operand concerned, where there is one.
    fn explain(&self, violation: &Violation, operands: &[(&str, Span)], span: Span) -> Diagnostic {
        let message = violation.to_string();
        match violation {
            Violation::UnknownInstruction { name, .. } => {
                let known = self.primitives.iter().map(|p| &p.name);
                let known = known.chain(self.macros.iter().map(|m| &m.name)).map(String::as_str);
                let help = closest(name, known).map(|n| format!("did you mean `{n}`?"));
                Diagnostic::error(violation.rule(), message).label(span, "not an instruction").help_if(help)
            }
            Violation::OperandKind { position, expected, .. } => {
                let place = operands.get(position - 1).map_or(span, |(_, place)| *place);
                Diagnostic::error(violation.rule(), message).label(place, format!("expected {expected}"))
            }
            _ => Diagnostic::error(violation.rule(), message).label(span, "in this instruction"),
        }
    }

    /// Reads a program. The two lines that begin and end a kernel may both be missing. Whether the operands keep the
    /// machine's rules is left to [`Program::violations`].
    ///
    /// # Errors
    /// Everything that is not an instruction of this target with operands of the right number and kind, in source order.
    pub fn parse(&self, source: &Source) -> Result<Parsed, Diagnostics> {
        if let Some(defect) = source.defect() {
            return Err(defect.clone().into());
        }
        let parsed = Parsed { program: Program::new(self), spans: Vec::new() };
        let mut parser =
            Parser { target: self, text: source.text(), at: 0, diagnostics: Diagnostics::new(), parsed };
        parser.run();
        parser.diagnostics.or(parser.parsed)
    }
}

/// A mistake in a statement; the parser goes on after its semicolon.
struct Mistake;

struct Parser<'a> {
    target: &'a Target,
    text: &'a str,
    at: usize,
    diagnostics: Diagnostics,
    parsed: Parsed,
}

impl<'a> Parser<'a> {
    fn run(&mut self) {
        let (mut begin, mut end): (Option<Span>, Option<Span>) = (None, None);
        loop {
            self.skip_blank();
            if self.at == self.text.len() {
                break;
            }
            let start = self.at;
            match self.statement() {
                Err(Mistake) => self.recover(start),
                Ok((name, operands, span)) => {
                    if let Some(end) = end {
                        let text = "the program goes on after its end";
                        let diagnostic =
                            Diagnostic::error("code-after-end", text).label(span, "not expected here");
                        self.diagnostics.push(diagnostic.label(end, "the program ends here"));
                        return;
                    }
                    if name == self.target.brackets[0] && begin.is_none() && self.parsed.spans.is_empty() {
                        begin = Some(span);
                    } else if name == self.target.brackets[1] && begin.is_some() {
                        end = Some(span);
                    } else if self.target.brackets.iter().any(|b| b == name) {
                        let text = format!("`{name}` has no counterpart");
                        let label = format!("expected `{}();` once, before it", self.target.brackets[0]);
                        self.diagnostics.push(Diagnostic::error("unpaired-bracket", text).label(span, label));
                    } else {
                        self.instruction(name, &operands, span);
                    }
                }
            }
        }
        if let (Some(begin), None) = (begin, end) {
            let text = format!("the program does not end with `{}();`", self.target.brackets[1]);
            self.diagnostics.push(Diagnostic::error("unpaired-bracket", text).label(begin, "it begins here"));
        }
    }

    /// `name(operand, …);`
    fn statement(&mut self) -> Result<(&'a str, Vec<Span>, Span), Mistake> {
        let start = self.at;
        let name = self.word("an instruction")?;
        self.symbol('(', "after the instruction's name")?;
        let mut operands = Vec::new();
        self.skip_blank();
        if !self.text[self.at..].starts_with(')') {
            loop {
                operands.push(self.word("an operand")?);
                self.skip_blank();
                if !self.text[self.at..].starts_with(',') {
                    break;
                }
                self.at += 1;
            }
        }
        self.symbol(')', "after the operands")?;
        let span = Span::new(start, self.at);
        self.symbol(';', "after the instruction")?;
        Ok((&self.text[name.range()], operands, span))
    }

    fn instruction(&mut self, name: &str, spans: &[Span], span: Span) {
        let operands: Vec<(&str, Span)> =
            spans.iter().map(|place| (&self.text[place.range()], *place)).collect();
        match self.target.resolve(name, &operands, span) {
            Ok(instruction) => {
                self.parsed.program.instructions.push(instruction);
                self.parsed.spans.push(span);
            }
            Err(mistakes) => mistakes.into_iter().for_each(|mistake| self.diagnostics.push(mistake)),
        }
    }

    /// Skips white space and comments. A comment that does not end is reported, and ends the text.
    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                match trimmed.find("*/") {
                    Some(length) => self.at += length + 2,
                    None => {
                        let label = (Span::new(self.at, self.at + 2), "it begins here");
                        let message = "the comment does not end";
                        self.diagnostics
                            .push(Diagnostic::error("open-comment", message).label(label.0, label.1));
                        self.at = self.text.len();
                    }
                }
            } else {
                return;
            }
        }
    }

    fn word(&mut self, what: &str) -> Result<Span, Mistake> {
        self.skip_blank();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if length == 0 {
            return self.unexpected(what);
        }
        let span = Span::new(self.at, self.at + length);
        self.at += length;
        Ok(span)
    }

    fn symbol(&mut self, symbol: char, place: &str) -> Result<(), Mistake> {
        self.skip_blank();
        if self.text[self.at..].starts_with(symbol) {
            self.at += symbol.len_utf8();
            return Ok(());
        }
        self.unexpected(&format!("`{symbol}` {place}"))
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T, Mistake> {
        let rest = &self.text[self.at..];
        let found = rest.chars().next();
        let shown = found.map_or("the end".to_owned(), |c| format!("`{}`", c.escape_debug()));
        let span = Span::new(self.at, self.at + found.map_or(0, char::len_utf8));
        let diagnostic = Diagnostic::error("unexpected", format!("expected {expected}, found {shown}"));
        self.diagnostics.push(diagnostic.label(span, format!("expected {expected}")));
        Err(Mistake)
    }

    /// Goes on after the semicolon that ends a mistaken statement, or with the next line.
    fn recover(&mut self, start: usize) {
        let rest = &self.text[self.at..];
        let length = rest.find([';', '\n']).map_or(rest.len(), |i| i + 1);
        self.at = (self.at + length).max(start + 1);
    }
}
