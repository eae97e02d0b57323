//! The meaning of vector intrinsics. The descriptor lists them.

use std::rc::Rc;

use super::arguments::Arguments;
use super::run::{Remark, Runner, Stop, sound, zeros};
use super::sum::Sum;
use super::value::Value;
use crate::backend::vector::machine::{FunctionKind, Narrowing};
use crate::backend::vector::read::{Base, Scalar, type_named};
use crate::syntax::{Diagnostic, Span};

impl Runner<'_> {
    /// The value of an intrinsic.
    pub(super) fn intrinsic(&mut self, name: &str, values: Vec<Value>, span: Span) -> Result<Value, Stop> {
        let machine = self.machine;
        let mut arguments = Arguments::new(name, values, span);
        let value = match (machine.effect(name), machine.function(name)) {
            (Some(effect), _) => self.multiply(effect, &mut arguments)?,
            (None, Some((kind, rest))) => self.function_value(kind, type_named(rest), &mut arguments)?,
            (None, None) => return self.unknown(name, span),
        };
        arguments.end()?;
        Ok(value)
    }

    /// The value of a non-multiplying intrinsic. `ty` is the type at the end of its name.
    fn function_value(
        &mut self,
        kind: &FunctionKind,
        ty: Option<Base>,
        arguments: &mut Arguments<'_>,
    ) -> Result<Value, Stop> {
        match kind {
            FunctionKind::Round(forms) => return self.round(forms, arguments),
            FunctionKind::Widen(forms) => return widen(forms, arguments),
            FunctionKind::Replace { bits } => return update(arguments, *bits),
            FunctionKind::Extract { bits } => return extract(arguments, *bits),
            FunctionKind::Place { whole, bits } => return self.part_of(arguments, *whole, *bits),
            FunctionKind::Join { most } => return concatenated(arguments, *most),
            FunctionKind::ReplaceElement => return update_element(arguments),
            FunctionKind::ExtractElement => {
                let (lanes, _) = arguments.vector("a vector")?;
                let index = arguments.element(lanes.len())?;
                return Ok(Value::of_sum(Rc::clone(&lanes[index])));
            }
            FunctionKind::Zeros => {
                return ty.and_then(zeros).map_or_else(|| self.unknown(arguments.name, arguments.span), Ok);
            }
            FunctionKind::Undefined => {
                let Some(ty) = ty else { return self.unknown(arguments.name, arguments.span) };
                return Ok(self.undefined(arguments.span, ty));
            }
            FunctionKind::Saturation(on) => self.out.saturates = *on,
            // The name of a mode is not a value, so such a call is handled before its arguments are evaluated.
            FunctionKind::Rounding { .. } => self.out.rounding = None,
        }
        Ok(Value::Nothing)
    }

    fn unknown<T>(&self, name: &str, span: Span) -> Result<T, Stop> {
        let unknown = Diagnostic::error("unreadable", format!("`{name}` is not supported"))
            .label(span, "neither a function of the source nor a known intrinsic");
        Err(Box::new(unknown.help_if(self.machine.functions_help.clone())))
    }

    /// Accumulators to vectors: shifted right, rounded, and narrowed.
    fn round(&mut self, forms: &[Narrowing], arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
        let (lanes, bits) = arguments.accumulator("the value to round")?;
        let shift = arguments.integer("the shift")?;
        let shift = shift_by(shift, bits, arguments)?;
        let Some(form) = forms.iter().find(|form| form.from == bits) else {
            let known: Vec<String> = forms.iter().map(|form| form.from.to_string()).collect();
            let expected = format!("an accumulator with lanes of {} bits", known.join(" or "));
            return arguments.wrong(&expected, Some(&Value::Accumulator(lanes, bits)));
        };
        let scalar = Scalar { bits: form.to, signed: form.signed };
        self.out.shifts.insert(shift);
        let mut rounded = Vec::new();
        for lane in lanes {
            self.ranges(&lane, bits, shift, scalar, arguments.span);
            rounded.push(Rc::new(sound(lane.shifted_right(shift), arguments.span)?));
        }
        Ok(Value::Vector(rounded, scalar))
    }

    /// Notes sums that may overflow the accumulator, and shifted sums that may overflow the vector.
    fn ranges(&mut self, lane: &Sum, bits: usize, shift: u32, scalar: Scalar, span: Span) {
        let Some(bounds) = self.settings.range.and_then(|range| lane.bounds(range)) else { return };
        let half = 2f64.powi(bits as i32 - 1);
        let [least, greatest] = bounds;
        let [low, high] = scalar.range().map(|end| end as f64);
        let shifted = bounds.map(|bound| (bound / 2f64.powi(shift as i32)).floor());
        let (id, message) = if least < -half || greatest >= half {
            ("accumulator-overflow", format!("sums of {least} to {greatest} do not fit in {bits} bits"))
        } else if shifted[0] < low || shifted[1] > high {
            let how = if self.out.saturates {
                "are saturated"
            } else {
                "do not fit, and saturation is not switched on"
            };
            let [least, greatest] = shifted;
            (
                "out-of-range",
                format!("values of {least} to {greatest} {how}: the result has {} bits", scalar.bits),
            )
        } else {
            return;
        };
        if !self.out.warnings.iter().any(|remark| (remark.id, remark.span) == (id, span)) {
            self.out.warnings.push(Remark { id, span, message });
        }
    }

    /// A register with one known part.
    fn part_of(&mut self, arguments: &mut Arguments<'_>, whole: usize, bits: usize) -> Result<Value, Stop> {
        let index = arguments.integer("the part")?;
        let (part, scalar) = arguments.vector("the part")?;
        let all = whole / scalar.bits;
        let Value::Vector(mut lanes, _) = self.undefined(arguments.span, Base::Vector(all, scalar)) else {
            return arguments.wrong("a vector", None);
        };
        put(&mut lanes, &part, index, bits / scalar.bits, arguments)?;
        Ok(Value::Vector(lanes, scalar))
    }
}

