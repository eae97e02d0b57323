//! Conditions: what a rewrite may ask of the kernels and numbers that its variables stand for.

use super::subject::{Subject, has_whole_quotient};
use super::{Expression, Variable, VariableId};
use crate::algebra::{PlusTimes, Rational, Semiring};

/// What a condition is told about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A kernel variable.
    Kernel,
    /// A number: written, or a number variable.
    Number,
    /// How many: a number of ordinary arithmetic, in every semiring.
    Count,
}

/// What an argument of a condition stands for, where kernels are `K`.
#[derive(Debug)]
pub enum Value<'a, K: Subject> {
    /// A kernel.
    Kernel(&'a K),
    /// A number, as a coefficient.
    Number(<K::Semiring as Semiring>::Element),
    /// How many.
    Count(usize),
}

/// What a condition asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each has its name and its sentence in `PREDICATES`")]
pub enum Question {
    Antisymmetric,
    Constant,
    Different,
    Divisible,
    Equal,
    Even,
    FewerTaps,
    Integer,
    Less,
    MultipleOf,
    Negative,
    NotSingleTap,
    Odd,
    OneChannel,
    OneSign,
    Opposite,
    Positive,
    PowerOfTwo,
    SameShape,
    Separable,
    SingleTap,
    Smaller,
    SmallerOrSame,
    SumsToZero,
    Symmetric,
    TapsAtLeast,
    TapsAtMost,
}

/// A condition's name, what it takes, and what it asks. On kernels over the rationals all of them ignore translation, sign and
/// powers of two, as a variable's label does not change what the variable costs; in other semirings, translation.
#[derive(Debug)]
pub struct Predicate {
    /// The word in rule files.
    pub name: &'static str,
    /// What follows it.
    pub parameters: &'static [Parameter],
    /// One sentence.
    pub doc: &'static str,
    /// What it asks.
    pub question: Question,
}

const ONE: &[Parameter] = &[Parameter::Kernel];
const TWO: &[Parameter] = &[Parameter::Kernel, Parameter::Kernel];
const SCALED: &[Parameter] = &[Parameter::Kernel, Parameter::Number];
const COUNTED: &[Parameter] = &[Parameter::Kernel, Parameter::Count];
const NUMBER: &[Parameter] = &[Parameter::Number];
const NUMBERS: &[Parameter] = &[Parameter::Number, Parameter::Number];

/// All conditions, in the order of their names.
pub const PREDICATES: &[Predicate] = &[
    Predicate {
        name: "antisymmetric",
        parameters: ONE,
        doc: "the kernel is the opposite of itself turned by half a turn: odd parity",
        question: Question::Antisymmetric,
    },
    Predicate {
        name: "constant",
        parameters: ONE,
        doc: "the kernel is a number: one tap on one channel",
        question: Question::Constant,
    },
    Predicate {
        name: "different",
        parameters: NUMBERS,
        doc: "the numbers differ",
        question: Question::Different,
    },
    Predicate {
        name: "divisible",
        parameters: NUMBERS,
        doc: "the quotient of the numbers is whole; in (max +) and (min +) that is their difference",
        question: Question::Divisible,
    },
    Predicate { name: "equal", parameters: NUMBERS, doc: "the numbers are equal", question: Question::Equal },
    Predicate {
        name: "even",
        parameters: NUMBER,
        doc: "the number is a whole multiple of two",
        question: Question::Even,
    },
    Predicate {
        name: "fewer-taps",
        parameters: TWO,
        doc: "the first kernel has fewer taps than the second",
        question: Question::FewerTaps,
    },
    Predicate {
        name: "integer",
        parameters: NUMBER,
        doc: "the number is whole",
        question: Question::Integer,
    },
    Predicate {
        name: "less",
        parameters: NUMBERS,
        doc: "the first number is less than the second",
        question: Question::Less,
    },
    Predicate {
        name: "multiple-of",
        parameters: SCALED,
        doc: "the quotients of all coefficients of the kernel by the number are whole; over the rationals by its odd part, as powers of two are free",
        question: Question::MultipleOf,
    },
    Predicate {
        name: "negative",
        parameters: NUMBER,
        doc: "the number is less than zero",
        question: Question::Negative,
    },
    Predicate {
        name: "not-single-tap",
        parameters: ONE,
        doc: "the kernel has at least two taps",
        question: Question::NotSingleTap,
    },
    Predicate {
        name: "odd",
        parameters: NUMBER,
        doc: "the number is whole and not even",
        question: Question::Odd,
    },
    Predicate {
        name: "one-channel",
        parameters: ONE,
        doc: "the kernel reads one input channel, so that it may be applied after another",
        question: Question::OneChannel,
    },
    Predicate {
        name: "one-sign",
        parameters: ONE,
        doc: "no two coefficients of the kernel have different signs",
        question: Question::OneSign,
    },
    Predicate {
        name: "opposite",
        parameters: NUMBERS,
        doc: "the numbers add to the semiring's zero",
        question: Question::Opposite,
    },
    Predicate {
        name: "positive",
        parameters: NUMBER,
        doc: "the number is greater than zero",
        question: Question::Positive,
    },
    Predicate {
        name: "power-of-two",
        parameters: NUMBER,
        doc: "the number is 2^n or -2^n, for a whole n that may be negative",
        question: Question::PowerOfTwo,
    },
    Predicate {
        name: "same-shape",
        parameters: TWO,
        doc: "the kernels are equal up to translation, sign and powers of two",
        question: Question::SameShape,
    },
    Predicate {
        name: "separable",
        parameters: ONE,
        doc: "the kernel is a row after a column, on one channel",
        question: Question::Separable,
    },
    Predicate {
        name: "single-tap",
        parameters: ONE,
        doc: "the kernel has one tap",
        question: Question::SingleTap,
    },
    Predicate {
        name: "smaller",
        parameters: TWO,
        doc: "the first kernel comes before the second in the order of decompositions",
        question: Question::Smaller,
    },
    Predicate {
        name: "smaller-or-same",
        parameters: TWO,
        doc: "the first kernel does not come after the second in the order of decompositions",
        question: Question::SmallerOrSame,
    },
    Predicate {
        name: "sums-to-zero",
        parameters: ONE,
        doc: "the coefficients of the kernel add to the semiring's zero: over the rationals, it does not see flat regions",
        question: Question::SumsToZero,
    },
    Predicate {
        name: "symmetric",
        parameters: ONE,
        doc: "the kernel is itself turned by half a turn: even parity",
        question: Question::Symmetric,
    },
    Predicate {
        name: "taps-at-least",
        parameters: COUNTED,
        doc: "the kernel has that many taps or more",
        question: Question::TapsAtLeast,
    },
    Predicate {
        name: "taps-at-most",
        parameters: COUNTED,
        doc: "the kernel has that many taps or fewer",
        question: Question::TapsAtMost,
    },
];

