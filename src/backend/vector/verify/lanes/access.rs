//! Loads, stores and arithmetic on single values.

use std::rc::Rc;

use super::run::{Remark, Runner, Stop, sound, unreadable};
use super::sum::Sum;
use super::value::{Pointer, Value, vector_name};
use crate::backend::vector::read::{Base, Binary, Scalar, Type};
use crate::syntax::{Diagnostic, Span};

impl Runner<'_> {
    /// Reports what the machine does not allow: an error, or a note if the code is followed anyway (`--lenient`).
    pub(super) fn forbidden(&mut self, id: &'static str, span: Span, message: String) -> Result<(), Stop> {
        if self.settings.lenient {
            if !self.out.notes.iter().any(|note| (note.id, note.span) == (id, span)) {
                let message = format!("{message}; followed as if the machine allowed it");
                self.out.notes.push(Remark { id, span, message });
            }
            return Ok(());
        }
        let diagnostic = Diagnostic::error(id, message).label(span, "the machine does not allow this");
        Err(Box::new(diagnostic.help("--lenient follows the code anyway")))
    }

    /// The first element under a pointer, with the number and type of the elements read or written through it.
    fn window(&mut self, at: Pointer, span: Span) -> Result<(i64, usize, Scalar), Stop> {
        let (lanes, scalar) = match at.target {
            Type { base: Base::Integer(scalar), pointers: 0 } => (1, scalar),
            Type { base: Base::Vector(lanes, scalar), pointers: 0 } => (lanes, scalar),
            _ => {
                return unreadable(
                    span,
                    "the target of this pointer is not supported",
                    "expected integers or vectors",
                );
            }
        };
        let array = &self.out.arrays[at.array];
        let own = array.scalar;
        if own.bits != scalar.bits {
            let message = format!(
                "`{}` has elements of {} bits, which are accessed as {} bits",
                array.name, own.bits, scalar.bits
            );
            return unreadable(span, message, "in this access");
        }
        let alignment = if lanes > 1 { self.machine.alignment as i64 } else { scalar.bytes() };
        if at.byte.rem_euclid(alignment) != 0 {
            let name = array.name.clone();
            let message = format!(
                "vectors begin at multiples of {alignment} bytes; this one begins {} bytes into `{name}`",
                at.byte
            );
            self.forbidden("unaligned-access", span, message)?;
        }
        Ok((at.byte.div_euclid(scalar.bytes()), lanes, scalar))
    }

    fn within(&self, at: Pointer, first: i64, lanes: usize, span: Span) -> Result<(), Stop> {
        let array = &self.out.arrays[at.array];
        let Some(length) = array.length else { return Ok(()) };
        let last = first + lanes as i64 - 1;
        if first >= 0 && last < length {
            return Ok(());
        }
        let message = format!("`{}` has {length} elements; this accesses {first} to {last}", array.name);
        let diagnostic = Diagnostic::error("out-of-bounds", message).label(span, "in this access");
        Err(Box::new(diagnostic.label(array.span, "declared here")))
    }

    /// Loads the value under a pointer.
    pub(super) fn load(&mut self, at: Pointer, span: Span) -> Result<Value, Stop> {
        let (first, lanes, scalar) = self.window(at, span)?;
        self.within(at, first, lanes, span)?;
        self.spend(lanes, span)?;
        self.out.loads += 1;
        let array = &mut self.out.arrays[at.array];
        array.loaded = true;
        let element = |index: i64| array.element(at.array, first + index);
        match at.target.base {
            Base::Vector(..) => Ok(Value::Vector((0..lanes as i64).map(element).collect(), scalar)),
            _ => Ok(Value::of_sum(element(0))),
        }
    }

    /// Stores a value under a pointer.
    pub(super) fn store(&mut self, at: Pointer, value: Value, span: Span) -> Result<(), Stop> {
        let (first, lanes, scalar) = self.window(at, span)?;
        self.within(at, first, lanes, span)?;
        self.spend(lanes, span)?;
        let kind = value.kind();
        let values = match (value, at.target.base) {
            (Value::Vector(values, own), Base::Vector(..))
                if values.len() == lanes && own.bits == scalar.bits =>
            {
                values
            }
            (value, Base::Integer(_)) => match value.sum() {
                Some(sum) => vec![sum],
                None => return unreadable(span, format!("{kind} is stored as an integer"), "here"),
            },
            _ => {
                let wanted = vector_name(lanes, scalar);
                return unreadable(span, format!("{kind} is stored as {wanted}"), "here");
            }
        };
        self.out.stores += 1;
        let array = &mut self.out.arrays[at.array];
        for (index, value) in (first..).zip(values) {
            array.contents.insert(index, value);
            array.stores.insert(index, span);
        }
        Ok(())
    }

    /// Applies an operator to two values.
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: Value,
        right: Value,
        span: Span,
    ) -> Result<Value, Stop> {
        match (left, right, operator) {
            (Value::Integer(left), Value::Integer(right), _) => match operator.apply(left, right) {
                Some(value) => Ok(Value::Integer(value)),
                None => unreadable(span, "this has no value that fits in 64 bits", "here"),
            },
            (Value::Pointer(pointer), Value::Integer(by), Binary::Add)
            | (Value::Integer(by), Value::Pointer(pointer), Binary::Add) => {
                self.moved(Value::Pointer(pointer), by, span)
            }
            (Value::Pointer(pointer), Value::Integer(by), Binary::Subtract) => {
                self.moved(Value::Pointer(pointer), by.wrapping_neg(), span)
            }
            (Value::Pointer(left), Value::Pointer(right), operator) if left.array == right.array => {
                let unit = if operator == Binary::Subtract { left.stride() } else { 1 };
                let arithmetic = matches!(operator, Binary::Subtract) || operator.compares();
                match operator.apply(left.byte / unit, right.byte / unit).filter(|_| arithmetic) {
                    Some(value) => Ok(Value::Integer(value)),
                    None => unreadable(span, "pointers can only be subtracted and compared", "here"),
                }
            }
            (
                left @ (Value::Scalar(_) | Value::Integer(_)),
                right @ (Value::Scalar(_) | Value::Integer(_)),
                _,
            ) => match operator {
                Binary::Add => self.scalars(left, right, 1, span),
                Binary::Subtract => self.scalars(left, right, -1, span),
                Binary::Multiply => self.product(left, right, span),
                Binary::Right => self.halved(left, right, span),
                _ => unreadable(span, "this depends on data in a way that is not a convolution", "here"),
            },
            (left, right, _) => {
                let message = format!("this operator does not take {} and {}", left.kind(), right.kind());
                unreadable(span, message, "here")
            }
        }
    }

    /// left + sign · right.
    pub(super) fn scalars(
        &mut self,
        left: Value,
        right: Value,
        sign: i128,
        span: Span,
    ) -> Result<Value, Stop> {
        let (Some(left), Some(right)) = (left.sum(), right.sum()) else {
            return unreadable(span, "expected elements", "here");
        };
        self.spend(right.len(), span)?;
        let mut sum = (*left).clone();
        sound(sum.add(&right, sign), span)?;
        Ok(Value::of_sum(Rc::new(sum)))
    }

    fn product(&mut self, left: Value, right: Value, span: Span) -> Result<Value, Stop> {
        let (Some(left), Some(right)) = (left.sum(), right.sum()) else {
            return unreadable(span, "expected elements", "here");
        };
        self.spend(left.len() * right.len(), span)?;
        let mut sum = Sum::default();
        sound(sum.add_product(&left, &right, 1), span)?;
        Ok(Value::of_sum(Rc::new(sum)))
    }

    fn halved(&mut self, left: Value, right: Value, span: Span) -> Result<Value, Stop> {
        let (Some(left), Value::Integer(bits @ 0..=62)) = (left.sum(), right) else {
            return unreadable(span, "expected a shift by 0 to 62 bits", "here");
        };
        self.out.shifts.insert(bits as u32);
        sound(left.shifted_right(bits as u32), span).map(|sum| Value::of_sum(Rc::new(sum)))
    }
}

impl Binary {
    /// Whether its value is true or false.
    fn compares(self) -> bool {
        matches!(
            self,
            Self::Less | Self::AtMost | Self::Greater | Self::AtLeast | Self::Equal | Self::Unequal
        )
    }
}
