//! kalg compiles convolution kernels for machines without a cheap multiplier or a cache.
//!
//! A [`Filter`] is a matrix of convolution kernels with exact coefficients. A [`Target`] is a machine, described by a
//! text: a pixel-processor array such as SCAMP-5, a vector machine such as AMD's AI Engine, or a processor that sees
//! the image in scan order. A [`Compiler`] finds the shortest program that computes a filter on a target:
//!
//! ```
//! use kalg::{Compiler, Filter, Target, Verdict};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let sobel = Filter::from_rows("sobel-x", [[1, 0, -1], [2, 0, -2], [1, 0, -1]])?;
//!     let scamp5 = Target::builtin("scamp5")?;
//!
//!     let compiler = Compiler::new(&scamp5).nodes(100);
//!     let compiled = compiler.compile(&sobel)?;
//!     println!("{}", compiled.code());
//!     assert_eq!(compiled.cost(), 5.0);
//!     assert!(compiled.is_optimal());
//!
//!     let checked = compiler.check(&kalg::Source::new("sobel.cpp", compiled.code()), &sobel)?;
//!     assert_eq!(checked.verdict(), Verdict::Equal);
//!     Ok(())
//! }
//! ```
//!
//! # How it works
//!
//! An e-graph ([egg](https://egraphs-good.github.io/)) holds the ways to build each kernel from smaller ones. An
//! e-class is a kernel, up to translation, sign and powers of two. [Rules](RuleSet) grow the e-graph: rewrites in text
//! files, and [proposers](proposer), functions that compute decompositions. A search then chooses instructions, their
//! order and registers together. The result is evaluated symbolically, and a simulator compares it with direct
//! convolution. A program that fails is never returned.
//!
//! # Where to go on
//!
//! * The examples in `examples/` compile and check filters, compile with a rule or a proposer of their own in place of
//!   all built-in rules, and describe a machine.
//! * [`RuleSet::from_sources`] and [`RuleSet::with_proposers`] show how to add rules and proposers to the built-in ones.
//! * Results hold a [`Report`], which prints what the `kalg` command prints, as text, JSON or pictures.
//! * The same filter, options, nodes and seed give the same program. No clock is read, except one that you
//!   [pass in](Compiler::time).
//! * All errors implement [`std::error::Error`], and say where in the input the mistake is.

#![allow(
    rustdoc::broken_intra_doc_links,
    rustdoc::private_intra_doc_links,
    reason = "comments of modules that are not documented link to one another"
)]

#[doc(hidden)]
pub mod budget;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
pub mod algebra;
#[doc(hidden)]
pub mod term;
#[doc(hidden)]
pub mod pipeline;
#[doc(hidden)]
pub mod rule;
#[doc(hidden)]
pub mod saturate;
#[doc(hidden)]
pub mod picture;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod backend;
#[doc(hidden)]
pub mod compiler;
#[doc(hidden)]
pub mod cli;

pub use algebra::Rational;
pub use compiler::{Checked, Compiled, Compiler, Error, Filter, Place, Report, Runs, Target};
pub use report::{Answer as Verdict, ErrorKind};
pub use rule::{Rule, RuleErrors, RuleSet};
pub use syntax::Source;

/// Proposers: rules that compute decompositions.
///
/// Implement [`Proposer`](proposer::Proposer), name it in a rule file, and read that file with
/// [`RuleSet::with_proposers`](crate::RuleSet::with_proposers). `examples/custom_proposer.rs` shows how.
pub mod proposer {
    pub use crate::algebra::{Arithmetic, Label, Offset, Placed, Shape};
    pub use crate::budget::Budget;
    pub use crate::rule::propose::{Proposer, registry};
    pub use crate::term::Decomposition;
}

/// Classes of machines: the interface that a back end implements.
///
/// A machine of a built-in class needs only a descriptor: see [`Target::read`](crate::Target::read). A new class is a
/// type that implements [`Backend`](machine::Backend); its machines implement [`Machine`](machine::Machine) and become
/// targets by [`From`].
pub mod machine {
    pub use crate::backend::option::{Accepts, Occurs, OptionSpec, OptionValues};
    pub use crate::backend::{
        Backend, Builtin, CODE, CTimer, CheckError, Cpp, Form, HTML, JSON, Machine, Memo, OptimizeError,
        Pictures, Progress, Ran, Record, Registry, ReplayError, Request, RunError, TEXT, Task, Watch, Whose,
    };
    pub use crate::budget::{Budget, Clock};
    pub use crate::picture::PictureFormat;
    pub use crate::syntax::{Diagnostic, Diagnostics, Severity, Span};
    pub use crate::term::{FilterSource, denote_linear, read_filter};
}
