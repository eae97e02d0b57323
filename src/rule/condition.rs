//! Conditions: what a rewrite may ask of the kernels and numbers that its variables stand for.

use crate::algebra::{Rational, Shape};
use crate::term::{order, precedes};

use super::{Expression, Variable, VariableId};

/// What a condition is told about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A kernel variable.
    Kernel,
    /// A number: written, or a number variable.
    Number,
}

/// What an argument of a condition stands for.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A kernel modulo translation, sign and powers of two.
    Kernel(&'a Shape),
    /// A number.
    Number(Rational),
}

impl Value<'_> {
    fn kernel(&self) -> &Shape {
        match self {
            Self::Kernel(shape) => shape,
            Self::Number(_) => unreachable!("the reader checks the parameters of conditions"),
        }
    }

    fn number(&self) -> Rational {
        match self {
            Self::Number(number) => *number,
            Self::Kernel(_) => unreachable!("the reader checks the parameters of conditions"),
        }
    }

    /// A count; beyond every kernel where the number is none.
    fn count(&self) -> usize {
        usize::try_from(self.number().round()).unwrap_or(usize::MAX)
    }
}

/// A condition's name, what it takes, and what it decides. On kernels all of them ignore translation, sign and powers of
/// two, as a variable's label does not change what the variable costs.
#[derive(Debug)]
pub struct Predicate {
    /// The word in rule files.
    pub name: &'static str,
    /// What follows it.
    pub parameters: &'static [Parameter],
    /// One sentence.
    pub doc: &'static str,
    /// The decision, given the arguments in the order written.
    pub holds: fn(&[Value<'_>]) -> bool,
}

const ONE: &[Parameter] = &[Parameter::Kernel];
const TWO: &[Parameter] = &[Parameter::Kernel, Parameter::Kernel];
const COUNTED: &[Parameter] = &[Parameter::Kernel, Parameter::Number];
const NUMBER: &[Parameter] = &[Parameter::Number];
const NUMBERS: &[Parameter] = &[Parameter::Number, Parameter::Number];

/// All conditions, in the order of their names.
pub const PREDICATES: &[Predicate] = &[
    Predicate {
        name: "antisymmetric",
        parameters: ONE,
        doc: "the kernel is the opposite of itself turned by half a turn: odd parity",
        holds: |v| parity(v[0].kernel()) == Some(-1),
    },
    Predicate {
        name: "constant",
        parameters: ONE,
        doc: "the kernel is a number: one tap on one channel",
        holds: |v| v[0].kernel().tap_count() == 1 && v[0].kernel().channels() == 1,
    },
    Predicate {
        name: "different",
        parameters: NUMBERS,
        doc: "the numbers differ",
        holds: |v| v[0].number() != v[1].number(),
    },
    Predicate {
        name: "divisible",
        parameters: NUMBERS,
        doc: "the first number is a whole multiple of the second",
        holds: |v| v[0].number().div(v[1].number()).is_some_and(Rational::is_integer),
    },
    Predicate {
        name: "equal",
        parameters: NUMBERS,
        doc: "the numbers are equal",
        holds: |v| v[0].number() == v[1].number(),
    },
    Predicate {
        name: "even",
        parameters: NUMBER,
        doc: "the number is a whole multiple of two",
        holds: |v| v[0].number().is_integer() && v[0].number().numerator() % 2 == 0,
    },
    Predicate {
        name: "fewer-taps",
        parameters: TWO,
        doc: "the first kernel has fewer taps than the second",
        holds: |v| v[0].kernel().tap_count() < v[1].kernel().tap_count(),
    },
    Predicate {
        name: "integer",
        parameters: NUMBER,
        doc: "the number is whole",
        holds: |v| v[0].number().is_integer(),
    },
    Predicate {
        name: "less",
        parameters: NUMBERS,
        doc: "the first number is less than the second",
        holds: |v| v[0].number() < v[1].number(),
    },
    Predicate {
        name: "multiple-of",
        parameters: COUNTED,
        doc: "all coefficients of the kernel are whole multiples of the number; of its odd part, as powers of two are free",
        holds: |v| {
            let odd = v[1].number().numerator() >> v[1].number().numerator().trailing_zeros().min(62);
            odd != 0 && v[0].kernel().dense().iter().all(|tap| tap % odd == 0)
        },
    },
    Predicate {
        name: "negative",
        parameters: NUMBER,
        doc: "the number is less than zero",
        holds: |v| v[0].number().is_negative(),
    },
    Predicate {
        name: "not-single-tap",
        parameters: ONE,
        doc: "the kernel has at least two taps",
        holds: |v| v[0].kernel().tap_count() > 1,
    },
    Predicate {
        name: "odd",
        parameters: NUMBER,
        doc: "the number is whole and not even",
        holds: |v| v[0].number().is_integer() && v[0].number().numerator() % 2 != 0,
    },
    Predicate {
        name: "one-channel",
        parameters: ONE,
        doc: "the kernel reads one input channel, so that it may be applied after another",
        holds: |v| v[0].kernel().channels() == 1,
    },
    Predicate {
        name: "one-sign",
        parameters: ONE,
        doc: "no two coefficients of the kernel have different signs",
        // A canonical kernel's first coefficient is positive.
        holds: |v| v[0].kernel().dense().iter().all(|tap| *tap >= 0),
    },
    Predicate {
        name: "opposite",
        parameters: NUMBERS,
        doc: "the numbers add to zero",
        holds: |v| v[0].number().negate() == v[1].number(),
    },
    Predicate {
        name: "positive",
        parameters: NUMBER,
        doc: "the number is greater than zero",
        holds: |v| v[0].number() > Rational::ZERO,
    },
    Predicate {
        name: "power-of-two",
        parameters: NUMBER,
        doc: "the number is 2^n or -2^n, for a whole n that may be negative",
        holds: |v| v[0].number().is_dyadic() && v[0].number().numerator().unsigned_abs().is_power_of_two(),
    },
    Predicate {
        name: "same-shape",
        parameters: TWO,
        doc: "the kernels are equal up to translation, sign and powers of two",
        holds: |v| v[0].kernel() == v[1].kernel(),
    },
    Predicate {
        name: "separable",
        parameters: ONE,
        doc: "the kernel is a row after a column, on one channel",
        holds: |v| separable(v[0].kernel()),
    },
    Predicate {
        name: "single-tap",
        parameters: ONE,
        doc: "the kernel has one tap",
        holds: |v| v[0].kernel().tap_count() == 1,
    },
    Predicate {
        name: "smaller",
        parameters: TWO,
        doc: "the first kernel comes before the second in the order of decompositions",
        holds: |v| precedes(v[0].kernel(), v[1].kernel()),
    },
    Predicate {
        name: "smaller-or-same",
        parameters: TWO,
        doc: "the first kernel does not come after the second in the order of decompositions",
        holds: |v| order(v[0].kernel(), v[1].kernel()).is_le(),
    },
    Predicate {
        name: "sums-to-zero",
        parameters: ONE,
        doc: "the coefficients of the kernel add to zero: it does not see flat regions",
        holds: |v| v[0].kernel().dense().iter().map(|tap| i128::from(*tap)).sum::<i128>() == 0,
    },
    Predicate {
        name: "symmetric",
        parameters: ONE,
        doc: "the kernel is itself turned by half a turn: even parity",
        holds: |v| parity(v[0].kernel()) == Some(1),
    },
    Predicate {
        name: "taps-at-least",
        parameters: COUNTED,
        doc: "the kernel has that many taps or more",
        holds: |v| v[0].kernel().tap_count() >= v[1].count(),
    },
    Predicate {
        name: "taps-at-most",
        parameters: COUNTED,
        doc: "the kernel has that many taps or fewer",
        holds: |v| v[0].kernel().tap_count() <= v[1].count(),
    },
];

/// What the kernel is multiplied by when it is turned by half a turn: 1, -1, or neither. Each channel is turned by itself.
fn parity(shape: &Shape) -> Option<i64> {
    let places = shape.size().into_iter().map(usize::from).product::<usize>();
    if places == 0 {
        return None;
    }
    let turned = |sign: i64| {
        let mut channels = shape.dense().chunks(places);
        channels.all(|taps| taps.iter().zip(taps.iter().rev()).all(|(a, b)| *a == sign * *b))
    };
    [1, -1].into_iter().find(|sign| turned(*sign))
}

/// Whether all rows are multiples of one row.
fn separable(shape: &Shape) -> bool {
    let [w, _, d] = shape.size().map(usize::from);
    if shape.channels() != 1 || d != 1 {
        return false;
    }
    let rows: Vec<&[i64]> = shape.dense().chunks(w).collect();
    // The first row of a canonical kernel is not zero.
    let Some(first) = rows.first() else { return false };
    let Some(pivot) = first.iter().position(|tap| *tap != 0) else { return false };
    let minor = |row: &[i64], i: usize| {
        i128::from(first[i]) * i128::from(row[pivot]) == i128::from(first[pivot]) * i128::from(row[i])
    };
    rows.iter().all(|row| (0..w).all(|i| minor(row, i)))
}

/// An argument of a condition.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// A kernel variable.
    Kernel(VariableId),
    /// A number.
    Number(Expression),
}

/// A predicate applied to variables of a rule.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What is asked.
    pub predicate: &'static Predicate,
    /// Of what; as the predicate's parameters say.
    pub arguments: Vec<Argument>,
}

