//! The data flow of a program: how each instruction computes its value from earlier ones.

use thiserror::Error;

use crate::algebra::Placed;
use crate::backend::array::machine::{Program, RegisterId, State, Target, Value, Violation};
use crate::report::{FlowValue, Kernel, RegisterValue, Tap, Term};

/// A named value in a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name of the input or output.
    pub name: String,
    /// The register that holds it: an input before the program, an output after it.
    pub register: RegisterId,
}

/// Why the data flow of a program is undefined.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FlowError {
    /// The target does not allow an instruction.
    #[error("line {}: {violation}", line + 1)]
    Violation {
        /// The instruction, counted from 0.
        line: usize,
        /// What is wrong with it.
        violation: Violation,
    },
    /// A value in use depends on an uninitialised register.
    #[error("`{register}` is read before anything is written to it")]
    Undefined {
        /// The register.
        register: String,
    },
    /// A coefficient does not fit.
    #[error("a coefficient of the value in `{register}` does not fit")]
    Overflow {
        /// The register.
        register: String,
    },
}

/// The values of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The inputs, then every value that the outputs depend on, in the order of the program.
    pub values: Vec<FlowValue>,
    /// For each instruction the registers whose values it changes, with the new values.
    pub written: Vec<Vec<RegisterValue>>,
}

/// A value, before unused ones are dropped.
struct Node {
    register: RegisterId,
    line: Option<usize>,
    terms: Vec<Term>,
    value: Value,
    used: bool,
}

/// Returns the values of a program.
///
/// # Errors
/// [`FlowError`] if the program does not fit the target, or if an output depends on an uninitialised register.
///
/// ```
/// use kalg::backend::array::report::{Binding, flow};
/// use kalg::syntax::Source;
/// use kalg::backend::array::machine::Target;
///
/// let target = Target::builtin("scamp5").unwrap();
/// let program = target.parse(&Source::new("row", "bus(NEWS, A); bus(B, NEWS, XE, XW);")).unwrap().program;
/// let bind = |name: &str, register| vec![Binding { name: name.into(), register: target.register(register).unwrap() }];
/// let steps = flow(&target, &program, &bind("image", "A"), &bind("row", "B"))?.values;
/// assert_eq!(steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(), ["image", "v1", "v2"]);
/// assert_eq!(steps[2].kernels[0].taps.len(), 3);
/// # Ok::<(), kalg::backend::array::report::FlowError>(())
/// ```
pub fn flow(
    target: &Target,
    program: &Program,
    inputs: &[Binding],
    outputs: &[Binding],
) -> Result<Flow, FlowError> {
    let channels = u16::try_from(inputs.len()).expect("a target has fewer registers than 65536");
    let mut state = State::undefined(target.registers.len(), channels);
    let mut holds: Vec<Option<usize>> = vec![None; target.registers.len()];
    let mut nodes = Vec::new();
    for (channel, input) in (0..channels).zip(inputs) {
        let value = Value::Known(Placed::delta(channel, channels));
        state.set(input.register, value.clone());
        holds[input.register.0] = Some(nodes.len());
        nodes.push(Node { register: input.register, line: None, terms: Vec::new(), value, used: true });
    }
    for (line, instruction) in program.instructions.iter().enumerate() {
        let transfers =
            target.transfers(instruction).map_err(|violation| FlowError::Violation { line, violation })?;
        let mut local = State::identity(target.registers.len());
        local.apply_all(&transfers);
        state.apply_all(&transfers);
        let mut written: Vec<RegisterId> =
            transfers.iter().flat_map(|t| t.writes.iter().map(|w| w.register)).collect();
        written.sort();
        written.dedup();
        let before = holds.clone();
        for register in written {
            let value = state.value(register).clone();
            let terms = read(local.value(register), &before);
            if terms.as_ref().is_some_and(|terms| unchanged(terms, before[register.0])) {
                continue;
            }
            holds[register.0] = terms.is_some().then_some(nodes.len());
            let terms = terms.unwrap_or_default();
            nodes.push(Node { register, line: Some(line), terms, value, used: false });
        }
    }
    let written = vec![Vec::new(); program.instructions.len()];
    flow_of(target, nodes, &holds, [inputs, outputs], written)
}

