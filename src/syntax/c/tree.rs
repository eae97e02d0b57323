//! What is read of C and C++: statements, declarations and expressions with their places, over the types that a dialect
//! knows. Nothing here says what they mean.

use super::operator::Binary;
use crate::syntax::Span;

/// A type without dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type<B> {
    /// What it points to, or is.
    pub base: B,
    /// How many pointers lead there.
    pub pointers: usize,
}

/// A variable or parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator<B> {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its type; that of its elements for an array.
    pub ty: Type<B>,
    /// The dimensions of an array; `None` for one without a number.
    pub dimensions: Vec<Option<Expression<B>>>,
    /// What it begins with.
    pub initial: Option<Expression<B>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<B> {
    /// Variables.
    Declare(Vec<Declarator<B>>),
    /// An expression.
    Evaluate(Expression<B>),
    /// Statements with variables of their own.
    Block(Vec<Statement<B>>),
    /// A loop.
    Loop {
        /// Before the first round.
        first: Vec<Statement<B>>,
        /// Whether there is another round.
        test: Expression<B>,
        /// After every round.
        step: Option<Expression<B>>,
        /// A round.
        body: Vec<Statement<B>>,
    },
    /// A choice.
    If(Expression<B>, Vec<Statement<B>>, Vec<Statement<B>>),
    /// The end of a function.
    Return(Option<Expression<B>>, Span),
}

/// An expression and its place; for one out of a macro, where the macro is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression<B> {
    /// What it is.
    pub kind: Kind<B>,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind<B> {
    /// A number, or a character.
    Integer(i64),
    /// A literal that is none of these, or does not fit.
    Literal(String),
    /// A variable.
    Name(String),
    /// A call.
    Call(String, Vec<Expression<B>>),
    /// An operator before its operand.
    Unary(Unary, Box<Expression<B>>),
    /// `++` or `--`: the place, what is added, whether the value is that after it.
    Step(Box<Expression<B>>, i64, bool),
    /// An operator between two operands.
    Binary(Binary, Box<Expression<B>>, Box<Expression<B>>),
    /// `test ? then : other`.
    Choice(Box<Expression<B>>, Box<Expression<B>>, Box<Expression<B>>),
    /// `place = value`, or with an operator as in `+=`.
    Assign(Option<Binary>, Box<Expression<B>>, Box<Expression<B>>),
    /// `(type)value`.
    Cast(Type<B>, Box<Expression<B>>),
    /// `place[index]`.
    Index(Box<Expression<B>>, Box<Expression<B>>),
    /// `{value, …}`.
    List(Vec<Expression<B>>),
}

/// Operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `+`
    Plus,
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

impl Unary {
    /// How each is written.
    pub(super) const TABLE: [(&'static str, Self); 6] = [
        ("+", Self::Plus),
        ("-", Self::Minus),
        ("!", Self::Not),
        ("~", Self::Complement),
        ("*", Self::Follow),
        ("&", Self::Address),
    ];

    /// The value for an integer; `None` where there is none or it does not fit.
    pub(super) fn apply(self, value: i64) -> Option<i64> {
        match self {
            Self::Plus => Some(value),
            Self::Minus => value.checked_neg(),
            Self::Not => Some(i64::from(value == 0)),
            Self::Complement => Some(!value),
            Self::Follow | Self::Address => None,
        }
    }
}
