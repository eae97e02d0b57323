//! The syntax tree of C and C++: statements, declarations and expressions with their places, over the types of a
//! dialect. The tree says nothing about their meaning.

use super::operator::Binary;
use crate::syntax::Span;

/// A type without dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type<B> {
    /// The type without pointers.
    pub base: B,
    /// The number of pointer levels.
    pub pointers: usize,
}

/// A variable or parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator<B> {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The type; for an array, the type of its elements.
    pub ty: Type<B>,
    /// The dimensions of an array; `None` for a dimension without a number.
    pub dimensions: Vec<Option<Expression<B>>>,
    /// The initial value.
    pub initial: Option<Expression<B>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<B> {
    /// A declaration of variables.
    Declare(Vec<Declarator<B>>),
    /// An expression statement.
    Evaluate(Expression<B>),
    /// A block with its own variables.
    Block(Vec<Statement<B>>),
    /// A loop.
    Loop {
        /// The statements before the first iteration.
        first: Vec<Statement<B>>,
        /// The condition for another iteration.
        test: Expression<B>,
        /// The expression after every iteration.
        step: Option<Expression<B>>,
        /// The body.
        body: Vec<Statement<B>>,
    },
    /// A condition with its two branches.
    If(Expression<B>, Vec<Statement<B>>, Vec<Statement<B>>),
    /// A return statement.
    Return(Option<Expression<B>>, Span),
}

/// An expression and its place; for an expression from a macro, the place where the macro is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression<B> {
    /// The kind of expression.
    pub kind: Kind<B>,
    /// The place of the expression.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind<B> {
    /// An integer or a character.
    Integer(i64),
    /// Any other literal, or one that does not fit.
    Literal(String),
    /// A variable.
    Name(String),
    /// A call; with template arguments, the name ends in `<>` and the first argument is their list.
    Call(String, Vec<Expression<B>>),
    /// A call of what an expression gives, such as a lambda or an element of a table.
    Apply(Box<Expression<B>>, Vec<Expression<B>>),
    /// A lambda, by the index of its first token.
    Lambda(usize),
    /// Expressions separated by the comma operator; the value is that of the last one.
    Sequence(Vec<Expression<B>>),
    /// A unary operator with its operand.
    Unary(Unary, Box<Expression<B>>),
    /// `++` or `--`: the operand, the amount added, and whether the value is the one after the step.
    Step(Box<Expression<B>>, i64, bool),
    /// A binary operator with its operands.
    Binary(Binary, Box<Expression<B>>, Box<Expression<B>>),
    /// `test ? then : other`.
    Choice(Box<Expression<B>>, Box<Expression<B>>, Box<Expression<B>>),
    /// `place = value`, or a compound assignment such as `+=`.
    Assign(Option<Binary>, Box<Expression<B>>, Box<Expression<B>>),
    /// `(type)value`.
    Cast(Type<B>, Box<Expression<B>>),
    /// `place[index]`.
    Index(Box<Expression<B>>, Box<Expression<B>>),
    /// `{value, …}`.
    List(Vec<Expression<B>>),
}

/// The unary operators.
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
    /// The spelling of each operator.
    pub(super) const TABLE: [(&'static str, Self); 6] = [
        ("+", Self::Plus),
        ("-", Self::Minus),
        ("!", Self::Not),
        ("~", Self::Complement),
        ("*", Self::Follow),
        ("&", Self::Address),
    ];

    /// The word that C++ has for an operator.
    pub(super) fn word(self) -> Option<&'static str> {
        match self {
            Self::Not => Some("not"),
            Self::Complement => Some("compl"),
            _ => None,
        }
    }

    /// The result for an integer; `None` if it is undefined or does not fit.
    pub(crate) fn apply(self, value: i64) -> Option<i64> {
        match self {
            Self::Plus => Some(value),
            Self::Minus => value.checked_neg(),
            Self::Not => Some(i64::from(value == 0)),
            Self::Complement => Some(!value),
            Self::Follow | Self::Address => None,
        }
    }
}
