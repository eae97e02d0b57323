//! Reads programs from sources: C++ files with programs among other code, with macros, functions, loops and comments; the output
//! of other compilers; or bare instructions.
//!
//! After preprocessing, a program consists of instructions `name(operand, …);` (also with the result on the left, as in
//! `B = east(A)`), braces, constants and aliases, loops and branches with constant conditions, and calls of functions that the
//! source defines, whose bodies are read in place of the calls. Anything else between the calls that begin and end a program is
//! reported at its place. Of the host's code around programs, what it does to registers is followed, as far as it is known.

mod types;
mod aliases;
mod arrays;
mod dialect;
mod declarator;
mod outline;
mod value;
mod memory;
mod context;
mod integers;
mod sizes;
mod evaluate;
mod survey;
mod scope;
mod walk;
mod closure;
mod templates;
mod blocks;
mod results;
mod reader;
mod declare;
mod statement;
mod control;
mod branch;
mod inline;
mod lookup;
mod host;
mod call;
mod names;
mod host_call;
mod outside;

use blocks::{Form, Found, find};
use outline::{Function, Outline};
use reader::Reader;
use results::with_results_first;
use scope::{Given, Scopes};
use survey::Survey;

pub use types::{Block, DEFAULT_ROUNDS, Listing, Loaded, Reading};

use super::descriptor::Target;
use crate::syntax::c::{Expanded, Macros, Preprocessed, preprocess, text_of};
use crate::syntax::{Diagnostic, Diagnostics, Kind, Source, Span, closest, of_other_kind};

/// The programs of a source, in order; there is at least one.
///
/// # Errors
/// Unreadable text, an unterminated comment, or a call that begins or ends a program without its counterpart.
pub fn blocks(target: &Target, source: &Source) -> Result<Vec<Block>, Diagnostics> {
    let text = text_of(source)?;
    let all = preprocess(source, &text, &[])?;
    let (code, outline) = outlined(target, &all);
    let found = found(target, source, &code, &outline)?;
    Ok(found.into_iter().map(|found| Block { place: found.place }).collect())
}

/// Reads a program of a source. [`Program::violations`](super::program::Program::violations) checks the operand rules.
///
/// # Errors
/// Those of [`blocks`]; several programs if none is chosen; all errors in the program, in source order.
pub fn read_listing(target: &Target, source: &Source, reading: &Reading) -> Result<Listing, Diagnostics> {
    let programs = [Kind::Listing, Kind::Code];
    whole(target, source, reading).map_err(|wrong| of_other_kind(source, &programs, wrong))
}

fn whole(target: &Target, source: &Source, reading: &Reading) -> Result<Listing, Diagnostics> {
    let text = text_of(source)?;
    let given: Vec<(String, i64)> =
        reading.host.iter().filter_map(|(name, value)| Some((name.clone(), value.parse().ok()?))).collect();
    let all = preprocess(source, &text, &given)?;
    let (code, outline) = outlined(target, &all);
    let survey = Survey::of(&code.tokens, &outline);
    let found = found(target, source, &code, &outline)?;
    let count = found.len();
    let chosen = choose(found, source, reading, &outline)?;
    let given = Given { target, reading, tokens: &code.tokens, outline: &outline, survey: &survey };
    let mut scopes = Scopes::new(given);
    scopes.walk(chosen.tokens.start);
    let mut reader = Reader::new(given, scopes);
    reader.whole(&chosen);
    let extents = std::mem::take(&mut reader.extents);
    reader.unused(source);
    reader.note_unseen();
    let (mut listing, mut diagnostics) = reader.finish();
    let (notes, mistakes) = remarks(&all, &chosen, &extents, source);
    diagnostics.append(mistakes);
    let read =
        |place: Span| extents.iter().any(|extent| place.start < extent.end && extent.start < place.end);
    code.mistakes
        .into_iter()
        .filter(|mistake| read(mistake.place()))
        .for_each(|mistake| diagnostics.push(mistake));
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

/// The programs of a source's own text; those of the files that it includes, if it has none.
fn found(
    target: &Target,
    source: &Source,
    code: &Expanded<'_>,
    outline: &Outline<'_>,
) -> Result<Vec<Found>, Diagnostics> {
    let mut found = find(target, &code.tokens, outline)?;
    let is_own = |found: &Found| source.is_own(found.place.start as usize);
    if found.iter().any(is_own) {
        found.retain(is_own);
    }
    Ok(found)
}

/// The code of a source and its functions, with programs in macros that nothing uses behind them.
fn outlined<'a>(target: &'a Target, all: &Preprocessed<'a>) -> (Expanded<'a>, Outline<'a>) {
    let mut code = respelt(target, all);
    let mut outline = Outline::of(&target.sources.host, &code.tokens);
    for function in templates::append(target, &mut code.tokens, &all.unused) {
        outline.push(function);
    }
    (code, outline)
}

