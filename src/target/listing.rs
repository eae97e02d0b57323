//! Programs as people have them: a whole C++ source with programs among other code, with macros, loops and comments; what
//! other compilers print; or instructions alone.
//!
//! What is read: instructions `name(operand, …);`, results on the left as in `B = east(A)`, braces, `#define` macros
//! without conditions, and `for` loops with constant bounds. All else between the calls that begin and end a program is
//! reported where it stands. What is outside of them is not looked at, but for macros and integer constants.

use super::descriptor::{RegisterId, Target};
use super::listing_blocks::{Found, find};
use super::listing_lex::{Kind, Token, tokens};
use super::listing_macros::{Macros, integer};
use super::program::{Operand, Program};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};

/// How often the loops of a program may repeat instructions in all.
const MOST_INSTRUCTIONS: usize = 100_000;

/// How deep braces and loops may be nested.
const MOST_DEPTH: usize = 100;

/// How a source is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Which of the source's programs, counted from 1; needed where there are several.
    pub block: Option<usize>,
    /// Whether instructions under a mask are taken as executed everywhere.
    pub assume_all: bool,
}

/// A program of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The call that begins it; the whole source where there is no such call.
    pub place: Span,
}

/// A program that was read, and where its instructions stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The program.
    pub program: Program,
    /// For each instruction its place; for one out of a macro, where the macro is used.
    pub spans: Vec<Span>,
    /// For each instruction whether it stands under a mask that was not followed.
    pub masked: Vec<bool>,
    /// The register that the program's first call puts the input into, where it has such a call.
    pub load: Option<RegisterId>,
    /// What was read in another way than it stands.
    pub notes: Diagnostics,
}

/// The programs of a source, in order: at least one.
///
/// # Errors
/// A text that cannot be read at all, a comment without end, calls that begin or end a program without their counterparts.
pub fn blocks(target: &Target, source: &Source) -> Result<Vec<Block>, Diagnostics> {
    let found = find(target, &lex(source)?)?;
    Ok(found.into_iter().map(|found| Block { place: found.place }).collect())
}

/// Reads a program of a source. Whether its operands keep the machine's rules is left to
/// [`Program::violations`].
///
/// # Errors
/// As [`blocks`]; several programs where none is chosen; everything in the program that is not an instruction, in source order.
pub fn read_listing(target: &Target, source: &Source, reading: &Reading) -> Result<Listing, Diagnostics> {
    let all = lex(source)?;
    let found = choose(find(target, &all)?, source, reading.block)?;
    let mut macros = Macros::of(&all);
    for alias in &target.sources.aliases {
        let taken = target.primitives.iter().any(|p| p.name == alias.name);
        if !taken && target.macros.iter().all(|m| m.name != alias.name) {
            macros.add_common(&alias.name, &alias.operands, &alias.body);
        }
    }
    let mut diagnostics = Diagnostics::new();
    let mut code = Vec::new();
    let whole = found.tokens.len() == all.len();
    for token in &all[found.tokens] {
        match token.kind {
            Kind::Directive if !whole && conditional(token.text) => {
                let message = "the preprocessor's conditions are not evaluated";
                let diagnostic =
                    Diagnostic::error("unreadable", message).label(token.span, "inside of a program");
                diagnostics.push(diagnostic.help("keep the lines that are meant"));
            }
            Kind::Directive => {}
            _ => code.push(*token),
        }
    }
    let code = with_results_first(&code);
    let expanded = macros.expand(&code).map_err(Diagnostics::from)?;
    let mut reader = Reader {
        target,
        reading,
        macros: &macros,
        tokens: &expanded,
        at: 0,
        variables: Vec::new(),
        open: 0,
        rounds: 0,
        mask: None,
        diagnostics,
        listing: Listing {
            program: Program::new(target),
            spans: Vec::new(),
            masked: Vec::new(),
            load: None,
            notes: Diagnostics::new(),
        },
    };
    while reader.at < expanded.len() {
        if reader.statement(0).is_err() {
            reader.recover();
        }
    }
    reader.diagnostics.or(reader.listing)
}

fn lex(source: &Source) -> Result<Vec<Token<'_>>, Diagnostics> {
    if let Some(defect) = source.defect() {
        return Err(defect.clone().into());
    }
    match tokens(source.text(), 0) {
        (_, Some(open)) => Err(Diagnostic::error("open-comment", "the comment does not end")
            .label(open, "it begins here")
            .into()),
        (found, None) => Ok(found),
    }
}

