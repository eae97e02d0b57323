//! Checks emitted C++ without a compiler: the code is read and followed like code that people write, and every output is compared
//! with the convolution on the addresses of its tensors. Nothing of the emitter, and no schedule, has a part in it.

use std::collections::BTreeMap;

use super::lanes::{Execution, Product, Settings, Sum, Symbol, follow};
use super::tensor::{Answer, at, taps};
use crate::algebra::Rational;
use crate::backend::vector::machine::{Program, VliwMachine};
use crate::backend::vector::read::read_code;
use crate::backend::vector::workload::{Operand, TensorPlacements, Weights, Workload};
use crate::syntax::{Diagnostics, Source};

/// Checks the C++ of a program whose tensors are placed as `placed` says. `None` if the code runs for too long to be followed.
///
/// # Errors
/// The code is none that can be read, or does what the machine does not allow.
pub fn check_emitted(
    machine: &VliwMachine,
    workload: &Workload,
    placed: &TensorPlacements,
    program: &Program,
    code: &str,
) -> Result<Option<Answer>, Diagnostics> {
    let (code, _) = read_code(&Source::new("the C++", code), None, &[])?;
    let run = match follow(machine, &code, &Settings::default()) {
        Ok(run) => run,
        Err(stopped) if stopped.id == "too-long" => return Ok(None),
        Err(stopped) => return Err(stopped.into()),
    };
    let tensors = Tensors::new(&run, workload, placed, program);
    let wrong = workload.outputs().find_map(|output| tensors.wrong(output));
    Ok(Some(wrong.unwrap_or(Answer::Equal)))
}

/// The tensors of a workload among the arrays of code that was followed.
struct Tensors<'a> {
    run: &'a Execution,
    workload: &'a Workload,
    placed: &'a TensorPlacements,
    /// The array of each operand. `None` if the code lacks it, or if it is one of known weights.
    arrays: [Option<usize>; 3],
    /// For each element of the run-time weights, the first with the same weight. `None` if it is zero.
    weights: Vec<Option<usize>>,
}

impl<'a> Tensors<'a> {
    fn new(
        run: &'a Execution,
        workload: &'a Workload,
        placed: &'a TensorPlacements,
        program: &Program,
    ) -> Self {
        let array = |operand: Operand| {
            let name = &program.arrays[operand as usize].name;
            run.arrays.iter().position(|array| array.name == *name)
        };
        let mut arrays = [Operand::Output, Operand::Weights, Operand::Input].map(array);
        let mut weights = Vec::new();
        match workload.weights {
            Weights::Known(_) => arrays[Operand::Weights as usize] = None,
            Weights::RunTime => {
                let mut first = BTreeMap::new();
                let taps = placed.taps(workload).into_iter().enumerate();
                weights.extend(taps.map(|(place, tap)| tap.map(|tap| *first.entry(tap).or_insert(place))));
            }
        }
        Self { run, workload, placed, arrays, weights }
    }

    fn symbol(&self, operand: Operand, index: usize) -> Option<Symbol> {
        Some(Symbol { array: self.arrays[operand as usize]?, index: index as i64 })
    }

    /// The difference of an output from the convolution, if there is one.
    fn wrong(&self, output: [usize; 4]) -> Option<Answer> {
        let place = self.placed.place(Operand::Output, &at(output, [0; 4]));
        let stored = self.symbol(Operand::Output, place);
        let stored = stored.and_then(|symbol| self.run.arrays[symbol.array].contents.get(&symbol.index));
        let found = stored.map(|sum| self.found(sum));
        let expected = self.expected(output);
        if expected.is_some() && found.as_ref() == Some(&expected) {
            return None;
        }
        let show = |terms: Option<Terms>| terms.map_or("too large".to_owned(), |terms| self.show(&terms));
        let found = found.map_or("not written".to_owned(), show);
        Some(Answer::Different { output, expected: show(expected), found })
    }

    /// The terms of a convolution's output. `None` if a coefficient does not fit 64 bits; so are those below.
    fn expected(&self, output: [usize; 4]) -> Option<Terms> {
        let shift = Rational::power_of_two(-(self.workload.shift as i32))?;
        let mut terms = Terms::new();
        for tap in taps(self.workload) {
            let at = at(output, tap);
            let input = self.symbol(Operand::Input, self.placed.place(Operand::Input, &at));
            let (weight, coefficient) = match self.workload.weight(tap, output[3]) {
                Some(coefficient) => (None, coefficient),
                None => (self.weight(self.placed.place(Operand::Weights, &at)), 1),
            };
            let mut product = [weight, input];
            product.sort_unstable();
            add(&mut terms, product, Rational::integer(coefficient).mul(shift)?)?;
        }
        Some(terms)
    }

    /// The terms of a sum, with run-time weights that are zero left out and copies as their originals.
    fn found(&self, sum: &Sum) -> Option<Terms> {
        let is_weight = |symbol: &Symbol| Some(symbol.array) == self.arrays[Operand::Weights as usize];
        let mut terms = Terms::new();
        'terms: for (mut product, coefficient) in sum.terms() {
            for symbol in product.iter_mut().flatten().filter(|symbol| is_weight(symbol)) {
                match self.weight(symbol.index as usize) {
                    Some(original) => *symbol = original,
                    None => continue 'terms,
                }
            }
            add(&mut terms, product, coefficient?)?;
        }
        Some(terms)
    }

    /// The first weight that equals the one at a place. `None` if that is zero, or no weight.
    fn weight(&self, place: usize) -> Option<Symbol> {
        let original = self.weights.get(place).copied().flatten()?;
        self.symbol(Operand::Weights, original)
    }

    fn show(&self, terms: &Terms) -> String {
        let factor = |symbol: &Symbol| format!("·{}[{}]", self.run.arrays[symbol.array].name, symbol.index);
        let term = |(product, coefficient): (&Product, &Rational)| {
            coefficient.to_string() + &product.iter().flatten().map(factor).collect::<String>()
        };
        let terms: Vec<String> = terms.iter().map(term).collect();
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    }
}

/// The coefficients of products.
type Terms = BTreeMap<Product, Rational>;

fn add(terms: &mut Terms, product: Product, coefficient: Rational) -> Option<()> {
    let term = terms.entry(product).or_insert(Rational::ZERO);
    *term = term.add(coefficient)?;
    if *term == Rational::ZERO {
        terms.remove(&product);
    }
    Some(())
}