/// The terms of a value over registers; `None` if a register is uninitialised or a coefficient does not fit.
fn read(value: &Value, holds: &[Option<usize>]) -> Option<Vec<Term>> {
    let Value::Known(kernel) = value else { return None };
    let term = |(register, offset, coefficient): (u16, _, crate::algebra::Rational)| {
        Some(Term { step: holds[register as usize]?, offset, coefficient: coefficient.to_string() })
    };
    let mut terms = kernel.taps()?.into_iter().map(term).collect::<Option<Vec<Term>>>()?;
    // Nearest first; at equal distance northern ones first, then eastern ones.
    terms
        .sort_by_key(|Term { step, offset: [x, y, z], .. }| (*step, x.abs() + y.abs() + z.abs(), -y, -x, -z));
    Some(terms)
}

/// Whether a register is overwritten with its own value.
fn unchanged(terms: &[Term], held: Option<usize>) -> bool {
    matches!(terms, [Term { step, offset: [0, 0, 0], coefficient }] if coefficient == "1" && Some(*step) == held)
}

/// Marks the values that the outputs need.
///
/// # Errors
/// [`FlowError::Undefined`] if an output is not known.
fn mark(
    target: &Target,
    nodes: &mut [Node],
    holds: &[Option<usize>],
    outputs: &[Binding],
) -> Result<(), FlowError> {
    for output in outputs {
        let register = || target.register_name(output.register).to_owned();
        let index = holds[output.register.0].ok_or_else(|| FlowError::Undefined { register: register() })?;
        nodes[index].used = true;
    }
    for index in (0..nodes.len()).rev() {
        if nodes[index].used {
            for term in nodes[index].terms.clone() {
                nodes[term.step].used = true;
            }
        }
    }
    Ok(())
}

/// Separates the values that the outputs need from the others, and adds all to `written`.
fn flow_of(
    target: &Target,
    mut nodes: Vec<Node>,
    holds: &[Option<usize>],
    [inputs, outputs]: [&[Binding]; 2],
    mut written: Vec<Vec<RegisterValue>>,
) -> Result<Flow, FlowError> {
    mark(target, &mut nodes, holds, outputs)?;
    let name = |register: RegisterId| target.register_name(register).to_owned();
    let taps = |node: &Node| match &node.value {
        Value::Known(kernel) => kernel.shape.dense().len(),
        Value::Undefined(_) | Value::Overflow => 0,
    };
    let told = nodes.iter().map(taps).sum::<usize>() <= MAX_TAPS;
    let mut place = vec![usize::MAX; nodes.len()];
    let mut values: Vec<FlowValue> = Vec::new();
    for (index, node) in nodes.into_iter().enumerate() {
        if let Some(line) = node.line {
            let own = || kernels(&node.value, inputs, told).ok().filter(|_| told);
            written[line].push(RegisterValue {
                register: name(node.register),
                step: node.used.then_some(values.len()),
                kernels: if node.used { None } else { own() },
            });
        }
        if !node.used {
            continue;
        }
        place[index] = values.len();
        let terms = node.terms.into_iter().map(|term| Term { step: place[term.step], ..term }).collect();
        let named = |binding: &&Binding| holds[binding.register.0] == Some(index);
        let of = kernels(&node.value, inputs, told || outputs.iter().any(|output| named(&output)));
        values.push(FlowValue {
            name: match inputs.get(index) {
                Some(input) => input.name.clone(),
                None => format!("v{}", values.len() + 1 - inputs.len()),
            },
            register: name(node.register),
            line: node.line,
            terms,
            kernels: of.map_err(|undefined| match undefined {
                Some(register) => FlowError::Undefined { register: name(register) },
                None => FlowError::Overflow { register: name(node.register) },
            })?,
            outputs: outputs.iter().filter(named).map(|output| output.name.clone()).collect(),
        });
    }
    Ok(Flow { values, written })
}

/// If the values of a program have more taps than this in total, only the outputs' kernels are listed.
const MAX_TAPS: usize = 1 << 18;