fn conditional(directive: &str) -> bool {
    let name = directive[1..].trim_start();
    ["if", "el", "endif"].iter().any(|word| name.starts_with(word))
}

/// The program that is meant.
fn choose(mut found: Vec<Found>, source: &Source, block: Option<usize>) -> Result<Found, Diagnostics> {
    let line = |found: &Found| source.position(found.place.start as usize).line;
    let count = found.len();
    match block {
        Some(number) if (1..=count).contains(&number) => Ok(found.swap_remove(number - 1)),
        Some(number) => {
            let message = format!("there is no program {number}: the source has {count}");
            Err(Diagnostic::error("no-such-block", message)
                .label(found[count - 1].place, "the last one")
                .into())
        }
        None if count == 1 => Ok(found.swap_remove(0)),
        None => {
            let list: Vec<String> =
                found.iter().enumerate().map(|(i, f)| format!("{} in line {}", i + 1, line(f))).collect();
            let message = format!("the source has {count} programs");
            let diagnostic =
                Diagnostic::error("several-blocks", message).label(found[0].place, "the first one");
            Err(diagnostic.help(format!("choose one with --block N: {}", list.join(", "))).into())
        }
    }
}

/// `B = east (A)` as `east(B, A);`, also behind a line number, as compilers print it; all else as it is.
fn with_results_first<'a>(code: &[Token<'a>]) -> Vec<Token<'a>> {
    let mark = |text: &'static str, span: Span| Token { kind: Kind::Mark, text, span };
    let mut out: Vec<Token<'a>> = Vec::with_capacity(code.len());
    let mut at = 0;
    while at < code.len() {
        let starts = out.last().is_none_or(|t: &Token<'_>| t.is(";") || t.is("{") || t.is("}"));
        let numbered = usize::from(code[at].kind == Kind::Number && starts);
        if let [result, equals, name, open, rest @ ..] = &code[at + numbered..]
            && starts
            && result.kind == Kind::Word
            && equals.is("=")
            && name.kind == Kind::Word
            && open.is("(")
            && let Some(close) = rest.iter().position(|t| t.is(")"))
        {
            let operands = &rest[..close];
            out.extend([*name, *open, *result]);
            if !operands.is_empty() {
                out.push(mark(",", open.span));
            }
            out.extend(operands);
            out.push(rest[close]);
            let next = rest.get(close + 1);
            if !next.is_some_and(|t| t.is(";")) {
                out.push(mark(";", rest[close].span));
            }
            at += numbered + 4 + close + 1;
        } else {
            out.push(code[at]);
            at += 1;
        }
    }
    out
}

/// A mistake in a statement that was reported; the reader goes on after it.
struct Mistake;

