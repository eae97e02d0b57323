//! Programs in macros that the source defines but does not use: they are read like functions with the macros' parameters.

use super::outline::{Function, Parameter};
use crate::backend::array::machine::descriptor::{FormalKind, Target};
use crate::backend::array::machine::host_forms::Stands;
use crate::backend::array::machine::logic::ParameterKind;
use crate::syntax::c::{Lexeme, Token, Unused};

/// Appends the bodies of unused macros with programs to the tokens of a source, each as the body of a function.
pub(super) fn append<'a>(
    target: &Target,
    tokens: &mut Vec<Token<'a>>,
    unused: &[Unused<'a>],
) -> Vec<Function<'a>> {
    let begins = |token: &Token<'_>| {
        let usual = target.sources.host.usual(token.text);
        let mut pairs = std::iter::once(&target.brackets).chain(&target.sources.brackets);
        token.kind == Lexeme::Word && pairs.any(|pair| pair[0] == usual)
    };
    let mut found = Vec::new();
    for this in unused.iter().filter(|this| this.body.iter().any(begins)) {
        let start = tokens.len();
        let mark = |text| Token::made(Lexeme::Mark, text, this.place);
        tokens.push(mark("{"));
        tokens.extend(&this.body);
        tokens.push(mark("}"));
        let parameters = this.parameters.iter().map(|name| Parameter {
            name,
            place: this.place,
            kind: kind(target, &this.body, name),
            ty: 0..0,
            class: "",
            reference: false,
            pointer: false,
            constant: false,
            default: 0..0,
        });
        found.push(Function {
            name: this.name,
            owners: Vec::new(),
            method: false,
            destroys: false,
            dispatched: false,
            place: this.place,
            start,
            templates: Vec::new(),
            parameters: parameters.collect(),
            result: 0..0,
            reference: false,
            body: start + 1..tokens.len() - 1,
            lambda: false,
            captures: 0..0,
            program: false,
        });
    }
    found
}

/// What a macro's parameter stands for, from the first instruction that takes it.
fn kind(target: &Target, body: &[Token<'_>], name: &str) -> Option<Stands> {
    (0..body.len()).find_map(|at| {
        body.get(at + 1).filter(|open| open.is("("))?;
        let end = at + 2 + body[at + 2..].iter().position(|token| token.is(")"))?;
        let mut operands = body[at + 2..end].split(|token| token.is(","));
        let count = operands.clone().count();
        let place = operands.position(|operand| matches!(operand, [only] if only.is(name)))?;
        operand_kind(target, body[at].text, count, place)
    })
}

/// What an instruction takes as its operand at a place.
fn operand_kind(target: &Target, instruction: &str, count: usize, place: usize) -> Option<Stands> {
    let general = || Some(Stands::Register(target.files.first()?.name.clone()));
    if target.primitives.iter().any(|primitive| primitive.name == instruction) {
        return general();
    }
    let macros =
        target.macros.iter().find(|found| found.name == instruction && found.operands.len() == count);
    if let Some(formal) = macros.and_then(|found| found.operands.get(place)) {
        return match formal.kind {
            FormalKind::Register { .. } => general(),
            FormalKind::Direction => Some(Stands::Direction),
            FormalKind::Count(..) => None,
        };
    }
    let fits = |count: usize, [least, most]: [usize; 2]| (least..=most).contains(&count);
    let logic =
        target.logic.iter().find(|found| found.name == instruction && fits(count, found.operand_count()))?;
    match logic.operands.get(place).or(logic.operands.last())?.kind {
        ParameterKind::Bit { .. } => Some(Stands::Bit),
        ParameterKind::Register { .. } => general(),
        ParameterKind::Directions => Some(Stands::Direction),
        ParameterKind::Number(..) => None,
    }
}