/// A value as kernels of the inputs; empty unless `told`. Fails with the uninitialised register, or with `None` on overflow.
fn kernels(value: &Value, inputs: &[Binding], told: bool) -> Result<Vec<Kernel>, Option<RegisterId>> {
    let placed = match value {
        Value::Known(placed) => placed,
        Value::Undefined(register) => return Err(Some(*register)),
        Value::Overflow => return Err(None),
    };
    if !told {
        return Ok(Vec::new());
    }
    let taps = placed.taps().ok_or(None)?;
    let of_input = |(channel, input): (usize, &Binding)| {
        let own = taps.iter().filter(|(c, ..)| *c as usize == channel);
        let taps: Vec<Tap> = own
            .map(|(_, offset, coefficient)| Tap { offset: *offset, coefficient: coefficient.to_string() })
            .collect();
        (!taps.is_empty()).then(|| Kernel { input: input.name.clone(), taps })
    };
    Ok(inputs.iter().enumerate().filter_map(of_input).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Source;

    /// The first built-in target, whose registers A to F and NEWS the programs below use.
    fn target() -> Target {
        Target::builtin(crate::backend::array::machine::builtin_names()[0]).unwrap()
    }

    fn values(
        text: &str,
        inputs: &[(&str, &str)],
        outputs: &[(&str, &str)],
    ) -> Result<Vec<FlowValue>, FlowError> {
        whole(text, inputs, outputs).map(|flow| flow.values)
    }

    fn whole(text: &str, inputs: &[(&str, &str)], outputs: &[(&str, &str)]) -> Result<Flow, FlowError> {
        let target = target();
        let program = target.parse(&Source::new("test", text)).unwrap().program;
        let bind = |list: &[(&str, &str)]| -> Vec<Binding> {
            let binding = |(name, register): &(&str, &str)| Binding {
                name: (*name).to_owned(),
                register: target.register(register).unwrap(),
            };
            list.iter().map(binding).collect()
        };
        flow(&target, &program, &bind(inputs), &bind(outputs))
    }

    #[test]
    fn values_that_nothing_uses_are_left_out() {
        let steps =
            values("add(B, A, A); bus(E, A); movx(C, B, east);", &[("image", "A")], &[("out", "C")]).unwrap();
        let names: Vec<_> = steps.iter().map(|s| (s.name.as_str(), s.register.as_str(), s.line)).collect();
        assert_eq!(names, [("image", "A", None), ("v1", "B", Some(0)), ("v2", "C", Some(2))]);
        assert_eq!(steps[2].terms, [Term { step: 1, offset: [1, 0, 0], coefficient: "1".to_owned() }]);
        assert_eq!(steps[2].kernels[0].taps, [Tap { offset: [1, 0, 0], coefficient: "2".to_owned() }]);
        assert_eq!(steps[2].outputs, ["out"]);
    }

    #[test]
    fn what_a_macro_writes_back_unchanged_is_the_same_value() {
        let steps = values("div(B, C, A); sub(D, A, C);", &[("image", "A")], &[("out", "D")]).unwrap();
        assert_eq!(steps.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["image", "v1", "v2"]);
        assert_eq!(steps[1].register, "C");
        assert_eq!(steps[2].terms.iter().map(|t| t.step).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(steps[2].kernels[0].taps[0].coefficient, "3/2");
    }

    #[test]
    fn an_input_can_be_an_output_and_zero_has_no_terms() {
        let steps = values("bus(B);", &[("image", "A")], &[("same", "A"), ("zero", "B")]).unwrap();
        assert_eq!(steps[0].outputs, ["same"]);
        assert_eq!((steps[1].terms.len(), steps[1].kernels.len()), (0, 0));
    }

    #[test]
    fn every_value_that_is_written_is_told_where_it_is_written() {
        // B is clobbered, and D depends on what E was.
        let text = "bus(B, A); add(B, A, A); movx(C, A, east); add(D, A, E);";
        let flow = whole(text, &[("image", "A")], &[("out", "C")]).unwrap();
        let told = |line: usize, register: &str| {
            let found = flow.written[line].iter().find(|value| value.register == register).unwrap();
            let taps = found.kernels.as_ref().map(|kernels| kernels[0].taps[0].coefficient.clone());
            (found.step.map(|step| flow.values[step].name.as_str()), taps)
        };
        assert_eq!(told(0, "B"), (None, Some("-1".to_owned())));
        assert_eq!(told(1, "B"), (None, Some("2".to_owned())));
        assert_eq!(told(2, "C"), (Some("v1"), None));
        assert_eq!(told(3, "D"), (None, None));
    }

    #[test]
    fn several_inputs_have_a_kernel_each() {
        let steps = values("sub(C, A, B);", &[("left", "A"), ("right", "B")], &[("out", "C")]).unwrap();
        let inputs: Vec<_> =
            steps[2].kernels.iter().map(|k| (k.input.as_str(), k.taps[0].coefficient.as_str())).collect();
        assert_eq!(inputs, [("left", "1"), ("right", "-1")]);
    }

    #[test]
    fn an_output_that_depends_on_nothing_written_is_refused() {
        let refused = values("add(C, A, F);", &[("image", "A")], &[("out", "C")]);
        assert_eq!(refused, Err(FlowError::Undefined { register: "C".to_owned() }));
    }
}