/// The tokens of a source with the names and the order of operands that other compilers use replaced by the machine's.
fn respelt<'a>(target: &'a Target, all: &Preprocessed<'a>) -> Expanded<'a> {
    let bare = Outline::of(&target.sources.host, &all.tokens);
    let own = |name: &str| bare.functions.iter().any(|function| function.name == name);
    let machine = |name: &str| target.has_instruction(name);
    let mut macros = Macros::default();
    let aliases = || target.sources.aliases.iter().filter(|alias| !machine(&alias.name) && !own(&alias.name));
    for alias in aliases() {
        macros.add_common(&alias.name, Some(&alias.operands), &alias.body);
    }
    // In a source without functions, a result on the left is one whatever the name, so that a misspelt name is reported as one.
    let known = |name: &str| bare.functions.is_empty() || machine(name) || aliases().any(|a| a.name == name);
    macros.expand(&with_results_first(&all.tokens, &known))
}

/// The preprocessor's warnings and errors about the code that was read.
fn remarks(
    all: &Preprocessed<'_>,
    found: &Found,
    extents: &[Span],
    source: &Source,
) -> (Diagnostics, Diagnostics) {
    let whole = [Span::new(0, source.text().len())];
    let read = if found.form == Form::Whole { &whole } else { extents };
    let within = |span: Span| read.iter().any(|extent| extent.start <= span.start && span.end <= extent.end);
    let words = all.tokens.iter().filter(|token| within(token.span)).map(|token| token.text);
    all.remarks(read, words)
}

/// The chosen part of a source.
fn choose(
    mut found: Vec<Found>,
    source: &Source,
    reading: &Reading,
    outline: &Outline<'_>,
) -> Result<Found, Diagnostics> {
    let line = |found: &Found| source.position(found.place.start as usize).line;
    let count = found.len();
    if let Some(name) = &reading.function {
        return function(name, outline, &found[0]);
    }
    match reading.block {
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
            Err(diagnostic
                .help(format!(
                    "choose one with --block N: {}; or a whole function with --function NAME",
                    list.join(", ")
                ))
                .into())
        }
    }
}

/// A function with all programs in it. Its classes and namespaces may stand before its name.
fn function(name: &str, outline: &Outline<'_>, first: &Found) -> Result<Found, Diagnostics> {
    let all = || outline.functions.iter().filter(|function| !function.name.is_empty());
    let owners: Vec<&str> = name.split("::").filter(|part| !part.is_empty()).collect();
    let is_meant = |function: &&Function<'_>| {
        owners
            .split_last()
            .is_some_and(|(own, owners)| function.name == *own && function.owners.ends_with(owners))
    };
    let found: Vec<&Function<'_>> = all().filter(is_meant).collect();
    let fail = |message: String, help: Option<String>| {
        let diagnostic = Diagnostic::error("no-such-block", message);
        let (place, what) = found
            .first()
            .map_or((first.place, "the first program"), |function| (function.place, "the first of them"));
        Err(diagnostic.label(place, what).help_if(help).into())
    };
    match found[..] {
        [function] => Ok(Found {
            tokens: function.body.clone(),
            place: function.place,
            extent: function.place,
            form: Form::Function,
        }),
        [] => {
            let help = closest(name, all().map(|function| function.name));
            fail(format!("there is no function `{name}`"), help.map(|name| format!("did you mean `{name}`?")))
        }
        _ => {
            let mut names: Vec<String> = found.iter().map(|function| function.full_name()).collect();
            names.sort();
            names.dedup();
            let help = (names.len() > 1).then(|| format!("say which: {}", names.join(", ")));
            fail(format!("the source has {} functions `{name}`", found.len()), help)
        }
    }
}

#[cfg(test)]
mod tests;
