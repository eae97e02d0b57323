//! Conditions of a rewrite on the values of its variables.

use super::subject::Subject;
use super::{Expression, Variable, VariableId};
use crate::algebra::{PlusTimes, Rational, Semiring};

/// The kinds of parameters of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A kernel variable.
    Kernel,
    /// A number: a literal or a number variable.
    Number,
    /// A count: a number in ordinary arithmetic, whatever the semiring.
    Count,
}

/// The value of an argument of a condition, where `K` is the type of kernels and `S` the semiring of numbers.
#[derive(Debug)]
pub enum Value<'a, S: Semiring, K: Subject> {
    /// A kernel.
    Kernel(&'a K),
    /// A number, as a coefficient.
    Number(S::Element),
    /// A count, which may be negative or a fraction: `5/2` is between two and three.
    Count(Rational),
}

/// The questions that conditions ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each has its name and its sentence in `PREDICATES`")]
pub enum Question {
    Different,
    Divisible,
    Equal,
    FewerTaps,
    Less,
    OneChannel,
    SameShape,
    SingleTap,
    TapsAtLeast,
    TapsAtMost,
}

/// The name, parameters and question of a condition. On kernels over the rationals, all conditions ignore translation,
/// sign and powers of two, because the label of a variable does not change its cost. In other semirings they ignore
/// translation.
#[derive(Debug)]
pub struct Predicate {
    /// The word in rule files.
    pub name: &'static str,
    /// The parameters after the name.
    pub parameters: &'static [Parameter],
    /// The question.
    pub question: Question,
}

const ONE: &[Parameter] = &[Parameter::Kernel];
const TWO: &[Parameter] = &[Parameter::Kernel, Parameter::Kernel];
const COUNTED: &[Parameter] = &[Parameter::Kernel, Parameter::Count];
const NUMBERS: &[Parameter] = &[Parameter::Number, Parameter::Number];

/// All conditions, sorted by name. `rules/README.md` defines each.
pub const PREDICATES: &[Predicate] = &[
    Predicate { name: "different", parameters: NUMBERS, question: Question::Different },
    Predicate { name: "divisible", parameters: NUMBERS, question: Question::Divisible },
    Predicate { name: "equal", parameters: NUMBERS, question: Question::Equal },
    Predicate { name: "fewer-taps", parameters: TWO, question: Question::FewerTaps },
    Predicate { name: "less", parameters: NUMBERS, question: Question::Less },
    Predicate { name: "one-channel", parameters: ONE, question: Question::OneChannel },
    Predicate { name: "same-shape", parameters: TWO, question: Question::SameShape },
    Predicate { name: "single-tap", parameters: ONE, question: Question::SingleTap },
    Predicate { name: "taps-at-least", parameters: COUNTED, question: Question::TapsAtLeast },
    Predicate { name: "taps-at-most", parameters: COUNTED, question: Question::TapsAtMost },
];

impl Question {
    /// Answers the question for these arguments, in the order written.
    fn holds<S: Semiring, K: Subject>(self, values: &[Value<'_, S, K>]) -> bool {
        match (self, values) {
            (Self::OneChannel, [Value::Kernel(kernel)]) => kernel.channels() == 1,
            (Self::SingleTap, [Value::Kernel(kernel)]) => kernel.tap_count() == 1,
            (Self::TapsAtLeast, [Value::Kernel(kernel), Value::Count(count)]) => taps(*kernel) >= *count,
            (Self::TapsAtMost, [Value::Kernel(kernel), Value::Count(count)]) => taps(*kernel) <= *count,
            (Self::FewerTaps, [Value::Kernel(a), Value::Kernel(b)]) => a.tap_count() < b.tap_count(),
            (Self::SameShape, [Value::Kernel(a), Value::Kernel(b)]) => a.has_shape_of(b),
            (Self::Different, [Value::Number(a), Value::Number(b)]) => a != b,
            (Self::Divisible, [Value::Number(a), Value::Number(b)]) => has_whole_quotient::<S>(*a, *b),
            (Self::Equal, [Value::Number(a), Value::Number(b)]) => a == b,
            (Self::Less, [Value::Number(a), Value::Number(b)]) => a < b,
            _ => unreachable!("the reader checks the parameters of conditions"),
        }
    }
}

/// The number of taps of a kernel, as counts of conditions are compared with it.
fn taps<K: Subject>(kernel: &K) -> Rational {
    Rational::integer(i64::try_from(kernel.tap_count()).unwrap_or(i64::MAX))
}

/// Whether a / b exists and is an integer. In (max +) and (min +) the quotient is the difference.
fn has_whole_quotient<S: Semiring>(a: S::Element, b: S::Element) -> bool {
    let quotient = S::reciprocal(b).and_then(|inverse| S::mul(a, inverse));
    quotient.and_then(S::number).is_some_and(Rational::is_integer)
}

/// An argument of a condition.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// A kernel variable.
    Kernel(VariableId),
    /// A number.
    Number(Expression),
}

