//! Programs as people have them: a whole C++ source with programs among other code, with macros, loops and comments; what
//! other compilers print; or instructions alone.
//!
//! What is read, once the preprocessor is through: instructions `name(operand, …);`, results on the left as in
//! `B = east(A)`, braces, constants, and `for` loops with constant bounds. All else between the calls that begin and end a
//! program is reported where it stands. What is outside of them is not looked at, but for the names that it declares.

mod blocks;
mod results;
mod scope;
mod reader;
mod call;
mod repeat;

use blocks::{Found, find};
use reader::Reader;
use results::with_results_first;
use scope::Scopes;

use super::descriptor::{RegisterId, Target};
use super::instruction::Instruction;
use super::operation::Step;
use super::program::Program;
use crate::syntax::c::{Macros, Preprocessed, Token, preprocess, text_of};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};

/// How often the loops of a program may repeat instructions in all.
const MAX_INSTRUCTIONS: usize = 100_000;

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
    /// The program's first call, where it takes an image.
    pub load: Option<Loaded>,
    /// What was read in another way than it stands, or than could be meant.
    pub notes: Diagnostics,
    /// How many programs the source has.
    pub blocks: usize,
}

/// A call that took an image before the first instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The call.
    pub instruction: Instruction,
    /// The register that holds the image.
    pub register: RegisterId,
    /// What the call leaves in other registers, from the image.
    pub steps: Vec<Step>,
    /// All other registers that it overwrites, those of `steps` among them.
    pub overwritten: Vec<RegisterId>,
}

/// The programs of a source, in order: at least one.
///
/// # Errors
/// A text that cannot be read at all, a comment without end, calls that begin or end a program without their counterparts.
pub fn blocks(target: &Target, source: &Source) -> Result<Vec<Block>, Diagnostics> {
    let text = text_of(source)?;
    let found = find(target, &preprocess(&text, &[])?.tokens)?;
    Ok(found.into_iter().map(|found| Block { place: found.place }).collect())
}

/// Reads a program of a source. Whether its operands keep the machine's rules is left to
/// [`Program::violations`].
///
/// # Errors
/// As [`blocks`]; several programs where none is chosen; everything in the program that is not an instruction, in source order.
pub fn read_listing(target: &Target, source: &Source, reading: &Reading) -> Result<Listing, Diagnostics> {
    let text = text_of(source)?;
    let all = preprocess(&text, &[])?;
    let found = find(target, &all.tokens)?;
    let count = found.len();
    let found = choose(found, source, reading.block)?;
    let mut scopes = Scopes::new(target);
    scopes.walk(&all.tokens[..found.tokens.start]);
    let code = with_results_first(&all.tokens[found.tokens.clone()]);
    let code = aliases(target).expand(&code);
    let mut reader = Reader::new(target, reading, &code.tokens, scopes);
    reader.run();
    let (mut listing, mut diagnostics) = reader.finish();
    let (notes, mistakes) = remarks(&all, &found, source);
    diagnostics.append(mistakes);
    code.mistakes.into_iter().for_each(|mistake| diagnostics.push(mistake));
    listing.notes.append(notes);
    listing.blocks = count;
    diagnostics.or(listing)
}

impl Target {
    /// Reads a source that has one program, as [`read_listing`] does.
    ///
    /// # Errors
    /// As [`read_listing`].
    pub fn parse(&self, source: &Source) -> Result<Listing, Diagnostics> {
        read_listing(self, source, &Reading::default())
    }
}

/// What the preprocessor has to say of a program.
fn remarks(all: &Preprocessed<'_>, found: &Found, source: &Source) -> (Diagnostics, Diagnostics) {
    let read = if found.whole { Span::new(0, source.text().len()) } else { found.extent };
    let words = all.tokens[found.tokens.clone()].iter().map(|token: &Token<'_>| token.text);
    all.remarks(&[read], words)
}

/// The names that other compilers print, as macros.
fn aliases(target: &Target) -> Macros<'_> {
    let mut macros = Macros::default();
    for alias in &target.sources.aliases {
        let taken = target.primitives.iter().any(|p| p.name == alias.name);
        if !taken && target.macros.iter().all(|m| m.name != alias.name) {
            macros.add_common(&alias.name, Some(&alias.operands), &alias.body);
        }
    }
    macros
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
