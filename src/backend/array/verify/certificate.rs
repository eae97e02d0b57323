//! Certificates: the trace of an evaluation, for others to verify.
//!
//! ```text
//! (certificate
//!   (version 1) (target NAME)
//!   (channel REGISTER)…            the initial values of these registers are channels 0, 1, …
//!   (step "INSTRUCTION" (REGISTER TAP…)…)…     the registers that it writes, with their new values
//!   (output NAME REGISTER TAP…)…)  the expected kernel, which is in that register at the end
//! ```
//! A tap `(CHANNEL DX DY DZ COEFFICIENT)` is a coefficient of a kernel; a register without taps holds zero.

use super::judge::Finding;
use super::trace::Trace;
use crate::algebra::{Placed, Relation};
use crate::backend::array::machine::{Program, RegisterId, Target, Value};
use crate::syntax::{Layout, Sexp};

/// The version of the format.
pub(super) const FORMAT: &str = "1";

/// The certificate of a program, with the outputs that are as expected. `None` if a coefficient does not fit 64 bits, or if
/// the program has instructions that the machine does not allow.
pub fn certificate(
    target: &Target,
    program: &Program,
    trace: &Trace,
    findings: &[Finding],
) -> Option<String> {
    if !trace.lenient.is_empty() {
        return None;
    }
    let name = |register: RegisterId| Sexp::atom(target.register_name(register));
    let mut items = vec![
        Sexp::form("version", [Sexp::atom(FORMAT)]),
        Sexp::form("target", [Sexp::atom(target.name.as_str())]),
    ];
    items.extend((0..trace.channels()).map(|c| Sexp::form("channel", [name(trace.register_of(c))])));
    let mut state = trace.start();
    let load = trace.loaded.iter().map(|load| (&load.instruction, trace.prologue()));
    let lines = program.instructions.iter().zip(trace.lines.iter().map(Vec::as_slice));
    for (instruction, steps) in load.chain(lines) {
        state.apply_all(steps);
        let mut written: Vec<RegisterId> =
            steps.iter().flat_map(|s| &s.writes).map(|write| write.register).collect();
        written.sort_unstable();
        written.dedup();
        let mut parts = vec![Sexp::text(target.instruction_text(instruction))];
        for register in written {
            let Value::Known(kernel) = state.value(register) else { return None };
            parts.push(Sexp::list([vec![name(register)], taps(kernel)?].concat()));
        }
        items.push(Sexp::form("step", parts));
    }
    for finding in findings.iter().filter(|finding| finding.relation == Relation::Equal) {
        let head = vec![Sexp::atom(finding.name.as_str()), name(finding.register)];
        items.push(Sexp::form("output", [head, taps(&finding.expected)?].concat()));
    }
    Some(
        Layout { broken: &["certificate"], ..Layout::default() }.print(&Sexp::form("certificate", items))
            + "\n",
    )
}

fn taps(kernel: &Placed) -> Option<Vec<Sexp>> {
    let tap = |(channel, [x, y, z], k): (u16, [i32; 3], crate::algebra::Rational)| {
        let place = [i64::from(channel), x.into(), y.into(), z.into()];
        let numbers = place.iter().map(|n| Sexp::atom(n.to_string()));
        Sexp::list(numbers.chain([Sexp::atom(k.to_string())]).collect())
    };
    Some(kernel.taps()?.into_iter().map(tap).collect())
}