impl Condition {
    /// Whether it holds where the kernel variables stand for these kernels and the number variables for these numbers; a
    /// number that cannot be computed satisfies nothing.
    pub fn holds<'a>(
        &self,
        shape: impl Fn(VariableId) -> &'a Shape,
        number: impl Fn(VariableId) -> Option<Rational>,
    ) -> bool {
        let values = self.arguments.iter().map(|argument| match argument {
            Argument::Kernel(variable) => Some(Value::Kernel(shape(*variable))),
            Argument::Number(expression) => expression.evaluate(&number).map(Value::Number),
        });
        values.collect::<Option<Vec<_>>>().is_some_and(|values| (self.predicate.holds)(&values))
    }

    /// The condition as rule files write it.
    pub fn print(&self, variables: &[Variable]) -> String {
        let name = |variable: VariableId| variables[variable.0].to_string();
        let arguments = self.arguments.iter().map(|argument| match argument {
            Argument::Kernel(variable) => name(*variable),
            Argument::Number(expression @ Expression::Apply(..)) => {
                format!("(eval {})", expression.print(&name))
            }
            Argument::Number(expression) => expression.print(&name),
        });
        let words: Vec<String> = std::iter::once(self.predicate.name.to_owned()).chain(arguments).collect();
        format!("({})", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Placed;

    fn holds(name: &str, size: [usize; 3], taps: &[i64], number: i64) -> bool {
        let shape = Placed::from_dense(1, [0; 3], size, taps, Rational::ONE).unwrap().shape;
        let predicate = PREDICATES.iter().find(|predicate| predicate.name == name).unwrap();
        let values = [Value::Kernel(&shape), Value::Number(Rational::integer(number))];
        (predicate.holds)(&values[..predicate.parameters.len()])
    }

    #[test]
    fn names_are_in_order_and_unique() {
        assert!(PREDICATES.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn parity_separability_and_signs() {
        assert!(
            holds("symmetric", [3, 1, 1], &[1, 2, 1], 0) && !holds("symmetric", [3, 1, 1], &[1, 0, -1], 0)
        );
        assert!(holds("antisymmetric", [3, 1, 1], &[1, 0, -1], 0));
        assert!(
            !holds("antisymmetric", [3, 1, 1], &[1, 0, 1], 0) && !holds("symmetric", [2, 1, 1], &[1, 3], 0)
        );
        assert!(
            holds("separable", [2, 2, 1], &[1, -2, -3, 6], 0)
                && !holds("separable", [2, 2, 1], &[1, 2, 2, 1], 0)
        );
        assert!(!holds("separable", [3, 2, 1], &[0, 1, 0, 1, 0, 0], 0));
        assert!(holds("one-sign", [3, 1, 1], &[-1, 0, -2], 0) && !holds("one-sign", [2, 1, 1], &[1, -1], 0));
        assert!(
            holds("sums-to-zero", [2, 1, 1], &[1, -1], 0) && !holds("sums-to-zero", [2, 1, 1], &[1, 1], 0)
        );
        assert!(holds("multiple-of", [2, 1, 1], &[3, -6], 6) && !holds("multiple-of", [2, 1, 1], &[3, 5], 3));
        assert!(
            holds("taps-at-most", [3, 1, 1], &[1, 0, 1], 2) && !holds("taps-at-least", [2, 1, 1], &[1, 1], 3)
        );
    }
}