/// A shift to or from lanes of an accumulator: less than their bits, and than 64.
fn shift_by(shift: i64, bits: usize, arguments: &Arguments<'_>) -> Result<u32, Stop> {
    let most = bits.min(64) as i64 - 1;
    match u32::try_from(shift).ok().filter(|_| shift <= most) {
        Some(shift) => Ok(shift),
        None => arguments.wrong(&format!("a shift by 0 to {most} bits"), Some(&Value::Integer(shift))),
    }
}

/// A vector to an accumulator: shifted left.
fn widen(forms: &[[usize; 2]], arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
    let (lanes, scalar) = arguments.vector("the value to widen")?;
    let shift = arguments.integer("the shift")?;
    let Some([_, bits]) = forms.iter().find(|[from, _]| *from == scalar.bits) else {
        return arguments.wrong("elements of another size", Some(&Value::Vector(lanes, scalar)));
    };
    let shift = shift_by(shift, *bits, arguments)?;
    let mut widened = Vec::new();
    for lane in lanes {
        widened.push(Rc::new(sound(lane.shifted_left(shift), arguments.span)?));
    }
    Ok(Value::Accumulator(widened, *bits))
}

/// Puts a part of `size` elements into a register.
fn put(
    lanes: &mut [Rc<Sum>],
    part: &[Rc<Sum>],
    index: i64,
    size: usize,
    arguments: &Arguments<'_>,
) -> Result<(), Stop> {
    let first = usize::try_from(index).ok().and_then(|index| index.checked_mul(size));
    let place = first.and_then(|first| lanes.get_mut(first..first.checked_add(size)?));
    match place.filter(|_| part.len() == size) {
        Some(place) => {
            place.clone_from_slice(part);
            Ok(())
        }
        None => arguments.wrong(
            &format!("a part of {size} elements that the register has"),
            Some(&Value::Integer(index)).filter(|_| part.len() == size),
        ),
    }
}

fn update(arguments: &mut Arguments<'_>, bits: usize) -> Result<Value, Stop> {
    let (mut lanes, scalar) = arguments.vector("the value to change")?;
    let index = arguments.integer("the part")?;
    let (part, _) = arguments.vector("the part")?;
    put(&mut lanes, &part, index, bits / scalar.bits, arguments)?;
    Ok(Value::Vector(lanes, scalar))
}

fn update_element(arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
    let (mut lanes, scalar) = arguments.vector("the value to change")?;
    let index = arguments.element(lanes.len())?;
    let Some(value) = arguments.left.next().and_then(|value| value.sum()) else {
        return arguments.wrong("the new element", None);
    };
    lanes[index] = value;
    Ok(Value::Vector(lanes, scalar))
}

fn extract(arguments: &mut Arguments<'_>, bits: usize) -> Result<Value, Stop> {
    let (lanes, scalar) = arguments.vector("the value to take a part of")?;
    let index = arguments.integer("the part")?;
    let size = bits / scalar.bits;
    let first = usize::try_from(index).ok().and_then(|index| index.checked_mul(size));
    match first.and_then(|first| lanes.get(first..first.checked_add(size)?)) {
        Some(part) => Ok(Value::Vector(part.to_vec(), scalar)),
        None => arguments.wrong("a part that the register has", Some(&Value::Integer(index))),
    }
}

fn concatenated(arguments: &mut Arguments<'_>, most: usize) -> Result<Value, Stop> {
    let (mut lanes, scalar) = arguments.vector("the least part")?;
    let size = lanes.len();
    while arguments.left.peek().is_some() {
        let (part, own) = arguments.vector("the next part")?;
        if part.len() != size || own.bits != scalar.bits || (lanes.len() + size) * scalar.bits > most {
            let expected = format!("parts of one type, {most} bits at most");
            return arguments.wrong(&expected, Some(&Value::Vector(part, own)));
        }
        lanes.extend(part);
    }
    Ok(Value::Vector(lanes, scalar))
}
