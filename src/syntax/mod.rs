//! Sources, spans and diagnostics; the S-expression reader (positions, comments) and printer.
//!
//! All text formats of kalg (kernel files, rule files, target descriptors) consist of S-expressions and are read in two
//! steps: [`read`] turns a [`Source`] into [`Sexp`]s, and [`Expect`] takes these apart with the same messages
//! everywhere. [`Kind`] says what files of other kinds are. This layer turns text into values: it opens no files, prints nothing and knows nothing about kernels.

mod span;
mod source;
mod diagnostic;
mod render;
mod sexp;
mod read;
mod number;
mod suggest;
mod expect;
mod kind;
mod below;
pub(crate) mod c;
mod print;

pub use below::leads_out;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use expect::{Expect, is_name};
pub use kind::{Kind, head, of_other_kind, other_kind};
pub use number::{Fraction, NumberError};
pub use print::{Layout, quote};
pub use read::{MAX_DEPTH, read};
pub use render::render;
pub use sexp::{Form, Sexp, SexpKind};
pub use source::{BYTE_ORDER_MARK, MAX_BYTES, Position, Source};
pub use span::Span;
pub use suggest::closest;