/// A predicate applied to the variables of a rule.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The predicate.
    pub predicate: &'static Predicate,
    /// The arguments, as the parameters of the predicate require.
    pub arguments: Vec<Argument>,
}

impl Condition {
    /// Whether the condition holds for these values of the kernel and number variables, in the arithmetic of their
    /// semiring. A number that cannot be computed satisfies no condition.
    pub fn holds<'a, S: Semiring, K: Subject + 'a>(
        &self,
        kernel: impl Fn(VariableId) -> &'a K,
        number: impl Fn(VariableId) -> Option<S::Element>,
    ) -> bool {
        let values = self.arguments.iter().zip(self.predicate.parameters);
        let values = values.map(|(argument, parameter)| match (argument, parameter) {
            (Argument::Kernel(variable), _) => Some(Value::Kernel(kernel(*variable))),
            (Argument::Number(expression), Parameter::Count) => {
                let written = |variable| S::number(number(variable)?);
                expression.evaluate::<PlusTimes>(&written).map(Value::Count)
            }
            (Argument::Number(expression), _) => expression.evaluate::<S>(&number).map(Value::<S, K>::Number),
        });
        values.collect::<Option<Vec<_>>>().is_some_and(|values| self.predicate.question.holds(&values))
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
    use crate::algebra::{Kernel, MaxPlus, MinPlus, OrAnd};

    fn question(name: &str) -> Question {
        PREDICATES.iter().find(|predicate| predicate.name == name).unwrap().question
    }

    /// The answer for two numbers in a semiring.
    fn of_two<S: Semiring>(name: &str, a: i64, b: i64) -> bool {
        let element = |value| S::of(Rational::integer(value)).unwrap();
        let values: [Value<'_, S, Vec<Kernel<S>>>; 2] =
            [Value::Number(element(a)), Value::Number(element(b))];
        question(name).holds(&values)
    }

    /// The answer for a row of these taps in a semiring.
    fn of_row<S: Semiring>(name: &str, row: &[i64]) -> bool {
        let row: Vec<_> = row.iter().map(|value| S::of(Rational::integer(*value))).collect();
        let kernel = vec![Kernel::<S>::from_rows(&[row], Some((0, 0))).unwrap()];
        question(name).holds::<S, _>(&[Value::Kernel(&kernel)])
    }

    #[test]
    fn names_are_in_order_and_unique() {
        assert!(PREDICATES.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn numbers_are_compared_in_the_arithmetic_of_the_semiring() {
        assert!(of_two::<PlusTimes>("divisible", 14, 7) && !of_two::<PlusTimes>("divisible", 15, 7));
        assert!(of_two::<MaxPlus>("divisible", 15, 7), "the quotient is the difference, 8");
        assert!(of_two::<OrAnd>("divisible", 1, 1) && !of_two::<OrAnd>("divisible", 1, 0));
        assert!(of_two::<MaxPlus>("less", -1, 0) && of_two::<MinPlus>("equal", 3, 3));
    }

    /// Whether a kernel of this number of taps satisfies a condition on its count.
    fn counted(name: &str, taps: usize, count: Expression) -> bool {
        let predicate = PREDICATES.iter().find(|predicate| predicate.name == name).unwrap();
        let arguments = vec![Argument::Kernel(VariableId(0)), Argument::Number(count)];
        let row = vec![Some(Rational::ONE); taps];
        let kernel = vec![Kernel::<PlusTimes>::from_rows(&[row], Some((0, 0))).unwrap()];
        Condition { predicate, arguments }.holds::<PlusTimes, _>(|_| &kernel, |_| None)
    }

    #[test]
    fn counts_are_compared_as_they_are_written() {
        let number = |n, d| Expression::Literal(Rational::new(n, d).unwrap());
        assert!(counted("taps-at-least", 1, number(-1, 1)) && !counted("taps-at-most", 1, number(-4, 1)));
        assert!(counted("taps-at-most", 2, number(5, 2)) && !counted("taps-at-most", 3, number(5, 2)));
        assert!(counted("taps-at-least", 3, number(5, 2)) && !counted("taps-at-least", 2, number(5, 2)));
        assert!(counted("taps-at-least", 3, number(3, 1)) && counted("taps-at-most", 3, number(3, 1)));
    }

    #[test]
    fn a_coefficient_of_zero_is_a_tap_where_it_is_the_one() {
        assert!(of_row::<PlusTimes>("single-tap", &[0, 0, 2]));
        assert!(!of_row::<MaxPlus>("single-tap", &[0, 0, 2]));
    }
}