struct Reader<'a> {
    target: &'a Target,
    reading: &'a Reading,
    macros: &'a Macros<'a>,
    tokens: &'a [Token<'a>],
    at: usize,
    /// Loop variables that have a value, the innermost last.
    variables: Vec<(&'a str, i64)>,
    /// How many blocks are open.
    open: usize,
    /// How many rounds of loops were read.
    rounds: usize,
    /// The call that masks what is read.
    mask: Option<Span>,
    diagnostics: Diagnostics,
    listing: Listing,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    fn next_is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.next_is(text);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str, place: &str) -> Result<(), Mistake> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}` {place}")) }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T, Mistake> {
        let (shown, span) = match self.peek() {
            Some(token) => (format!("`{}`", token.text), token.span),
            None => {
                let end = self.tokens.last().map_or(0, |t| t.span.end as usize);
                ("the end".to_owned(), Span::at(end))
            }
        };
        let diagnostic = Diagnostic::error("unexpected", format!("expected {expected}, found {shown}"));
        self.mistake(diagnostic.label(span, format!("expected {expected}")))
    }

    fn mistake<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Mistake> {
        // A macro reports once what is wrong with it, not once for each line that it stands for.
        let known = self.diagnostics.iter().any(|d| d.id == diagnostic.id && d.labels == diagnostic.labels);
        if !known {
            self.diagnostics.push(diagnostic);
        }
        Err(Mistake)
    }

    fn statement(&mut self, depth: usize) -> Result<(), Mistake> {
        if depth > MOST_DEPTH {
            let span = self.peek().map_or(Span::default(), |t| t.span);
            let deep = Diagnostic::error("too-deep", "braces are nested too deep")
                .label(span, "no deeper than this");
            self.at = self.tokens.len();
            return self.mistake(deep);
        }
        if self.accept(";") {
            return Ok(());
        }
        if self.accept("{") {
            return self.until_brace(depth);
        }
        // `({ … })`, as macros that are used like functions are written.
        if self.next_is("(") && self.tokens.get(self.at + 1).is_some_and(|t| t.is("{")) {
            self.at += 2;
            self.until_brace(depth)?;
            return self.expect(")", "after the block");
        }
        let Some(token) = self.peek() else { return Ok(()) };
        if token.kind != Kind::Word {
            return self.unexpected("an instruction");
        }
        match token.text {
            "for" => self.repetition(depth),
            // Constants are known from before; a declaration of anything else is no instruction.
            "const" | "constexpr" if self.declares_constant() => {
                self.skip_statement();
                Ok(())
            }
            "if" | "else" | "while" | "do" | "switch" | "case" | "goto" | "return" | "break" | "continue" => {
                let message = format!("`{}` is decided when the program runs", token.text);
                let diagnostic =
                    Diagnostic::error("unreadable", message).label(token.span, "not straight-line code");
                let _reported: Result<(), Mistake> = self.mistake(diagnostic);
                self.at += 1;
                self.skip_controlled();
                Ok(())
            }
            _ => self.call(token),
        }
    }

    /// Whether the declaration that begins here is one of a constant that is known.
    fn declares_constant(&self) -> bool {
        let words = self.tokens[self.at..].iter().take_while(|t| t.kind == Kind::Word);
        words.last().is_some_and(|name| self.macros.constant(name.text).is_some())
    }

    fn until_brace(&mut self, depth: usize) -> Result<(), Mistake> {
        self.open += 1;
        while !self.accept("}") {
            if self.peek().is_none() {
                return self.unexpected("`}` after the block");
            }
            if self.statement(depth + 1).is_err() {
                self.recover();
            }
        }
        self.open -= 1;
        Ok(())
    }

    /// Goes on after the semicolon that ends a mistaken statement, or at the brace that ends its block.
    fn recover(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            match token.text {
                "{" => depth += 1,
                "}" if depth == 0 => {
                    // Outside of any block a brace is nobody's: reading must go on all the same.
                    self.at += usize::from(self.open == 0);
                    return;
                }
                "}" => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                ";" if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// `name(operand, …);`
    fn call(&mut self, name: Token<'a>) -> Result<(), Mistake> {
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
        if is(&forms.loads) {
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
                if self.listing.spans.len() >= MOST_INSTRUCTIONS {
                    self.at = self.tokens.len();
                    let message = format!("the program has more than {MOST_INSTRUCTIONS} instructions");
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

    /// An operand: a name, or an expression over constants and loop variables.
    fn operand(&mut self) -> Result<(String, Span), Mistake> {
        let Some(first) = self.peek() else { return self.unexpected("an operand") };
        let ends = self.tokens.get(self.at + 1).is_none_or(|t| t.is(",") || t.is(")"));
        if first.kind == Kind::Word && ends && self.value_of(first.text).is_none() {
            self.at += 1;
            return Ok((first.text.to_owned(), first.span));
        }
        if !(first.kind == Kind::Number
            || self.value_of(first.text).is_some()
            || first.is("(")
            || first.is("-"))
        {
            return self.unexpected("an operand");
        }
        if first.kind == Kind::Number && integer(first.text).is_none() && ends {
            self.at += 1;
            return Ok((first.text.to_owned(), first.span));
        }
        let value = self.expression()?;
        let last = self.tokens[self.at - 1].span;
        Ok((value.to_string(), first.span.to(last)))
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

    fn load(&mut self, name: Token<'a>, operands: &[(String, Span)], span: Span) -> Result<(), Mistake> {
        let first = self.listing.spans.is_empty() && self.listing.load.is_none();
        let register = operands.first().map(|(text, _)| self.target.operand(text));
        match register {
            Some(Some(Operand::Register(register))) if first => {
                self.listing.load = Some(register);
                Ok(())
            }
            Some(Some(Operand::Register(_))) => {
                let message = format!("`{}` takes a new image inside of a program", name.text);
                let diagnostic = Diagnostic::error("unreadable", message);
                self.mistake(diagnostic.label(span, "only a program's first call may do so"))
            }
            _ => {
                let message = format!("`{}` needs a register that takes the image", name.text);
                self.mistake(Diagnostic::error("operand-kind", message).label(span, "in this call"))
            }
        }
    }
}

/// What a loop's parentheses say.
struct Loop<'a> {
    name: &'a str,
    from: i64,
    comparison: &'static str,
    to: i64,
    step: i64,
}

impl<'a> Reader<'a> {
    /// `for (int i = FROM; i < TO; i += STEP) statement`, with constants for bounds and step: read as often as it runs.
    fn repetition(&mut self, depth: usize) -> Result<(), Mistake> {
        let keyword = self.tokens[self.at].span;
        self.at += 1;
        let Ok(Loop { name, from, comparison, to, step }) = self.header() else { return Ok(()) };
        let holds = |value: i64| match comparison {
            "<" => value < to,
            "<=" => value <= to,
            ">" => value > to,
            ">=" => value >= to,
            _ => value != to,
        };
        let body = self.at;
        let mut value = from;
        let mut after = None;
        while holds(value) {
            self.rounds += 1;
            if self.rounds > MOST_INSTRUCTIONS {
                self.at = self.tokens.len();
                let message = "the loop does not end, or runs for too long";
                return self.mistake(Diagnostic::error("endless-loop", message).label(keyword, "this one"));
            }
            self.at = body;
            self.variables.push((name, value));
            if self.statement(depth + 1).is_err() {
                self.recover();
            }
            self.variables.pop();
            after = Some(self.at);
            // A mistake in the body is the same mistake in every round.
            if !self.diagnostics.is_empty() {
                break;
            }
            value = value.saturating_add(step);
        }
        match after {
            Some(after) => self.at = after,
            None => self.skip_statement(),
        }
        Ok(())
    }

    /// What stands in the parentheses of a loop. Where it cannot be read, the reader is past the loop's body.
    fn header(&mut self) -> Result<Loop<'a>, Mistake> {
        let open = self.at;
        let read = self.header_parts();
        if read.is_err() {
            self.at = open;
            self.skip_controlled();
        }
        read
    }

    fn header_parts(&mut self) -> Result<Loop<'a>, Mistake> {
        self.expect("(", "after `for`")?;
        let mut name = None;
        while let Some(token) = self.peek().filter(|t| t.kind == Kind::Word) {
            name = Some(token);
            self.at += 1;
        }
        let Some(name) = name else { return self.unexpected("a loop variable") };
        self.expect("=", "after the loop variable")?;
        let from = self.expression()?;
        self.expect(";", "after the loop's start")?;
        if self.peek().is_none_or(|t| t.text != name.text) {
            return self.unexpected(&format!("a bound for `{}`", name.text));
        }
        self.at += 1;
        let comparison = self.comparison()?;
        let to = self.expression()?;
        self.expect(";", "after the loop's bound")?;
        let step = self.step(name)?;
        self.expect(")", "after the loop's step")?;
        Ok(Loop { name: name.text, from, comparison, to, step })
    }

    /// Goes past the parentheses and the statement behind a keyword.
    fn skip_controlled(&mut self) {
        if self.next_is("(") {
            let mut depth = 0usize;
            while let Some(token) = self.peek() {
                self.at += 1;
                match token.text {
                    "(" => depth += 1,
                    ")" if depth <= 1 => break,
                    ")" => depth -= 1,
                    _ => {}
                }
            }
        }
        self.skip_statement();
    }

    /// Goes past a statement that is never executed.
    fn skip_statement(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            self.at += 1;
            match token.text {
                "{" | "(" => depth += 1,
                "}" | ")" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && token.is("}") {
                        return;
                    }
                }
                ";" if depth == 0 => return,
                _ => {}
            }
        }
    }

    fn comparison(&mut self) -> Result<&'static str, Mistake> {
        for (first, second, name) in
            [("<", "=", "<="), (">", "=", ">="), ("!", "=", "!="), ("<", "", "<"), (">", "", ">")]
        {
            let behind = self.tokens.get(self.at + 1).is_some_and(|t| t.is(second));
            if self.next_is(first) && (second.is_empty() || behind) {
                self.at += 1 + usize::from(!second.is_empty());
                return Ok(name);
            }
        }
        self.unexpected("a comparison with a constant")
    }

    /// `i++`, `++i`, `i--`, `--i`, `i += N`, `i -= N`.
    fn step(&mut self, name: Token<'a>) -> Result<i64, Mistake> {
        let before = self.peek().filter(|t| t.is("+") || t.is("-"));
        if let Some(mark) = before {
            self.at += 1;
            self.expect(mark.text, "twice")?;
        }
        if self.peek().is_none_or(|t| t.text != name.text) {
            return self.unexpected(&format!("a step of `{}`", name.text));
        }
        self.at += 1;
        let sign = |token: Token<'_>| if token.is("-") { -1 } else { 1 };
        if let Some(before) = before {
            return Ok(sign(before));
        }
        let Some(mark) = self.peek().filter(|t| t.is("+") || t.is("-")) else {
            return self.unexpected("`++`, `--`, `+=` or `-=`");
        };
        self.at += 1;
        if self.accept("=") {
            return Ok(self.expression()?.saturating_mul(sign(mark)));
        }
        self.expect(mark.text, "twice, or `=`")?;
        Ok(sign(mark))
    }

    /// The value of a loop variable or named constant.
    fn value_of(&self, name: &str) -> Option<i64> {
        let variable = self.variables.iter().rev().find(|(n, _)| *n == name).map(|(_, value)| *value);
        variable.or_else(|| self.macros.constant(name))
    }

    /// A sum of products of integers, constants and loop variables.
    fn expression(&mut self) -> Result<i64, Mistake> {
        self.sum(0)
    }

    fn sum(&mut self, depth: usize) -> Result<i64, Mistake> {
        let begin = self.at;
        let mut value = self.product(depth)?;
        while let Some(mark) = self.peek().filter(|t| t.is("+") || t.is("-")) {
            self.at += 1;
            let other = self.product(depth)?;
            let sum = if mark.is("+") { value.checked_add(other) } else { value.checked_sub(other) };
            value = self.fits(begin, sum)?;
        }
        Ok(value)
    }

    fn product(&mut self, depth: usize) -> Result<i64, Mistake> {
        let begin = self.at;
        let mut value = self.factor(depth)?;
        while let Some(mark) = self.peek().filter(|t| t.is("*") || t.is("/")) {
            self.at += 1;
            let other = self.factor(depth)?;
            let result = if mark.is("*") { value.checked_mul(other) } else { value.checked_div(other) };
            value = self.fits(begin, result)?;
        }
        Ok(value)
    }

    fn factor(&mut self, depth: usize) -> Result<i64, Mistake> {
        if depth > MOST_DEPTH {
            return self.unexpected("a shorter expression");
        }
        let Some(token) = self.peek() else { return self.unexpected("a constant") };
        let value = match token.kind {
            Kind::Number => integer(token.text),
            Kind::Word => self.value_of(token.text),
            _ if token.is("-") => {
                self.at += 1;
                return Ok(self.factor(depth + 1)?.saturating_neg());
            }
            _ if token.is("(") => {
                self.at += 1;
                let value = self.sum(depth + 1)?;
                self.expect(")", "after the expression")?;
                return Ok(value);
            }
            _ => None,
        };
        match value {
            Some(value) => {
                self.at += 1;
                Ok(value)
            }
            None if token.kind == Kind::Word => {
                let message = format!("`{}` is not known before the program runs", token.text);
                let diagnostic =
                    Diagnostic::error("unreadable", message).label(token.span, "expected a constant");
                self.mistake(diagnostic)
            }
            None => self.unexpected("a constant"),
        }
    }

    fn fits(&mut self, begin: usize, value: Option<i64>) -> Result<i64, Mistake> {
        match value {
            Some(value) => Ok(value),
            None => {
                let span = self.tokens[begin].span.to(self.tokens[self.at - 1].span);
                let message = "the value of this expression does not fit, or is none";
                self.mistake(Diagnostic::error("number-too-large", message).label(span, "this one"))
            }
        }
    }
}