impl Question {
    /// The answer, given the arguments in the order written.
    fn holds<K: Subject>(self, values: &[Value<'_, K>]) -> bool {
        match values {
            [Value::Kernel(kernel)] => self.of_kernel(*kernel),
            [Value::Kernel(a), Value::Kernel(b)] => self.of_kernels(*a, *b),
            [Value::Kernel(kernel), Value::Number(number)] => {
                self == Self::MultipleOf && kernel.is_multiple_of(*number)
            }
            [Value::Kernel(kernel), Value::Count(count)] => self.of_count(kernel.tap_count(), *count),
            [Value::Number(number)] => {
                K::Semiring::number(*number).is_some_and(|number| self.of_number(number))
            }
            [Value::Number(a), Value::Number(b)] => self.of_numbers::<K::Semiring>(*a, *b),
            _ => unreachable!("the reader checks the parameters of conditions"),
        }
    }

    fn of_kernel<K: Subject>(self, kernel: &K) -> bool {
        match self {
            Self::Antisymmetric => kernel.is_antisymmetric(),
            Self::Constant => kernel.tap_count() == 1 && kernel.channels() == 1,
            Self::NotSingleTap => kernel.tap_count() > 1,
            Self::OneChannel => kernel.channels() == 1,
            Self::OneSign => kernel.has_one_sign(),
            Self::Separable => kernel.is_separable(),
            Self::SingleTap => kernel.tap_count() == 1,
            Self::SumsToZero => kernel.sums_to_zero(),
            Self::Symmetric => kernel.is_symmetric(),
            _ => unreachable!("the reader checks the parameters of conditions"),
        }
    }

    fn of_kernels<K: Subject>(self, a: &K, b: &K) -> bool {
        match self {
            Self::FewerTaps => a.tap_count() < b.tap_count(),
            Self::SameShape => a.order(b).is_eq(),
            Self::Smaller => a.order(b).is_lt(),
            Self::SmallerOrSame => a.order(b).is_le(),
            _ => unreachable!("the reader checks the parameters of conditions"),
        }
    }

    fn of_count(self, taps: usize, count: usize) -> bool {
        match self {
            Self::TapsAtLeast => taps >= count,
            Self::TapsAtMost => taps <= count,
            _ => unreachable!("the reader checks the parameters of conditions"),
        }
    }

    /// Of the number as it is written: the same in every semiring.
    fn of_number(self, number: Rational) -> bool {
        match self {
            Self::Even => number.is_integer() && number.numerator() % 2 == 0,
            Self::Integer => number.is_integer(),
            Self::Negative => number.is_negative(),
            Self::Odd => number.is_integer() && number.numerator() % 2 != 0,
            Self::Positive => number > Rational::ZERO,
            Self::PowerOfTwo => number.is_dyadic() && number.numerator().unsigned_abs().is_power_of_two(),
            _ => unreachable!("the reader checks the parameters of conditions"),
        }
    }

    fn of_numbers<S: Semiring>(self, a: S::Element, b: S::Element) -> bool {
        match self {
            Self::Different => a != b,
            Self::Divisible => has_whole_quotient::<S>(a, b),
            Self::Equal => a == b,
            Self::Less => a < b,
            Self::Opposite => S::add(a, b).is_some_and(S::is_zero),
            _ => unreachable!("the reader checks the parameters of conditions"),
        }
    }
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
    /// Whether it holds where the kernel variables stand for these kernels and the number variables for these numbers, by the
    /// arithmetic of their semiring; a number that cannot be computed satisfies nothing.
    pub fn holds<'a, K: Subject + 'a>(
        &self,
        kernel: impl Fn(VariableId) -> &'a K,
        number: impl Fn(VariableId) -> Option<<K::Semiring as Semiring>::Element>,
    ) -> bool {
        let values = self.arguments.iter().zip(self.predicate.parameters);
        let values = values.map(|(argument, parameter)| match (argument, parameter) {
            (Argument::Kernel(variable), _) => Some(Value::Kernel(kernel(*variable))),
            (Argument::Number(expression), Parameter::Count) => {
                let written = |variable| K::Semiring::number(number(variable)?);
                // What is no count is beyond every kernel.
                let count = expression.evaluate::<PlusTimes>(&written)?.round();
                Some(Value::Count(usize::try_from(count).unwrap_or(usize::MAX)))
            }
            (Argument::Number(expression), _) => {
                expression.evaluate::<K::Semiring>(&number).map(Value::Number)
            }
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
    use crate::algebra::{Kernel, MaxPlus, MinPlus, OrAnd, Placed, Shape};

    fn question(name: &str) -> &'static Predicate {
        PREDICATES.iter().find(|predicate| predicate.name == name).unwrap()
    }

    fn holds(name: &str, size: [usize; 3], taps: &[i64], number: i64) -> bool {
        let shape = Placed::from_dense(1, [0; 3], size, taps, Rational::ONE).unwrap().shape;
        let predicate = question(name);
        let values = predicate.parameters.iter().map(|parameter| match parameter {
            Parameter::Kernel => Value::<Shape>::Kernel(&shape),
            Parameter::Number => Value::Number(Rational::integer(number)),
            Parameter::Count => Value::Count(number as usize),
        });
        predicate.question.holds(&values.collect::<Vec<_>>())
    }

    /// Of two numbers, in a semiring.
    fn of_two<S: Semiring>(name: &str, a: i64, b: i64) -> bool {
        let element = |value| S::of(Rational::integer(value)).unwrap();
        let values: [Value<'_, Kernel<S>>; 2] = [Value::Number(element(a)), Value::Number(element(b))];
        question(name).question.holds(&values)
    }

    /// Of a matrix of these rows, `None` where nothing is touched, in a semiring.
    fn of_rows<S: Semiring>(name: &str, rows: &[&[Option<i64>]]) -> bool {
        let element = |value: &Option<i64>| value.map(|value| S::of(Rational::integer(value)).unwrap());
        let rows: Vec<Vec<Option<S::Element>>> =
            rows.iter().map(|row| row.iter().map(element).collect()).collect();
        let kernel = Kernel::<S>::from_rows(&rows, Some((0, 0))).unwrap();
        question(name).question.holds(&[Value::Kernel(&kernel)])
    }

    #[test]
    fn names_are_in_order_and_unique() {
        assert!(PREDICATES.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn numbers_are_asked_about_in_the_arithmetic_of_the_semiring() {
        assert!(of_two::<PlusTimes>("divisible", 14, 7) && !of_two::<PlusTimes>("divisible", 15, 7));
        assert!(of_two::<MaxPlus>("divisible", 15, 7), "the quotient is the difference, 8");
        assert!(of_two::<OrAnd>("divisible", 1, 1) && !of_two::<OrAnd>("divisible", 1, 0));
        assert!(of_two::<PlusTimes>("opposite", 2, -2) && !of_two::<MinPlus>("opposite", 2, -2));
        assert!(of_two::<MaxPlus>("less", -1, 0) && of_two::<MinPlus>("equal", 3, 3));
    }

    #[test]
    fn a_coefficient_of_zero_is_a_tap_where_it_is_the_one() {
        let (zero, two, none) = (Some(0), Some(2), None);
        assert!(of_rows::<PlusTimes>("single-tap", &[&[zero, zero, two]]));
        assert!(of_rows::<MaxPlus>("not-single-tap", &[&[zero, zero, two]]));
        assert!(of_rows::<MaxPlus>("symmetric", &[&[zero, two, zero]]));
        assert!(!of_rows::<MinPlus>("symmetric", &[&[zero, two, none, zero]]));
        // A row, and the row with 3 added to it.
        assert!(of_rows::<MaxPlus>("separable", &[&[zero, two], &[Some(3), Some(5)]]));
        assert!(!of_rows::<MaxPlus>("separable", &[&[Some(1), two], &[two, Some(4)]]));
        assert!(!of_rows::<MaxPlus>("sums-to-zero", &[&[Some(-2), two]]));
        assert!(!of_rows::<MinPlus>("antisymmetric", &[&[Some(-2), zero, two]]));
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
