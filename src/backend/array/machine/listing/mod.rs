//! Reads programs from sources: C++ files with programs among other code, with macros, loops and comments; the output of
//! other compilers; or bare instructions.
//!
//! After preprocessing, a program consists of instructions `name(operand, …);` (also with the result on the left, as in
//! `B = east(A)`), braces, constants, and `for` loops with constant bounds. Anything else between the calls that begin and
//! end a program is reported at its place. Code outside those calls is ignored, except for the names that it declares.

mod types;
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

pub use types::{Block, Listing, Loaded, Reading};

use super::descriptor::Target;
use crate::syntax::c::{Macros, Preprocessed, Token, preprocess, text_of};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};

/// The programs of a source, in order; there is at least one.
///
/// # Errors
/// Unreadable text, an unterminated comment, or a call that begins or ends a program without its counterpart.
pub fn blocks(target: &Target, source: &Source) -> Result<Vec<Block>, Diagnostics> {
    let text = text_of(source)?;
    let found = find(target, &preprocess(&text, &[])?.tokens)?;
    Ok(found.into_iter().map(|found| Block { place: found.place }).collect())
}

/// Reads a program of a source. [`Program::violations`](super::program::Program::violations) checks the operand rules.
///
/// # Errors
/// Those of [`blocks`]; several programs if none is chosen; all errors in the program, in source order.
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
    /// Reads a source with one program, like [`read_listing`].
    ///
    /// # Errors
    /// Those of [`read_listing`].
    pub fn parse(&self, source: &Source) -> Result<Listing, Diagnostics> {
        read_listing(self, source, &Reading::default())
    }
}

/// The preprocessor's warnings and errors about a program.
fn remarks(all: &Preprocessed<'_>, found: &Found, source: &Source) -> (Diagnostics, Diagnostics) {
    let read = if found.whole { Span::new(0, source.text().len()) } else { found.extent };
    let words = all.tokens[found.tokens.clone()].iter().map(|token: &Token<'_>| token.text);
    all.remarks(&[read], words)
}

/// The names in the output of other compilers, as macros.
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

/// The chosen program.
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
