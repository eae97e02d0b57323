//! What is read of a source: functions, statements, expressions and types of C++, as far as kernels in vector
//! intrinsics need them. Nothing here says what they mean.

pub use crate::syntax::preprocess::Binary;

use std::fmt;

use crate::syntax::{Diagnostics, Span};

/// A source of which one function, or the whole text, is a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// Declarations outside of functions, in their order.
    pub globals: Vec<Statement>,
    /// The kernel first, then the functions that it calls, directly or not.
    pub functions: Vec<Function>,
    /// What was read in another way than could be meant.
    pub notes: Diagnostics,
}

/// A function, or statements that stand outside of any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its name; empty for statements outside of functions.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Declarator>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// What a type is made of before pointers and dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// An integer.
    Integer(Scalar),
    /// So many elements of a type.
    Vector(usize, Scalar),
    /// So many lanes of so many bits.
    Accumulator(usize, usize),
    /// `void`.
    Nothing,
    /// `auto`.
    Deduced,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its width in bits.
    pub bits: usize,
    /// Whether it has negative values.
    pub signed: bool,
}

impl fmt::Display for Scalar {
    /// Its name, as in `int16_t`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}int{}_t", if self.signed { "" } else { "u" }, self.bits)
    }
}

impl Scalar {
    /// The least and the greatest value.
    pub fn range(self) -> [i128; 2] {
        let bits = self.bits.min(64) as u32;
        match self.signed {
            true => [-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1],
            false => [0, (1i128 << bits) - 1],
        }
    }

    /// Its size in memory.
    pub fn bytes(self) -> i64 {
        (self.bits / 8).max(1) as i64
    }
}

/// A type without dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// What it points to, or is.
    pub base: Base,
    /// How many pointers lead there.
    pub pointers: usize,
}

/// A variable or parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its type; that of its elements for an array.
    pub ty: Type,
    /// The dimensions of an array; `None` for one without a number.
    pub dimensions: Vec<Option<Expression>>,
    /// What it begins with.
    pub initial: Option<Expression>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Variables.
    Declare(Vec<Declarator>),
    /// An expression.
    Evaluate(Expression),
    /// Statements with variables of their own.
    Block(Vec<Statement>),
    /// A loop.
    Loop {
        /// Before the first round.
        first: Vec<Statement>,
        /// Whether there is another round.
        test: Expression,
        /// After every round.
        step: Option<Expression>,
        /// A round.
        body: Vec<Statement>,
    },
    /// A choice.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// The end of a function.
    Return(Option<Expression>, Span),
}

/// An expression and its place; for one out of a macro, where the macro is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number.
    Integer(i64),
    /// A variable.
    Name(String),
    /// A call of an intrinsic or of a function of the source.
    Call(String, Vec<Expression>),
    /// An operator before its operand.
    Unary(Unary, Box<Expression>),
    /// `++` or `--`: the place, what is added, whether the value is that after it.
    Step(Box<Expression>, i64, bool),
    /// An operator between two operands.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `test ? then : other`.
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `place = value`, or with an operator as in `+=`.
    Assign(Option<Binary>, Box<Expression>, Box<Expression>),
    /// `(type)value`.
    Cast(Type, Box<Expression>),
    /// `place[index]`.
    Index(Box<Expression>, Box<Expression>),
    /// `{value, …}`.
    List(Vec<Expression>),
}

/// Operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `*`
    Follow,
    /// `&`
    Address,
}
