//! Matching brackets among tokens.

use std::ops::Range;

use super::lex::Token;

const PAIRS: [[&str; 2]; 3] = [["(", ")"], ["[", "]"], ["{", "}"]];

/// The index of the bracket that closes the one at `open`. Only brackets of its kind count.
pub(crate) fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let pair = PAIRS.into_iter().find(|[opens, _]| tokens[open].is(opens))?;
    matching(tokens, open..tokens.len(), pair)
}

/// The index of the bracket that the one at `close` closes, not before `least`. Only brackets of its kind count.
pub(crate) fn opening(tokens: &[Token<'_>], close: usize, least: usize) -> Option<usize> {
    let [opens, closes] = PAIRS.into_iter().find(|[_, closes]| tokens[close].is(closes))?;
    matching(tokens, (least..=close).rev(), [closes, opens])
}

/// The place at which the bracket ends that begins at the first of these places.
fn matching(
    tokens: &[Token<'_>],
    mut places: impl Iterator<Item = usize>,
    [begins, ends]: [&str; 2],
) -> Option<usize> {
    let mut depth = 0usize;
    places.find(|at| {
        depth += usize::from(tokens[*at].is(begins));
        depth -= usize::from(tokens[*at].is(ends));
        depth == 0
    })
}

/// The end of the part with which these tokens begin: the first mark outside brackets, or the end of all.
pub(crate) fn part_end(tokens: &[Token<'_>], range: Range<usize>, mark: &str) -> usize {
    let mut depth = 0usize;
    let ends = |token: &Token<'_>| {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.is(mark)
    };
    tokens[range.clone()].iter().position(ends).map_or(range.end, |length| range.start + length)
}

/// The parts of these tokens between marks outside brackets. There is at least one.
pub(crate) fn split(tokens: &[Token<'_>], range: Range<usize>, mark: &str) -> Vec<Range<usize>> {
    let (mut found, mut begin) = (Vec::new(), range.start);
    loop {
        let end = part_end(tokens, begin..range.end, mark);
        found.push(begin..end);
        if end == range.end {
            return found;
        }
        begin = end + 1;
    }
}
